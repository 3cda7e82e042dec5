//! The driver without a server.

/// The driver.
const DRIVER: &str = env!("CARGO_BIN_EXE_fencepost-driver-iggy-edge-4");

include!("../../shared/tests/refusals.rs");
