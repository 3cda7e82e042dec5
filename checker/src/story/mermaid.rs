//! Stories as Mermaid sequence diagrams.

use super::{Story, StoryLine};

/// The diagram of a story.
pub(super) fn diagram(story: &Story) -> String {
    let participants = Participants::of(&story.lines);
    let mut lines = vec!["sequenceDiagram".to_owned()];
    if !story.title.trim().is_empty() {
        lines.push(format!("    title {}", escape(&story.title)));
    }
    for (index, name) in participants.names.iter().enumerate() {
        lines.push(format!("    participant p{index} as {}", escape(name)));
    }
    let has_loop = story.loop_start.is_some_and(|start| start < story.lines.len());
    for (index, line) in story.lines.iter().enumerate() {
        if story.loop_start == Some(index) {
            lines.push("    loop for ever".to_owned());
        }
        push_step(&mut lines, &participants, line);
    }
    if has_loop {
        lines.push("    end".to_owned());
    }
    if !story.ending.trim().is_empty() {
        lines.push(format!("    Note over {}: {}", participants.span(), escape(&story.ending)));
    }
    lines.join("\n") + "\n"
}

fn push_step(lines: &mut Vec<String>, participants: &Participants<'_>, line: &StoryLine) {
    let telling = &line.telling;
    let (actor, towards) = (participants.alias(&telling.actor), participants.alias(&telling.towards));
    lines.push(format!("    {actor}->>{towards}: {}. {}", line.number, escape(&telling.text)));
    for change in &telling.changes {
        lines.push(format!("    Note over {towards}: {}", escape(change)));
    }
}

/// The participants in the order in which they appear. Their names may hold anything, so they get aliases.
struct Participants<'a> {
    names: Vec<&'a str>,
}

impl<'a> Participants<'a> {
    fn of(lines: &'a [StoryLine]) -> Self {
        let mut names: Vec<&str> = Vec::new();
        for name in lines.iter().flat_map(|line| [&line.telling.actor, &line.telling.towards]) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        if names.is_empty() {
            // The ending of a story without steps needs a participant to stand over.
            names.push("nobody");
        }
        Self { names }
    }

    fn alias(&self, name: &str) -> String {
        format!("p{}", self.names.iter().position(|known| *known == name).unwrap_or(0))
    }

    /// From the first to the last.
    fn span(&self) -> String {
        match self.names.len() {
            1 => "p0".to_owned(),
            count => format!("p0,p{}", count - 1),
        }
    }
}

/// Text that Mermaid shows as it is: characters with a meaning become entities, lines are joined, and the word "end",
/// which would close a block, is disguised.
fn escape(text: &str) -> String {
    let words = text.split_whitespace().map(|word| {
        let mut escaped = String::new();
        for (index, character) in word.chars().enumerate() {
            match character {
                '#' | ';' | '<' | '>' | '%' | '&' | '{' | '}' | '"' | '\\' | '`' => {
                    escaped.push_str(&format!("#{};", u32::from(character)));
                }
                'e' | 'E' if index == 0 && word.eq_ignore_ascii_case("end") => {
                    escaped.push_str(&format!("#{};", u32::from(character)));
                }
                _ => escaped.push(character),
            }
        }
        escaped
    });
    let escaped = words.collect::<Vec<_>>().join(" ");
    // Mermaid wants some text after a colon.
    if escaped.is_empty() { "…".to_owned() } else { escaped }
}
