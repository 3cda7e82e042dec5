//! Which budgets of a view a story uses up: what a margin in steps does not tell.

use fencepost_checker::engine::Trace;
use fencepost_models::iggy::bounds::{Bounds, ConsumerBounds};
use fencepost_models::iggy::messages::Command;
use fencepost_models::iggy::vocabulary::{ActionKind, kind_of};
use stateright::actor::ActorModelAction;

use crate::run::Action;

use ActionKind as Kind;

/// What may happen only so often, how often, and how often it happens in a story.
struct Budget {
    name: String,
    most: usize,
    used: usize,
}

/// The budgets that a story uses up, by name; a budget of none is not named.
pub(super) fn used_up(bounds: &Bounds, trace: &Trace<Action>) -> Vec<String> {
    let taken: Vec<(Kind, usize)> = trace.actions.iter().filter_map(kind).collect();
    let mut budgets = budgets_of_system(bounds, &taken);
    for (index, consumer) in bounds.consumers.iter().enumerate() {
        budgets.extend(budgets_of_consumer(consumer, index + 1, &taken));
    }
    budgets.into_iter().filter(|budget| budget.most > 0 && budget.used >= budget.most).map(|it| it.name).collect()
}

/// The kind of an action, and which consumer it is about, if any, from 1.
fn kind(action: &Action) -> Option<(Kind, usize)> {
    match action {
        ActorModelAction::Deliver { dst, msg, .. } => Some(kind_of(*dst, msg)),
        _ => None,
    }
}

fn budgets_of_system(bounds: &Bounds, taken: &[(Kind, usize)]) -> Vec<Budget> {
    let used = |wanted: Kind| taken.iter().filter(|(kind, _)| *kind == wanted).count();
    let commands = |is_wanted: fn(&Command) -> bool| bounds.scripts.iter().flatten().filter(|it| is_wanted(it)).count();
    let emptyings = commands(|command| matches!(command, Command::Empty | Command::Recreate));
    let changes = commands(|it| matches!(it, Command::Join(_) | Command::Leave(_) | Command::Disconnect(_)));
    let retained = commands(|command| matches!(command, Command::Retain(_)));
    let budget = |name: &str, most: usize, kind: Kind| Budget { name: name.to_owned(), most, used: used(kind) };
    vec![
        budget("sends", bounds.sends.len(), Kind::ProducerSends),
        budget("emptyings", emptyings, Kind::MetadataDecidesEmptying),
        budget("joins and leaves", changes, Kind::MetadataDecidesMembership),
        budget("retentions", retained, Kind::RetentionRemovesMessages),
        budget("time-outs of the gateway", bounds.gateway_time_outs.into(), Kind::GatewayGivesUpPoll),
        budget("time-outs of the revocation", bounds.revocation_time_outs.into(), Kind::RevocationTimesOut),
        budget("restarts", bounds.restarts.into(), Kind::OwnerRestarts),
        budget("power losses", bounds.power_losses.into(), Kind::PowerIsLost),
        budget("disk failures", bounds.disk_failures.into(), Kind::PurgeStepFails),
    ]
}

fn budgets_of_consumer(consumer: &ConsumerBounds, number: usize, taken: &[(Kind, usize)]) -> Vec<Budget> {
    let used = |kinds: &[Kind]| taken.iter().filter(|(kind, who)| kinds.contains(kind) && *who == number).count();
    let budget = |name: &str, most: u8, kinds: &[Kind]| Budget {
        name: format!("{name} of {}", consumer.name),
        most: most.into(),
        used: used(kinds),
    };
    vec![
        // No limit is no budget.
        budget("polls", consumer.polls.unwrap_or(0), &[Kind::ConsumerPolls]),
        budget(
            "commits",
            consumer.commits.unwrap_or(0),
            &[Kind::ConsumerStores, Kind::ConsumerSeeks, Kind::ConsumerDeletes],
        ),
        budget("give-ups", consumer.give_ups, &[Kind::ConsumerGivesUpPoll, Kind::ConsumerGivesUpCommit]),
    ]
}
