//! Every ordered pair of contracts: an implementation that keeps to one contract is followed in the model of another, by nothing but
//! what its clients are answered. It must leave the other contract exactly where `ask` says that the answers differ.
//!
//! A *course* is what the clients of a scenario are answered together, once for each such set of answers, with one way to it. For every
//! course of the contract A the implementation, configured by A, is driven along that way ([`mod@drive`]). Its answers go to two
//! judges that share no exploration:
//!
//! - [`mod@follow`] keeps the set of all positions of B's model, the scenario's order of events kept and B's own hidden steps free, that agree
//!   with the answers in the order in which the clients got them, and from which the scenario can still be completed;
//! - [`said`] makes the exploration that `ask` makes of B, keeps what its courses answer, and looks for the first answer
//!   with which none of them agrees.
//!
//! Both are exact: nothing is sampled.

mod blame;
pub mod drive;
pub mod follow;
pub mod graph;
mod page;
mod report;
pub mod said;

use fencepost_driver::{Failure, Subject};
use fencepost_spec::contract::Contract;
use fencepost_spec::scenario::Scenario;

use super::walker::Walker;
use blame::Changed;
use drive::{Driven, drive};
use follow::follow;
use graph::{Course, Graph, Heard};
use said::{Said, ask};

pub use drive::Off;
pub use report::{Differ, Kind, Report, Unlike};

/// Makes an implementation that is to be configured by a contract, for a scenario.
pub type SubjectOf<'a> = dyn Fn(&Scenario, &Contract) -> Result<Box<dyn Subject>, Failure> + 'a;

/// A contract in a scenario that it has everything for.
struct Side {
    walker: Walker,
    graph: Graph,
    courses: Vec<Course>,
    said: Said,
}

impl Side {
    fn new(scenario: &Scenario, contract: &Contract) -> Option<Self> {
        let walker = graph::walker(scenario, &contract.name, &contract.choices)?;
        let graph = Graph::explore(&walker, scenario);
        let courses = graph.courses(scenario.steps.len());
        Some(Self { walker, graph, courses, said: ask(scenario, &contract.choices) })
    }

    /// Why the two judges cannot be trusted here, if they cannot: they do not know the same courses, or not all.
    fn problem(&self) -> Option<String> {
        if self.graph.is_cut || self.said.stopped.is_some() {
            return Some("there are too many positions to explore all".to_owned());
        }
        let walked = self.courses.iter().map(|course| course.answers.clone()).collect();
        if self.said.courses == walked {
            return None;
        }
        Some(format!("`ask` knows the courses {:?}, and the walker {walked:?}", self.said.courses))
    }
}

/// Compares every ordered pair of these contracts in these scenarios, each contract with itself included.
///
/// # Errors
/// The [`Failure`] of an implementation.
pub fn compare(scenarios: &[Scenario], contracts: &[Contract], subject_of: &SubjectOf<'_>) -> Result<Report, Failure> {
    let mut report = Report::new(scenarios, contracts);
    for scenario in scenarios {
        let sides: Vec<_> = contracts.iter().map(|contract| Side::new(scenario, contract)).collect();
        let mut compared =
            Compared { scenario, contracts, sides: &sides, changed: Changed::new(scenario), report: &mut report };
        compared.note_sides();
        for (index, side) in sides.iter().enumerate() {
            if let Some(side) = side {
                let mut subject = subject_of(scenario, &contracts[index])?;
                for course in &side.courses {
                    compared.course(index, side, course, &mut *subject)?;
                }
            }
        }
    }
    Ok(report)
}

/// A scenario while its pairs are compared.
struct Compared<'a> {
    scenario: &'a Scenario,
    contracts: &'a [Contract],
    /// By contract.
    sides: &'a [Option<Side>],
    changed: Changed<'a>,
    report: &'a mut Report,
}

impl Compared<'_> {
    fn unlike(&mut self, configured: usize, followed: usize, problem: String) {
        let name = |index: usize| self.contracts[index].name.clone();
        let scenario = self.scenario.name.clone();
        self.report.unlike.push(Unlike { scenario, configured: name(configured), followed: name(followed), problem });
    }

    /// Counts the sides, and notes those of which the judges do not know the same.
    fn note_sides(&mut self) {
        for (index, side) in self.sides.iter().enumerate() {
            let Some(side) = side else { continue };
            self.report.places += side.graph.len();
            self.report.most_courses = self.report.most_courses.max(side.courses.len());
            self.report.pairs += if side.courses.is_empty() { 0 } else { self.contracts.len() };
            if let Some(problem) = side.problem() {
                self.unlike(index, index, problem);
            }
        }
    }

    /// Drives the implementation along a course of the contract that it is configured by, and follows it in all.
    fn course(
        &mut self,
        configured: usize,
        side: &Side,
        course: &Course,
        subject: &mut dyn Subject,
    ) -> Result<(), Failure> {
        self.report.courses += 1;
        self.report.steps += course.way.1.len();
        let heard = match drive(&side.walker, &course.way, subject)? {
            Driven::Along(heard) => heard,
            Driven::Off(off) => {
                let scenario = self.scenario.name.clone();
                self.report.off.push((scenario, self.contracts[configured].name.clone(), off));
                return Ok(());
            }
        };
        if heard != course.heard {
            self.unlike(configured, configured, format!("heard {heard:?} on the course {course:?}"));
        }
        for followed in 0..self.contracts.len() {
            self.followed(configured, followed, &heard);
        }
        Ok(())
    }

    /// Follows the answers in the model of a contract, and holds that against what `ask` says.
    fn followed(&mut self, configured: usize, followed: usize, heard: &[Heard]) {
        self.report.followed += 1;
        let Some(side) = &self.sides[followed] else {
            self.differ(configured, followed, heard, 0, Kind::StepNotInContract);
            return;
        };
        let (found, expected) = (follow(&side.graph, heard), side.said.differs(heard));
        if found != expected {
            self.unlike(
                configured,
                followed,
                format!("the follower agrees with {found:?} answers of {heard:?}, `ask` with {expected:?}"),
            );
        }
        let Some(agreeing) = found else { return };
        if configured == followed {
            self.unlike(
                configured,
                followed,
                format!("a contract leaves itself after {agreeing} answers of {heard:?}"),
            );
        }
        let kind = if !side.graph.is_possible() {
            Kind::NotPossible
        } else if agreeing == heard.len() {
            Kind::MissingReply
        } else {
            Kind::ForbiddenReply
        };
        self.differ(configured, followed, heard, agreeing, kind);
    }

    fn differ(&mut self, configured: usize, followed: usize, heard: &[Heard], agreeing: usize, kind: Kind) {
        let (from, to) = (&self.contracts[followed], &self.contracts[configured]);
        let blame =
            if kind == Kind::StepNotInContract { None } else { self.changed.blame(&from.choices, &to.choices, heard) };
        let answer = heard.get(agreeing);
        self.report.differ.push(Differ {
            scenario: self.scenario.name.clone(),
            configured: to.name.clone(),
            followed: from.name.clone(),
            kind,
            agreeing,
            step: answer.map(|heard| self.scenario.steps[heard.step].id.clone()),
            seen: answer.map(|heard| super::tracker::reply_text(&heard.reply)),
            clause: blame.as_ref().and_then(super::blame::clause_of),
            different: blame.map(|different| different.to_string()),
        });
    }
}
