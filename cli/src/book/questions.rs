//! The points and the open questions of the discussion, with our answers.
//!
//! Each answer names the clauses and scenarios that it rests on, and under which contracts they break. A test compares that
//! with the data, so that an answer cannot outlive what it rests on.

use fencepost_spec::clause::ClauseName;

use super::{coverage, fences, identities, open, recordings, replies};

/// A question with its answer.
pub(super) struct Question {
    /// What is asked, in our words.
    pub question: &'static str,
    /// The answer.
    pub answer: &'static str,
    /// The clauses that it rests on, with the contracts under which they are violated.
    pub clauses: &'static [(ClauseName, &'static [&'static str])],
    /// The scenarios that it rests on, with the contracts under which some clause breaks.
    pub scenarios: &'static [(&'static str, &'static [&'static str])],
    /// Headings of chapters that say more.
    pub further: &'static [&'static str],
}

const OLD: &str = "iggy-2026-08";
const COMPLETION: &str = "iggy-poll-completion";
const KEPT: &str = "kept-numbering";
const RESET: &str = "reset-with-generation";
const DEFERRED: &str = "deferred-poll";
const FENCED: &str = "fenced-commits";
const INSTALLED: &str = "owner-installed";
const BARE: &str = "owner-installed-bare-offsets";

/// All that build on the code of 2026-08-21, and the code itself.
const PURGING: &[&str] = &[OLD, COMPLETION, KEPT, RESET, DEFERRED, FENCED];
/// Those in which a commit carries no assignment.
const BARE_OF_ASSIGNMENT: &[&str] = &[OLD, COMPLETION, KEPT, RESET, DEFERRED];
/// Those in which neither numbering nor commits are protected across a purge.
const UNPROTECTED: &[&str] = &[OLD, COMPLETION, DEFERRED];
/// Those in which a poll is not compared with the assignment at completion.
const POLLS_UNCOMPARED: &[&str] = &[OLD, COMPLETION, KEPT, RESET];

