//! How many steps a second; a measurement, run by hand with `--release -- --ignored --nocapture`.

mod support;

use std::time::Instant;

use fencepost_driver::{Fields, Subject};
use support::*;

#[test]
#[ignore = "a measurement"]
fn given_short_traces_when_they_are_walked_should_take_microseconds_a_step() {
    for contract in ["iggy-2026-08", "fenced-commits", "owner-installed"] {
        let mut world = world(contract, 3, &["A", "B"]);
        world.loses_power = true;
        world.bookmarks.insert("C".to_owned(), 0);
        let mut bench = Bench::new(&world);
        let begin = Instant::now();
        let mut steps = 0_u32;
        while begin.elapsed().as_secs() < 2 {
            bench.subject.reset(&world).expect("a world");
            bench.start("A.1", poll("A", true));
            let parks = ["request:A.1", "arrival:A.1", "open:A.1", "complete:A.1", "reply:A.1"];
            bench.start("C.1", poll("C", false));
            let more = ["request:C.1", "arrival:C.1", "open:C.1", "complete:C.1", "reply:C.1"];
            for park in parks.iter().chain(&more) {
                bench.go(&[park]);
                bench.subject.observe(Fields::all()).expect("a look");
            }
            bench.start("producer.1", send(&["n0", "n1"]));
            for park in ["request:producer.1", "arrival:producer.1", "reply:producer.1"] {
                bench.go(&[park]);
                bench.subject.observe(Fields::all()).expect("a look");
            }
            steps += 16;
        }
        let rate = f64::from(steps) / begin.elapsed().as_secs_f64();
        println!("{contract}: {rate:.0} steps a second, {:.1} microseconds a step", 1e6 / rate);
    }
}
