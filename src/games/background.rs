//! What the protocols of board games share: an output that searches and the session write to, a search on a
//! thread of its own, so that the session goes on listening, and commands, some of which wait for its end.

use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::input_lines::{Line, next_line};
use crate::minimax::Control;
use crate::threads::{self, locked};

/// Commands that are read ahead, and as many that wait: far more than a client sends.
const MOST_AHEAD: usize = 1 << 12;

/// How long a session with commands that wait does so before it looks again whether the search has ended.
const PATIENCE: Duration = Duration::from_millis(1);

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
pub struct Running(Option<(Arc<Ongoing>, JoinHandle<()>)>);

/// How a search ends.
#[derive(Clone, Copy, Debug, Default)]
pub struct SearchKind {
    /// It is the opponent's turn on the board: it goes on at least until the expected move is played.
    pub is_ponder: bool,
    /// It is for nobody's move: its answer is given when it is told to stop.
    pub is_infinite: bool,
    /// Otherwise it ends by itself, and what comes next in an [`Inbox`] waits for that.
    pub may_finish: bool,
}

/// A search on a thread of its own, as the thread and the session see it.
pub struct Ongoing {
    /// Signals to the search.
    pub control: Control,
    kind: SearchKind,
    has_answered: AtomicBool,
}

impl Ongoing {
    /// Waits on the search's thread until its answer may be given, which has to be at once: nothing waits for this
    /// search any more, so that what the client says to the answer is obeyed without delay.
    pub fn wait_to_answer(&self) {
        let may_answer =
            || self.control.is_stopped() || !self.kind.is_infinite && !self.control.is_pondering();
        while !may_answer() {
            thread::park();
        }
        self.has_answered.store(true, Ordering::Release);
    }

    fn is_to_finish(&self) -> bool {
        let SearchKind {
            is_infinite,
            may_finish,
            ..
        } = self.kind;
        let is_for_a_move = !is_infinite && !self.control.is_pondering();
        may_finish && is_for_a_move && !self.has_answered.load(Ordering::Acquire)
    }
}

impl Running {
    /// Starts a search after ending the one before.
    pub fn start(
        &mut self,
        kind: SearchKind,
        search: impl FnOnce(&Ongoing) + Send + 'static,
    ) -> io::Result<()> {
        self.stop();
        let ongoing = Arc::new(Ongoing {
            control: Control::new(kind.is_ponder),
            kind,
            has_answered: AtomicBool::new(false),
        });
        let shared = Arc::clone(&ongoing);
        let thread = threads::start(move || search(&shared))?;
        self.0 = Some((ongoing, thread));
        Ok(())
    }

    /// Whether what comes next waits for the search.
    fn is_to_finish(&self) -> bool {
        let search = self.0.as_ref();
        search.is_some_and(|(ongoing, thread)| ongoing.is_to_finish() && !thread.is_finished())
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
        if let Some((ongoing, thread)) = &self.0 {
            signal(&ongoing.control);
            thread.thread().unpark();
        }
    }

    /// Waits until the search ends by itself.
    pub fn finish(&mut self) {
        if let Some((_, thread)) = self.0.take() {
            // A panic has been reported; the session goes on.
            thread.join().unwrap_or_default();
        }
    }

    /// Ends the search and waits for its answer.
    pub fn stop(&mut self) {
        self.hurry();
        self.finish();
    }
}

/// What a client asks for, read by a thread of its own, so that urgent commands are heard while others wait for the end
/// of a search.
pub struct Inbox<C> {
    received: Receiver<io::Result<C>>,
    /// In the order in which they came.
    waiting: VecDeque<C>,
    is_over: bool,
}

impl<C: Send + 'static> Inbox<C> {
    /// Begins to read. After the session the thread is left behind, as it may be waiting for a line.
    pub fn open(
        mut input: impl BufRead + Send + 'static,
        parse: impl Fn(Line) -> C + Send + 'static,
    ) -> io::Result<Inbox<C>> {
        let (sender, received) = sync_channel(MOST_AHEAD);
        threads::start(move || {
            while let Some(line) = next_line(&mut input).transpose() {
                let has_failed = line.is_err();
                if sender.send(line.map(&parse)).is_err() || has_failed {
                    break;
                }
            }
        })?;
        Ok(Inbox {
            received,
            waiting: VecDeque::new(),
            is_over: false,
        })
    }

    /// The next command to obey; none at the end of the input. Both wait for a search that is to finish, urgent commands
    /// only where very many others are waiting.
    pub fn next(
        &mut self,
        running: &mut Running,
        is_urgent: impl Fn(&C) -> bool,
    ) -> io::Result<Option<C>> {
        loop {
            if !running.is_to_finish() {
                if let Some(command) = self.waiting.pop_front() {
                    return Ok(Some(command));
                }
                if self.is_over {
                    return Ok(None);
                }
            }
            match self.receive() {
                Ok(command) => {
                    let command = command?;
                    if is_urgent(&command) {
                        return Ok(Some(command));
                    }
                    self.waiting.push_back(command);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    self.is_over = true;
                    // Nothing urgent can come any more.
                    if running.is_to_finish() {
                        running.finish();
                    }
                }
            }
        }
    }

    /// What was waiting when a command came that ends searches, those that were asked for before it too.
    pub fn take_waiting(&mut self) -> VecDeque<C> {
        mem::take(&mut self.waiting)
    }

    /// What the client sends next, or after a moment nothing where commands are waiting.
    fn receive(&self) -> Result<io::Result<C>, RecvTimeoutError> {
        match self.waiting.len() {
            0 => self.received.recv().map_err(RecvTimeoutError::from),
            1..MOST_AHEAD => self.received.recv_timeout(PATIENCE),
            _ => {
                thread::sleep(PATIENCE);
                Err(RecvTimeoutError::Timeout)
            }
        }
    }
}
