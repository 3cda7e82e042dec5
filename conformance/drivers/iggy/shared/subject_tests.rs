//! What the driver does with requests before it sends them. Nothing here reaches a server.

use std::num::NonZeroU64;

use fencepost_driver::{Client, ErrorCode, Start};
use tokio::runtime::Builder;

use super::super::options::CommandLine;
use super::super::wire::{Place, PollRequest, Polled};
use super::*;
use iggy::prelude::{Consumer, IggyError, TcpClient, TcpClientConfig};

/// A client library that always states identities and never gets anywhere.
struct Nowhere;

impl Wire for Nowhere {
    type Position = u64;

    const CLIENT: &'static str = "nowhere 1";
    const ALWAYS_STATES_IDENTITIES: bool = true;
    const PURGES: bool = false;

    fn configuration(_address: &str) -> Result<TcpClientConfig, IggyError> {
        Err(IggyError::InvalidConfiguration)
    }
    async fn create_stream(_client: &TcpClient, _name: &str) -> Result<(), IggyError> {
        Err(IggyError::Error)
    }
    async fn create_topic(_: &TcpClient, _: &Place, _: u32, _: bool) -> Result<(), IggyError> {
        Err(IggyError::Error)
    }
    async fn purge(_client: &TcpClient, _place: &Place) -> Result<(), IggyError> {
        Err(IggyError::Error)
    }
    async fn poll(_client: &TcpClient, _place: &Place, _poll: &PollRequest) -> Result<Polled<u64>, IggyError> {
        Err(IggyError::Error)
    }
    async fn store(_: &TcpClient, _: &Place, _: &Consumer, _: u64, _: Option<&u64>) -> Result<(), IggyError> {
        Err(IggyError::Error)
    }
}

fn subject(partitions: u32) -> IggySubject<Nowhere> {
    let line = CommandLine {
        address: "127.0.0.1:1".to_owned(),
        allow_remote: false,
        stream_prefix: "test".to_owned(),
        request_timeout_milliseconds: NonZeroU64::MIN,
        settle_milliseconds: 0,
    };
    let options = Options::with_credentials(&line, "name".to_owned(), "word".to_owned()).unwrap();
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let mut subject = IggySubject::new(runtime, options, Litter::default());
    subject.server.stage = Some(Stage::imagined(partitions));
    let old = Client { name: "old".to_owned(), is_of_group: true, is_old: true };
    subject.server.world.clients = vec![Client { name: "A".to_owned(), is_old: false, ..old.clone() }, old];
    subject
}

fn poll_of(consumer: &str, may_wait: bool) -> Call {
    let consumer = consumer.to_owned();
    Call::Poll { consumer, start: Start::Next, count: 3, automatic_commit: false, may_wait }
}

fn join() -> Call {
    Call::Join { consumer: "A".to_owned() }
}

#[test]
fn given_requests_when_begun_should_wait_where_the_protocol_says() {
    let mut subject = subject(1);
    assert_eq!(subject.start("A.1", &poll_of("A", false)), Ok(Progress::Parked));
    assert_eq!(subject.start("operator.1", &Call::Empty {}), Ok(Progress::Parked));
    assert_eq!(subject.start("operator.2", &join()), Ok(Progress::Parked));
    let parks: Vec<String> = subject.parked().iter().map(ToString::to_string).collect();
    assert_eq!(parks, ["request:A.1", "propose:operator.1", "propose:operator.2"]);
}

#[test]
fn given_several_partitions_when_a_join_goes_on_should_wait_at_the_proposal() {
    let mut subject = subject(2);
    subject.start("operator.1", &join()).unwrap();
    let request = Park::new(ParkKind::Request, "operator.1");
    assert_eq!(subject.parked(), vec![request.clone()]);
    assert_eq!(subject.resume(&request, Answer::Proceed), Ok(Progress::Parked));
    assert_eq!(subject.parked(), [Park::new(ParkKind::Propose, "operator.1")]);
}

#[test]
fn given_a_request_when_its_caller_gives_up_should_wait_on() {
    let mut subject = subject(1);
    subject.start("A.1", &poll_of("A", false)).unwrap();
    assert_eq!(subject.cancel("A.1"), Ok(Progress::Parked));
    assert_eq!(subject.parked().len(), 1);
    assert!(matches!(subject.cancel("A.2"), Ok(Progress::Refused { .. })));
}

#[test]
fn given_what_a_client_cannot_do_when_begun_should_be_unsupported() {
    let mut subject = subject(1);
    subject.server.world.settings.choices.insert("parked_polls".to_owned(), "true".to_owned());
    for call in [poll_of("A", true), Call::Expire { count: 1 }, poll_of("old", false)] {
        assert!(matches!(subject.start("A.1", &call), Ok(Progress::Unsupported { .. })), "{call:?}");
    }
    assert!(subject.parked().is_empty());
    subject.start("A.1", &poll_of("A", false)).unwrap();
    let park = Park::new(ParkKind::Request, "A.1");
    assert!(matches!(subject.resume(&park, Answer::Fail), Ok(Progress::Unsupported { .. })));
    assert_eq!(subject.parked(), [park]);
}

#[test]
fn given_a_contract_without_waiting_polls_when_one_may_wait_should_begin_like_any_other() {
    let mut subject = subject(1);
    assert_eq!(subject.start("A.1", &poll_of("A", true)), Ok(Progress::Parked));
}

#[test]
fn given_a_place_where_nothing_waits_when_resumed_should_be_refused() {
    let mut subject = subject(1);
    subject.start("A.1", &poll_of("A", false)).unwrap();
    for park in [Park::new(ParkKind::Arrival, "A.1"), Park::new(ParkKind::Request, "A.2")] {
        assert!(matches!(subject.resume(&park, Answer::Proceed), Ok(Progress::Refused { .. })), "{park}");
    }
}

#[test]
fn given_a_name_that_waits_when_begun_again_should_be_out_of_order() {
    let mut subject = subject(1);
    subject.start("A.1", &poll_of("A", false)).unwrap();
    assert_eq!(subject.start("A.1", &Call::Empty {}).unwrap_err().code, ErrorCode::OutOfOrder);
}

#[test]
fn given_a_store_from_a_batch_that_never_came_when_sent_should_be_unsupported() {
    let mut subject = subject(1);
    let store = Call::Store { consumer: "A".to_owned(), offset: 2, batch_of: Some("A.1".to_owned()) };
    subject.start("A.2", &store).unwrap();
    let progress = subject.resume(&Park::new(ParkKind::Request, "A.2"), Answer::Proceed);
    assert!(matches!(progress, Ok(Progress::Unsupported { .. })), "{progress:?}");
}
