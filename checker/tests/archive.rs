//! An archive keeps whole levels of one exploration, and nothing else counts.

use std::fs;
use std::path::Path;

use fencepost_checker::archive::{Archive, ArchiveError};
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn open(folder: &Path) -> Archive {
    Archive::open(folder, "this").expect("opened")
}

/// An archive with some levels, each with its number and a text.
fn with_levels(folder: &Path, levels: u32) -> Archive {
    let archive = open(folder);
    for level in 0..levels {
        archive.write(level, &(level, "x".repeat(100_000))).expect("written");
    }
    archive
}

#[test]
fn given_levels_when_opened_again_should_be_read_as_they_were_written() {
    let folder = folder();
    drop(with_levels(&folder.path().join("a/b"), 3));
    let archive = open(&folder.path().join("a/b"));
    assert_eq!(archive.levels(), 3);
    for level in 0..3 {
        assert_eq!(archive.read::<(u32, String)>(level).expect("read"), (level, "x".repeat(100_000)));
    }
    assert!(matches!(archive.read::<(u32, String)>(3), Err(ArchiveError::File { .. })));
}

#[test]
fn given_any_byte_changed_or_cut_when_counted_should_not_count_from_there_on() {
    let folder = folder();
    let archive = open(folder.path());
    for level in 0..4_u32 {
        archive.write(level, &[level; 3]).expect("written");
    }
    let path = folder.path().join("level-00002");
    let whole = fs::read(&path).expect("a file");
    let changed = (0..whole.len()).map(|place| {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x40;
        bytes
    });
    let longer = [whole.clone(), vec![0]].concat();
    let torn: Vec<_> = changed.chain((0..whole.len()).map(|end| whole[..end].to_vec())).chain([longer]).collect();
    for bytes in torn {
        fs::write(&path, bytes).expect("written");
        assert_eq!(archive.levels(), 2);
        assert!(matches!(archive.read::<[u32; 3]>(2), Err(ArchiveError::Damaged { .. })));
    }
    fs::write(&path, whole).expect("written");
    assert_eq!(archive.levels(), 4);
    fs::remove_file(&path).expect("removed");
    assert_eq!(archive.levels(), 2);
}

#[test]
fn given_a_level_written_again_when_counted_should_have_forgotten_those_after_it() {
    let folder = folder();
    let archive = with_levels(folder.path(), 4);
    archive.write(1, &"another").expect("written");
    assert_eq!(archive.levels(), 2);
    assert_eq!(archive.read::<String>(1).expect("read"), "another");
    archive.forget_from(0).expect("removed");
    assert_eq!(archive.levels(), 0);
}

#[test]
fn given_another_identity_when_opened_should_be_refused_and_name_both() {
    let folder = folder();
    drop(with_levels(folder.path(), 1));
    let error = Archive::open(folder.path(), "that").expect_err("another");
    assert!(matches!(error, ArchiveError::Other { .. }));
    let text = error.to_string();
    assert!(
        text.contains("this") && text.contains("that") && text.contains(&*folder.path().to_string_lossy()),
        "{text}"
    );
    assert_eq!(open(folder.path()).levels(), 1, "nothing was changed");
}

#[test]
fn given_levels_without_identity_when_opened_should_be_forgotten() {
    let folder = folder();
    drop(with_levels(folder.path(), 2));
    fs::remove_file(folder.path().join("identity")).expect("removed");
    assert_eq!(open(folder.path()).levels(), 0);
}

#[test]
fn given_an_open_archive_when_opened_once_more_should_be_refused() {
    let folder = folder();
    let archive = open(folder.path());
    assert!(matches!(Archive::open(folder.path(), "this"), Err(ArchiveError::InUse { .. })));
    drop(archive);
    open(folder.path());
}

#[test]
fn given_a_level_of_another_type_when_read_should_be_an_error() {
    let folder = folder();
    let archive = open(folder.path());
    archive.write(0, &vec![300_u32, 1]).expect("written");
    assert!(matches!(archive.read::<String>(0), Err(ArchiveError::Damaged { .. })));
    assert!(matches!(archive.read::<u8>(0), Err(ArchiveError::Damaged { .. })));
}

#[test]
fn given_a_folder_that_cannot_be_made_when_opened_should_be_an_error() {
    let folder = folder();
    let file = folder.path().join("file");
    fs::write(&file, "").expect("written");
    let error = Archive::open(&file.join("below"), "this").expect_err("no folder");
    assert!(matches!(error, ArchiveError::File { .. }), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn given_a_full_disk_when_written_should_name_the_file_and_keep_the_levels_before() {
    let folder = folder();
    let archive = with_levels(folder.path(), 2);
    // Where the level is written before it gets its name.
    std::os::unix::fs::symlink("/dev/full", folder.path().join("level-00002.unfinished")).expect("a link");
    let error = archive.write(2, &"x".repeat(200_000)).expect_err("a full disk");
    let text = error.to_string();
    assert!(text.contains("level-00002") && text.contains("No space left"), "{text}");
    assert_eq!(archive.levels(), 2);
    archive.write(2, &"there is room again").expect("written");
    assert_eq!(archive.levels(), 3);
}

#[test]
fn given_an_unfinished_file_when_opened_should_be_removed() {
    let folder = folder();
    drop(with_levels(folder.path(), 1));
    let unfinished = folder.path().join("level-00001.unfinished");
    fs::write(&unfinished, "torn").expect("written");
    assert_eq!(open(folder.path()).levels(), 1);
    assert!(!unfinished.exists());
}
