//! The program at the other end of pipes, as clients and shells see it.

use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::guarded::Guarded;
use super::{running, under_test};

/// Timeout for a line, so generous that only what hangs takes longer.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// The program at work, and its lines.
pub struct Client {
    child: Guarded,
    /// Its end is the end of the conversation.
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Client {
    pub fn new(arguments: &[&str]) -> Client {
        let mut command = under_test::program();
        command.args(arguments).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = Guarded::spawn(&mut command);
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in output.lines() {
                sender.send(line.unwrap()).unwrap_or_default();
            }
        });
        let input = child.stdin.take();
        Client {
            child,
            input,
            lines,
        }
    }

    /// Sends a line.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.send_part([bytes.as_ref(), b"\n"].concat());
    }

    /// Sends what need not be a whole line, in one piece.
    pub fn send_part(&mut self, bytes: impl AsRef<[u8]>) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes.as_ref()).unwrap();
        input.flush().unwrap();
    }

    pub fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("a line")
    }

    /// Lines up to one that begins so, that included.
    pub fn until(&self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            lines.push(self.line());
            if lines.last().unwrap().starts_with(start) {
                return lines;
            }
        }
    }

    /// Asserts that nothing comes for a while.
    pub fn is_silent(&self) {
        let line = self.lines.recv_timeout(Duration::from_millis(150));
        assert_eq!(line, Err(RecvTimeoutError::Timeout));
    }

    /// Ends the input.
    pub fn close(&mut self) {
        self.input = None;
    }

    /// Sends the line that ends the program; nothing more comes.
    pub fn end(mut self, last: &str) {
        self.send(last);
        assert_eq!(self.rest(), [""; 0], "nothing more");
    }

    /// The lines up to the program's end, which is a success.
    pub fn rest(mut self) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => lines.push(line),
                Err(RecvTimeoutError::Timeout) => panic!("the program goes on"),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        lines
    }
}

/// What the program says to an input, on both outputs, and whether it succeeds.
pub fn run(arguments: &[&str], input: &str) -> (String, bool) {
    let output = running::run(arguments, input);
    let text = [output.stdout, output.stderr].concat();
    (String::from_utf8(text).unwrap(), output.status.success())
}
