//! The rules of the file system in memory, one by one.

use std::collections::BTreeMap;

use fencepost_storage::{
    Call, ChangeKind, DiskStorage, Effect, Entry, ErrorKind, Fault, ImageChoice, MemoryStorage, OperationId, PathClass,
    Policy, Storage, snapshot,
};

fn dropped(storage: &MemoryStorage) -> BTreeMap<String, Entry> {
    snapshot(&mut storage.image(&ImageChoice::default())).unwrap()
}

fn file(bytes: &[u8]) -> Entry {
    Entry::File(bytes.to_vec())
}

fn fail(storage: &mut MemoryStorage, call: Call, effect: Effect) {
    storage.inject(Fault::new(call, PathClass::Any, effect));
}

/// A storage with a durable file `x` of these bytes and durable directories `a` and `b`.
fn with_file(bytes: &[u8]) -> MemoryStorage {
    let mut storage = MemoryStorage::new();
    storage.create_directory("a").unwrap();
    storage.create_directory("b").unwrap();
    let handle = storage.create("x").unwrap();
    storage.write(handle, 0, bytes).unwrap();
    storage.write_back();
    storage
}

/// Number of distinct images of a policy.
fn count(storage: &MemoryStorage, policy: Policy) -> usize {
    let set = storage.images(policy, MemoryStorage::USUAL_CAP, 0);
    assert!(!set.capped);
    set.images.len()
}

#[test]
fn given_a_new_file_when_only_the_file_is_synced_should_lose_its_name() {
    let mut storage = MemoryStorage::new();
    let handle = storage.create("x").unwrap();
    storage.write(handle, 0, b"12").unwrap();
    storage.sync_file(handle).unwrap();
    assert!(dropped(&storage).is_empty());
    let left: Vec<_> = storage.pending().into_iter().map(|operation| operation.kind).collect();
    assert_eq!(left, [ChangeKind::Create]);
    storage.sync_directory("").unwrap();
    assert_eq!(dropped(&storage), BTreeMap::from([("x".to_owned(), file(b"12"))]));
    assert!(storage.is_synced());
}

#[test]
fn given_a_new_file_when_only_the_directory_is_synced_should_lose_its_data() {
    let mut storage = MemoryStorage::new();
    let handle = storage.create("x").unwrap();
    storage.write(handle, 0, b"12").unwrap();
    storage.sync_directory("").unwrap();
    assert_eq!(dropped(&storage), BTreeMap::from([("x".to_owned(), file(b""))]));
    // Nothing, the first half, all.
    assert_eq!(count(&storage, Policy::PosixWeak), 3);
}

#[test]
fn given_a_rename_across_directories_when_one_of_them_is_synced_should_find_two_names_or_none() {
    for (synced, found) in [("a", vec![]), ("b", vec!["a/x", "b/x"])] {
        let mut storage = with_file(b"12");
        storage.rename("x", "a/x").unwrap();
        storage.write_back();
        storage.rename("a/x", "b/x").unwrap();
        storage.sync_directory(synced).unwrap();
        let files = dropped(&storage);
        let names: Vec<_> = files.iter().filter(|(_, entry)| **entry == file(b"12")).map(|(name, _)| name).collect();
        assert_eq!(names, found, "{synced}");
        // A journal has both halves in one transaction: the other half is there as well.
        let set = storage.images(Policy::Ext4Ordered, 100, 0);
        assert_eq!(set.images.len(), 1);
        assert_eq!(set.images[0].fingerprint, storage.fingerprint());
    }
}

#[test]
fn given_a_rename_across_directories_when_nothing_is_synced_should_be_one_step_of_a_journal_only() {
    let mut storage = with_file(b"12");
    storage.rename("x", "a/x").unwrap();
    assert_eq!(count(&storage, Policy::PosixWeak), 4);
    assert_eq!(count(&storage, Policy::Ext4Ordered), 2);
    // A file that has two names after a power loss keeps both when one is renamed to the other.
    let into = storage.pending()[0].id;
    let mut twice = storage.image(&ImageChoice { kept: vec![into], torn: vec![] });
    twice.rename("x", "a/x").unwrap();
    assert!(twice.exists("x").unwrap() && twice.exists("a/x").unwrap());
    let handle = twice.open("x").unwrap();
    twice.write(handle, 0, b"34").unwrap();
    assert_eq!(snapshot(&mut twice).unwrap()["a/x"], file(b"34"));
}

