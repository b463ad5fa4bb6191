//! A GTP engine as a contestant of a match.

use std::time::Duration;

use anyhow::Context;

use crate::arena::contest::Conditions;
use crate::arena::contestant::{Contestant, Fault, Opinion};
use crate::clock::TimeLeft;
use crate::formats::rules_json;
use crate::go::{Answer, BoardSize, Color, Move};
use crate::gtp::client::{Client, ClientError};
use crate::gtp::controller::Connection;

/// Timeouts.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For commands without a search, and for the first answer of a new process.
    pub command: Duration,
    /// For a move without time limit.
    pub genmove: Duration,
}

/// An engine; one with a command line is restarted after it has exited.
pub struct GtpContestant {
    command_line: Option<String>,
    patience: Patience,
    engine: Box<dyn Connection>,
    name: String,
    size: BoardSize,
}

impl GtpContestant {
    /// Starts an engine and requests its name.
    pub fn new(command_line: &str, patience: Patience) -> anyhow::Result<GtpContestant> {
        let (client, name) = start_engine(command_line, patience)?;
        Ok(GtpContestant {
            command_line: Some(command_line.to_owned()),
            patience,
            engine: Box::new(client),
            name,
            size: BoardSize::square(19),
        })
    }

    /// With a running engine that cannot be restarted.
    pub fn over(
        mut engine: Box<dyn Connection>,
        patience: Patience,
    ) -> anyhow::Result<GtpContestant> {
        Ok(GtpContestant {
            command_line: None,
            patience,
            name: engine.identity()?,
            engine,
            size: BoardSize::square(19),
        })
    }

    fn prepare(&mut self, conditions: &Conditions) -> Result<(), ClientError> {
        let engine = &mut self.engine;
        engine.boardsize(conditions.size)?;
        engine.clear_board()?;
        if engine.supports("kata-set-rules")? {
            let rules = rules_json::text(&conditions.rules);
            engine.send(&format!("kata-set-rules {rules}"))?;
        }
        if let Some(visits) = conditions.visits {
            engine.send(&format!("kata-set-param maxVisits {visits}"))?;
        }
        engine.komi(conditions.komi.points())?;
        engine.time_control(conditions.time)
    }
}

impl Contestant for GtpContestant {
    fn name(&self) -> &str {
        &self.name
    }

    fn start(&mut self, conditions: &Conditions) -> anyhow::Result<()> {
        self.size = conditions.size;
        match (self.prepare(conditions), &self.command_line) {
            // The engine may have exited since the last game.
            (
                Err(
                    ClientError::Exited { .. }
                    | ClientError::TimedOut { .. }
                    | ClientError::OutOfTurn { .. },
                ),
                Some(command_line),
            ) => {
                let (client, name) = start_engine(command_line, self.patience)?;
                (self.engine, self.name) = (Box::new(client), name);
                Ok(self.prepare(conditions)?)
            }
            (result, _) => Ok(result?),
        }
    }

    fn play(&mut self, color: Color, mv: Move) -> Result<(), Fault> {
        self.engine.play(color, mv).map_err(fault)
    }

    fn tell_time(&mut self, color: Color, left: TimeLeft) -> Result<(), Fault> {
        if self.engine.supports("time_left").map_err(fault)? {
            self.engine.time_left(color, left).map_err(fault)?;
        }
        Ok(())
    }

    fn genmove(&mut self, color: Color, limit: Option<Duration>) -> Result<Answer, Fault> {
        match self
            .engine
            .genmove(color, limit.unwrap_or(self.patience.genmove))
        {
            Ok((answer, _)) => Ok(answer),
            Err(ClientError::Malformed { text, .. }) => Err(Fault::NotAMove(text)),
            Err(error) => Err(fault(error)),
        }
    }

    /// An engine without the command has no view.
    fn opinion(&mut self) -> Opinion {
        let can = |engine: &mut dyn Connection, command| engine.supports(command).unwrap_or(false);
        let mut opinion = Opinion::default();
        let patience = self.patience.genmove;
        if can(&mut *self.engine, "final_status_list") {
            let points = self.engine.dead_stones(patience).ok();
            opinion.dead = points
                .filter(|points| points.iter().all(|&point| self.size.contains(point)))
                .map(|points| points.into_iter().collect());
        }
        if opinion.dead.is_none() && can(&mut *self.engine, "final_score") {
            opinion.lead_black = self.engine.final_score(patience).ok().flatten();
        }
        opinion
    }
}

impl Drop for GtpContestant {
    fn drop(&mut self) {
        self.engine.quit();
    }
}

fn start_engine(command_line: &str, patience: Patience) -> anyhow::Result<(Client, String)> {
    let cannot_start = || format!("cannot start the engine '{command_line}'");
    let mut client = Client::spawn(command_line, patience.command).with_context(cannot_start)?;
    let name = client.identity().with_context(cannot_start)?;
    Ok((client, name))
}

fn fault(error: ClientError) -> Fault {
    match error {
        ClientError::Refused { .. }
        | ClientError::Malformed { .. }
        | ClientError::OutOfTurn { .. } => Fault::Refused(error.to_string()),
        ClientError::TimedOut { .. } => Fault::Silent,
        ClientError::Exited { details, .. } => Fault::Crashed(details),
    }
}
