//! Verdicts, their words and their summaries.

use fencepost_checker::engine::{Breach, Finding, Stop, Trace};
use fencepost_checker::verdict::Verdict::{self, *};

fn finding(exercised: u64, is_broken: bool) -> Finding<()> {
    let trace = Trace { initial: 0, actions: vec![], loop_start: None };
    let broken = is_broken.then(|| Breach { reason: "r".to_owned(), trace });
    Finding { clause: "c".to_owned(), exercised, witness: None, broken }
}

#[test]
fn given_findings_when_concluded_should_claim_no_more_than_is_known() {
    assert_eq!(Verdict::of(&finding(1, false), None, 7), HoldsExhaustive);
    assert_eq!(Verdict::of(&finding(0, false), None, 7), Vacuous);
    assert_eq!(Verdict::of(&finding(1, true), None, 7), Violated);
    assert_eq!(Verdict::of(&finding(1, true), Some(Stop::Time), 7), Violated);
    assert_eq!(Verdict::of(&finding(1, false), Some(Stop::Depth), 7), HoldsUpToDepth(7));
    assert_eq!(Verdict::of(&finding(0, false), Some(Stop::States), 7), Stopped(Stop::States));
    assert_eq!(Verdict::of_liveness(&finding(1, false), Some(Stop::Depth)), Stopped(Stop::Depth));
    assert_eq!(Verdict::of_liveness(&finding(1, false), None), HoldsExhaustive);
    assert_eq!(Verdict::of_liveness(&finding(1, true), None), Violated);
}

#[test]
fn given_verdicts_when_displayed_should_use_the_agreed_words() {
    let words = [
        (HoldsExhaustive, "holds (exhaustive)"),
        (HoldsUpToDepth(12), "holds up to depth 12"),
        (Stopped(Stop::Interrupted), "stopped (interrupted)"),
        (Stopped(Stop::States), "stopped (states)"),
        (Stopped(Stop::Time), "stopped (time)"),
        (Stopped(Stop::Memory), "stopped (memory)"),
        (Stopped(Stop::Depth), "stopped (depth)"),
        (Violated, "violated"),
        (Vacuous, "vacuous"),
        (NotChecked, "not checked"),
    ];
    for (verdict, text) in words {
        assert_eq!(verdict.to_string(), text);
    }
}

#[test]
fn given_several_views_when_summarised_should_report_the_worst_that_is_known() {
    let cases: [(&[Verdict], Verdict); 9] = [
        (&[], NotChecked),
        (&[Vacuous, Vacuous], Vacuous),
        (&[Vacuous, HoldsExhaustive, Vacuous], HoldsExhaustive),
        (&[HoldsExhaustive, HoldsUpToDepth(9), HoldsUpToDepth(5), Vacuous], HoldsUpToDepth(5)),
        (&[HoldsUpToDepth(5), Stopped(Stop::Time), HoldsExhaustive], Stopped(Stop::Time)),
        (&[Stopped(Stop::States), Stopped(Stop::Time)], Stopped(Stop::States)),
        (&[Stopped(Stop::States), Violated, HoldsExhaustive], Violated),
        (&[HoldsExhaustive, NotChecked], NotChecked),
        (&[Violated], Violated),
    ];
    for (verdicts, summary) in cases {
        assert_eq!(Verdict::summary(verdicts), summary, "{verdicts:?}");
    }
    assert!(HoldsExhaustive.holds() && HoldsUpToDepth(1).holds());
    assert!(!Vacuous.holds() && !Violated.holds() && !NotChecked.holds() && !Stopped(Stop::Time).holds());
}
