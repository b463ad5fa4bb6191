//! The engine's side of the protocol: the state that commands work on, and the way from an input
//! line to the framed response.

use std::time::Instant;

use anyhow::Result;

use super::arguments::Arguments;
use super::clock::Clocks;
use super::commands;
use super::judge::Judge;
use super::protocol::{Line, Request, Response};
use super::thinker::Thinker;
use crate::go::{BoardSize, Color, Komi, Position, Rules};

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

/// A game, its clocks, and somebody who thinks about it.
pub struct Engine {
    pub(super) thinker: Box<dyn Thinker>,
    pub(super) identity: Identity,
    pub(super) position: Position,
    pub(super) clocks: Clocks,
    /// The last ownership asked for and the key of its position: dead stones and score must
    /// come from the same judgement.
    pub(super) judged: Option<(u128, Vec<f32>)>,
    pub(super) started: Instant,
    pub(super) is_quit: bool,
}

impl Engine {
    /// An engine with an empty board. Size, rules and komi hold until commands change them.
    pub fn new(
        thinker: Box<dyn Thinker>,
        identity: Identity,
        size: BoardSize,
        rules: Rules,
        komi: Komi,
    ) -> Engine {
        Engine {
            thinker,
            identity,
            position: Position::new(size, rules, komi),
            clocks: Clocks::unlimited(),
            judged: None,
            started: Instant::now(),
            is_quit: false,
        }
    }

    /// The game as it stands.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Whether `quit` was answered.
    pub fn is_quit(&self) -> bool {
        self.is_quit
    }

    /// Carries out one input line, with or without its end; the whole framed response, or none
    /// for a line that is not answered.
    pub fn handle(&mut self, line: &[u8]) -> Option<String> {
        self.handle_line(&Line::parse(line))
    }

    /// As [`Engine::handle`], for a line already read.
    pub fn handle_line(&mut self, line: &Line) -> Option<String> {
        match line {
            Line::Request(request) => Some(self.respond(request).framed(request.id)),
            Line::TooLong { id } => Some(Response::failure("line too long").framed(*id)),
            Line::Nothing | Line::Interrupt => None,
        }
    }

    /// Who judges positions in which this color is to move.
    pub(super) fn judge(&mut self, mover: Color) -> Result<&Judge> {
        let service = self.thinker.service_mut();
        service.begin(mover)?;
        Ok(service.judge())
    }

    fn respond(&mut self, request: &Request) -> Response {
        let Some(command) = commands::find(&request.name) else {
            return Response::failure("unknown command");
        };
        let arguments = Arguments::of(request);
        if !command.arity.contains(&arguments.len()) {
            return Response::failure("syntax error");
        }
        match (command.run)(self, &arguments) {
            Ok(text) => Response::Success(text),
            Err(error) => Response::Failure(shortened(&format!("{error:#}"))),
        }
    }
}

/// A message without what is too long to be read, such as an argument it quotes.
fn shortened(message: &str) -> String {
    message.chars().take(LONGEST_MESSAGE).collect()
}
