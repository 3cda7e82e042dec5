//! Traces as files: round trips, bytes that stay, and strict reading.

#[path = "trace_file/any.rs"]
mod any;
#[path = "trace_file/read_back.rs"]
mod read_back;

use fencepost_conformance::replay::file::{FORMAT, Header, TraceFile, TraceWriter, Unwritable, itf, read};
use fencepost_conformance::replay::trace::{Ending, Scribe, Trace, TraceStep};
use fencepost_conformance::replay::walker::Walker;
use fencepost_driver::{Crash, Fields, Observation, Progress, Seen, Step};
use fencepost_models::iggy::views::{BoundsSet, views};
use fencepost_spec::library;
use proptest::prelude::*;

/// Two traces of the view with restarts: the first actions that are possible, with two endings.
fn walked(view: &str) -> TraceFile {
    let contract = library::contract("owner-installed").expect("a contract");
    let views = views(BoundsSet::Quick, &contract.choices);
    let view = views.into_iter().find(|known| known.name == view).expect("a view");
    let walker = Walker::new("owner-installed", &contract.choices, &view.bounds);
    let mut at = walker.start().into_iter().next().expect("an initial state");
    let mut actions = Vec::new();
    for number in 0..12 {
        let mut possible = walker.possible(&at);
        if possible.is_empty() {
            break;
        }
        let (action, after, _) = possible.swap_remove(number * 7 % possible.len());
        actions.push(action);
        at = after;
    }
    let endings = [Ending::Nothing, Ending::CrashNow];
    let traces = Scribe::new(&walker, Fields::all(), true).traces(0, &actions, &endings).expect("a walk");
    let header = Header::new("owner-installed", view.name, "quick", "abstract", walker.world.clone());
    TraceFile { header, traces }
}

/// The smallest file with a crash.
fn small() -> TraceFile {
    let seen = || Seen {
        progress: Progress::Parked,
        observation: Observation { next_offset: Some(3), ..Observation::default() },
    };
    let cancel = TraceStep { steps: vec![Step::Cancel { operation: "A.1".to_owned() }], allowed: seen() };
    let crash = Step::Crash { crash: Crash::Power { keep: vec![0, 2] } };
    let crash = TraceStep { steps: vec![crash, Step::Restart {}], allowed: seen() };
    let trace = Trace { ending: Ending::CrashNow, steps: vec![cancel, crash] };
    let header = Header::new("owner-installed", "restart", "quick", "labels", Default::default());
    TraceFile { header, traces: vec![trace] }
}

fn text(file: &TraceFile) -> String {
    file.text().expect("a file that can be written")
}

#[test]
fn given_the_smallest_file_when_written_should_look_as_documented() {
    insta::assert_snapshot!("small", text(&small()));
    insta::assert_snapshot!("small-itf", itf(&small().header, &small().traces[0], 1).expect("a trace"));
}

#[test]
fn given_traces_of_the_model_when_written_and_read_should_be_the_same_traces_and_the_same_bytes() {
    for view in ["restart", "power-loss-during-purge", "polls-with-reassignment"] {
        let file = walked(view);
        assert!(file.traces[1].steps.len() > file.traces[0].steps.len(), "the ending adds nothing");
        let written = text(&file);
        let back = read("traces.jsonl", written.as_bytes()).expect("what was written can be read");
        assert_eq!(back, file, "{view}");
        assert_eq!(text(&back), written, "{view}: the bytes changed");
        assert_eq!(text(&walked(view)), written, "{view}: made again, the bytes are others");
    }
}

