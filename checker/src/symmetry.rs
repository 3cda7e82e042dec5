//! Symmetry: actors that could change places without anybody noticing, and what a value becomes when they do.
//!
//! States that differ only by who of them is who form an *orbit*. An exploration that is
//! [reduced](crate::compiled::Compiled::explore_reduced) keeps one state of each orbit, the first that it finds.

mod laws;

use std::sync::Arc;

use stateright::actor::{Actor, ActorModelAction, ActorModelState, Envelope, Id, Network};

use crate::actor_system::{ActionOf, ActorSystem};
use crate::compiled::network::{NetworkKind, parts};

pub use laws::broken_law;

/// Where each actor of a system goes: a permutation of the actors' indices.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Permutation(Vec<usize>);

impl Permutation {
    /// The permutation that leaves each of `actors` actors where it is.
    pub fn identity(actors: usize) -> Self {
        Self((0..actors).collect())
    }

    /// All permutations of `actors` actors that move each actor only among the actors of its class; actors of no class stay where they are.
    /// They are a group. The identity comes first.
    ///
    /// # Panics
    /// If an actor of a class does not exist, or is in two places of the classes.
    pub fn within(actors: usize, classes: &[Vec<usize>]) -> Vec<Self> {
        let mut members: Vec<usize> = classes.iter().flatten().copied().collect();
        members.sort_unstable();
        assert!(members.windows(2).all(|pair| pair[0] < pair[1]), "an actor has one place in one class");
        assert!(members.last().is_none_or(|last| *last < actors), "the actors of a class exist");
        let mut group = vec![Self::identity(actors)];
        for class in classes {
            for place in 0..class.len() {
                // Every order of the members up to this place, times each choice of whom this member changes places with.
                let with_swaps = |known: &Self| -> Vec<Self> {
                    (0..=place).rev().map(|other| known.swapped(class[place], class[other])).collect()
                };
                group = group.iter().flat_map(with_swaps).collect();
            }
        }
        group
    }

    /// The same, but that two actors go to each other's places.
    fn swapped(&self, one: usize, other: usize) -> Self {
        let mut places = self.0.clone();
        places.swap(one, other);
        Self(places)
    }

    /// Where the actor with an index goes. What is no actor stays where it is.
    #[inline]
    pub fn of(&self, index: usize) -> usize {
        self.0.get(index).copied().unwrap_or(index)
    }

    /// Where the actor with an identity goes.
    pub fn of_id(&self, id: Id) -> Id {
        Id::from(self.of(usize::from(id)))
    }

    /// The permutation that brings everybody back.
    pub fn inverse(&self) -> Self {
        let mut places = vec![0; self.0.len()];
        for (index, place) in self.0.iter().enumerate() {
            places[*place] = index;
        }
        Self(places)
    }

    /// This permutation, and then another.
    pub fn then(&self, other: &Self) -> Self {
        Self(self.0.iter().map(|place| other.of(*place)).collect())
    }

    /// Whether everybody stays.
    pub fn is_identity(&self) -> bool {
        self.0.iter().enumerate().all(|(index, place)| index == *place)
    }
}

/// The symmetry of an actor system: which actors can change places, and what each value becomes when they do.
///
/// To rename must commute with everything that happens: what a renamed state leads to is what the state leads to, renamed, and each clause says
/// the same of a renamed transition, but for the words of its reason. [`broken_law`] tries that at a state. Timers, random choices and storage are left as they are, so
/// they must not name any actor of a class. The boundary of the model must hold for all states of an orbit or for none.
pub trait Symmetry<M: ActorSystem>: Sync {
    /// All permutations, as a group: the identity comes first, and with any two permutations their product is among them.
    fn permutations(&self) -> Vec<Permutation>;

    /// The state of an actor after all names in it were changed.
    fn rename_state(&self, permutation: &Permutation, state: &<M::Actor as Actor>::State)
    -> <M::Actor as Actor>::State;

    /// A message after all names in it were changed.
    fn rename_message(&self, permutation: &Permutation, message: &<M::Actor as Actor>::Msg)
    -> <M::Actor as Actor>::Msg;

    /// The history after all names in it were changed.
    fn rename_history(&self, permutation: &Permutation, history: &M::History) -> M::History;
}

/// The symmetry of a system in which no actor can take another's place.
#[derive(Clone, Copy, Debug)]
pub struct Asymmetric {
    /// How many actors the system has.
    pub actors: usize,
}

impl<M: ActorSystem> Symmetry<M> for Asymmetric {
    fn permutations(&self) -> Vec<Permutation> {
        vec![Permutation::identity(self.actors)]
    }

    fn rename_state(&self, _: &Permutation, state: &<M::Actor as Actor>::State) -> <M::Actor as Actor>::State {
        state.clone()
    }

