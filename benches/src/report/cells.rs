//! Numbers as cells of tables.

/// What stands where there is no number.
pub(super) const NOTHING: &str = "-";

/// A number with its thousands apart.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Three digits that count.
pub(super) fn three_digits(number: f64) -> String {
    match number.abs() {
        size if size >= 100.0 => grouped(number.round() as u64),
        size if size >= 10.0 => format!("{number:.1}"),
        size if size >= 1.0 => format!("{number:.2}"),
        size if size >= 0.1 => format!("{number:.3}"),
        _ => format!("{number:.4}"),
    }
}

/// A number, if there is one.
pub(super) fn maybe(number: Option<f64>) -> String {
    number.map_or_else(|| NOTHING.to_owned(), three_digits)
}

/// A count, if there is one.
pub(super) fn maybe_count(number: Option<u64>) -> String {
    number.map_or_else(|| NOTHING.to_owned(), grouped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_numbers_of_any_size_when_written_should_show_the_digits_that_count() {
        assert_eq!(three_digits(1_234_567.8), "1,234,568");
        assert_eq!(three_digits(12.345), "12.3");
        assert_eq!(three_digits(0.0123), "0.0123");
        assert_eq!(maybe(None), "-");
    }
}
