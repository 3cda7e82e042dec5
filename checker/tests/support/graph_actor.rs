//! A graph as one actor, so that the compiled engine can walk it too.

use std::borrow::Cow;

use fencepost_checker::named::Named;
use stateright::actor::{Actor, ActorModel, ActorModelAction, ActorModelState, Id, Network, Out, model_timeout};

use crate::support::{Arc, Graph};

/// The model of a graph that starts in 0.
pub type Model = Named<ActorModel<Walker, (), ()>>;

/// A state of it.
pub type State = ActorModelState<Walker, ()>;

/// The actor: its state is a state of the graph, its timers are the edges that start there, by term and target.
pub struct Walker {
    arcs: Vec<Arc>,
}

impl Walker {
    fn timers(&self, state: u8) -> impl Iterator<Item = (usize, u8)> {
        self.arcs.iter().filter(move |arc| arc.from == state).map(|arc| (arc.term, arc.to))
    }

    fn enter(&self, state: u8, out: &mut Out<Self>) {
        self.timers(state).for_each(|timer| out.set_timer(timer, model_timeout()));
    }
}

impl Actor for Walker {
    type Msg = ();
    type State = u8;
    type Timer = (usize, u8);
    type Random = ();
    type Storage = ();

    fn on_start(&self, _: Id, _: &Option<()>, out: &mut Out<Self>) -> u8 {
        self.enter(0, out);
        0
    }

    fn on_timeout(&self, _: Id, state: &mut Cow<'_, u8>, timer: &(usize, u8), out: &mut Out<Self>) {
        self.timers(**state).for_each(|timer| out.cancel_timer(timer));
        *state.to_mut() = timer.1;
        self.enter(timer.1, out);
    }
}

/// A graph as an actor. Each edge has the term that it has in the graph.
pub fn of(graph: &Graph) -> Model {
    let name = |term: usize| format!("term-{term}");
    let terms = 0..graph.fair.len();
    let unfair: Vec<String> = terms.clone().filter(|&term| !graph.fair[term]).map(name).collect();
    let unfair: Vec<&str> = unfair.iter().map(String::as_str).collect();
    let model = ActorModel::new((), ())
        .actors([Walker { arcs: graph.arcs.clone() }])
        .init_network(Network::new_unordered_nonduplicating([]));
    let name_of = move |action: &ActorModelAction<(), (usize, u8), ()>| match action {
        ActorModelAction::Timeout(_, (term, _)) => name(*term),
        other => unreachable!("walking is all that happens, not {other:?}"),
    };
    Named::new(model, terms.map(name), name_of).with_unfair(&unfair)
}
