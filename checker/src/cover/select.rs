//! Few traces that come by all items of a kind.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::hash::Hash;

use super::{Cover, ItemKind};

/// What shows which item of one kind: two steps with the same sight show the same item.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Sight {
    Label(usize),
    LabelPair(usize, usize),
    AbstractTransition(u64, usize, u64),
}

impl<A> Cover<A> {
    fn sight(&self, kind: ItemKind, step: usize) -> Option<Sight> {
        let step = &self.steps[step];
        Some(match kind {
            ItemKind::Label => Sight::Label(step.label),
            ItemKind::LabelPair => Sight::LabelPair(self.steps[step.previous?].label, step.label),
            ItemKind::AbstractTransition => Sight::AbstractTransition(step.before, step.label, step.after),
        })
    }

    /// The last steps of traces that together show all items of a kind.
    ///
    /// Witnesses are taken in turn, longest first, except those of items that a trace which was taken comes by. Every trace is a
    /// shortest way to its last step. The order is that of the taking, and always the same.
    pub fn select(&self, kind: ItemKind) -> Vec<usize> {
        self.select_by(kind, |step| self.sight(kind, step), &mut HashSet::new())
    }

    /// As [`Cover::select`], for items that are told apart by a coarser name than their own: `name` gives that of what the step with an
    /// index shows, if it shows anything that counts. What stands in `shown` needs no trace any more; what the traces come by is added.
    pub fn select_by<K: Eq + Hash>(
        &self,
        kind: ItemKind,
        name: impl Fn(usize) -> Option<K>,
        shown: &mut HashSet<K>,
    ) -> Vec<usize> {
        let mut met = HashSet::new();
        // The items come in the order in which they were met, so the first one of a name has the shortest way.
        let is_first = |witness: &usize| name(*witness).is_some_and(|name| met.insert(name));
        let mut witnesses: Vec<usize> = self.of_kind(kind).map(|item| item.witness).filter(is_first).collect();
        witnesses.sort_by_key(|witness| Reverse(self.steps[*witness].depth));
        let mut walked = vec![false; self.steps.len()];
        let mut selected = Vec::new();
        for witness in witnesses {
            if name(witness).is_none_or(|name| shown.contains(&name)) {
                continue;
            }
            selected.push(witness);
            let mut at = Some(witness);
            // What lies before a walked step was walked as well.
            while let Some(step) = at.filter(|step| !walked[*step]) {
                walked[step] = true;
                shown.extend(name(step));
                at = self.steps[step].previous;
            }
        }
        selected
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use crate::cover::{Cover, CoverItem, CoverStep, ItemKind};

    /// Steps as (previous, label, before, after); each is the witness of its abstract transition if that is new.
    fn cover(steps: &[(Option<usize>, usize, u64, u64)]) -> Cover<usize> {
        let mut cover = Cover { labels: Vec::new(), steps: Vec::<CoverStep<usize>>::new(), items: Vec::new() };
        for (action, &(previous, label, before, after)) in steps.iter().enumerate() {
            let depth = 1 + previous.map_or(0, |previous| cover.steps[previous].depth);
            cover.steps.push(CoverStep { previous, initial: 0, depth, action, label, before, after });
            if steps[..action].iter().all(|other| (other.1, other.2, other.3) != (label, before, after)) {
                cover.items.push(CoverItem { kind: ItemKind::AbstractTransition, witness: action, transitions: 1 });
            }
        }
        cover
    }

    #[test]
    fn given_witnesses_on_the_way_of_longer_ones_when_selected_should_be_left_out() {
        let cover = cover(&[(None, 0, 0, 1), (Some(0), 1, 1, 2), (Some(0), 2, 1, 1), (Some(1), 3, 2, 2)]);
        assert_eq!(cover.select(ItemKind::AbstractTransition), [3, 2]);
        assert_eq!(cover.trace(3).actions, [0, 1, 3]);
        assert_eq!(cover.select(ItemKind::Label), Vec::<usize>::new(), "no item is of this kind");
    }

    #[test]
    fn given_an_item_that_a_longer_trace_comes_by_elsewhere_when_selected_should_need_no_trace() {
        // Step 1 shows what step 3 shows, on a branch of its own; the way through step 3 is longer.
        let cover =
            cover(&[(None, 0, 0, 0), (Some(0), 1, 0, 0), (Some(0), 2, 0, 0), (Some(2), 1, 0, 0), (Some(3), 4, 0, 0)]);
        assert_eq!(cover.select(ItemKind::AbstractTransition), [4]);
    }

    #[test]
    fn given_coarser_names_when_selected_should_show_each_once_by_the_first_that_was_met() {
        let cover = cover(&[(None, 0, 0, 1), (Some(0), 1, 1, 2), (Some(1), 1, 2, 3), (Some(0), 2, 1, 1)]);
        let name = |step: usize| Some(cover.steps[step].label).filter(|label| *label != 2);
        let mut shown = HashSet::new();
        assert_eq!(cover.select_by(ItemKind::AbstractTransition, name, &mut shown), [1], "label 2 does not count");
        assert_eq!(shown, HashSet::from([0, 1]));
        assert_eq!(cover.select_by(ItemKind::AbstractTransition, name, &mut shown), [0; 0], "all was shown before");
    }
}
