//! Strongly connected components of the waiting states.

use super::Edges;

/// Number of a state that belongs to no component (yet).
const NONE: u32 = u32::MAX;

/// Tarjan's algorithm with a stack of its own, since the graphs are deep: every call of [`Components::next`] completes
/// one more component.
pub(super) struct Components<'a> {
    edges: &'a Edges,
    waiting: &'a [bool],
    /// Component of each state, `NONE` outside of all complete ones.
    numbers: Vec<u32>,
    /// When each state was first visited, `NONE` before.
    visited: Vec<u32>,
    /// The earliest visited state that is known to be reachable within the component.
    low: Vec<u32>,
    /// Visited states whose component is not complete.
    open: Vec<u32>,
    /// States under way, with the number of their edges that were looked at.
    path: Vec<(u32, usize)>,
    next_root: u32,
    visits: u32,
    complete: u32,
}

impl<'a> Components<'a> {
    pub(super) fn new(edges: &'a Edges, waiting: &'a [bool]) -> Self {
        let states = waiting.len();
        Self {
            edges,
            waiting,
            numbers: vec![NONE; states],
            visited: vec![NONE; states],
            low: vec![NONE; states],
            open: Vec::new(),
            path: Vec::new(),
            next_root: 0,
            visits: 0,
            complete: 0,
        }
    }

    /// The component of each state, as far as complete.
    pub(super) fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// The component of one state.
    pub(super) fn number_of(&self, state: u32) -> u32 {
        self.numbers[state as usize]
    }

    /// The members of the next component.
    pub(super) fn next(&mut self) -> Option<Vec<u32>> {
        loop {
            let Some(&(state, looked_at)) = self.path.last() else {
                self.start_at_next_root()?;
                continue;
            };
            if let Some(edge) = self.edges.of(state).get(looked_at) {
                let to = edge.to;
                if let Some(last) = self.path.last_mut() {
                    last.1 += 1;
                }
                self.look_at(state, to);
                continue;
            }
            self.path.pop();
            let low = self.low[state as usize];
            if let Some(&(parent, _)) = self.path.last() {
                self.lower(parent, low);
            }
            if low == self.visited[state as usize] {
                return Some(self.close(state));
            }
        }
    }

    fn start_at_next_root(&mut self) -> Option<()> {
        let states = self.waiting.len() as u32;
        let is_root = |state: &u32| self.waiting[*state as usize] && self.visited[*state as usize] == NONE;
        let root = (self.next_root..states).find(is_root)?;
        self.next_root = root + 1;
        self.visit(root);
        Some(())
    }

    fn visit(&mut self, state: u32) {
        self.visited[state as usize] = self.visits;
        self.low[state as usize] = self.visits;
        self.visits += 1;
        self.open.push(state);
        self.path.push((state, 0));
    }

    fn look_at(&mut self, from: u32, to: u32) {
        if !self.waiting[to as usize] {
            return;
        }
        if self.visited[to as usize] == NONE {
            self.visit(to);
        } else if self.numbers[to as usize] == NONE {
            self.lower(from, self.visited[to as usize]);
        }
    }

    fn lower(&mut self, state: u32, low: u32) {
        let own = &mut self.low[state as usize];
        *own = low.min(*own);
    }

    /// Completes the component whose first visited state is `root`.
    fn close(&mut self, root: u32) -> Vec<u32> {
        let place = self.open.iter().rposition(|&state| state == root).unwrap_or(0);
        let members = self.open.split_off(place);
        for &member in &members {
            self.numbers[member as usize] = self.complete;
        }
        self.complete += 1;
        members
    }
}
