//! Actor models made by hand, for what is rare among random ones.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};

use fencepost_checker::clause::{Clause, Judgement};
use fencepost_checker::describe::Transition;
use fencepost_checker::engine::{Limits, Stop};
use fencepost_checker::guide::Unguided;
use fencepost_checker::named::Named;
use stateright::actor::{Actor, ActorModel, Envelope, Id, Network, Out};

use crate::model::{ACTOR_RECEIVERS, Change, NamedActors, Order, Reaction, Recipe, Rules, Table, Wires};
use crate::same::Question;

/// Nobody, and somebody else who is nobody.
const NOBODIES: [u8; 2] = [ACTOR_RECEIVERS, ACTOR_RECEIVERS + 1];

/// Actors without loss, crashes, boundary and history.
fn recipe(tables: Vec<Table>, wires: Wires) -> Recipe {
    let rules = Rules {
        modulus: 1,
        silent_in: 4,
        silent_out: 4,
        is_unbounded: true,
        most_envelopes: 0,
        most_timers: 0,
        refused_history: 0,
    };
    Recipe { tables, wires, envelopes: vec![], last: None, is_lossy: false, max_crashes: 0, rules, unfair: 0 }
}

/// An actor that starts with these orders, and takes these when it is given a choice, in any state.
fn chooser(start: Vec<Order>, choices: [Reaction; 3]) -> Table {
    let mut table = Table::idle();
    table.starts[0].orders = start;
    for state in 0..4 {
        for (random, reaction) in (0..).zip(&choices) {
            *table.on_choice(state, random) = reaction.clone();
        }
    }
    table
}

fn orders(orders: Vec<Order>) -> Reaction {
    Reaction { change: Change::Untouched, orders }
}

fn limit(states: u64) -> Limits {
    Limits { max_states: Some(states), ..Limits::default() }
}

fn question<'a>(
    system: &'a NamedActors,
    clauses: &'a [Clause<NamedActors>],
    limits: &'a Limits,
) -> Question<'a, NamedActors> {
    Question { system, clauses, liveness: &[], limits, is_unbounded: true }
}

#[test]
fn given_two_receivers_who_are_nobody_when_sent_to_in_any_order_should_keep_their_flows_apart() {
    let sends = |place: usize| orders(vec![Order::Send(NOBODIES[place], 0)]);
    let start = vec![Order::Choose(0, vec![0]), Order::Choose(1, vec![1])];
    for (wires, is_lossy, states) in
        [(Wires::Ordered, false, 4), (Wires::Ordered, true, 9), (Wires::NonDuplicating, true, 9)]
    {
        let table = chooser(start.clone(), [sends(0), sends(1), orders(vec![])]);
        let recipe = Recipe { is_lossy, ..recipe(vec![table], wires) };
        let told = question(&recipe.named(), &[], &Limits::default()).told(&Unguided);
        assert_eq!(told.states, states, "each choice is open, taken, or taken and lost: {wires:?} {is_lossy}");
    }
}

#[test]
fn given_a_limit_of_states_when_a_clause_is_judged_in_the_last_state_should_tell_the_way_there() {
    let goes = |state| Reaction { change: Change::To(state), orders: vec![] };
    let table = chooser(vec![Order::Choose(0, vec![0, 1, 2])], [goes(1), goes(2), goes(3)]);
    let clause =
        Clause::on_actor(
            "any",
            0,
            |state: &u8| {
                if *state == 1 { Judgement::Upheld } else { Judgement::Broken(format!("{state}")) }
            },
        );
    let clauses = [clause];
    for states in 0..5 {
        let (recipe, limits) = (recipe(vec![table.clone()], Wires::Ordered), limit(states));
        let told = question(&recipe.named(), &clauses, &limits).told(&Unguided);
        assert_eq!(told.states, states.min(4));
        assert_eq!(told.stopped, (states < 4).then_some(Stop::States));
        assert_eq!(told.findings[0].witness.is_some(), states > 1);
        assert_eq!(told.findings[0].broken.is_some(), states > 2);
    }
}