    fn rename_message(&self, _: &Permutation, message: &<M::Actor as Actor>::Msg) -> <M::Actor as Actor>::Msg {
        message.clone()
    }

    fn rename_history(&self, _: &Permutation, history: &M::History) -> M::History {
        history.clone()
    }
}

/// An envelope after all names on it and in it were changed.
pub(crate) fn renamed_envelope<M: ActorSystem>(
    symmetry: &dyn Symmetry<M>,
    permutation: &Permutation,
    envelope: &Envelope<<M::Actor as Actor>::Msg>,
) -> Envelope<<M::Actor as Actor>::Msg> {
    Envelope {
        src: permutation.of_id(envelope.src),
        dst: permutation.of_id(envelope.dst),
        msg: symmetry.rename_message(permutation, &envelope.msg),
    }
}

/// A whole state after everybody went to his new place.
pub fn renamed<M: ActorSystem>(
    symmetry: &dyn Symmetry<M>,
    permutation: &Permutation,
    state: &ActorModelState<M::Actor, M::History>,
) -> ActorModelState<M::Actor, M::History> {
    let mut after = state.clone();
    for index in 0..state.actor_states.len() {
        let place = permutation.of(index);
        after.actor_states[place] = Arc::new(symmetry.rename_state(permutation, &state.actor_states[index]));
        after.timers_set[place] = state.timers_set[index].clone();
        after.random_choices[place] = state.random_choices[index].clone();
        after.crashed[place] = state.crashed[index];
        after.actor_storages[place] = state.actor_storages[index].clone();
    }
    after.network = renamed_network(symmetry, permutation, &state.network);
    after.history = symmetry.rename_history(permutation, &state.history);
    after
}

fn renamed_network<M: ActorSystem>(
    symmetry: &dyn Symmetry<M>,
    permutation: &Permutation,
    network: &Network<<M::Actor as Actor>::Msg>,
) -> Network<<M::Actor as Actor>::Msg> {
    let (envelopes, last) = parts(network);
    let rename = |envelope: &Envelope<_>| renamed_envelope(symmetry, permutation, envelope);
    NetworkKind::of(network).network(envelopes.iter().map(rename), last.as_ref().map(rename))
}

/// An action after all names in it were changed.
pub fn renamed_action<M: ActorSystem>(
    symmetry: &dyn Symmetry<M>,
    permutation: &Permutation,
    action: &ActionOf<M::Actor>,
) -> ActionOf<M::Actor> {
    let place = |id: &Id| permutation.of_id(*id);
    match action {
        ActorModelAction::Deliver { src, dst, msg } => ActorModelAction::Deliver {
            src: place(src),
            dst: place(dst),
            msg: symmetry.rename_message(permutation, msg),
        },
        ActorModelAction::Drop(envelope) => ActorModelAction::Drop(renamed_envelope(symmetry, permutation, envelope)),
        ActorModelAction::Timeout(id, timer) => ActorModelAction::Timeout(place(id), timer.clone()),
        ActorModelAction::Crash(id) => ActorModelAction::Crash(place(id)),
        ActorModelAction::Recover(id) => ActorModelAction::Recover(place(id)),
        ActorModelAction::SelectRandom { actor, key, random } => {
            ActorModelAction::SelectRandom { actor: place(actor), key: key.clone(), random: random.clone() }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::Permutation;

    #[test]
    fn given_classes_when_permuted_should_be_the_whole_group_with_the_identity_first() {
        for (classes, size) in [
            (vec![], 1),
            (vec![vec![3]], 1),
            (vec![vec![1, 4]], 2),
            (vec![vec![0, 2, 3]], 6),
            (vec![vec![1, 4], vec![0, 2, 3]], 12),
            (vec![vec![0, 1, 2, 3, 4]], 120),
        ] {
            let group = Permutation::within(5, &classes);
            let distinct: HashSet<&Permutation> = group.iter().collect();
            assert_eq!((group.len(), distinct.len()), (size, size), "{classes:?}");
            assert!(group[0].is_identity());
            for one in &group {
                assert!(one.then(&one.inverse()).is_identity() && distinct.contains(&one.inverse()));
                assert!(group.iter().all(|other| distinct.contains(&one.then(other))));
                assert!((0..5).all(|index| {
                    let class = classes.iter().find(|class| class.contains(&index));
                    class.map_or(one.of(index) == index, |class| class.contains(&one.of(index)))
                }));
            }
            assert_eq!(group[size - 1].of(9), 9, "what is no actor stays");
        }
    }

    #[test]
    #[should_panic(expected = "one place in one class")]
    fn given_an_actor_in_two_classes_when_permuted_should_be_refused() {
        Permutation::within(3, &[vec![0, 1], vec![1, 2]]);
    }
}
