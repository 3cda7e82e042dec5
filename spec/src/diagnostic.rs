//! Problems with input files: where, what, and what would be accepted.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde::de::DeserializeOwned;

/// A problem with some input. Its `Display` is the whole report: file, line, column, the offending text and help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong, one line.
    pub message: String,
    /// Where, if it is about a place in a file.
    pub place: Option<Place>,
    /// What would be accepted.
    pub help: Option<String>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Name of the file, as the user gave it.
    pub file: String,
    /// The file's text.
    pub text: String,
    /// Bytes of the offending text.
    pub span: Range<usize>,
}

impl Place {
    /// Line and column, both counted from 1; columns count characters.
    pub fn line_and_column(&self) -> (usize, usize) {
        let start = self.span.start.min(self.text.len());
        let before = &self.text[..start];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (line, column)
    }
}

impl Problem {
    /// A problem that concerns no place in a file.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), place: None, help: None }
    }

    /// A problem at a place in a file.
    pub fn at(file: &str, text: &str, span: Range<usize>, message: impl Into<String>) -> Self {
        let place = Place { file: file.to_owned(), text: text.to_owned(), span };
        Self { message: message.into(), place: Some(place), help: None }
    }

    /// Adds what would be accepted.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Some(place) = &self.place else {
            write!(formatter, "error: {}", self.message)?;
            return match &self.help {
                Some(help) => write!(formatter, "\n  = help: {help}"),
                None => Ok(()),
            };
        };
        let end = place.span.end.min(place.text.len()).max(place.span.start.min(place.text.len()));
        let span = place.span.start.min(end)..end;
        let snippet = Snippet::source(&place.text).path(&place.file).annotation(AnnotationKind::Primary.span(span));
        let mut group = Level::ERROR.primary_title(self.message.clone()).element(snippet);
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.clone()));
        }
        let report: [Group<'_>; 1] = [group];
        write!(formatter, "{}", Renderer::plain().render(&report))
    }
}

impl std::error::Error for Problem {}

/// The word among `known` that is most like `text`, if one is near enough to be meant.
pub fn nearest<'a>(text: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|word| (strsim::damerau_levenshtein(text, word), word))
        .filter(|(distance, word)| *distance <= (text.chars().count().max(word.chars().count()) / 2).max(2))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// The message for a word that is not known: it names the nearest one and all others.
pub fn unknown_word<'a>(text: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let all = known.clone().collect::<Vec<_>>().join(", ");
    match nearest(text, known) {
        Some(word) => format!("`{text}` is not known; did you mean `{word}`? Known: {all}"),
        None => format!("`{text}` is not known. Known: {all}"),
    }
}

/// Parses TOML strictly.
///
/// # Errors
/// A [`Problem`] with place and, for a misspelt key or word, the nearest one that would be accepted.
pub fn parse_toml<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, Problem> {
    toml::from_str::<T>(text).map_err(|error| toml_problem(file, text, &error))
}

/// Turns an error of the TOML parser into a [`Problem`].
pub fn toml_problem(file: &str, text: &str, error: &toml::de::Error) -> Problem {
    let message = error.message().to_owned();
    let span = error.span().unwrap_or(0..0);
    let problem = Problem::at(file, text, span, message.clone());
    match quoted(&message).split_first() {
        Some((given, known)) if !known.is_empty() && message.starts_with("unknown ") => {
            let known = known.iter().map(String::as_str);
            match nearest(given, known.clone()) {
                Some(word) => problem.with_help(format!("did you mean `{word}`?")),
                None => problem.with_help(format!("accepted: {}", known.collect::<Vec<_>>().join(", "))),
            }
        }
        _ => problem,
    }
}

/// The parts of a message that stand between back quotes.
fn quoted(message: &str) -> Vec<String> {
    message.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}
