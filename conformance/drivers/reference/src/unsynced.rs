//! Which logical writes a power loss could still lose. A write into a file whose name is durably gone is not among them: whether it
//! comes to the disk or not, nobody will find it.

use std::collections::BTreeMap;

use fencepost_storage::Handle;

/// Follows names and writes, so that writes into files that are gone can be told from others.
#[derive(Debug, Default)]
pub(crate) struct Unsynced {
    /// Whether anybody wants to know.
    is_followed: bool,
    /// The number of the logical write that is under way.
    current: u64,
    /// The files that have a name, by path. Files from before are not known; all of them is durable.
    names: BTreeMap<String, usize>,
    handles: BTreeMap<Handle, usize>,
    /// The last directory of each file, and whether it is durably gone.
    files: Vec<(String, Fate)>,
    /// The logical writes, and the files that they wrote into.
    writes: Vec<(u64, usize)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Named,
    Nameless,
    Gone,
}

impl Unsynced {
    /// Begins anew: all files are durable.
    pub(crate) fn begin(is_followed: bool) -> Self {
        Self { is_followed, ..Self::default() }
    }

    /// The label of a logical write that begins, with its number.
    pub(crate) fn label(&mut self, label: &str) -> String {
        self.current += 1;
        if self.is_followed { format!("{label}#{}", self.current) } else { label.to_owned() }
    }

    pub(crate) fn created(&mut self, path: &str, file: Handle) {
        if self.is_followed {
            self.removed(path);
            let number = self.known(path);
            self.handles.insert(file, number);
        }
    }

    pub(crate) fn opened(&mut self, path: &str, file: Handle) {
        if self.is_followed {
            let number = self.known(path);
            self.handles.insert(file, number);
        }
    }

    /// The file that has this name; one from before is known from now on.
    fn known(&mut self, path: &str) -> usize {
        if let Some(number) = self.names.get(path) {
            return *number;
        }
        let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
        self.files.push((directory.to_owned(), Fate::Named));
        self.names.insert(path.to_owned(), self.files.len() - 1);
        self.files.len() - 1
    }

    pub(crate) fn written(&mut self, file: Handle) {
        if let Some(number) = self.handles.get(&file) {
            self.writes.push((self.current, *number));
        }
    }

    pub(crate) fn removed(&mut self, path: &str) {
        if let Some(number) = self.names.remove(path) {
            self.files[number].1 = Fate::Nameless;
        }
    }

    pub(crate) fn renamed(&mut self, from: &str, to: &str) {
        self.removed(to);
        if let Some(number) = self.names.remove(from) {
            self.names.insert(to.to_owned(), number);
        }
    }

    /// The names of a directory are durable now, the removals, too.
    pub(crate) fn directory_synced(&mut self, path: &str) {
        for (directory, fate) in &mut self.files {
            if *fate == Fate::Nameless && directory == path {
                *fate = Fate::Gone;
            }
        }
    }

    /// What a labelled logical write was called, unless all that it wrote is gone.
    pub(crate) fn name(&self, label: &str) -> Option<String> {
        let Some((name, number)) = label.rsplit_once('#') else {
            return Some(label.to_owned());
        };
        let number: u64 = number.parse().ok()?;
        let mut files = self.writes.iter().filter(|(write, _)| *write == number).map(|(_, file)| self.files[*file].1);
        let is_gone = files.next().is_some_and(|fate| fate == Fate::Gone) && files.all(|fate| fate == Fate::Gone);
        (!is_gone).then(|| name.to_owned())
    }
}
