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
    on_signals(handler).context("cannot wait for interrupts")?;
    Ok(stop)
}

/// Calls a handler for each interrupt, hang-up and termination. Signals that are ignored when the program starts
/// stay so: under `nohup`, and for jobs that a shell runs in the background.
#[cfg(unix)]
fn on_signals(handler: impl Fn() + Send + 'static) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    let ignored = ignored_signals();
    let is_heard = |signal: &i32| ignored >> (signal - 1) & 1 == 0;
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM].iter().filter(|it| is_heard(it)))?;
    crate::threads::start(move || signals.forever().for_each(|_| handler()))?;
    Ok(())
}

/// Signals that are ignored, as bits, the lowest for signal 1. Where the system has no `/proc`, none are known.
#[cfg(unix)]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

#[cfg(not(unix))]
fn on_signals(handler: impl FnMut() + Send + 'static) -> Result<()> {
    Ok(ctrlc::set_handler(handler)?)
}
