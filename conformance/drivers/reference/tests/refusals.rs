//! The answers of refusals, contract by contract.

mod support;

use fencepost_driver::{Answer, Call, Reply, Start};
use support::*;

fn sentinel_or(code_of: Option<u16>) -> Reply {
    code_of.map_or(Reply::Sentinel {}, code)
}

#[test]
fn given_a_member_that_owns_nothing_when_it_asks_should_be_refused_at_the_gateway() {
    for (contract, poll_code, store_code) in [
        ("iggy-2026-08", None, 20),
        ("iggy-poll-completion", None, 5009),
        ("kept-numbering", None, 5009),
        ("reset-with-generation", None, 5009),
        ("deferred-poll", None, 5009),
        ("fenced-commits", None, 5009),
        ("owner-installed", Some(5009), 5009),
        ("owner-installed-bare-offsets", Some(5009), 5009),
    ] {
        let mut bench = Bench::new(&world(contract, 2, &["A", "B"]));
        bench.start("B.1", poll("B", true));
        bench.go(&["request:B.1"]);
        assert_eq!(bench.parked(), ["reply:B.1"], "{contract}");
        assert_eq!(bench.reply("B.1"), sentinel_or(poll_code), "{contract}");
        assert_eq!(bench.ask("B.2", store("B", 0, "")), code(store_code), "{contract}");
    }
}

#[test]
fn given_any_contract_when_offsets_do_not_exist_should_refuse_with_the_codes_of_the_protocol() {
    for contract in ALL {
        let mut bench = Bench::new(&world(contract, 3, &[]));
        assert_eq!(bench.ask("C.1", store("C", 9, "")), code(4100), "{contract}");
        assert_eq!(bench.ask("C.2", Call::Delete { consumer: "C".to_owned() }), code(3021), "{contract}");
        assert_eq!(bench.bookmark("C"), None, "{contract}");
    }
}

#[test]
fn given_a_full_pipeline_and_queue_when_a_request_arrives_should_drop_or_refuse_it() {
    for (contract, refuses) in
        [("iggy-2026-08", false), ("deferred-poll", false), ("reset-with-generation", true), ("owner-installed", true)]
    {
        let mut world = world(contract, 1, &[]);
        world.prepare_slots = Some(1);
        let mut bench = Bench::new(&world);
        bench.start("producer.1", send(&["n1"]));
        bench.go(&["request:producer.1", "arrival:producer.1"]);
        bench.start("C.1", store("C", 0, ""));
        bench.go(&["request:C.1", "arrival:C.1"]);
        if refuses {
            assert_eq!(bench.reply("C.1"), code(58), "{contract}");
        }
        assert_eq!(bench.parked(), ["commit"], "{contract}");
    }
}

#[test]
fn given_all_read_slots_taken_when_a_poll_arrives_should_refuse_it_before_reading() {
    let mut world = world("iggy-poll-completion", 3, &[]);
    world.read_slots = 1;
    let mut bench = Bench::new(&world);
    bench.start("C.1", poll("C", false));
    bench.go(&["request:C.1", "arrival:C.1"]);
    assert_eq!(bench.ask("D.1", poll("D", true)), code(58));
    bench.go(&["open:C.1", "complete:C.1", "reply:C.1"]);
    assert_eq!(offsets(&bench.ask("D.2", poll("D", false))), [0, 1, 2]);
}

#[test]
fn given_a_write_bound_to_a_deleted_incarnation_when_it_arrives_should_be_refused() {
    for (contract, refusal) in [("iggy-2026-08", 58), ("fenced-commits", 58), ("owner-installed", 87)] {
        let mut bench = Bench::new(&world(contract, 3, &[]));
        bench.ask("C.1", poll("C", false));
        bench.start("C.2", store("C", 1, "C.1"));
        bench.go(&["request:C.2"]);
        bench.start("operator.1", Call::Recreate {});
        bench.go(&["propose:operator.1", "apply:owner"]);
        bench.go(&["arrival:C.2"]);
        assert_eq!(bench.reply("C.2"), code(refusal), "{contract}");
    }
}

#[test]
fn given_a_request_that_knows_more_than_the_owner_when_it_arrives_should_be_sent_away_where_there_is_a_floor() {
    for (contract, poll_code, store_code) in [
        ("reset-with-generation", None, None),
        ("fenced-commits", None, Some(58)),
        ("owner-installed-bare-offsets", Some(58), Some(58)),
    ] {
        let mut world = world(contract, 2, &["B", "A"]);
        world.is_resident = true;
        let mut bench = Bench::new(&world);
        bench.start("operator.1", leave("B"));
        bench.go(&["propose:operator.1", "apply:gateway"]);
        let reply = bench.ask("A.1", poll("A", false));
        assert_eq!(matches!(reply, Reply::Code { code: 58 }), poll_code.is_some(), "{contract}: {reply:?}");
        let stored = bench.ask("A.2", store("A", 0, "A.1"));
        assert_eq!(stored, store_code.map_or(Reply::Acknowledged {}, code), "{contract}");
    }
}

