//! The operator: works through scripts, one command after the other was acknowledged.

use fencepost_spec::event::EventKind;
use serde::{Deserialize, Serialize};

use super::marks::Mark;
use super::messages::{Command, Envelope, OPERATOR, RequestId};
use super::system::{Address, Reaction, Setup};

/// Where the operator is in each script.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Operator {
    /// Commands begun, by script.
    pub begun: Vec<u8>,
    /// Commands acknowledged, by script.
    pub acknowledged: Vec<u8>,
}

/// The number of a command: scripts count on from each other, so that every command has its own.
pub fn command_number(setup: &Setup, script: usize, position: u8) -> u8 {
    let before: usize = setup.bounds.scripts[..script].iter().map(Vec::len).sum();
    u8::try_from(before).unwrap_or(u8::MAX).saturating_add(position).saturating_add(1)
}

fn script_of(setup: &Setup, number: u8) -> Option<usize> {
    let mut rest = usize::from(number).checked_sub(1)?;
    for (script, commands) in setup.bounds.scripts.iter().enumerate() {
        if rest < commands.len() {
            return Some(script);
        }
        rest -= commands.len();
    }
    None
}

/// The reaction of the operator, if there is one.
pub fn react(setup: &Setup, state: &Operator, message: &Envelope) -> Option<Reaction<Operator>> {
    let mut reaction = Reaction::new(state.clone());
    match message {
        Envelope::Next(script) => {
            let index = usize::from(*script);
            let position = state.begun[index];
            let command = *setup.bounds.scripts[index].get(usize::from(position))?;
            if state.acknowledged[index] < position {
                return None;
            }
            reaction.state.begun[index] += 1;
            if usize::from(position) + 1 < setup.bounds.scripts[index].len() {
                reaction.send(Address::Operator, message.clone());
            }
            command_out(setup, &mut reaction, command_number(setup, index, position), command);
        }
        Envelope::Once(number, command) => command_out(setup, &mut reaction, *number, *command),
        Envelope::Acknowledged(number, _) => {
            if let Some(script) = script_of(setup, *number) {
                reaction.state.acknowledged[script] += 1;
            }
            let request = RequestId { client: OPERATOR, number: *number };
            reaction.mark(Mark::Event(EventKind::Answered, Some(request)));
            return Some(reaction.discarding());
        }
        _ => return None,
    }
    Some(reaction)
}

fn command_out(setup: &Setup, reaction: &mut Reaction<Operator>, number: u8, command: Command) {
    let request = RequestId { client: OPERATOR, number };
    reaction.mark(Mark::Event(EventKind::Sent, Some(request)));
    let receiver = match command {
        Command::Join(_) if setup.bounds.partitions > 1 => Address::Gateway,
        Command::Retain(_) => Address::Owner,
        _ => Address::Metadata,
    };
    reaction.send(receiver, Envelope::Command { number, command, in_flight: false });
}
