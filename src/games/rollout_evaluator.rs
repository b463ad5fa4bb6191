//! Evaluation without a network: random games from the position, and a policy that is uniform
//! over the moves a random game would consider.

use anyhow::Result;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::go::{code, side};
use super::rollout::{Rollout, RolloutPolicy, is_eye};
use crate::go::{Move, Position};
use crate::params::parameters;
use crate::search::evaluator::{Evaluation, Evaluator, PlayedOut, Request};

parameters! {
    /// How positions are evaluated by random games.
    RolloutParams;

    /// Rollouts for each evaluation.
    rollouts: u32 = 1, 1 => 1e6;
    /// Rollout policy: `uniform`, or `light`, which looks for answers to the last move.
    policy as "rolloutPolicy": RolloutPolicy = RolloutPolicy::Uniform, 0 => 0;
}

/// Plays random games. The same position always gets the same answer: its key seeds the games.
#[derive(Debug)]
pub struct RolloutEvaluator {
    params: RolloutParams,
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
        RolloutEvaluator { params, seed }
    }

    fn evaluate_one(&self, request: &Request<Position>) -> Evaluation {
        let params = self.params;
        let position = &request.position;
        let size = position.size();
        let mut rng = ChaCha8Rng::seed_from_u64(position.key() as u64 ^ self.seed);
        let rollout = Rollout::new(position.board(), position.to_move());
        let mut rollout = rollout.with_policy(params.policy);
        if request.wants_games {
            rollout = rollout.with_log();
        }
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
            policy: sensible_policy(position, PassPolicy::ToEnd),
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
        u64::from(rollouts) << 8 | policy as u64
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
