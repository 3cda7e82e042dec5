//! What a driver says of itself.

use serde::{Deserialize, Serialize};

use crate::{Fields, ParkKind};

/// A way in which a process can end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CrashKind {
    /// The process dies.
    Process,
    /// Power is lost, and the runner chooses what survives.
    Power,
}

/// What a driver can do, hold apart and see. What is not named it cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Name of the implementation.
    pub subject: String,
    /// Its version.
    pub version: String,
    /// The calls that it can make, by [`crate::Call::kind`].
    pub calls: Vec<String>,
    /// The places where it can hold work. Steps of all other kinds happen by themselves, in an order that the driver does not
    /// choose: the runner takes every order as possible.
    pub parks: Vec<ParkKind>,
    /// The fields that it can see.
    pub observables: Fields,
    /// The ways in which it can end the process.
    pub crashes: Vec<CrashKind>,
    /// Whether the same steps always give the same answers and observations. The runner checks it.
    pub is_deterministic: bool,
}
