//! Twelve small programs, ten of them broken, as tests of the policies: each policy finds a broken program or passes it, and the
//! number of images is pinned. The power is lost after every call.
//!
//! What the policies say here, and why:
//! - `drop-all` misses in-place overwrites, renames of data that was never synced (without a promise), and all that needs a
//!   later operation to survive without an earlier one.
//! - `ext4-ordered` passes the two programs that rename a file whose data was not synced: its rule is that data is written
//!   before the rename that exposes it. `posix-weak` finds both.
//! - `posix-weak` finds all ten.

use std::collections::BTreeSet;

use fencepost_storage::{
    Call, Effect, Entry, Fault, MemoryStorage, PathClass, Policy, Storage, StorageError, snapshot,
};

/// What a policy showed of a program.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    found: bool,
    /// Over all points of power loss.
    images: usize,
    /// Distinct file systems over all points.
    recovered: usize,
}

/// A program that is watched: after each call all images are recovered and judged.
struct Watch<'a> {
    storage: MemoryStorage,
    policy: Policy,
    judge: &'a dyn Fn(&mut MemoryStorage, bool) -> bool,
    /// Whether the program has promised its effect to somebody.
    promised: bool,
    outcome: Outcome,
    seen: BTreeSet<String>,
}

impl Watch<'_> {
    fn look(&mut self, counted: bool) {
        let set = self.storage.images(self.policy, MemoryStorage::USUAL_CAP, 0);
        assert!(!set.capped);
        self.outcome.images += if counted { set.images.len() } else { 0 };
        for image in &set.images {
            let mut recovered = self.storage.image(&image.choice);
            assert_eq!(recovered.fingerprint(), image.fingerprint);
            self.seen.insert(image.fingerprint.to_string());
            self.outcome.found |= !(self.judge)(&mut recovered, self.promised);
        }
        self.outcome.recovered = self.seen.len();
    }

    fn call<T>(&mut self, act: impl FnOnce(&mut MemoryStorage) -> Result<T, StorageError>) -> Result<T, StorageError> {
        let result = act(&mut self.storage);
        self.look(true);
        result
    }

    fn replace_by_rename(&mut self, path: &str, bytes: &[u8], sync: bool) -> Result<(), StorageError> {
        let temporary = format!("{path}.tmp");
        let file = self.call(|storage| storage.create(&temporary))?;
        self.call(|storage| storage.write(file, 0, bytes))?;
        if sync {
            self.call(|storage| storage.sync_file(file))?;
        }
        self.call(|storage| storage.rename(&temporary, path))
    }

    /// Tells somebody that the effect is durable. The files are the same, so their images count once.
    fn promise(&mut self) {
        self.promised = true;
        self.look(false);
    }
}

/// Sixteen bytes: a value, and a checksum that tells a torn record.
fn record(value: u8) -> Vec<u8> {
    [[value; 8], [!value; 8]].concat()
}

/// The value of a whole record.
fn value(storage: &mut MemoryStorage, path: &str) -> Option<u8> {
    let file = storage.open(path).ok()?;
    let bytes = storage.read(file, 0, 64).ok()?;
    (bytes.len() == 16 && bytes == record(bytes[0])).then(|| bytes[0])
}

fn run(
    policy: Policy,
    prepare: impl FnOnce(&mut MemoryStorage) -> Result<(), StorageError>,
    judge: &dyn Fn(&mut MemoryStorage, bool) -> bool,
    program: impl FnOnce(&mut Watch) -> Result<(), StorageError>,
) -> Outcome {
    let mut storage = MemoryStorage::new();
    prepare(&mut storage).unwrap();
    storage.write_back();
    let outcome = Outcome { found: false, images: 0, recovered: 0 };
    let mut watch = Watch { storage, policy, judge, promised: false, outcome, seen: BTreeSet::new() };
    program(&mut watch).unwrap();
    watch.outcome
}

const OLD: u8 = 5;
const NEW: u8 = 6;

/// An offset file that holds the old value. It must hold the old or the new one, and after a promise the new one.
fn offset(policy: Policy, program: impl FnOnce(&mut Watch) -> Result<(), StorageError>) -> Outcome {
    let prepare = |storage: &mut MemoryStorage| {
        let file = storage.create("offset")?;
        storage.write(file, 0, &record(OLD))
    };
    let judge = |storage: &mut MemoryStorage, promised: bool| match value(storage, "offset") {
        Some(NEW) => true,
        Some(OLD) => !promised,
        _ => false,
    };
    run(policy, prepare, &judge, program)
}

fn write_file(storage: &mut MemoryStorage, path: &str, bytes: &[u8]) -> Result<(), StorageError> {
    let file = storage.create(path)?;
    storage.write(file, 0, bytes)
}

