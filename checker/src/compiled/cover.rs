//! What a search saw, by numbers: a transition costs a few look-ups.

use std::cmp::Ordering;

use crate::actor_system::ActorSystem;
use crate::cover::{Abstraction, Cover, ItemKind, Label, Said, Source, Told, assemble};
use crate::guide::Guide;

use super::Search;
use super::counts::{Count, Step};
use super::expand::{Scratch, Successor};
use super::intern::{NOTHING, Values};
use super::settled::{Memo, Places, lock, pair};
use super::step::Kind;
use super::tables::Tables;

/// How many judgements fit into the key of a label.
const MOST_IN_KEY: usize = 32;

/// What was seen of a transition: numbers of its label, and of the classes of all actors and the abstraction that they are led to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sighting {
    label: u32,
    after: Place,
}

/// Where a state is, as far as its abstraction tells.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// The number of the classes of all actors.
    classes: u32,
    /// The number of the abstraction.
    abstraction: u32,
}

/// Items that a thread saw.
#[repr(align(128))]
pub(super) struct Sightings {
    /// By labels: that of the step that found a state, and that of a step from there.
    pairs: Places<u64, Count>,
    /// By abstractions before and after, and label.
    transitions: Places<(u64, u32), Count>,
}

impl Default for Sightings {
    fn default() -> Self {
        Self { pairs: Places::new(), transitions: Places::new() }
    }
}

impl Sightings {
    /// Changes all counts by those of others.
    fn combine(&mut self, others: &Self, change: impl Fn(&mut Count, &Count)) {
        for (key, other) in others.pairs.iter() {
            change(self.pairs.value_mut(key), &other);
        }
        for (key, other) in others.transitions.iter() {
            change(self.transitions.value_mut(key), &other);
        }
    }
}

/// What is remembered for a cover.
pub(super) struct Covering<'a, M: ActorSystem> {
    of_model: &'a dyn Abstraction<M>,
    /// The classes of actors.
    classes: Values<u64>,
    /// By situation: the number of its class.
    class_of: Vec<u32>,
    /// The classes of all actors together, as numbers.
    tuples: Values<Vec<u32>>,
    abstractions: Values<u64>,
    labels: Values<Label>,
    /// By classes of all actors, the actor that changes, and its class afterwards.
    moves: Memo<(u64, u32), Place>,
    /// By judgements that depend on more than the step, and by class of the transition.
    label_of: Memo<(u64, u32), u32>,
    /// By state: the label of the step that found it ([`NOTHING`] for an initial one), and where it is.
    states: Vec<Sighting>,
}

impl<'a, M: ActorSystem> Covering<'a, M> {
    /// Nothing seen yet.
    pub(super) fn new(of_model: &'a dyn Abstraction<M>) -> Self {
        Self {
            of_model,
            classes: Values::new(),
            class_of: Vec::new(),
            tuples: Values::new(),
            abstractions: Values::new(),
            labels: Values::new(),
            moves: Memo::new(),
            label_of: Memo::new(),
            states: Vec::new(),
        }
    }

    /// Makes settled what threads added.
    pub(super) fn settle<G: Guide<M>>(&mut self, tables: &Tables<'_, M, G>) {
        self.moves.settle();
        self.label_of.settle();
        let situations = tables.situations.read();
        for situation in &situations.list()[self.class_of.len()..] {
            let class = self.of_model.actor_class(situation.index, &situation.state);
            self.class_of.push(self.classes.intern(class));
        }
    }

    /// Adds a state that was found by what was seen.
    pub(super) fn add_state(&mut self, sighting: Sighting) {
        self.states.push(sighting);
    }

    /// What is seen of an initial state. All situations must be settled.
    pub(super) fn initially<G: Guide<M>>(&self, tables: &Tables<'_, M, G>, row: &[u32]) -> Sighting {
        let situations = &row[..tables.layout.actors];
        let classes = situations.iter().map(|situation| self.class_of[*situation as usize]).collect();
        Sighting { label: NOTHING, after: self.place(classes) }
    }

    fn place(&self, classes: Vec<u32>) -> Place {
        let values: Vec<u64> = classes.iter().map(|class| *self.classes.get(*class)).collect();
        let abstraction = self.abstractions.intern(self.of_model.combine(&values));
        Place { classes: self.tuples.intern(classes), abstraction }
    }

    /// Sees a transition and counts what it shows.
    #[inline]
    pub(super) fn see<G: Guide<M>>(
        &self,
        tables: &Tables<'_, M, G>,
        sightings: &mut Sightings,
        successor: &Successor<'_>,
        step: Step,
    ) -> Sighting {
        let sighting = self.look(tables, successor, step.from);
        let Sighting { label: found_by, after: before } = self.states[step.from as usize];
        if found_by != NOTHING {
            sightings.pairs.value_mut(pair(found_by, sighting.label)).add(tables, step);
        }
        let abstractions = pair(before.abstraction, sighting.after.abstraction);
        sightings.transitions.value_mut((abstractions, sighting.label)).add(tables, step);
        sighting
    }

