//! Closed levels of one exploration of one process, kept in a folder: so that the exploration can go on after the process ended,
//! even if it was killed.
//!
//! Each level is a file of its own with its length and checksum, and gets its name only when it is whole. A file that is torn or
//! damaged all the same, by a loss of power for example, does not count, nor does any level after it.

use std::fmt::{Display, Formatter};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::{DeserializeOwned, DeserializeSeed};
use sha2::{Digest, Sha256};

/// Name and version of the form of the files: the first line of the file `identity`.
const FORMAT: &str = "fencepost-archive/1";

/// The file that says what is explored.
const IDENTITY: &str = "identity";

/// The file that the process which uses the folder holds locked.
const LOCK: &str = "lock";

/// How the names of levels begin; the number follows.
const LEVEL: &str = "level-";

/// How the names of files end that are not whole yet.
const UNFINISHED: &str = ".unfinished";

/// Bytes after the content of a level: its length, and its checksum.
const ENDING_BYTES: usize = 8 + 32;

/// Bytes that are read at a time when a file is checked.
const PIECE_BYTES: usize = 1 << 16;

/// A folder with the closed levels of one exploration. While it is open, no other process can open it.
#[derive(Debug)]
pub struct Archive {
    folder: PathBuf,
    /// Locked until it is closed, which the system does even if the process is killed.
    _lock: File,
}

/// Why an archive cannot be used.
#[derive(Debug)]
pub enum ArchiveError {
    /// The folder belongs to another exploration.
    Other {
        /// The folder.
        folder: PathBuf,
        /// What is explored now.
        expected: String,
        /// What was explored then.
        found: String,
    },
    /// Another process uses the folder.
    InUse {
        /// The folder.
        folder: PathBuf,
    },
    /// A file cannot be read or written: a full disk, for example.
    File {
        /// The file, or the folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A file is not what was written.
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl Display for ArchiveError {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Other { folder, expected, found } => {
                write!(formatter, "`{}` belongs to another exploration", folder.display())?;
                write!(formatter, "; now:\n{expected}\nthere:\n{found}")
            }
            Self::InUse { folder } => write!(formatter, "`{}` is used by another process", folder.display()),
            Self::File { path, error } => write!(formatter, "`{}`: {error}", path.display()),
            Self::Damaged { path, reason } => write!(formatter, "`{}` is damaged: {reason}", path.display()),
        }
    }
}

impl std::error::Error for ArchiveError {}

/// The error of a file.
fn of_file(path: &Path) -> impl FnOnce(io::Error) -> ArchiveError {
    move |error| ArchiveError::File { path: path.to_owned(), error }
}

