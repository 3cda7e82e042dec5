//! Random small actor models with members who can change places: a reaction depends on who a name means to the actor that reads it (itself, the sender,
//! a friend), never on which number it is. Levels only rise, so the models end.

use std::borrow::Cow;
use std::sync::Arc;

use fencepost_checker::actor_system::ActorStep;
use fencepost_checker::clause::{Clause, Judgement};
use fencepost_checker::describe::Transition;
use fencepost_checker::named::Named;
use fencepost_checker::symmetry::{Permutation, Symmetry};
use proptest::prelude::*;
use stateright::actor::{Actor, ActorModel, Envelope, Id, LossyNetwork, Network, Out, model_timeout};

/// The highest level of an actor, at which it does nothing any more.
const TOP: u8 = 2;
const KINDS: u8 = 2;
/// Rules of a table.
const RULES: usize = 20;

/// Whom a rule means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whom {
    Hub,
    Myself,
    Sender,
    About,
    Friend,
    Nobody,
}

/// A message: its kind, and whom it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Word {
    kind: u8,
    about: Option<usize>,
}

/// What an actor knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    level: u8,
    friend: Option<usize>,
}

/// What is remembered of all actors: who got a message of the first kind last, and how many were sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Chronicle {
    last: Option<usize>,
    sent: u8,
}

/// One entry of a table.
#[derive(Clone, Debug)]
pub struct Rule {
    is_ignored: bool,
    friend: Option<Whom>,
    sets_timer: bool,
    sends: Vec<(Whom, u8, Whom)>,
}

/// The kinds of networks.
#[derive(Clone, Copy, Debug)]
pub enum Wires {
    Duplicating,
    NonDuplicating,
    Ordered,
}

/// A model: one hub, and members of one or two classes.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The table of the hub, then that of each class.
    tables: Vec<Arc<Vec<Rule>>>,
    /// How many members each class has.
    sizes: Vec<usize>,
    wires: Wires,
    is_lossy: bool,
    max_crashes: usize,
    /// What is under way at first besides a message to each member, from whom to whom: so the members are not all in the same situation.
    envelopes: Vec<(usize, usize, Word)>,
}

/// One actor.
#[derive(Clone, Debug)]
pub struct RuledActor(Arc<Vec<Rule>>);

pub type Model = Named<ActorModel<RuledActor, (), Chronicle>>;

impl RuledActor {
    fn apply(
        &self,
        id: Id,
        state: &mut Cow<'_, Member>,
        stimulus: usize,
        names: [Option<usize>; 2],
        out: &mut Out<Self>,
    ) {
        let before = **state;
        let rule = &self.0[(stimulus * usize::from(TOP + 1) + usize::from(before.level)) % RULES];
        if before.level >= TOP || rule.is_ignored {
            return;
        }
        let [sender, about] = names;
        let of = |whom: Whom| match whom {
            Whom::Hub => Some(0),
            Whom::Myself => Some(usize::from(id)),
            Whom::Sender => sender,
            Whom::About => about,
            Whom::Friend => before.friend,
            Whom::Nobody => Some(90),
        };
        let friend = rule.friend.map_or(before.friend, of);
        *state.to_mut() = Member { level: before.level + 1, friend };
        out.save(before.level + 1);
        if rule.sets_timer {
            out.set_timer((), model_timeout());
        }
        for &(to, kind, about) in &rule.sends {
            if let Some(to) = of(to) {
                out.send(Id::from(to), Word { kind, about: of(about) });
            }
        }
    }
}

impl Actor for RuledActor {
    type Msg = Word;
    type State = Member;
    type Timer = ();
    type Random = ();
    type Storage = u8;

    fn on_start(&self, id: Id, storage: &Option<u8>, out: &mut Out<Self>) -> Member {
        let mut state = Cow::Owned(Member { level: storage.unwrap_or(0), friend: None });
        if storage.is_none() {
            self.apply(id, &mut state, 0, [None, None], out);
        }
        state.into_owned()
    }

