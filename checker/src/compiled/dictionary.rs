//! The values behind the numbers of a search, as bytes: so that rows of numbers can be read in another process, or later.
//!
//! Numbers are given in the order in which values are met, so they mean nothing elsewhere: a [`Dictionary`] lists what they stand for,
//! and a [`Translation`] is what the reader makes of it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use stateright::actor::{Actor, Envelope, RandomChoices, Timers};

use crate::guide::Unguided;
use crate::portable::{Portable, PortableSystem};

use super::network::NetworkKind;
use super::situation::Situation;
use super::step::Class;
use super::tables::Tables;

/// How many values of each kind there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Marks {
    envelopes: usize,
    situations: usize,
    inboxes: usize,
    histories: usize,
    contexts: usize,
}

/// Values in the order of their numbers, each as bytes. What refers to another value does so by the writer's numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Dictionary {
    envelopes: Vec<Vec<u8>>,
    situations: Vec<Vec<u8>>,
    inboxes: Vec<Vec<u32>>,
    histories: Vec<Vec<u8>>,
    /// By context: its history. There is no guide.
    contexts: Vec<u32>,
}

/// What the numbers of a writer are here.
#[derive(Clone, Debug, Default)]
pub(crate) struct Translation {
    envelopes: Vec<u32>,
    situations: Vec<u32>,
    inboxes: Vec<u32>,
    histories: Vec<u32>,
    contexts: Vec<u32>,
}

/// How much of the tables of a search is in an archive, and that it has the same numbers there.
#[derive(Default)]
pub(super) struct Archived {
    marks: Marks,
    classes: usize,
    translation: Translation,
}

impl Archived {
    /// Takes over what a level of the archive adds to the tables; whether it has the same numbers in them.
    #[must_use]
    pub(super) fn take_over<M: PortableSystem>(
        &mut self,
        tables: &Tables<'_, M, Unguided>,
        dictionary: &Dictionary,
        classes: Vec<Class>,
    ) -> bool {
        tables.adopt(dictionary, &mut self.translation);
        self.marks = tables.marks();
        are_next(classes.into_iter().map(|class| tables.classes.intern(class)), &mut self.classes)
            && self.translation.changes_nothing()
    }

    /// What a level adds to the archive.
    pub(super) fn addition<M: PortableSystem>(&self, tables: &Tables<'_, M, Unguided>) -> (Dictionary, Vec<Class>) {
        let classes = tables.classes.read();
        let new = classes.list()[self.classes..].iter().map(|class| (**class).clone());
        (tables.dictionary(self.marks), new.collect())
    }

    /// Notes that the addition is in the archive.
    pub(super) fn note<M: PortableSystem>(&mut self, tables: &Tables<'_, M, Unguided>) {
        (self.marks, self.classes) = (tables.marks(), tables.classes.read().list().len());
    }
}

/// Whether numbers are those after the known ones, which become known.
pub(super) fn are_next(mut numbers: impl Iterator<Item = u32>, known: &mut usize) -> bool {
    numbers.all(|number| {
        *known += 1;
        number as usize == *known - 1
    })
}

/// Everything of a situation, with sets and maps in a fixed order, so that equal ones are equal bytes.
type Parts<State, Timer, Random, Storage> =
    (usize, State, Vec<Timer>, Vec<(String, Vec<Random>)>, bool, Option<Storage>);

type PartsOf<A> = Parts<<A as Actor>::State, <A as Actor>::Timer, <A as Actor>::Random, <A as Actor>::Storage>;

/// The bytes of a value.
///
/// # Panics
/// If the value refuses to be written, which only a `Serialize` by hand can do.
pub(crate) fn bytes_of(value: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(value).unwrap_or_else(|error| panic!("a value cannot be written: {error}"))
}

/// The value of some bytes.
///
/// # Panics
/// If they are not the bytes of such a value: what comes here was written by the same program, and checked for damage.
pub(crate) fn value_of<T: Portable>(bytes: &[u8]) -> T {
    postcard::from_bytes(bytes).unwrap_or_else(|error| panic!("a value cannot be read: {error}"))
}

