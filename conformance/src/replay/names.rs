//! The names that driver and model share: of operations, of keys of progress, of payloads.

use fencepost_models::iggy::bounds::Bounds;
use fencepost_models::iggy::messages::{Key, Message, OPERATOR, PRODUCER, RequestId};

/// The key of the group's progress.
pub const GROUP: &str = "group";

/// The name of an operation: who asked, and the number of the request there.
pub fn operation(bounds: &Bounds, id: RequestId) -> String {
    match id.client {
        PRODUCER => format!("producer.{}", id.number),
        OPERATOR => format!("operator.{}", id.number),
        client => format!("{}.{}", consumer(bounds, client), id.number),
    }
}

/// The name of a consumer.
pub fn consumer(bounds: &Bounds, index: u8) -> &str {
    bounds.consumers.get(usize::from(index)).map_or("nobody", |consumer| &consumer.name)
}

/// The name of a key of progress.
pub fn key(bounds: &Bounds, key: Key) -> String {
    match key {
        Key::Group => GROUP.to_owned(),
        Key::Consumer(index) => consumer(bounds, index).to_owned(),
    }
}

/// The payload of a message that was there at the start.
pub fn initial_payload(number: u8) -> String {
    format!("initial/{number}")
}

/// The payload of a message that a request of the producer brings, by its place in the request.
pub fn sent_payload(request: u8, index: u8) -> String {
    format!("producer.{request}/{index}")
}

/// The payload of a message; `first` is the number in its history of the first message of the same request.
pub fn payload(message: &Message, first: u8) -> String {
    match message.sent {
        0 => initial_payload(message.number),
        request => sent_payload(request, message.number.saturating_sub(first)),
    }
}
