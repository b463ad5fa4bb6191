//! The 3x3 patterns around an empty point for rollout moves next to the last move: hane, cuts and
//! edge moves (Gelly, Wang, Munos and Teytaud 2006).

use std::sync::LazyLock;

use crate::go::{Board, Color, Point};

/// Rows from the top. `X` and `O` are the two colors, either way round; `x` is anything but X, `o`
/// anything but O, `?` anything, a blank is off the board.
const PATTERNS: [[&[u8; 3]; 3]; 12] = [
    // Hane: enclosing, not cutting, and at a corner.
    [b"XOX", b"...", b"???"],
    [b"XO.", b"...", b"?.?"],
    [b"XO?", b"X..", b"x.?"],
    // A diagonal attachment.
    [b".O.", b"X..", b"..."],
    // Cuts: unprotected, peeped at, straight through, at a knight's move.
    [b"XO?", b"O.o", b"?o?"],
    [b"XO?", b"O.X", b"???"],
    [b"?X?", b"O.O", b"ooo"],
    [b"OX?", b"o.O", b"???"],
    // At the edge: chasing, blocking a cut, blocking a connection, cutting.
    [b"X.?", b"O.?", b"   "],
    [b"OX?", b"X.O", b"   "],
    [b"?X?", b"x.O", b"   "],
    [b"?OX", b"X.O", b"   "],
];

/// Offsets of the surrounding points, in the order of a code's digits: column and row.
const AROUND: [(usize, usize); 8] = [
    (0, 0),
    (1, 0),
    (2, 0),
    (0, 1),
    (2, 1),
    (0, 2),
    (1, 2),
    (2, 2),
];

/// Contents of a point as two bits of a code.
const EMPTY: usize = 0;
const OWN: usize = 1;
const ENEMY: usize = 2;
const OUTSIDE: usize = 3;

/// Whether each code matches any pattern.
static MATCHES: LazyLock<Vec<bool>> = LazyLock::new(|| {
    let images = PATTERNS.iter().flat_map(images);
    let images: Vec<[[u8; 3]; 3]> = images.collect();
    let fits = |code| images.iter().any(|pattern| fits(pattern, code));
    (0..1 << 16).map(fits).collect()
});

/// Whether the surroundings of an empty point match a pattern for `color`.
pub(super) fn matches(board: &Board, point: Point, color: Color) -> bool {
    let mut code = 0;
    for (place, point) in point.around().into_iter().enumerate() {
        let content = match board.color_at(point) {
            Some(owner) if owner == color => OWN,
            Some(_) => ENEMY,
            None if board.contains(point) => EMPTY,
            None => OUTSIDE,
        };
        code |= content << (2 * place);
    }
    MATCHES[code]
}

/// A pattern under all eight symmetries.
fn images(pattern: &[&[u8; 3]; 3]) -> Vec<[[u8; 3]; 3]> {
    let pattern = pattern.map(|row| *row);
    let mut all = Vec::new();
    for symmetry in 0..8 {
        let mut image = [[b'.'; 3]; 3];
        for (row, cells) in image.iter_mut().enumerate() {
            for (column, cell) in cells.iter_mut().enumerate() {
                let (mut x, mut y) = (column, row);
                if symmetry & 1 != 0 {
                    x = 2 - x;
                }
                if symmetry & 2 != 0 {
                    y = 2 - y;
                }
                if symmetry & 4 != 0 {
                    (x, y) = (y, x);
                }
                *cell = pattern[y][x];
            }
        }
        all.push(image);
    }
    all
}

/// Whether a code matches a pattern, with the colors either way round.
fn fits(pattern: &[[u8; 3]; 3], code: usize) -> bool {
    [(OWN, ENEMY), (ENEMY, OWN)].into_iter().any(|(x, o)| {
        AROUND.iter().enumerate().all(|(place, &(column, row))| {
            let content = code >> (2 * place) & 3;
            match pattern[row][column] {
                b'X' => content == x,
                b'O' => content == o,
                b'x' => content != x,
                b'o' => content != o,
                b'.' => content == EMPTY,
                b' ' => content == OUTSIDE,
                _ => true,
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{BoardSize, diagram};

    #[test]
    fn cuts_and_hanes_match_and_open_space_does_not() {
        let size = BoardSize::square(5);
        let point = |column: usize, row: usize| size.point_at(5 * row + column);
        let board = |text| diagram::parse(text).expect("a diagram");
        let cut = board("...../.XO../.O.../...../.....");
        let hane = board("...../.XO../...../...../.....");
        let edge = board("...../...../...../X..../O....");
        for color in Color::BOTH {
            assert!(matches(&cut, point(2, 2), color), "a cut");
            assert!(matches(&hane, point(2, 2), color), "a hane");
            assert!(matches(&edge, point(1, 4), color), "a chase at the edge");
            assert!(!matches(&cut, point(4, 4), color), "the corner");
            assert!(!matches(&cut, point(3, 3), color), "open space");
        }
    }
}