#[test]
fn given_an_open_handle_when_its_file_is_removed_and_replaced_should_keep_reading_the_old_one() {
    let mut storage = with_file(b"old");
    let old = storage.open("x").unwrap();
    storage.remove("x").unwrap();
    let new = storage.create("x").unwrap();
    storage.write(new, 0, b"new").unwrap();
    let again = storage.create("x").unwrap();
    assert_eq!(storage.read(old, 0, 9).unwrap(), b"old");
    assert_eq!(storage.read(new, 0, 9).unwrap(), b"new");
    assert_eq!(storage.read(again, 0, 9).unwrap(), b"");
}

#[test]
fn given_a_crash_of_the_process_when_handles_are_used_should_be_stale_and_files_stay() {
    let mut storage = with_file(b"12");
    let handle = storage.open("x").unwrap();
    storage.write(handle, 0, b"34").unwrap();
    storage.crash_process();
    assert_eq!(storage.read(handle, 0, 2).unwrap_err().kind(), ErrorKind::StaleHandle);
    let again = storage.open("x").unwrap();
    assert_ne!(again, handle);
    assert_eq!(storage.read(again, 0, 2).unwrap(), b"34");
    assert_eq!(dropped(&storage)["x"], file(b"12"));
    // The same after a power loss: no later handle is one from before.
    let mut image = storage.image(&ImageChoice::default());
    assert_eq!(image.read(again, 0, 2).unwrap_err().kind(), ErrorKind::StaleHandle);
}

#[test]
fn given_logical_writes_when_images_are_made_by_group_should_keep_exactly_those() {
    let mut storage = with_file(b"12");
    storage.begin_group("append");
    let handle = storage.open("x").unwrap();
    storage.write(handle, 2, b"34").unwrap();
    storage.begin_group("looked only");
    storage.begin_group("write-bookmark:group");
    let bookmark = storage.create("a/1").unwrap();
    storage.write(bookmark, 0, b"7").unwrap();
    storage.begin_group("remove-bookmark");
    storage.remove("a/1").unwrap();
    let groups = storage.pending_groups();
    let told: Vec<_> = groups.iter().map(|group| (group.label.as_str(), group.operations)).collect();
    assert_eq!(told, [("append", 1), ("write-bookmark:group", 2), ("remove-bookmark", 1)]);
    let shown = |mask| {
        let mut image = storage.image(&storage.image_of_groups(mask));
        (snapshot(&mut image).unwrap()["x"].clone(), snapshot(&mut image).unwrap().get("a/1").cloned())
    };
    assert_eq!(shown(0b000), (file(b"12"), None));
    assert_eq!(shown(0b001), (file(b"1234"), None));
    assert_eq!(shown(0b010), (file(b"12"), Some(file(b"7"))));
    assert_eq!(shown(0b110), (file(b"12"), None));
    // A removal of what was not written is built on nothing: it is lost with it.
    assert!(storage.image_of_groups(0b100).kept.is_empty());
    assert_eq!(
        storage.describe(&storage.image_of_groups(0b010)),
        "2 of 4 unsynced operations survive\n  lost: #4 write 2 bytes at 2 of x (append)\n  kept: #5 create a/1 \
         (write-bookmark:group)\n  kept: #6 write 1 bytes at 0 of a/1 (write-bookmark:group)\n  lost: #7 remove a/1 \
         (remove-bookmark)"
    );
    let parents: Vec<_> = storage.pending().into_iter().map(|operation| operation.parents).collect();
    assert_eq!(parents, [vec![], vec![], vec![OperationId(5)], vec![OperationId(5)]]);
}

