//! The guide of a scenario: it allows a step of the system if the scenario's order of events does.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use fencepost_checker::clause::{Clause, Judgement};
use fencepost_checker::describe::{Transition, delivery};
use fencepost_checker::guide::Guide;
use fencepost_spec::clause::ClauseName;
use fencepost_spec::event::EventKind;
use fencepost_spec::scenario::{ExpectedAnswer, Reference, Scenario, Step, Survivors, Verb};
use stateright::Model;

use super::MOST_UNSYNCED;
use crate::iggy::clauses;
use crate::iggy::marks::Mark;
use crate::iggy::messages::{Answer, Envelope, Inner, RequestId};
use crate::iggy::owner::{Status, purge};
use crate::iggy::system::{IggyModel, IggyState, Setup, owner_of};
use crate::iggy::telling::answer_text;

/// How far a scenario is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Progress {
    /// By step: a bit for each kind of event that has happened.
    happened: Vec<u32>,
    /// What its clients got.
    got: JointAnswers,
    /// A bit for each clause that broke on the way.
    broken: u32,
}

/// What the clients of one course got, all of them together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JointAnswers {
    /// By step: the answer that its client got.
    pub answers: Vec<Option<Answer>>,
    /// By request of the producer: the number in its history of the first message that it brought. With it a message in an answer
    /// can be named by its place in the request, which is the same under every contract.
    pub firsts: BTreeMap<u8, u8>,
}

impl JointAnswers {
    /// Notes the numbers of messages that are new in the log.
    fn note_firsts(&mut self, state: &IggyState) {
        for message in &owner_of(state).log.messages {
            self.firsts.entry(message.sent).or_insert(message.number);
        }
    }
}

impl Progress {
    /// What the clients got so far.
    pub fn got(&self) -> &JointAnswers {
        &self.got
    }
}

/// What the completed courses of a scenario had in common and not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Courses {
    /// By step: the answers that its client got in some course; no answer at all is an empty text.
    pub answers: Vec<BTreeSet<String>>,
    /// The clauses that broke in some course.
    pub broken: BTreeSet<ClauseName>,
    /// The clauses that broke in every course.
    pub always_broken: Option<BTreeSet<ClauseName>>,
}

/// Where a scenario does not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// The step, and the event of it that does not happen.
    pub event: (usize, EventKind),
    /// The step that waits for it.
    pub awaited_by: Option<usize>,
}

/// The guide of a scenario.
pub struct ScenarioGuide {
    steps: Vec<Step>,
    clauses: Vec<(ClauseName, Clause<IggyModel>)>,
    must_break: Option<ClauseName>,
    courses: Mutex<Courses>,
    /// What the clients got in each completed course. It is no part of [`Courses`]: it has identities of replies in it, which two
    /// contracts may number differently although nobody is answered otherwise.
    joint: Mutex<BTreeSet<JointAnswers>>,
}

fn event_bit(kind: EventKind) -> u32 {
    1 << kind as u32
}

impl ScenarioGuide {
    /// The guide of a scenario on a model that was built with its [`bounds`](super::bounds). With `must_break`, only courses
    /// in which that clause breaks are complete.
    pub fn new(scenario: &Scenario, setup: &Arc<Setup>, must_break: Option<ClauseName>) -> Self {
        let names = ClauseName::ALL.iter().copied().filter(|name| !name.clause().liveness);
        let clauses = names.zip(clauses::safety(setup)).collect();
        let courses = Courses { answers: vec![BTreeSet::new(); scenario.steps.len()], ..Courses::default() };
        Self {
            steps: scenario.steps.clone(),
            clauses,
            must_break,
            courses: Mutex::new(courses),
            joint: Mutex::default(),
        }
    }

