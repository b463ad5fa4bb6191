//! The root of a searching player: how it gets there, which moves are left out, and what depends on
//! the size of the board.

use anyhow::{Result, ensure};

use super::super::root_params::RootParams;
use crate::games::ending::Ending;
use crate::games::go::{code, decode};
use crate::go::{Move, Position};
use crate::search::evaluator::Evaluator;
use crate::search::game::MoveCode;
use crate::search::{Game, Restrictions};

/// Passes in a row after which an opponent is supposed to play no more (KataGo).
const USUAL_PASSES: usize = 4;

/// Moves that a search of this position is not to consider: what is forbidden and, if something
/// else is left, what is pointless.
pub(super) fn excluded(
    root: &Position,
    restrictions: &Restrictions,
    params: &RootParams,
) -> Result<Vec<MoveCode>> {
    let forbidden = forbidden(root, restrictions);
    let legal = root.legal_moves().count();
    ensure!(forbidden.len() < legal, "no legal move is allowed");
    let ending = Ending::new(root);
    let pointless = codes(&match params.prune_useless && opponent_has_done(root) {
        true => ending.settled_points(),
        false => ending.pointless(),
    });
    let is_new = |code: &MoveCode| root.is_legal(decode(*code)) && !forbidden.contains(code);
    let more: Vec<MoveCode> = pointless.iter().copied().filter(is_new).collect();
    if forbidden.len() + more.len() < legal {
        return Ok([forbidden, more].concat());
    }
    Ok(forbidden)
}

/// Whether the opponent has passed in each of its latest turns.
fn opponent_has_done(position: &Position) -> bool {
    let opponent = !position.to_move();
    let moves = position.moves().rev();
    let theirs = moves.filter(|(color, _)| *color == opponent);
    let passes = theirs
        .take(USUAL_PASSES)
        .filter(|(_, mv)| *mv == Move::Pass);
    passes.count() == USUAL_PASSES
}

/// Legal moves of a position that are forbidden there.
pub(super) fn forbidden(root: &Position, restrictions: &Restrictions) -> Vec<MoveCode> {
    let side = Game::to_move(root);
    let codes = root.legal_moves().map(code);
    codes
        .filter(|&code| restrictions.forbids(side, code, 0))
        .collect()
}

pub(super) fn fingerprints(evaluator: &dyn Evaluator<Position>) -> [u64; 2] {
    [false, true].map(|is_root| evaluator.fingerprint(is_root))
}

pub(super) fn codes(moves: &[Move]) -> Vec<MoveCode> {
    moves.iter().map(|&mv| code(mv)).collect()
}

/// The moves that lead from one position to another with the positions they lead to; none if the
/// other, told by its identity, does not come about from the one by moves in turn.
pub(super) fn steps_between(
    from: &Position,
    to: &Position,
    identity: fn(&Position) -> u128,
) -> Option<Vec<(MoveCode, Position)>> {
    let mut position = from.clone();
    let mut steps = Vec::new();
    for (color, mv) in to.moves().skip(from.turn()) {
        if color != position.to_move() || position.is_finished() || !position.is_legal(mv) {
            return None;
        }
        position.play_unchecked(mv);
        steps.push((code(mv), position.clone()));
    }
    // A pass there must not have been searched as an end that it is not now, or the other way round.
    let end_alike = position.pass_leaves_open() == to.pass_leaves_open();
    let arrived = position.turn() == to.turn() && identity(&position) == identity(to);
    (arrived && end_alike).then_some(steps)
}