#[test]
fn given_each_fault_when_it_strikes_should_do_what_it_says_once() {
    let cases: [(Call, Effect, ErrorKind, &[u8]); 4] = [
        (Call::Write, Effect::FailBefore, ErrorKind::Failed, b"1234"),
        (Call::Write, Effect::FailAfter, ErrorKind::Failed, b"5678"),
        (Call::Write, Effect::Torn { length: 1 }, ErrorKind::Failed, b"5234"),
        (Call::Write, Effect::NoSpace, ErrorKind::NoSpace, b"1234"),
    ];
    for (call, effect, kind, left) in cases {
        let mut storage = with_file(b"1234");
        fail(&mut storage, call, effect);
        let handle = storage.open("x").unwrap();
        assert_eq!(storage.write(handle, 0, b"5678").unwrap_err().kind(), kind, "{effect:?}");
        assert_eq!(storage.read(handle, 0, 9).unwrap(), left, "{effect:?}");
        assert_eq!(storage.landed_faults()[0].path, "x");
        assert!(storage.armed_faults().is_empty());
        storage.write(handle, 0, b"5678").unwrap();
        assert_eq!(storage.read(handle, 0, 9).unwrap(), b"5678");
    }
    let mut storage = with_file(b"1234");
    let handle = storage.open("x").unwrap();
    fail(&mut storage, Call::Write, Effect::TornSilently { length: 3 });
    storage.write(handle, 0, b"5678").unwrap();
    assert_eq!(storage.read(handle, 0, 9).unwrap(), b"5674");
}

#[test]
fn given_a_fault_for_a_class_of_paths_when_others_are_called_should_wait() {
    let mut storage = with_file(b"12");
    let under = PathClass::Under("a".to_owned());
    storage.inject(Fault { skip: 1, ..Fault::new(Call::Create, under, Effect::FailBefore) });
    let ends = PathClass::EndsWith(".tmp".to_owned());
    storage.inject(Fault { call: None, path: ends, skip: 0, effect: Effect::NoSpace });
    storage.create("ab").unwrap();
    storage.create("a/1").unwrap();
    assert_eq!(storage.create("a/2").unwrap_err().kind(), ErrorKind::Failed);
    storage.create("a/2").unwrap();
    assert_eq!(storage.rename("a/2", "a/2.tmp").unwrap_err().kind(), ErrorKind::NoSpace);
    assert_eq!(storage.landed_faults().len(), 2);
}

#[test]
fn given_a_sync_that_fails_when_it_is_tried_again_should_lose_what_was_taken_for_done_only() {
    for (effect, left) in [(Effect::SyncFailsClean, b"12"), (Effect::SyncFailsDirty, b"34")] {
        let mut storage = with_file(b"12");
        let handle = storage.open("x").unwrap();
        storage.write(handle, 0, b"34").unwrap();
        fail(&mut storage, Call::SyncFile, effect);
        assert_eq!(storage.sync_file(handle).unwrap_err().kind(), ErrorKind::Failed);
        assert_eq!(dropped(&storage)["x"], file(b"12"));
        storage.sync_file(handle).unwrap();
        assert_eq!(dropped(&storage)["x"], file(left), "{effect:?}");
    }
}

#[test]
fn given_data_that_a_failed_sync_abandoned_when_later_data_is_synced_should_not_be_written_over_it() {
    let mut storage = with_file(b"12");
    let handle = storage.open("x").unwrap();
    storage.write(handle, 0, b"3").unwrap();
    fail(&mut storage, Call::SyncFile, Effect::SyncFailsClean);
    storage.sync_file(handle).unwrap_err();
    storage.write(handle, 0, b"45").unwrap();
    storage.sync_file(handle).unwrap();
    // Whether the abandoned write came to the disk or not, the later one came after it.
    for policy in [Policy::PosixWeak, Policy::Ext4Ordered] {
        assert_eq!(count(&storage, policy), 1, "{policy}");
    }
    assert_eq!(dropped(&storage)["x"], file(b"45"));
    assert!(storage.pending()[0].abandoned);
    // An appended byte does survive without the abandoned one before it.
    storage.write(handle, 2, b"6").unwrap();
    fail(&mut storage, Call::SyncFile, Effect::SyncFailsClean);
    storage.sync_file(handle).unwrap_err();
    storage.write(handle, 3, b"7").unwrap();
    storage.sync_file(handle).unwrap();
    assert_eq!(dropped(&storage)["x"], file(b"45\x007"));
    // Nor does a journal save it: a failed write-back is outside of its order.
    for policy in [Policy::PosixWeak, Policy::Ext4Ordered] {
        assert_eq!(count(&storage, policy), 2, "{policy}");
    }
}