/// A partition of generation 5 with a segment and two bookmarks. If generation 6 is found recorded, nothing of generation 5 may
/// be found: the broker would not purge again. A promise is a generation recorded.
fn purge(policy: Policy, program: impl FnOnce(&mut Watch) -> Result<(), StorageError>) -> Outcome {
    let prepare = |storage: &mut MemoryStorage| {
        for directory in ["partition", "partition/consumers", "partition/groups"] {
            storage.create_directory(directory)?;
        }
        write_file(storage, "partition/segment", b"old messages")?;
        write_file(storage, "partition/generation", &record(OLD))?;
        write_file(storage, "partition/consumers/1", &record(OLD))?;
        write_file(storage, "partition/groups/1", &record(OLD))
    };
    let judge = |storage: &mut MemoryStorage, promised: bool| {
        if value(storage, "partition/generation") != Some(NEW) {
            return !promised;
        }
        let files = snapshot(storage).unwrap();
        let old = |path: &str| matches!(files.get(path), Some(Entry::File(bytes)) if !bytes.is_empty());
        !(old("partition/segment") || old("partition/consumers/1") || old("partition/groups/1"))
    };
    run(policy, prepare, &judge, program)
}

fn clear_segment(watch: &mut Watch) -> Result<(), StorageError> {
    watch.storage.begin_group("clear-segment");
    watch.call(|storage| storage.remove("partition/segment"))?;
    watch.call(|storage| storage.create("partition/segment")).map(drop)
}

fn clear_bookmarks(watch: &mut Watch, kind: &str, sync: bool) -> Result<(), StorageError> {
    watch.storage.begin_group("clear-bookmarks");
    watch.call(|storage| storage.remove(&format!("partition/{kind}/1")))?;
    if sync {
        // A failure is taken for a warning, as the broken programs do; the correct one never sees one.
        let _ = watch.call(|storage| storage.sync_directory(&format!("partition/{kind}")));
    }
    Ok(())
}

fn sync_partition(watch: &mut Watch) {
    let _ = watch.call(|storage| storage.sync_directory("partition"));
}

/// The generation written in place and synced; a torn record counts as not recorded.
fn record_generation(watch: &mut Watch) -> Result<(), StorageError> {
    watch.storage.begin_group("record-generation");
    let file = watch.storage.open("partition/generation")?;
    watch.call(|storage| storage.write(file, 0, &record(NEW)))?;
    watch.call(|storage| storage.sync_file(file))?;
    watch.promise();
    Ok(())
}

fn failing_sync(watch: &mut Watch, path: &str) {
    let path = PathClass::Exactly(path.to_owned());
    watch.storage.inject(Fault::new(Call::SyncDirectory, path, Effect::SyncFailsDirty));
}

/// Runs a program under `drop-all`, `keep-all`, `ext4-ordered`, `posix-weak`: found or not, images, recovered states.
fn all(program: impl Fn(Policy) -> Outcome) -> [(bool, usize, usize); 4] {
    [Policy::DropAll, Policy::KeepAll, Policy::Ext4Ordered, Policy::PosixWeak].map(|policy| {
        let outcome = program(policy);
        (outcome.found, outcome.images, outcome.recovered)
    })
}

fn overwrite(watch: &mut Watch, sync: bool) -> Result<(), StorageError> {
    let file = watch.storage.open("offset")?;
    watch.call(|storage| storage.truncate(file, 0))?;
    watch.call(|storage| storage.write(file, 0, &record(NEW)))?;
    if sync {
        watch.call(|storage| storage.sync_file(file))?;
        watch.promise();
    }
    Ok(())
}

#[test]
fn given_an_overwrite_in_place_without_sync_when_power_is_lost_should_be_found_unless_all_is_dropped() {
    let outcome = all(|policy| offset(policy, |watch| overwrite(watch, false)));
    assert_eq!(outcome, [(false, 2, 1), (true, 2, 2), (true, 6, 4), (true, 7, 5)]);
}

#[test]
fn given_an_overwrite_in_place_with_sync_when_power_is_lost_should_be_found_unless_all_is_dropped() {
    let outcome = all(|policy| offset(policy, |watch| overwrite(watch, true)));
    assert_eq!(outcome, [(false, 3, 2), (true, 3, 2), (true, 7, 4), (true, 8, 5)]);
}

#[test]
fn given_a_rename_of_unsynced_data_when_power_is_lost_should_be_found_by_posix_weak() {
    let outcome = all(|policy| offset(policy, |watch| watch.replace_by_rename("offset", &record(NEW), false)));
    assert_eq!(outcome, [(false, 3, 1), (false, 3, 3), (false, 11, 5), (true, 13, 7)]);
}

