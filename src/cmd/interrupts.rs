//! Handling of interrupts (Ctrl-C) and termination by long-running commands.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};

use crate::console::tell;

/// Exit code of a process ended by an interrupt, as shells expect it.
pub const INTERRUPTED: i32 = 130;

/// A flag that is set by an interrupt or termination signal, which also prints a remark and calls
/// `and_then`; a second signal ends the process.
pub fn stop_flag(
    remark: &'static str,
    and_then: impl Fn() + Send + 'static,
) -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let handler = move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
        tell(format_args!("{remark}"));
        and_then();
    };
    ctrlc::set_handler(handler).context("cannot wait for interrupts")?;
    Ok(stop)
}
