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

/// The search in progress, if there is one.
#[derive(Default)]
pub struct Running(Option<Search>);

/// A search on a thread of its own.
struct Search {
    control: Arc<Control>,
    thread: JoinHandle<()>,
}

impl Running {
    /// Starts a search after ending the one before; `is_ponder` while it is the opponent's turn on the board.
    pub fn start(
        &mut self,
        is_ponder: bool,
        search: impl FnOnce(&Control) + Send + 'static,
    ) -> io::Result<()> {
        self.stop();
        let control = Arc::new(Control::new(is_ponder));
        let shared = Arc::clone(&control);
        let thread = threads::start(move || search(&shared))?;
        self.0 = Some(Search { control, thread });
        Ok(())
    }

    /// The expected move was played.
    pub fn ponder_hit(&self) {
        self.signal(Control::ponder_hit);
    }

    /// Has the search answer with what it has found, without waiting for that.
    pub fn hurry(&self) {
        self.signal(Control::stop);
    }

    fn signal(&self, signal: fn(&Control)) {
        if let Some(search) = &self.0 {
            signal(&search.control);
            search.thread.thread().unpark();
        }
    }

    /// Waits until the search ends by itself.
    pub fn finish(&mut self) {
        if let Some(search) = self.0.take() {
            // A panic has been reported; the session goes on.
            search.thread.join().unwrap_or_default();
        }
    }

    /// Ends the search and waits for its answer.
    pub fn stop(&mut self) {
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