    fn on_msg(&self, id: Id, state: &mut Cow<'_, Member>, source: Id, word: Word, out: &mut Out<Self>) {
        let known = |name: Option<usize>| match name {
            None => 0,
            Some(name) if name == usize::from(id) => 1,
            Some(name) if Some(name) == state.friend => 2,
            Some(_) => 3,
        };
        let sender = usize::from(source);
        let stimulus = 2 + (usize::from(word.kind) * 4 + known(Some(sender))) * 4 + known(word.about);
        self.apply(id, state, stimulus, [Some(sender), word.about], out);
    }

    fn on_timeout(&self, id: Id, state: &mut Cow<'_, Member>, _timer: &(), out: &mut Out<Self>) {
        self.apply(id, state, 1, [None, None], out);
    }
}

fn heard(_: &(), chronicle: &Chronicle, envelope: Envelope<&Word>) -> Option<Chronicle> {
    let last = Some(usize::from(envelope.dst));
    (envelope.msg.kind == 0).then_some(Chronicle { last, ..*chronicle })
}

fn said(_: &(), chronicle: &Chronicle, envelope: Envelope<&Word>) -> Option<Chronicle> {
    (envelope.msg.kind == 1).then_some(Chronicle { sent: (chronicle.sent + 1) % 3, ..*chronicle })
}

impl Recipe {
    /// The model itself.
    pub fn model(&self) -> Model {
        let mut actors = vec![RuledActor(Arc::clone(&self.tables[0]))];
        for (table, size) in self.tables[1..].iter().zip(&self.sizes) {
            actors.extend((0..*size).map(|_| RuledActor(Arc::clone(table))));
        }
        let count = actors.len();
        let envelope = |(from, to, word): &(usize, usize, Word)| Envelope {
            src: Id::from(from % count),
            dst: Id::from(to % count),
            msg: Word { about: word.about.map(|about| about % count), ..*word },
        };
        let waking = |member| Envelope { src: Id::from(0), dst: Id::from(member), msg: Word { kind: 0, about: None } };
        let envelopes = (1..count).map(waking).chain(self.envelopes.iter().map(envelope));
        let network = match self.wires {
            Wires::Duplicating => Network::new_unordered_duplicating(envelopes),
            Wires::NonDuplicating => Network::new_unordered_nonduplicating(envelopes),
            Wires::Ordered => Network::new_ordered(envelopes),
        };
        let lossy = if self.is_lossy { LossyNetwork::Yes } else { LossyNetwork::No };
        let model = ActorModel::new((), Chronicle::default()).actors(actors).init_network(network);
        let model = model.lossy_network(lossy).max_crashes(self.max_crashes);
        Named::actors(model.record_msg_in(heard).record_msg_out(said))
    }

    /// Its symmetry.
    pub fn members(&self) -> Members {
        let mut next = 1;
        let mut class = |size: &usize| {
            next += size;
            (next - size..next).collect()
        };
        let classes: Vec<Vec<usize>> = self.sizes.iter().map(&mut class).collect();
        Members(Permutation::within(1 + self.sizes.iter().sum::<usize>(), &classes))
    }
}

/// The permutations of the members of each class.
pub struct Members(pub Vec<Permutation>);

fn renamed(permutation: &Permutation, name: Option<usize>) -> Option<usize> {
    name.map(|name| permutation.of(name))
}

impl Symmetry<Model> for Members {
    fn permutations(&self) -> Vec<Permutation> {
        self.0.clone()
    }

    fn rename_state(&self, permutation: &Permutation, state: &Member) -> Member {
        Member { friend: renamed(permutation, state.friend), ..*state }
    }

    fn rename_message(&self, permutation: &Permutation, word: &Word) -> Word {
        Word { about: renamed(permutation, word.about), ..*word }
    }

