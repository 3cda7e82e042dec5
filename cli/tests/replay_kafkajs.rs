//! `fencepost replay --driver kafkajs` with the real packages: what it finds by itself, what is known, what runs alone.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Whether Node and the packages are there. In continuous integration they have to be; elsewhere the test says what is missing.
fn is_installed() -> bool {
    let node = Command::new("node").arg("--version").output().is_ok_and(|output| output.status.success());
    let packages = root().join("conformance/drivers/kafkajs/node_modules/kafkajs-2.2.4/package.json").is_file();
    let missing = match (node, packages) {
        (true, true) => return true,
        (false, _) => "Node is missing: install Node 20 or later (https://nodejs.org)",
        (true, false) => "the packages are missing: run scripts/install-kafkajs.sh",
    };
    assert!(std::env::var_os("CI").is_none(), "{missing}");
    eprintln!("not tried: {missing}");
    false
}

/// The same for the cluster of mock brokers, which the schedules over TCP need.
fn has_cluster() -> bool {
    if !is_installed() {
        return false;
    }
    if root().join("target/kafkajs-python/bin/python").is_file() {
        return true;
    }
    let missing = "the Python package confluent-kafka is missing: run scripts/install-kafkajs.sh";
    assert!(std::env::var_os("CI").is_none(), "{missing}");
    eprintln!("not tried: {missing}");
    false
}

fn replay(arguments: &[&str]) -> Output {
    let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("fencepost"));
    command.current_dir(root()).args(["replay", "--driver", "kafkajs"]).args(arguments);
    command.timeout(Duration::from_secs(300)).output().expect("the command runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The only result of a run, as JSON, and how it exited.
fn result(arguments: &[&str]) -> (Value, Option<i32>) {
    let output = replay(&[arguments, &["--format", "json"]].concat());
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}{}", text(&output.stdout), text(&output.stderr)));
    let results = report["results"].as_array().expect("results");
    assert_eq!(results.len(), 1);
    (results[0].clone(), output.status.code())
}

fn has(found: &Value, demands: &[(&str, &str)]) -> bool {
    let is_like = |it: &Value| {
        demands.iter().all(|(field, part)| match &it[*field] {
            Value::String(text) => text.contains(part),
            other => other.to_string().contains(part),
        })
    };
    found.as_array().is_some_and(|found| found.iter().any(is_like))
}

#[test]
fn given_the_class_up_to_1_12_when_replayed_should_find_the_seed_race_as_an_exception() {
    if !is_installed() {
        return;
    }
    for package in ["1.11.0", "1.12.0"] {
        let (result, code) = result(&["--package", package, "--level", "1", "--view", "overlapping-rounds"]);
        assert_eq!(code, Some(0), "it is a known deviation");
        let race = [
            ("clause", "no-undefined-offset"),
            ("kind", "ends-unexpectedly"),
            ("seen", "reading 'low'"),
            ("known", "true"),
            ("issue", "/555"),
        ];
        assert!(has(&result["divergences"], &race), "{package}: {result:#}");
        assert!(
            has(&result["evidence"], &[("clause", "no-undefined-offset"), ("steps", "10")]),
            "{package}: {result:#}"
        );
    }
}

#[test]
fn given_the_class_from_1_13_on_when_replayed_should_find_the_silent_answer_zero() {
    if !is_installed() {
        return;
    }
    for package in ["1.13.0", "1.16.0", "2.2.4", "2.3.0-beta.3"] {
        let (result, code) = result(&["--package", package, "--level", "1", "--view", "overlapping-rounds"]);
        assert_eq!(code, Some(0));
        let covered = &result["abstract_transitions"];
        assert!(
            covered["covered"].as_u64() < covered["reachable"].as_u64(),
            "what comes after a divergence is not covered"
        );
        let zero = [("clause", "no-undefined-offset"), ("kind", "next-offsets-differ"), ("seen", "\"1\":\"0\"")];
        assert!(has(&result["divergences"], &zero), "{package}: {result:#}");
        assert!(has(&result["evidence"], &[("reason", "takes an unknown offset for zero")]), "{package}: {result:#}");
    }
}