#[test]
fn given_a_deaf_site_when_it_syncs_should_say_that_it_succeeded_and_keep_nothing() {
    let mut storage = with_file(b"12");
    storage.deafen(&["sync-offset"]);
    let handle = storage.open("x").unwrap();
    storage.write(handle, 0, b"34").unwrap();
    storage.sync_file_at("sync-offset", handle).unwrap();
    assert_eq!(dropped(&storage)["x"], file(b"12"));
    storage.remove("x").unwrap();
    storage.sync_directory_at("sync-names", "").unwrap();
    assert!(!dropped(&storage).contains_key("x"));
    let told: Vec<_> = storage.sync_sites().iter().map(|site| (site.name.as_str(), site.calls, site.skipped)).collect();
    assert_eq!(told, [("sync-offset", 1, 1), ("sync-names", 1, 0)]);
    // A deleted line of code stays deleted after a power loss.
    assert!(storage.image(&ImageChoice::default()).sync_sites()[0].deaf);
    assert_eq!(storage.sync_directory_at("sync-offset", "none").unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn given_an_appended_file_when_power_is_lost_should_have_no_gaps_under_a_journal() {
    let mut storage = with_file(b"1");
    let handle = storage.open("x").unwrap();
    storage.write(handle, 1, b"2").unwrap();
    storage.write(handle, 2, b"3").unwrap();
    // 1, 12, 123, and with a gap 1_3.
    assert_eq!(count(&storage, Policy::PosixWeak), 4);
    assert_eq!(count(&storage, Policy::Ext4Ordered), 3);
}

#[test]
fn given_more_subsets_than_the_cap_when_images_are_made_should_look_at_corners_and_deviations_and_say_so() {
    let mut storage = MemoryStorage::new();
    for name in 0..20 {
        storage.create(&format!("{name:02}")).unwrap();
    }
    let set = storage.images(Policy::PosixWeak, 1000, 7);
    assert!(set.capped);
    assert_eq!((set.subsets, set.examined), (1 << 20, 1000));
    let kept = |size: usize| set.images.iter().filter(|image| image.choice.kept.len() == size).count();
    assert_eq!((kept(0), kept(1), kept(19), kept(20)), (1, 20, 20, 1));
    assert_eq!(set, storage.images(Policy::PosixWeak, 1000, 7));
    assert_ne!(set.images, storage.images(Policy::PosixWeak, 1000, 8).images);
    // A prefix of a journal is one of 21.
    let ordered = storage.images(Policy::Ext4Ordered, 1000, 7);
    assert_eq!((ordered.subsets, ordered.images.len(), ordered.capped), (21, 21, false));
}

#[test]
fn given_a_deviation_when_the_set_is_capped_should_take_along_what_it_needs() {
    let mut storage = MemoryStorage::new();
    for name in 0..12 {
        let handle = storage.create(&format!("{name}.tmp")).unwrap();
        storage.write(handle, 0, b"1234").unwrap();
        storage.rename(&format!("{name}.tmp"), &format!("{name}")).unwrap();
    }
    let set = storage.images(Policy::Ext4Ordered, 50, 1);
    let everything = storage.images(Policy::PosixWeak, 50, 1);
    assert!(everything.capped);
    for image in set.images.iter().chain(&everything.images) {
        assert_eq!(storage.image(&image.choice).fingerprint(), image.fingerprint);
    }
    // The first rename lost and all else kept: the temporary file is still there.
    let tmp = |image: &fencepost_storage::Image| storage.image(&image.choice).exists("0.tmp").unwrap();
    assert!(everything.images.iter().any(|image| image.choice.kept.len() == 35 && tmp(image)));
}

#[test]
fn given_many_replaced_files_when_inodes_are_used_again_should_show_the_same_files() {
    let mut storage = with_file(b"12");
    // The handle that wrote `x` is closed.
    storage.crash_process();
    let held = storage.create("a/held").unwrap();
    storage.write(held, 0, b"held").unwrap();
    storage.remove("a/held").unwrap();
    storage.write_back();
    // Nothing but the handle reaches the one file, nothing but its durable name the other.
    storage.remove("x").unwrap();
    for round in 0..2000u32 {
        let handle = storage.create("b/y.tmp").unwrap();
        storage.write(handle, 0, &round.to_le_bytes()).unwrap();
        storage.sync_file(handle).unwrap();
        storage.close(handle).unwrap();
        storage.rename("b/y.tmp", "b/y").unwrap();
        storage.sync_directory("b").unwrap();
        assert_eq!(dropped(&storage)["b/y"], file(&round.to_le_bytes()));
    }
    assert_eq!(storage.read(held, 0, 9).unwrap(), b"held");
    assert_eq!(dropped(&storage)["x"], file(b"12"));
}

#[test]
fn given_wrong_paths_when_the_disk_is_asked_should_not_leave_the_root() {
    let outer = tempfile::tempdir().unwrap();
    std::fs::write(outer.path().join("secret"), b"secret").unwrap();
    let root = outer.path().join("root");
    std::fs::create_dir(&root).unwrap();
    let mut storage = DiskStorage::new(&root).unwrap();
    let long = "n".repeat(256);
    for path in ["../secret", "/etc/passwd", "a/../../secret", "./x", "", "x/", "x\0y", long.as_str()] {
        assert_eq!(storage.open(path).unwrap_err().kind(), ErrorKind::BadPath, "{path:?}");
        assert_eq!(storage.create(path).unwrap_err().kind(), ErrorKind::BadPath, "{path:?}");
    }
    assert_eq!(storage.open(&"d/".repeat(100_000)).unwrap_err().kind(), ErrorKind::BadPath);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(outer.path(), root.join("out")).unwrap();
        assert_eq!(storage.open("out/secret").unwrap_err().kind(), ErrorKind::BadPath);
        assert_eq!(storage.open("out").unwrap_err().kind(), ErrorKind::BadPath);
    }
    assert_eq!(DiskStorage::new(&root.join("none")).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn given_huge_numbers_when_files_are_written_should_be_refused_and_not_take_memory() {
    let mut storage = with_file(b"12");
    let handle = storage.open("x").unwrap();
    assert_eq!(storage.write(handle, u64::MAX, b"1").unwrap_err().kind(), ErrorKind::NoSpace);
    assert_eq!(storage.truncate(handle, u64::MAX).unwrap_err().kind(), ErrorKind::NoSpace);
    assert_eq!(storage.read(handle, u64::MAX, usize::MAX).unwrap(), b"");
    assert_eq!(storage.read(handle, 1, usize::MAX).unwrap(), b"2");
}

#[test]
fn given_the_names_of_policies_when_read_should_be_found_again() {
    for policy in Policy::ALL {
        assert_eq!(policy.to_string().parse(), Ok(policy));
    }
    assert!("ext3".parse::<Policy>().unwrap_err().contains("posix-weak"));
}

#[test]
fn given_a_file_that_is_renamed_twice_when_power_is_lost_should_have_one_of_its_names() {
    let mut storage = with_file(b"12");
    storage.rename("x", "y").unwrap();
    storage.rename("y", "z").unwrap();
    // The second rename is built on the first: it cannot survive alone and leave `x` behind.
    for policy in [Policy::PosixWeak, Policy::Ext4Ordered] {
        assert_eq!(count(&storage, policy), 3, "{policy}");
    }
    let second = storage.pending()[1].clone();
    assert_eq!(second.parents, [storage.pending()[0].id]);
    let mut image = storage.image(&ImageChoice { kept: vec![second.id], torn: vec![] });
    assert!(image.exists("x").unwrap() && !image.exists("z").unwrap());
}
