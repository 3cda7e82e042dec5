//! Power loss at every moment of a trace: everything that an implementation recovers from what its files may be then has to be a state
//! that the model allows after a power loss there.
//!
//! A trace of the replay loses whole logical writes. Here the storage itself says what may be left: names and data, each lost or kept
//! by itself, as its rules (the policy) allow. It is done after every step of the owner and before every storage call inside of one; a
//! power loss inside of a step of the model may leave what it may leave before or after that step.

mod allowed;
mod document;
mod page;
mod run;

use fencepost_driver::{
    Answer, Call, Capabilities, Crash, Failure, Field, Fields, Observation, Park, Progress, Subject, World,
};

pub use document::{Catch, ContractImages, Document, SiteImages, document};
pub use page::ImagePage;
pub use run::{Counts, ImageRun, Imaged};

fencepost_spec::words! {
    /// Which files a power loss may leave.
    pub enum ImagePolicy {
        /// Any of the operations that were not synced, on names and on data; a write can be torn.
        PosixWeak = "posix-weak",
        /// As a file system with a journal in ordered mode.
        Ext4Ordered = "ext4-ordered",
        /// Nothing that was not synced.
        DropAll = "drop-all",
        /// Everything.
        KeepAll = "keep-all",
    }
}

/// How many subsets of unsynced operations are looked at, at most, before corners and samples take their place.
pub const MOST_SUBSETS: u64 = 4096;

/// What is compared of a recovered owner.
pub const COMPARED: [Field; 7] = [
    Field::Status,
    Field::StartOffset,
    Field::NextOffset,
    Field::Messages,
    Field::Bookmarks,
    Field::BookmarkFiles,
    Field::PurgeGeneration,
];

/// [`COMPARED`] as a set.
pub fn compared() -> Fields {
    COMPARED.iter().fold(Fields::NONE, |fields, field| fields.with(*field))
}

/// One state that was recovered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoveredState {
    /// What is seen of it.
    pub observation: Observation,
    /// The files that were found, in words.
    pub image: String,
    /// What a second power loss during the recovery left, in words, if there was one.
    pub interrupted: Option<String>,
}

/// What a power loss at one moment may leave, recovered.
#[derive(Clone, Debug, Default)]
pub struct Recovered {
    /// Subsets of the unsynced operations that were looked at.
    pub subsets: u64,
    /// Distinct images among them.
    pub images: u64,
    /// Images of a second power loss, while the first was recovered from.
    pub second_images: u64,
    /// Whether images were left out because there were too many.
    pub is_capped: bool,
    /// The states that were recovered, each once.
    pub states: Vec<RecoveredState>,
}

/// An implementation that can say at any moment what a power loss would leave, and what its own recovery would make of it.
pub trait Images: Subject {
    /// Recovers from everything that a power loss now may leave under a policy; at most `cap` subsets of the unsynced operations are
    /// looked at. The implementation itself goes on as if nothing had happened.
    ///
    /// # Errors
    /// A [`Failure`], if images cannot be taken.
    fn recovered(&mut self, policy: ImagePolicy, cap: u64) -> Result<Recovered, Failure>;
}

/// An implementation, and a function that takes its images: so that who implements [`Subject`] need not know of this crate.
pub struct WithImages<S, F> {
    subject: S,
    take: F,
}

impl<S, F> WithImages<S, F>
where
    S: Subject,
    F: FnMut(&mut S, ImagePolicy, u64) -> Result<Recovered, Failure>,
{
    /// A subject whose images this function takes.
    pub fn new(subject: S, take: F) -> Self {
        Self { subject, take }
    }
}

impl<S, F> Images for WithImages<S, F>
where
    S: Subject,
    F: FnMut(&mut S, ImagePolicy, u64) -> Result<Recovered, Failure>,
{
    fn recovered(&mut self, policy: ImagePolicy, cap: u64) -> Result<Recovered, Failure> {
        (self.take)(&mut self.subject, policy, cap)
    }
}

impl<S: Subject, F> Subject for WithImages<S, F> {
    fn capabilities(&self) -> Capabilities {
        self.subject.capabilities()
    }

    fn reset(&mut self, world: &World) -> Result<(), Failure> {
        self.subject.reset(world)
    }

    fn start(&mut self, operation: &str, call: &Call) -> Result<Progress, Failure> {
        self.subject.start(operation, call)
    }

    fn resume(&mut self, park: &Park, answer: Answer) -> Result<Progress, Failure> {
        self.subject.resume(park, answer)
    }

    fn parked(&self) -> Vec<Park> {
        self.subject.parked()
    }

    fn observe(&mut self, fields: Fields) -> Result<Observation, Failure> {
        self.subject.observe(fields)
    }

    fn cancel(&mut self, operation: &str) -> Result<Progress, Failure> {
        self.subject.cancel(operation)
    }

    fn crash(&mut self, crash: &Crash) -> Result<Progress, Failure> {
        self.subject.crash(crash)
    }

    fn restart(&mut self) -> Result<Progress, Failure> {
        self.subject.restart()
    }
}
