//! Lines on their way to the client, written by one thread. Whoever adds a line waits while the client
//! is far behind with reading.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::threads::{locked, signaled, signaled_within};

/// Lines that are held for a client that does not read, in bytes.
const HELD_BYTES: usize = 64 << 20;

/// Lines to be written.
pub struct Output {
    state: Mutex<State>,
    changed: Condvar,
    limit: usize,
}

#[derive(Default)]
struct State {
    lines: VecDeque<String>,
    bytes: usize,
    /// Lines written.
    written: u64,
    /// No more lines come.
    is_complete: bool,
    /// Nothing is left to be written.
    is_finished: bool,
    /// Nothing can be written any more.
    is_broken: bool,
}

impl State {
    /// Nothing can be written any more.
    fn give_up(&mut self) {
        (self.is_broken, self.bytes) = (true, 0);
        self.lines.clear();
    }
}

impl Default for Output {
    fn default() -> Output {
        Output::new(HELD_BYTES)
    }
}

impl Output {
    /// Holds about `limit` bytes.
    pub fn new(limit: usize) -> Output {
        Output {
            state: Mutex::default(),
            changed: Condvar::new(),
            limit,
        }
    }

    /// Adds a value as a line of JSON. Waits until there is room; dropped if nobody can read it.
    pub fn send(&self, value: &impl Serialize) {
        let line = serde_json::to_string(value).expect("plain values are JSON") + "\n";
        let mut state = self.lock();
        while state.bytes >= self.limit && !state.is_broken {
            state = signaled(&self.changed, state);
        }
        if !state.is_broken {
            state.bytes += line.len();
            state.lines.push_back(line);
            self.changed.notify_all();
        }
    }

    /// Says that no more lines come.
    pub fn complete(&self) {
        self.lock().is_complete = true;
        self.changed.notify_all();
    }

    /// Writes all lines up to the last one; whether all could be written.
    pub fn write_to(&self, mut output: impl Write) -> bool {
        while let Some(line) = self.next() {
            let written = output.write_all(line.as_bytes());
            if written.and_then(|()| output.flush()).is_err() {
                self.lock().give_up();
                self.changed.notify_all();
                return false;
            }
            let mut state = self.lock();
            state.bytes = state.bytes.saturating_sub(line.len());
            state.written += 1;
            self.changed.notify_all();
        }
        self.lock().is_finished = true;
        self.changed.notify_all();
        true
    }

    /// Waits until all lines are written, or none can be any more.
    pub fn wait(&self) {
        let mut state = self.lock();
        while !state.is_finished && !state.is_broken {
            state = signaled(&self.changed, state);
        }
    }

    /// Gives up what is left as soon as no line could be written for so long, as nobody reads; returns at the end.
    pub fn give_up_after(&self, patience: Duration) {
        let mut state = self.lock();
        let mut since = (state.written, Instant::now());
        while !state.is_finished && !state.is_broken {
            if state.written != since.0 || state.bytes == 0 {
                since = (state.written, Instant::now());
            }
            let left = patience.saturating_sub(since.1.elapsed());
            if left.is_zero() {
                state.give_up();
                self.changed.notify_all();
                return;
            }
            state = signaled_within(&self.changed, state, left);
        }
    }

    fn next(&self) -> Option<String> {
        let mut state = self.lock();
        loop {
            match state.lines.pop_front() {
                Some(line) => return Some(line),
                None if state.is_complete => return None,
                None => state = signaled(&self.changed, state),
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        locked(&self.state)
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::thread;

    use super::*;

    /// Notes how much is held whenever something is written.
    struct Watching<'a>(&'a Output, &'a mut Vec<usize>);

    impl Write for Watching<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.1.push(self.0.lock().bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn senders_wait_while_too_much_is_unread() {
        // Lines of four bytes.
        let output = Output::new(10);
        let mut held = Vec::new();
        thread::scope(|scope| {
            let sender = scope.spawn(|| (100..200).for_each(|number| output.send(&number)));
            scope.spawn(|| {
                sender.join().unwrap();
                output.complete();
            });
            assert!(output.write_to(Watching(&output, &mut held)));
        });
        assert_eq!(held.len(), 100);
        assert!(held.iter().all(|&bytes| bytes <= 12), "{held:?}");
    }

    #[test]
    fn a_client_that_stopped_reading_is_not_waited_for() {
        /// Takes one line, then blocks until the end of the test.
        struct Stuck<'a>(&'a Mutex<()>, bool);
        impl Write for Stuck<'_> {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                if std::mem::replace(&mut self.1, true) {
                    drop(locked(self.0));
                }
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let (output, gate) = (Output::new(100), Mutex::new(()));
        (0..3).for_each(|number| output.send(&number));
        output.complete();
        thread::scope(|scope| {
            let closed = locked(&gate);
            scope.spawn(|| output.write_to(Stuck(&gate, false)));
            output.give_up_after(Duration::from_millis(50));
            output.wait();
            drop(closed);
        });
        assert_eq!(output.lock().written, 2);
        assert!(output.lock().is_broken);
    }

    #[test]
    fn nobody_waits_for_a_broken_output() {
        struct Broken;
        impl Write for Broken {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let output = Output::new(1);
        output.send(&1);
        assert!(!output.write_to(Broken));
        (0..10).for_each(|number| output.send(&number));
        assert_eq!(output.lock().bytes, 0);
    }
}
