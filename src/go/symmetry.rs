//! The eight symmetries of a board.

use super::board::Board;
use super::color::Color;
use super::point::{BoardSize, Move, Point};

/// One of the eight maps of a board onto itself: bit 0 flips the rows, bit 1 the columns, bit 2
/// then transposes. The numbering is KataGo's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Symmetry(u8);

impl Symmetry {
    /// The map that changes nothing.
    pub const IDENTITY: Symmetry = Symmetry(0);

    /// All eight, by number.
    pub fn all() -> impl Iterator<Item = Symmetry> + Clone {
        (0..8).map(Symmetry)
    }

    /// The symmetry of a number from 0 to 7.
    pub fn new(number: usize) -> Option<Symmetry> {
        (number < 8).then_some(Symmetry(number as u8))
    }

    /// The number, 0 to 7.
    pub fn number(self) -> usize {
        self.0 as usize
    }

    /// Whether it transposes.
    pub fn transposes(self) -> bool {
        self.0 & 4 != 0
    }

    /// The inverse.
    pub fn inverse(self) -> Symmetry {
        match self.0 {
            5 => Symmetry(6),
            6 => Symmetry(5),
            _ => self,
        }
    }

    /// The image of a step: rows down and columns to the right, as `(rows, columns)`.
    pub fn step(self, (mut rows, mut columns): (isize, isize)) -> (isize, isize) {
        if self.0 & 1 != 0 {
            rows = -rows;
        }
        if self.0 & 2 != 0 {
            columns = -columns;
        }
        if self.transposes() {
            (rows, columns) = (columns, rows);
        }
        (rows, columns)
    }

    /// The size of the image of a board.
    pub fn size(self, size: BoardSize) -> BoardSize {
        if self.transposes() {
            BoardSize::new(size.height(), size.width()).expect("sides stay in range")
        } else {
            size
        }
    }

    /// The image of a point. `size` is that of the board it lies on. `x` counts from the left and
    /// `y` from the top, so flips refer to array order.
    pub fn point(self, size: BoardSize, point: Point) -> Point {
        let (mut x, mut y) = (point.column(), size.height() - 1 - point.row());
        if self.0 & 1 != 0 {
            y = size.height() - 1 - y;
        }
        if self.0 & 2 != 0 {
            x = size.width() - 1 - x;
        }
        if self.transposes() {
            (x, y) = (y, x);
        }
        Point::new(x, self.size(size).height() - 1 - y)
    }

    /// The image of a move.
    pub fn apply(self, size: BoardSize, mv: Move) -> Move {
        match mv {
            Move::Play(point) => Move::Play(self.point(size, point)),
            Move::Pass => Move::Pass,
        }
    }

    /// The image of a board: stones only, no ko and no captures.
    pub fn board(self, board: &Board) -> Board {
        let mut image = Board::new(self.size(board.size()));
        for color in Color::BOTH {
            for point in board.stones_of(color).iter() {
                image.set_up(self.point(board.size(), point), color);
            }
        }
        image
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_go_where_points_go() {
        let size = BoardSize::new(7, 5).expect("sides are in range");
        // From the top, as steps are counted.
        let place = |size: BoardSize, point: Point| {
            let row = size.height() - 1 - point.row();
            (row as isize, point.column() as isize)
        };
        for symmetry in Symmetry::all() {
            let image = |column, row| {
                let point = symmetry.point(size, Point::new(column, row));
                place(symmetry.size(size), point)
            };
            let ((y, x), (to_y, to_x)) = (image(3, 2), image(5, 1));
            assert_eq!(symmetry.step((1, 2)), (to_y - y, to_x - x), "{symmetry:?}");
        }
    }
}
