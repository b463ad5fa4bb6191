//! What a controller may interrupt: word of its lines goes from the thread that reads them to a
//! search that runs until there is one.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Whether lines, or the end of the input, wait to be dealt with.
#[derive(Debug, Default)]
pub struct Attention {
    waiting: AtomicUsize,
    stop: AtomicBool,
}

impl Attention {
    /// Somebody is waiting all the time: what can be interrupted is, at once.
    pub fn impatient() -> Attention {
        Attention {
            waiting: AtomicUsize::new(1),
            stop: AtomicBool::new(true),
        }
    }

    /// Something has come: a line, or the end of the input.
    pub fn announce(&self) {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        self.stop.store(true, Ordering::SeqCst);
    }

    /// A line that has come is being dealt with.
    pub fn take(&self) {
        self.waiting.fetch_sub(1, Ordering::SeqCst);
    }

    /// Whether nothing waits.
    pub fn is_idle(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) == 0
    }

    /// For what begins now: a flag that is set as soon as something waits.
    pub fn flag(&self) -> &AtomicBool {
        self.stop.store(false, Ordering::SeqCst);
        // What came just before may have set it too early.
        if !self.is_idle() {
            self.stop.store(true, Ordering::SeqCst);
        }
        &self.stop
    }
}
