//! Random steps: nothing panics, looking changes nothing, and the same steps always show the same.

mod support;

use fencepost_driver::{
    Answer, Call, Crash, Fields, Observation, Park, ParkKind, Progress, Start, Step, Subject, World,
};
use fencepost_reference::{Backing, Fault, Reference};
use proptest::prelude::*;
use support::{ALL, world};

/// One random choice: what to do, and with what.
type Choice = (u8, u8, u8);

fn a_world((contract, sizes, flags): Choice) -> World {
    let members: &[&str] = [&[][..], &["A"], &["A", "B"]][usize::from(sizes % 3)];
    let mut world = world(ALL[usize::from(contract) % ALL.len()], usize::from(sizes % 4), members);
    world.partitions = u64::from(1 + flags % 2);
    world.prepare_slots = (flags & 2 != 0).then_some(u64::from(1 + sizes % 2));
    world.queue_slots = u64::from(sizes % 3);
    world.is_resident = flags & 4 != 0;
    world.purges_in_steps = flags & 8 != 0;
    world.loses_power = flags & 16 != 0;
    world.holds_inner_steps = flags & 32 != 0;
    world
}

fn a_call(number: usize, with: u8, more: u8) -> Call {
    let consumer = ["A", "B", "C", "D"][usize::from(with % 4)].to_owned();
    let offset = u64::from(more % 5);
    match with / 4 % 10 {
        0..=2 => {
            let start = [Start::Next, Start::First, Start::Last, Start::Offset { offset }][usize::from(more / 5 % 4)];
            let (automatic_commit, may_wait) = (more & 32 != 0, more & 64 != 0);
            Call::Poll { consumer, start, count: offset, automatic_commit, may_wait }
        }
        3 => Call::Store { consumer, offset, batch_of: (more & 32 != 0).then(|| format!("x.{}", more % 8)) },
        4 => Call::Delete { consumer },
        5 => Call::Send { payloads: (0..=more % 3).map(|part| format!("p{number}-{part}")).collect() },
        6 => [Call::Empty {}, Call::Recreate {}][usize::from(more % 2)].clone(),
        7 => Call::Join { consumer },
        8 => [Call::Leave { consumer: consumer.clone() }, Call::Disconnect { consumer }][usize::from(more % 2)].clone(),
        _ => Call::Expire { count: offset },
    }
}

/// The next step, by what waits now.
fn a_step(subject: &mut Reference, number: usize, (what, with, more): Choice) -> Vec<Step> {
    let operation = |number: usize| format!("x.{number}");
    let parked = subject.parked();
    match what % 16 {
        0..=4 => vec![Step::Start { operation: operation(number), call: a_call(number, with, more) }],
        5 => vec![Step::Cancel { operation: operation(usize::from(more) % (number + 1)) }],
        6 if more % 4 == 0 => {
            let unsynced =
                subject.observe(Fields::all()).ok().and_then(|seen| seen.unsynced).map_or(0, |list| list.len());
            let keep = (0..unsynced).filter(|place| with >> (place % 8) & 1 == 1).collect();
            let crash = if more % 8 == 0 { Crash::Process {} } else { Crash::Power { keep } };
            vec![Step::Crash { crash }, Step::Restart {}]
        }
        7 => {
            let kind = [ParkKind::GatewayTimeOut, ParkKind::RevocationTimeOut][usize::from(more % 2)];
            let name = if more % 2 == 0 { operation(usize::from(with) % (number + 1)) } else { String::new() };
            vec![Step::Resume { park: Park { kind, name }, answer: Answer::Proceed }]
        }
        _ if parked.is_empty() => Vec::new(),
        _ => {
            let park = parked[usize::from(with) % parked.len()].clone();
            let answer = [Answer::Proceed, Answer::Proceed, Answer::Fail, Answer::TimeOut][usize::from(more % 4)];
            vec![Step::Resume { park, answer }]
        }
    }
}

fn walk(subject: &mut Reference, world: &World, choices: &[Choice]) -> Vec<(Step, Progress, Observation)> {
    subject.reset(world).expect("a world");
    let mut seen = Vec::new();
    for (number, choice) in choices.iter().enumerate() {
        for step in a_step(subject, number, *choice) {
            let progress = subject.perform(&step).expect("no failure");
            let look = subject.observe(Fields::all()).expect("a look");
            assert_eq!(subject.observe(Fields::all()).expect("a look"), look, "looking changes nothing");
            assert!(look.parked.iter().flatten().is_sorted(), "parks are sorted");
            seen.push((step, progress, look));
        }
    }
    seen
}

fn choices() -> impl Strategy<Value = Vec<Choice>> {
    proptest::collection::vec(any::<Choice>(), 0..80)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn given_random_steps_when_they_are_taken_twice_should_show_the_same(first in any::<Choice>(), choices in choices()) {
        let world = a_world(first);
        let mut subject = Reference::in_memory();
        let once = walk(&mut subject, &world, &choices);
        let again = walk(&mut subject, &world, &choices);
        prop_assert_eq!(&once, &again);
        let fresh = walk(&mut Reference::in_memory(), &world, &choices);
        prop_assert_eq!(&once, &fresh);
    }

    #[test]
    fn given_a_fault_when_random_steps_are_taken_should_never_panic(
        fault in 0_usize..200, first in any::<Choice>(), choices in choices()
    ) {
        let faults = Fault::all();
        let mut subject = Reference::new(Backing::memory(), Some(faults[fault % faults.len()]));
        walk(&mut subject, &a_world(first), &choices);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn given_the_real_file_system_when_the_same_steps_are_taken_should_show_the_same(
        first in any::<Choice>(), choices in choices()
    ) {
        let world = World { loses_power: false, ..a_world(first) };
        // The power of the real machine is not cut.
        let choices: Vec<Choice> = choices.into_iter().filter(|choice| choice.0 % 16 != 6 || choice.2 % 8 == 0).collect();
        let folder = tempfile::tempdir().expect("a folder");
        let mut on_disk = Reference::new(Backing::directory(folder.path()).expect("a folder"), None);
        let in_memory = walk(&mut Reference::in_memory(), &world, &choices);
        prop_assert_eq!(in_memory, walk(&mut on_disk, &world, &choices));
    }
}

#[test]
fn given_every_fault_when_it_is_written_as_a_word_should_be_read_again() {
    let faults = Fault::all();
    for fault in &faults {
        assert_eq!(fault.to_string().parse::<Fault>().as_ref(), Ok(fault));
        assert!(!fault.sentence().is_empty() && !fault.source().is_empty());
    }
    let mut words: Vec<String> = faults.iter().map(ToString::to_string).collect();
    words.sort();
    words.dedup();
    assert_eq!(words.len(), faults.len(), "each fault has a word of its own");
    assert!(faults.len() >= 70, "thirty planted faults and more, beside missing fences and syncs: {}", faults.len());
}
