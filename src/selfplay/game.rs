//! One game of a player against itself, searched move by move until the rules say who has won.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::data::line::{Line, MoveCode};
use crate::data::sampler::is_fit;
use crate::games::go::decode;
use crate::games::root_bonus::GoBonus;
use crate::go::area::scored_area;
use crate::go::score::{Count, settled};
use crate::go::{Color, Move, PointSet, Position};
use crate::search::evaluator::{Evaluation, Evaluator};
use crate::search::game::Game;
use crate::search::limits::Limits;
use crate::search::mcts::Search;
use crate::search::report::Report;

use super::params::SelfplayParams;
use super::start::{Start, evaluation};

/// Moves in a row for which one side must be far ahead for a game to be decided.
const DECIDED_TURNS: usize = 5;

/// What a position is worth to Black.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GameValue {
    /// Probability of winning less probability of losing.
    pub win_loss: f64,
    /// Probability of no result.
    pub no_result: f64,
    /// Final score in points.
    pub score: f64,
    /// Points that would have to be given away to make the game even.
    pub lead: f64,
}

/// A search.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Moves of the line before it.
    pub ply: usize,
    /// Who was to move.
    pub to_move: Color,
    /// What the search has found.
    pub value: GameValue,
    /// What the evaluator alone had said.
    pub raw: GameValue,
    /// What there is to learn, if there is something.
    pub policy_target: Option<PolicyTarget>,
}

/// A policy that is better than the evaluator's.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyTarget {
    /// Probabilities of the points row by row and the pass; -1 for illegal moves.
    pub policy: Vec<f32>,
    /// How much it counts.
    pub weight: f64,
    /// How far it is from the evaluator's policy: the Kullback-Leibler divergence in nats.
    pub surprise: f64,
}

/// A finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// How it began.
    pub start: Start,
    /// All of its moves, those of the clean-up phases included.
    pub line: Line,
    /// Moves before the clean-up phases.
    pub proper: usize,
    /// The searches.
    pub turns: Vec<Turn>,
    /// How it ended.
    pub end: GameValue,
    /// Owners of the points in the end, row by row.
    pub ownership: Vec<Option<Color>>,
    /// Whether it was broken off and counted as it stood.
    pub is_cut: bool,
    /// From which move on it counted as decided first, and for whom: where the other side would have
    /// resigned.
    pub decided: Option<(usize, Color)>,
}

/// Plays games by an evaluator.
pub struct Table<'a> {
    /// Who evaluates.
    pub evaluator: &'a dyn Evaluator<Position>,
    /// How the game is played.
    pub params: &'a SelfplayParams,
    /// Set from outside when games shall be given up.
    pub stop: &'a AtomicBool,
}

impl Table<'_> {
    /// Plays a game to the end; none if it was given up.
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
            let Some((turn, made)) =
                self.turn(&position, line.moves.len(), ahead.is_some(), rng)?
            else {
                return Ok(None);
            };
            turns.push(turn);
            let code = MoveCode::new(position.size(), position.to_move(), made);
            line.moves.push(code);
            position.play_unchecked(made);
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

    /// Searches a position and chooses a move; none if it is to stop.
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
        let raw = evaluation(self.evaluator, position)?;
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

    /// Who has been far ahead for some moves. Games go on all the same.
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

/// The visits that the search would still make, as probabilities.
fn policy_target(
    position: &Position,
    report: &Report,
    raw: &Evaluation,
    weight: f64,
) -> PolicyTarget {
    let size = position.size();
    let index = |made: Move| made.point().map_or(size.area(), |point| size.index(point));
    let mut policy = vec![-1.0; size.area() + 1];
    let mut prior = vec![0.0; size.area() + 1];
    for (made, &p) in position.legal_moves().zip(&raw.policy) {
        policy[index(made)] = 0.0;
        prior[index(made)] = p;
    }
    // A search of one visit has tried no move.
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
    let outcome = position.outcome();
    if outcome.is_some_and(|outcome| outcome.no_result) {
        return GameValue {
            no_result: 1.0,
            ..GameValue::default()
        };
    }
    let score = f64::from(settled(position).lead_black());
    GameValue {
        win_loss: if score == 0.0 { 0.0 } else { score.signum() },
        no_result: 0.0,
        score,
        lead: score,
    }
}

fn ownership(position: &Position) -> Vec<Option<Color>> {
    let rules = position.rules();
    let map = match scored_area(position, rules.suicide) {
        Some(scored) => scored.map,
        None => Count::new(position.board(), &PointSet::EMPTY, rules.tax).owner,
    };
    let size = position.size();
    (0..size.area())
        .map(|index| map.owner(size.point_at(index)))
        .collect()
}
