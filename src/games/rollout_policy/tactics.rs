//! What a move does to chains, and how far it is from the edge: features of a point and a color that
//! depend on the board alone.

use smallvec::SmallVec;

use super::surroundings::beside;
use crate::go::{Board, Color, Point};

/// Names of the groups of features with their sizes, in the order of their numbers.
pub(super) const GROUPS: [(&str, usize); 8] = [
    // Capturing 1, 2, 3 or more stones.
    ("capture", 3),
    // Capturing a chain beside an own one in atari of 1, 2 or more stones.
    ("rescue", 2),
    // Extending from atari: to two liberties or more, 1 stone or several.
    ("extension", 4),
    // Leaving the own chain with one liberty: 1, 2, 3 to 5, more stones.
    ("self-atari", 4),
    // Leaving 1, 2, 3 or more stones of the opponent with one liberty.
    ("atari", 3),
    // Capturing a single stone with a single stone that can be taken back.
    ("ko", 1),
    // On the first, second, third, fourth line, or further from the edge.
    ("line", 5),
    // The same where nothing is around.
    ("open", 5),
];
const CAPTURE: u32 = 0;
const RESCUE: u32 = 3;
const EXTENSION: u32 = 5;
const SELF_ATARI: u32 = 9;
const ATARI: u32 = 13;
const KO: u32 = 16;
pub(super) const LINE: u32 = 17;
pub(super) const OPEN: u32 = 22;
/// Number of features.
pub(super) const TACTICS: usize = 27;

/// The line of a point: 0 for the edge, 4 for the fifth line and beyond.
#[inline]
pub(super) fn line(board: &Board, point: Point) -> u32 {
    let size = board.size();
    let (column, row) = (point.column(), point.row());
    let column = column.min(size.width() - 1 - column);
    let row = row.min(size.height() - 1 - row);
    column.min(row).min(4) as u32
}

/// The features of a legal move but for its line, as bits; `code` are its surroundings.
#[inline]
pub(super) fn tactics(board: &Board, point: Point, color: Color, code: u32) -> u32 {
    let contents = beside(code);
    let empty = contents.iter().filter(|&&content| content == 0).count();
    // Own or the opponent's chains with one or two liberties.
    let is_close = contents
        .iter()
        .any(|content| matches!(content, 2 | 3 | 5 | 6));
    if !is_close && empty > 1 {
        return 0;
    }
    look(board, point, color)
}

/// The chains beside a point.
#[derive(Default)]
struct Beside {
    own: SmallVec<[Point; 4]>,
    other: SmallVec<[Point; 4]>,
}

fn look(board: &Board, point: Point, color: Color) -> u32 {
    let mut beside = Beside::default();
    for neighbor in board.neighbors(point) {
        let Some(owner) = board.color_at(neighbor) else {
            continue;
        };
        let head = board.chain_head(neighbor);
        let list = match owner == color {
            true => &mut beside.own,
            false => &mut beside.other,
        };
        if !list.contains(&head) {
            list.push(head);
        }
    }
    let mut found = 0;
    let mut captured = 0;
    for &chain in &beside.other {
        let stones = board.chain_len(chain);
        match board.liberties(chain) {
            1 => {
                captured += stones;
                found |= rescue(board, chain, color);
            }
            2 => found |= 1 << (ATARI + stones.min(3) as u32 - 1),
            _ => {}
        }
    }
    if captured > 0 {
        found |= 1 << (CAPTURE + captured.min(3) as u32 - 1);
    }
    let room = room(board, point, &beside.own, captured);
    if captured == 1 && room == 1 && beside.own.is_empty() {
        return found | 1 << KO;
    }
    let stones: usize = beside.own.iter().map(|&own| board.chain_len(own)).sum();
    if room == 1 {
        let size = [0, 0, 1, 2, 2, 2, 3][(stones + 1).min(6)];
        return found | 1 << (SELF_ATARI + size);
    }
    let in_atari = beside.own.iter().filter(|&&own| board.liberties(own) == 1);
    let saved: usize = in_atari.map(|&own| board.chain_len(own)).sum();
    if saved > 0 {
        let kind = 2 * u32::from(room > 2) + u32::from(saved > 1);
        found |= 1 << (EXTENSION + kind);
    }
    found
}

/// Whether capturing a chain saves own stones in atari.
fn rescue(board: &Board, chain: Point, color: Color) -> u32 {
    let stones = board.chain(chain).flat_map(Point::neighbors);
    let own = stones.filter(|&beside| board.color_at(beside) == Some(color));
    let in_atari = own.filter(|&own| board.liberties(own) == 1);
    match in_atari.map(|own| board.chain_len(own)).max() {
        None => 0,
        Some(1) => 1 << RESCUE,
        Some(_) => 1 << (RESCUE + 1),
    }
}

/// Liberties of the chain that the move makes, 3 if there are more or if it joins a chain of three. All
/// captured stones count as liberties, also those that are not beside the chain.
fn room(board: &Board, point: Point, own: &[Point], captured: usize) -> usize {
    // This point is a liberty of each.
    if captured > 2 || own.iter().any(|&own| board.liberties(own) > 2) {
        return 3;
    }
    let beside = board.neighbors(point).filter(|&p| board.is_empty(p));
    let mut free: SmallVec<[Point; 16]> = beside.collect();
    for &chain in own {
        for liberty in board.liberty_points(chain) {
            if liberty != point && !free.contains(&liberty) {
                free.push(liberty);
            }
        }
    }
    (free.len() + captured).min(3)
}
