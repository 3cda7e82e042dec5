//! Puts a cover together from what an engine counted: the same for all engines.

use std::collections::HashMap;
use std::hash::Hash;

use super::{Cover, CoverItem, CoverStep, ItemKind, Label};

/// All about one step.
pub(crate) struct Told<A> {
    pub(crate) action: A,
    pub(crate) label: Label,
    pub(crate) before: u64,
    pub(crate) after: u64,
}

/// Where an exploration can be asked about its steps.
pub(crate) trait Source {
    /// Names a step.
    type Step: Copy + Eq + Hash;
    /// The actions of the model.
    type Action;

    /// The step that first led to the state where this step starts; for an initial state its index among them.
    fn found_by(&self, step: Self::Step) -> Result<Self::Step, usize>;

    /// Tells about a step.
    fn tell(&self, step: Self::Step) -> Told<Self::Action>;
}

/// The cover with these items, given by kind and in the order in which they were first met: the first step of each, and its transitions.
pub(crate) fn assemble<S: Source>(
    source: &S,
    items: impl IntoIterator<Item = (ItemKind, S::Step, u64)>,
) -> Cover<S::Action> {
    let cover = Cover { labels: Vec::new(), steps: Vec::new(), items: Vec::new() };
    let mut assembly = Assembly { source, cover, numbers: HashMap::new(), labels: HashMap::new() };
    for (kind, step, transitions) in items {
        let witness = assembly.number(step);
        assembly.cover.items.push(CoverItem { kind, witness, transitions });
    }
    assembly.cover
}

/// A cover that grows.
struct Assembly<'a, S: Source> {
    source: &'a S,
    cover: Cover<S::Action>,
    numbers: HashMap<S::Step, usize>,
    labels: HashMap<Label, usize>,
}

impl<S: Source> Assembly<'_, S> {
    /// The index of a step, which is added with all steps before it if it is not there.
    fn number(&mut self, step: S::Step) -> usize {
        let (mut missing, mut at) = (vec![step], step);
        // The ways are as long as the exploration is deep: no recursion.
        let (mut previous, initial) = loop {
            if let Some(&known) = self.numbers.get(&at) {
                missing.pop();
                break (Some(known), self.cover.steps[known].initial);
            }
            match self.source.found_by(at) {
                Ok(before) => {
                    missing.push(before);
                    at = before;
                }
                Err(initial) => break (None, initial),
            }
        };
        for step in missing.into_iter().rev() {
            previous = Some(self.add(step, previous, initial));
        }
        previous.unwrap_or_else(|| unreachable!("the step itself is known or was added"))
    }

    fn add(&mut self, step: S::Step, previous: Option<usize>, initial: usize) -> usize {
        let Told { action, label, before, after } = self.source.tell(step);
        let labels = &mut self.cover.labels;
        let label = *self.labels.entry(label).or_insert_with_key(|label| {
            labels.push(label.clone());
            labels.len() - 1
        });
        let depth = 1 + previous.map_or(0, |previous| self.cover.steps[previous].depth);
        let number = self.cover.steps.len();
        self.cover.steps.push(CoverStep { previous, initial, depth, action, label, before, after });
        self.numbers.insert(step, number);
        number
    }
}
