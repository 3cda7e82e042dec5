//! What an actor does about a message, in any family: its state, what it sends, what it says of itself.

/// A reaction. `A` are the addresses of a family, `E` its messages, `M` its marks.
pub struct Reaction<S, A, E, M> {
    /// Its state afterwards.
    pub state: S,
    /// What it sends.
    pub sends: Vec<(A, E)>,
    /// What it says of itself.
    pub marks: Vec<M>,
}

impl<S, A, E, M> Reaction<S, A, E, M> {
    /// A reaction that has done nothing yet.
    pub fn new(state: S) -> Self {
        Self { state, sends: Vec::new(), marks: Vec::new() }
    }

    /// Sends a message.
    pub fn send(&mut self, to: A, message: E) {
        self.sends.push((to, message));
    }

    /// States a fact.
    pub fn mark(&mut self, mark: M) {
        self.marks.push(mark);
    }

    /// The same of a state that wraps this one.
    pub fn map<T>(self, wrap: impl FnOnce(S) -> T) -> Reaction<T, A, E, M> {
        Reaction { state: wrap(self.state), sends: self.sends, marks: self.marks }
    }
}
