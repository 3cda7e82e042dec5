//! Scenarios on the model: the bounds that a scenario asks for, and the guide that keeps its order of events.

mod guide;

use fencepost_spec::contract::{Choices, Emptying, Numbering};
use fencepost_spec::scenario::{From, Scenario, Step, Verb};

use super::bounds::{Bounds, ConsumerBounds, Once, Pipeline};
use super::messages::{Act, Command, Key, Strategy};

pub use guide::{Courses, Progress, ScenarioGuide, Stuck, answers_by_step};

/// Of how many unsynced operations a power loss tries every subset; later ones are lost.
const MOST_UNSYNCED: u8 = 8;

/// Why a scenario does not apply under a contract.
pub type NotApplicable = String;

/// Looks for a verb or option that the contract has nothing for.
///
/// # Errors
/// The reason.
pub fn applies(scenario: &Scenario, choices: &Choices) -> Result<(), NotApplicable> {
    for step in &scenario.steps {
        let purge_syncs = choices.numbering_at_purge == Numbering::Restart && choices.emptying == Emptying::Purge;
        match step.does {
            Verb::Poll if step.may_wait && !choices.parked_polls => {
                return Err("polls do not wait at the owner under this contract".to_owned());
            }
            Verb::FailToSyncPartition | Verb::FailToSyncBookmarks | Verb::FailToUnlinkBookmarks if !purge_syncs => {
                return Err(
                    "emptying the topic neither syncs directories nor unlinks bookmarks under this contract".to_owned()
                );
            }
            _ => {}
        }
    }
    Ok(())
}

fn strategy(step: &Step) -> Strategy {
    match step.from {
        From::Next => Strategy::Next,
        From::First => Strategy::First,
        From::Last => Strategy::Last,
        From::Offset => Strategy::Offset(step.offset.unwrap_or(0)),
    }
}

fn number(index: usize) -> u8 {
    u8::try_from(index + 1).unwrap_or(u8::MAX)
}

/// The names of all consumers: individual ones first.
fn names(scenario: &Scenario) -> Vec<&String> {
    scenario.start.consumers.iter().chain(&scenario.start.group).collect()
}

fn consumer_index(scenario: &Scenario, name: &str) -> u8 {
    let position = names(scenario).iter().position(|known| *known == name);
    position.and_then(|position| u8::try_from(position).ok()).unwrap_or(0)
}

/// The world in which a scenario plays.
pub fn bounds(scenario: &Scenario) -> Bounds {
    let start = &scenario.start;
    let count = |verbs: &[Verb]| {
        u8::try_from(scenario.steps.iter().filter(|step| verbs.contains(&step.does)).count()).unwrap_or(u8::MAX)
    };
    let consumers = names(scenario).into_iter().map(|name| ConsumerBounds {
        name: name.clone(),
        member: start.group.contains(name),
        acts: Vec::new(),
        polls: Some(0),
        commits: Some(0),
        give_ups: 0,
        old_client: start.old_clients.contains(name),
    });
    let bookmarks = start.bookmarks.iter().map(|(name, offset)| {
        let key = if name == "group" { Key::Group } else { Key::Consumer(consumer_index(scenario, name)) };
        (key, *offset)
    });
    let failures = count(&[Verb::FailToSyncPartition, Verb::FailToSyncBookmarks, Verb::FailToUnlinkBookmarks]);
    let power_losses = count(&[Verb::LosePower]);
    let pipeline = match start.prepare_slots {
        None => Pipeline::Immediate,
        Some(prepared) => {
            Pipeline::Held { prepared: usize::from(prepared), queued: usize::from(start.queue_slots.unwrap_or(0)) }
        }
    };
    Bounds {
        consumers: consumers.collect(),
        members: start.members.iter().map(|name| consumer_index(scenario, name)).collect(),
        partitions: start.partitions.unwrap_or(1),
        initial_messages: start.messages,
        initial_bookmarks: bookmarks.collect(),
        once: scenario.steps.iter().enumerate().filter_map(|(index, step)| once(scenario, index, step)).collect(),
        pipeline,
        disk_reads: !start.resident,
        new_bytes: true,
        reads: start.read_slots.unwrap_or(3),
        gateway_time_outs: count(&[Verb::GatewayGivesUp]),
        restarts: count(&[Verb::Restart]),
        power_losses,
        unsynced_operations: if power_losses > 0 { MOST_UNSYNCED } else { 0 },
        purge_in_steps: failures > 0 || power_losses > 0 || count(&[Verb::Restart]) > 0,
        disk_failures: failures,
        revocation_time_outs: count(&[Verb::RevocationTimesOut]),
        ..Bounds::default()
    }
}

fn once(scenario: &Scenario, index: usize, step: &Step) -> Option<Once> {
    let consumer = consumer_index(scenario, &step.who);
    let number = number(index);
    let act = |act: Act| Some(Once::Consumer { consumer, step: number, act });
    let command = |command: Command| Some(Once::Operator { step: number, command });
    match step.does {
        Verb::Poll => act(Act::Poll {
            strategy: strategy(step),
            count: step.count,
            automatic: step.automatic_commit,
            may_wait: step.may_wait,
        }),
        Verb::Store => act(Act::Store(step.offset.unwrap_or(0))),
        Verb::StorePosition => act(Act::Seek(step.offset.unwrap_or(0))),
        Verb::DeleteBookmark => act(Act::Delete),
        Verb::GiveUp => {
            let given_up = step.of.map(|of| scenario.steps[of].does);
            act(if given_up == Some(Verb::Poll) { Act::GiveUpPoll } else { Act::GiveUpCommit })
        }
        Verb::Send => Some(Once::Producer { step: number, count: step.count }),
        Verb::EmptyTheTopic => command(Command::Empty),
        Verb::ReCreateTheTopic => command(Command::Recreate),
        Verb::Join => command(Command::Join(consumer)),
        Verb::Leave => command(Command::Leave(consumer)),
        Verb::Disconnect => command(Command::Disconnect(consumer)),
        Verb::ExpireMessages => command(Command::Retain(step.count)),
        Verb::Restart
        | Verb::LosePower
        | Verb::FailToSyncPartition
        | Verb::FailToSyncBookmarks
        | Verb::FailToUnlinkBookmarks
        | Verb::GatewayGivesUp
        | Verb::RevocationTimesOut => None,
    }
}
