//! What the protocols of board games share: an output that searches and the session write to, and a search
//! on a thread of its own, so that the session goes on listening.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use crate::minimax::Control;
use crate::threads::{self, locked};

/// Where lines go.
pub struct Output<W>(Arc<Mutex<W>>);

impl<W> Clone for Output<W> {
    fn clone(&self) -> Output<W> {
        Output(Arc::clone(&self.0))
    }
}

impl<W: Write> Output<W> {
    /// Writes to this.
    pub fn new(output: W) -> Output<W> {
        Output(Arc::new(Mutex::new(output)))
    }

    /// Writes a line, or several, at once.
    pub fn say(&self, line: &str) -> io::Result<()> {
        let mut output = locked(&self.0);
        output.write_all(format!("{line}\n").as_bytes())?;
        output.flush()
    }
}

/// A search in progress.
pub struct Running {
    control: Arc<Control>,
    thread: JoinHandle<()>,
}

impl Running {
    /// Starts a search; `is_ponder` while it is the opponent's turn on the board.
    pub fn start(
        is_ponder: bool,
        search: impl FnOnce(&Control) + Send + 'static,
    ) -> io::Result<Running> {
        let control = Arc::new(Control::new(is_ponder));
        let shared = Arc::clone(&control);
        let thread = threads::start(move || search(&shared))?;
        Ok(Running { control, thread })
    }

    /// The expected move was played.
    pub fn ponder_hit(&self) {
        self.control.ponder_hit();
        self.thread.thread().unpark();
    }

    /// Has the search answer with what it has found, without waiting for that.
    pub fn hurry(&self) {
        self.control.stop();
        self.thread.thread().unpark();
    }

    /// Waits until the search ends by itself.
    pub fn finish(self) {
        // A panic has been reported; the session goes on.
        self.thread.join().unwrap_or_default();
    }

    /// Ends the search and waits for its answer.
    pub fn stop(self) {
        self.hurry();
        self.finish();
    }
}

/// Waits on a search's thread until its answer may be given: at once, or when it is told to stop where it
/// searches for nobody's move.
pub fn wait_for_leave(control: &Control, is_infinite: bool) {
    let may_answer = || control.is_stopped() || !is_infinite && !control.is_pondering();
    while !may_answer() {
        thread::park();
    }
}
