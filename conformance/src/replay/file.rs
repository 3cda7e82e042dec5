//! Traces as files: `fencepost-trace/1`, JSON Lines, and the same for tools of others as ITF.
//!
//! The first line is the [`Header`]: where the traces come from, and the world in which all of them start. Then one line a step of the
//! driver: the step, and `allowed`, what may be seen after it. A crash has no `allowed`, because there is nothing to look at before the
//! restart after it. A trace ends with `{"end": ...}`, which counts its steps, the file with `{"total": ...}`, which counts its traces: a file
//! that was cut is noticed.
//!
//! Reading is strict: an unknown key, an unknown format, a missing end or a wrong count is a [`fencepost_spec::diagnostic::Problem`] with
//! its place. The same traces are always written in the same bytes.

mod itf;
mod line;
mod read;
mod write;

pub use itf::itf;
pub use read::read;
pub use write::{TraceWriter, Unwritable};

use fencepost_driver::World;
use serde::{Deserialize, Serialize};

use super::trace::Trace;

/// Name and version of the format.
pub const FORMAT: &str = "fencepost-trace/1";

/// The first line of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`FORMAT`].
    pub format: String,
    /// The contract in whose model the traces are walks.
    pub contract: String,
    /// The view.
    pub view: String,
    /// The bounds of the view.
    pub bounds: String,
    /// What the traces were chosen to cover.
    pub cover: String,
    /// The world in which each of them starts.
    pub world: World,
}

impl Header {
    /// The header of traces of a view; `bounds` and `cover` are words of the command line.
    pub fn new(contract: &str, view: &str, bounds: &str, cover: &str, world: World) -> Self {
        let owned = str::to_owned;
        Self {
            format: owned(FORMAT),
            contract: owned(contract),
            view: owned(view),
            bounds: owned(bounds),
            cover: owned(cover),
            world,
        }
    }
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceFile {
    /// Its first line.
    pub header: Header,
    /// The traces, in their order.
    pub traces: Vec<Trace>,
}

impl TraceFile {
    /// The text of the file.
    ///
    /// # Errors
    /// [`Unwritable`], if a step of a trace has no form in the format.
    pub fn text(&self) -> Result<String, Unwritable> {
        let mut writer = TraceWriter::new(Vec::new(), &self.header)?;
        for trace in &self.traces {
            writer.write(trace)?;
        }
        Ok(String::from_utf8_lossy(&writer.finish()?).into_owned())
    }
}
