//! The controller's side: an engine in another process, started by a command line without a
//! shell, asked one command at a time.
//!
//! Nothing the engine does can block the caller beyond the given timeouts: its input is written
//! and its output and errors are read by threads of their own. An engine that does not answer in
//! time is killed. Every command has an id, and a reply without that id is a fault: GTP demands that
//! engines repeat it, and after a reply too many all later ones would be taken for another's.
//! Dropping a client kills its engine and all that the engine has started.

use std::collections::BTreeSet;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

pub use super::client_error::ClientError;
use super::pipes::spawn_reader;
use super::protocol::{MAX_ID, Response};
use super::reply::Reply;
use crate::process::Engine;

/// Characters of a reply out of turn that are told.
const TOLD: usize = 60;

/// An engine's process. Typed commands are in [`super::controller`].
pub struct Client {
    engine: Engine,
    replies: Receiver<(Reply, Instant)>,
    commands: Option<BTreeSet<String>>,
    timeout: Duration,
    last_id: u32,
}

impl Client {
    /// Starts the program of a command line, which is split as a POSIX shell would, but nothing
    /// else in it is interpreted. `timeout` is for all commands but those given their own.
    pub fn spawn(command_line: &str, timeout: Duration) -> io::Result<Client> {
        let (engine, output) = Engine::spawn(command_line)?;
        Ok(Client {
            engine,
            replies: spawn_reader(output)?,
            commands: None,
            timeout,
            last_id: 0,
        })
    }

    /// Whether the process can still be talked to.
    pub fn is_running(&mut self) -> bool {
        self.engine.is_running()
    }

    /// The last lines the engine wrote on stderr.
    pub fn stderr_tail(&self) -> String {
        self.engine.stderr_tail()
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
        let id = self.next_id();
        let (reply, elapsed) = self.exchange(command, Some(id), timeout)?;
        if reply.id != Some(id) {
            return Err(self.out_of_turn(command, Some(id), reply));
        }
        match reply.response {
            Response::Success(text) => Ok((text, elapsed)),
            Response::Failure(message) => Err(ClientError::Refused {
                command: command.to_owned(),
                message,
            }),
        }
    }

    /// Sends a line as it is, which must be one that is answered, and gives the reply, whatever its
    /// id.
    pub fn send_line(&mut self, line: &str) -> Result<Reply, ClientError> {
        self.exchange(line, None, self.timeout)
            .map(|(reply, _)| reply)
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
        self.engine.quit("quit", timeout)
    }

    fn next_id(&mut self) -> u32 {
        self.last_id = self.last_id % MAX_ID + 1;
        self.last_id
    }

    fn exchange(
        &mut self,
        line: &str,
        id: Option<u32>,
        timeout: Duration,
    ) -> Result<(Reply, Duration), ClientError> {
        if let Ok((reply, _)) = self.replies.try_recv() {
            return Err(self.out_of_turn(line, None, reply));
        }
        let id = id.map(|id| format!("{id} ")).unwrap_or_default();
        let start = Instant::now();
        if !self.engine.send(format!("{id}{line}\n")) {
            return Err(self.exited(line));
        }
        match self.replies.recv_timeout(timeout) {
            Ok((reply, arrival)) => Ok((reply, arrival.duration_since(start))),
            Err(RecvTimeoutError::Disconnected) => Err(self.exited(line)),
            Err(RecvTimeoutError::Timeout) => {
                self.engine.kill();
                Err(ClientError::TimedOut {
                    command: line.to_owned(),
                    timeout,
                })
            }
        }
    }

    fn out_of_turn(&mut self, command: &str, expected: Option<u32>, reply: Reply) -> ClientError {
        self.engine.kill();
        ClientError::OutOfTurn {
            command: command.to_owned(),
            expected,
            found: reply.id,
            text: reply.response.text().chars().take(TOLD).collect(),
        }
    }

    fn exited(&mut self, command: &str) -> ClientError {
        ClientError::Exited {
            command: command.to_owned(),
            details: self.engine.last_words(),
        }
    }
}