#[test]
fn given_more_inboxes_than_16_bits_number_when_explored_should_be_told_alike() {
    // The actor writes words of three letters to itself, and reads them from the front.
    let writes = |letter| orders(vec![Order::Send(0, letter), Order::Choose(0, vec![0, 1, 2])]);
    let table = chooser(vec![Order::Choose(0, vec![0, 1, 2])], [writes(0), writes(1), writes(2)]);
    let recipe = recipe(vec![table], Wires::Ordered);
    let clauses = [
        Clause::on_actor("upheld", 0, |_: &u8| Judgement::Upheld),
        Clause::on_state("short", |transition: &Transition<'_, NamedActors>| match transition.after.network.len() {
            0..10 => Judgement::Silent,
            length => Judgement::Broken(format!("a word of {length} letters")),
        }),
    ];
    let limits = limit(100_000);
    let told = question(&recipe.named(), &clauses, &limits).told(&Unguided);
    assert_eq!(told.states_per_level[..10], std::array::from_fn::<u64, 10, _>(|length| 3_u64.pow(length as u32)));
    assert_eq!(told.stopped, Some(Stop::States), "88,573 words of up to ten letters, and some more");
    assert_eq!(told.findings[1].broken.as_ref().map(|breach| breach.trace.actions.len()), Some(10));
}

#[test]
fn given_no_actors_when_messages_are_lost_should_be_told_alike() {
    let envelopes = vec![(NOBODIES[0], NOBODIES[1], 0), (NOBODIES[0], NOBODIES[0], 1), (NOBODIES[0], NOBODIES[1], 2)];
    for (wires, states) in [(Wires::Duplicating, 8), (Wires::NonDuplicating, 8), (Wires::Ordered, 6)] {
        let recipe = Recipe { is_lossy: true, envelopes: envelopes.clone(), ..recipe(vec![], wires) };
        assert_eq!(question(&recipe.named(), &[], &Limits::default()).told(&Unguided).states, states, "{wires:?}");
    }
}

#[test]
fn given_a_start_out_of_the_boundary_when_explored_should_find_nothing() {
    let mut recipe = recipe(vec![Table::idle()], Wires::NonDuplicating);
    recipe.rules.is_unbounded = false;
    let (system, limits) = (recipe.named(), Limits::default());
    let question = Question { is_unbounded: false, ..question(&system, &[], &limits) };
    assert_eq!(question.told(&Unguided).states, 0, "its history is refused");
}

/// Numbers that all have the same hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Colliding(u16);

impl Hash for Colliding {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u8(7);
    }
}

/// Counts what it receives, and sends on what it counted.
struct Collider;

impl Actor for Collider {
    type Msg = Colliding;
    type State = Colliding;
    type Timer = Colliding;
    type Random = Colliding;
    type Storage = Colliding;

    fn on_start(&self, id: Id, storage: &Option<Colliding>, out: &mut Out<Self>) -> Colliding {
        out.set_timer(Colliding(usize::from(id) as u16), stateright::actor::model_timeout());
        out.choose_random("some", vec![Colliding(4), Colliding(3)]);
        storage.unwrap_or(Colliding(0))
    }

    fn on_msg(&self, _: Id, state: &mut Cow<'_, Colliding>, src: Id, message: Colliding, out: &mut Out<Self>) {
        *state.to_mut() = Colliding((state.0 + message.0) % 5);
        out.send(src, Colliding((message.0 + 1) % 4));
        out.save(**state);
    }

    fn on_timeout(&self, id: Id, _: &mut Cow<'_, Colliding>, timer: &Colliding, out: &mut Out<Self>) {
        out.send(Id::from(1 - usize::from(id)), *timer);
    }

    fn on_random(&self, id: Id, state: &mut Cow<'_, Colliding>, random: &Colliding, out: &mut Out<Self>) {
        *state.to_mut() = *random;
        out.send(id, *random);
    }
}

fn count(_: &(), history: &Colliding, envelope: Envelope<&Colliding>) -> Option<Colliding> {
    Some(Colliding((history.0 * 2 + envelope.msg.0) % 3))
}

#[test]
fn given_values_that_all_share_one_hash_when_explored_should_tell_them_apart_by_equality() {
    let networks =
        [Network::new_ordered([]), Network::new_unordered_duplicating([]), Network::new_unordered_nonduplicating([])];
    for network in networks {
        let model = ActorModel::new((), Colliding(0))
            .actors([Collider, Collider])
            .init_network(network)
            .max_crashes(1)
            .record_msg_in(count)
            .record_msg_out(count);
        let (system, limits) = (Named::from_debug(model, ["Deliver", "Timeout"]), limit(3_000));
        let question = Question { system: &system, clauses: &[], liveness: &[], limits: &limits, is_unbounded: true };
        assert_eq!(question.told(&Unguided).stopped, Some(Stop::States));
    }
}
