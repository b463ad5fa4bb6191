//! Openings: moves that are made for the contestants.

use anyhow::{Context, ensure};

use super::contest::Conditions;
use crate::go::record::GameRecord;
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
        Ok(Opening {
            name: name.to_owned(),
            moves,
        })
    }

    /// The first moves of a record, at most `moves` besides stones set up, which come first: those
    /// of the color to move before the others, so that the turn is right.
    pub fn of_record(name: &str, record: &GameRecord, moves: usize) -> Opening {
        let setup = &record.setup;
        let stones_of = |color| setup.stones.iter().filter(move |stone| stone.1 == color);
        let stones = stones_of(setup.to_move).chain(stones_of(!setup.to_move));
        let placed = stones.map(|&(point, color)| (color, Move::Play(point)));
        let moves = placed
            .chain(record.moves.iter().take(moves).copied())
            .collect();
        Opening {
            name: name.to_owned(),
            moves,
        }
    }

    /// The moves as a text, each with its color before it: `BQ16 WD4`.
    pub fn text(&self) -> String {
        moves_text(&self.moves)
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

/// Moves, each with its color before it: `BQ16 WD4`.
pub fn moves_text(moves: &[(Color, Move)]) -> String {
    let text = |(color, made): &(Color, Move)| format!("{}{made}", color.letter());
    moves.iter().map(text).collect::<Vec<_>>().join(" ")
}

/// What [`moves_text`] has written; none if it has not.
pub fn moves_of_text(text: &str) -> Option<Vec<(Color, Move)>> {
    let made = |word: &str| {
        let (_, vertex) = word.split_at_checked(1)?;
        let color = Color::BOTH
            .into_iter()
            .find(|it| word.starts_with(it.letter()))?;
        Some((color, vertex.parse().ok()?))
    };
    text.split_whitespace().map(made).collect()
}
