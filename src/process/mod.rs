//! Engines in other processes: started by a command line without a shell, talked to in lines, ended with all
//! that they have started. Protocols are on top of this.
//!
//! Nothing an engine does can block the caller: its input is written and its output and errors are read by
//! threads of their own.

mod group;
mod pipes;

use std::collections::VecDeque;
use std::io;
use std::process::{ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::threads::{self, locked};
use group::{Process, poll_until};

pub use group::end_all_engines;
pub use pipes::for_each_line;

/// How long the exit status of an engine that closed its output is waited for.
const STATUS_WAIT: Duration = Duration::from_millis(500);

/// The words of a command line, as a POSIX shell splits them; on Windows a backslash is one, as in paths, except
/// before a double quote. None if a quote is not closed.
pub fn split_command_line(command_line: &str) -> Option<Vec<String>> {
    if cfg!(windows) {
        return shlex::split(&literal_backslashes(command_line));
    }
    shlex::split(command_line)
}

/// The command line with backslashes doubled, except before double quotes and within single ones, where a shell leaves
/// them as they are.
fn literal_backslashes(command_line: &str) -> String {
    let (mut in_double, mut in_single) = (false, false);
    let mut letters = command_line.chars().peekable();
    let mut literal = String::new();
    while let Some(letter) = letters.next() {
        literal.push(letter);
        match letter {
            '\\' if in_single => {}
            '\\' if letters.peek() == Some(&'"') => literal.extend(letters.next()),
            '\\' => literal.push('\\'),
            '"' if !in_single => in_double = !in_double,
            '\'' if !in_double => in_single = !in_single,
            _ => {}
        }
    }
    literal
}

/// A running engine and its input. Dropping it kills the engine and all that the engine has started.
pub struct Engine {
    process: Process,
    input: Option<Sender<String>>,
    stderr_tail: Arc<Mutex<VecDeque<String>>>,
    stderr_reader: JoinHandle<()>,
}

impl Engine {
    /// Starts the program of a command line ([`split_command_line`]), in which nothing else is interpreted. Also gives
    /// the engine's output.
    pub fn spawn(command_line: &str) -> io::Result<(Engine, ChildStdout)> {
        let words = split_command_line(command_line).unwrap_or_default();
        let (program, arguments) = words.split_first().ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidInput,
                "empty command line or unclosed quote",
            )
        })?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut process = Process::start(command)?;
        let (input, output, errors) = process.pipes();
        let stderr_tail = Arc::new(Mutex::new(VecDeque::new()));
        let tail = Arc::clone(&stderr_tail);
        let stderr_reader = threads::start(move || pipes::keep_tail(errors, &tail))?;
        let engine = Engine {
            process,
            input: Some(pipes::spawn_writer(input)?),
            stderr_tail,
            stderr_reader,
        };
        Ok((engine, output))
    }

    /// Whether the process can still be talked to.
    pub fn is_running(&mut self) -> bool {
        self.input.is_some() && self.process.status().is_none()
    }

    /// The last lines the engine wrote on stderr.
    pub fn stderr_tail(&self) -> String {
        let tail = locked(&self.stderr_tail);
        tail.iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// Sends text, which ends with a line break. False if the engine's input is closed.
    pub fn send(&self, text: String) -> bool {
        let sent = self.input.as_ref().map(|input| input.send(text));
        matches!(sent, Some(Ok(())))
    }

    /// Sends a last line and waits until the process has ended; kills it after the timeout. Tells whether it
    /// ended by itself.
    pub fn quit(&mut self, last: &str, timeout: Duration) -> bool {
        if let Some(input) = self.input.take() {
            // An engine already gone needs no farewell. The end of its input follows this line.
            input.send(format!("{last}\n")).unwrap_or_default();
        }
        let has_ended = self.process.wait(timeout).is_some();
        // What the engine has started may still be there.
        self.kill();
        has_ended
    }

    /// How an engine that closed its output ended, with its last words on stderr.
    pub fn last_words(&mut self) -> String {
        self.input = None;
        let status = match self.process.wait(STATUS_WAIT) {
            Some(status) => format!("the engine ended ({status})"),
            None => "the engine closed its output".to_owned(),
        };
        // A child of the engine may hold stderr open.
        poll_until(STATUS_WAIT, || {
            self.stderr_reader.is_finished().then_some(())
        });
        let tail = self.stderr_tail();
        match tail.is_empty() {
            true => status,
            false => format!("{status}: {tail}"),
        }
    }

    /// Ends the engine with all that it has started.
    pub fn kill(&mut self) {
        self.input = None;
        self.process.end();
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.kill();
    }
}

/// An engine whose output is read line by line.
pub struct LineEngine {
    engine: Engine,
    lines: Receiver<String>,
}

/// Why there is no line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoLine {
    /// The engine has exited or closed its output; how, and its last words on stderr.
    Exited(String),
    /// None came in time. The engine was killed: a late answer would be taken for another's.
    TimedOut,
}

impl LineEngine {
    /// Starts the program of a command line, see [`Engine::spawn`].
    pub fn spawn(command_line: &str) -> io::Result<LineEngine> {
        let (engine, output) = Engine::spawn(command_line)?;
        let lines = pipes::spawn_line_reader(output)?;
        Ok(LineEngine { engine, lines })
    }

    /// Sends a line.
    pub fn send(&mut self, line: &str) -> Result<(), NoLine> {
        match self.engine.send(format!("{line}\n")) {
            true => Ok(()),
            false => Err(NoLine::Exited(self.engine.last_words())),
        }
    }

    /// Reads lines until one is understood, but not beyond a moment.
    pub fn read_until<T>(
        &mut self,
        end: Instant,
        mut understand: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, NoLine> {
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => {
                    if let Some(found) = understand(line.trim()) {
                        return Ok(found);
                    }
                    // An engine that never pauses does not stop the clock.
                    if Instant::now() < end {
                        continue;
                    }
                    self.engine.kill();
                    return Err(NoLine::TimedOut);
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(NoLine::Exited(self.engine.last_words()));
                }
                Err(RecvTimeoutError::Timeout) => {
                    self.engine.kill();
                    return Err(NoLine::TimedOut);
                }
            }
        }
    }

    /// Ends the engine, which gets the last line of its protocol and some time.
    pub fn quit(&mut self, last: &str, timeout: Duration) {
        self.engine.quit(last, timeout);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backslashes_of_paths_stay() {
        let words = |line: &str| shlex::split(&literal_backslashes(line)).unwrap();
        let plain = words(r"C:\keima\keima.exe gtp --set a=b");
        assert_eq!(plain, [r"C:\keima\keima.exe", "gtp", "--set", "a=b"]);
        let quoted = words(r#""C:\Go programs\katago.exe" gtp "a=\"b\"""#);
        assert_eq!(quoted, [r"C:\Go programs\katago.exe", "gtp", r#"a="b""#]);
        let single = words(r"'C:\Go programs\katago.exe' gtp");
        assert_eq!(single, [r"C:\Go programs\katago.exe", "gtp"]);
    }
}
