//! Files that are replaced as a whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Replaces a file. A reader sees the old text or the new one; if something goes wrong, a full disk for example, the old one stays.
///
/// # Errors
/// That the text cannot be written, or not be given the name.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    // A device is written to, and a symbolic link stays one: what it points to is replaced.
    if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return File::create(path)?.write_all(text.as_bytes());
    }
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let name = target.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let temporary = target.with_file_name(format!(".{name}.{}.new", std::process::id()));
    let replaced = write_new(&temporary, text).and_then(|()| fs::rename(&temporary, &target));
    if replaced.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    replaced
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut file: File = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_a_file_when_written_should_be_replaced_and_leave_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("book.md");
        fs::write(&path, "old").expect("a file");
        replace(&path, "new").expect("written");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "new");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn given_no_room_when_written_should_say_so() {
        let full = Path::new("/dev/full");
        if full.exists() {
            assert!(replace(full, "new").is_err());
        }
        let folder = tempfile::tempdir().expect("a folder");
        let inside = folder.path().join("no-such-folder").join("book.md");
        assert!(replace(&inside, "new").is_err());
    }
}
