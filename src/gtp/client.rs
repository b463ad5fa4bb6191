//! The controller's side: an engine in another process, started by a command line without a
//! shell, asked one command at a time.
//!
//! Nothing the engine does can block the caller beyond the given timeouts: its input is written
//! and its output and errors are read by threads of their own. An engine that does not answer in
//! time is killed, since a late answer would be taken for that to the next command. Dropping a
//! client kills its engine.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::protocol::Response;
use super::reply::{Reply, ReplyAssembler};

/// Longest line read in one piece, in bytes.
const MAX_LINE_BYTES: u64 = 1 << 20;
/// Lines of stderr kept for messages.
const STDERR_LINES: usize = 8;
/// How long the exit status of an engine that closed its output is waited for.
const STATUS_WAIT: Duration = Duration::from_millis(500);
/// Pause between two looks at a process that should end.
const POLL: Duration = Duration::from_millis(5);

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientError {
    /// The engine answered with a failure.
    Refused {
        /// What was asked.
        command: String,
        /// The text after the `?`.
        message: String,
    },
    /// The engine succeeded with a text that makes no sense.
    Malformed {
        /// What was asked.
        command: String,
        /// The text after the `=`.
        text: String,
    },
    /// The engine did not answer in time and was killed.
    TimedOut {
        /// What was asked.
        command: String,
        /// The time given.
        timeout: Duration,
    },
    /// The engine's process is gone, or closed its output.
    Exited {
        /// What was asked.
        command: String,
        /// Exit status and the last lines on stderr.
        details: String,
    },
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClientError::Refused { command, message } => write!(f, "'{command}': ? {message}"),
            ClientError::Malformed { command, text } => write!(f, "'{command}': answer '{text}'"),
            ClientError::TimedOut { command, timeout } => {
                write!(
                    f,
                    "'{command}': no answer in {:.1} s",
                    timeout.as_secs_f64()
                )
            }
            ClientError::Exited { command, details } => write!(f, "'{command}': {details}"),
        }
    }
}

impl std::error::Error for ClientError {}

/// An engine's process. Typed commands are in [`super::controller`].
pub struct Client {
    child: Child,
    input: Option<Sender<String>>,
    replies: Receiver<(Reply, Instant)>,
    stderr_tail: Arc<Mutex<VecDeque<String>>>,
    stderr_reader: JoinHandle<()>,
    commands: Option<BTreeSet<String>>,
    timeout: Duration,
}

impl Client {
    /// Starts the program of a command line, which is split as a POSIX shell would, but nothing
    /// else in it is interpreted. `timeout` is for all commands but those given their own.
    pub fn spawn(command_line: &str, timeout: Duration) -> io::Result<Client> {
        let words = shlex::split(command_line).unwrap_or_default();
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
        let mut child = command.spawn()?;
        let input = child.stdin.take().expect("stdin is piped");
        let output = child.stdout.take().expect("stdout is piped");
        let errors = child.stderr.take().expect("stderr is piped");
        let stderr_tail = Arc::new(Mutex::new(VecDeque::new()));
        let tail = Arc::clone(&stderr_tail);
        let stderr_reader = thread::spawn(move || keep_tail(errors, &tail));
        Ok(Client {
            child,
            input: Some(spawn_writer(input)),
            replies: spawn_reader(output),
            stderr_tail,
            stderr_reader,
            commands: None,
            timeout,
        })
    }

    /// Whether the process can still be talked to.
    pub fn is_running(&mut self) -> bool {
        self.input.is_some() && matches!(self.child.try_wait(), Ok(None))
    }

