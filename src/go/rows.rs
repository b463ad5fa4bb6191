//! Sets of points as one word per row, for flood fill: a whole row is processed in a few
//! operations, whatever its shape.

use std::ops::{BitAnd, BitOr, Not};

use super::point::{MAX_SIZE, Point, STRIDE};

/// One more than a board has at each end, so that every row has neighbors.
pub(crate) const ROWS: usize = MAX_SIZE + 2;

/// A set of points; bit `column + 1` of word `row + 1` stands for a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rows([u32; ROWS]);

impl Rows {
    pub(crate) const EMPTY: Rows = Rows([0; ROWS]);

    /// The points whose bits are set in a word for each row of an array by [`Point::raw`].
    pub(crate) fn new(words: [u32; ROWS]) -> Rows {
        Rows(words)
    }

    #[inline]
    fn place(point: Point) -> (usize, u32) {
        (point.raw() / STRIDE, 1 << (point.raw() % STRIDE))
    }

    #[inline]
    pub(crate) fn insert(&mut self, point: Point) {
        let (row, bit) = Rows::place(point);
        self.0[row] |= bit;
    }

    pub(crate) fn contains(&self, point: Point) -> bool {
        let (row, bit) = Rows::place(point);
        self.0[row] & bit != 0
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|&row| row == 0)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(|row| row.count_ones() as usize).sum()
    }

    /// The points in order of [`Point::raw`].
    pub(crate) fn iter(&self) -> impl Iterator<Item = Point> + '_ {
        self.0.iter().enumerate().flat_map(|(row, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros() as usize;
                (rest != 0).then(|| {
                    rest &= rest - 1;
                    Point::from_raw(row * STRIDE + bit)
                })
            })
        })
    }

    /// Whether all points are in `other` too.
    pub(crate) fn is_within(&self, other: &Rows) -> bool {
        self.0.iter().zip(other.0).all(|(&a, b)| a & !b == 0)
    }

    /// The neighbors of its points, themselves neighbors or not; some may be off the board.
    pub(crate) fn neighbors(&self) -> Rows {
        let rows = &self.0;
        let mut found = [0; ROWS];
        for row in 1..ROWS - 1 {
            found[row] = rows[row - 1] | rows[row + 1] | rows[row] << 1 | rows[row] >> 1;
        }
        Rows(found)
    }

    /// The connected areas of the set, in order of their first points.
    pub(crate) fn areas(self) -> impl Iterator<Item = Rows> {
        let mut rest = self;
        let mut row = 0;
        std::iter::from_fn(move || {
            row += rest.0[row..].iter().position(|&word| word != 0)?;
            let area = rest.area_of(row);
            for (rest, area) in rest.0[row..].iter_mut().zip(&area.0[row..]) {
                *rest &= !area;
            }
            Some(area)
        })
    }

    /// The connected area of the first point in `row`, the first row that is not empty.
    fn area_of(&self, row: usize) -> Rows {
        let mut area = [0; ROWS];
        area[row] = spread(self.0[row] & self.0[row].wrapping_neg(), self.0[row]);
        let mut top = row;
        loop {
            let mut has_grown = false;
            let mut reach = |from: usize, to: usize| {
                let reached = area[from] & self.0[to] & !area[to];
                if reached != 0 {
                    area[to] = spread(area[to] | reached, self.0[to]);
                    has_grown = true;
                }
                reached != 0
            };
            let mut at = row;
            while reach(at, at + 1) || at < top {
                at += 1;
            }
            top = at;
            for at in (row..top).rev() {
                reach(at + 1, at);
            }
            if !has_grown {
                return Rows(area);
            }
        }
    }
}

/// The runs of `row` that hold bits of `seeds`, which must be bits of `row`.
#[inline]
fn spread(seeds: u32, row: u32) -> u32 {
    // Adding carries a seed to the end of its run and flips what it passes.
    let mut filled = (row ^ (row + seeds) | seeds) & row;
    // Downwards in doubling steps, through the bits of `row` only.
    let mut open = row;
    for step in [1, 2, 4, 8, 16] {
        filled |= open & filled >> step;
        open &= open >> step;
    }
    filled
}

impl FromIterator<Point> for Rows {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> Rows {
        let mut set = Rows::EMPTY;
        points.into_iter().for_each(|point| set.insert(point));
        set
    }
}

impl BitAnd for Rows {
    type Output = Rows;

    fn bitand(self, other: Rows) -> Rows {
        Rows(std::array::from_fn(|row| self.0[row] & other.0[row]))
    }
}

impl BitOr for Rows {
    type Output = Rows;

    fn bitor(self, other: Rows) -> Rows {
        Rows(std::array::from_fn(|row| self.0[row] | other.0[row]))
    }
}

impl Not for Rows {
    type Output = Rows;

    /// Everything else, on the board or off it.
    fn not(self) -> Rows {
        Rows(self.0.map(|word| !word))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::point::BoardSize;
    use super::*;

    /// A set of points of a board of that size, about `share` of eight; the same every time.
    fn scattered(size: usize, share: u64, state: &mut u64) -> Rows {
        let mut set = Rows::EMPTY;
        for point in BoardSize::square(size).points() {
            *state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            if *state >> 61 < share {
                set.insert(point);
            }
        }
        set
    }

    /// The connected area of a point, one neighbor after another.
    fn flooded(set: &Rows, start: Point) -> Rows {
        let mut area = Rows::EMPTY;
        area.insert(start);
        loop {
            let larger = area | area.neighbors() & *set;
            if larger == area {
                return area;
            }
            area = larger;
        }
    }

    #[test]
    fn areas_are_what_flooding_finds() {
        let mut state = 1;
        for (size, share) in (2..=MAX_SIZE).flat_map(|size| (1..=8).map(move |s| (size, s))) {
            let set = scattered(size, share, &mut state);
            let mut rest = set;
            for area in set.areas() {
                let first = rest.iter().next().unwrap();
                assert_eq!(area, flooded(&set, first), "{size} {share}");
                rest = rest & !area;
            }
            assert_eq!(rest, Rows::EMPTY);
        }
    }

    #[test]
    fn a_winding_area_is_one() {
        let mut set = Rows::EMPTY;
        for point in BoardSize::square(MAX_SIZE).points() {
            let turn = if point.row() % 4 == 1 {
                MAX_SIZE - 1
            } else {
                0
            };
            if point.row().is_multiple_of(2) || point.column() == turn {
                set.insert(point);
            }
        }
        assert_eq!(set.areas().count(), 1);
    }

    #[test]
    fn a_row_is_spread_through_its_runs() {
        assert_eq!(spread(0b10, 0b1110_0111), 0b111);
        assert_eq!(spread(0b100_0010, 0b1110_0110), 0b1110_0110);
        assert_eq!(spread(1 << 25, (1 << 26) - 1), (1 << 26) - 1);
        assert_eq!(spread(0, 0b101), 0);
    }

    #[test]
    fn neighbors_are_those_of_the_points() {
        let set = scattered(19, 1, &mut 5);
        let board = scattered(19, 8, &mut 5);
        for point in BoardSize::square(19).points() {
            let expected = point
                .neighbors()
                .iter()
                .any(|&n| set.iter().any(|p| p == n));
            let found = (set.neighbors() & board).iter().any(|p| p == point);
            assert_eq!(found, expected, "{point}");
        }
    }
}
