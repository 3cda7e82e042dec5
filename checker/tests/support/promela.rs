//! Liveness questions as a Promela model, and Spin's answers to them.
//!
//! Spin knows weak fairness of *processes*: one that can go on from some moment on, without interruption, goes on again and
//! again. So every fair term becomes a process of its own, which loops over the moves of its edges: it can go on exactly where
//! the term is possible, and with several edges in a state it takes any of them. A move tests and sets the place in one
//! indivisible step (`d_step`), so no state lies between two states of the graph. All other moves belong to one more process,
//! which can also do nothing, always: this is how an execution may rest for ever, and since doing nothing is going on as well, no
//! move that is not fair has ever to be taken. Nothing else is added, since a step that does nothing takes no fair move and
//! disables none.
//!
//! The process that idles also chooses, at the start, which of many graphs is walked; a claim speaks of one graph, and the
//! executions in others do not match it. So a few hundred questions need a few compilations.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::Graph;

/// How to get what is missing.
const HOW_TO_GET: &str = "scripts/install-peers.sh installs it (on Debian: apt-get install spin gcc libc6-dev)";

/// How many processes Spin's fairness can tell apart: 10 with this option, of which as many as terms and one more are needed.
const ENOUGH_PROCESSES: &str = "-DNFAIR=3";

/// A graph that starts in 0, and the states in which something waits.
#[derive(Clone, Debug)]
pub struct Question {
    pub graph: Graph,
    pub waiting: Vec<u8>,
}

/// Whether something can wait for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// In an execution that is weakly fair.
    pub under_fairness: bool,
    /// In any execution.
    pub without_fairness: bool,
}

/// Whether Spin and a C compiler are there. In continuous integration they have to be; elsewhere this says what is missing.
///
/// # Panics
/// If something is missing in continuous integration.
pub fn is_spin_there() -> bool {
    let is_there = |(program, argument): &(&str, &str)| {
        let output = Command::new(program).arg(argument).stdin(Stdio::null()).output();
        output.is_ok_and(|output| output.status.success())
    };
    let Some((program, _)) = [("spin", "-V"), ("gcc", "--version")].into_iter().find(|tool| !is_there(tool)) else {
        return true;
    };
    let missing = format!("{program} is missing, so liveness is not compared with Spin: {HOW_TO_GET}");
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{missing}");
    eprintln!("{missing}");
    false
}

/// What Spin says to each question.
///
/// # Panics
/// If Spin does not answer.
pub fn ask_spin(questions: &[Question]) -> Vec<Answer> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("graphs.pml"), promela(questions)).expect("the model is written");
    run(folder.path(), "spin", &["-a", "graphs.pml"]);
    // Nothing is reduced: the graphs are small, and the referee is to be simple.
    run(folder.path(), "gcc", &["-O0", "-w", "-DNOREDUCE", ENOUGH_PROCESSES, "-o", "pan", "pan.c"]);
    let judge = |number: usize, options: &[&str]| {
        let claim = claim_name(number);
        let options = [&["-a", "-n", "-w12", "-N", &claim], options].concat();
        let output = run(folder.path(), &folder.path().join("pan").to_string_lossy(), &options);
        let is_fair = options.contains(&"-f");
        can_wait_for_ever(&output, &claim, is_fair).unwrap_or_else(|| panic!("{claim} was not judged:\n{output}"))
    };
    let answer = |number| Answer { under_fairness: judge(number, &["-f"]), without_fairness: judge(number, &[]) };
    (0..questions.len()).map(answer).collect()
}

/// What Spin concludes; nothing if it did not search everything that it was asked to search.
fn can_wait_for_ever(output: &str, claim: &str, is_fair: bool) -> Option<bool> {
    let fairness = if is_fair { "(fairness enabled)" } else { "(fairness disabled)" };
    let is_as_asked = output.contains(&format!("never claim         \t+ ({claim})")) && output.contains(fairness);
    let is_cut = output.contains("max search depth too small");
    let errors: u32 = output.lines().find_map(|line| line.split_once("errors: "))?.1.trim().parse().ok()?;
    let found = output.contains("acceptance cycle (at depth");
    (is_as_asked && !is_cut && (errors > 0) == found).then_some(found)
}

/// The output of a program that must succeed.
fn run(folder: &Path, program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(folder).stdin(Stdio::null()).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{program} {arguments:?} failed:\n{text}");
    text
}

fn claim_name(number: usize) -> String {
    format!("never_for_ever_in_{number}")
}

/// The model. Graphs are numbered from 1 in it; in graph 0, where it starts, nobody moves.
pub fn promela(questions: &[Question]) -> String {
    let terms = questions.iter().map(|question| question.graph.fair.len()).max().unwrap_or(0);
    let mut text = "byte graph;\nbyte at;\n".to_owned();
    let choices: String = (1..=questions.len()).map(|number| format!("  :: graph = {number}\n")).collect();
    let unfair: String = (0..terms).map(|term| moves(questions, term, false)).collect();
    let _ = write!(
        text,
        "\nactive proctype chooses_then_idles_or_moves() {{\n  if\n{choices}  fi;\n  \
         do\n  :: at = at\n{unfair}  od\n}}\n"
    );
    for term in 0..terms {
        let fair = moves(questions, term, true);
        if !fair.is_empty() {
            let _ = write!(text, "\nactive proctype fair_{term}() {{\n  do\n{fair}  od\n}}\n");
        }
    }
    for (number, question) in questions.iter().enumerate() {
        let waits: Vec<String> = question.waiting.iter().map(|state| format!("at == {state}")).collect();
        let (claim, graph, waits) = (claim_name(number), number + 1, waits.join(" || "));
        let _ = write!(text, "\nltl {claim} {{ !<>[](graph == {graph} && ({waits})) }}\n");
    }
    text
}

/// The moves by a term, of the graphs in which it is fair, or of those in which it is not.
fn moves(questions: &[Question], term: usize, is_fair: bool) -> String {
    let graphs = questions.iter().map(|question| &question.graph).zip(1..);
    let graphs = graphs.filter(|(graph, _)| graph.fair.get(term) == Some(&is_fair));
    let arcs = graphs.flat_map(|(graph, number)| graph.arcs.iter().map(move |arc| (arc, number)));
    let arcs = arcs.filter(|(arc, _)| arc.term == term);
    arcs.map(|(arc, number)| format!("  :: d_step {{ graph == {number} && at == {} -> at = {} }}\n", arc.from, arc.to))
        .collect()
}
