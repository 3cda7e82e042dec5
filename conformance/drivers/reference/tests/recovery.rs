//! Restart and power loss: what is found in the files.

mod support;

use fencepost_driver::{Answer, Call, Crash, Reply, Status, World};
use support::*;

fn losing_power(contract: &str, messages: usize) -> World {
    let mut world = world(contract, messages, &[]);
    (world.is_resident, world.loses_power) = (true, true);
    world
}

#[test]
fn given_unsynced_appends_when_power_is_lost_should_find_what_was_kept() {
    for (keep, found) in [(vec![], 1), (vec![0], 2), (vec![0, 1], 3), (vec![1], 1)] {
        let mut bench = Bench::new(&losing_power("iggy-2026-08", 1));
        bench.ask("producer.1", send(&["n1"]));
        bench.ask("producer.2", send(&["n2"]));
        assert_eq!(bench.look().unsynced, Some(vec!["append".to_owned(), "append".to_owned()]));
        bench.restart(Crash::Power { keep: keep.clone() });
        let seen = bench.look();
        assert_eq!(seen.messages.unwrap().len(), found, "kept {keep:?}");
        assert_eq!(seen.next_offset, Some(found as u64));
        assert_eq!(seen.unsynced, Some(vec![]));
    }
}

#[test]
fn given_durable_messages_and_commits_when_power_is_lost_should_find_them_all() {
    let mut bench = Bench::new(&losing_power("owner-installed", 1));
    bench.ask("producer.1", send(&["n1"]));
    bench.ask("C.1", poll("C", false));
    bench.ask("C.2", store("C", 1, "C.1"));
    assert_eq!(bench.look().unsynced, Some(vec![]));
    bench.restart(Crash::Power { keep: vec![] });
    let seen = bench.look();
    assert_eq!(seen.next_offset, Some(2));
    assert_eq!(seen.bookmarks, seen.bookmark_files);
    assert_eq!(bench.bookmark("C"), Some(1));
}

#[test]
fn given_unsynced_bookmarks_when_power_is_lost_should_find_the_old_or_the_new_one_never_a_torn_one() {
    for (keep, expected) in [(vec![], Some(0)), (vec![0], Some(1)), (vec![1], Some(2)), (vec![0, 1], Some(2))] {
        let mut world = losing_power("iggy-2026-08", 3);
        world.bookmarks.insert("C".to_owned(), 0);
        let mut bench = Bench::new(&world);
        bench.ask("C.1", store("C", 1, ""));
        bench.ask("C.2", store("C", 2, ""));
        bench.restart(Crash::Power { keep: keep.clone() });
        assert_eq!(bench.bookmark("C"), expected, "kept {keep:?}");
    }
}

#[test]
fn given_a_bookmark_above_the_head_when_the_owner_recovers_should_clamp_it_as_the_contract_says() {
    for (contract, on_empty) in [("iggy-2026-08", Some(0)), ("owner-installed", None)] {
        let mut world = losing_power(contract, 0);
        world.bookmarks.insert("C".to_owned(), 4);
        let mut bench = Bench::new(&world);
        assert_eq!(bench.bookmark("C"), on_empty, "{contract}: the world is recovered, too");
        bench.ask("producer.1", send(&["n0", "n1"]));
        bench.restart(Crash::Process {});
        assert_eq!(bench.bookmark("C"), Some(1), "{contract}");
    }
}

#[test]
fn given_work_at_the_owner_when_its_process_dies_should_end_the_connections_and_keep_what_is_under_way() {
    let mut world = world("iggy-poll-completion", 3, &[]);
    (world.prepare_slots, world.queue_slots) = (Some(1), 1);
    let mut bench = Bench::new(&world);
    bench.start("C.1", poll("C", true));
    bench.go(&["request:C.1", "arrival:C.1", "open:C.1"]);
    bench.start("producer.1", send(&["n1"]));
    bench.go(&["request:producer.1", "arrival:producer.1"]);
    bench.start("D.1", store("D", 1, ""));
    bench.go(&["request:D.1", "arrival:D.1"]);
    bench.start("D.2", poll("D", false));
    bench.go(&["request:D.2"]);
    bench.restart(Crash::Process {});
    assert_eq!(bench.parked(), ["arrival:D.2", "reply:C.1", "reply:D.1", "reply:producer.1"]);
    for operation in ["C.1", "D.1", "producer.1"] {
        assert_eq!(bench.reply(operation), Reply::Disconnected {});
    }
    let seen = bench.look();
    assert_eq!((seen.prepared, seen.queued, seen.next_offset), (Some(0), Some(0), Some(3)));
}