impl Archive {
    /// Opens a folder, which is made if it is missing, for the exploration that `identity` describes, in any words.
    ///
    /// # Errors
    /// [`ArchiveError::Other`] if the folder was made for another exploration, [`ArchiveError::InUse`] if another process has it
    /// open, [`ArchiveError::File`] if it cannot be read or written.
    pub fn open(folder: &Path, identity: &str) -> Result<Self, ArchiveError> {
        fs::create_dir_all(folder).map_err(of_file(folder))?;
        let path = folder.join(LOCK);
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(of_file(&path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(ArchiveError::InUse { folder: folder.to_owned() }),
            Err(TryLockError::Error(error)) => return Err(ArchiveError::File { path, error }),
        }
        let archive = Self { folder: folder.to_owned(), _lock: lock };
        archive.identify(identity)?;
        archive.remove(|name| name.ends_with(UNFINISHED))?;
        Ok(archive)
    }

    /// Compares the identity, or writes it down if there is none yet.
    fn identify(&self, identity: &str) -> Result<(), ArchiveError> {
        let (path, text) = (self.folder.join(IDENTITY), format!("{FORMAT}\n{identity}"));
        match fs::read(&path) {
            Ok(found) if found == text.as_bytes() => Ok(()),
            Ok(found) => Err(ArchiveError::Other {
                folder: self.folder.clone(),
                expected: text,
                found: String::from_utf8_lossy(&found).into_owned(),
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // Levels without identity are nobody's.
                self.forget_from(0)?;
                self.put(IDENTITY, |file| {
                    file.write_all(text.as_bytes())?;
                    // Small, and the one file that no checksum guards.
                    file.sync_all()
                })
            }
            Err(error) => Err(ArchiveError::File { path, error }),
        }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How many consecutive levels, from 0 on, are there and as they were written. Reads all of them.
    pub fn levels(&self) -> u32 {
        (0..).find(|level| !self.has(*level)).unwrap_or(u32::MAX)
    }

    /// Whether a level is there and as it was written. Reads all of it.
    pub(crate) fn has(&self, level: u32) -> bool {
        is_whole(&self.path(level))
    }

    /// Writes a level, and forgets those after it, which followed from another one.
    ///
    /// # Errors
    /// [`ArchiveError::File`], on a full disk for example; what was there before the level is as it was.
    pub fn write(&self, level: u32, content: &impl Serialize) -> Result<(), ArchiveError> {
        self.forget_from(level)?;
        // Not forced onto the disk, which takes long: what a loss of power leaves is told by the checksum.
        self.put(&name_of(level), |file| {
            let mut sum = Summing::new(file);
            let written = postcard::to_io(content, &mut sum).map(|_| ());
            sum.finish(written)
        })
    }

    /// Writes a file that gets its name when it is whole.
    fn put(&self, name: &str, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), ArchiveError> {
        let (path, unfinished) = (self.folder.join(name), self.folder.join(format!("{name}{UNFINISHED}")));
        let written = File::create(&unfinished).and_then(|mut file| write(&mut file));
        written.and_then(|()| fs::rename(&unfinished, &path)).map_err(|error| {
            // It may fill the disk; if it cannot be removed either, opening the folder again removes it.
            let _ = fs::remove_file(&unfinished);
            ArchiveError::File { path, error }
        })
    }

    /// Reads a level.
    ///
    /// # Errors
    /// [`ArchiveError::File`] if it cannot be read, [`ArchiveError::Damaged`] if it is not what was written, or not of this type.
    pub fn read<T: DeserializeOwned>(&self, level: u32) -> Result<T, ArchiveError> {
        self.read_with(level, |content| match postcard::take_from_bytes(content) {
            Ok((value, [])) => Ok(value),
            Ok((_, rest)) => Err(format!("{} bytes are left over", rest.len())),
            Err(error) => Err(error.to_string()),
        })
    }

    /// Reads a level, or as much of it as `seed` wants, piece by piece.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    pub(crate) fn read_seed<V, S>(&self, level: u32, seed: S) -> Result<V, ArchiveError>
    where
        S: for<'de> DeserializeSeed<'de, Value = V>,
    {
        self.read_with(level, |content| {
            seed.deserialize(&mut postcard::Deserializer::from_bytes(content)).map_err(|error| error.to_string())
        })
    }

    fn read_with<V>(&self, level: u32, read: impl FnOnce(&[u8]) -> Result<V, String>) -> Result<V, ArchiveError> {
        let path = self.path(level);
        let bytes = fs::read(&path).map_err(of_file(&path))?;
        content_of(&bytes).and_then(read).map_err(|reason| ArchiveError::Damaged { path, reason })
    }

    /// The error that a level is whole, but does not fit to what is explored.
    pub(crate) fn misfit(&self, level: u32, reason: &str) -> ArchiveError {
        ArchiveError::Damaged { path: self.path(level), reason: reason.to_owned() }
    }

    /// Removes a level, if it is there, and all after it.
    ///
    /// # Errors
    /// [`ArchiveError::File`] if one of them cannot be removed.
    pub fn forget_from(&self, level: u32) -> Result<(), ArchiveError> {
        self.remove(|name| {
            let number = name.strip_prefix(LEVEL).and_then(|number| number.parse::<u32>().ok());
            number.is_some_and(|number| number >= level)
        })
    }

    /// Removes the files whose names are chosen.
    fn remove(&self, is_chosen: impl Fn(&str) -> bool) -> Result<(), ArchiveError> {
        for entry in fs::read_dir(&self.folder).map_err(of_file(&self.folder))? {
            let entry = entry.map_err(of_file(&self.folder))?;
            if entry.file_name().to_str().is_some_and(&is_chosen) {
                let path = entry.path();
                fs::remove_file(&path).map_err(of_file(&path))?;
            }
        }
        Ok(())
    }

    fn path(&self, level: u32) -> PathBuf {
        self.folder.join(name_of(level))
    }
}

/// The name of the file of a level.
fn name_of(level: u32) -> String {
    format!("{LEVEL}{level:05}")
}

/// The content of a file of a level, without its ending; or what is wrong with it.
fn content_of(bytes: &[u8]) -> Result<&[u8], String> {
    let Some((content, ending)) = bytes.split_last_chunk::<ENDING_BYTES>() else {
        return Err("it is too short".to_owned());
    };
    let expected = ending_of(content.len() as u64, Sha256::new_with_prefix(content));
    if *ending == expected { Ok(content) } else { Err("its checksum is another".to_owned()) }
}

/// Whether the file of a level is as it was written; without holding all of it in memory.
fn is_whole(path: &Path) -> bool {
    let check = || -> io::Result<bool> {
        let mut file = File::open(path)?;
        let Some(length) = file.metadata()?.len().checked_sub(ENDING_BYTES as u64) else { return Ok(false) };
        let (mut digest, mut piece, mut left) = (Sha256::new(), vec![0; PIECE_BYTES], length);
        while left > 0 {
            let wanted = left.min(PIECE_BYTES as u64) as usize;
            file.read_exact(&mut piece[..wanted])?;
            digest.update(&piece[..wanted]);
            left -= wanted as u64;
        }
        let mut ending = [0; ENDING_BYTES];
        file.read_exact(&mut ending)?;
        Ok(ending == ending_of(length, digest))
    };
    check().unwrap_or(false)
}

/// What stands after the content of a level.
fn ending_of(length: u64, digest: Sha256) -> [u8; ENDING_BYTES] {
    let mut ending = [0; ENDING_BYTES];
    ending[..8].copy_from_slice(&length.to_le_bytes());
    ending[8..].copy_from_slice(&digest.finalize());
    ending
}

/// Passes on what is written, and sums it up.
struct Summing<W> {
    output: W,
    digest: Sha256,
    length: u64,
    /// What went wrong first: the serializer does not pass it on.
    error: Option<io::Error>,
    /// What was not summed up yet: a serializer writes single bytes.
    waiting: Vec<u8>,
}

impl<W: Write> Summing<W> {
    fn new(output: W) -> Self {
        Self { output, digest: Sha256::new(), length: 0, error: None, waiting: Vec::with_capacity(PIECE_BYTES) }
    }

    /// Passes on what waits.
    fn pass_on(&mut self) -> io::Result<()> {
        self.digest.update(&self.waiting);
        self.length += self.waiting.len() as u64;
        let passed = self.output.write_all(&self.waiting);
        self.waiting.clear();
        passed.map_err(|error| {
            let kind = error.kind();
            self.error.get_or_insert(error);
            kind.into()
        })
    }

    /// Writes the ending, if all went well so far.
    fn finish(mut self, written: postcard::Result<()>) -> io::Result<()> {
        let passed = self.pass_on();
        if let Some(error) = self.error {
            return Err(error);
        }
        written.map_err(io::Error::other).and(passed)?;
        self.output.write_all(&ending_of(self.length, self.digest))?;
        self.output.flush()
    }
}

impl<W: Write> Write for Summing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= PIECE_BYTES {
            self.pass_on()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        // The end flushes; a serializer that asks for it more often would only make it slow.
        Ok(())
    }
}
