//! The hazards as hand-written traces, under the contracts where they show and where they do not.

mod support;

use fencepost_driver::{Answer, Call, Crash, Reply, Start, Status};
use support::*;

/// Hazard E-1, #4117: a read that was planned before a purge ends after it.
#[test]
fn given_a_pending_read_when_the_topic_is_purged_should_move_progress_only_before_4119() {
    for (contract, refused) in [
        ("iggy-2026-08", None),
        ("iggy-poll-completion", Some(58)),
        ("reset-with-generation", Some(58)),
        ("deferred-poll", Some(58)),
        ("fenced-commits", Some(58)),
    ] {
        let mut bench = Bench::new(&world(contract, 3, &[]));
        bench.start("C.1", poll("C", true));
        bench.go(&["request:C.1", "arrival:C.1", "open:C.1"]);
        bench.command("operator.1", Call::Empty {});
        assert_eq!(bench.ask("producer.1", send(&["n0", "n1", "n2", "n3", "n4"])), Reply::Acknowledged {});
        bench.go(&["complete:C.1"]);
        let reply = bench.reply("C.1");
        let second = bench.ask("C.2", poll("C", false));
        match refused {
            None => {
                assert_eq!(offsets(&reply), [0, 1, 2], "{contract}");
                assert_eq!(offsets(&second), [3, 4], "{contract}");
            }
            Some(refusal) => {
                assert_eq!(reply, code(refusal), "{contract}");
                assert_eq!(offsets(&second), [0, 1, 2, 3, 4], "{contract}");
            }
        }
    }
}

#[test]
fn given_a_pending_read_when_a_purge_keeps_the_numbering_should_grant_it() {
    let mut bench = Bench::new(&world("kept-numbering", 3, &[]));
    bench.start("C.1", poll("C", true));
    bench.go(&["request:C.1", "arrival:C.1", "open:C.1"]);
    bench.command("operator.1", Call::Empty {});
    bench.ask("producer.1", send(&["n0", "n1"]));
    bench.go(&["complete:C.1"]);
    assert_eq!(offsets(&bench.reply("C.1")), [0, 1, 2]);
    let second = bench.ask("C.2", poll("C", false));
    assert_eq!(second, Reply::Batch { messages: vec![(3, "n0".to_owned()), (4, "n1".to_owned())] });
}

/// A read that has not opened its file when it is replaced finds what is there then, or nothing.
#[test]
fn given_an_unopened_read_when_its_file_is_replaced_should_find_the_new_bytes_or_nothing() {
    for fails in [false, true] {
        let mut bench = Bench::new(&world("iggy-2026-08", 3, &[]));
        bench.start("C.1", poll("C", false));
        bench.go(&["request:C.1", "arrival:C.1"]);
        bench.command("operator.1", Call::Empty {});
        bench.ask("producer.1", send(&["n0"]));
        bench.resume("open:C.1", if fails { Answer::Fail } else { Answer::Proceed });
        bench.go(&["complete:C.1"]);
        let found = Reply::Batch { messages: vec![(0, "n0".to_owned())] };
        assert_eq!(bench.reply("C.1"), if fails { Reply::Empty {} } else { found });
    }
}

/// Hazards E-4 and E-5: operations that wait for their place while the topic is purged.
#[test]
fn given_a_queued_store_when_the_topic_is_purged_should_refuse_it_where_the_history_is_compared() {
    for (contract, answer) in [
        ("iggy-poll-completion", Reply::Acknowledged {}),
        ("reset-with-generation", code(4100)),
        ("fenced-commits", code(4100)),
    ] {
        let mut world = world(contract, 1, &[]);
        (world.prepare_slots, world.queue_slots, world.is_resident) = (Some(1), 2, true);
        let mut bench = Bench::new(&world);
        bench.ask("C.1", poll("C", false));
        bench.start("producer.1", send(&["blocker"]));
        bench.go(&["request:producer.1", "arrival:producer.1"]);
        bench.start("C.2", store("C", 0, "C.1"));
        bench.go(&["request:C.2", "arrival:C.2"]);
        assert_eq!(bench.look().queued, Some(1), "{contract}");
        bench.command("operator.1", Call::Empty {});
        bench.go(&["commit"]);
        if answer == (Reply::Acknowledged {}) {
            bench.go(&["commit"]);
        }
        assert_eq!(bench.reply("C.2"), answer, "{contract}");
        assert_eq!(bench.look().messages, Some(vec![]), "the send was ordered before the purge");
        assert_eq!(bench.bookmark("C"), (answer == Reply::Acknowledged {}).then_some(0), "{contract}");
    }
}

