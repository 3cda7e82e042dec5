//! The model of a contract, walked through a scenario in every order that the scenario allows: every position, what leads where, and
//! which steps give a client an answer.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use fencepost_checker::describe::{Described, Transition};
use fencepost_checker::guide::Guide;
use fencepost_driver::{Progress, Reply};
use fencepost_models::iggy::messages::{Envelope, OPERATOR};
use fencepost_models::iggy::scenario::{self, Progress as Reached, ScenarioGuide};
use fencepost_spec::contract::Choices;
use fencepost_spec::scenario::Scenario;
use stateright::Model;
use stateright::actor::ActorModelAction;

use crate::replay::position::Position;
use crate::replay::session::Way;
use crate::replay::walker::{Action, Move, Walker};

/// The most positions of one scenario under one contract. The shipped ones need a few hundred.
pub const MOST_PLACES: usize = 200_000;

/// An answer that a client gets. The operator is none: its commands are acknowledged in the same way under every contract.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Heard {
    /// The step of the scenario that is answered, from 0.
    pub step: usize,
    /// The answer.
    pub reply: Reply,
}

/// What a step of the model is to the client that hears it; `None`: no client gets an answer in it.
pub fn heard(action: &Action, moved: &Move) -> Option<Heard> {
    let ActorModelAction::Deliver { msg: Envelope::Reply(id, _), .. } = action else { return None };
    let Progress::Done { reply, .. } = &moved.progress else { return None };
    let step = usize::from(id.number).checked_sub(1)?;
    (id.client != OPERATOR).then(|| Heard { step, reply: reply.clone() })
}

/// A position of the model, and how far the scenario is in it.
pub(super) struct Place {
    at: Position,
    reached: Reached,
    /// How it was found first: from where, and by which action. At the start: none.
    found: Option<(usize, Action)>,
    /// Of a place without `found`: the index of the initial state.
    initial: usize,
    /// Whether the scenario is complete here.
    pub(super) is_end: bool,
    /// Whether the scenario can be completed from here.
    pub(super) is_live: bool,
    /// What leads away.
    pub(super) next: Vec<Next>,
}

/// What leads from one place to another.
pub(super) struct Next {
    /// Where to.
    pub(super) to: usize,
    /// The answer that a client gets in it.
    pub(super) heard: Option<Heard>,
}

/// All places.
pub struct Graph {
    pub(super) places: Vec<Place>,
    /// How many of them are at the start.
    pub(super) starts: usize,
    /// Whether there are more than [`MOST_PLACES`]: then the graph is not whole.
    pub is_cut: bool,
}

/// One completed course of a scenario.
#[derive(Clone, Debug)]
pub struct Course {
    /// By step of the scenario: the answer that its client got.
    pub answers: Vec<Option<Reply>>,
    /// The same in the order in which the clients got them on the way.
    pub heard: Vec<Heard>,
    /// The shortest way to it.
    pub way: Way,
}

impl Graph {
    /// Walks through all of a scenario under these choices.
    pub fn explore(walker: &Walker, scenario: &Scenario) -> Self {
        let guide = ScenarioGuide::new(scenario, &walker.model.cfg, None);
        let mut search = Search { walker, guide: &guide, places: Vec::new(), known: HashMap::new() };
        for (initial, at) in walker.start().into_iter().enumerate() {
            search.add(at, guide.start(), None, initial);
        }
        let starts = search.places.len();
        let mut index = 0;
        while index < search.places.len() && search.places.len() <= MOST_PLACES {
            search.expand(index);
            index += 1;
        }
        let is_cut = index < search.places.len();
        let mut graph = Self { places: search.places, starts, is_cut };
        graph.mark_live();
        graph
    }

    /// The number of places.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is no place, not even a start.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether the scenario can be completed at all.
    pub fn is_possible(&self) -> bool {
        self.places[..self.starts].iter().any(|place| place.is_live)
    }

