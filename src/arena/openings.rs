//! Openings: fixed first moves of games.

use anyhow::{Context, ensure};

use super::contest::Conditions;
use crate::go::record::GameRecord;
use crate::go::{Color, Move, Position};

/// The first moves of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// Name in reports; empty for the empty board.
    pub name: String,
    /// The moves in order; handicap stones are consecutive black moves.
    pub moves: Vec<(Color, Move)>,
}

impl Opening {
    /// Parses vertices separated by blanks, alternating from Black on.
    pub fn parse(name: &str, text: &str) -> anyhow::Result<Opening> {
        let colors = Color::BOTH.into_iter().cycle();
        let moves = text
            .split_whitespace()
            .zip(colors)
            .map(|(vertex, color)| match vertex.parse() {
                Ok(mv) => Ok((color, mv)),
                Err(error) => Err(anyhow::anyhow!("'{vertex}': {error}")),
            })
            .collect::<anyhow::Result<_>>()?;
        Ok(Opening {
            name: name.to_owned(),
            moves,
        })
    }

    /// The first moves of a record, at most `moves` besides setup stones. Setup stones come first,
    /// those of the color to move before the others, so that the turn is right.
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

    /// The moves as text, each preceded by its color: `BQ16 WD4`.
    pub fn text(&self) -> String {
        moves_text(&self.moves)
    }

    /// The position after the moves. Fails if a move is illegal or the game is over.
    pub fn position(&self, conditions: &Conditions) -> anyhow::Result<Position> {
        let mut position = Position::new(conditions.size, conditions.rules, conditions.komi);
        for (index, &(color, mv)) in self.moves.iter().enumerate() {
            position
                .play_reported(color, mv)
                .with_context(|| format!("move {}, {color} {mv}", index + 1))?;
        }
        ensure!(!position.is_over(), "the game is already over");
        Ok(position)
    }
}

/// Moves as text, each preceded by its color: `BQ16 WD4`.
pub fn moves_text(moves: &[(Color, Move)]) -> String {
    let text = |(color, mv): &(Color, Move)| format!("{}{mv}", color.letter());
    moves.iter().map(text).collect::<Vec<_>>().join(" ")
}

/// Parses the output of [`moves_text`].
pub fn moves_of_text(text: &str) -> Option<Vec<(Color, Move)>> {
    let mv = |word: &str| {
        let (_, vertex) = word.split_at_checked(1)?;
        let color = Color::BOTH
            .into_iter()
            .find(|it| word.starts_with(it.letter()))?;
        Some((color, vertex.parse().ok()?))
    };
    text.split_whitespace().map(mv).collect()
}