#[test]
fn given_the_whole_consumer_when_replayed_should_find_that_the_group_goes_back_after_regaining() {
    if !is_installed() {
        return;
    }
    let (result, code) = result(&["--package", "2.2.4", "--level", "2", "--view", "lost-and-regained"]);
    assert_eq!(code, Some(0));
    for clause in ["commit-under-reading-assignment", "acknowledged-commit-stands", "automatic-progress-monotone"] {
        let back = [("clause", clause), ("circumstance", "after regaining the partition")];
        assert!(has(&result["evidence"], &back), "{clause}: {result:#}");
    }
    let back = [("reason", "moves the group's progress of p0 from 3 to 2, after regaining the partition")];
    assert!(has(&result["evidence"], &back), "{result:#}");
}

#[test]
fn given_each_version_when_replayed_in_its_own_contract_should_agree() {
    if !is_installed() {
        return;
    }
    let output = replay(&["--own", "--view", "lost-and-regained", "--view", "seek-with-commits"]);
    let text = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("Every trace agrees."), "{text}");
    assert_eq!(text.matches("seek-with-commits ").count(), 8, "{text}");
}

#[test]
fn given_known_deviations_when_strict_should_be_debt_with_stories() {
    if !is_installed() {
        return;
    }
    let output = replay(&["--package", "2.2.4", "--level", "2", "--view", "reset-after-loss", "--strict"]);
    let text = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    for part in ["DEBT", "commit-under-reading-assignment (known)", "to run it alone", "of debt"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn given_a_divergence_when_its_script_is_run_alone_should_show_it_without_fencepost() {
    if !is_installed() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let scripts = folder.path().join("scripts");
    let to = scripts.to_string_lossy();
    for (package, level) in [("1.11.0", "1"), ("2.2.4", "2")] {
        let view = if level == "1" { "overlapping-rounds" } else { "lost-and-regained" };
        let output = replay(&["--package", package, "--level", level, "--view", view, "--scripts", &to]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    }
    let run = |script: &str, package: &str| {
        let alone = folder.path().join(package);
        std::fs::create_dir_all(alone.join("node_modules/@sinonjs")).expect("a folder");
        let installed = root().join("conformance/drivers/kafkajs/node_modules").canonicalize().expect("installed");
        for (from, name) in [
            (format!("kafkajs-{package}"), "kafkajs"),
            ("long".to_owned(), "long"),
            ("@sinonjs/fake-timers".to_owned(), "@sinonjs/fake-timers"),
            ("@sinonjs/commons".to_owned(), "@sinonjs/commons"),
        ] {
            let target = installed.join(from);
            if target.exists() {
                std::os::unix::fs::symlink(target, alone.join("node_modules").join(name)).expect("a link");
            }
        }
        std::fs::copy(scripts.join(script), alone.join("script.js"))
            .unwrap_or_else(|error| panic!("{script}: {error}"));
        let output = Command::new("node").arg("script.js").current_dir(&alone).output().expect("node runs");
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let race = run("kafkajs-1.11.0-level-1-without-known-offset-before-fetch-and-unknown-offset-throws.js", "1.11.0");
    assert!(race.contains("TypeError") && race.contains("the contract allows instead: it goes on"), "{race}");
    let back = run("kafkajs-2.2.4-level-2-automatic-progress-monotone-after-regaining-the-partition.js", "2.2.4");
    assert!(back.contains("\"generation\":3,\"offsets\":{\"0\":\"2\"}"), "{back}");
}

#[test]
fn given_divergences_when_recorded_should_be_followed_as_they_were_seen() {
    if !is_installed() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().to_string_lossy();
    let output = replay(&["--package", "2.2.4", "--level", "2", "--view", "reset-after-loss", "--record", &to]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    let file = folder.path().join("kafkajs-2.2.4-level-2-without-version-at-fetch-answer.jsonl");
    let follow = |contract: &str| {
        let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("fencepost"));
        command.args(["follow", "--format", "json", "--contract", contract]).arg(&file);
        let output = command.output().expect("the command runs");
        let report: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)));
        (report["results"][0].clone(), output.status.code())
    };
    let (allowed, code) = follow("kafkajs-guard");
    assert_eq!((allowed["allowed"].as_bool(), code), (Some(true), Some(0)));
    let (refused, code) = follow("kafkajs-partition-version");
    assert_eq!((refused["allowed"].as_bool(), code), (Some(false), Some(1)));
    assert_eq!(refused["clause"], "commit-under-reading-assignment");
}

#[test]
fn given_ctrl_c_when_replaying_should_tell_what_was_done_and_end_with_3_and_leave_the_page_alone() {
    if !is_installed() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.md");
    std::fs::write(&page, "as it was").expect("a file");
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("fencepost"));
    command.current_dir(root()).args(["replay", "--driver", "kafkajs", "--results"]).arg(&page);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a child");
    std::thread::sleep(Duration::from_millis(3500));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill").success());
    let output = child.wait_with_output().expect("an end");
    let text = text(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("stopped (interrupted)") && text.contains("overlapping-rounds"), "{text}");
    assert_eq!(std::fs::read_to_string(&page).expect("the page"), "as it was");
}

