//! Answers, from their words back to what they are: a difference keeps them as words, a test to paste needs them themselves.

use fencepost_driver::Reply;

use crate::replay::tracker::reply_text;

/// What a difference says of an answer: `Some(None)` for no answer, `None` if the words are of no answer that can be read back.
pub(super) fn answer_of(text: &str) -> Option<Option<Reply>> {
    if matches!(text, "no answer" | "no answer yet") {
        return Some(None);
    }
    let reply = read(text)?;
    // Payloads with a comma could be read in another way than they were written.
    (reply_text(&reply) == text).then_some(Some(reply))
}

fn read(text: &str) -> Option<Reply> {
    let fixed = [Reply::Empty {}, Reply::Sentinel {}, Reply::Acknowledged {}, Reply::Disconnected {}];
    if let Some(reply) = fixed.into_iter().find(|reply| reply_text(reply) == text) {
        return Some(reply);
    }
    if let Some(code) = text.strip_prefix("the code ") {
        let code = code.split(' ').next()?.parse().ok()?;
        return Some(Reply::Code { code });
    }
    let messages = text.strip_prefix("a batch [")?.strip_suffix(']')?;
    let message = |text: &str| {
        let (offset, payload) = text.split_once(": ")?;
        Some((offset.parse().ok()?, payload.to_owned()))
    };
    Some(Reply::Batch { messages: messages.split(", ").map(message).collect::<Option<_>>()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_any_answer_when_written_in_words_should_be_read_back() {
        let batch = vec![(0, "initial/0".to_owned()), (7, "producer.1/0".to_owned())];
        let replies = [
            Reply::Batch { messages: batch },
            Reply::Empty {},
            Reply::Sentinel {},
            Reply::Acknowledged {},
            Reply::Code { code: 5009 },
            Reply::Code { code: 1 },
            Reply::Disconnected {},
        ];
        for reply in replies {
            assert_eq!(answer_of(&reply_text(&reply)), Some(Some(reply)));
        }
        assert_eq!(answer_of("no answer yet"), Some(None));
        assert_eq!(answer_of("the step is done"), None);
    }

    #[test]
    fn given_a_payload_that_looks_like_two_messages_when_read_back_should_not_be_taken_for_one() {
        let reply = Reply::Batch { messages: vec![(0, "a, b".to_owned())] };
        assert_eq!(answer_of(&reply_text(&reply)), None);
    }
}
