//! What both drivers have in common. What differs between the two published clients is behind the trait [`wire::Wire`].

pub mod answer;
pub mod connection;
pub mod look;
pub mod options;
pub mod request;
pub mod run;
pub mod stage;
pub mod subject;
pub mod wire;
