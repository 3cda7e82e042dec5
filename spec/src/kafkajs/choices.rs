//! In what the proposals of the KafkaJS discussion differ, beside the fences they have.

use super::KafkaJs;
use super::fence::Fence;

crate::words! {
    /// What the offset manager answers when it is asked for an offset that it does not know.
    pub enum UnknownOffset {
        /// It throws a `TypeError` (up to 1.12.0).
        Throws = "throws",
        /// It answers zero (from 1.13.0 on, #775).
        Zero = "zero",
    }
}

crate::words! {
    /// What is done about an offset that the broker calls out of range.
    pub enum ResetRecorded {
        /// The logical offset (-1 latest, -2 earliest) is committed at the broker; what is known locally is cleared when that is acknowledged.
        AtTheBroker = "at-the-broker",
        /// The partition moves to a local list of logical offsets at once; nothing is sent.
        InALocalList = "in-a-local-list",
    }
}

crate::words! {
    /// How long a request for the lock waits. Time is counted in steps that the consumer takes for others.
    pub enum LockTimeOut {
        /// For ever.
        None = "none",
        /// For a fixed time, whatever the assignment.
        Fixed = "fixed",
        /// For a time that grows with the number of assigned partitions.
        ByAssignedPartitions = "by-assigned-partitions",
    }
}

crate::words! {
    /// Which partitions get another version with a new assignment, where partitions have versions.
    pub enum AssignmentRaises {
        /// Those that come or go.
        MovedPartitions = "moved-partitions",
        /// All of them.
        AllPartitions = "all-partitions",
    }
}

crate::words! {
    /// What a seek does when offsets are not committed automatically.
    pub enum SeekWithoutAutomaticCommits {
        /// It commits the offset all the same.
        Committed = "committed",
        /// It notes the offset, and sends nothing (from 1.16.0 on, #1012).
        NotedLocally = "noted-locally",
    }
}

crate::words! {
    /// What an acknowledged commit does when the topic has left the assignment in the meantime.
    pub enum AcknowledgementWithoutTopic {
        /// It throws a `TypeError`.
        Throws = "throws",
        /// It is noted in a new entry (from 1.16.0 on, #1235).
        Noted = "noted",
    }
}

crate::contract::choices! {
    /// The choices of the KafkaJS family.
    of KafkaJs;
    /// The answer to a question for an unknown offset.
    unknown_offset: UnknownOffset,
    /// What becomes of an offset out of range.
    reset_recorded: ResetRecorded,
    /// How long a request for the lock waits, where there is a lock.
    lock_time_out: LockTimeOut,
    /// Which versions a new assignment raises.
    assignment_raises: AssignmentRaises,
    /// What a seek does without automatic commits.
    seek_without_automatic_commits: SeekWithoutAutomaticCommits,
    /// What an acknowledgement does without its topic.
    acknowledgement_without_topic: AcknowledgementWithoutTopic,
}