    /// The last lines the engine wrote on stderr.
    pub fn stderr_tail(&self) -> String {
        let tail = self
            .stderr_tail
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        tail.iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// Sends a command and gives the text of its result.
    pub fn send(&mut self, command: &str) -> Result<String, ClientError> {
        self.send_within(command, self.timeout)
            .map(|(text, _)| text)
    }

    /// [`Client::send`] with a timeout of its own; also tells how long the engine took.
    pub fn send_within(
        &mut self,
        command: &str,
        timeout: Duration,
    ) -> Result<(String, Duration), ClientError> {
        let (reply, elapsed) = self.exchange(command, timeout)?;
        match reply.response {
            Response::Success(text) => Ok((text, elapsed)),
            Response::Failure(message) => Err(ClientError::Refused {
                command: command.to_owned(),
                message,
            }),
        }
    }

    /// Sends a line as it is, which must be one that is answered, and gives the reply.
    pub fn send_line(&mut self, line: &str) -> Result<Reply, ClientError> {
        self.exchange(line, self.timeout).map(|(reply, _)| reply)
    }

    /// Whether the engine lists the command. Asks for the list once.
    pub fn supports(&mut self, command: &str) -> Result<bool, ClientError> {
        if self.commands.is_none() {
            let text = self.send("list_commands")?;
            self.commands = Some(text.split_ascii_whitespace().map(str::to_owned).collect());
        }
        Ok(self
            .commands
            .as_ref()
            .is_some_and(|commands| commands.contains(command)))
    }

    /// Asks the engine to end and waits for its process; kills it after the timeout. Tells
    /// whether it ended by itself.
    pub fn quit(&mut self, timeout: Duration) -> bool {
        if let Some(input) = self.input.take() {
            // An engine already gone needs no quit. The end of its input follows this line.
            input.send("quit\n".to_owned()).unwrap_or_default();
        }
        let has_ended = self.wait_for_exit(timeout).is_some();
        if !has_ended {
            self.kill();
        }
        has_ended
    }

    fn exchange(
        &mut self,
        line: &str,
        timeout: Duration,
    ) -> Result<(Reply, Duration), ClientError> {
        // A reply nobody asked for would shift all later ones.
        while self.replies.try_recv().is_ok() {}
        let start = Instant::now();
        let sent = self
            .input
            .as_ref()
            .map(|input| input.send(format!("{line}\n")));
        if !matches!(sent, Some(Ok(()))) {
            return Err(self.exited(line));
        }
        match self.replies.recv_timeout(timeout) {
            Ok((reply, arrival)) => Ok((reply, arrival.duration_since(start))),
            Err(RecvTimeoutError::Disconnected) => Err(self.exited(line)),
            Err(RecvTimeoutError::Timeout) => {
                self.kill();
                Err(ClientError::TimedOut {
                    command: line.to_owned(),
                    timeout,
                })
            }
        }
    }

    fn exited(&mut self, command: &str) -> ClientError {
        self.input = None;
        let status = match self.wait_for_exit(STATUS_WAIT) {
            Some(status) => format!("the engine ended ({status})"),
            None => "the engine closed its output".to_owned(),
        };
        // A child of the engine may hold stderr open.
        poll_until(STATUS_WAIT, || {
            self.stderr_reader.is_finished().then_some(())
        });
        let tail = self.stderr_tail();
        let details = if tail.is_empty() {
            status
        } else {
            format!("{status}: {tail}")
        };
        ClientError::Exited {
            command: command.to_owned(),
            details,
        }
    }

    fn wait_for_exit(&mut self, timeout: Duration) -> Option<ExitStatus> {
        poll_until(timeout, || self.child.try_wait().ok().flatten())
    }

    fn kill(&mut self) {
        self.input = None;
        // Fails only if the process is gone already, which is what is wanted.
        self.child.kill().unwrap_or_default();
        self.child.wait().map(drop).unwrap_or_default();
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Asks until there is an answer, but not longer than the timeout.
fn poll_until<T>(timeout: Duration, mut answer: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + timeout;
    loop {
        let found = answer();
        if found.is_some() || Instant::now() >= end {
            return found;
        }
        thread::sleep(POLL);
    }
}

fn spawn_writer(mut input: impl Write + Send + 'static) -> Sender<String> {
    let (sender, lines) = channel::<String>();
    thread::spawn(move || {
        for line in lines {
            if input
                .write_all(line.as_bytes())
                .and_then(|()| input.flush())
                .is_err()
            {
                return;
            }
        }
    });
    sender
}

fn spawn_reader(output: impl Read + Send + 'static) -> Receiver<(Reply, Instant)> {
    let (sender, replies) = channel();
    thread::spawn(move || {
        let mut assembler = ReplyAssembler::default();
        for_each_line(output, |line| match assembler.push(line) {
            Some(reply) => sender.send((reply, Instant::now())).is_ok(),
            None => true,
        });
    });
    replies
}

fn keep_tail(errors: impl Read, tail: &Mutex<VecDeque<String>>) {
    for_each_line(errors, |line| {
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        if tail.len() == STDERR_LINES {
            tail.pop_front();
        }
        tail.push_back(line.chars().take(200).collect());
        true
    });
}

/// Calls `accept` with each line until that says no, or until the end. Very long lines come in
/// pieces.
fn for_each_line(input: impl Read, mut accept: impl FnMut(&str) -> bool) {
    let mut input = BufReader::new(input);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match input
            .by_ref()
            .take(MAX_LINE_BYTES)
            .read_until(b'\n', &mut bytes)
        {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let line = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        if !accept(&String::from_utf8_lossy(line)) {
            return;
        }
    }
}
