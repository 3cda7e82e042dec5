//! A short closed walk in a component that is a fair execution if repeated.

use std::collections::{HashMap, VecDeque};

use super::{Edge, Graph, Turn};

/// Longest loop that is searched for detours, which takes cubic time.
const MOST_TURNS_TO_SHORTEN: usize = 200;

/// A loop from `entry` within a fair component that takes, or passes a state that does not allow, each fair action; empty
/// if `entry` has no successor inside.
///
/// It goes to the nearest unmet demand each time and leaves out detours that prove unnecessary afterwards, so it is short
/// but maybe not shortest.
pub(super) fn fair_loop(graph: &Graph<'_>, entry: u32, is_inside: &dyn Fn(u32) -> bool) -> Vec<Turn> {
    let mut walk = Walk { graph, is_inside, turns: Vec::new(), at: entry, unmet: Vec::new() };
    walk.unmet = (0..graph.fair.len()).filter(|&term| graph.fair[term]).collect();
    walk.pass(None);
    while !walk.unmet.is_empty() {
        let unmet = walk.unmet.clone();
        let meets_demand = |edge: &Edge| {
            let enabled = graph.fair_terms(edge.to);
            unmet.iter().any(|term| edge.term as usize == *term || !enabled.contains(term))
        };
        if !walk.go(&meets_demand) {
            break;
        }
    }
    if walk.at != entry || walk.turns.is_empty() {
        walk.go(&|edge| edge.to == entry);
    }
    shorten(graph, walk.turns)
}

/// Leaves out detours (ways from a state back to it) without which the loop is still fair.
fn shorten(graph: &Graph<'_>, mut turns: Vec<Turn>) -> Vec<Turn> {
    let mut start = 0;
    while start < turns.len() && turns.len() <= MOST_TURNS_TO_SHORTEN {
        let without = |end: usize| [&turns[..start], &turns[end..]].concat();
        let is_detour = |end: &usize| turns.get(*end).is_none_or(|turn| turn.from == turns[start].from);
        let is_better = |shorter: &Vec<Turn>| !shorter.is_empty() && is_fair(graph, shorter);
        // The way from `start` to the end of the loop is a detour only if it starts where the loop does.
        let last = if turns[start].from == turns[0].from { turns.len() } else { turns.len() - 1 };
        match (start + 1..=last).rev().filter(is_detour).map(without).find(is_better) {
            Some(shorter) => turns = shorter,
            None => start += 1,
        }
    }
    turns
}

/// Whether each fair action is taken in a loop, or impossible in one of its states.
fn is_fair(graph: &Graph<'_>, turns: &[Turn]) -> bool {
    let mut unmet: Vec<usize> = (0..graph.fair.len()).filter(|&term| graph.fair[term]).collect();
    for turn in turns {
        let enabled = graph.fair_terms(turn.from);
        let is_taken =
            |term| graph.edges.of(turn.from).iter().any(|edge| edge.action == turn.action && edge.term == term);
        unmet.retain(|&term| enabled.contains(&term) && !is_taken(term as u32));
    }
    unmet.is_empty()
}

struct Walk<'a> {
    graph: &'a Graph<'a>,
    is_inside: &'a dyn Fn(u32) -> bool,
    turns: Vec<Turn>,
    at: u32,
    /// Fair actions that were neither taken nor seen impossible.
    unmet: Vec<usize>,
}

impl Walk<'_> {
    /// Strikes the demands that the present state, and the edge that led here, meet.
    fn pass(&mut self, by: Option<Edge>) {
        let enabled = self.graph.fair_terms(self.at);
        let is_taken = |term: usize| by.is_some_and(|edge| edge.term as usize == term);
        self.unmet.retain(|&term| enabled.contains(&term) && !is_taken(term));
    }

    /// Goes the shortest way, inside the component, that ends with a wanted edge. Tells whether there is one.
    fn go(&mut self, is_wanted: &dyn Fn(&Edge) -> bool) -> bool {
        let mut reached_by: HashMap<u32, (u32, Edge)> = HashMap::new();
        let mut queue = VecDeque::from([self.at]);
        while let Some(state) = queue.pop_front() {
            for edge in self.graph.edges.of(state) {
                if !(self.is_inside)(edge.to) {
                    continue;
                }
                if is_wanted(edge) {
                    self.follow(state, *edge, &reached_by);
                    return true;
                }
                if edge.to != self.at && !reached_by.contains_key(&edge.to) {
                    reached_by.insert(edge.to, (state, *edge));
                    queue.push_back(edge.to);
                }
            }
        }
        false
    }

    /// Walks to `from` by the way that the search found, and on by `last`.
    fn follow(&mut self, from: u32, last: Edge, reached_by: &HashMap<u32, (u32, Edge)>) {
        let mut way = vec![(from, last)];
        let mut state = from;
        while let Some(&(before, edge)) = reached_by.get(&state) {
            way.push((before, edge));
            state = before;
        }
        for (before, edge) in way.into_iter().rev() {
            self.turns.push(Turn { from: before, action: edge.action });
            self.at = edge.to;
            self.pass(Some(edge));
        }
    }
}
