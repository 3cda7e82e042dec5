//! Steps that wait for each other in a circle.

use super::Step;
use super::file::Reader;
use crate::diagnostic::Problem;
use crate::event::EventKind;

/// The event of a request without which another cannot be. An answer can come at any time: from the gateway, for example,
/// or from metadata before anything is applied.
fn earlier_event(kind: EventKind) -> Option<EventKind> {
    match kind {
        EventKind::Dispatched | EventKind::Decided | EventKind::Answered | EventKind::GivenUp | EventKind::Retained => {
            Some(EventKind::Sent)
        }
        EventKind::Arrived => Some(EventKind::Dispatched),
        EventKind::Opened | EventKind::Completed | EventKind::Committed | EventKind::GatewayGaveUp => {
            Some(EventKind::Arrived)
        }
        EventKind::Mirrored | EventKind::Applied => Some(EventKind::Decided),
        EventKind::Sent | EventKind::Crashed | EventKind::PowerLost | EventKind::Restarted => None,
    }
}

impl Reader<'_> {
    /// Every event waits for the event of its own step that comes before it and for its conditions; that must not go round
    /// in a circle.
    pub(super) fn refuse_circles(&self, steps: &[Step]) -> Result<(), Problem> {
        let mut done: Vec<(usize, EventKind)> = Vec::new();
        loop {
            let before = done.len();
            for (index, step) in steps.iter().enumerate() {
                for phase in step.does.phases() {
                    let earlier = earlier_event(*phase).is_none_or(|other| done.contains(&(index, other)));
                    let end = |other: usize| *steps[other].does.phases().last().unwrap_or(&EventKind::Answered);
                    let conditions = step.conditions.get(phase).into_iter().flatten();
                    let met = conditions
                        .map(|reference| (reference.step, reference.phase.unwrap_or(end(reference.step))))
                        .all(|event| done.contains(&event));
                    if earlier && met && !done.contains(&(index, *phase)) {
                        done.push((index, *phase));
                    }
                }
            }
            if done.len() == before {
                break;
            }
        }
        let stuck: Vec<&Step> = steps
            .iter()
            .enumerate()
            .filter(|(index, step)| step.does.phases().iter().any(|phase| !done.contains(&(*index, *phase))))
            .map(|(_, step)| step)
            .collect();
        let Some(first) = stuck.first() else { return Ok(()) };
        let names: Vec<&str> = stuck.iter().map(|step| step.id.as_str()).collect();
        let quoted = format!("\"{}\"", first.id);
        let at = self.text.find(&quoted).map_or(0..0, |start| start..start + quoted.len());
        Err(self
            .problem(at, format!("the steps {} wait for each other in a circle", names.join(", ")))
            .with_help("take one of them out of an `after` list"))
    }
}
