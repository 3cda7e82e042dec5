//! Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fencepost_spec::diagnostic::Problem;

use crate::exit::ExitStatus;

/// A flag that the first Ctrl-C sets, so that explorations end and what is known is reported. The second ends the process.
///
/// # Errors
/// A [`Problem`], if the system refuses the handler.
pub fn flag() -> Result<Arc<AtomicBool>, Problem> {
    let flag = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&flag);
    let handler = move || {
        if seen.swap(true, Ordering::SeqCst) {
            std::process::exit(i32::from(ExitStatus::Stopped.code()));
        }
    };
    match ctrlc::set_handler(handler) {
        Ok(()) => Ok(flag),
        Err(error) => Err(Problem::new(format!("Ctrl-C cannot be handled: {error}"))),
    }
}