    /// What was seen in the completed courses of an exploration.
    pub fn courses(&self) -> Courses {
        self.courses.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What the clients got in the completed courses of an exploration: for each course all answers together, each set once.
    pub fn joint_answers(&self) -> BTreeSet<JointAnswers> {
        self.joint.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether what a reference names has happened; a step ends when its client has the answer or gives up.
    fn has(at: &Progress, reference: &Reference) -> bool {
        let end = event_bit(EventKind::Answered) | event_bit(EventKind::GivenUp);
        at.happened[reference.step] & reference.phase.map_or(end, event_bit) != 0
    }

    fn may_happen(&self, at: &Progress, step: usize, kind: EventKind) -> bool {
        let conditions = self.steps[step].conditions.get(&kind).into_iter().flatten();
        conditions.into_iter().all(|reference| Self::has(at, reference))
    }

    /// A step of the environment with one of these verbs that is due and has not happened.
    fn due(&self, at: &Progress, is_it: impl Fn(&Step) -> bool) -> Option<usize> {
        self.steps.iter().enumerate().position(|(index, step)| {
            is_it(step)
                && at.happened[index] & event_bit(EventKind::Answered) == 0
                && self.may_happen(at, index, EventKind::Sent)
        })
    }

    /// Takes what the environment did in a transition as the step of the scenario that names it; `None` if there is none.
    fn environment(&self, at: &mut Progress, transition: &Transition<'_, IggyModel>) -> Option<()> {
        let (_, _, message) = delivery(transition.action);
        let step = match message {
            Envelope::Inner(Inner::Restart) => self.due(at, |step| step.does == Verb::Restart)?,
            Envelope::Inner(Inner::PowerLoss(survivors)) => {
                let unsynced = owner_of(transition.before).disk.unsynced.len().min(usize::from(MOST_UNSYNCED));
                let all = (1_u32 << unsynced) - 1;
                self.due(at, |step| {
                    let survives = match step.survivors {
                        Survivors::Any => true,
                        Survivors::None => *survivors == 0,
                        Survivors::All => u32::from(*survivors) == all,
                    };
                    step.does == Verb::LosePower && survives
                })?
            }
            Envelope::Inner(Inner::PurgeStep { fails: true }) => {
                let verb = match owner_of(transition.before).status {
                    Status::Purging(purge::Step::SyncPartition) => Verb::FailToSyncPartition,
                    Status::Purging(purge::Step::SyncBookmarks) => Verb::FailToSyncBookmarks,
                    _ => Verb::FailToUnlinkBookmarks,
                };
                self.due(at, |step| step.does == verb)?
            }
            Envelope::Inner(Inner::GatewayGivesUp(_)) => {
                let read = transition.facts.iter().find_map(|mark| match mark {
                    Mark::Event(EventKind::GatewayGaveUp, Some(id)) => Some(usize::from(id.number) - 1),
                    _ => None,
                });
                self.due(at, |step| step.does == Verb::GatewayGivesUp && step.of == read)?
            }
            Envelope::RevocationTimesOut => self.due(at, |step| step.does == Verb::RevocationTimesOut)?,
            _ => return Some(()),
        };
        at.happened[step] |= event_bit(EventKind::Sent) | event_bit(EventKind::Answered);
        Some(())
    }

    /// Whether an action is a crash or a failure of the disk for which it is not the time: then it is not allowed, and nobody needs
    /// to find out what it would bring about.
    pub fn is_untimely(&self, at: &Progress, state: &IggyState, action: &<IggyModel as Model>::Action) -> bool {
        let (_, _, message) = delivery(action);
        let Envelope::Inner(Inner::Restart | Inner::PowerLoss(_) | Inner::PurgeStep { fails: true }) = message else {
            return false;
        };
        let transition = Transition { before: state, action, after: state, facts: &Vec::new() };
        self.environment(&mut at.clone(), &transition).is_none()
    }

    /// Whether the scenario's order of events and its demands allow an action with these facts: whether [`Guide::next`] has
    /// something to say about it, without the state to which it would lead.
    pub fn allows(
        &self,
        at: &Progress,
        state: &IggyState,
        action: &<IggyModel as Model>::Action,
        facts: &Vec<Mark>,
    ) -> bool {
        self.happens(at, &Transition { before: state, action, after: state, facts }).is_some()
    }

    /// The progress after what happens in a transition; `None` if the scenario does not allow it. Looks at the state before only.
    fn happens(&self, at: &Progress, transition: &Transition<'_, IggyModel>) -> Option<Progress> {
        let mut after = at.clone();
        self.environment(&mut after, transition)?;
        self.gives_up(transition)?;
        for mark in transition.facts {
            if let Mark::Event(kind, Some(id)) = mark {
                self.request(at, &mut after, *kind, *id)?;
            }
        }
        self.answered(&mut after, transition)?;
        Some(after)
    }

    /// Takes an event of a request; `None` if the scenario does not allow it yet.
    fn request(&self, before: &Progress, at: &mut Progress, kind: EventKind, id: RequestId) -> Option<()> {
        let step = usize::from(id.number).checked_sub(1).filter(|step| *step < self.steps.len())?;
        if !self.may_happen(before, step, kind) {
            return None;
        }
        at.happened[step] |= event_bit(kind);
        Some(())
    }

    /// The step whose client hears an answer in a transition, and the answer.
    fn heard<'a>(&self, transition: &Transition<'a, IggyModel>) -> Option<(usize, &'a Answer)> {
        let (_, _, message) = delivery(transition.action);
        let Envelope::Reply(id, answer) = message else { return None };
        let heard = transition.facts.iter().any(|mark| matches!(mark, Mark::Event(EventKind::Answered, Some(_))));
        let step = usize::from(id.number).checked_sub(1).filter(|step| *step < self.steps.len())?;
        heard.then_some((step, answer))
    }

    /// Takes the answer that a client hears; `None` if it is not the demanded one.
    fn answered(&self, at: &mut Progress, transition: &Transition<'_, IggyModel>) -> Option<()> {
        let Some((step, answer)) = self.heard(transition) else { return Some(()) };
        if !is_demanded(&self.steps[step], answer) {
            return None;
        }
        at.got.answers[step] = Some(answer.clone());
        Some(())
    }

    /// A client gives up waiting for the step that it means to, and for no other.
    fn gives_up(&self, transition: &Transition<'_, IggyModel>) -> Option<()> {
        let (_, _, message) = delivery(transition.action);
        let Envelope::Act(Some(number), _) = message else { return Some(()) };
        let given_up = transition.facts.iter().find_map(|mark| match mark {
            Mark::Event(EventKind::GivenUp, Some(id)) => Some(usize::from(id.number)),
            _ => None,
        });
        let meant = self.steps.get(usize::from(*number).checked_sub(1)?)?.of;
        (given_up.is_none() || given_up == meant.map(|index| index + 1)).then_some(())
    }

    /// Whether a step needs nothing more: it has ended, or nobody is to hear of its end.
    fn is_through(&self, at: &Progress, step: usize) -> bool {
        let is_lost = self.steps[step].answer == ExpectedAnswer::Lost;
        let is_sent = at.happened[step] & event_bit(EventKind::Sent) != 0;
        // What the operator decided is over when it is applied as well as acknowledged.
        let is_applied = at.happened[step] & event_bit(EventKind::Applied) != 0;
        let is_over = is_applied || !self.steps[step].does.phases().contains(&EventKind::Applied);
        is_lost && is_sent || is_over && Self::has(at, &Reference { step, phase: None })
    }

    fn is_complete(&self, at: &Progress) -> bool {
        (0..self.steps.len()).all(|step| self.is_through(at, step))
    }

    /// The event that would have to happen next for the scenario to go on: of a step that is not through and waits for
    /// nothing, or else what the first step that is not through waits for, directly or not.
    pub fn stuck(&self, at: &Progress) -> Option<Stuck> {
        let missing = |step: usize| {
            let phases = self.steps[step].does.phases().iter().copied();
            let is_owed = |kind: &EventKind| !matches!(kind, EventKind::GivenUp | EventKind::GatewayGaveUp);
            phases.filter(is_owed).find(|kind| at.happened[step] & event_bit(*kind) == 0).map(|kind| (step, kind))
        };
        let events = || (0..self.steps.len()).filter(|step| !self.is_through(at, *step)).filter_map(missing);
        let is_due = |(step, kind): &(usize, EventKind)| self.may_happen(at, *step, *kind);
        let first = events().find(is_due).or_else(|| events().next())?;
        let mut stuck = Stuck { event: first, awaited_by: None };
        for _ in 0..self.steps.len() {
            let (step, kind) = stuck.event;
            let conditions = self.steps[step].conditions.get(&kind).into_iter().flatten();
            let Some(unmet) = conditions.into_iter().find(|reference| !Self::has(at, reference)) else { break };
            let event = (unmet.step, unmet.phase.unwrap_or(EventKind::Answered));
            stuck = Stuck { event, awaited_by: Some(step) };
        }
        Some(stuck)
    }

    /// The step that a transition answers otherwise than it demands, and the answer.
    pub fn undemanded_answer(&self, transition: &Transition<'_, IggyModel>) -> Option<(usize, String)> {
        let (step, answer) = self.heard(transition)?;
        (!is_demanded(&self.steps[step], answer)).then(|| (step, answer_text(answer)))
    }

    fn broken(at: &Progress) -> BTreeSet<ClauseName> {
        ClauseName::ALL.iter().copied().filter(|name| at.broken >> *name as u32 & 1 == 1).collect()
    }
}

/// Whether an answer is one that the step demands.
fn is_demanded(step: &Step, answer: &Answer) -> bool {
    let kind = match step.answer {
        ExpectedAnswer::Any => true,
        ExpectedAnswer::Messages => matches!(answer, Answer::Batch(_)),
        ExpectedAnswer::Nothing => matches!(answer, Answer::Empty),
        ExpectedAnswer::Refused => matches!(answer, Answer::Code(_) | Answer::Sentinel),
        ExpectedAnswer::Done => matches!(answer, Answer::Done),
        ExpectedAnswer::Lost => false,
    };
    let offsets = match (step.offsets, answer) {
        (None, _) => true,
        (Some((first, last)), Answer::Batch(batch)) => {
            let ends = batch.messages.first().zip(batch.messages.last());
            ends.is_some_and(|(from, to)| from.offset == first && to.offset == last)
        }
        (Some(_), _) => false,
    };
    kind && offsets
}

impl Guide<IggyModel> for ScenarioGuide {
    type State = Progress;

