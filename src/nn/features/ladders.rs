//! Planes of ladders. Networks are shown those of the last three positions, of which a search has evaluated the first two
//! before, most often: what was found then is remembered.

use std::sync::{LazyLock, Mutex};

use super::Planes;
use crate::go::ladder::{caught_in_ladders, ladders};
use crate::go::{Board, BoardSize, Point, PointSet, Position};
use crate::threads::locked;

/// Boards that are remembered, at most: about 2 MB. A new one replaces another.
const SLOTS: usize = 1 << 14;

/// All that ladders depend on: stones, ko, size.
type Key = (u128, Option<Point>, BoardSize);

/// A board and its stones that are caught in ladders.
type Slot = Mutex<Option<(Key, PointSet)>>;

/// The stones caught in ladders on the latest boards.
static CAUGHT: LazyLock<Vec<Slot>> =
    LazyLock::new(|| (0..SLOTS).map(|_| Mutex::default()).collect());

/// Planes 14 to 17: stones in a ladder now, one and two moves ago, and the moves that start a
/// ladder. Without history the current board is repeated.
pub(super) fn write_laddered(position: &Position, history: usize, planes: &mut Planes) {
    let now = ladders(position.board());
    remember(position.board(), now.caught);
    let mut shown = now.caught;
    planes.mark_all(14, shown.iter());
    for back in 1..=2 {
        if history >= back {
            shown = caught(&position.earlier_board(back));
        }
        planes.mark_all(14 + back, shown.iter());
    }
    planes.mark_all(17, now.catching[!position.to_move()].iter());
}

/// [`caught_in_ladders`], from memory if possible.
fn caught(board: &Board) -> PointSet {
    let known = *locked(slot(board));
    if let Some((key, caught)) = known
        && key == key_of(board)
    {
        return caught;
    }
    let caught = caught_in_ladders(board);
    remember(board, caught);
    caught
}

fn remember(board: &Board, caught: PointSet) {
    *locked(slot(board)) = Some((key_of(board), caught));
}

fn key_of(board: &Board) -> Key {
    (board.hash(), board.ko(), board.size())
}

fn slot(board: &Board) -> &'static Slot {
    &CAUGHT[board.hash() as usize % SLOTS]
}

#[cfg(test)]
mod tests {
    use super::super::PLANES;
    use super::*;
    use crate::go::{Komi, Move, Rules};

    /// Planes 14 to 17 as a list of points of each.
    fn marked(position: &Position) -> Vec<Vec<usize>> {
        let mut values = vec![0.0; position.size().area() * PLANES];
        let mut planes = Planes {
            size: position.size(),
            values: &mut values,
        };
        write_laddered(position, 2, &mut planes);
        let plane = |plane: usize| {
            let points = values.iter().skip(plane).step_by(PLANES);
            let marked = points.enumerate().filter(|(_, value)| **value == 1.0);
            marked.map(|(point, _)| point).collect()
        };
        (14..18).map(plane).collect()
    }

    #[test]
    fn remembered_ladders_are_those_of_the_board_and_its_size() {
        // The same stones in a corner: a ladder that runs along the edge of a small board has room on a larger one.
        let at = |size: usize| {
            let size = BoardSize::square(size);
            let mut position = Position::new(size, Rules::CHINESE, Komi::from_half(15));
            for text in ["B2", "B1", "C1", "A1", "A2"] {
                position.play(Move::Play(text.parse().expect("a point")));
            }
            position
        };
        for size in [5, 9, 5, 19, 9] {
            let position = at(size);
            let first = marked(&position);
            assert_eq!(marked(&position), first, "{size}");
            for back in 1..=2 {
                let board = position.earlier_board(back);
                assert_eq!(caught(&board), caught_in_ladders(&board), "{size}, {back}");
                assert_eq!(caught(&board), caught_in_ladders(&board), "{size}, {back}");
            }
        }
    }
}