#[test]
fn given_traces_of_the_model_when_exported_should_be_read_back_by_the_library_of_the_format() {
    for view in ["restart", "power-loss-during-purge", "polls-with-reassignment"] {
        let file = walked(view);
        for (index, trace) in file.traces.iter().enumerate() {
            let exported = itf(&file.header, trace, index + 1).expect("a trace");
            assert_eq!(&read_back::trace(&exported), trace, "{view}, trace {}", index + 1);
            assert_eq!(read_back::world(&exported), file.header.world, "{view}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn given_any_traces_when_written_and_read_should_be_the_same(traces in prop::collection::vec(any::trace(), 0..4)) {
        let file = TraceFile { traces, ..small() };
        let written = text(&file);
        let back = read("traces.jsonl", written.as_bytes()).expect("what was written can be read");
        prop_assert_eq!(&back, &file);
        prop_assert_eq!(text(&back), written);
    }

    #[test]
    fn given_any_trace_when_exported_should_be_read_back_by_the_library_of_the_format(trace in any::trace()) {
        let exported = itf(&small().header, &trace, 1).expect("a trace");
        prop_assert_eq!(read_back::trace(&exported), trace);
    }

    #[test]
    fn given_a_file_that_was_cut_anywhere_when_read_should_be_refused(cut in 0.0..1.0f64) {
        let written = text(&small());
        let cut = (written.len() as f64 * cut) as usize;
        prop_assert!(read("cut.jsonl", &written.as_bytes()[..cut]).is_err());
    }
}

/// The problem that a changed file has, as a user reads it.
fn problem(from: &str, to: &str) -> String {
    let written = text(&small());
    assert!(written.contains(from), "{from} is not in {written}");
    let changed = written.replacen(from, to, 1);
    read("traces.jsonl", changed.as_bytes()).expect_err("a changed file is refused").to_string()
}

#[test]
fn given_files_with_one_mistake_when_read_should_be_refused_with_its_place() {
    let crash_line = "{\"verb\":\"crash\",\"crash\":{\"kind\":\"power\",\"keep\":[0,2]}}\n";
    let cases = [
        ("unknown format", FORMAT, "fencepost-trace/9"),
        ("no format", "{\"format\":\"fencepost-trace/1\",", "{"),
        ("unknown key of the header", "\"cover\":", "\"covers\":"),
        ("missing key of the header", "\"cover\":\"labels\",", ""),
        ("unknown key of the world", "\"queue_slots\":0", "\"queue_slot\":0"),
        ("unknown verb", "\"verb\":\"cancel\"", "\"verb\":\"cancle\""),
        ("key of another verb", "\"operation\":\"A.1\"", "\"operation\":\"A.1\",\"crash\":{\"kind\":\"process\"}"),
        ("unknown key of a step", "\"operation\":", "\"operations\":"),
        ("key twice", "\"operation\":\"A.1\"", "\"operation\":\"A.1\",\"operation\":\"A.1\""),
        ("unknown field", "\"next_offset\":3", "\"next_ofset\":3"),
        (
            "nothing allowed",
            ",\"allowed\":{\"progress\":{\"kind\":\"parked\"},\"observation\":{\"next_offset\":3}}",
            "",
        ),
        ("unknown progress", "\"kind\":\"parked\"", "\"kind\":\"refused\""),
        ("restart missing", crash_line, "{\"verb\":\"cancel\",\"operation\":\"B.1\"}\n"),
        ("wrong number of steps", "\"steps\":2", "\"steps\":3"),
        ("wrong number of steps of the driver", "\"driver_steps\":3}}\n{\"total\"", "\"driver_steps\":2}}\n{\"total\""),
        ("wrong number of traces", "\"traces\":1", "\"traces\":2"),
        ("unknown ending", "\"crash-now\"", "\"crash\""),
        ("end of the trace missing", "{\"end\":{\"ending\":\"crash-now\",\"steps\":2,\"driver_steps\":3}}\n", ""),
        ("end of the file missing", "{\"total\":{\"traces\":1,\"steps\":2,\"driver_steps\":3}}\n", ""),
        (
            "something after the end",
            "\"traces\":1,\"steps\":2,\"driver_steps\":3}}\n",
            "\"traces\":1,\"steps\":2,\"driver_steps\":3}}\n{}\n",
        ),
        ("another kind of line", "{\"verb\":\"cancel\",", "{\"word\":\"cancel\","),
        ("no JSON", "{\"verb\":\"cancel\",", "{\"verb\":\"cancel\";"),
        ("empty line", crash_line, "\n"),
    ];
    let told: Vec<String> = cases
        .iter()
        .map(|(what, from, to)| {
            let problem = problem(from, to);
            assert!(problem.contains("traces.jsonl:"), "{what}: no place in {problem}");
            format!("{what}:\n{problem}\n")
        })
        .collect();
    insta::assert_snapshot!("problems", told.join("\n"));
}

#[test]
fn given_an_empty_file_or_bytes_that_are_no_text_when_read_should_be_refused() {
    assert!(read("empty.jsonl", b"").is_err());
    let problem = read("bytes.jsonl", b"{\n\xff").expect_err("no text").to_string();
    assert!(problem.contains("line 2"), "{problem}");
}

#[test]
fn given_a_step_that_no_contract_allows_when_written_should_be_refused_before_the_trace_is_begun() {
    let mut trace = small().traces.remove(0);
    trace.steps[1].allowed.progress = Progress::Refused { reason: "no".to_owned() };
    let mut writer = TraceWriter::new(Vec::new(), &small().header).expect("a header");
    assert!(matches!(writer.write(&trace), Err(Unwritable::Step(2))));
    assert!(itf(&small().header, &trace, 1).is_err());
    let written = String::from_utf8(writer.finish().expect("an end")).expect("text");
    assert_eq!(read("none.jsonl", written.as_bytes()).expect("a file without traces").traces, Vec::new());
}
