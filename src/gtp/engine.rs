//! The engine's side of the protocol: the state that commands work on, and the way from an input
//! line to the framed response.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::arguments::Arguments;
use super::commands::{self, End, StreamingCommand};
use super::interrupt_flags::InterruptFlags;
use super::protocol::{Line, Request, Response};
use super::stream::{Stream, write};
use super::terminal;
use crate::clock::Clock;
use crate::console::tell;
use crate::go::{Answer, BoardSize, Color, Komi, Position, Rules};
use crate::player::Player;
use crate::player::session::{Charge, Chosen, GameSession};

/// Length of the longest error message, in characters.
const LONGEST_MESSAGE: usize = 300;

/// What the engine calls itself. GUIs choose their dialect by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Answer to `name`.
    pub name: String,
    /// Answer to `version`; some GUIs insist on numbers separated by dots.
    pub version: String,
}

/// Gets a text.
type Listener = dyn Fn(&str) + Send;

/// A game session behind the protocol.
pub struct Engine {
    pub(super) session: GameSession,
    pub(super) identity: Identity,
    pub(super) started: Instant,
    pub(super) is_quit: bool,
    /// Whether lines wait that would interrupt what can be interrupted.
    pub(super) interrupt_flags: Arc<InterruptFlags>,
    /// A response goes on until the next line comes.
    is_open: bool,
    /// When the line that is being answered came, if it came from a controller.
    arrival: Option<Instant>,
    /// When the latest turn on a clock was over.
    turn_end: Option<Instant>,
    /// What it calls itself if the first command is `name`.
    identity_for_guis: Option<Identity>,
    /// Gets remarks that are not for the controller.
    remarks: Box<Listener>,
    /// Gets evaluations of moves that are played, if anybody does.
    evaluations: Option<Box<Listener>>,
    /// Lines are typed at a terminal.
    is_at_terminal: bool,
}

impl Engine {
    /// An engine with an empty board. Size, rules and komi hold until commands change them.
    pub fn new(
        player: Box<dyn Player>,
        identity: Identity,
        size: BoardSize,
        rules: Rules,
        komi: Komi,
    ) -> Engine {
        Engine {
            session: GameSession::new(player, size, rules, komi),
            identity,
            started: Instant::now(),
            is_quit: false,
            interrupt_flags: Arc::default(),
            is_open: false,
            arrival: None,
            turn_end: None,
            identity_for_guis: None,
            remarks: Box::new(|remark| tell(format_args!("{remark}"))),
            evaluations: None,
            is_at_terminal: false,
        }
    }

    /// Lines come from a person at a terminal, who is helped with them.
    pub fn help_person(&mut self) {
        self.is_at_terminal = true;
    }

    /// Has remarks for people go there instead of to standard error.
    pub fn tell_remarks_to(&mut self, listener: impl Fn(&str) + Send + 'static) {
        self.remarks = Box::new(listener);
    }

    /// Has it call itself otherwise if the very first command is `name`, without id or with id 0 or 1, as
    /// GUIs choose their dialect by the answer to that. Other clients start otherwise.
    pub fn identify_to_guis(&mut self, identity: Identity) {
        self.identity_for_guis = Some(identity);
    }

    /// Has the evaluations of moves by `genmove` go there, as lines that gtp2ogs recognizes.
    pub fn tell_evaluations_to(&mut self, listener: impl Fn(&str) + Send + 'static) {
        self.evaluations = Some(Box::new(listener));
    }

    /// Who gets evaluations, if the player has any.
    pub(super) fn evaluations(&self) -> Option<&Listener> {
        self.evaluations.as_deref().filter(|_| self.searches())
    }

    /// Makes what evaluates positions ready for the board, so that no clock runs meanwhile. What fails
    /// here fails again, and is answered, when there is something to evaluate.
    pub fn prepare(&mut self) {
        if let Err(error) = self.session.view() {
            self.remark(&format!("cannot prepare for this board: {error:#}"));
        }
    }

    /// Tells people something that is not part of the protocol.
    pub(super) fn remark(&self, remark: &str) {
        (self.remarks)(remark);
    }

    /// The game as it stands.
    pub fn position(&self) -> &Position {
        &self.session.position
    }

    /// Whether `quit` was answered.
    pub fn is_quit(&self) -> bool {
        self.is_quit
    }

    /// To be told of lines that come while a command runs.
    pub fn interrupt_flags(&self) -> Arc<InterruptFlags> {
        Arc::clone(&self.interrupt_flags)
    }

    /// Carries out one input line, with or without its end, as if the next one had already come;
    /// the whole framed response, or none for a line that is not answered.
    pub fn handle(&mut self, line: &[u8]) -> Option<String> {
        let impatient = Arc::new(InterruptFlags::impatient());
        let interrupt_flags = std::mem::replace(&mut self.interrupt_flags, impatient);
        let mut response = Vec::new();
        let answered = self.answer(&Line::parse(line), &mut response);
        let closed = self.close(&mut response);
        answered.and(closed).expect("writing to memory cannot fail");
        self.interrupt_flags = interrupt_flags;
        let text = String::from_utf8_lossy(&response).into_owned();
        (!text.is_empty()).then_some(text)
    }

