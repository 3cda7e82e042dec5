//! Ways for a driver that holds back nothing but requests: every order of the requests of clients and operator.
//!
//! Each request is sent as soon as it is begun, but for at most one that is late: it is begun, held back, and sent at every later
//! point. What the driver cannot hold back goes on at once here; when it really goes on is for the implementation to decide and for the
//! tracker to follow.

use fencepost_driver::{Answer as How, ParkKind, Step};

use super::position::Position;
use super::random::Chance;
use super::session::Way;
use super::walker::{Action, Move, Walker};

/// The most ways that are listed before some of them are chosen by chance.
const MOST_LISTED: usize = 200_000;

/// The most requests of one way, where the bounds set no limit.
const MOST_REQUESTS: usize = 12;

/// The most steps that go on by themselves at once.
const MOST_HIDDEN: usize = 200;

/// At most `most` ways: all, or as many by chance, always the same ones.
pub fn ways(walker: &Walker, most: usize) -> Vec<Way> {
    let mut orders = Orders { walker, found: Vec::new() };
    for (initial, at) in walker.start().into_iter().enumerate() {
        let course = Course { at, actions: Vec::new(), late: Late::Unused, begun: 0 };
        orders.go_on(initial, orders.settled(course));
    }
    let mut found = orders.found;
    let mut chance = Chance::new(1);
    while found.len() > most {
        let last = found.len() - 1;
        found.swap(chance.below(last + 1), last);
        found.pop();
    }
    found
}

/// What became of the one request that may be late.
#[derive(Clone, PartialEq, Eq)]
enum Late {
    Unused,
    /// It is begun and held back.
    Held(String),
    Sent,
}

#[derive(Clone)]
struct Course {
    at: Position,
    actions: Vec<Action>,
    late: Late,
    /// Requests that were begun.
    begun: usize,
}

struct Orders<'a> {
    walker: &'a Walker,
    found: Vec<Way>,
}

impl Orders<'_> {
    fn go_on(&mut self, initial: usize, course: Course) {
        if self.found.len() >= MOST_LISTED {
            return;
        }
        let mut is_last = true;
        for (action, after, moved) in self.walker.possible(&course.at) {
            let [step] = moved.steps.as_slice() else { continue };
            match step {
                Step::Start { operation, .. } if course.begun < MOST_REQUESTS => {
                    is_last = false;
                    let begun = Course { begun: course.begun + 1, ..course.after(action, after) };
                    self.go_on(initial, self.sent(begun.clone(), operation));
                    if begun.late == Late::Unused {
                        let late = Course { late: Late::Held(operation.clone()), ..begun };
                        self.go_on(initial, late);
                    }
                }
                Step::Resume { park, .. } if course.late == Late::Held(park.name.clone()) && is_sending(&moved) => {
                    is_last = false;
                    let sent = Course { late: Late::Sent, ..course.after(action, after) };
                    self.go_on(initial, self.settled(sent));
                }
                _ => {}
            }
        }
        if is_last {
            self.found.push((initial, course.actions));
        }
    }

    /// Sends what is begun.
    fn sent(&self, course: Course, operation: &str) -> Course {
        let is_it = |moved: &Move| match moved.steps.as_slice() {
            [Step::Resume { park, .. }] => park.name == operation && is_sending(moved),
            _ => false,
        };
        let next = self.walker.possible(&course.at).into_iter().find(|(_, _, moved)| is_it(moved));
        match next {
            Some((action, after, _)) => self.settled(course.after(action, after)),
            None => course,
        }
    }

    /// Lets everything go on that a driver does not hold back.
    fn settled(&self, mut course: Course) -> Course {
        for _ in 0..MOST_HIDDEN {
            let next = self.walker.possible(&course.at).into_iter().find(|(_, _, moved)| goes_on_by_itself(moved));
            match next {
                Some((action, after, _)) => course = course.after(action, after),
                None => break,
            }
        }
        course
    }
}

impl Course {
    fn after(&self, action: Action, at: Position) -> Self {
        let mut actions = self.actions.clone();
        actions.push(action);
        Self { at, actions, late: self.late.clone(), begun: self.begun }
    }
}

fn is_sending(moved: &Move) -> bool {
    matches!(moved.steps.as_slice(), [Step::Resume { park, .. }] if matches!(park.kind, ParkKind::Request | ParkKind::Propose))
}

fn goes_on_by_itself(moved: &Move) -> bool {
    match moved.steps.as_slice() {
        [Step::Resume { park, answer: How::Proceed }] => {
            !is_sending(moved) && !matches!(park.kind, ParkKind::GatewayTimeOut | ParkKind::RevocationTimeOut)
        }
        _ => false,
    }
}
