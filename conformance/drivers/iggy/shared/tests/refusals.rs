// Servers that are none, or that speak something else: the driver says so in one line, and neither hangs nor dies.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use iggy_binary_protocol::consensus::EvictionHeader;
use serde_json::{Value, json};

const HELLO: &str = r#"{"type":"hello","id":1,"protocol":"fencepost-driver/1"}"#;
const BYE: &str = r#"{"type":"bye","id":3}"#;

/// What a listener does with every connection.
type Manner = fn(TcpStream);

/// A listener on a free port of this machine. Its thread ends with the test process.
fn listener(manner: Manner) -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || manner(stream));
        }
    });
    address
}

fn closes(stream: TcpStream) {
    drop(stream);
}

fn talks_rubbish(mut stream: TcpStream) {
    let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\nThis is no Iggy server.\r\n");
    read_until_closed(stream);
}

/// A whole header of bytes that mean nothing; as a length they would be a gigabyte.
fn talks_much_rubbish(mut stream: TcpStream) {
    let _ = stream.write_all(&[0x3f; 4096]);
    read_until_closed(stream);
}

fn is_silent(stream: TcpStream) {
    read_until_closed(stream);
}

/// The real refusal of another version of the protocol.
fn speaks_another_version(mut stream: TcpStream) {
    let mut request = [0; 256];
    let _ = stream.read_exact(&mut request);
    let refusal = EvictionHeader::incompatible_protocol(0, 0, 0, 0, u32::MAX, u32::MAX - 1);
    let _ = stream.write_all(bytemuck::bytes_of(&refusal));
    read_until_closed(stream);
}

fn read_until_closed(mut stream: TcpStream) {
    let mut ignored = [0; 4096];
    while stream.read(&mut ignored).is_ok_and(|count| count > 0) {}
}

fn driver(arguments: &[&str]) -> Command {
    let mut command = Command::new(DRIVER);
    command
        .args(arguments)
        .env("IGGY_USERNAME", "iggy")
        .env("IGGY_PASSWORD", "secret")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn reset() -> String {
    let world = json!({
        "settings": {"contract": "iggy-2026-08", "choices": {}, "fences": {}},
        "clients": [{"name": "A", "is_of_group": true, "is_old": false}], "members": ["A"], "partitions": 1,
        "messages": ["m0"], "bookmarks": {}, "prepare_slots": null, "queue_slots": 0, "read_slots": 1,
        "is_resident": true, "purges_in_steps": false, "loses_power": false, "holds_inner_steps": false,
    });
    json!({"type": "reset", "id": 2, "world": world}).to_string()
}

/// Asks for a world at a server, and gives the answer to that and how long it all took.
fn answer_to_reset(address: SocketAddr, limit_milliseconds: u32) -> (Value, Duration) {
    let began = Instant::now();
    let address = address.to_string();
    let limit = limit_milliseconds.to_string();
    let mut child =
        driver(&["--address", &address, "--request-timeout-milliseconds", &limit]).spawn().expect("the driver starts");
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{HELLO}\n{}\n{BYE}", reset()).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert_eq!(lines[0]["type"], "ready", "{text}");
    assert_eq!(lines[2], json!({"type": "done", "in_reply_to": 3}));
    assert!(output.status.success(), "{output:?}");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"), "{output:?}");
    (lines[1].clone(), began.elapsed())
}

fn refused(address: SocketAddr, limit_milliseconds: u32, words: &str) {
    let (answer, took) = answer_to_reset(address, limit_milliseconds);
    assert_eq!(answer["type"], "error", "{answer}");
    assert_eq!(answer["code"], "unreachable", "{answer}");
    assert_eq!(answer["definite"], true, "{answer}");
    let text = answer["text"].as_str().unwrap();
    assert!(text.contains(&address.to_string()) && text.contains(words) && !text.contains('\n'), "{text}");
    assert!(took < Duration::from_secs(10), "{took:?}");
}

#[test]
fn given_a_listener_that_hangs_up_when_reset_should_answer_one_error() {
    refused(listener(closes), 5_000, "the connection ended before the sign-in was answered");
}

#[test]
fn given_a_listener_that_talks_rubbish_when_reset_should_answer_one_error() {
    refused(listener(talks_rubbish), 500, "is that an Iggy server");
    refused(listener(talks_much_rubbish), 500, "sign-in");
}

#[test]
fn given_a_listener_that_is_silent_when_reset_should_answer_after_the_time_limit() {
    refused(listener(is_silent), 300, "no answer to the sign-in within 300 ms");
}

#[test]
fn given_another_version_of_the_protocol_when_reset_should_name_it() {
    refused(
        listener(speaks_another_version),
        5_000,
        "the server speaks another version of the protocol than iggy 0.11",
    );
}

#[test]
fn given_nobody_at_the_address_when_reset_should_say_so() {
    let free = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    refused(address, 5_000, "nobody accepts the connection");
}

#[test]
fn given_a_failed_reset_when_asked_on_should_stay_out_of_order_and_alive() {
    let mut child: Child = driver(&["--address", &listener(closes).to_string()]).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut ask = |line: &str| -> Value {
        writeln!(input, "{line}").unwrap();
        let mut answer = String::new();
        output.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap()
    };
    assert_eq!(ask(HELLO)["type"], "ready");
    assert_eq!(ask(&reset())["code"], "unreachable");
    let send = r#"{"type":"start","id":3,"operation":"producer.1","call":{"kind":"send","payloads":["m1"]}}"#;
    assert_eq!(ask(send)["code"], "out-of-order");
    let observe = r#"{"type":"observe","id":4,"fields":["messages"]}"#;
    assert_eq!(ask(observe)["code"], "out-of-order");
    assert_eq!(ask(r#"{"type":"bye","id":5}"#)["type"], "done");
    assert!(child.wait().unwrap().success());
}

fn ended_at_once(command: &mut Command) -> (i32, String) {
    let output: Output = command.output().unwrap();
    assert!(output.stdout.is_empty(), "{output:?}");
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn given_an_address_elsewhere_when_started_should_refuse_in_one_line() {
    let (code, text) = ended_at_once(&mut driver(&["--address", "192.0.2.1:8090"]));
    assert_eq!((code, text.lines().count()), (2, 1), "{text}");
    assert!(text.contains("192.0.2.1:8090 is not on this machine; --allow-remote allows it"), "{text}");
}

#[test]
fn given_no_credentials_when_started_should_name_the_variable() {
    let (code, text) = ended_at_once(driver(&[]).env_remove("IGGY_PASSWORD"));
    assert_eq!((code, text.lines().count()), (2, 1), "{text}");
    assert!(text.contains("IGGY_PASSWORD has to be set"), "{text}");
}
