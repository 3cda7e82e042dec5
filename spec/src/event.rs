//! The vocabulary of stories, scenarios and recordings: what can be seen to happen.

crate::words! {
    /// A kind of event. A request goes through `sent`, `dispatched`, `arrived`, perhaps more, and `answered`.
    pub enum EventKind {
        /// A client sent the request.
        Sent = "sent",
        /// The gateway let the request pass (or refused it).
        Dispatched = "dispatched",
        /// The owner took the request up; a read is planned, a commit gets its place or is queued.
        Arrived = "arrived",
        /// The file of a read is open: it will find what is in that file.
        Opened = "opened",
        /// The read is complete and was granted or refused; progress moves here.
        Completed = "completed",
        /// The operation committed.
        Committed = "committed",
        /// The client has the answer.
        Answered = "answered",
        /// The client gave up waiting.
        GivenUp = "given-up",
        /// The gateway gave up waiting and answered in place of the owner.
        GatewayGaveUp = "gateway-gave-up",
        /// Metadata decided.
        Decided = "decided",
        /// The gateway's mirror shows what metadata decided.
        Mirrored = "mirrored",
        /// The owner has applied what metadata decided.
        Applied = "applied",
        /// The owner process died, the operating system went on.
        Crashed = "crashed",
        /// The machine lost its power.
        PowerLost = "power-lost",
        /// The owner recovered and serves again.
        Restarted = "restarted",
        /// The owner dropped old messages.
        Retained = "retained",
    }
}
