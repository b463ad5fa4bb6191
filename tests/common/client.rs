//! The program at the other end of pipes, as clients and shells see it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use super::under_test;

/// Timeout for a line.
const PATIENCE: Duration = Duration::from_secs(60);

/// The program at work, and its lines.
pub struct Client {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Client {
    pub fn new(arguments: &[&str]) -> Client {
        let mut child = under_test::program()
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in output.lines() {
                sender.send(line.unwrap()).unwrap_or_default();
            }
        });
        let input = child.stdin.take().unwrap();
        Client {
            child,
            input,
            lines,
        }
    }

    /// Sends a line.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let line = [bytes.as_ref(), b"\n"].concat();
        self.input.write_all(&line).unwrap();
    }

    pub fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("a line")
    }

    /// Sends the line that ends the program; nothing more comes.
    pub fn end(mut self, last: &str) {
        self.send(last);
        assert!(self.child.wait().unwrap().success());
        assert_eq!(self.lines.recv_timeout(PATIENCE).ok(), None, "nothing more");
    }
}

/// What the program says to an input, on both outputs, and whether it succeeds.
pub fn run(arguments: &[&str], input: &str) -> (String, bool) {
    let mut child = under_test::program()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that has ended does not read.
    let written = child.stdin.take().unwrap().write_all(input.as_bytes());
    written.unwrap_or_default();
    let output = child.wait_with_output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (String::from_utf8(text).unwrap(), output.status.success())
}
