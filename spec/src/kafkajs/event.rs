//! The vocabulary of stories and scenarios of the KafkaJS family: what can be seen to happen.

crate::words! {
    /// A kind of action.
    pub enum ActionKind {
        /// A fetcher begins a round.
        RoundBegins = "round-begins",
        /// A handler returns.
        HandlerReturns = "handler-returns",
        /// The application seeks.
        UserSeeks = "user-seeks",
        /// The application pauses a partition.
        UserPauses = "user-pauses",
        /// The application resumes a partition.
        UserResumes = "user-resumes",
        /// The application commits an offset.
        UserCommits = "user-commits",
        /// The coordinator's answer about committed offsets arrives.
        OffsetsArrive = "offsets-arrive",
        /// A leader's answer about the end or start of its log arrives.
        ListedOffsetArrives = "listed-offset-arrives",
        /// A seek is acknowledged.
        SeekIsAcknowledged = "seek-is-acknowledged",
        /// A logical offset is acknowledged.
        ResetIsAcknowledged = "reset-is-acknowledged",
        /// A commit of processed offsets is acknowledged.
        CommitIsAcknowledged = "commit-is-acknowledged",
        /// A commit is refused.
        CommitIsRefused = "commit-is-refused",
        /// A join is answered.
        AssignmentArrives = "assignment-arrives",
        /// Fetched records arrive.
        RecordsArrive = "records-arrive",
        /// A fetched control record arrives.
        ControlRecordArrives = "control-record-arrives",
        /// An empty answer to a fetch arrives.
        EmptyAnswerArrives = "empty-answer-arrives",
        /// A fetch is answered with out of range.
        OutOfRangeArrives = "out-of-range-arrives",
        /// A fetch is answered with not leader.
        NotLeaderArrives = "not-leader-arrives",
        /// The coordinator looks up committed offsets.
        CoordinatorLooksUpOffsets = "coordinator-looks-up-offsets",
        /// The coordinator takes (or refuses) a commit.
        CoordinatorTakesCommit = "coordinator-takes-commit",
        /// The coordinator assigns partitions.
        CoordinatorAssigns = "coordinator-assigns",
        /// The other member commits.
        OtherMemberCommits = "other-member-commits",
        /// A node reads its log for a fetch.
        NodeReadsLog = "node-reads-log",
        /// A node looks where its log ends or starts.
        NodeListsOffset = "node-lists-offset",
        /// Leadership moves for a moment.
        LeadershipMoves = "leadership-moves",
        /// Retention removes records.
        RetentionRemovesRecords = "retention-removes-records",
    }
}

impl ActionKind {
    /// Whether such an action is about the partition with some number (or the node that leads it, which has the same).
    pub fn has_number(self) -> bool {
        self != Self::OtherMemberCommits
    }
}
