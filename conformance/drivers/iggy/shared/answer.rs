//! What the server or the client library answered, in the words of the protocol.

use fencepost_driver::{Certainty, Failure, Progress, Reply};
use iggy::prelude::IggyError;

use super::wire::Polled;

/// The partition number with which the server says that a poll was fenced.
const SENTINEL_PARTITION: u32 = u32::MAX;

/// Errors that the client library raises because there is no connection (any more).
const CONNECTION_ENDED: [IggyError; 7] = [
    IggyError::Disconnected,
    IggyError::CannotEstablishConnection,
    IggyError::TcpError,
    IggyError::NotConnected,
    IggyError::ClientShutdown,
    IggyError::ConnectionClosed,
    IggyError::EmptyResponse,
];

/// Codes after which nobody knows whether the request had its effect: not committed (yet), too old to tell, and what the newer client
/// says when it has lost track of an operation.
const UNKNOWN_OUTCOME: [u32; 7] = [57, 85, 14006, 14007, 14008, 14009, 14010];

/// Why a request has no accepted answer.
#[derive(Clone, Debug)]
pub enum Trouble {
    /// The client library returned an error: the server's refusal, or its own.
    Error(IggyError),
    /// The time limit was over.
    TimeOut,
}

impl Trouble {
    /// Whether the connection must not be used any more: it has ended, or an answer may still be on its way.
    pub fn ends_connection(&self) -> bool {
        match self {
            Self::TimeOut => true,
            Self::Error(error) => CONNECTION_ENDED.contains(error) || UNKNOWN_OUTCOME.contains(&error.as_code()),
        }
    }

    /// In words.
    pub fn words(&self) -> String {
        match self {
            Self::TimeOut => "no answer within the time limit".to_owned(),
            Self::Error(error) => format!("{error} (code {})", error.as_code()),
        }
    }

    /// The answer of a client that met this.
    ///
    /// # Errors
    /// A [`Failure`] for a code that is too large for the protocol.
    pub fn progress(&self) -> Result<Progress, Failure> {
        let indefinite = |reply| Progress::Done { reply, certainty: Certainty::Indefinite };
        let code = match self {
            Self::TimeOut => return Ok(indefinite(Reply::Disconnected {})),
            Self::Error(error) if CONNECTION_ENDED.contains(error) => return Ok(indefinite(Reply::Disconnected {})),
            Self::Error(error) => error.as_code(),
        };
        let short =
            u16::try_from(code).map_err(|_| Failure::failed(format!("the server answered with code {code}")))?;
        let reply = Reply::Code { code: short };
        Ok(if UNKNOWN_OUTCOME.contains(&code) { indefinite(reply) } else { Progress::done(reply) })
    }
}

/// The answer to a poll.
pub fn reply_of<P>(polled: &Polled<P>) -> Reply {
    if polled.messages.is_empty() {
        return if polled.partition == SENTINEL_PARTITION { Reply::Sentinel {} } else { Reply::Empty {} };
    }
    let messages = polled.messages.iter().map(|(offset, payload, _)| (*offset, payload.clone())).collect();
    Reply::Batch { messages }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polled(partition: u32, messages: &[(u64, &str)]) -> Polled<()> {
        let messages = messages.iter().map(|(offset, payload)| (*offset, (*payload).to_owned(), ())).collect();
        Polled { partition, current_offset: 0, messages }
    }

    #[test]
    fn given_a_reply_to_a_poll_when_decoded_should_tell_batch_empty_and_sentinel_apart() {
        assert_eq!(reply_of(&polled(0, &[])), Reply::Empty {});
        assert_eq!(reply_of(&polled(u32::MAX, &[])), Reply::Sentinel {});
        let batch = reply_of(&polled(0, &[(3, "m3"), (4, "m4")]));
        assert_eq!(batch, Reply::Batch { messages: vec![(3, "m3".to_owned()), (4, "m4".to_owned())] });
    }

    #[test]
    fn given_a_refusal_of_the_server_when_decoded_should_be_a_definite_code() {
        for code in [20, 30, 58, 3021, 4100, 5006, 5009] {
            let trouble = Trouble::Error(IggyError::from_code(code));
            let reply = Reply::Code { code: u16::try_from(code).unwrap() };
            assert_eq!(trouble.progress(), Ok(Progress::done(reply)), "{code}");
            assert!(!trouble.ends_connection(), "{code}");
        }
    }

    #[test]
    fn given_no_answer_when_decoded_should_be_indefinite_and_end_the_connection() {
        let lost = Progress::Done { reply: Reply::Disconnected {}, certainty: Certainty::Indefinite };
        for trouble in [
            Trouble::TimeOut,
            Trouble::Error(IggyError::Disconnected),
            Trouble::Error(IggyError::NotConnected),
            Trouble::Error(IggyError::EmptyResponse),
        ] {
            assert_eq!(trouble.progress(), Ok(lost.clone()), "{trouble:?}");
            assert!(trouble.ends_connection(), "{trouble:?}");
        }
    }

    #[test]
    fn given_a_code_of_unknown_outcome_when_decoded_should_be_indefinite() {
        let trouble = Trouble::Error(IggyError::TransientNotCommitted);
        let expected = Progress::Done { reply: Reply::Code { code: 57 }, certainty: Certainty::Indefinite };
        assert_eq!(trouble.progress(), Ok(expected));
        assert!(trouble.ends_connection());
    }
}