    /// Carries out one input line and writes the response, if there is one. Before that, the end of
    /// a response that went on until now.
    pub fn answer(&mut self, line: &Line, output: &mut (dyn Write + Send)) -> io::Result<()> {
        self.close(output)?;
        match line {
            Line::Request(request) => {
                self.see_first(request);
                match commands::find_streaming(&request.name, self.searches()) {
                    Some(command) => self.stream(command, request, output),
                    None => write(output, &self.respond(request).framed(request.id)),
                }
            }
            Line::TooLong { id } => write(output, &Response::failure("line too long").framed(*id)),
            Line::Nothing | Line::Interrupt => Ok(()),
        }
    }

    /// Learns from the first request whether a GUI has sent it.
    fn see_first(&mut self, request: &Request) {
        let is_of_gui = request.name == "name" && matches!(request.id, None | Some(0 | 1));
        if let Some(identity) = self.identity_for_guis.take().filter(|_| is_of_gui) {
            self.identity = identity;
        }
    }

    /// As [`Engine::answer`], where the line came at a time that may lie back.
    pub fn answer_since(
        &mut self,
        arrival: Instant,
        line: &Line,
        output: &mut (dyn Write + Send),
    ) -> io::Result<()> {
        self.arrival = Some(arrival);
        let answered = self.answer(line, output);
        self.arrival = None;
        answered
    }

    /// How long the controller has been waiting for the move that its line asks for: since the line
    /// came, or since the turn before was over if it was sent ahead.
    pub(super) fn waited(&self) -> Duration {
        self.arrival.map_or(Duration::ZERO, |arrival| {
            self.turn_end
                .map_or(arrival, |end| end.max(arrival))
                .elapsed()
        })
    }

    /// What the player answers on its clock, without playing it.
    pub(super) fn choose_in_time(
        &mut self,
        color: Color,
        charge: Charge,
        think: impl FnOnce(&mut dyn Player, &Position, &Clock) -> Result<Answer>,
    ) -> Result<Answer> {
        self.choose_by(|session, waited| session.choose_in_time(color, waited, charge, think))
    }

    /// What the session chooses in a turn on a clock that has run for as long as the controller has waited.
    pub(super) fn choose_by(
        &mut self,
        choose: impl FnOnce(&mut GameSession, Duration) -> Result<Chosen>,
    ) -> Result<Answer> {
        let waited = self.waited();
        let chosen = choose(&mut self.session, waited);
        self.turn_end = Some(Instant::now());
        Ok(self.told(chosen?))
    }

    /// The answer; remarks on it are passed on.
    pub(super) fn told(&self, chosen: Chosen) -> Answer {
        if let Some(remark) = &chosen.remark {
            self.remark(remark);
        }
        chosen.answer
    }

    /// Ends a response that goes on until the next line or the end of the input.
    pub fn close(&mut self, output: &mut dyn Write) -> io::Result<()> {
        match std::mem::take(&mut self.is_open) {
            true => write(output, "\n"),
            false => Ok(()),
        }
    }

    /// Thinks on the opponent's time until a line comes, if the player is one who does that.
    pub fn ponder(&mut self) {
        if self.session.is_to_ponder()
            && self.interrupt_flags.is_idle()
            && let Err(error) = self.session.ponder(self.interrupt_flags.flag())
        {
            self.remark(&format!("cannot ponder: {error:#}"));
        }
    }

    /// Whether the player searches, so that it can tell what it finds.
    pub(super) fn searches(&self) -> bool {
        self.session.player.analysis().is_some()
    }

    /// Lets a command write its response.
    fn stream(
        &mut self,
        command: &StreamingCommand,
        request: &Request,
        output: &mut (dyn Write + Send),
    ) -> io::Result<()> {
        let mut stream = Stream::new(output, request.id);
        let end = (command.run)(self, &Arguments::of(request), &mut stream);
        let has_begun = stream.has_begun();
        stream.result()?;
        self.is_open = has_begun;
        match end {
            Ok(End::Open) => Ok(()),
            Ok(End::Closed) => self.close(output),
            Err(error) if has_begun => {
                self.remark(&format!("the search has failed: {error:#}"));
                self.close(output)
            }
            Err(error) => write(output, &failure(&error).framed(request.id)),
        }
    }

    fn respond(&mut self, request: &Request) -> Response {
        if !self.is_at_terminal {
            return self.respond_to_program(request);
        }
        terminal::answer(request).unwrap_or_else(|| {
            let request = terminal::meant(request);
            terminal::with_usage(self.respond_to_program(&request), &request.name)
        })
    }

    fn respond_to_program(&mut self, request: &Request) -> Response {
        let Some(command) = commands::find(&request.name, self.searches()) else {
            return Response::failure("unknown command");
        };
        let arguments = Arguments::of(request);
        if !command.arity.contains(&arguments.len()) {
            return Response::failure("syntax error");
        }
        match (command.run)(self, &arguments) {
            Ok(text) => Response::Success(text),
            Err(error) => failure(&error),
        }
    }
}

fn failure(error: &anyhow::Error) -> Response {
    Response::Failure(shortened(&format!("{error:#}")))
}

/// A message without what is too long to be read, such as an argument it quotes.
fn shortened(message: &str) -> String {
    message.chars().take(LONGEST_MESSAGE).collect()
}