impl<M: PortableSystem> Tables<'_, M, Unguided> {
    /// How many values there are.
    pub(crate) fn marks(&self) -> Marks {
        Marks {
            envelopes: self.envelopes.read().list().len(),
            situations: self.situations.read().list().len(),
            inboxes: self.inboxes.read().list().len(),
            histories: self.histories.read().list().len(),
            contexts: self.contexts.read().list().len(),
        }
    }

    /// The values from `since` on.
    pub(crate) fn dictionary(&self, since: Marks) -> Dictionary {
        let situations = self.situations.read();
        Dictionary {
            envelopes: self.envelopes.read().list()[since.envelopes..].iter().map(|it| envelope_bytes(it)).collect(),
            situations: situations.list()[since.situations..].iter().map(|it| situation_bytes(it)).collect(),
            inboxes: self.inboxes.read().list()[since.inboxes..].iter().map(|inbox| (**inbox).clone()).collect(),
            histories: self.histories.read().list()[since.histories..].iter().map(|it| bytes_of(&**it)).collect(),
            contexts: self.contexts.read().list()[since.contexts..].iter().map(|context| context.0).collect(),
        }
    }

    /// Takes over the values of a writer, which come after those that `translation` knows.
    pub(crate) fn adopt(&self, dictionary: &Dictionary, translation: &mut Translation) {
        for bytes in &dictionary.envelopes {
            let (src, dst, msg): (usize, usize, _) = value_of(bytes);
            let envelope = Envelope { src: src.into(), dst: dst.into(), msg };
            translation.envelopes.push(self.envelopes.intern(envelope));
        }
        for bytes in &dictionary.situations {
            translation.situations.push(self.situations.intern(situation_of(value_of(bytes))));
        }
        for inbox in &dictionary.inboxes {
            let inbox = translation.inbox(self.kind, inbox);
            translation.inboxes.push(self.inboxes.intern(inbox));
        }
        for bytes in &dictionary.histories {
            translation.histories.push(self.histories.intern(value_of(bytes)));
        }
        for history in &dictionary.contexts {
            let history = translation.histories[*history as usize];
            translation.contexts.push(self.contexts.intern((history, self.guides.intern(()))));
        }
    }

    /// By column: a number that is too large for a cell.
    pub(crate) fn most_cells(&self) -> Vec<u32> {
        let Marks { envelopes, situations, inboxes, contexts, .. } = self.marks();
        let layout = &self.layout;
        let mut most = vec![situations as u32; layout.width()];
        most[layout.inboxes()].fill(inboxes as u32);
        most[layout.context()] = contexts as u32;
        if layout.has_last {
            most[layout.last()] = envelopes as u32 + 1;
        }
        most
    }

    /// Brings a row of a writer into the numbers here.
    pub(crate) fn translate(&self, row: &mut [u32], translation: &Translation) {
        let layout = &self.layout;
        for cell in &mut row[..layout.actors] {
            *cell = translation.situations[*cell as usize];
        }
        for cell in &mut row[layout.inboxes()] {
            *cell = translation.inboxes[*cell as usize];
        }
        let context = &mut row[layout.context()];
        *context = translation.contexts[*context as usize];
        if layout.has_last {
            let last = &mut row[layout.last()];
            *last = last.checked_sub(1).map_or(0, |envelope| translation.envelopes[envelope as usize] + 1);
        }
    }
}

impl Translation {
    /// Whether all numbers are here what they are to the writer.
    pub(crate) fn changes_nothing(&self) -> bool {
        let Self { envelopes, situations, inboxes, histories, contexts } = self;
        let kinds = [envelopes, situations, inboxes, histories, contexts];
        kinds.into_iter().all(|numbers| (0..).zip(numbers).all(|(writer, here)| writer == *here))
    }

    /// The inbox with the numbers here, in the order that it must have.
    fn inbox(&self, kind: NetworkKind, inbox: &[u32]) -> Vec<u32> {
        let mut inbox: Vec<u32> = inbox.iter().map(|envelope| self.envelopes[*envelope as usize]).collect();
        if kind != NetworkKind::Ordered {
            inbox.sort_unstable();
        }
        inbox
    }
}

/// The bytes of an envelope.
pub(crate) fn envelope_bytes<Msg: Serialize>(envelope: &Envelope<Msg>) -> Vec<u8> {
    bytes_of(&(usize::from(envelope.src), usize::from(envelope.dst), &envelope.msg))
}

/// The bytes of a situation.
pub(crate) fn situation_bytes<A>(situation: &Situation<A>) -> Vec<u8>
where
    A: Actor<State: Portable, Timer: Portable + Ord, Random: Portable, Storage: Portable>,
{
    let mut timers: Vec<&A::Timer> = situation.timers.iter().collect();
    timers.sort();
    let mut choices: Vec<(&String, &Vec<A::Random>)> = situation.choices.map.iter().collect();
    choices.sort_by_key(|(key, _)| *key);
    let Situation { index, state, is_crashed, storage, .. } = situation;
    bytes_of(&(index, &**state, timers, choices, is_crashed, storage))
}

fn situation_of<A: Actor>(parts: PartsOf<A>) -> Situation<A> {
    let (index, state, running, offered, is_crashed, storage) = parts;
    let mut timers = Timers::new();
    for timer in running {
        timers.set(timer);
    }
    let mut choices = RandomChoices::default();
    for (key, choice) in offered {
        choices.insert(key, choice);
    }
    Situation { index, state: Arc::new(state), timers, choices, is_crashed, storage }
}
