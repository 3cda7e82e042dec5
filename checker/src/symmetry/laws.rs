//! What must hold for a symmetry, tried at a state: the soundness of a reduced exploration rests on nothing else.

use std::collections::HashSet;
use std::fmt::Debug;

use stateright::Model;
use stateright::actor::ActorModelState;

use crate::actor_system::ActorSystem;
use crate::clause::{Clause, Judgement};
use crate::describe::Transition;

use super::{Permutation, Symmetry, renamed, renamed_action};

type StateOf<M> = ActorModelState<<M as ActorSystem>::Actor, <M as ActorSystem>::History>;

/// The first law that a symmetry breaks at a state of a system, in words; `None` if it keeps all:
///
/// - renaming there and back gives the state again, and so does renaming by the identity;
/// - renaming by two permutations, one after the other, is renaming by their product;
/// - the actions of the renamed state are the renamed actions, and they lead to the renamed states;
/// - each clause says the same of the renamed transition, but for the words of its reason;
/// - the boundary holds for the renamed state as for the state.
pub fn broken_law<M: ActorSystem<Action: Debug>>(
    system: &M,
    symmetry: &dyn Symmetry<M>,
    clauses: &[Clause<M>],
    state: &StateOf<M>,
) -> Option<String> {
    let permutations = symmetry.permutations();
    let images: Vec<StateOf<M>> = permutations.iter().map(|it| renamed(symmetry, it, state)).collect();
    if images[0] != *state {
        return Some("the identity changes the state".to_owned());
    }
    for (permutation, image) in permutations.iter().zip(&images) {
        for (other, expected) in permutations.iter().zip(&images) {
            // By way of this permutation to where the other one leads.
            let rest = permutation.inverse().then(other);
            if renamed(symmetry, &rest, image) != *expected {
                return Some(format!("{permutation:?} and {rest:?} are not together {other:?}"));
            }
        }
        if system.within_boundary(image) != system.within_boundary(state) {
            return Some(format!("{permutation:?} leads over the boundary"));
        }
    }
    let steps = permutations.iter().zip(&images).skip(1);
    steps
        .filter_map(|(permutation, image)| different_step(system, symmetry, clauses, permutation, [state, image]))
        .next()
}

/// What is different about the steps out of a state and out of its image.
fn different_step<M: ActorSystem<Action: Debug>>(
    system: &M,
    symmetry: &dyn Symmetry<M>,
    clauses: &[Clause<M>],
    permutation: &Permutation,
    [state, image]: [&StateOf<M>; 2],
) -> Option<String> {
    let (mut actions, mut of_image) = (Vec::new(), Vec::new());
    system.actions(state, &mut actions);
    system.actions(image, &mut of_image);
    if actions.len() != of_image.len() {
        return Some(format!("{} actions, and {} after {permutation:?}", actions.len(), of_image.len()));
    }
    let mut taken = HashSet::new();
    for action in actions {
        let renamed_action = renamed_action(symmetry, permutation, &action);
        let Some(place) = of_image.iter().position(|other| *other == renamed_action) else {
            return Some(format!("{action:?} becomes {renamed_action:?}, which is not possible after {permutation:?}"));
        };
        if !taken.insert(place) {
            return Some(format!("two actions become {renamed_action:?} by {permutation:?}"));
        }
        let (after, after_image) =
            (system.next_state(state, action.clone()), system.next_state(image, renamed_action.clone()));
        let expected = after.as_ref().map(|after| renamed(symmetry, permutation, after));
        if expected != after_image {
            return Some(format!("{action:?} leads elsewhere after {permutation:?}"));
        }
        let (Some(after), Some(after_image)) = (after, after_image) else { continue };
        let steps = [(state, &action, &after), (image, &renamed_action, &after_image)];
        if let Some(clause) = different_judgement(system, clauses, steps) {
            return Some(format!("{clause} says something else of {action:?} after {permutation:?}"));
        }
    }
    None
}

/// The first clause that does not say the same of two steps.
fn different_judgement<'a, M: ActorSystem>(
    system: &M,
    clauses: &'a [Clause<M>],
    steps: [(&StateOf<M>, &<M as Model>::Action, &StateOf<M>); 2],
) -> Option<&'a str> {
    let facts = steps.map(|(before, action, after)| system.facts(before, action, after));
    let said = |clause: &Clause<M>, step: usize| {
        let (before, action, after) = steps[step];
        let judgement = clause.judge(&Transition { before, action, after, facts: &facts[step] });
        std::mem::discriminant::<Judgement>(&judgement)
    };
    clauses.iter().find(|clause| said(clause, 0) != said(clause, 1)).map(|clause| clause.name.as_str())
}
