//! One game of self-play, with a search for each move until the rules end it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::data::line::{Line, MoveCode};
use crate::data::sampler::is_fit;
use crate::games::go::{decode, outcome_as_it_stands};
use crate::games::root_bonus::GoBonus;
use crate::go::area::scored_area;
use crate::go::count::Count;
use crate::go::{Color, Move, PointSet, Position};
use crate::search::evaluator::{Evaluation, Evaluator, Request};
use crate::search::limits::Limits;
use crate::search::mcts::Search;
use crate::search::report::Report;

use super::params::SelfplayParams;
use super::start::Start;

/// A game counts as decided after this many consecutive moves with one side far ahead.
const DECIDED_TURNS: usize = 5;

/// Black's value of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GameValue {
    /// Win less loss probability.
    pub win_loss: f64,
    /// Probability of no result.
    pub no_result: f64,
    /// Expected final score in points.
    pub score: f64,
    /// Lead in points: the komi change that would make the game even.
    pub lead: f64,
}

/// A searched move.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Moves of the line before it.
    pub ply: usize,
    /// Color to move.
    pub to_move: Color,
    /// Value by the search.
    pub value: GameValue,
    /// Value by the evaluator alone.
    pub raw: GameValue,
    /// Policy target, if the search is used for training.
    pub policy_target: Option<PolicyTarget>,
}

/// A policy target from a search.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyTarget {
    /// Probabilities of the points row by row and the pass; -1 for illegal moves.
    pub policy: Vec<f32>,
    /// Weight in training.
    pub weight: f64,
    /// Its Kullback-Leibler divergence from the evaluator's policy, in nats.
    pub surprise: f64,
}

/// A finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// Its start.
    pub start: Start,
    /// All moves, including clean-up phases.
    pub line: Line,
    /// Number of moves before the clean-up phases.
    pub proper: usize,
    /// The searches.
    pub turns: Vec<Turn>,
    /// The result.
    pub end: GameValue,
    /// Final ownership, row by row.
    pub ownership: Vec<Option<Color>>,
    /// Whether it was stopped at the move limit and scored as it stood.
    pub is_cut: bool,
    /// The first move from which it counted as decided, and for whom: the other side would have
    /// resigned.
    pub decided: Option<(usize, Color)>,
}

/// Plays games.
pub struct Table<'a> {
    /// Evaluator of the positions.
    pub evaluator: &'a dyn Evaluator<Position>,
    /// Settings of the games.
    pub params: &'a SelfplayParams,
    /// Set from outside to abandon games.
    pub stop: &'a AtomicBool,
}

