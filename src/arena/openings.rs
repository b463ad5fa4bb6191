//! Openings: moves that are made for the contestants.

use std::path::Path;

use anyhow::{Context, ensure};

use super::contest::Conditions;
use crate::go::{Color, Move, Position};

/// Moves that a game begins with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// Where it comes from, for reports; empty for the empty board.
    pub name: String,
    /// The moves in order; handicap stones are black moves in a row.
    pub moves: Vec<(Color, Move)>,
}

impl Opening {
    /// Vertices separated by blanks, Black first, then by turns.
    pub fn parse(name: &str, text: &str) -> anyhow::Result<Opening> {
        let colors = Color::BOTH.into_iter().cycle();
        let moves = text
            .split_whitespace()
            .zip(colors)
            .map(|(vertex, color)| match vertex.parse() {
                Ok(made) => Ok((color, made)),
                Err(error) => Err(anyhow::anyhow!("'{vertex}': {error}")),
            })
            .collect::<anyhow::Result<_>>()?;
        Ok(Opening { name: name.to_owned(), moves })
    }

    /// Reads a file of openings. Blank lines and comments after `#` do not count.
    pub fn read_all(path: &Path) -> anyhow::Result<Vec<Opening>> {
        let text = std::fs::read_to_string(path)?;
        let mut openings = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if !line.is_empty() {
                let name = format!("line {}", index + 1);
                openings.push(Opening::parse(&name, line).with_context(|| name.clone())?);
            }
        }
        ensure!(!openings.is_empty(), "no openings in the file");
        Ok(openings)
    }

    /// The position it leads to. Fails if a move is illegal or the game is over.
    pub fn position(&self, conditions: &Conditions) -> anyhow::Result<Position> {
        let mut position = Position::new(conditions.size, conditions.rules, conditions.komi);
        for (index, &(color, made)) in self.moves.iter().enumerate() {
            position
                .play_reported(color, made)
                .with_context(|| format!("move {}, {color} {made}", index + 1))?;
        }
        ensure!(!position.is_over(), "the game is already over");
        Ok(position)
    }
}