    /// Every set of answers that the clients get together in some completed course, once, with the shortest course that has it.
    pub fn courses(&self, steps: usize) -> Vec<Course> {
        let mut courses: Vec<Course> = Vec::new();
        for (index, _) in self.places.iter().enumerate().filter(|(_, place)| place.is_end) {
            let course = self.course(index, steps);
            if !courses.iter().any(|known| known.answers == course.answers) {
                courses.push(course);
            }
        }
        courses
    }

    fn course(&self, end: usize, steps: usize) -> Course {
        let mut actions = Vec::new();
        let mut heard = Vec::new();
        let mut at = end;
        while let Some((from, action)) = &self.places[at].found {
            // Several actions may lead there; the one that found the place is the first of them.
            let step = self.places[*from].next.iter().find(|next| next.to == at);
            heard.extend(step.and_then(|next| next.heard.clone()));
            actions.push(action.clone());
            at = *from;
        }
        actions.reverse();
        heard.reverse();
        let mut answers = vec![None; steps];
        for Heard { step, reply } in &heard {
            answers[*step] = Some(reply.clone());
        }
        Course { answers, heard, way: (self.places[at].initial, actions) }
    }

    fn mark_live(&mut self) {
        let mut before = vec![Vec::new(); self.places.len()];
        for (from, place) in self.places.iter().enumerate() {
            for next in &place.next {
                before[next.to].push(from);
            }
        }
        let mut open: Vec<usize> = (0..self.places.len()).filter(|index| self.places[*index].is_end).collect();
        while let Some(index) = open.pop() {
            if !self.places[index].is_live {
                self.places[index].is_live = true;
                open.extend(&before[index]);
            }
        }
    }
}

/// A search under way.
struct Search<'a> {
    walker: &'a Walker,
    guide: &'a ScenarioGuide,
    places: Vec<Place>,
    known: HashMap<u64, Vec<usize>>,
}

impl Search<'_> {
    /// The place, which is added if it is new.
    fn add(&mut self, at: Position, reached: Reached, found: Option<(usize, Action)>, initial: usize) -> usize {
        let mut hasher = DefaultHasher::new();
        (&at.state, &at.firsts, &at.got, &reached).hash(&mut hasher);
        let alike = self.known.entry(hasher.finish()).or_default();
        let is_it = |index: &&usize| self.places[**index].at.is_same(&at) && self.places[**index].reached == reached;
        if let Some(index) = alike.iter().find(is_it) {
            return *index;
        }
        let index = self.places.len();
        alike.push(index);
        let is_end = self.guide.is_finished(&reached);
        self.places.push(Place { at, reached, found, initial, is_end, is_live: false, next: Vec::new() });
        index
    }

    fn expand(&mut self, index: usize) {
        if self.places[index].is_end {
            return;
        }
        let model = &self.walker.model;
        let before = self.places[index].at.clone();
        let mut actions = Vec::new();
        model.actions(&before.state, &mut actions);
        let is_untimely = |action: &Action| self.guide.is_untimely(&self.places[index].reached, &before.state, action);
        actions.retain(|action| !is_untimely(action));
        for action in actions {
            let facts = model.facts(&before.state, &action, &before.state);
            if !self.guide.allows(&self.places[index].reached, &before.state, &action, &facts) {
                continue;
            }
            let Some((after, moved)) = self.walker.take(&before, &action) else { continue };
            let transition = Transition { before: &before.state, action: &action, after: &after.state, facts: &facts };
            let Some(reached) = self.guide.next(&self.places[index].reached, &transition) else { continue };
            let heard = heard(&action, &moved);
            let to = self.add(after, reached, Some((index, action)), 0);
            self.places[index].next.push(Next { to, heard });
        }
    }
}

/// The walker of a scenario under a contract; `None` if the contract has nothing for some step of it.
pub fn walker(scenario: &Scenario, contract: &str, choices: &Choices) -> Option<Walker> {
    scenario::applies(scenario, choices).ok()?;
    Some(Walker::new(contract, choices, &scenario::bounds(scenario)))
}
