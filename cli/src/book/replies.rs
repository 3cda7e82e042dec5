//! What the broker answers, and what a client may conclude.

use fencepost_spec::reply::{CODES, CodeMeaning, ReplyClass};

use super::chapters::paragraphs;
use super::evidence::Evidence;
use super::markdown::{clause, contracts, heading, list, plain, sentence, table};
use super::stories::Stories;

/// The heading of the chapter.
pub(super) const HEADING: &str = "Replies and what a client may conclude";

/// The chapter.
pub(super) fn chapter(evidence: &Evidence, _: &Stories) -> String {
    let mut text = paragraphs(&["An answer belongs to one of four classes:"]);
    text.push_str(&list(
        ReplyClass::ALL.iter().map(|class| format!("**{}**: {}", plain(class.word()), meaning(*class))),
    ));
    text.push_str(&heading(3, "Codes"));
    let rows: Vec<Vec<String>> = CODES.iter().map(|row| code_row(evidence, row)).collect();
    text.push_str(&table(
        &["Code", "To a poll", "To a write", "What a client may conclude", "Used by fences in"],
        &rows,
    ));
    text.push_str(&heading(3, "Answers without a code"));
    text.push_str(&table(&["Answer", "What a client may conclude"], &without_code()));
    text
}

fn meaning(class: ReplyClass) -> &'static str {
    match class {
        ReplyClass::Accepted => "the request took effect.",
        ReplyClass::RefusedForGood => "nothing happened, and the same request will never be accepted.",
        ReplyClass::RefusedMayRetry => "nothing happened, and a new request with fresh identities may succeed.",
        ReplyClass::Unknown => "it may or may not have happened.",
    }
}

fn code_row(evidence: &Evidence, row: &CodeMeaning) -> Vec<String> {
    let uses = |result: &&crate::run::ContractResult| {
        result
            .contract
            .choices
            .fences
            .values()
            .any(|answer| *answer == fencepost_spec::contract::FenceAnswer::Code(row.code))
    };
    let users: Vec<&crate::run::ContractResult> = evidence.contracts.iter().filter(uses).collect();
    let users: Vec<&str> = users.iter().map(|result| result.contract.name.as_str()).collect();
    let users = if users.is_empty() { "none".to_owned() } else { contracts(&users, &evidence.contract_names()) };
    vec![
        format!("{} `{}`", row.code.0, row.name),
        plain(row.to_a_poll.word()),
        plain(row.to_a_write.word()),
        sentence(row.conclusion),
        users,
    ]
}

fn without_code() -> Vec<Vec<String>> {
    let rows = [
        ("A batch", "The messages belonged to the current history when the owner granted them, where the clause about stale batches holds. They count as served, whether or not the reply arrives. With automatic commit the store has its place in the order; it is not durable yet.".to_owned()),
        ("An empty batch of the partition", format!("There is nothing to read from this position on, or the gateway gave up waiting and answers in this way. Where {} does not hold, progress may move all the same.", clause("silent-advance-only-after-acceptance"))),
        ("An empty batch with the sentinel partition", "The member owns no partition of the topic now. Nothing happened. It may poll again after the next assignment.".to_owned()),
        ("An acknowledgement of a store or delete", "The bookmark moved in the order of the partition. Whether it survives a power loss is the contract's choice “Acknowledged commits are durable”.".to_owned()),
        ("An acknowledgement of a purge", format!("Metadata has committed the purge. Where {} does not hold, what is sent before the owner has applied it may be removed by it.", clause("acknowledged-purge-is-final"))),
        ("Silence", "Nothing may be concluded. The request may have been lost, refused, or accepted with a reply that was lost. A consumer that must not miss anything polls again from its own checkpoint with an explicit offset, because `Next` goes on after what was served.".to_owned()),
    ];
    rows.into_iter().map(|(answer, conclusion)| vec![format!("**{answer}**"), conclusion]).collect()
}