#[test]
fn given_a_half_done_purge_when_the_owner_restarts_should_finish_it_before_serving_or_leave_it_to_be_finished() {
    for (contract, finishes) in [("iggy-2026-08", false), ("reset-with-generation", true)] {
        let mut world = losing_power(contract, 2);
        world.purges_in_steps = true;
        world.bookmarks.insert("C".to_owned(), 1);
        let mut bench = Bench::new(&world);
        bench.command("operator.1", Call::Empty {});
        assert_eq!(bench.look().status, Some(Status::Purging));
        bench.go(&["purge"]);
        assert_eq!(bench.bookmark("C"), None);
        bench.restart(Crash::Process {});
        if finishes {
            assert_eq!(bench.look().status, Some(Status::Purging), "{contract}");
            bench.go(&["purge"; 5]);
        }
        let seen = bench.look();
        assert_eq!(seen.status, Some(Status::Serving));
        assert_eq!(seen.purge_generation, Some(u64::from(finishes)), "{contract}");
        assert_eq!(seen.bookmarks.unwrap().get("C").copied(), (!finishes).then_some(0), "{contract}");
        assert_eq!(bench.parked().contains(&"finish-purge".to_owned()), !finishes, "{contract}");
        if !finishes {
            bench.go(&["finish-purge", "purge", "purge", "purge", "purge", "purge"]);
            assert_eq!(bench.look().purge_generation, Some(1));
        }
    }
}

#[test]
fn given_a_kept_numbering_when_power_is_lost_during_the_purge_should_never_show_a_mixture() {
    for steps in 0..=2 {
        for kept in 0..8_usize {
            let mut world = losing_power("kept-numbering", 3);
            world.purges_in_steps = true;
            let mut bench = Bench::new(&world);
            bench.command("operator.1", Call::Empty {});
            bench.go(&["purge"; 2][..steps]);
            let unsynced = bench.look().unsynced.unwrap().len();
            let keep: Vec<usize> = (0..unsynced).filter(|place| kept >> place & 1 == 1).collect();
            bench.restart(Crash::Power { keep });
            let seen = bench.look();
            assert_eq!(seen.next_offset, Some(3), "{steps} steps, kept {kept:03b}");
            let count = seen.messages.unwrap().len();
            assert_eq!(count, if steps == 0 { 3 } else { 0 }, "{steps} steps, kept {kept:03b}");
        }
    }
}

#[test]
fn given_restarts_under_every_contract_when_nothing_was_under_way_should_look_the_same() {
    for contract in ALL {
        let mut world = world(contract, 3, &["A", "B"]);
        world.bookmarks.insert("C".to_owned(), 1);
        let mut bench = Bench::new(&world);
        bench.ask("producer.1", send(&["n3"]));
        bench.ask("C.1", poll("C", true));
        let before = bench.look();
        bench.restart(Crash::Process {});
        assert_eq!(bench.look(), before, "{contract}");
    }
}

#[test]
fn given_inner_parks_when_recovery_itself_crashes_should_recover_later() {
    let mut world = losing_power("reset-with-generation", 2);
    (world.purges_in_steps, world.holds_inner_steps) = (true, true);
    let mut bench = Bench::new(&world);
    bench.start("operator.1", Call::Empty {});
    bench.go(&["propose:operator.1", "apply:owner", "purge"]);
    bench.go(&["inner:unlink:partition-0/00000000000000000000.log"]);
    let next = |bench: &Bench| bench.parked().into_iter().find(|park| park.starts_with("inner:") || park == "purge");
    let mut was_held_inside = false;
    for steps in 0..20 {
        bench.restart(Crash::Process {});
        for _ in 0..steps % 5 {
            let park = next(&bench).expect("recovery is held at its storage calls and at the steps of the purge");
            bench.resume(&park, Answer::Proceed);
        }
        was_held_inside |= bench.parked().iter().any(|park| park.starts_with("inner:"));
    }
    assert!(was_held_inside, "recovery is held at its storage calls");
    for _ in 0..60 {
        let Some(park) = next(&bench) else { break };
        bench.resume(&park, Answer::Proceed);
    }
    let seen = bench.look();
    assert_eq!((seen.status, seen.purge_generation), (Some(Status::Serving), Some(1)));
    assert_eq!(seen.messages, Some(vec![]));
}
