//! Two models in lockstep: does a change of a contract show anywhere within bounds?
//!
//! Both models start alike and take the same steps of a driver, breadth first over all pairs of positions. Where one of them can do a
//! step that the other cannot, answers a client otherwise, or looks different, the change shows, and the way there is a trace that
//! catches an implementation with that change. If all pairs are seen and none differs, no trace within these bounds can.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use fencepost_driver::Fields;

use super::position::Position;
use super::walker::{Action, Move, Walker};

/// What became of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Product {
    /// Both models look alike in all pairs of positions within the bounds: so many.
    Equal {
        /// Pairs of positions.
        pairs: usize,
    },
    /// No difference was found in so many pairs; there are more.
    Unfinished {
        /// Pairs of positions.
        pairs: usize,
    },
    /// They differ: the index of the initial state, and the actions of the first model, the step that differs last.
    Differs {
        /// Index of the initial state.
        initial: usize,
        /// Actions of the first model.
        actions: Vec<Action>,
    },
}

/// A pair of positions, and how it was reached.
struct Pair {
    first: Position,
    second: Position,
    previous: Option<usize>,
    initial: usize,
    action: Option<Action>,
}

/// Compares two models of the same bounds, in at most `most_pairs` pairs of positions.
pub fn compare(first: &Walker, second: &Walker, most_pairs: usize) -> Product {
    let fields = first.fields().and(second.fields());
    let mut search = Search { first, second, fields, pairs: Vec::new(), known: HashSet::new() };
    for (initial, (first, second)) in first.start().into_iter().zip(second.start()).enumerate() {
        search.add(Pair { first, second, previous: None, initial, action: None });
    }
    let mut index = 0;
    while index < search.pairs.len() {
        if let Some(action) = search.expand(index) {
            return Product::Differs { initial: search.pairs[index].initial, actions: search.way(index, action) };
        }
        index += 1;
        if search.pairs.len() >= most_pairs {
            return Product::Unfinished { pairs: search.pairs.len() };
        }
    }
    Product::Equal { pairs: search.pairs.len() }
}

struct Search<'a> {
    first: &'a Walker,
    second: &'a Walker,
    fields: Fields,
    pairs: Vec<Pair>,
    known: HashSet<(u64, u64)>,
}

impl Search<'_> {
    fn add(&mut self, pair: Pair) {
        // Two numbers of 64 bits: one could be the same by chance among millions of pairs.
        let number = |salt: u64| {
            let mut hasher = DefaultHasher::new();
            salt.hash(&mut hasher);
            for position in [&pair.first, &pair.second] {
                position.state.hash(&mut hasher);
                position.firsts.hash(&mut hasher);
                position.got.hash(&mut hasher);
            }
            hasher.finish()
        };
        if self.known.insert((number(0), number(1))) {
            self.pairs.push(pair);
        }
    }

    /// Takes all steps from a pair; the action of the first model with which both differ, if there is one.
    fn expand(&mut self, index: usize) -> Option<Action> {
        let mine = self.first.possible(&self.pairs[index].first);
        let mut theirs: Vec<_> = self.second.possible(&self.pairs[index].second);
        let last = mine.last().map(|(action, ..)| action.clone());
        let mut reached = Vec::new();
        for (action, after, moved) in mine {
            let Some(place) = theirs.iter().position(|(.., their_move)| their_move.steps == moved.steps) else {
                return Some(action);
            };
            let (_, their_after, their_move) = theirs.swap_remove(place);
            if self.differ(&after, &moved, &their_after, &their_move) {
                return Some(action);
            }
            reached.push((action, after, their_after));
        }
        if !theirs.is_empty() {
            // What only the other model can do waits there after the step before, which is seen there.
            return last;
        }
        let initial = self.pairs[index].initial;
        for (action, first, second) in reached {
            self.add(Pair { first, second, previous: Some(index), initial, action: Some(action) });
        }
        None
    }

    fn differ(&self, mine: &Position, moved: &Move, theirs: &Position, their_move: &Move) -> bool {
        moved.progress != their_move.progress
            || self.first.look(mine, self.fields).first_difference(&self.second.look(theirs, self.fields)).is_some()
    }

    fn way(&self, index: usize, last: Action) -> Vec<Action> {
        let mut actions = vec![last];
        let mut at = Some(index);
        while let Some(index) = at {
            actions.extend(self.pairs[index].action.clone());
            at = self.pairs[index].previous;
        }
        actions.reverse();
        actions
    }
}

#[cfg(test)]
mod tests {
    use fencepost_models::iggy::views::{BoundsSet, views};
    use fencepost_spec::fence::Fence;
    use fencepost_spec::library;

    use super::{Product, compare};
    use crate::replay::walker::Walker;

    /// Compares a contract in a view with itself, without a fence if one is given.
    fn product(contract: &str, view: &str, without: Option<Fence>, most: usize) -> Product {
        let contract = library::contract(contract).expect("a built-in contract");
        let mut changed = contract.choices.clone();
        changed.fences.retain(|fence, _| Some(*fence) != without);
        let all = views(BoundsSet::Quick, &contract.choices);
        let bounds = &all.iter().find(|known| known.name == view).expect("a view").bounds;
        compare(&Walker::new("", &contract.choices, bounds), &Walker::new("", &changed, bounds), most)
    }

    #[test]
    fn given_the_same_contract_twice_when_compared_should_be_equal_as_far_as_it_goes() {
        assert_eq!(product("fenced-commits", "restart", None, 500), Product::Unfinished { pairs: 500 });
    }

    #[test]
    fn given_a_contract_without_a_fence_when_compared_should_differ_where_the_fence_refuses() {
        let fence = Fence::PollHistoryAtCompletion;
        let product = product("fenced-commits", "purge-with-pending-polls", Some(fence), 200_000);
        let Product::Differs { actions, .. } = product else { panic!("the fence is not noticed: {product:?}") };
        assert!((4..=12).contains(&actions.len()), "{} actions", actions.len());
    }
}
