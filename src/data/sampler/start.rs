//! Starts of the teacher's games: an empty board, handicap stones, random moves, or a position of a
//! recorded game.

use anyhow::Result;
use rand::RngExt;

use crate::go::{BoardSize, Komi, Move, Rules};

use super::super::line::{Line, MoveCode};
use super::super::variety;
use super::game_sampler::GameSampler;

/// Probability of starting at a position of a recorded game, if there is one on such a board, ...
const FROM_GAME: f64 = 0.35;
/// ... within this fraction of its moves, ...
const GAME_PART: f64 = 0.8;
/// ... with handicap stones, ...
const HANDICAP: f64 = 0.15;
/// ... or with random moves.
const RANDOM: f64 = 0.25;

/// A start, and the source of the game it is taken from.
pub(super) struct Start {
    pub(super) line: Line,
    pub(super) source: u8,
    /// Komi of that game, if not the default.
    pub(super) komi: Option<Komi>,
}

impl GameSampler<'_> {
    pub(super) fn start(&mut self, size: BoardSize, rules: Rules) -> Result<Start> {
        let games = self.sampler.games_of(size);
        if !games.is_empty() && self.chance(FROM_GAME) {
            let game = self.pick(games);
            return Ok(self.place_in_game(game));
        }
        let mut line = Line::new(size);
        let mut komi = None;
        match self.rng.random::<f64>() {
            x if x < HANDICAP => {
                variety::set_handicap(&mut self.rng, &mut line);
                komi = Some(Komi::from_half(1));
            }
            x if x < HANDICAP + RANDOM => self.play_randomly(&mut line, rules)?,
            _ => {}
        }
        Ok(Start {
            line,
            source: self.sampler.collection.sources().len() as u8,
            komi,
        })
    }

    fn place_in_game(&mut self, game: usize) -> Start {
        let collection = self.sampler.collection;
        let mut line = collection.line(game);
        let known = collection.known(game);
        let last = (line.moves.len() as f64 * GAME_PART) as usize;
        line.moves.truncate(self.rng.random_range(0..=last));
        Start {
            line,
            source: known.source,
            komi: known.komi,
        }
    }

    fn play_randomly(&mut self, line: &mut Line, rules: Rules) -> Result<()> {
        let mut position = line.start(rules, Komi::default())?;
        for _ in 0..self.rng.random_range(2..=12) {
            let mut mv = self.any_move(&position);
            if mv == Move::Pass {
                mv = self.any_move(&position);
            }
            let code = MoveCode::new(line.size, position.to_move(), mv);
            position.play_unchecked(mv);
            if position.is_over() {
                break;
            }
            line.moves.push(code);
        }
        Ok(())
    }
}
