//! Tests that cannot run here.

use std::collections::BTreeSet;
use std::io::{Write, stderr};
use std::sync::Mutex;
use std::thread;

static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Says that a test, or a part of it, is left out, and why: once, and also where the test passes, when what it prints
/// by macros is not shown.
pub fn skipped(reason: &str) {
    let thread = thread::current();
    let line = match thread.name() {
        Some(test) => format!("skipped: {test}: {reason}"),
        None => format!("skipped: {reason}"),
    };
    if SAID.lock().unwrap().insert(line.clone()) {
        writeln!(stderr(), "{line}").unwrap_or_default();
    }
}
