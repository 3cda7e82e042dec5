//! A short closed walk in a component that is a fair execution if repeated.

use std::collections::{HashMap, VecDeque};

use super::{Edge, Graph, Turn};

/// A loop from `entry` within a fair component that takes, or passes a state that does not allow, each fair action; empty
/// if `entry` has no successor inside. It goes to the nearest unmet demand each time, so it is short but maybe not shortest.
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
    walk.turns
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
