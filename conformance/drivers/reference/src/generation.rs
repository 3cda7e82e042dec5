//! The file with purge generation and start offset. It has two slots that are written in turn, so that one of them is whole at any
//! time, and its name is durable since the partition was created: to write it makes no other name of the directory durable.

use fencepost_storage::{Handle, StorageError};

use crate::disk::{Disk, Site};
use crate::files::{Directories, sealed, unsealed};

/// Bytes of a slot: turn, generation, start offset, checksum.
const SLOT: usize = 32;

/// What is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Recorded {
    /// The number of the write.
    turn: u64,
    /// The purge generation that is done.
    pub(crate) generation: u64,
    /// The offset at which the partition starts.
    pub(crate) start: u64,
}

/// The file, open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GenerationFile {
    file: Handle,
    pub(crate) recorded: Recorded,
}

impl GenerationFile {
    /// Creates the file of a partition that was never purged.
    pub(crate) async fn create(disk: &Disk, at: &Directories) -> Result<Self, StorageError> {
        disk.begin("create-generation");
        let file = disk.create(&at.generation()).await?;
        let recorded = Recorded::default();
        disk.write(&at.generation(), file, 0, &slot(recorded)).await?;
        disk.settle(&at.partition, &[file])?;
        Ok(Self { file, recorded })
    }

    /// Opens the file; one that is missing counts as never purged.
    pub(crate) async fn recover(disk: &Disk, at: &Directories) -> Result<Self, StorageError> {
        let Some(bytes) = disk.read_from(&at.generation(), 0) else {
            return Self::create(disk, at).await;
        };
        let slots = bytes.chunks(SLOT).filter_map(unsealed::<3>);
        let slots = slots.map(|[turn, generation, start]| Recorded { turn, generation, start });
        let recorded = slots.max_by_key(|recorded| recorded.turn).unwrap_or_default();
        Ok(Self { file: disk.open(&at.generation())?, recorded })
    }

    /// Records a generation and a start, durably, and gives the file as it is then.
    pub(crate) async fn record(
        self,
        disk: &Disk,
        at: &Directories,
        generation: u64,
        start: u64,
    ) -> Result<Self, StorageError> {
        let recorded = Recorded { turn: self.recorded.turn + 1, generation, start };
        disk.begin(if start == self.recorded.start { "record-generation" } else { "advance-start" });
        let place = recorded.turn % 2 * SLOT as u64;
        disk.write(&at.generation(), self.file, place, &slot(recorded)).await?;
        disk.sync_file(Site::GenerationData, self.file).await?;
        Ok(Self { recorded, ..self })
    }
}

fn slot(recorded: Recorded) -> Vec<u8> {
    sealed(&[recorded.turn, recorded.generation, recorded.start])
}
