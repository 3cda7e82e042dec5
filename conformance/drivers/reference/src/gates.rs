//! Gates: the named places at which tasks wait until the runner lets them go on.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use fencepost_driver::{Answer, Park, ParkKind};
use futures::channel::oneshot;

/// A name that is shared: of an operation, of a client, of a bookmark.
pub(crate) type Name = Rc<str>;

struct Waiting {
    kind: ParkKind,
    name: Name,
    number: u64,
    opener: oneshot::Sender<Answer>,
}

/// All gates at which something waits.
#[derive(Default)]
pub(crate) struct Gates {
    waiting: RefCell<Vec<Waiting>>,
    next: Cell<u64>,
}

impl Gates {
    /// Waits at a gate, until it is opened with an answer.
    pub(crate) fn wait(self: &Rc<Self>, kind: ParkKind, name: &Name) -> Passage {
        let number = self.next.get();
        self.next.set(number + 1);
        let (opener, opened) = oneshot::channel();
        let mut waiting = self.waiting.borrow_mut();
        // Sorted as parks are; who came first stands first.
        let place = waiting.partition_point(|other| (other.kind, &other.name) <= (kind, name));
        waiting.insert(place, Waiting { kind, name: Rc::clone(name), number, opener });
        Passage { gates: Rc::clone(self), number, opened }
    }

    /// Opens a gate for who has waited longest there. False: nobody waits there.
    pub(crate) fn open(&self, kind: ParkKind, name: &str, answer: Answer) -> bool {
        let mut waiting = self.waiting.borrow_mut();
        let Some(place) = waiting.iter().position(|other| other.kind == kind && &*other.name == name) else {
            return false;
        };
        waiting.remove(place).opener.send(answer).is_ok()
    }

    /// The gates at which something waits, sorted, without those that `is_listed` leaves out.
    pub(crate) fn list(&self, is_listed: impl Fn(ParkKind, &str) -> bool) -> Vec<Park> {
        let waiting = self.waiting.borrow();
        let listed = waiting.iter().filter(|waiting| is_listed(waiting.kind, &waiting.name));
        listed.map(|waiting| Park { kind: waiting.kind, name: waiting.name.to_string() }).collect()
    }
}

/// One wait at a gate. Who is dropped waits no longer.
pub(crate) struct Passage {
    gates: Rc<Gates>,
    number: u64,
    opened: oneshot::Receiver<Answer>,
}

impl Future for Passage {
    type Output = Answer;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Answer> {
        match Pin::new(&mut self.opened).poll(context) {
            Poll::Ready(Ok(answer)) => Poll::Ready(answer),
            // Nobody can open this gate any more.
            Poll::Ready(Err(_)) | Poll::Pending => Poll::Pending,
        }
    }
}

impl Drop for Passage {
    fn drop(&mut self) {
        let mut waiting = self.gates.waiting.borrow_mut();
        if let Some(place) = waiting.iter().position(|waiting| waiting.number == self.number) {
            waiting.remove(place);
        }
    }
}
