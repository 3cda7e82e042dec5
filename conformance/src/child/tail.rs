//! The last lines that a child wrote to standard error.

/// Most bytes that are kept.
const MOST_BYTES: usize = 8 * 1024;
/// Most lines that are told.
const MOST_LINES: usize = 10;

/// The end of a stream.
#[derive(Default)]
pub(super) struct Tail {
    bytes: Vec<u8>,
}

impl Tail {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        let excess = self.bytes.len().saturating_sub(MOST_BYTES);
        self.bytes.drain(..excess);
    }

    /// The last lines, without blank ones.
    pub(super) fn lines(&self) -> Vec<String> {
        let text = String::from_utf8_lossy(&self.bytes);
        let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
        lines[lines.len().saturating_sub(MOST_LINES)..].iter().map(|line| (*line).to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_much_on_standard_error_when_kept_should_be_bounded_and_end_with_the_last_line() {
        let mut tail = Tail::default();
        for number in 0..100_000 {
            tail.push(format!("line {number}\n").as_bytes());
        }
        assert!(tail.bytes.len() <= MOST_BYTES);
        assert_eq!(tail.lines().len(), MOST_LINES);
        assert_eq!(tail.lines().last().map(String::as_str), Some("line 99999"));
    }
}