#[test]
fn given_the_whole_consumer_over_tcp_when_a_partition_is_regained_should_find_that_the_group_goes_back() {
    if !has_cluster() {
        return;
    }
    let output = replay(&["--package", "2.2.4", "--level", "3", "--runs", "1", "--format", "json"]);
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}{}", text(&output.stdout), text(&output.stderr)));
    assert_eq!(output.status.code(), Some(0), "{report:#}");
    let kept = [("schedule", "seed-race"), ("promised", "true"), ("broken", "0"), ("crashed", "0"), ("raced", "1")];
    assert!(has(&report["results"], &kept), "{report:#}");
    let broken = [
        ("schedule", "regained-partition"),
        ("clause", "automatic-progress-monotone"),
        ("promised", "false"),
        ("broken", "1"),
        ("runs", "the group's progress of p0 goes from 12 to 2"),
    ];
    assert!(has(&report["results"], &broken), "{report:#}");
}

#[test]
fn given_no_node_when_replayed_over_tcp_should_say_what_is_missing_and_how_to_get_it() {
    let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("fencepost"));
    command.current_dir(root()).args(["replay", "--driver", "kafkajs", "--level", "3"]).env("PATH", "");
    let output = command.output().expect("the command runs");
    assert_eq!(output.status.code(), Some(2));
    let error = text(&output.stderr);
    let parts = ["node", "https://nodejs.org", "https://www.python.org", "scripts/install-kafkajs.sh"];
    assert!(parts.iter().all(|part| error.contains(part)), "{error}");
}

#[test]
fn given_no_node_when_replayed_should_say_what_is_missing_and_how_to_get_it() {
    let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("fencepost"));
    command.current_dir(root()).args(["replay", "--driver", "kafkajs", "--package", "2.2.4"]).env("PATH", "");
    let output = command.output().expect("the command runs");
    assert_eq!(output.status.code(), Some(2));
    let error = text(&output.stderr);
    assert!(error.contains("node") && error.contains("https://nodejs.org") && error.contains("npm ci"), "{error}");
}

#[test]
fn given_what_does_not_exist_when_asked_for_should_name_what_does() {
    for (arguments, expected) in [
        (&["--package", "2.2.5"][..], "2.2.4"),
        (&["--package", "1.11.0", "--level", "2"][..], "1.11.0 at level 1"),
        (&["--view", "lost-and-regaind"][..], "lost-and-regained"),
        (&["--contract", "iggy-2026-08"][..], "kafkajs-guard"),
        (&["--cover", "random"][..], "transitions"),
        (&["--max-time", "5"][..], "no use for `--max-time`"),
        (&["--shard", "1/4"][..], "no use for `--shard`"),
        (&["--level", "3", "--level", "2"][..], "goes alone"),
        (&["--level", "3", "--package", "2.2.5"][..], "2.2.4"),
        (&["--level", "3", "--view", "lost-and-regained"][..], "no use for `--view`"),
        (&["--runs", "3"][..], "is for `--level 3`"),
        (&["--level", "1", "--results", "page.md"][..], "about levels 1 and 2"),
    ] {
        let output = replay(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(expected), "{arguments:?}: {}", text(&output.stderr));
    }
    let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("fencepost"));
    let output = command.args(["replay", "--driver", "builtin:reference", "--strict"]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--driver kafkajs"));
}