#[test]
fn given_a_queued_automatic_store_when_the_topic_is_purged_should_drop_it_since_4119() {
    for (contract, bookmark) in [("iggy-2026-08", Some(0)), ("iggy-poll-completion", None)] {
        let mut world = world(contract, 1, &[]);
        (world.prepare_slots, world.queue_slots, world.is_resident) = (Some(1), 2, true);
        let mut bench = Bench::new(&world);
        bench.start("producer.1", send(&["blocker"]));
        bench.go(&["request:producer.1", "arrival:producer.1"]);
        assert_eq!(offsets(&bench.ask("C.1", poll("C", true))), [0]);
        bench.command("operator.1", Call::Empty {});
        bench.go(&["commit"]);
        bench.go(&["reply:producer.1"]);
        if bookmark.is_some() {
            bench.go(&["commit"]);
        }
        assert_eq!(bench.bookmark("C"), bookmark, "{contract}");
    }
}

/// Hazard E-7: a manual commit of an offset that was read before a purge.
#[test]
fn given_a_batch_read_before_a_purge_when_it_is_committed_after_it_should_be_refused_where_commits_name_the_generation()
{
    for (contract, answer) in [
        ("iggy-2026-08", Reply::Acknowledged {}),
        ("iggy-poll-completion", Reply::Acknowledged {}),
        ("deferred-poll", Reply::Acknowledged {}),
        ("kept-numbering", Reply::Acknowledged {}),
        ("reset-with-generation", code(4100)),
        ("fenced-commits", code(4100)),
        ("owner-installed", code(87)),
    ] {
        let mut bench = Bench::new(&world(contract, 3, &[]));
        bench.ask("C.1", poll("C", false));
        bench.command("operator.1", Call::Empty {});
        bench.ask("producer.1", send(&["n0", "n1", "n2", "n3", "n4"]));
        assert_eq!(bench.ask("C.2", store("C", 2, "C.1")), answer, "{contract}");
    }
}

/// Hazard E-8: what is sent between acknowledgement and application of a purge is removed by it.
#[test]
fn given_an_acknowledged_purge_when_it_is_applied_later_should_remove_what_was_sent_in_between() {
    let mut bench = Bench::new(&world("reset-with-generation", 2, &[]));
    bench.start("operator.1", Call::Empty {});
    bench.go(&["propose:operator.1"]);
    assert_eq!(bench.reply("operator.1"), Reply::Acknowledged {});
    assert_eq!(bench.ask("producer.1", send(&["new"])), Reply::Acknowledged {});
    bench.go(&["apply:owner"]);
    assert_eq!(bench.look().messages, Some(vec![]));
}

#[test]
fn given_a_contract_that_acknowledges_when_applied_when_the_topic_is_emptied_should_answer_after_the_owners_word() {
    let mut bench = Bench::new(&world("owner-installed", 2, &[]));
    bench.start("operator.1", Call::Empty {});
    bench.go(&["propose:operator.1"]);
    assert_eq!(bench.parked(), ["apply:gateway", "apply:owner"]);
    bench.go(&["apply:owner"]);
    assert_eq!(bench.parked(), ["apply:gateway", "applied:1"]);
    bench.go(&["applied:1"]);
    assert_eq!(bench.reply("operator.1"), Reply::Acknowledged {});
    assert_eq!(bench.look().incarnation, Some(1));
}

/// Hazard E-10, #4128: the directory of bookmarks cannot be synced during a purge, and power is lost.
#[test]
fn given_a_failing_bookmark_sync_when_power_is_lost_should_bring_the_bookmark_back_unless_it_fences() {
    for (contract, fences) in [("iggy-poll-completion", false), ("reset-with-generation", true)] {
        let mut world = world(contract, 3, &[]);
        world.bookmarks.insert("C".to_owned(), 2);
        (world.is_resident, world.purges_in_steps, world.loses_power) = (true, true, true);
        let mut bench = Bench::new(&world);
        bench.command("operator.1", Call::Empty {});
        bench.go(&["purge", "purge", "purge"]);
        bench.resume("purge", Answer::Fail);
        if fences {
            assert_eq!(bench.look().status, Some(Status::Fenced));
            assert_eq!(bench.ask("producer.1", send(&["n0"])), code(58));
        } else {
            bench.go(&["purge"]);
            bench.ask("producer.1", send(&["n0"]));
            assert_eq!(bench.look().unsynced, Some(vec!["remove-bookmark:C".to_owned(), "append".to_owned()]));
        }
        let keep = if fences { vec![] } else { vec![1] };
        bench.restart(Crash::Power { keep });
        if fences {
            assert_eq!(bench.look().status, Some(Status::Purging), "it is finished before anything is served");
            bench.go(&["purge"; 5]);
        }
        let seen = bench.look();
        assert_eq!(seen.status, Some(Status::Serving), "{contract}");
        assert_eq!(seen.purge_generation, Some(1), "{contract}");
        assert_eq!(seen.bookmarks.unwrap().get("C").copied(), (!fences).then_some(0), "{contract}");
    }
}

