//! Lines on their way to the client, written by one thread. Whoever adds a line waits while the client
//! is far behind with reading.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Condvar, Mutex, MutexGuard};

use serde::Serialize;

use crate::threads::{locked, signaled};

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
    /// No more lines come.
    is_complete: bool,
    /// Nothing can be written any more.
    is_broken: bool,
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
                let mut state = self.lock();
                (state.is_broken, state.bytes) = (true, 0);
                state.lines.clear();
                self.changed.notify_all();
                return false;
            }
            self.lock().bytes -= line.len();
            self.changed.notify_all();
        }
        true
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
