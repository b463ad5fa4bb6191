//! Evaluation without a network: random games from the position, and a policy that is uniform
//! over the moves a random game would consider, or that of the games if it is learned.

use std::sync::Arc;

use anyhow::Result;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::go::{code, side};
use super::rollout::{Rollout, RolloutPolicy, is_eye};
use super::rollout_policy::{Recent, Tables, built_in};
use crate::go::point::POINTS;
use crate::go::{Move, Point, Position};
use crate::params::parameters;
use crate::search::evaluator::{Evaluation, Evaluator, PlayedOut, Request};

parameters! {
    /// How positions are evaluated by random games.
    RolloutParams;

    /// Rollouts for each evaluation.
    rollouts: u32 = 1, 1 => 1e6;
    /// Rollout policy: `uniform`, `light`, which looks for answers to the last move, or `learned` from game
    /// records.
    policy as "rolloutPolicy": RolloutPolicy = RolloutPolicy::Uniform, 0 => 0;
}

/// Plays rollouts. The same position always gets the same answer, by the learned policy after the same two
/// moves: its key seeds the games.
#[derive(Debug)]
pub struct RolloutEvaluator {
    params: RolloutParams,
    /// None for that of the program, which is read when it is needed.
    learned: Option<Arc<Tables>>,
    seed: u64,
}

impl RolloutEvaluator {
    /// `rollouts` games for each evaluation, at least one; `seed` varies them.
    pub fn new(rollouts: u32, seed: u64) -> RolloutEvaluator {
        let rollouts = rollouts.max(1);
        RolloutEvaluator::with_params(
            RolloutParams {
                rollouts,
                ..RolloutParams::default()
            },
            seed,
        )
    }

    /// Games by these parameters.
    pub fn with_params(params: RolloutParams, seed: u64) -> RolloutEvaluator {
        RolloutEvaluator {
            params,
            learned: None,
            seed,
        }
    }

    /// The same with this learned policy, or that of the program.
    #[must_use]
    pub fn with_learned(self, learned: Option<Arc<Tables>>) -> RolloutEvaluator {
        RolloutEvaluator { learned, ..self }
    }

    fn learned(&self) -> Arc<Tables> {
        self.learned.clone().unwrap_or_else(built_in)
    }

    /// A game not yet begun.
    fn rollout(&self, position: &Position) -> Rollout {
        let rollout = Rollout::new(position.board(), position.to_move());
        match self.params.policy {
            RolloutPolicy::Learned => rollout.after(recent(position)).with_learned(self.learned()),
            policy => rollout.with_policy(policy),
        }
    }

    fn evaluate_one(&self, request: &Request<Position>) -> Evaluation {
        let params = self.params;
        let position = &request.position;
        let size = position.size();
        let mut rng = ChaCha8Rng::seed_from_u64(position.key() as u64 ^ self.seed);
        let mut rollout = self.rollout(position);
        if request.wants_games {
            rollout = rollout.with_log();
        }
        let policy = match params.policy {
            RolloutPolicy::Learned => learned_policy(position, &rollout.probabilities()),
            _ => sensible_policy(position, PassPolicy::ToEnd),
        };
        let mut tally = Tally::default();
        let mut games = Vec::new();
        let mut owned = vec![
            0i32;
            if request.wants_ownership {
                size.area()
            } else {
                0
            }
        ];
        let sign = f32::from(position.to_move().sign());
        let komi = (position.komi().half() + position.bonus_half()) as f32 / 2.0;
        for game in 0..params.rollouts {
            if game > 0 {
                rollout.reset(position.board(), position.to_move());
            }
            rollout.finish(&mut rng);
            let lead = rollout.black_area_lead() as f32 - komi;
            tally.add(lead);
            if request.wants_games {
                games.push(played_out(&rollout, sign * result_of(lead)));
            }
            for (owner, point) in owned.iter_mut().zip(size.points()) {
                *owner += rollout
                    .owner(point)
                    .map_or(0, |color| i32::from(color.sign()));
            }
        }
        let count = params.rollouts as f32;
        let mean = tally.sum / count;
        Evaluation {
            guide: Vec::new(),
            policy,
            is_certain: false,
            win_loss: sign * tally.wins / count,
            no_result: 0.0,
            score_mean: sign * mean,
            score_stdev: (tally.sum_of_squares / count - mean * mean).max(0.0).sqrt(),
            lead: sign * mean,
            errors: None,
            ownership: owned
                .iter()
                .map(|&owner| sign * owner as f32 / count)
                .collect(),
            games,
        }
    }
}

