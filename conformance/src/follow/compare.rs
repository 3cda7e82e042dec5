//! What was seen, against what the model answers.

use fencepost_models::iggy::messages::{Answer, Placed};
use fencepost_models::iggy::telling::answer_text;
use fencepost_spec::reply::{Code, ReplyClass};

/// An answer that was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// Success.
    Done,
    /// An error code.
    Code(u16),
    /// Messages.
    Batch(Vec<(u64, String)>),
    /// No messages.
    Empty,
    /// No messages, with the sentinel partition.
    Sentinel,
    /// No messages; the recording does not tell which partition.
    EmptyOrSentinel,
    /// No answer yet, or none at all.
    Nothing,
    /// The request did not work, without a code.
    Failed(String),
}

/// How an answer agrees with another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Agreement {
    /// In kind, and in the code if there is one.
    Exact,
    /// In kind; the codes differ.
    InKind,
    /// Not.
    None,
}

impl Seen {
    /// The answer in words.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Done => "success".to_owned(),
            Self::Code(code) => format!("the code {}", Code(*code)),
            Self::Batch(messages) => batch_text(messages),
            Self::Empty | Self::EmptyOrSentinel => "no messages".to_owned(),
            Self::Sentinel => "no messages, not your partition (sentinel)".to_owned(),
            Self::Nothing => "no answer".to_owned(),
            Self::Failed(error) => format!("a failure without a code ({error})"),
        }
    }

    /// Whether the model's answer is of the same kind, with the same messages.
    pub(super) fn agrees(
        &self,
        answer: Option<&Answer>,
        is_poll: bool,
        payload: &dyn Fn(&Placed) -> String,
    ) -> Agreement {
        let exact = match (self, answer) {
            (Self::Nothing, None) | (Self::Done, Some(Answer::Done)) => true,
            (Self::Empty | Self::EmptyOrSentinel, Some(Answer::Empty)) => true,
            (Self::Sentinel | Self::EmptyOrSentinel, Some(Answer::Sentinel)) => true,
            (Self::Batch(seen), Some(Answer::Batch(batch))) => *seen == placed(&batch.messages, payload),
            (Self::Code(seen), Some(Answer::Code(code))) => *seen == code.0,
            _ => false,
        };
        if exact {
            return Agreement::Exact;
        }
        match (self.refusal(is_poll), answer.and_then(|answer| refusal(answer, is_poll))) {
            (Some(seen), Some(answered)) if seen == answered => Agreement::InKind,
            _ => Agreement::None,
        }
    }

    /// The class of a refusal.
    fn refusal(&self, is_poll: bool) -> Option<ReplyClass> {
        match self {
            Self::Code(code) => Some(Code(*code).class(is_poll)),
            Self::Sentinel => Some(ReplyClass::RefusedMayRetry),
            _ => None,
        }
    }
}

fn refusal(answer: &Answer, is_poll: bool) -> Option<ReplyClass> {
    match answer {
        Answer::Code(code) => Some(code.class(is_poll)),
        Answer::Sentinel => Some(ReplyClass::RefusedMayRetry),
        _ => None,
    }
}

fn placed(messages: &[Placed], payload: &dyn Fn(&Placed) -> String) -> Vec<(u64, String)> {
    messages.iter().map(|placed| (u64::from(placed.offset), payload(placed))).collect()
}

fn batch_text(messages: &[(u64, String)]) -> String {
    let listed: Vec<String> = messages.iter().map(|(offset, payload)| format!("{offset}: {payload}")).collect();
    format!("a batch [{}]", listed.join(", "))
}

/// The model's answer in words, with the payloads as the recording would write them.
pub(super) fn allowed_text(answer: Option<&Answer>, payload: &dyn Fn(&Placed) -> String) -> String {
    match answer {
        None => "no answer".to_owned(),
        Some(Answer::Done) => "success".to_owned(),
        Some(Answer::Batch(batch)) => batch_text(&placed(&batch.messages, payload)),
        Some(Answer::Code(code)) => format!("the code {code}"),
        Some(other) => answer_text(other),
    }
}

/// The answer to a write.
pub(super) fn seen_write(ok: bool, error: Option<&str>, status: Option<u16>) -> Seen {
    match (ok, status) {
        (false, None) => Seen::Failed(error.unwrap_or("no reason").to_owned()),
        (_, None) => Seen::Nothing,
        (_, Some(0)) => Seen::Done,
        (_, Some(code)) => Seen::Code(code),
    }
}
