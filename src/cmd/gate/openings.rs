//! Openings for nets: their own moves, drawn from the policy, up to a balanced position.

use anyhow::Result;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::folder::opening_name;
use crate::arena::contest::Conditions;
use crate::arena::openings::Opening;
use crate::games::go::decode;
use crate::go::{Color, Move, Position};
use crate::nn::evaluator::NetEvaluator;
use crate::search::players::PolicyPlayer;

/// Minimal and maximal moves of an opening.
const MOVES: std::ops::RangeInclusive<usize> = 2..=8;
/// At least this many points of the board per move.
const POINTS_PER_MOVE: usize = 5;
/// Maximal lead of either side in a balanced position.
const BALANCED: f32 = 1.5;
/// Attempts to find a balanced opening; if none is, the best is used.
const TRIES: usize = 4;

/// Openings on a board, reproducible by the seed.
pub fn make(
    evaluator: &NetEvaluator,
    conditions: &Conditions,
    count: usize,
    seed: u64,
) -> Result<Vec<Opening>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut player = PolicyPlayer::new(1.0, random.random());
    let opening = |index: usize| {
        let name = opening_name(conditions.size, index);
        let mut best: Option<(f32, Opening)> = None;
        for _ in 0..TRIES {
            let most = (conditions.size.area() / POINTS_PER_MOVE).clamp(1, *MOVES.end());
            let len = random.random_range(most.min(*MOVES.start())..=most);
            let (lead, moves) = draw(evaluator, &mut player, conditions, len)?;
            if best.as_ref().is_none_or(|(known, _)| lead < *known) {
                let name = name.clone();
                best = Some((lead, Opening { name, moves }));
            }
            if lead <= BALANCED {
                break;
            }
        }
        Ok(best.map(|(_, opening)| opening).unwrap_or_default())
    };
    (0..count).map(opening).collect()
}

/// Some moves, and the absolute lead after them.
fn draw(
    evaluator: &NetEvaluator,
    player: &mut PolicyPlayer,
    conditions: &Conditions,
    len: usize,
) -> Result<(f32, Vec<(Color, Move)>)> {
    let mut position = Position::new(conditions.size, conditions.rules, conditions.komi);
    let mut moves = Vec::new();
    for _ in 0..len {
        let mv = decode(player.choose(evaluator, &position)?);
        if mv == Move::Pass {
            break;
        }
        moves.push((position.to_move(), mv));
        position.play_unchecked(mv);
    }
    let lead = evaluator.output(&position, false)?.lead.abs();
    Ok((if lead.is_nan() { f32::INFINITY } else { lead }, moves))
}
