//! The order of a trace for a driver that cannot hold everything back.
//!
//! Where a request goes on by itself once it is sent, it is sent when it arrives at the owner in the trace: that is where it has its
//! effect. A command of the operator is sent when the owner applies it. Neither comes after the next request of the same client.

use std::collections::VecDeque;

use fencepost_driver::{Park, ParkKind, Step};

use super::trace::TraceStep;
use super::tracker::Grip;

/// The steps that a driver with this grip takes, in the order that comes nearest to the trace.
pub(super) fn fused(planned: &[TraceStep], grip: &Grip) -> Vec<TraceStep> {
    let mut placed: Vec<(usize, usize, &TraceStep)> = Vec::new();
    let mut applied: VecDeque<usize> = positions(planned, &Park::new(ParkKind::Apply, "owner")).collect();
    for (index, step) in planned.iter().enumerate().filter(|(_, step)| step.steps.iter().all(|step| grip.holds(step))) {
        let effect = match step.steps.as_slice() {
            [Step::Resume { park, .. }] if park.kind == ParkKind::Request && !grip.holds_kind(ParkKind::Arrival) => {
                positions(planned, &Park::new(ParkKind::Arrival, park.name.clone())).find(|arrival| *arrival > index)
            }
            [Step::Resume { park, .. }] if park.kind == ParkKind::Propose && !grip.holds_kind(ParkKind::Apply) => {
                applied.pop_front().filter(|applied| *applied > index)
            }
            _ => None,
        };
        let at = effect.map_or(index, |effect| effect.min(next_of_client(planned, index).unwrap_or(effect)));
        placed.push((at, index, step));
    }
    placed.sort_by_key(|(at, index, _)| (*at, *index));
    placed.into_iter().map(|(_, _, step)| step.clone()).collect()
}

fn positions<'a>(planned: &'a [TraceStep], park: &'a Park) -> impl Iterator<Item = usize> + 'a {
    let is_it = move |step: &Step| matches!(step, Step::Resume { park: at, .. } if at == park);
    planned.iter().enumerate().filter(move |(_, step)| step.steps.iter().any(is_it)).map(|(index, _)| index)
}

/// Where the client whose request goes on at `index` begins its next one.
fn next_of_client(planned: &[TraceStep], index: usize) -> Option<usize> {
    let [Step::Resume { park, .. }] = planned[index].steps.as_slice() else { return None };
    let client = |operation: &str| operation.rsplit_once('.').map(|(client, _)| client.to_owned());
    let mine = client(&park.name)?;
    let later = planned.iter().enumerate().skip(index + 1);
    let mut starts = later.filter(|(_, step)| match step.steps.as_slice() {
        [Step::Start { operation, .. }] => client(operation).as_ref() == Some(&mine),
        _ => false,
    });
    starts.next().map(|(index, _)| index)
}