impl Evaluator<Position> for RolloutEvaluator {
    fn evaluate(&self, requests: &[Request<Position>]) -> Result<Vec<Evaluation>> {
        Ok(requests.iter().map(|r| self.evaluate_one(r)).collect())
    }

    fn fingerprint(&self, _: bool) -> u64 {
        let RolloutParams { rollouts, policy } = self.params;
        let learned = match policy {
            RolloutPolicy::Learned => self.learned().fingerprint() << 16,
            _ => 0,
        };
        learned ^ (u64::from(rollouts) << 8 | policy as u64)
    }
}

/// The last two moves of a position's history.
fn recent(position: &Position) -> Recent {
    let mut moves = position.moves().rev().map(|(_, mv)| mv.point());
    Recent {
        last: moves.next().flatten(),
        before: moves.next().flatten(),
        vital: None,
    }
}

fn played_out(rollout: &Rollout, win_loss: f32) -> PlayedOut {
    let moves = rollout.first_moves().iter();
    PlayedOut {
        win_loss,
        moves: moves
            .map(|&(color, point)| (side(color), code(Move::Play(point))))
            .collect(),
    }
}

/// Black's result by its lead.
fn result_of(black_lead: f32) -> f32 {
    if black_lead == 0.0 {
        0.0
    } else {
        black_lead.signum()
    }
}

/// Results of random games, seen by Black.
#[derive(Default)]
struct Tally {
    wins: f32,
    sum: f32,
    sum_of_squares: f32,
}

impl Tally {
    fn add(&mut self, black_lead: f32) {
        self.wins += result_of(black_lead);
        self.sum += black_lead;
        self.sum_of_squares += black_lead * black_lead;
    }
}

/// When a sensible player thinks of passing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassPolicy {
    /// When nothing else is left.
    AtLast,
    /// Also when it would end the game, so that a search may find out whether that wins.
    ToEnd,
}

/// The same probability for each legal move that fills no eye of the mover's own, in the order of
/// the legal moves.
pub fn sensible_policy(position: &Position, pass: PassPolicy) -> Vec<f32> {
    let color = position.to_move();
    let is_sensible = |mv: Move| match mv {
        Move::Play(point) => !is_eye(position.board(), point, color),
        Move::Pass => pass == PassPolicy::ToEnd && position.pass_would_end_phase(),
    };
    let moves = position.legal_moves();
    let mut policy: Vec<f32> = moves
        .map(|mv| f32::from(u8::from(is_sensible(mv))))
        .collect();
    let sensible: f32 = policy.iter().sum();
    if sensible == 0.0 {
        let last = policy.last_mut().expect("passing is always legal");
        *last = 1.0;
    }
    policy
        .iter_mut()
        .for_each(|share| *share /= sensible.max(1.0));
    policy
}

/// The probabilities of points in the order of the legal moves; that of a pass is as in [`sensible_policy`].
fn learned_policy(position: &Position, probabilities: &[(Point, f32)]) -> Vec<f32> {
    let mut policy = sensible_policy(position, PassPolicy::ToEnd);
    let mut by_point = [0.0; POINTS];
    for &(point, probability) in probabilities {
        by_point[point.raw()] = probability;
    }
    let pass = policy.last().copied().unwrap_or(0.0);
    for (mv, share) in position.legal_moves().zip(&mut policy) {
        if let Move::Play(point) = mv
            && *share > 0.0
        {
            *share = (1.0 - pass) * by_point[point.raw()];
        }
    }
    // Superko forbids moves that rollouts play.
    let total: f32 = policy.iter().sum();
    match total > 0.0 {
        true => policy.iter_mut().for_each(|share| *share /= total),
        false => return sensible_policy(position, PassPolicy::ToEnd),
    }
    policy
}

/// Knows nothing but not to fill eyes: with its policy sampled, the random player.
#[derive(Clone, Copy, Debug, Default)]
pub struct SensibleEvaluator;

impl Evaluator<Position> for SensibleEvaluator {
    fn evaluate(&self, requests: &[Request<Position>]) -> Result<Vec<Evaluation>> {
        let evaluate = |request: &Request<Position>| Evaluation {
            policy: sensible_policy(&request.position, PassPolicy::AtLast),
            ..Evaluation::default()
        };
        Ok(requests.iter().map(evaluate).collect())
    }
}
