//! The command line and the environment of a driver.

use std::env;
use std::net::{SocketAddr, ToSocketAddrs};
use std::num::NonZeroU64;
use std::time::Duration;

use clap::Parser;

/// Drives the partition of an Apache Iggy server over TCP: speaks `fencepost-driver/1` on standard input and output.
///
/// The user name is read from the environment variable IGGY_USERNAME and the password from IGGY_PASSWORD. The driver creates streams
/// of its own, deletes them again, and touches no others.
#[derive(Clone, Debug, Parser)]
#[command(version)]
pub struct CommandLine {
    /// Address of the server.
    #[arg(long, default_value = "127.0.0.1:8090", value_name = "HOST:PORT")]
    pub address: String,
    /// Allow an address that is not on this machine.
    #[arg(long)]
    pub allow_remote: bool,
    /// What the names of the streams begin with.
    #[arg(long, default_value = "fencepost", value_name = "PREFIX")]
    pub stream_prefix: String,
    /// How long to wait for the answer to a request. The runner waits for the driver no longer than five seconds.
    #[arg(long, default_value = "3000", value_name = "COUNT")]
    pub request_timeout_milliseconds: NonZeroU64,
    /// How long to wait after a command of the operator, so that the server can apply what it has acknowledged already.
    #[arg(long, default_value_t = 0, value_name = "COUNT")]
    pub settle_milliseconds: u64,
}

/// What a driver needs to know.
#[derive(Clone, Debug)]
pub struct Options {
    /// Address of the server, resolved.
    pub address: SocketAddr,
    /// Who signs in.
    pub username: String,
    /// With which password.
    pub password: String,
    /// What the names of the streams begin with.
    pub stream_prefix: String,
    /// How long to wait for the answer to a request.
    pub request_time_out: Duration,
    /// How long to wait after a command of the operator.
    pub settling_time: Duration,
}

impl Options {
    /// Checks a command line, and adds the credentials.
    ///
    /// # Errors
    /// In one line, what is wrong with them.
    pub fn of(line: &CommandLine) -> Result<Self, String> {
        Self::with_credentials(line, variable("IGGY_USERNAME")?, variable("IGGY_PASSWORD")?)
    }

    /// Checks a command line, and adds these credentials.
    ///
    /// # Errors
    /// In one line, what is wrong with the command line.
    pub fn with_credentials(line: &CommandLine, username: String, password: String) -> Result<Self, String> {
        Ok(Self {
            address: resolve(&line.address, line.allow_remote)?,
            username,
            password,
            stream_prefix: prefix(&line.stream_prefix)?,
            request_time_out: Duration::from_millis(line.request_timeout_milliseconds.get()),
            settling_time: Duration::from_millis(line.settle_milliseconds),
        })
    }
}

fn variable(name: &str) -> Result<String, String> {
    match env::var(name) {
        Ok(value) if !value.is_empty() => Ok(value),
        _ => Err(format!("the environment variable {name} has to be set")),
    }
}

/// The name of a stream has at most 255 bytes; process number and counter need some of them.
fn prefix(text: &str) -> Result<String, String> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    if text.is_empty() || text.len() > 200 || !text.chars().all(is_plain) {
        return Err(format!("`{text}` is no stream prefix: 1 to 200 letters, digits, `-` or `_`"));
    }
    Ok(text.to_owned())
}

/// Resolves an address, once: what was checked is what is connected to.
fn resolve(text: &str, allow_remote: bool) -> Result<SocketAddr, String> {
    let found: Vec<SocketAddr> =
        text.to_socket_addrs().map_err(|error| format!("`{text}` is no address, HOST:PORT is: {error}"))?.collect();
    if !allow_remote && let Some(remote) = found.iter().find(|address| !address.ip().is_loopback()) {
        return Err(format!("{remote} is not on this machine; --allow-remote allows it"));
    }
    // Servers listen on the older of the two protocols by default.
    let first = found.iter().find(|address| address.is_ipv4()).or(found.first());
    first.copied().ok_or_else(|| format!("`{text}` is no address: nothing has this name"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_an_address_of_this_machine_when_resolved_should_be_taken() {
        for text in ["127.0.0.1:8090", "127.8.9.1:1", "[::1]:8090", "localhost:8090"] {
            assert!(resolve(text, false).is_ok(), "{text}");
        }
    }

    #[test]
    fn given_an_address_elsewhere_when_resolved_should_need_the_flag() {
        let refusal = resolve("192.0.2.1:8090", false).unwrap_err();
        assert_eq!(refusal, "192.0.2.1:8090 is not on this machine; --allow-remote allows it");
        assert!(resolve("0.0.0.0:8090", false).is_err());
        assert_eq!(resolve("192.0.2.1:8090", true).unwrap().port(), 8090);
    }

    #[test]
    fn given_something_else_when_resolved_should_say_what_an_address_is() {
        assert!(resolve("127.0.0.1", false).unwrap_err().contains("HOST:PORT"));
    }

    #[test]
    fn given_a_prefix_when_checked_should_be_plain_and_short() {
        assert!(prefix("fencepost-ci_2").is_ok());
        for text in ["", "a b", "a/b", &"x".repeat(201)] {
            assert!(prefix(text).is_err(), "{text}");
        }
    }
}