#[test]
fn given_a_durable_rename_of_unsynced_data_when_power_is_lost_should_be_found_unless_data_goes_first() {
    let outcome = all(|policy| {
        offset(policy, |watch| {
            watch.replace_by_rename("offset", &record(NEW), false)?;
            watch.call(|storage| storage.sync_directory(""))
        })
    });
    assert_eq!(outcome, [(true, 4, 2), (false, 4, 3), (false, 12, 5), (true, 16, 7)]);
}

#[test]
fn given_a_promise_before_the_directory_is_synced_when_power_is_lost_should_be_found() {
    let outcome = all(|policy| {
        offset(policy, |watch| {
            watch.replace_by_rename("offset", &record(NEW), true)?;
            watch.promise();
            Ok(())
        })
    });
    assert_eq!(outcome, [(true, 4, 1), (false, 4, 3), (true, 11, 5), (true, 11, 5)]);
}

#[test]
fn given_a_correct_replacement_when_power_is_lost_should_pass() {
    let outcome = all(|policy| {
        offset(policy, |watch| {
            watch.replace_by_rename("offset", &record(NEW), true)?;
            watch.call(|storage| storage.sync_directory(""))?;
            watch.promise();
            Ok(())
        })
    });
    assert_eq!(outcome, [(false, 5, 2), (false, 5, 3), (false, 12, 5), (false, 12, 5)]);
}

#[test]
fn given_a_purge_that_never_syncs_a_directory_when_power_is_lost_should_be_found_by_posix_weak_only() {
    let outcome = all(|policy| {
        purge(policy, |watch| {
            clear_segment(watch)?;
            clear_bookmarks(watch, "consumers", false)?;
            clear_bookmarks(watch, "groups", false)?;
            watch.replace_by_rename("partition/generation", &record(NEW), true)
        })
    });
    assert_eq!(outcome, [(false, 8, 1), (false, 8, 7), (false, 41, 9), (true, 155, 60)]);
}

#[test]
fn given_a_purge_that_goes_on_after_a_failed_sync_of_consumers_when_power_is_lost_should_be_found() {
    let outcome = all(|policy| {
        purge(policy, |watch| {
            failing_sync(watch, "partition/consumers");
            clear_segment(watch)?;
            sync_partition(watch);
            clear_bookmarks(watch, "consumers", true)?;
            clear_bookmarks(watch, "groups", true)?;
            assert_eq!(watch.storage.landed_faults().len(), 1);
            record_generation(watch)
        })
    });
    assert_eq!(outcome, [(true, 9, 4), (false, 9, 5), (true, 23, 10), (true, 24, 10)]);
}

#[test]
fn given_a_purge_without_the_sync_of_groups_when_power_is_lost_should_be_found() {
    let outcome = all(|policy| {
        purge(policy, |watch| {
            clear_segment(watch)?;
            sync_partition(watch);
            clear_bookmarks(watch, "consumers", true)?;
            clear_bookmarks(watch, "groups", false)?;
            record_generation(watch)
        })
    });
    assert_eq!(outcome, [(true, 8, 4), (false, 8, 5), (true, 19, 9), (true, 19, 9)]);
}

#[test]
fn given_a_purge_that_goes_on_after_a_failed_sync_of_the_partition_when_power_is_lost_should_be_found() {
    let outcome = all(|policy| {
        purge(policy, |watch| {
            failing_sync(watch, "partition");
            clear_segment(watch)?;
            sync_partition(watch);
            clear_bookmarks(watch, "consumers", true)?;
            clear_bookmarks(watch, "groups", true)?;
            record_generation(watch)
        })
    });
    assert_eq!(outcome, [(true, 9, 4), (false, 9, 5), (true, 34, 15), (true, 38, 15)]);
}

#[test]
fn given_a_purge_that_records_its_generation_first_when_power_is_lost_should_be_found() {
    let outcome = all(|policy| {
        purge(policy, |watch| {
            record_generation(watch)?;
            clear_segment(watch)?;
            sync_partition(watch);
            clear_bookmarks(watch, "consumers", true)?;
            clear_bookmarks(watch, "groups", true)
        })
    });
    assert_eq!(outcome, [(true, 9, 5), (true, 9, 5), (true, 16, 7), (true, 16, 7)]);
}

#[test]
fn given_a_purge_in_the_correct_order_when_power_is_lost_should_pass() {
    let outcome = all(|policy| {
        purge(policy, |watch| {
            clear_segment(watch)?;
            sync_partition(watch);
            clear_bookmarks(watch, "consumers", true)?;
            clear_bookmarks(watch, "groups", true)?;
            record_generation(watch)
        })
    });
    assert_eq!(outcome, [(false, 9, 5), (false, 9, 5), (false, 16, 7), (false, 16, 7)]);
}