/// What the document should cover.
pub(super) const SCOPE: &[Question] = &[
    Question {
        question: "Which identities make a poll or a commit valid?",
        answer: "Three things: the history that was read, the membership of the client in the group, and the assignment under which it read. A number has to name each of them: purge generation and incarnation name a history, the owner generation (or, less exactly, the group generation) names an assignment. An offset is no identity, because the same number exists again after a purge that restarts the numbering.",
        clauses: &[],
        scenarios: &[
            ("manual-commit-of-a-read-before-purge", UNPROTECTED),
            ("commit-read-before-re-creation", PURGING),
        ],
        further: &[identities::HEADING],
    },
    Question {
        question: "What invalidates them, where is that checked, and which effects does it protect?",
        answer: "A purge with restarted numbering and a re-creation end a history; every change of the owner ends an assignment, also one that gives the partition back. A check protects an effect only if it stands at the owner in the step of the effect: where a read completes, where a commit gets its place, where a queued commit is promoted, and where recovery loads files. The membership check at the gateway comes too early to protect anything by itself, since the partition can move after it.",
        clauses: &[],
        scenarios: &[
            ("ownership-lost-during-a-disk-read", POLLS_UNCOMPARED),
            ("queued-store-crosses-reassignment", BARE_OF_ASSIGNMENT),
        ],
        further: &[fences::HEADING],
    },
    Question {
        question: "What happens to pending reads across a purge?",
        answer: "Before #4119 such a read delivers purged messages and moves the bookmark of the new history, which then hides new messages (#4117). Since #4119 the owner compares the history when the read completes, refuses with 58, and moves nothing; the next poll gets every new message. With kept numbering the purge ends no history, so the read is granted and does no harm.",
        clauses: &[(ClauseName::NoStaleBatch, &[OLD])],
        scenarios: &[
            ("disk-read-ends-after-purge", &[OLD]),
            ("refused-poll-can-be-repeated", &[]),
            ("stale-last-polled-holds-up-a-join", &[OLD]),
        ],
        further: &[],
    },
    Question {
        question: "What happens to queued automatic commits across a purge?",
        answer: "Before #4119 they are promoted into the new history, and the messages at their offsets are passed unread. Since #4119 they are compared with the history on promotion and discarded without a trace; their poll was accepted before, and stays accepted.",
        clauses: &[],
        scenarios: &[("queued-automatic-store-crosses-purge", &[OLD])],
        further: &[],
    },
    Question {
        question: "What happens to manual offset operations across a purge?",
        answer: "An operation that had its place before the purge is answered with success and has no effect after it; with kept numbering it simply stands. One that waited in the queue, or that arrives later, lands in the new history unless it carries an identity or the queue is checked on promotion. With a purge generation on the commit it is refused with 4100, in both cases.",
        clauses: &[(ClauseName::NoForeignProgress, &[OLD, COMPLETION, DEFERRED, BARE])],
        scenarios: &[
            ("queued-store-crosses-purge", UNPROTECTED),
            ("manual-commit-of-a-read-before-purge", UNPROTECTED),
        ],
        further: &[recordings::HEADING],
    },
    Question {
        question: "What happens to pending reads and queued commits across reassignment?",
        answer: "A pending read of the former owner gets its batch, and its automatic commit moves the group, unless the assignment is compared when the read completes. A queued manual commit is promoted, unless the assignment is compared again on promotion: comparing it on arrival alone is not enough. A join does not wait for a read that is under way.",
        clauses: &[
            (ClauseName::StalePollIsRetryable, &[OLD, COMPLETION, KEPT, RESET, FENCED]),
            (ClauseName::CommitUnderReadingAssignment, &[OLD, COMPLETION, KEPT, RESET, DEFERRED, BARE]),
        ],
        scenarios: &[
            ("ownership-lost-during-a-disk-read", POLLS_UNCOMPARED),
            ("queued-store-crosses-reassignment", BARE_OF_ASSIGNMENT),
            ("join-under-a-pending-read", POLLS_UNCOMPARED),
        ],
        further: &[],
    },
    Question {
        question: "What may a client conclude from a rejection?",
        answer: "That nothing happened, and that nothing will. To a poll, 58, 87 and 5009 mean: take fresh identities and poll again. To a commit, 87 and 5009 are final: the offset must not be committed again, because a client that stamps it anew undoes the fence. The code before #4119 breaks the rule in one case: an automatic store that is refused leaves its bookmark in memory.",
        clauses: &[(ClauseName::RejectionIsInert, &[OLD])],
        scenarios: &[("refused-poll-can-be-repeated", &[]), ("commit-sent-again-after-refusal", &[BARE])],
        further: &[replies::HEADING],
    },
    Question {
        question: "What may a client conclude from a time-out?",
        answer: "Nothing. If the poll was accepted and its reply was lost, its automatic commit stands, and `Next` goes on after a batch that nobody saw: the consumer gets it back only by polling from its own checkpoint with an explicit offset. If the caller was gone before acceptance, nothing moves since #4119. Before that, the gateway could answer with an empty batch while progress still moved.",
        clauses: &[(ClauseName::SilentAdvanceOnlyAfterAcceptance, &[OLD])],
        scenarios: &[("reply-lost-after-acceptance", &[]), ("gateway-gives-up-before-completion", &[OLD])],
        further: &[replies::HEADING],
    },
    Question {
        question: "What may a client conclude from a successful reply?",
        answer: "That the batch was granted in the history and, where assignments are compared, under the assignment of the poll. It may not conclude that the automatic commit is durable: a restart between the reply and the commit of the store can take the bookmark back, and the batch is delivered again.",
        clauses: &[],
        scenarios: &[("successful-poll-is-no-durable-commit", &[])],
        further: &[replies::HEADING],
    },
    Question {
        question: "What may a client conclude from a durable commit?",
        answer: "Where the contract promises durable commits, an acknowledged commit survives restart and power loss. Where commits carry the assignment of their read as well, only a later purge, a rewind or a store of the same assignment replaces it. Elsewhere an acknowledgement says that the bookmark moved, and a power loss may take it back: messages are then delivered again.",
        clauses: &[(ClauseName::AcknowledgedCommitStands, &[OLD, COMPLETION, KEPT, RESET, DEFERRED, BARE])],
        scenarios: &[("acknowledged-commit-and-power-loss", &[])],
        further: &[replies::HEADING],
    },
    Question {
        question: "Which guarantees have regression coverage, and which cases are still open?",
        answer: "Every verdict and every answer in this document is compared with an expectation, in both directions, whenever the checks run. The chapter on coverage says for each clause which recordings of real code, which scenarios and which mutant stand behind it. What is undecided is listed at the end, as questions.",
        clauses: &[],
        scenarios: &[],
        further: &[coverage::HEADING, recordings::HEADING, open::HEADING],
    },
];

