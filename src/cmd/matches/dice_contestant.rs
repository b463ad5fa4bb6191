//! A player of a game with dice in another program: a line with the position goes out over a connection, a line with
//! the play comes back.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::gtp_contestant::Patience;
use crate::arena::contestant::Fault;
use crate::arena::dice::DiceContestant;
use crate::games::dice_game::DiceGame;
use crate::process::{Engine, for_each_line};
use crate::threads;

/// Pause between attempts to reach an engine that has just been started.
const PAUSE: Duration = Duration::from_millis(50);
/// How long an engine may take to end.
const FAREWELL: Duration = Duration::from_millis(300);
/// How long an answer is waited for before looking whether there was an interrupt.
const SLICE: Duration = Duration::from_secs(1);
/// Longest answer that is read.
const LONGEST: u64 = 1 << 16;

/// Where the player is.
#[derive(Clone, Debug)]
pub struct ExternalStart {
    /// For reports: a command line, or the address.
    pub name: String,
    /// Where the engine listens already; otherwise the name is a command line, which is started.
    pub address: Option<String>,
    /// Options that the user gave.
    pub options: Vec<(String, String)>,
    /// Timeouts.
    pub patience: Patience,
    /// Set by an interrupt: no engine is started any more.
    pub stop: Arc<AtomicBool>,
}

/// A player in another program.
pub struct External {
    start: ExternalStart,
    connection: Option<Connection>,
    /// The program, if this one has started it.
    engine: Option<Engine>,
}

struct Connection {
    input: BufReader<TcpStream>,
    output: TcpStream,
}

impl External {
    /// The engine is started with its first game.
    pub fn new(start: ExternalStart) -> External {
        External {
            start,
            connection: None,
            engine: None,
        }
    }

    fn connect<G: DiceGame>(&mut self) -> Result<Connection> {
        self.end();
        let stream = match &self.start.address {
            Some(address) => connected(address, self.start.patience.command)
                .with_context(|| format!("nobody listens at {address}"))?,
            None => self.started::<G>()?,
        };
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(SLICE))?;
        Ok(Connection {
            input: BufReader::new(stream.try_clone()?),
            output: stream,
        })
    }

    /// Starts the program, tells it to listen on a free port and connects there.
    fn started<G: DiceGame>(&mut self) -> Result<TcpStream> {
        let command_line = &self.start.name;
        let (engine, output) = Engine::spawn(command_line)
            .with_context(|| format!("cannot start the engine '{command_line}'"))?;
        // What it prints is of no interest, but must not fill the pipe.
        threads::start(move || for_each_line(output, |_| true))?;
        let engine = self.engine.insert(engine);
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
            .local_addr()?
            .port();
        for line in G::listen_lines(port, &self.start.options)? {
            // Should it be gone, the loop below will say how.
            engine.send(format!("{line}\n"));
        }
        let begun = Instant::now();
        loop {
            if let Ok(stream) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) {
                return Ok(stream);
            }
            ensure!(!self.start.stop.load(Ordering::Relaxed), "interrupted");
            if !engine.is_running() {
                bail!(engine.last_words());
            }
            if begun.elapsed() > self.start.patience.command {
                bail!("the engine '{command_line}' does not listen on the port it was told");
            }
            thread::sleep(PAUSE);
        }
    }

    fn ask(&mut self, line: &str) -> Result<String, Fault> {
        let crashed = |error: &dyn std::fmt::Display| Fault::Crashed(error.to_string());
        let Some(connection) = &mut self.connection else {
            return Err(Fault::Crashed("the engine is not connected".to_owned()));
        };
        let sent = connection.output.write_all(format!("{line}\n").as_bytes());
        sent.map_err(|error| crashed(&error))?;
        let (begun, mut bytes) = (Instant::now(), Vec::new());
        let read = loop {
            let left = LONGEST.saturating_sub(bytes.len() as u64);
            let input = connection.input.by_ref();
            match input.take(left).read_until(b'\n', &mut bytes) {
                Err(error)
                    if is_late(&error)
                        && begun.elapsed() < self.start.patience.genmove
                        && !self.start.stop.load(Ordering::Relaxed) => {}
                read => break read.map(|_| bytes.len()),
            }
        };
        match read {
            Ok(0) => Err(Fault::Crashed(
                "the engine has closed the connection".to_owned(),
            )),
            Ok(_) => {
                let line = String::from_utf8_lossy(&bytes).into_owned();
                let is_blank = |letter: char| letter.is_whitespace() || letter == '\0';
                Ok(line.trim_matches(is_blank).to_owned())
            }
            Err(error) if is_late(&error) => Err(Fault::Silent),
            Err(error) => Err(crashed(&error)),
        }
    }

    fn end(&mut self) {
        if let Some(connection) = &mut self.connection {
            // It ends in any case.
            connection.output.write_all(b"exit\n").unwrap_or_default();
        }
        self.connection = None;
        if let Some(engine) = &mut self.engine {
            engine.quit("exit", FAREWELL);
        }
        self.engine = None;
    }
}

/// Whether nothing has come in time.
fn is_late(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// A connection to the first of an address's places where somebody listens.
fn connected(address: &str, timeout: Duration) -> Result<TcpStream> {
    let mut last = None;
    for place in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&place, timeout) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = Some(error),
        }
    }
    Err(last.context("the name has no address")?.into())
}

impl<G: DiceGame> DiceContestant<G> for External {
    fn name(&self) -> &str {
        &self.start.name
    }

    fn start(&mut self, _number: usize) -> Result<()> {
        if self.connection.is_none() {
            self.connection = Some(self.connect::<G>()?);
        }
        Ok(())
    }

    fn choose(&mut self, position: &G) -> Result<G::Play, Fault> {
        let answer = self.ask(&position.engine_line());
        if matches!(answer, Err(Fault::Crashed(_) | Fault::Silent)) {
            self.end();
        }
        let answer = answer?;
        if answer.to_ascii_lowercase().starts_with("error") {
            return Err(Fault::Refused(answer));
        }
        position
            .read_play(&answer)
            .map_err(|error| Fault::AgainstRule {
                answer,
                reason: format!("{error:#}"),
            })
    }
}

impl Drop for External {
    fn drop(&mut self) {
        self.end();
    }
}
