//! The file of the book: read, compared, and replaced.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use fencepost_spec::diagnostic::Problem;

use crate::{select, whole_file};

/// Where the book is.
pub(super) struct Place {
    path: PathBuf,
}

impl Place {
    /// A file in a folder that exists.
    pub fn new(path: &Path) -> Result<Self, Problem> {
        let folder = match path.parent() {
            Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
            Some(folder) => folder,
            None => return Err(Problem::new(format!("`{}` is no file", path.display()))),
        };
        if !folder.is_dir() {
            let problem = Problem::new(format!("there is no folder `{}`", folder.display()));
            return Err(problem.with_help("make the folder, or name another file with --output"));
        }
        if path.is_dir() {
            return Err(Problem::new(format!("`{}` is a folder, not a file", path.display())));
        }
        Ok(Self { path: path.to_owned() })
    }

    /// Its name for messages.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// The text that is there.
    pub fn read(&self) -> Result<String, Problem> {
        select::read_file(&self.name())
    }

    /// Replaces the file.
    pub fn write(&self, text: &str) -> io::Result<()> {
        whole_file::replace(&self.path, text)
    }
}

/// The first line in which two texts differ.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Difference<'a> {
    /// Number of the line, from 1.
    line: usize,
    present: Option<&'a str>,
    wanted: Option<&'a str>,
}

/// The first difference of the text that is there from the one that is wanted.
pub(super) fn first_difference<'a>(present: &'a str, wanted: &'a str) -> Option<Difference<'a>> {
    let (mut left, mut right) = (present.split('\n'), wanted.split('\n'));
    for line in 1.. {
        match (left.next(), right.next()) {
            (None, None) => return None,
            (present, wanted) if present != wanted => return Some(Difference { line, present, wanted }),
            _ => {}
        }
    }
    None
}

impl fmt::Display for Difference<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |line: Option<&str>| line.map_or("(the end of the file)".to_owned(), |line| format!("{line:?}"));
        writeln!(formatter, "The first line that differs is line {}:", self.line)?;
        writeln!(formatter, "  is        {}", shown(self.present))?;
        writeln!(formatter, "  should be {}", shown(self.wanted))?;
        writeln!(formatter, "`fencepost book` writes it anew.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_equal_texts_when_compared_should_find_no_difference() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(first_difference("", ""), None);
    }

    #[test]
    fn given_texts_that_differ_when_compared_should_name_the_first_line() {
        let line = |present, wanted| first_difference(present, wanted).map(|difference| difference.line);
        assert_eq!(line("a\nb\nc\n", "a\nx\ny\n"), Some(2));
        assert_eq!(line("a\n", "a\nb\n"), Some(2));
        assert_eq!(line("a", "a\n"), Some(2), "the last line end is missing");
        assert_eq!(line("a\r\n", "a\n"), Some(1), "other line ends");
        let text = first_difference("a\r\n", "a\n").map(|difference| difference.to_string()).unwrap_or_default();
        assert!(text.contains(r#""a\r""#), "{text}");
    }

    #[test]
    fn given_no_folder_or_a_folder_as_file_when_opened_should_be_a_problem() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(Place::new(&folder.path().join("none").join("book.md")).is_err());
        assert!(Place::new(folder.path()).is_err());
        assert!(Place::new(&folder.path().join("book.md")).is_ok_and(|place| place.read().is_err()));
    }
}
