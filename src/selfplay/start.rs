//! Starts of games: board, rules, handicap, moves drawn from the policy, komi; or a position of an
//! earlier game.

use anyhow::{Context, Result};
use rand::RngExt;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand_chacha::ChaCha8Rng;
use rand_distr::Exp1;

use crate::data::line::{Line, MoveCode};
use crate::data::sampler::is_fit;
use crate::data::variety::{self, KomiBasis};
use crate::go::{BoardSize, Komi, Move, Position, Rules};
use crate::search::evaluator::{Evaluator, Request};

use super::params::SelfplayParams;

/// Probability that a fork is near the start of the earlier game, ...
const EARLY_FORK: f64 = 0.8;
/// ... within this fraction of its moves.
const EARLY_PART: f64 = 0.2;
/// Power of the policy for the first move after a fork, so that it tends to differ.
const FORK_TEMPERATURE: f32 = 2.0;
/// Probability that komi compensates for the opening.
const COMPENSATED: f64 = 0.35;
/// Fraction of a human game in which self-play may start: little can be learned from later
/// positions.
const OPEN_PART: f64 = 0.7;

/// The start of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// Board, stones, and moves before the first search.
    pub line: Line,
    /// Rule set.
    pub rules: Rules,
    /// Komi.
    pub komi: Komi,
}

impl Start {
    /// The position after the moves, with clean-up phases enabled.
    pub fn position(&self) -> Result<Position> {
        let moves = self.line.moves.len();
        let mut position = self.line.position(moves, &[], self.rules, self.komi)?;
        position.allow_encore(true);
        Ok(position)
    }
}

/// Sets up games with an evaluator.
pub struct Starter<'a> {
    /// Source of policy and lead.
    pub evaluator: &'a dyn Evaluator<Position>,
    /// Probabilities.
    pub params: &'a SelfplayParams,
}

impl Starter<'_> {
    /// A random start on a board of this size.
    pub fn begin(&self, size: BoardSize, rng: &mut ChaCha8Rng) -> Result<Start> {
        let rules = variety::rules(rng, None);
        let mut line = Line::new(size);
        if rng.random_bool(self.params.handicap) {
            variety::set_handicap(rng, &mut line);
        }
        let mut start = Start {
            line,
            rules,
            komi: rules.usual_komi(),
        };
        start.komi = self.even_komi(&start.position()?, rng)?;
        let drawn: f64 = Exp1.sample(rng);
        let moves = (drawn * self.params.opening * size.area() as f64) as usize;
        self.draw_moves(&mut start, moves.min(size.area() / 4), rng)?;
        if !start.line.moves.is_empty() && rng.random_bool(COMPENSATED) {
            start.komi = self.even_komi(&start.position()?, rng)?;
        }
        Ok(start)
    }

    /// A game that forks from an earlier one.
    pub fn fork(&self, earlier: &Start, rng: &mut ChaCha8Rng) -> Result<Start> {
        let mut start = earlier.clone();
        let moves = start.line.moves.len();
        let reach = match rng.random_bool(EARLY_FORK) {
            true => (moves as f64 * EARLY_PART) as usize,
            false => moves,
        };
        start.line.moves.truncate(rng.random_range(0..=reach));
        let position = start.position()?;
        if !is_fit(&position) {
            start.line.moves.clear();
            return Ok(start);
        }
        let mv = self.draw(&position, FORK_TEMPERATURE, rng)?;
        let code = MoveCode::new(position.size(), position.to_move(), mv);
        if mv != Move::Pass {
            start.line.moves.push(code);
        }
        Ok(start)
    }

    /// A game that starts at a position of a human game, with komi that makes it even.
    pub fn at_game(&self, line: Line, rng: &mut ChaCha8Rng) -> Result<Start> {
        let rules = variety::rules(rng, None);
        let mut start = Start {
            line,
            rules,
            komi: rules.usual_komi(),
        };
        let moves = &mut start.line.moves;
        moves.truncate(rng.random_range(0..=(moves.len() as f64 * OPEN_PART) as usize));
        if !is_fit(&start.position()?) {
            start.line.moves.clear();
        }
        start.komi = self.even_komi(&start.position()?, rng)?;
        Ok(start)
    }

    /// Plays moves drawn from the policy, until a pass.
    fn draw_moves(&self, start: &mut Start, moves: usize, rng: &mut ChaCha8Rng) -> Result<()> {
        let mut position = start.position()?;
        for _ in 0..moves {
            let mv = self.draw(&position, 1.0, rng)?;
            if mv == Move::Pass {
                break;
            }
            let code = MoveCode::new(position.size(), position.to_move(), mv);
            position.play_unchecked(mv);
            start.line.moves.push(code);
        }
        Ok(())
    }

    fn draw(&self, position: &Position, temperature: f32, rng: &mut ChaCha8Rng) -> Result<Move> {
        let request = Request::root(position.clone());
        let policy = self.evaluator.evaluate_one(request)?.policy;
        drawn(position, &policy, temperature, rng)
    }

    fn even_komi(&self, position: &Position, rng: &mut ChaCha8Rng) -> Result<Komi> {
        let answer = self
            .evaluator
            .evaluate_one(Request::root(position.clone()))?;
        let sign = f32::from(position.to_move().sign());
        let basis = KomiBasis {
            size: position.size(),
            nominal: position.rules().usual_komi(),
            lead_black: Some(sign * answer.lead + position.komi().points()),
        };
        Ok(variety::even_komi(rng, basis))
    }
}

/// A move drawn from a policy.
pub(super) fn drawn(
    position: &Position,
    policy: &[f32],
    temperature: f32,
    rng: &mut ChaCha8Rng,
) -> Result<Move> {
    let moves: Vec<Move> = position.legal_moves().collect();
    let weight = |&p: &f32| p.max(0.0).powf(1.0 / temperature);
    let drawn = WeightedIndex::new(policy.iter().map(weight));
    // Of the moves, only the pass, the last one, is surely legal.
    let index = drawn.map_or(moves.len() - 1, |drawn| drawn.sample(rng));
    moves.get(index).copied().context("a policy of other moves")
}
