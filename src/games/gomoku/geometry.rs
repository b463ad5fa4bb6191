//! The lines of a board: rows, columns and both kinds of diagonals, and the place of each point on its four.

use std::sync::OnceLock;

use super::rule::LARGEST;

/// Directions: along a row, a column, a falling and a rising diagonal.
pub const DIRECTIONS: usize = 4;
/// Number of lines of the largest board.
pub const LINES: usize = 2 * LARGEST + 2 * (2 * LARGEST - 1);
/// How far a line is seen to each side of a point.
pub const REACH: usize = 5;

/// Where a point is on a line.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The line.
    pub line: u8,
    /// The place on it, from 0.
    pub at: u8,
}

/// The lines of boards of a size.
#[derive(Debug)]
pub struct Geometry {
    /// By point: its places.
    pub places: Vec<[Place; DIRECTIONS]>,
    /// By line: its points.
    pub lengths: [u8; LINES],
    /// By line: ones outside of the board, shifted to the left by [`REACH`].
    pub outside: [u64; LINES],
    /// Differences of the numbers of neighboring points, by direction.
    pub steps: [isize; DIRECTIONS],
}

/// By width and height, each less one.
static SIZES: [OnceLock<Geometry>; LARGEST * LARGEST] =
    [const { OnceLock::new() }; LARGEST * LARGEST];

impl Geometry {
    /// The lines of boards of this size, which is within the limits of [`super::Variant`].
    pub fn of(width: usize, height: usize) -> &'static Geometry {
        SIZES[(width - 1) * LARGEST + height - 1].get_or_init(|| Geometry::new(width, height))
    }

    fn new(width: usize, height: usize) -> Geometry {
        let mut lengths = [0; LINES];
        let mut places = Vec::with_capacity(width * height);
        for y in 0..height {
            for x in 0..width {
                let falling = 2 * LARGEST + x + height - 1 - y;
                let rising = 4 * LARGEST - 1 + x + y;
                let lines = [y, LARGEST + x, falling, rising];
                let at = [x, y, x.min(y), x.min(height - 1 - y)];
                let place = |direction: usize| Place {
                    line: lines[direction] as u8,
                    at: at[direction] as u8,
                };
                for (line, at) in lines.into_iter().zip(at) {
                    lengths[line] = lengths[line].max(at as u8 + 1);
                }
                places.push([0, 1, 2, 3].map(place));
            }
        }
        let outside = lengths.map(|length| !(((1_u64 << length) - 1) << REACH));
        let width_step = width as isize;
        Geometry {
            places,
            lengths,
            outside,
            // The rising diagonal goes to larger columns and smaller rows.
            steps: [1, width_step, width_step + 1, 1 - width_step],
        }
    }
}
