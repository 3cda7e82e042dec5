//! Faults on request.

/// A call of the storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Call {
    /// [`crate::Storage::create`].
    Create,
    /// [`crate::Storage::open`].
    Open,
    /// [`crate::Storage::read_into`], and [`crate::Storage::read`] through it.
    Read,
    /// [`crate::Storage::write`].
    Write,
    /// [`crate::Storage::truncate`].
    Truncate,
    /// [`crate::Storage::sync_file`].
    SyncFile,
    /// [`crate::Storage::rename`].
    Rename,
    /// [`crate::Storage::remove`].
    Remove,
    /// [`crate::Storage::create_directory`].
    CreateDirectory,
    /// [`crate::Storage::sync_directory`].
    SyncDirectory,
    /// [`crate::Storage::entries`].
    Entries,
}

impl Call {
    /// The call in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Open => "open",
            Self::Read => "read",
            Self::Write => "write",
            Self::Truncate => "truncate",
            Self::SyncFile => "sync of a file",
            Self::Rename => "rename",
            Self::Remove => "remove",
            Self::CreateDirectory => "create directory",
            Self::SyncDirectory => "sync of a directory",
            Self::Entries => "list of entries",
        }
    }
}

/// Which paths a fault waits for. A handle counts with the latest name of its file, a rename with the name that it gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathClass {
    /// Any path.
    Any,
    /// This path.
    Exactly(String),
    /// Anything in this directory or deeper, not the directory itself.
    Under(String),
    /// Any path that ends so, such as `.tmp`.
    EndsWith(String),
}

impl PathClass {
    fn has(&self, path: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Exactly(wanted) => path == wanted,
            Self::Under(directory) => {
                directory.is_empty() || path.strip_prefix(directory.as_str()).is_some_and(|rest| rest.starts_with('/'))
            }
            Self::EndsWith(end) => path.ends_with(end.as_str()),
        }
    }
}

/// What a fault does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing is done, and the call says `Failed`.
    FailBefore,
    /// All is done, and the call says `Failed`.
    FailAfter,
    /// Nothing is done, and the call says `NoSpace`. It waits for a call that takes space.
    NoSpace,
    /// Only the first bytes are written, and the call says `Failed`. It waits for a write.
    Torn {
        /// How many bytes are written, at most.
        length: usize,
    },
    /// Only the first bytes are written, and the call says that all are. It waits for a write.
    TornSilently {
        /// How many bytes are written, at most.
        length: usize,
    },
    /// A sync says `Failed` and takes all for done: a second call succeeds and writes nothing of it, so it can still be lost.
    /// This is what Linux does after a failed write-back. It waits for a sync.
    SyncFailsClean,
    /// A sync says `Failed` and leaves all to be written by the next. It waits for a sync.
    SyncFailsDirty,
}

impl Effect {
    fn fits(self, call: Call) -> bool {
        match self {
            Self::FailBefore | Self::FailAfter => true,
            Self::NoSpace => {
                matches!(call, Call::Create | Call::Write | Call::Truncate | Call::Rename | Call::CreateDirectory)
            }
            Self::Torn { .. } | Self::TornSilently { .. } => call == Call::Write,
            Self::SyncFailsClean | Self::SyncFailsDirty => matches!(call, Call::SyncFile | Call::SyncDirectory),
        }
    }
}

/// A fault that waits for the next call that it fits, and strikes once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The call that it waits for; any call that the effect fits if none.
    pub call: Option<Call>,
    /// The paths that it waits for.
    pub path: PathClass,
    /// How many calls that it fits pass before it strikes.
    pub skip: u32,
    /// What it does.
    pub effect: Effect,
}

impl Fault {
    /// A fault that strikes the first call it fits.
    pub fn new(call: Call, path: PathClass, effect: Effect) -> Self {
        Self { call: Some(call), path, skip: 0, effect }
    }
}

/// A fault that has struck.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LandedFault {
    /// The fault.
    pub fault: Fault,
    /// The call that it struck.
    pub call: Call,
    /// The path of that call.
    pub path: String,
}

/// Faults that wait, and those that have struck.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults {
    pub(crate) armed: Vec<Fault>,
    pub(crate) landed: Vec<LandedFault>,
}

impl Faults {
    /// The effect of the first fault that strikes this call. Every fault that the call fits counts it.
    pub(crate) fn strike(&mut self, call: Call, path: &str) -> Option<Effect> {
        let mut striking = None;
        for (index, fault) in self.armed.iter_mut().enumerate() {
            if fault.call.is_some_and(|wanted| wanted != call) || !fault.effect.fits(call) || !fault.path.has(path) {
                continue;
            }
            if fault.skip > 0 {
                fault.skip -= 1;
            } else if striking.is_none() {
                striking = Some(index);
            }
        }
        let fault = self.armed.remove(striking?);
        let effect = fault.effect;
        self.landed.push(LandedFault { fault, call, path: path.to_owned() });
        Some(effect)
    }
}