    /// What is seen of a transition.
    #[inline]
    fn look<G: Guide<M>>(&self, tables: &Tables<'_, M, G>, successor: &Successor<'_>, from: u32) -> Sighting {
        let before = self.states[from as usize].after;
        let after = match successor.changed_actor(tables.layout.actors) {
            None => before,
            Some((column, situation)) => {
                let class = match self.class_of.get(situation as usize) {
                    Some(class) => *class,
                    None => self.class_of_new(tables, situation),
                };
                self.moves.get_or((pair(before.classes, column), class), || {
                    let mut classes = (*self.tuples.get(before.classes)).clone();
                    classes[column as usize] = class;
                    self.place(classes)
                })
            }
        };
        Sighting { label: self.label(tables, successor), after }
    }

    #[cold]
    fn class_of_new<G: Guide<M>>(&self, tables: &Tables<'_, M, G>, situation: u32) -> u32 {
        let situation = tables.situations.get(situation);
        self.classes.intern(self.of_model.actor_class(situation.index, &situation.state))
    }

    #[inline]
    fn label<G: Guide<M>>(&self, tables: &Tables<'_, M, G>, successor: &Successor<'_>) -> u32 {
        let label = || self.labels.intern(label_of(tables, successor));
        if successor.seen.len() > MOST_IN_KEY {
            return label();
        }
        let judgements = successor.seen.iter().fold(0, |key, (_, kind)| key << 2 | *kind as u64);
        self.label_of.get_or((judgements, successor.class), label)
    }
}

/// The label of a transition.
fn label_of<M: ActorSystem, G: Guide<M>>(tables: &Tables<'_, M, G>, successor: &Successor<'_>) -> Label {
    let class = tables.classes.get(successor.class);
    let said = |kind: &Kind| match kind {
        Kind::Silent | Kind::Depends => Said::Nothing,
        Kind::Upheld => Said::Upheld,
        Kind::Broken => Said::Broken,
    };
    let mut label = Label { terms: class.terms.clone(), said: class.kinds.iter().map(said).collect() };
    for (clause, kind) in successor.seen {
        label.said[*clause] = said(kind);
    }
    label
}

impl<M: ActorSystem, G: Guide<M>> Search<'_, M, G> {
    /// What the search saw.
    pub(super) fn cover(&self) -> Cover<M::Action> {
        let all = self.merged_sightings();
        let mut labels: Vec<Count> = Vec::new();
        for ((_, label), count) in all.transitions.iter() {
            if labels.len() <= label as usize {
                labels.resize(label as usize + 1, Count::default());
            }
            self.tables.add_count(&mut labels[label as usize], &count);
        }
        let labels = labels.into_iter().map(|count| (ItemKind::Label, count));
        let pairs = all.pairs.iter().map(|(_, count)| (ItemKind::LabelPair, count));
        let transitions = all.transitions.iter().map(|(_, count)| (ItemKind::AbstractTransition, count));
        let known = |(kind, count): (ItemKind, Count)| Some((kind, count.first?, count.transitions));
        let mut items: Vec<_> = labels.chain(pairs).chain(transitions).filter_map(known).collect();
        items.sort_unstable_by(|(kind, step, _), (other_kind, other, _)| {
            kind.cmp(other_kind).then_with(|| match (self.tables.is_before(*step, *other), step == other) {
                (true, _) => Ordering::Less,
                (_, true) => Ordering::Equal,
                _ => Ordering::Greater,
            })
        });
        assemble(self, items)
    }

    /// What all threads saw together.
    fn merged_sightings(&self) -> Sightings {
        let mut merged = Sightings::default();
        for worker in &self.workers {
            merged.combine(&lock(worker).sightings, |count, more| self.tables.add_count(count, more));
        }
        merged
    }

    /// Takes back what was seen from step `cut` on.
    pub(super) fn take_back_sightings(&mut self, later: &Sightings, cut: Step) {
        let mut left = self.merged_sightings();
        left.combine(later, |count, less| self.tables.subtract_count(count, less, cut));
        for worker in &self.workers {
            lock(worker).sightings = std::mem::take(&mut left);
        }
    }
}

impl<M: ActorSystem, G: Guide<M>> Source for Search<'_, M, G> {
    type Step = Step;
    type Action = M::Action;

    fn found_by(&self, step: Step) -> Result<Step, usize> {
        // Actor systems have one initial state.
        let from = self.parents.first_cell(step.from);
        if from == NOTHING {
            return Err(0);
        }
        let transitions = self.transitions(from);
        let first = transitions.into_iter().find(|(_, successor)| *successor == step.from);
        first.map(|(event, _)| Step { from, event }).ok_or_else(|| unreachable!("a state was found by a step"))
    }

    fn tell(&self, step: Step) -> Told<M::Action> {
        let Some(covering) = &self.covering else { unreachable!("a cover is told of by what covered") };
        let mut scratch = Scratch::default();
        self.states.load(step.from, &mut scratch.row);
        let mut sighting = None;
        self.tables.successors(self.boundary(), &mut scratch, |successor| {
            if successor.event == step.event {
                sighting = Some(covering.look(&self.tables, &successor, step.from));
            }
        });
        let Some(Sighting { label, after }) = sighting else {
            unreachable!("a step that was taken can be taken again")
        };
        let of = |place: Place| *covering.abstractions.get(place.abstraction);
        let before = of(covering.states[step.from as usize].after);
        let label = (*covering.labels.get(label)).clone();
        Told { action: self.tables.action(step.event), label, before, after: of(after) }
    }
}
