//! A conversation with the program over its pipes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use crate::under_test;

const NETWORK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets/s8.bin.gz");
/// Timeout for a line.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// The program at work, and its lines.
pub struct Talk {
    child: Child,
    /// Its end is the end of the conversation.
    pub input: Option<ChildStdin>,
    pub lines: Receiver<String>,
}

impl Talk {
    pub fn new(arguments: &[&str]) -> Talk {
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
        let input = child.stdin.take();
        Talk {
            child,
            input,
            lines,
        }
    }

    pub fn with_network(more: &[&str]) -> Talk {
        Talk::new(&[&["--model", NETWORK, "--seed", "1"], more].concat())
    }

    pub fn with_rollouts(more: &[&str]) -> Talk {
        Talk::new(&[&["--player", "rollout", "--seed", "1"], more].concat())
    }

    /// Writes in one piece.
    pub fn send(&mut self, text: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(text.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    pub fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("a line in time")
    }

    /// The lines up to an empty one, which is not among them.
    pub fn response(&self) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            match self.line() {
                line if line.is_empty() => return lines,
                line => lines.push(line),
            }
        }
    }

    /// The result of a command that must succeed.
    pub fn ok(&mut self, command: &str) -> String {
        self.send(&format!("{command}\n"));
        let lines = self.response();
        let text = lines.join("\n");
        text.strip_prefix("= ")
            .unwrap_or_else(|| panic!("{command}: {text}"))
            .to_owned()
    }

    /// Some reports of an analysis, which then is ended by an empty line.
    pub fn reports(&mut self, command: &str, count: usize) -> Vec<String> {
        self.send(&format!("{command}\n"));
        assert_eq!(self.line(), "=", "{command}");
        let reports = (0..count).map(|_| self.line()).collect();
        self.send("\n");
        self.response();
        reports
    }

    /// Asserts that nothing comes for a while.
    pub fn is_silent(&self) {
        let line = self.lines.recv_timeout(Duration::from_millis(150));
        assert_eq!(line, Err(RecvTimeoutError::Timeout));
    }

    /// Asserts that the program ends by itself without further output.
    pub fn ends(mut self) {
        let line = self.lines.recv_timeout(PATIENCE);
        assert_eq!(line, Err(RecvTimeoutError::Disconnected));
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // It may have ended.
        self.child.kill().unwrap_or_default();
        self.child.wait().unwrap();
    }
}
