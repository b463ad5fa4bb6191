//! Tests that would wait for ever if what they test were broken.

use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// So generous that only what never ends takes longer.
const LIMIT: Duration = Duration::from_secs(180);

/// Runs the body of a test, which fails if it does not end.
pub fn in_time(body: impl FnOnce() + Send + 'static) {
    let (sender, end) = channel::<()>();
    let thread = thread::spawn(move || {
        // Dropped when the body ends, by a panic too.
        let _sender = sender;
        body();
    });
    let waited = end.recv_timeout(LIMIT);
    assert_ne!(waited, Err(RecvTimeoutError::Timeout), "it waits for ever");
    if let Err(panic) = thread.join() {
        resume_unwind(panic);
    }
}
