//! Search for executions in which something waits for ever, under weak fairness.
//!
//! An execution that never ends stays, from some point on, in one strongly connected component of the states in which
//! the obligation waits. It is fair if every fair action is taken again and again, or is again and again not possible. If
//! a component has a fair execution at all then the one that visits everything in it is fair, so judging whole components
//! is exact. An execution may also end, in a state without successors.

mod components;
mod walk;

use components::Components;

/// An executed transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The state it leads to.
    pub to: u32,
    /// The term of its action.
    pub term: u32,
    /// Index of its action among the actions of the state where it starts.
    pub action: u32,
}

/// The edges of a state graph, grouped by the state where they start.
#[derive(Clone, Debug, Default)]
pub struct Edges {
    /// Where the edges of each state start in `list`, and where the last ones end.
    starts: Vec<usize>,
    list: Vec<Edge>,
}

impl Edges {
    /// No edges.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an edge that starts in `from`; edges come in the order of `from`.
    pub fn push(&mut self, from: u32, edge: Edge) {
        self.finish(from);
        self.list.push(edge);
    }

    /// Ends the adding: there are `states` states.
    pub fn finish(&mut self, states: u32) {
        while self.starts.len() <= states as usize {
            self.starts.push(self.list.len());
        }
    }

    /// The edges that start in a state.
    pub fn of(&self, state: u32) -> &[Edge] {
        &self.list[self.starts[state as usize]..self.starts[state as usize + 1]]
    }
}

/// One edge of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The state where it starts.
    pub from: u32,
    /// Index of its action among the actions of that state.
    pub action: u32,
}

/// A fair execution in which an obligation waits for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// The state where the loop starts.
    pub entry: u32,
    /// The loop, which leads back to `entry`; empty if the execution rests there because no fair action is possible.
    pub turns: Vec<Turn>,
}

/// In which states which obligations wait; the states are added in the order of their numbers.
pub struct Waiting {
    /// By obligation, then by state.
    of: Vec<Vec<bool>>,
    states: u64,
}

impl Waiting {
    /// No states yet.
    pub fn new(obligations: usize) -> Self {
        Self { of: vec![Vec::new(); obligations], states: 0 }
    }

    /// Adds the next state, in which the obligations wait that `waits` tells.
    pub fn add(&mut self, waits: impl Fn(usize) -> bool) {
        let mut somehow = false;
        for (obligation, of) in self.of.iter_mut().enumerate() {
            let waits = waits(obligation);
            of.push(waits);
            somehow |= waits;
        }
        self.states += u64::from(somehow);
    }

    /// In how many states some obligation waits.
    pub fn states(&self) -> u64 {
        self.states
    }

    /// The fair execution in which some obligation waits for ever and whose loop can be entered earliest; of equals that of
    /// the first obligation.
    pub fn shortest_lasso(&self, graph: &Graph<'_>) -> Option<Lasso> {
        self.of.iter().fold(None, |shortest: Option<Lasso>, waiting| {
            let before = shortest.as_ref().map_or(u32::MAX, |lasso| lasso.entry);
            graph.find_lasso(waiting, before).or(shortest)
        })
    }
}

/// A state graph with the numbers of a breadth-first search: states found earlier have smaller numbers.
pub struct Graph<'a> {
    /// The edges.
    pub edges: &'a Edges,
    /// Whether the action with this term must be taken if it stays possible.
    pub fair: &'a [bool],
    /// Whether the search did not look for the successors of a state.
    pub is_cut: &'a dyn Fn(u32) -> bool,
}

impl Graph<'_> {
    /// A fair execution that stays in `waiting` states for ever and whose loop can be entered earliest, if it can be
    /// entered by a state before `before`.
    pub fn find_lasso(&self, waiting: &[bool], before: u32) -> Option<Lasso> {
        let mut earliest = before;
        let mut found = None;
        let mut components = Components::new(self.edges, waiting);
        while let Some(members) = components.next() {
            let rest = members.iter().copied().filter(|&state| self.may_rest(state)).min();
            let entry = members.iter().copied().min().unwrap_or(u32::MAX);
            if rest.is_some_and(|rest| rest < earliest) {
                earliest = rest.unwrap_or(earliest);
                found = Some(None);
            }
            if entry < earliest && self.is_fair_component(&members, components.numbers()) {
                earliest = entry;
                found = Some(Some(components.number_of(entry)));
            }
        }
        let Some(number) = found? else { return Some(Lasso { entry: earliest, turns: Vec::new() }) };
        let is_inside = |state: u32| components.numbers()[state as usize] == number;
        Some(Lasso { entry: earliest, turns: walk::fair_loop(self, earliest, &is_inside) })
    }

    /// Whether an execution that goes round a component for ever can be fair.
    fn is_fair_component(&self, members: &[u32], numbers: &[u32]) -> bool {
        let number = numbers[members[0] as usize];
        let is_internal = |edge: &&Edge| numbers[edge.to as usize] == number;
        let mut enabled_in = vec![0; self.fair.len()];
        let mut is_taken = vec![false; self.fair.len()];
        let mut has_loop = false;
        for &state in members {
            for term in self.fair_terms(state) {
                enabled_in[term] += 1;
            }
            for edge in self.edges.of(state).iter().filter(is_internal) {
                has_loop = true;
                if let Some(taken) = is_taken.get_mut(edge.term as usize) {
                    *taken = true;
                }
            }
        }
        has_loop && enabled_in.iter().zip(is_taken).all(|(&count, taken)| taken || count < members.len())
    }

    /// Whether an execution may rest in this state for ever: no fair action is possible, and nobody must do anything else.
    fn may_rest(&self, state: u32) -> bool {
        !(self.is_cut)(state) && self.fair_terms(state).is_empty()
    }

    /// The terms of the fair actions that are possible in a state, each once.
    fn fair_terms(&self, state: u32) -> Vec<usize> {
        let terms = self.edges.of(state).iter().map(|edge| edge.term as usize);
        let mut terms: Vec<usize> = terms.filter(|&term| self.fair.get(term) == Some(&true)).collect();
        terms.sort_unstable();
        terms.dedup();
        terms
    }
}