/// The open questions.
pub(super) const OPEN_QUESTIONS: &[Question] = &[
    Question {
        question: "What becomes of a manual commit of messages read before a purge?",
        answer: "Today it lands in the new history as soon as its offset exists there, and hides new messages; while the partition is still empty it is refused. With kept numbering it is harmless. With restarted numbering it must carry the purge generation of its read, and is then refused with 4100. A client that sends no generation has to be refused as well, or the hazard stays.",
        clauses: &[(ClauseName::NoSkip, &[OLD, COMPLETION, DEFERRED, BARE])],
        scenarios: &[
            ("manual-commit-of-a-read-before-purge", UNPROTECTED),
            ("manual-commit-on-the-purged-partition", &[]),
            ("old-client-sends-no-identity", &[OLD, COMPLETION, DEFERRED, INSTALLED, BARE]),
        ],
        further: &[],
    },
    Question {
        question: "What becomes of a commit that is delayed across a reassignment, and its member regains the partition?",
        answer: "Membership cannot tell the two assignments apart, so without more the commit lands: it takes back what another member has acknowledged, or passes messages that the present owner has not finished. It is refused where the commit carries the assignment of its read and the owner compares it. The identity has to stick to the batch: a client that stamps bare offsets with what it knows now is refused once and then accepted.",
        clauses: &[
            (ClauseName::CommitUnderReadingAssignment, &[OLD, COMPLETION, KEPT, RESET, DEFERRED, BARE]),
            (ClauseName::AcknowledgedCommitStands, &[OLD, COMPLETION, KEPT, RESET, DEFERRED, BARE]),
        ],
        scenarios: &[
            ("delayed-commit-after-regaining", BARE_OF_ASSIGNMENT),
            ("abandoned-batch-committed-after-regaining", BARE_OF_ASSIGNMENT),
            ("commit-sent-again-after-refusal", &[BARE]),
            ("commit-by-a-former-member", &[]),
        ],
        further: &[],
    },
    Question {
        question: "What becomes of a poll that is delayed across a reassignment, parked or immediate?",
        answer: "A parked poll is re-checked before it completes, and gets a refusal after which a new poll may succeed. An immediate poll with a pending read is in the same position, and needs the same comparison: without it the former owner gets a batch, also after regaining the partition. The price of comparing the group generation is that a change elsewhere in the group refuses polls whose own partition did not move; the owner generation does not have that price.",
        clauses: &[
            (ClauseName::StalePollIsRetryable, &[OLD, COMPLETION, KEPT, RESET, FENCED]),
            (ClauseName::NoNeedlessRefusal, &[DEFERRED, FENCED]),
        ],
        scenarios: &[
            ("poll-in-flight-across-regaining", POLLS_UNCOMPARED),
            ("ownership-lost-during-a-disk-read", POLLS_UNCOMPARED),
            ("parked-poll-and-reassignment", &[]),
            ("join-elsewhere-in-the-group", &[DEFERRED, FENCED]),
        ],
        further: &[],
    },
    Question {
        question: "Purge numbering: what does it bring to keep it, and what does it cost?",
        answer: "With kept numbering a purge ends no history. An old bookmark or an old commit points below the start, as after retention, so it hides nothing, and bookmarks need no cleanup. The cost is visible: offsets no longer restart at zero, which needs a release note and a look at what SDKs and tests assume. It does nothing about reassignment, about re-creation, or about an acknowledgement that comes before the purge is applied.",
        clauses: &[
            (ClauseName::NoSkip, &[OLD, COMPLETION, DEFERRED, BARE]),
            (ClauseName::AcknowledgedPurgeIsFinal, PURGING),
        ],
        scenarios: &[
            ("bookmark-from-before-a-purge", &[]),
            ("bookmark-below-the-start-after-retention", &[]),
            ("disk-read-ends-after-purge", &[OLD]),
        ],
        further: &["Contract `kept-numbering`"],
    },
    Question {
        question: "Purge numbering: what does it take to restart it?",
        answer: "Bookmarks carry the purge generation, commits carry it on the wire, and the owner compares it on arrival and on promotion. Then the clauses about progress hold as they do with kept numbering. The cost: a new format of the offset files, a new field for every SDK, a partition that refuses work while a directory cannot be synced, and old clients that can no longer commit.",
        clauses: &[(ClauseName::NoForeignProgress, &[OLD, COMPLETION, DEFERRED, BARE])],
        scenarios: &[("queued-store-crosses-purge", UNPROTECTED), ("old-client-commits-in-peace", &[])],
        further: &["Contract `reset-with-generation`"],
    },
    Question {
        question: "Do bookmarks need the purge generation if their removal is made durable (#4128)?",
        answer: "One of the two is enough for bookmarks. If the purge is recorded only after the directory of bookmarks is synced and every bookmark is unlinked, recovery never meets a foreign one; if bookmarks carry their generation, recovery ignores it. The model shows that each of them implies the other. The generation protects against more than the model has, such as files that come back by other means. Segments have no such second line: the partition directory must be synced in any case.",
        clauses: &[(ClauseName::OneHistoryAfterRecovery, UNPROTECTED)],
        scenarios: &[
            ("bookmark-returns-after-power-loss", UNPROTECTED),
            ("bookmark-cannot-be-unlinked", UNPROTECTED),
            ("segment-returns-after-power-loss", UNPROTECTED),
        ],
        further: &["Fence `bookmark-generation-at-load`"],
    },
    Question {
        question: "Restart and power loss: which side of a purge survives?",
        answer: "Either side may survive, as the durability policy says; a mixture must not. Today a purge can be recorded as done while its removals are not durable, and a half-finished purge is served. With restarted numbering, removals have to be durable before the purge is recorded, and recovery has to finish a purge before it serves; with kept numbering, the new start has to be durable before old messages go. In either case acknowledged messages have to survive, or a bookmark above the recovered head hides what comes next.",
        clauses: &[(ClauseName::OneHistoryAfterRecovery, UNPROTECTED)],
        scenarios: &[
            ("power-lost-half-way-through-purge", UNPROTECTED),
            ("bookmark-above-the-head-after-power-loss", &[OLD, COMPLETION]),
        ],
        further: &["Fence `purge-finished-before-serving`"],
    },
    Question {
        question: "May one write again when a purge is acknowledged?",
        answer: "Not safely under any contract with a purge: the operator is answered when metadata has committed, and what is sent before the owner applies the purge is removed by it. Neither kept numbering nor a generation repairs that. It takes an answer that waits for the owner. Whether a poll or a commit in that gap may still belong to the old history is a question of its own, and open.",
        clauses: &[(ClauseName::AcknowledgedPurgeIsFinal, PURGING)],
        scenarios: &[
            ("send-after-acknowledged-purge", PURGING),
            ("poll-after-acknowledged-purge", &[]),
            ("store-after-acknowledged-purge", &[]),
        ],
        further: &[open::HEADING],
    },
    Question {
        question: "What about deletion and re-creation?",
        answer: "It ends a history as a purge does, and the purge generation does not show it: a re-created partition counts from zero again. So a commit that was read before the deletion lands after the re-creation under every contract with a purge, and skips messages. An identity of the incarnation on the commit closes that. Pending reads are refused since #4119, and requests that were bound to the deleted incarnation do not reach the new one.",
        clauses: &[],
        scenarios: &[
            ("commit-read-before-re-creation", PURGING),
            ("disk-read-ends-after-re-creation", &[OLD]),
            ("store-arrives-after-re-creation", &[]),
        ],
        further: &["Beyond the question of a contract"],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_spec::contract::ExpectedVerdict;
    use fencepost_spec::library;

    fn all() -> impl Iterator<Item = &'static Question> {
        SCOPE.iter().chain(OPEN_QUESTIONS)
    }

    #[test]
    fn given_what_answers_rest_on_when_compared_with_the_contracts_should_agree() {
        let contracts = library::contracts().expect("the built-in contracts");
        for (question, (name, claimed)) in all().flat_map(|it| it.clauses.iter().map(move |clause| (it, clause))) {
            let violated = contracts.iter().filter(|it| it.expected[name].verdict == ExpectedVerdict::Violated);
            let violated: Vec<&str> = violated.map(|contract| contract.name.as_str()).collect();
            assert_eq!(violated, *claimed, "{name} in: {}", question.question);
        }
    }

    #[test]
    fn given_what_answers_rest_on_when_compared_with_the_scenarios_should_agree() {
        for (question, (name, claimed)) in all().flat_map(|it| it.scenarios.iter().map(move |named| (it, named))) {
            let scenario = library::scenario(name).expect("a built-in scenario");
            let breaks = |contract: &&&str| scenario.expect.get(**contract).is_some_and(|it| !it.breaks.is_empty());
            let names: Vec<&str> = library::CONTRACTS.iter().map(|(name, _)| *name).collect();
            let breaking: Vec<&str> = names.iter().filter(breaks).copied().collect();
            assert_eq!(breaking, *claimed, "{name} in: {}", question.question);
        }
    }

    #[test]
    fn given_answers_when_measured_should_be_short() {
        for question in all() {
            let sentences = question.answer.matches(['.', '?']).count();
            assert!((2..=6).contains(&sentences), "{sentences} sentences: {}", question.question);
        }
    }
}
