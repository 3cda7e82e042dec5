//! Traces that proptest makes: any steps and answers, whether a model allows them or not.

use std::collections::BTreeMap;

use fencepost_conformance::replay::trace::{Ending, Trace, TraceStep};
use fencepost_driver::{
    Answer, Call, Certainty, Crash, Observation, Park, ParkKind, Progress, Reply, Seen, Start, Status, Step,
};
use proptest::prelude::*;
use proptest::sample::select;

/// A text that does not begin with a digit: version 0.4.0 of the library `itf` takes a list of one text of digits for a number.
fn name() -> impl Strategy<Value = String> {
    let any = prop_oneof!["[ -~]{0,6}", any::<String>()].prop_map(|text| format!("x{text}"));
    prop_oneof![Just("group".to_owned()), Just("A.1".to_owned()), Just(String::new()), any]
}

fn offset() -> impl Strategy<Value = u64> {
    prop_oneof![0..5u64, Just((1 << 53) + 1), Just(u64::MAX)]
}

fn start() -> impl Strategy<Value = Start> {
    prop_oneof![
        Just(Start::Next),
        Just(Start::First),
        Just(Start::Last),
        offset().prop_map(|offset| Start::Offset { offset })
    ]
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        (name(), start(), offset(), any::<bool>(), any::<bool>()).prop_map(
            |(consumer, start, count, automatic_commit, may_wait)| Call::Poll {
                consumer,
                start,
                count,
                automatic_commit,
                may_wait
            }
        ),
        (name(), offset(), prop::option::of(name())).prop_map(|(consumer, offset, batch_of)| Call::Store {
            consumer,
            offset,
            batch_of
        }),
        name().prop_map(|consumer| Call::Delete { consumer }),
        prop::collection::vec(name(), 0..3).prop_map(|payloads| Call::Send { payloads }),
        Just(Call::Empty {}),
        Just(Call::Recreate {}),
        name().prop_map(|consumer| Call::Join { consumer }),
        name().prop_map(|consumer| Call::Leave { consumer }),
        name().prop_map(|consumer| Call::Disconnect { consumer }),
        offset().prop_map(|count| Call::Expire { count }),
    ]
}

fn messages() -> impl Strategy<Value = Vec<(u64, String)>> {
    prop::collection::vec((offset(), name()), 0..4)
}

fn reply() -> impl Strategy<Value = Reply> {
    prop_oneof![
        messages().prop_map(|messages| Reply::Batch { messages }),
        Just(Reply::Empty {}),
        Just(Reply::Sentinel {}),
        Just(Reply::Acknowledged {}),
        any::<u16>().prop_map(|code| Reply::Code { code }),
        Just(Reply::Disconnected {}),
    ]
}

fn park() -> impl Strategy<Value = Park> {
    (select(ParkKind::ALL), name()).prop_map(|(kind, name)| Park::new(kind, name))
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let answer = select(vec![Answer::Proceed, Answer::Fail, Answer::TimeOut]);
    let crash = prop_oneof![
        Just(Crash::Process {}),
        prop::collection::vec(0..9usize, 0..4).prop_map(|keep| Crash::Power { keep }),
    ];
    prop_oneof![
        (name(), call()).prop_map(|(operation, call)| vec![Step::Start { operation, call }]),
        (park(), answer).prop_map(|(park, answer)| vec![Step::Resume { park, answer }]),
        name().prop_map(|operation| vec![Step::Cancel { operation }]),
        crash.prop_map(|crash| vec![Step::Crash { crash }, Step::Restart {}]),
    ]
}

fn offsets() -> impl Strategy<Value = Option<BTreeMap<String, u64>>> {
    prop::option::of(prop::collection::btree_map(name(), offset(), 0..3))
}

fn observation() -> impl Strategy<Value = Observation> {
    let status = prop::option::of(select(vec![Status::Serving, Status::Purging, Status::Fenced]));
    let number = || prop::option::of(offset());
    let parts = (status, number(), prop::option::of(messages()), offsets(), offsets());
    let others = (offsets(), number(), prop::option::of(name()), prop::option::of(prop::collection::vec(name(), 0..3)));
    (parts, others, prop::option::of(prop::collection::vec(park(), 0..3))).prop_map(|(parts, others, parked)| {
        let (status, next_offset, messages, bookmarks, bookmark_files) = parts;
        let (last_polled, purge_generation, partition_owner, unsynced) = others;
        Observation {
            status,
            next_offset,
            messages,
            bookmarks,
            bookmark_files,
            last_polled,
            purge_generation,
            partition_owner,
            unsynced,
            parked,
            ..Observation::default()
        }
    })
}

fn progress() -> impl Strategy<Value = Progress> {
    let certainty = select(vec![Certainty::Definite, Certainty::Indefinite]);
    prop_oneof![
        Just(Progress::Parked),
        (reply(), certainty).prop_map(|(reply, certainty)| Progress::Done { reply, certainty }),
    ]
}

fn step() -> impl Strategy<Value = TraceStep> {
    (steps(), progress(), observation())
        .prop_map(|(steps, progress, observation)| TraceStep { steps, allowed: Seen { progress, observation } })
}

/// Any trace that has a form in a file.
pub fn trace() -> impl Strategy<Value = Trace> {
    (select(Ending::ALL), prop::collection::vec(step(), 0..8)).prop_map(|(ending, steps)| Trace { ending, steps })
}
