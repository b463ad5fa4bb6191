//! A conversation with the program over its pipes.

use std::time::Instant;

use super::client::{Client, PATIENCE};
use super::nets::NETWORK;

/// The program at work, and its lines.
pub struct Talk(Client);

impl Talk {
    pub fn new(arguments: &[&str]) -> Talk {
        Talk(Client::new(arguments))
    }

    pub fn with_network(more: &[&str]) -> Talk {
        Talk::new(&[&["--model", NETWORK, "--seed", "1"], more].concat())
    }

    pub fn with_rollouts(more: &[&str]) -> Talk {
        Talk::new(&[&["--player", "rollout", "--seed", "1"], more].concat())
    }

    /// Writes in one piece.
    pub fn send(&mut self, text: &str) {
        self.0.send_part(text);
    }

    /// Ends the input.
    pub fn close(&mut self) {
        self.0.close();
    }

    pub fn line(&self) -> String {
        self.0.line()
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
        let mut reports = Vec::new();
        self.report_when(command, |line| {
            reports.push(line.to_owned());
            reports.len() == count
        });
        reports
    }

    /// The first report of an analysis that is wanted; then the analysis is ended by an empty line.
    pub fn report_when(
        &mut self,
        command: &str,
        mut is_wanted: impl FnMut(&str) -> bool,
    ) -> String {
        self.send(&format!("{command}\n"));
        assert_eq!(self.line(), "=", "{command}");
        let start = Instant::now();
        let mut report = self.line();
        while !is_wanted(&report) {
            assert!(start.elapsed() < PATIENCE, "{command}: {report}");
            report = self.line();
        }
        self.send("\n");
        self.response();
        report
    }

    /// Asserts that nothing comes for a while.
    pub fn is_silent(&self) {
        self.0.is_silent();
    }

    /// Asserts that the program ends by itself without further output.
    pub fn ends(self) {
        assert_eq!(self.0.rest(), [""; 0]);
    }
}