    fn start(&self) -> Progress {
        let got = JointAnswers { answers: vec![None; self.steps.len()], ..JointAnswers::default() };
        Progress { happened: vec![0; self.steps.len()], got, broken: 0 }
    }

    fn next(&self, at: &Progress, transition: &Transition<'_, IggyModel>) -> Option<Progress> {
        let mut after = self.happens(at, transition)?;
        after.got.note_firsts(transition.after);
        for (name, clause) in &self.clauses {
            if matches!(clause.judge(transition), Judgement::Broken(_)) {
                after.broken |= 1 << *name as u32;
            }
        }
        Some(after)
    }

    fn progress(&self, at: &Progress) -> usize {
        at.happened.iter().map(|bits| bits.count_ones() as usize).sum()
    }

    fn is_finished(&self, at: &Progress) -> bool {
        let finished = self.is_complete(at) && self.must_break.is_none_or(|clause| at.broken >> clause as u32 & 1 == 1);
        if finished {
            let mut courses = self.courses.lock().unwrap_or_else(PoisonError::into_inner);
            for (known, answer) in courses.answers.iter_mut().zip(&at.got.answers) {
                known.insert(answer.as_ref().map(answer_text).unwrap_or_default());
            }
            let broken = Self::broken(at);
            let always = courses.always_broken.take();
            courses.always_broken = Some(always.map_or_else(|| broken.clone(), |always| &always & &broken));
            courses.broken.extend(broken);
            self.joint.lock().unwrap_or_else(PoisonError::into_inner).insert(at.got.clone());
        }
        finished
    }

    fn stops_when_finished(&self) -> bool {
        true
    }
}

/// The answers of a scenario's requests by the name of the step, without steps that are never answered.
pub fn answers_by_step(scenario: &Scenario, courses: &Courses) -> BTreeMap<String, BTreeSet<String>> {
    let with_answers = scenario.steps.iter().zip(&courses.answers).filter(|(step, answers)| {
        matches!(step.does, Verb::Poll | Verb::Store | Verb::StorePosition | Verb::DeleteBookmark | Verb::Send)
            && !answers.is_empty()
    });
    with_answers.map(|(step, answers)| (step.id.clone(), answers.clone())).collect()
}
