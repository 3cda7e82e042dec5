//! Identities, what invalidates them, and the terms that decide verdicts.

use fencepost_spec::fence::Fence;
use fencepost_spec::identity::IdentityKind;

use super::chapters::paragraphs;
use super::evidence::Evidence;
use super::markdown::{code, fence, heading, sentence, table};
use super::stories::Stories;
use super::words;
use crate::output::capitalised;

/// The heading of the chapter.
pub(super) const HEADING: &str = "Identities and what invalidates them";

/// The heading of the section with the terms.
pub(super) const TERMS: &str = "Terms";

/// Terms, in the order in which they are needed.
const TERMS_IN_WORDS: &[(&str, &str)] = &[
    (
        "Partition, owner",
        "One server owns a partition. It orders everything that happens to it, and it alone accepts polls and commits.",
    ),
    (
        "History",
        "The messages of a partition that can be served together. A purge that restarts the numbering begins another history, and so does deletion with re-creation. A purge that keeps the numbering does not.",
    ),
    ("Bookmark", "The stored offset of a consumer or group: the last message that it has consumed."),
    ("Last polled", "The highest offset that a group was served. With the bookmark it is the *progress*."),
    (
        "Assignment",
        "One period in which a member owns a partition. A member that loses the partition and gets it back has a new assignment. A revocation that is still pending leaves the assignment as it is.",
    ),
    (
        "Current",
        "The newest history or assignment that the owner has applied. What metadata has decided and the owner has not applied is not current yet.",
    ),
    (
        "Takes effect",
        "A poll takes effect when the owner grants its batch. A commit takes effect when it gets its place in the order of the partition, on arrival or when it leaves the queue. When the operation later commits, it has long taken effect.",
    ),
    (
        "Commit",
        "A manual store or delete of a bookmark, or the automatic store of a poll. An automatic store is part of its poll.",
    ),
    (
        "Derived",
        "A commit is derived if its client has read the offset: it belongs to the history and the assignment of that read.",
    ),
    (
        "Deliberate position",
        "A commit of an offset that its client did not read. It belongs to what was current when it was sent. Individual consumers have no assignment.",
    ),
    ("Served", "Contained in an accepted reply, even if the reply is lost on its way."),
    (
        "Refused as stale",
        "Refused because identities were compared and differ. An owner that has not applied something yet, and a mirror that lags, refuse too; that is not refused as stale.",
    ),
    (
        "Acknowledged purge",
        "The operator has the answer. Unless the contract says otherwise, that is when metadata has committed it, which is before the owner applies it.",
    ),
];

/// The chapter.
pub(super) fn chapter(_: &Evidence, _: &Stories) -> String {
    let mut text = paragraphs(&[
        "A request is valid while the identities are current under which it was made. Three things must be identified: the history that was read, the membership of the client, and the assignment under which it read. The other rows are what a fence can compare besides.",
    ]);
    text.push_str(&identities());
    text.push_str(&paragraphs(&[
        "The purge generation and the incarnation name a history together. Alone, a purge generation repeats: a re-created partition counts from zero again. The group generation names an assignment, but moves more often than the assignment does. The owner generation moves exactly with it.",
    ]));
    text.push_str(&heading(3, TERMS));
    let rows: Vec<Vec<String>> =
        TERMS_IN_WORDS.iter().map(|(term, meaning)| vec![format!("**{term}**"), (*meaning).to_owned()]).collect();
    text.push_str(&table(&["Term", "Meaning"], &rows));
    text
}

fn identities() -> String {
    let row = |kind: &IdentityKind| {
        let fences = Fence::ALL.iter().filter(|fence| fence.description().identities.contains(kind));
        vec![
            format!("**{}**", capitalised(&super::markdown::plain(kind.word()))),
            sentence(words::identity(*kind)),
            sentence(kind.invalidated_by()),
            fences.map(fence).collect::<Vec<_>>().join(", "),
        ]
    };
    let rows: Vec<Vec<String>> = IdentityKind::ALL.iter().map(row).collect();
    table(&["Identity", "What it names", "Invalidated by", "Compared by"], &rows)
}

/// Kinds of identity in a sentence.
pub(super) fn in_words(kinds: &[IdentityKind]) -> String {
    kinds.iter().map(|kind| code(kind.word())).collect::<Vec<_>>().join(" or ")
}
