//! Follows answers in the model of another contract.

use std::collections::BTreeSet;

use super::graph::{Graph, Heard};

/// Follows answers in the order in which clients got them. Everything that no client hears is free. Gives the number of answers
/// with which some course agrees that can still be completed, if it is not all of them and their end: with one answer more there
/// is no such course. The number of all answers means that every course with these answers goes on to another one.
pub fn follow(graph: &Graph, heard: &[Heard]) -> Option<usize> {
    let starts = (0..graph.starts).filter(|index| graph.places[*index].is_live);
    let mut at = unheard(graph, starts.collect());
    if at.is_empty() {
        return Some(0);
    }
    for (agreeing, answer) in heard.iter().enumerate() {
        let next = at.iter().flat_map(|index| &graph.places[*index].next);
        let agrees = next.filter(|next| next.heard.as_ref() == Some(answer) && graph.places[next.to].is_live);
        at = unheard(graph, agrees.map(|next| next.to).collect());
        if at.is_empty() {
            return Some(agreeing);
        }
    }
    let is_over = at.iter().any(|index| graph.places[*index].is_end);
    (!is_over).then_some(heard.len())
}

/// The places, and all that can be come to from them without an answer to a client, as long as the scenario can be completed.
fn unheard(graph: &Graph, mut open: Vec<usize>) -> BTreeSet<usize> {
    let mut all = BTreeSet::new();
    while let Some(index) = open.pop() {
        if all.insert(index) {
            let next = graph.places[index].next.iter();
            let silent = next.filter(|next| next.heard.is_none() && graph.places[next.to].is_live);
            open.extend(silent.map(|next| next.to));
        }
    }
    all
}
