//! What a controller may interrupt: word of its lines goes from the thread that reads them to a
//! search that runs until there is one. A search for a move is only cut short by the comment
//! `# interrupt` (GoGui).

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::protocol::Line;

/// Whether lines, or the end of the input, wait to be dealt with.
#[derive(Debug, Default)]
pub struct InterruptFlags {
    all: Waiting,
    interrupts: Waiting,
}

/// How much of a kind waits.
#[derive(Debug, Default)]
struct Waiting {
    count: AtomicUsize,
    flag: AtomicBool,
}

impl Waiting {
    fn one_more(&self) {
        self.count.fetch_add(1, Ordering::SeqCst);
        self.flag.store(true, Ordering::SeqCst);
    }

    fn one_less(&self) {
        self.count.fetch_sub(1, Ordering::SeqCst);
    }

    fn is_none(&self) -> bool {
        self.count.load(Ordering::SeqCst) == 0
    }

    /// For what begins now: a flag that is set as soon as something waits.
    fn flag(&self) -> &AtomicBool {
        self.flag.store(false, Ordering::SeqCst);
        // What came just before may have set it too early.
        if !self.is_none() {
            self.flag.store(true, Ordering::SeqCst);
        }
        &self.flag
    }
}

impl InterruptFlags {
    /// Somebody is waiting all the time: what can be interrupted is, at once.
    pub fn impatient() -> InterruptFlags {
        let interrupt_flags = InterruptFlags::default();
        interrupt_flags.announce_end();
        interrupt_flags
    }

    /// A line has come.
    pub fn announce(&self, line: &Line) {
        if *line == Line::Interrupt {
            self.interrupts.one_more();
        }
        self.all.one_more();
    }

    /// The end of the input has come.
    pub fn announce_end(&self) {
        self.all.one_more();
    }

    /// A line that has come is being dealt with.
    pub fn take(&self, line: &Line) {
        if *line == Line::Interrupt {
            self.interrupts.one_less();
        }
        self.all.one_less();
    }

    /// Nobody is there to read answers any more: ends whatever is going on.
    pub fn abandon(&self) {
        self.interrupts.one_more();
        self.all.one_more();
    }

    /// How many lines wait.
    pub fn waiting(&self) -> usize {
        self.all.count.load(Ordering::SeqCst)
    }

    /// Whether nothing waits.
    pub fn is_idle(&self) -> bool {
        self.all.is_none()
    }

    /// For what begins now: a flag that is set as soon as something waits.
    pub fn flag(&self) -> &AtomicBool {
        self.all.flag()
    }

    /// The same for what only an interrupt ends.
    pub fn interruption(&self) -> &AtomicBool {
        self.interrupts.flag()
    }
}