impl Table<'_> {
    /// Plays a game to the end; none if it was abandoned.
    pub fn play(&self, start: Start, rng: &mut ChaCha8Rng) -> Result<Option<Played>> {
        let mut position = start.position()?;
        let mut line = start.line.clone();
        let mut turns: Vec<Turn> = Vec::new();
        let (mut proper, mut decided) = (None, None);
        let longest = (position.size().area() as f64 * self.params.longest) as usize;
        while !position.is_finished() && line.moves.len() < start.line.moves.len() + longest {
            let ahead = self.far_ahead(&turns);
            if let (Some(color), None) = (ahead, decided) {
                decided = Some((line.moves.len(), color));
            }
            let Some((turn, mv)) = self.turn(&position, line.moves.len(), ahead.is_some(), rng)?
            else {
                return Ok(None);
            };
            turns.push(turn);
            let code = MoveCode::new(position.size(), position.to_move(), mv);
            line.moves.push(code);
            position.play_unchecked(mv);
            if position.phase() > 0 {
                proper.get_or_insert(line.moves.len());
            }
        }
        Ok(Some(Played {
            start,
            proper: proper.unwrap_or(line.moves.len()),
            line,
            turns,
            end: end_of(&position),
            ownership: ownership(&position),
            is_cut: !position.is_finished(),
            decided,
        }))
    }

    /// Searches a position and chooses a move; none if the search was stopped.
    fn turn(
        &self,
        position: &Position,
        ply: usize,
        is_decided: bool,
        rng: &mut ChaCha8Rng,
    ) -> Result<Option<(Turn, Move)>> {
        let SelfplayParams {
            visits,
            fast_visits,
            ..
        } = *self.params;
        let is_fit = position.phase() == 0 && is_fit(position);
        let is_full = is_fit && rng.random_bool(self.params.full_share);
        let raw = self
            .evaluator
            .evaluate_one(Request::root(position.clone()))?;
        let area = position.size().area();
        let params = self.params.search(area, is_full, rng.random());
        let visits = match (is_full, is_decided) {
            (true, false) => visits,
            (true, true) => visits.div_ceil(3).max(fast_visits.min(visits)),
            (false, _) => fast_visits,
        };
        let mut search = Search::new(params).with_root_bonus(Arc::new(GoBonus::default()));
        search.set_root(position.clone());
        search.run(self.evaluator, &Limits::visits(visits.into()), self.stop)?;
        if self.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let report = search.report().context("the search found nothing")?;
        let chosen = search.choose(ply).context("the search chose no move")?;
        let weight = if is_decided {
            self.params.decided_weight
        } else {
            1.0
        };
        let turn = Turn {
            ply,
            to_move: position.to_move(),
            value: searched_value(&report),
            raw: raw_value(&raw, position.to_move()),
            policy_target: is_full.then(|| policy_target(position, &report, &raw, weight)),
        };
        Ok(Some((turn, decode(chosen))))
    }

    /// The side that has been far ahead for some moves. Games go on regardless.
    fn far_ahead(&self, turns: &[Turn]) -> Option<Color> {
        let first = turns.len().checked_sub(DECIDED_TURNS)?;
        let leads = |color: Color| {
            let mut values = turns[first..].iter().map(|turn| turn.value.win_loss);
            values.all(|value| f64::from(color.sign()) * value > self.params.decided)
        };
        Color::BOTH.into_iter().find(|&color| leads(color))
    }
}

fn searched_value(report: &Report) -> GameValue {
    let sign = report.to_move.sign();
    GameValue {
        win_loss: sign * report.win_loss,
        no_result: report.no_result,
        score: sign * report.score_mean,
        lead: sign * report.lead,
    }
}

fn raw_value(raw: &Evaluation, to_move: Color) -> GameValue {
    let sign = f64::from(to_move.sign());
    GameValue {
        win_loss: sign * f64::from(raw.win_loss),
        no_result: raw.no_result.into(),
        score: sign * f64::from(raw.score_mean),
        lead: sign * f64::from(raw.lead),
    }
}

/// The search's visit distribution.
fn policy_target(
    position: &Position,
    report: &Report,
    raw: &Evaluation,
    weight: f64,
) -> PolicyTarget {
    let size = position.size();
    let index = |mv: Move| size.move_index(mv);
    let mut policy = vec![-1.0; size.area() + 1];
    let mut prior = vec![0.0; size.area() + 1];
    for (mv, &p) in position.legal_moves().zip(&raw.policy) {
        policy[index(mv)] = 0.0;
        prior[index(mv)] = p;
    }
    // A search of one visit has no visited moves.
    let total: f64 = report.moves.iter().map(|it| it.selection_value).sum();
    let mut surprise = 0.0;
    for tried in &report.moves {
        let place = index(decode(tried.code));
        let share = tried.selection_value / total;
        if total > 0.0 && share > 0.0 {
            policy[place] = share as f32;
            surprise += share * (share / f64::from(prior[place]).max(1e-9)).ln();
        }
    }
    if total <= 0.0 {
        let legal = policy.iter_mut().zip(prior).filter(|(p, _)| **p >= 0.0);
        legal.for_each(|(p, prior)| *p = prior);
    }
    PolicyTarget {
        policy,
        weight,
        surprise: surprise.max(0.0),
    }
}

fn end_of(position: &Position) -> GameValue {
    let outcome = outcome_as_it_stands(position);
    GameValue {
        win_loss: outcome.win_loss.into(),
        no_result: f64::from(u8::from(outcome.no_result)),
        score: outcome.score.into(),
        lead: outcome.score.into(),
    }
}

fn ownership(position: &Position) -> Vec<Option<Color>> {
    let map = match scored_area(position, position.rules().suicide) {
        Some(scored) => scored.map,
        None => Count::of(position, &PointSet::EMPTY).owner,
    };
    let size = position.size();
    (0..size.area())
        .map(|index| map.owner(size.point_at(index)))
        .collect()
}