#[test]
fn given_a_gateway_that_gives_up_when_the_read_completes_should_not_answer_twice() {
    for (contract, answer, bookmark) in [
        ("iggy-2026-08", Reply::Empty {}, Some(2)),
        ("iggy-poll-completion", Reply::Empty {}, None),
        ("owner-installed", code(57), None),
    ] {
        let mut bench = Bench::new(&world(contract, 3, &[]));
        bench.start("C.1", poll("C", true));
        bench.go(&["request:C.1", "arrival:C.1", "open:C.1"]);
        bench.go(&["gateway-time-out:C.1"]);
        assert_eq!(bench.reply("C.1"), answer, "{contract}");
        bench.go(&["complete:C.1"]);
        assert_eq!(bench.parked(), [""; 0], "{contract}");
        assert_eq!(bench.bookmark("C"), bookmark, "{contract}");
    }
}

#[test]
fn given_an_old_client_when_it_commits_should_be_accepted_refused_or_bound() {
    for (contract, answer) in [
        ("iggy-2026-08", Reply::Acknowledged {}),
        ("reset-with-generation", code(4100)),
        ("owner-installed", Reply::Acknowledged {}),
    ] {
        let mut world = world(contract, 3, &[]);
        world.clients[2].is_old = true;
        let mut bench = Bench::new(&world);
        bench.ask("C.1", poll("C", false));
        assert_eq!(bench.ask("C.2", store("C", 2, "C.1")), answer, "{contract}");
    }
}

#[test]
fn given_a_waiting_poll_when_its_assignment_ends_should_be_refused_and_never_get_a_batch() {
    for (contract, refusal) in [("deferred-poll", 58), ("owner-installed", 5009)] {
        let mut bench = Bench::new(&world(contract, 0, &["A", "B"]));
        let waits = Call::Poll {
            consumer: "A".to_owned(),
            start: Start::Next,
            count: 8,
            automatic_commit: false,
            may_wait: true,
        };
        bench.start("A.1", waits);
        bench.go(&["request:A.1", "arrival:A.1"]);
        assert_eq!(bench.parked(), ["wait:A.1"], "{contract}");
        bench.resume("wait:A.1", Answer::Proceed);
        assert_eq!(bench.parked(), ["wait:A.1"], "{contract}: there is nothing for it yet");
        bench.command("operator.1", leave("A"));
        bench.ask("producer.1", send(&["n0"]));
        bench.go(&["wait:A.1"]);
        assert_eq!(bench.reply("A.1"), code(refusal), "{contract}");
    }
}

#[test]
fn given_two_partitions_when_a_member_joins_should_wait_for_what_was_served() {
    let mut world = world("iggy-poll-completion", 3, &["A"]);
    (world.partitions, world.is_resident) = (2, true);
    let mut bench = Bench::new(&world);
    bench.ask("A.1", poll("A", false));
    bench.start("operator.1", join("B"));
    bench.go(&["request:operator.1", "gather:operator.1", "gathered:operator.1", "propose:operator.1"]);
    bench.go(&["apply:gateway", "apply:owner", "reply:operator.1"]);
    assert_eq!(bench.look().partition_owner.as_deref(), Some("A"));
    assert_eq!(bench.parked(), [""; 0]);
    assert_eq!(bench.ask("A.2", store("A", 2, "A.1")), Reply::Acknowledged {});
    assert_eq!(bench.parked(), ["report-drained"]);
    bench.go(&["report-drained", "drained:2", "apply:gateway", "apply:owner"]);
    let seen = bench.look();
    assert_eq!((seen.partition_owner.as_deref(), seen.group_generation), (Some("B"), Some(3)));
}

#[test]
fn given_a_pending_revocation_when_it_times_out_should_move_the_partition() {
    let mut world = world("iggy-poll-completion", 3, &["A"]);
    (world.partitions, world.is_resident) = (2, true);
    let mut bench = Bench::new(&world);
    bench.ask("A.1", poll("A", false));
    bench.start("operator.1", join("B"));
    bench.go(&["request:operator.1", "gather:operator.1", "gathered:operator.1", "propose:operator.1"]);
    bench.go(&["revocation-time-out", "apply:owner", "apply:owner"]);
    assert_eq!(bench.look().partition_owner.as_deref(), Some("B"));
}