/// Hazard E-18: ownership is lost while a disk read is pending.
#[test]
fn given_a_pending_group_read_when_its_member_leaves_should_be_refused_where_assignments_are_compared() {
    for (contract, refusal) in [
        ("iggy-2026-08", None),
        ("iggy-poll-completion", None),
        ("kept-numbering", None),
        ("reset-with-generation", None),
        ("deferred-poll", Some(58)),
        ("fenced-commits", Some(58)),
        ("owner-installed", Some(5009)),
        ("owner-installed-bare-offsets", Some(5009)),
    ] {
        let mut bench = Bench::new(&world(contract, 3, &["A", "B"]));
        bench.start("A.1", poll("A", true));
        bench.go(&["request:A.1", "arrival:A.1", "open:A.1"]);
        bench.command("operator.1", leave("A"));
        bench.go(&["complete:A.1"]);
        let reply = bench.reply("A.1");
        match refusal {
            None => assert_eq!(offsets(&reply), [0, 1, 2], "{contract}"),
            Some(refusal) => assert_eq!(reply, code(refusal), "{contract}"),
        }
        assert_eq!(bench.bookmark("group"), refusal.is_none().then_some(2), "{contract}");
    }
}

/// Hazard E-19: a commit that was delayed until its member regained the partition, and what happens when it is sent again.
#[test]
fn given_a_delayed_commit_when_its_member_regained_the_partition_should_be_refused_where_commits_name_the_assignment() {
    for (contract, first, again) in [
        ("iggy-2026-08", None, None),
        ("reset-with-generation", None, None),
        ("deferred-poll", None, None),
        ("fenced-commits", Some(5009), Some(5009)),
        ("owner-installed", Some(5009), Some(5009)),
        ("owner-installed-bare-offsets", Some(5009), None),
    ] {
        let mut world = world(contract, 3, &["A", "B"]);
        world.is_resident = true;
        let mut bench = Bench::new(&world);
        let answer = |code: Option<u16>| code.map_or(Reply::Acknowledged {}, support::code);
        bench.ask("A.1", poll_of("A", fencepost_driver::Start::Next, 1, false));
        bench.command("operator.1", leave("A"));
        bench.ask("B.1", poll("B", false));
        assert_eq!(bench.ask("B.2", store("B", 2, "B.1")), Reply::Acknowledged {}, "{contract}");
        bench.command("operator.2", join("A"));
        bench.command("operator.3", leave("B"));
        assert_eq!(bench.ask("A.2", store("A", 0, "A.1")), answer(first), "{contract}");
        assert_eq!(bench.ask("A.3", store("A", 0, "A.1")), answer(again), "{contract}");
        let rewound = first.is_none() || again.is_none();
        assert_eq!(bench.bookmark("group"), Some(if rewound { 0 } else { 2 }), "{contract}");
    }
}

/// A poll that waits goes on where it began to wait, whatever its consumer stores meanwhile.
#[test]
fn given_a_waiting_poll_when_a_store_passes_what_it_waits_for_should_still_be_served_it() {
    let mut bench = Bench::new(&world("deferred-poll", 0, &[]));
    let start = Start::Next;
    bench.start(
        "C.1",
        Call::Poll { consumer: "C".to_owned(), start, count: 8, automatic_commit: false, may_wait: true },
    );
    bench.go(&["request:C.1", "arrival:C.1"]);
    assert_eq!(bench.parked(), ["wait:C.1"]);
    bench.ask("producer.1", send(&["n0"]));
    assert_eq!(bench.ask("C.2", store("C", 0, "")), Reply::Acknowledged {});
    bench.go(&["wait:C.1"]);
    assert_eq!(offsets(&bench.reply("C.1")), [0]);
}
