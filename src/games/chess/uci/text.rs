//! Lines of the engine.

use cozy_chess::Move;

use super::super::notation::coordinates;
use super::super::position::ChessPosition;
use crate::minimax::score::plies_to_end;
use crate::minimax::{Bound, Position, Report, Score, Variation};

/// `cp 31`, or `mate 3`, which counts moves of the winner and is negative for the loser.
pub fn score(score: Score) -> String {
    match plies_to_end(score) {
        None => format!("cp {score}"),
        Some(plies) if plies > 0 => format!("mate {}", (plies + 1) / 2),
        Some(plies) => format!("mate {}", plies / 2),
    }
}

/// An `info` line for a report of a search from this position.
pub fn info(position: &ChessPosition, is_960: bool, report: &Report<Move>) -> String {
    match report {
        Report::Variation(found) => variation(position, is_960, found),
        Report::Current { depth, mv, number } => {
            let mv = coordinates(position, *mv, is_960);
            format!("info depth {depth} currmove {mv} currmovenumber {number}")
        }
    }
}

fn variation(position: &ChessPosition, is_960: bool, found: &Variation<Move>) -> String {
    let bound = match found.bound {
        Bound::Exact => "",
        Bound::Lower => " lowerbound",
        Bound::Upper => " upperbound",
    };
    let millis = found.elapsed.as_millis();
    let speed = u128::from(found.nodes) * 1_000_000_000 / found.elapsed.as_nanos().max(1_000);
    format!(
        "info depth {} seldepth {} multipv {} score {}{bound} nodes {} nps {speed} hashfull {} time {millis} pv{}",
        found.depth,
        found.selective_depth,
        found.rank,
        score(found.score),
        found.nodes,
        found.table_fill,
        line(position, is_960, &found.moves),
    )
}

/// Moves in coordinates, each after a blank.
fn line(position: &ChessPosition, is_960: bool, moves: &[Move]) -> String {
    let mut position = position.clone();
    let mut text = String::new();
    for &mv in moves {
        text.push(' ');
        text += &coordinates(&position, mv, is_960);
        position.play(mv);
    }
    text
}

/// The last line of a search.
pub fn best_move(position: &ChessPosition, is_960: bool, moves: &[Move]) -> String {
    let Some(&best) = moves.first() else {
        return "bestmove (none)".to_string();
    };
    let mut text = format!("bestmove {}", coordinates(position, best, is_960));
    if let Some(&answer) = moves.get(1) {
        let mut next = position.clone();
        next.play(best);
        text += &format!(" ponder {}", coordinates(&next, answer, is_960));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minimax::score::{lost_at, won_at};

    #[test]
    fn mates_count_moves() {
        let texts = [
            won_at(1),
            won_at(3),
            lost_at(0),
            lost_at(2),
            lost_at(4),
            -35,
        ]
        .map(score);
        assert_eq!(
            texts,
            ["mate 1", "mate 2", "mate 0", "mate -1", "mate -2", "cp -35"]
        );
    }
}
