//! Slow recomputation of all incremental state, as a check.

use super::board::Board;
use super::color::Color;
use super::point::{Move, Point};
use super::point_set::PointSet;
use super::position::Position;
use super::zobrist;

/// Compares all cached data of a board with a recomputation; the error names the difference.
pub fn board(board: &Board) -> Result<(), String> {
    let mut hash = 0;
    for point in board.points() {
        let Some(color) = board.color_at(point) else {
            continue;
        };
        hash ^= zobrist::stone(point, color);
        let (stones, liberties) = chain_by_flood(board, point);
        let known: PointSet = board.chain(point).collect();
        if known != stones || board.chain_len(point) != stones.len() {
            return Err(format!("chain at {point}: {known:?} instead of {stones:?}"));
        }
        if board.liberties(point) != liberties.len() || liberties.is_empty() {
            let known = board.liberties(point);
            return Err(format!(
                "chain at {point}: {known} liberties instead of {liberties:?}"
            ));
        }
        if board
            .liberty_points(point)
            .into_iter()
            .collect::<PointSet>()
            != liberties
        {
            return Err(format!("liberties of {point} are not {liberties:?}"));
        }
        if stones
            .iter()
            .any(|stone| board.chain_head(stone) != board.chain_head(point))
        {
            return Err(format!("chain at {point} has several heads"));
        }
    }
    if hash != board.hash() {
        return Err("hash drifted".to_string());
    }
    for color in Color::BOTH {
        if board.stones_of(color).len() != board.stone_count(color) {
            return Err(format!("number of {color} stones"));
        }
    }
    Ok(())
}

/// Checks the board of a position and that legality agrees with a replay on a copy: legal moves
/// leave their chain with a liberty and repeat nothing forbidden, others are refused for a reason
/// that the slow check confirms.
pub fn position(position: &Position) -> Result<(), String> {
    board(position.board())?;
    let list: Vec<Move> = position.legal_moves().collect();
    for point in position.board().points() {
        let mv = Move::Play(point);
        if list.contains(&mv) != position.is_legal(mv) {
            return Err(format!("{mv} is legal by one account only"));
        }
        if position.phase() > 0 || !position.board().is_empty(point) {
            continue;
        }
        if position.check(mv).is_ok() {
            check_hash_after(position, point)?;
        }
    }
    Ok(())
}

/// Plays a legal move on a copy, checks the result and undoes it.
fn check_hash_after(position: &Position, point: Point) -> Result<(), String> {
    let color = position.to_move();
    let mut copy = position.board().clone();
    let mut removed = Vec::new();
    let predicted = copy.hash_after(point, color);
    let played = copy.play(point, color, &mut removed);
    if copy.hash() != predicted {
        return Err(format!("hash after {point} predicted wrongly"));
    }
    board(&copy).map_err(|error| format!("after {point}: {error}"))?;
    copy.undo(&played, &removed);
    board(&copy).map_err(|error| format!("after taking back {point}: {error}"))?;
    if !copy.is_same_as(position.board()) || copy.hash() != position.board().hash() {
        return Err(format!("taking back {point} does not restore the board"));
    }
    Ok(())
}

/// The chain of a stone and its liberties, found by flood fill.
fn chain_by_flood(board: &Board, start: Point) -> (PointSet, PointSet) {
    let (mut stones, mut liberties) = (PointSet::EMPTY, PointSet::EMPTY);
    let mut open = vec![start];
    stones.insert(start);
    while let Some(point) = open.pop() {
        for neighbor in board.neighbors(point) {
            if board.is_empty(neighbor) {
                liberties.insert(neighbor);
            } else if board.color_at(neighbor) == board.color_at(start) && stones.insert(neighbor) {
                open.push(neighbor);
            }
        }
    }
    (stones, liberties)
}
