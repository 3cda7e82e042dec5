//! Random programs: the two backings do the same, and the images of the policies contain what they must.

use std::collections::{BTreeMap, BTreeSet};

use fencepost_storage::{
    Call, DiskStorage, Effect, Entry, ErrorKind, Fault, Handle, MemoryStorage, PathClass, Policy, Storage,
    StorageError, snapshot,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// A step of a program. Paths and handles are drawn by number from what there is.
#[derive(Clone, Debug)]
enum Step {
    Create(usize),
    Open(usize),
    Close(usize),
    Read(usize, u64, usize),
    Length(usize),
    Write(usize, u64, Vec<u8>),
    Truncate(usize, u64),
    SyncFile(usize),
    Rename(usize, usize),
    Remove(usize),
    CreateDirectory(usize),
    SyncDirectory(usize),
    Entries(usize),
    Exists(usize),
}

/// Files first, so that a drawn path is mostly one that can work; then paths that name directories, miss one, or are refused.
const PATHS: [&str; 14] = ["x", "y", "a/x", "a/y", "b/x", "b/y", "a", "b", "", "none/x", "x/y", "../x", "/x", "a//x"];
const DIRECTORIES: [&str; 6] = ["", "a", "b", "x", "none", "a/../b"];

fn steps(paths: usize, directories: usize, count: usize) -> impl Strategy<Value = Vec<Step>> {
    // Handles are many or few: a small number makes one handle see many steps.
    let (path, handle) = (0..paths, 0..4usize);
    let bytes = vec(any::<u8>(), 0..6);
    let step = prop_oneof![
        3 => path.clone().prop_map(Step::Create),
        2 => path.clone().prop_map(Step::Open),
        1 => handle.clone().prop_map(Step::Close),
        2 => (handle.clone(), 0..10u64, 0..12usize).prop_map(|(at, offset, length)| Step::Read(at, offset, length)),
        1 => handle.clone().prop_map(Step::Length),
        5 => (handle.clone(), 0..8u64, bytes).prop_map(|(at, offset, bytes)| Step::Write(at, offset, bytes)),
        1 => (handle.clone(), 0..9u64).prop_map(|(at, length)| Step::Truncate(at, length)),
        2 => handle.prop_map(Step::SyncFile),
        3 => (path.clone(), path.clone()).prop_map(|(from, to)| Step::Rename(from, to)),
        2 => path.clone().prop_map(Step::Remove),
        1 => path.clone().prop_map(Step::CreateDirectory),
        2 => (0..directories).prop_map(Step::SyncDirectory),
        1 => (0..directories).prop_map(Step::Entries),
        1 => path.prop_map(Step::Exists),
    ];
    vec(step, 0..count)
}

/// What a step answers, in a form that can be compared.
#[derive(Debug, PartialEq)]
enum Answer {
    Done,
    Bytes(Vec<u8>),
    Number(u64),
    Names(Vec<String>),
    Opened(Handle),
    Refused(ErrorKind),
}

/// Performs a step. Handles that were opened are remembered; the latest is number 0.
fn perform(storage: &mut dyn Storage, handles: &mut Vec<Handle>, step: &Step) -> Option<Answer> {
    let at = |index: &usize| handles.iter().rev().nth(*index).copied();
    let done = |()| Answer::Done;
    let result = match step {
        Step::Create(path) => storage.create(PATHS[*path]).map(Answer::Opened),
        Step::Open(path) => storage.open(PATHS[*path]).map(Answer::Opened),
        Step::Close(index) => storage.close(at(index)?).map(done),
        Step::Read(index, offset, length) => storage.read(at(index)?, *offset, *length).map(Answer::Bytes),
        Step::Length(index) => storage.length(at(index)?).map(Answer::Number),
        Step::Write(index, offset, bytes) => storage.write(at(index)?, *offset, bytes).map(done),
        Step::Truncate(index, length) => storage.truncate(at(index)?, *length).map(done),
        Step::SyncFile(index) => storage.sync_file(at(index)?).map(done),
        Step::Rename(from, to) => storage.rename(PATHS[*from], PATHS[*to]).map(done),
        Step::Remove(path) => storage.remove(PATHS[*path]).map(done),
        Step::CreateDirectory(path) => storage.create_directory(PATHS[*path]).map(done),
        Step::SyncDirectory(path) => storage.sync_directory(DIRECTORIES[*path]).map(done),
        Step::Entries(path) => storage.entries(DIRECTORIES[*path]).map(Answer::Names),
        Step::Exists(path) => storage.exists(PATHS[*path]).map(|found| Answer::Number(u64::from(found))),
    };
    let answer = result.unwrap_or_else(|error| Answer::Refused(error.kind()));
    if let Answer::Opened(handle) = answer {
        handles.push(handle);
    }
    Some(answer)
}

/// A storage with the directories `a` and `b`, all durable.
fn with_directories() -> Result<MemoryStorage, StorageError> {
    let mut storage = MemoryStorage::new();
    storage.create_directory("a")?;
    storage.create_directory("b")?;
    storage.write_back();
    Ok(storage)
}

/// What must be durable, by a second account: whole files at each sync of one, whole directories at each sync of one.
#[derive(Default)]
struct Account {
    names: BTreeMap<String, usize>,
    data: Vec<Vec<u8>>,
    durable_names: BTreeMap<String, usize>,
    durable_data: Vec<Vec<u8>>,
    opened: BTreeMap<Handle, usize>,
}

impl Account {
    /// Follows a step that the storage has performed.
    fn follow(&mut self, step: &Step, answer: &Answer, handles: &[Handle], storage: &mut MemoryStorage) {
        let file = |index: &usize| self.opened.get(handles.iter().rev().nth(*index)?).copied();
        match (step, answer) {
            (Step::Create(path), Answer::Opened(handle)) => {
                self.names.insert(PATHS[*path].to_owned(), self.data.len());
                self.opened.insert(*handle, self.data.len());
                self.data.push(Vec::new());
                self.durable_data.push(Vec::new());
            }
            (Step::Open(path), Answer::Opened(handle)) => {
                self.opened.insert(*handle, self.names[PATHS[*path]]);
            }
            (Step::Write(index, ..) | Step::Truncate(index, _), Answer::Done) => {
                let handle = handles[handles.len() - 1 - *index];
                self.data[self.opened[&handle]] = storage.read(handle, 0, 100).unwrap();
            }
            (Step::SyncFile(index), Answer::Done) => {
                let file = file(index).unwrap();
                self.durable_data[file] = self.data[file].clone();
            }
            (Step::Rename(from, to), Answer::Done) => {
                let file = self.names.remove(PATHS[*from]).unwrap();
                self.names.insert(PATHS[*to].to_owned(), file);
            }
            (Step::Remove(path), Answer::Done) => {
                self.names.remove(PATHS[*path]);
            }
            (Step::SyncDirectory(path), Answer::Done) => {
                let inside = |name: &str| name.rsplit_once('/').map_or("", |(above, _)| above) == DIRECTORIES[*path];
                self.durable_names.retain(|name, _| !inside(name));
                let synced = self.names.iter().filter(|(name, _)| inside(name));
                self.durable_names.extend(synced.map(|(name, file)| (name.clone(), *file)));
            }
            _ => {}
        }
    }

    fn durable(&self) -> BTreeMap<String, Entry> {
        let directories = ["a", "b"].map(|name| (name.to_owned(), Entry::Directory));
        let files = self.durable_names.iter();
        let files = files.map(|(name, file)| (name.clone(), Entry::File(self.durable_data[*file].clone())));
        directories.into_iter().chain(files).collect()
    }
}

/// The only image of a policy that has one.
fn only_image(storage: &MemoryStorage, policy: Policy) -> MemoryStorage {
    let set = storage.images(policy, MemoryStorage::USUAL_CAP, 0);
    assert_eq!((set.images.len(), set.capped), (1, false));
    storage.image(&set.images[0].choice)
}

/// Enough to enumerate all subsets of the programs below.
const NO_CAP: u64 = 2_000_000;

/// Every image of the first policy is one of the second.
fn contained(storage: &MemoryStorage, inner: Policy, outer: Policy) -> bool {
    let outer = storage.images(outer, NO_CAP, 0);
    let inner = storage.images(inner, NO_CAP, 0);
    assert!(!outer.capped && !inner.capped);
    let known: BTreeSet<_> = outer.images.iter().map(|image| image.fingerprint).collect();
    inner.images.iter().all(|image| known.contains(&image.fingerprint))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 192,
        rng_seed: RngSeed::Fixed(0),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// The file system in memory answers as the real one does, to right and to wrong calls.
    #[test]
    fn given_a_random_program_when_run_on_both_backings_should_answer_alike(
        program in steps(PATHS.len(), DIRECTORIES.len(), 60),
    ) {
        let root = tempfile::tempdir().unwrap();
        let mut disk = DiskStorage::new(root.path()).unwrap();
        let mut memory = MemoryStorage::new();
        let (mut disk_handles, mut memory_handles) = (Vec::new(), Vec::new());
        for step in [Step::CreateDirectory(6), Step::CreateDirectory(7)].iter().chain(&program) {
            let on_disk = perform(&mut disk, &mut disk_handles, step);
            let in_memory = perform(&mut memory, &mut memory_handles, step);
            prop_assert_eq!(on_disk, in_memory, "{:?}", step);
        }
        prop_assert_eq!(snapshot(&mut disk).unwrap(), snapshot(&mut memory).unwrap());
    }

    /// Keeping all is what is shown; dropping all is what a second account says is durable.
    #[test]
    fn given_a_random_program_when_power_is_lost_should_find_the_corners(program in steps(6, 3, 60)) {
        let mut storage = with_directories().unwrap();
        let mut handles = Vec::new();
        let mut account = Account::default();
        // Without directories of its own, which the account does not follow.
        for step in program.iter().filter(|step| !matches!(step, Step::CreateDirectory(_))) {
            if let Some(answer) = perform(&mut storage, &mut handles, step) {
                // The account numbers handles as they were when the step was performed.
                let before = if matches!(answer, Answer::Opened(_)) { handles.len() - 1 } else { handles.len() };
                account.follow(step, &answer, &handles[..before], &mut storage);
            }
        }
        let mut kept = only_image(&storage, Policy::KeepAll);
        prop_assert_eq!(kept.fingerprint(), storage.fingerprint());
        prop_assert_eq!(snapshot(&mut kept).unwrap(), snapshot(&mut storage).unwrap());
        prop_assert!(kept.is_synced() && kept.pending().is_empty());
        let mut dropped = only_image(&storage, Policy::DropAll);
        prop_assert_eq!(snapshot(&mut dropped).unwrap(), account.durable());
    }

    /// No policy leaves what the weakest does not; also after failed syncs that take their data for done.
    #[test]
    fn given_a_random_program_when_power_is_lost_should_find_all_images_among_those_of_posix_weak(
        program in steps(8, 3, 24),
        failing in vec((0..6u32, any::<bool>()), 0..3),
    ) {
        let mut storage = with_directories().unwrap();
        for (skip, of_file) in failing {
            let call = if of_file { Call::SyncFile } else { Call::SyncDirectory };
            storage.inject(Fault { skip, ..Fault::new(call, PathClass::Any, Effect::SyncFailsClean) });
        }
        let mut handles = Vec::new();
        for step in &program {
            // At most as many as can be enumerated in a moment.
            if storage.pending().len() < 10 {
                perform(&mut storage, &mut handles, step);
            }
        }
        for inner in [Policy::Ext4Ordered, Policy::KeepAll, Policy::DropAll] {
            prop_assert!(contained(&storage, inner, Policy::PosixWeak), "{inner}");
        }
        prop_assert!(contained(&storage, Policy::KeepAll, Policy::Ext4Ordered));
        // What a set says is found is what the image shows, and the groups reach both corners.
        let set = storage.images(Policy::PosixWeak, MemoryStorage::USUAL_CAP, 0);
        for image in set.images.iter().take(50) {
            prop_assert_eq!(storage.image(&image.choice).fingerprint(), image.fingerprint);
        }
        let all = storage.image(&storage.image_of_groups(u64::MAX));
        prop_assert_eq!(all.fingerprint(), storage.fingerprint());
        let none = storage.image(&storage.image_of_groups(0));
        prop_assert_eq!(none.fingerprint(), only_image(&storage, Policy::DropAll).fingerprint());
    }
}