    fn rename_history(&self, permutation: &Permutation, chronicle: &Chronicle) -> Chronicle {
        Chronicle { last: renamed(permutation, chronicle.last), ..*chronicle }
    }
}

fn judged(concerns: bool, is_broken: bool) -> Judgement {
    match (concerns, is_broken) {
        (false, _) => Judgement::Silent,
        (true, true) => Judgement::Broken("it is so".to_owned()),
        (true, false) => Judgement::Upheld,
    }
}

/// Clauses of all kinds, none of which asks for one member by its number.
pub fn clauses() -> Vec<Clause<Model>> {
    let befriends = |step: &ActorStep<'_, Model>| {
        let after = step.acting().map(|acting| (acting, *step.after(acting)));
        let (acting, after) = after.unwrap_or((0, Member { level: 0, friend: None }));
        judged(after.friend.is_some(), after.level == TOP && after.friend == Some(acting))
    };
    let looks_up = |step: &ActorStep<'_, Model>| {
        let Some(acting) = step.acting() else { return Judgement::Silent };
        let mine = step.after(acting);
        let Some(friend) = mine.friend.filter(|friend| *friend < 90) else { return Judgement::Silent };
        judged(true, friend != acting && step.before(friend).level > mine.level)
    };
    let share = |step: &Transition<'_, Model>| {
        let members = || step.after.actor_states.iter().filter(|member| member.level == TOP);
        let with_friend = |friend: usize| members().filter(|member| member.friend == Some(friend)).count();
        judged(members().count() > 0, members().filter_map(|member| member.friend).any(|it| with_friend(it) > 1))
    };
    vec![
        Clause::on_step("befriends", befriends),
        Clause::on_step("looks-up", looks_up),
        Clause::on_history("chronicle", |it: &Chronicle| judged(it.last.is_some(), it.last == Some(0) && it.sent == 2)),
        Clause::on_actor("hub", 0, |hub: &Member| judged(hub.level > 0, hub.level == TOP && hub.friend.is_some())),
        Clause::on_state("share", share),
    ]
}

fn whoms() -> impl Strategy<Value = Whom> {
    let all = [Whom::Hub, Whom::Myself, Whom::Sender, Whom::About, Whom::Friend];
    prop_oneof![9 => prop::sample::select(all.to_vec()), 1 => Just(Whom::Nobody)]
}

fn rules() -> impl Strategy<Value = Rule> {
    let sends = prop::collection::vec((whoms(), 0..KINDS, whoms()), 0..=3);
    (prop::bool::weighted(0.1), prop::option::weighted(0.7, whoms()), prop::bool::weighted(0.2), sends)
        .prop_map(|(is_ignored, friend, sets_timer, sends)| Rule { is_ignored, friend, sets_timer, sends })
}

/// Random models.
pub fn recipes() -> impl Strategy<Value = Recipe> {
    let sizes = prop_oneof![3 => Just(vec![2]), 3 => Just(vec![3]), 1 => Just(vec![2, 2]), 1 => Just(vec![1, 3])];
    let tables = prop::collection::vec(prop::collection::vec(rules(), RULES).prop_map(Arc::new), 3);
    let wires = prop::sample::select(vec![Wires::Duplicating, Wires::NonDuplicating, Wires::Ordered]);
    let word = (0..KINDS, prop::option::of(0..6_usize)).prop_map(|(kind, about)| Word { kind, about });
    let some = prop::collection::vec((0..6_usize, 0..6_usize, word), 1..=2);
    let envelopes = prop_oneof![3 => Just(Vec::new()), 1 => some];
    let troubles = (prop::bool::weighted(0.2), prop_oneof![4 => Just(0_usize), 1 => Just(1)]);
    (tables, sizes, wires, troubles, envelopes).prop_map(
        |(tables, sizes, wires, (is_lossy, max_crashes), envelopes)| Recipe {
            tables,
            sizes,
            wires,
            is_lossy,
            max_crashes,
            envelopes,
        },
    )
}
