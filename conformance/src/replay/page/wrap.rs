//! Lines of limited width.

/// A text in lines of at most `width` columns: the first after `first`, the others after blanks of the same width. Line ends of the
/// text stay. A word that is longer than a line keeps a line of its own.
pub(super) fn wrapped(first: &str, text: &str, width: usize) -> String {
    let indent = " ".repeat(first.chars().count());
    let mut lines: Vec<String> = Vec::new();
    for part in text.lines() {
        let lead = if lines.is_empty() { first } else { indent.as_str() };
        let mut line = lead.to_owned();
        let mut is_empty = true;
        for word in part.split_whitespace() {
            if !is_empty && line.chars().count() + 1 + word.chars().count() > width {
                lines.push(std::mem::replace(&mut line, indent.clone()));
                is_empty = true;
            }
            if !is_empty {
                line.push(' ');
            }
            line.push_str(word);
            is_empty = false;
        }
        lines.push(line);
    }
    lines.iter().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// JSON text without blanks, in lines of at most `width` columns, as far as its words allow. Its first line begins in column `indent`
/// and is not indented; the order of keys stays.
pub(super) fn json(text: &str, indent: usize, width: usize) -> String {
    laid_out("", text, indent, width)
}

/// JSON text after its key.
fn laid_out(key: &str, text: &str, indent: usize, width: usize) -> String {
    let inside = text.strip_prefix(['{', '[']).and_then(|inside| inside.strip_suffix(['}', ']']));
    // One column is kept for the comma after it.
    let is_too_long = indent + key.chars().count() + text.chars().count() + 1 > width;
    let Some(inside) = inside.filter(|inside| !inside.is_empty() && is_too_long) else {
        return format!("{key}{text}");
    };
    let (open, close) = if text.starts_with('{') { ('{', '}') } else { ('[', ']') };
    let deeper = indent + 2;
    let part = |part: &str| {
        let (key, value) = part.split_at(if open == '{' { after_key(part) } else { 0 });
        format!("{}{}", " ".repeat(deeper), laid_out(key, value, deeper, width))
    };
    let parts: Vec<String> = split(inside).into_iter().map(part).collect();
    format!("{key}{open}\n{}\n{}{close}", parts.join(",\n"), " ".repeat(indent))
}

/// The parts between the outermost commas of JSON text.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0usize, 0usize);
    for (index, character) in outside_of_strings(text) {
        match character {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// Where the value begins after the key and the colon.
fn after_key(text: &str) -> usize {
    outside_of_strings(text).find(|(_, character)| *character == ':').map_or(0, |(index, _)| index + 1)
}

/// The characters of JSON text that are not part of a string, with their places.
fn outside_of_strings(text: &str) -> impl Iterator<Item = (usize, char)> {
    let (mut is_inside, mut is_escaped) = (false, false);
    text.char_indices().filter(move |(_, character)| {
        let was_inside = is_inside;
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' if is_inside => is_escaped = true,
            '"' => is_inside = !is_inside,
            _ => {}
        }
        !was_inside && *character != '"'
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_long_json_when_laid_out_should_keep_values_order_and_width() {
        let text =
            r#"{"verb":"start","call":{"payloads":["a, {b","c\"]",""],"kind":"send"},"n":[[0,"x"],[1,"y"]],"e":{}}"#;
        for width in [20, 30, 60, 200] {
            let laid = json(text, 4, width);
            let (left, right): (serde_json::Value, serde_json::Value) =
                (serde_json::from_str(&laid).unwrap(), serde_json::from_str(text).unwrap());
            assert_eq!(left, right, "the layout changed the value");
            let joined: String = laid.lines().map(str::trim_start).collect();
            assert_eq!(joined, text, "the layout changed more than line ends");
            if width > 20 {
                assert!(laid.lines().all(|line| line.len() <= width), "{laid}");
            }
        }
    }

    #[test]
    fn given_words_when_wrapped_should_hang_under_the_first_and_keep_line_ends() {
        let text = wrapped("  1. ", "aaa bbb ccc\nddd", 12);
        assert_eq!(text, "  1. aaa bbb\n     ccc\n     ddd\n");
    }
}
