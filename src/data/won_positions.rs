//! Positions with a known winner: the last position of game records with a result.

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, ensure};

use super::line::Line;
use super::sources::{self, GameFacts, Record};
use crate::go::{Color, GameResult, Position, Rules};

/// A position and its winner.
pub struct WonPosition {
    /// The file, and the line of a table.
    pub place: String,
    /// After all moves of the record.
    pub position: Position,
    /// By the record's result.
    pub winner: Color,
}

/// Reads game records as `keima label` does. Each must have a winner and playable moves; without
/// rules they are Chinese, without komi the default applies.
pub fn read(paths: &[PathBuf]) -> Result<Vec<WonPosition>> {
    let mut found = Vec::new();
    for file in sources::files(paths)? {
        sources::read(&file, &mut |record| found.push(of_record(record)))?;
    }
    let found: Vec<_> = found.into_iter().collect::<Result<_>>()?;
    ensure!(
        paths.is_empty() || !found.is_empty(),
        "there are no positions in {}",
        paths[0].display()
    );
    Ok(found)
}

fn of_record(record: Record) -> Result<WonPosition> {
    let (facts, line) = record.map_err(|skip| anyhow!("{}: {}", skip.detail, skip.reason))?;
    let of_game = of_game(&facts, &line);
    let (position, winner) = of_game.with_context(|| facts.place.clone())?;
    Ok(WonPosition {
        place: facts.place,
        position,
        winner,
    })
}

fn of_game(facts: &GameFacts, line: &Line) -> Result<(Position, Color)> {
    let winner = facts.result.and_then(GameResult::winner);
    let winner = winner.context("no winner is stated: its result must be B+ or W+")?;
    let rules = facts.rules.unwrap_or(Rules::CHINESE);
    let komi = facts.komi.unwrap_or_else(|| rules.usual_komi());
    Ok((line.position(line.moves.len(), &[], rules, komi)?, winner))
}
