//! The storage that the reference partition sits on, in a broker's words: files, names, and what a sync makes durable.
//!
//! There are two backings of one trait, [`Storage`]:
//!
//! - [`DiskStorage`]: the real file system under a root directory;
//! - [`MemoryStorage`]: durable and volatile sets, for names and for data. It fails on request ([`Fault`]), leaves out single
//!   sync calls ([`MemoryStorage::deafen`]), and tells which file systems a power loss may leave behind
//!   ([`MemoryStorage::images`]).
//!
//! ```
//! use fencepost_storage::{MemoryStorage, Policy, Storage};
//!
//! let mut storage = MemoryStorage::new();
//! storage.begin_group("store-offset");
//! let file = storage.create("offset").unwrap();
//! storage.write(file, 0, b"12").unwrap();
//! // Nothing is synced: the name can be lost, and so can the data, in whole or in part.
//! let images = storage.images(Policy::PosixWeak, 4096, 0);
//! assert_eq!(images.images.len(), 4);
//! let mut recovered = storage.image(&images.images[0].choice);
//! assert!(!recovered.exists("offset").unwrap());
//! ```

mod disk;
mod error;
mod memory;
mod path;
mod storage;

pub use disk::DiskStorage;
pub use error::{ErrorKind, StorageError};
pub use memory::MemoryStorage;
pub use memory::choice::{ImageChoice, OperationId};
pub use memory::fault::{Call, Effect, Fault, LandedFault, PathClass};
pub use memory::images::{Image, ImageSet};
pub use memory::operation::{ChangeKind, PendingGroup, PendingOperation};
pub use memory::policy::Policy;
pub use memory::sites::SyncSite;
pub use memory::tree::Fingerprint;
pub use storage::{Entry, Handle, Storage, snapshot};
