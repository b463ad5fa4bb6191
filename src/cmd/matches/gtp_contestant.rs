//! A GTP engine as a contestant of a match.

use std::time::Duration;

use anyhow::Context;

use crate::arena::contest::Conditions;
use crate::arena::contestant::{Answer, Contestant, Fault, Opinion};
use crate::clock::TimeLeft;
use crate::go::{BoardSize, Color, Move};
use crate::gtp::client::{Client, ClientError};
use crate::gtp::controller::GeneratedMove;

/// How long an engine may take to end after `quit`.
const QUIT_TIMEOUT: Duration = Duration::from_secs(3);

/// How long engines are waited for.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For commands that need no thought, and for the first answer of a new process.
    pub command: Duration,
    /// For a move without time limit.
    pub genmove: Duration,
}

/// An engine that is started by a command line, and again when it is lost.
pub struct GtpContestant {
    command_line: String,
    patience: Patience,
    client: Client,
    name: String,
    size: BoardSize,
}

impl GtpContestant {
    /// Starts the engine and asks its name.
    pub fn new(command_line: &str, patience: Patience) -> anyhow::Result<GtpContestant> {
        let (client, name) = start_engine(command_line, patience)?;
        let (command_line, size) = (command_line.to_owned(), BoardSize::square(19));
        Ok(GtpContestant {
            command_line,
            patience,
            client,
            name,
            size,
        })
    }

    fn prepare(&mut self, conditions: &Conditions) -> Result<(), ClientError> {
        let client = &mut self.client;
        client.boardsize(conditions.size)?;
        client.clear_board()?;
        if client.supports("kata-set-rules")? {
            client.send(&format!("kata-set-rules {}", conditions.rules_text))?;
        }
        if let Some(visits) = conditions.visits {
            client.send(&format!("kata-set-param maxVisits {visits}"))?;
        }
        client.komi(conditions.komi.points())?;
        client.time_control(conditions.time)
    }
}

impl Contestant for GtpContestant {
    fn name(&self) -> &str {
        &self.name
    }

    fn start(&mut self, conditions: &Conditions) -> anyhow::Result<()> {
        self.size = conditions.size;
        match self.prepare(conditions) {
            // The engine is gone, perhaps since the last game.
            Err(
                ClientError::Exited { .. }
                | ClientError::TimedOut { .. }
                | ClientError::OutOfTurn { .. },
            ) => {
                (self.client, self.name) = start_engine(&self.command_line, self.patience)?;
                Ok(self.prepare(conditions)?)
            }
            result => Ok(result?),
        }
    }

    fn play(&mut self, color: Color, made: Move) -> Result<(), Fault> {
        self.client.play(color, made).map_err(fault)
    }

    fn tell_time(&mut self, color: Color, left: TimeLeft) -> Result<(), Fault> {
        if self.client.supports("time_left").map_err(fault)? {
            self.client.time_left(color, left).map_err(fault)?;
        }
        Ok(())
    }

    fn genmove(&mut self, color: Color, limit: Option<Duration>) -> Result<Answer, Fault> {
        match self
            .client
            .genmove(color, limit.unwrap_or(self.patience.genmove))
        {
            Ok((GeneratedMove::Move(made), _)) => Ok(Answer::Move(made)),
            Ok((GeneratedMove::Resign, _)) => Ok(Answer::Resign),
            Err(ClientError::Malformed { text, .. }) => Ok(Answer::Nonsense(text)),
            Err(error) => Err(fault(error)),
        }
    }

    /// An engine that cannot say has no opinion.
    fn opinion(&mut self) -> Opinion {
        let can = |client: &mut Client, command| client.supports(command).unwrap_or(false);
        let mut opinion = Opinion::default();
        let patience = self.patience.genmove;
        if can(&mut self.client, "final_status_list") {
            let points = self.client.dead_stones(patience).ok();
            opinion.dead = points
                .filter(|points| points.iter().all(|&point| self.size.contains(point)))
                .map(|points| points.into_iter().collect());
        }
        if opinion.dead.is_none() && can(&mut self.client, "final_score") {
            opinion.lead_black = self.client.final_score(patience).ok().flatten();
        }
        opinion
    }
}

impl Drop for GtpContestant {
    fn drop(&mut self) {
        self.client.quit(QUIT_TIMEOUT);
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
