//! Openings for nets: their own moves, drawn from the policy, up to a balanced position.

use std::collections::BTreeSet;

use anyhow::Result;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::folder::opening_name;
use crate::arena::contest::Conditions;
use crate::arena::openings::{Opening, moves_text};
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
/// Attempts to find a balanced opening that is new; if none is, the most balanced is used.
const TRIES: usize = 8;

/// Openings on a board, reproducible by the seed; the first ones do not depend on `count`.
pub fn make(
    evaluator: &NetEvaluator,
    conditions: &Conditions,
    count: usize,
    seed: u64,
) -> Result<Vec<Opening>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut player = PolicyPlayer::new(1.0, random.random());
    let mut seen = BTreeSet::new();
    let opening = |index: usize| {
        let name = opening_name(conditions.size, index);
        let mut best: Option<(f32, Opening)> = None;
        for _ in 0..TRIES {
            let most = (conditions.size.area() / POINTS_PER_MOVE).clamp(1, *MOVES.end());
            let len = random.random_range(most.min(*MOVES.start())..=most);
            let (mut lead, moves) = draw(evaluator, &mut player, conditions, len)?;
            if seen.contains(&moves_text(&moves)) {
                lead = f32::INFINITY;
            }
            if best.as_ref().is_none_or(|(known, _)| lead < *known) {
                let name = name.clone();
                best = Some((lead, Opening { name, moves }));
            }
            if lead <= BALANCED {
                break;
            }
        }
        let opening = best.map(|(_, opening)| opening).unwrap_or_default();
        seen.insert(moves_text(&opening.moves));
        Ok(opening)
    };
    (0..count).map(opening).collect()
}

/// Some moves, and the absolute lead after them; infinite after a pass, which nets that do not know a board may prefer.
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
            return Ok((f32::INFINITY, moves));
        }
        moves.push((position.to_move(), mv));
        position.play_unchecked(mv);
    }
    let lead = evaluator.output(&position, false)?.lead.abs();
    Ok((if lead.is_nan() { f32::INFINITY } else { lead }, moves))
}
