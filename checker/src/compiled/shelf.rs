//! A temporary file without a name, for rows that need not be in memory. It is gone when the process ends, however it ends.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Bytes that are written at a time.
const PIECE_BYTES: usize = 1 << 20;

/// The file, which is made when something is put into it.
pub(super) struct Shelf {
    /// Where it is made; if not said, in the system's folder for temporary files.
    folder: Option<PathBuf>,
    file: Option<Arc<File>>,
    /// Where the next piece comes.
    end: u64,
}

/// Rows in the file.
pub(super) struct Filed {
    file: Arc<File>,
    /// Where they begin.
    offset: u64,
    /// Whether a cell has 32 bits, not 16.
    is_wide: bool,
}

impl Shelf {
    /// An empty file, to be made in a folder, or in the system's folder for temporary files.
    pub(super) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, file: None, end: 0 }
    }

    /// Adds cells of 16 bits.
    ///
    /// # Errors
    /// That the file cannot be made or written.
    pub(super) fn put_narrow(&mut self, cells: &[u16]) -> io::Result<Filed> {
        self.put(cells, |cell| cell.to_ne_bytes(), false)
    }

    /// Adds cells of 32 bits.
    ///
    /// # Errors
    /// That the file cannot be made or written.
    pub(super) fn put_wide(&mut self, cells: &[u32]) -> io::Result<Filed> {
        self.put(cells, |cell| cell.to_ne_bytes(), true)
    }

    fn put<C: Copy, const BYTES: usize>(
        &mut self,
        cells: &[C],
        bytes_of: impl Fn(C) -> [u8; BYTES],
        is_wide: bool,
    ) -> io::Result<Filed> {
        let file = self.file()?;
        let (offset, mut end, mut bytes) = (self.end, self.end, Vec::with_capacity(PIECE_BYTES));
        for piece in cells.chunks(PIECE_BYTES / BYTES) {
            bytes.clear();
            bytes.extend(piece.iter().flat_map(|cell| bytes_of(*cell)));
            write_all_at(&file, &bytes, end)?;
            end += bytes.len() as u64;
        }
        self.end = end;
        Ok(Filed { file, offset, is_wide })
    }

    fn file(&mut self) -> io::Result<Arc<File>> {
        if let Some(file) = &self.file {
            return Ok(Arc::clone(file));
        }
        let file = match &self.folder {
            Some(folder) => tempfile::tempfile_in(folder),
            None => tempfile::tempfile(),
        };
        Ok(Arc::clone(self.file.insert(Arc::new(file?))))
    }
}

impl Filed {
    /// Whether a cell has 32 bits, not 16.
    pub(super) fn is_wide(&self) -> bool {
        self.is_wide
    }

    /// Whether the cells from `start` on are those of a row.
    #[cold]
    pub(super) fn is(&self, start: usize, row: &[u32]) -> bool {
        let mut found = Vec::new();
        self.load(start, row.len(), &mut found);
        found == row
    }

    /// Adds the cells from `start` on to a row.
    ///
    /// # Panics
    /// If the file cannot be read: a search without its states can say nothing, and who asks for a state is far away from
    /// anybody who could stop the search.
    #[cold]
    pub(super) fn load(&self, start: usize, width: usize, row: &mut Vec<u32>) {
        let bytes_of_cell = if self.is_wide { 4 } else { 2 };
        let mut bytes = vec![0; width * bytes_of_cell];
        if let Err(error) = read_exact_at(&self.file, &mut bytes, self.offset + (start * bytes_of_cell) as u64) {
            panic!("the temporary file with the states of this exploration cannot be read: {error}");
        }
        if self.is_wide {
            row.extend(bytes.as_chunks().0.iter().map(|cell| u32::from_ne_bytes(*cell)));
        } else {
            row.extend(bytes.as_chunks().0.iter().map(|cell| u32::from(u16::from_ne_bytes(*cell))));
        }
    }
}

#[cfg(unix)]
fn write_all_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

/// Elsewhere nothing tells how much memory the process holds, so nothing is ever filed.
#[cfg(not(unix))]
fn write_all_at(_file: &File, _bytes: &[u8], _offset: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(unix))]
fn read_exact_at(_file: &File, _bytes: &mut [u8], _offset: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::Shelf;

    #[test]
    fn given_more_than_a_piece_when_put_should_be_read_again() {
        let mut shelf = Shelf::new(None);
        let narrow: Vec<u16> = (0..1_200_000_u32).map(|cell| (cell % 65_521) as u16).collect();
        let wide: Vec<u32> = (0..600_000).map(|cell| cell * 7_000).collect();
        let (narrow_filed, wide_filed) = (shelf.put_narrow(&narrow), shelf.put_wide(&wide));
        let (narrow_filed, wide_filed) = (narrow_filed.expect("there is room"), wide_filed.expect("there is room"));
        for start in [0, 524_287, 524_288, 599_998] {
            let row = [u32::from(narrow[start]), u32::from(narrow[start + 1])];
            assert!(narrow_filed.is(start, &row) && !narrow_filed.is(start + 1, &row));
            assert!(wide_filed.is(start, &wide[start..start + 2]) && !wide_filed.is(start, &row));
        }
    }

    #[test]
    fn given_no_folder_when_put_should_be_an_error() {
        assert!(Shelf::new(Some(PathBuf::from("/nowhere/at/all"))).put_narrow(&[1]).is_err());
    }
}
