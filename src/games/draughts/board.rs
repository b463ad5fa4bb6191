//! Sets of squares. The squares of two rows and one square that does not exist follow each other, so that
//! a step in each direction is a shift by the same number everywhere, and no step leads around the edge.

use std::fmt;

use super::variant::{VARIANTS, Variant};

/// A set of squares.
pub type Squares = u64;

/// Directions: the first two are up, White's way, the other two down.
pub const DIRECTIONS: usize = 4;

/// How the men of a side stand: sums that fit 16 bits each, in one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing(pub u64);

impl Standing {
    const fn of_man(gained: u32, is_central: bool) -> Standing {
        let is_home = gained == 0;
        Standing(1 | (gained as u64) << 16 | (is_home as u64) << 32 | (is_central as u64) << 48)
    }

    const fn part(self, index: u32) -> i32 {
        (self.0 >> (16 * index) & 0xffff) as i32
    }

    /// Number of men.
    pub const fn men(self) -> i32 {
        self.part(0)
    }

    /// Rows that they have gained.
    pub const fn gained(self) -> i32 {
        self.part(1)
    }

    /// Men on the home row.
    pub const fn home(self) -> i32 {
        self.part(2)
    }

    /// Men in the middle columns.
    pub const fn central(self) -> i32 {
        self.part(3)
    }
}

/// The layout of a board.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Squares of a row.
    width: u32,
    is_mirrored: bool,
    numbered_from_white: bool,
    /// A step in each direction, as a rotation to the left. Nothing is rotated around: the squares end far
    /// below the highest bit.
    steps: [u32; DIRECTIONS],
    /// What a man of White (first) or Black on each square adds to its side's [`Standing`].
    standing: [[Standing; 64]; 2],
    /// All squares.
    pub all: Squares,
    /// The middle columns, a bit more than a third of them.
    pub center: Squares,
    /// The longest diagonal.
    pub main_diagonal: Squares,
    /// The first and last columns.
    pub edge: Squares,
}

impl fmt::Debug for Layout {
    /// Without the tables, which follow from these.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut layout = f.debug_struct("Layout");
        layout.field("width", &self.width);
        layout.field("is_mirrored", &self.is_mirrored);
        layout.field("numbered_from_white", &self.numbered_from_white);
        layout.finish_non_exhaustive()
    }
}

impl Layout {
    /// That of a variant.
    pub const fn of(variant: &Variant) -> Layout {
        let width = variant.side as u32 / 2;
        let side = variant.side as u32;
        let (mut all, mut center, mut main_diagonal, mut edge, mut index) = (0, 0, 0, 0, 0u32);
        let mut standing = [[Standing(0); 64]; 2];
        while index < side * width {
            let (row, place) = (index / width, index % width);
            let square: Squares = 1 << (first_of(row, width) + place);
            // Mirrored boards have the same middle, and their longest diagonal in the same place.
            let column = 2 * place + (row + 1) % 2;
            all |= square;
            if column >= side / 3 && column < side - side / 3 {
                center |= square;
            }
            if column == 0 || column == side - 1 {
                edge |= square;
            }
            if row + column == side - 1 {
                main_diagonal |= square;
            }
            let is_central = center & square != 0;
            let at = square.trailing_zeros() as usize;
            standing[0][at] = Standing::of_man(side - 1 - row, is_central);
            standing[1][at] = Standing::of_man(row, is_central);
            index += 1;
        }
        Layout {
            width,
            is_mirrored: variant.is_mirrored,
            numbered_from_white: variant.numbered_from_white,
            steps: [64 - width - 1, 64 - width, width, width + 1],
            standing,
            all,
            center,
            main_diagonal,
            edge,
        }
    }

    /// The layout of a variant, kept for the whole program.
    pub fn shared(variant: &Variant) -> &'static Layout {
        static LAYOUTS: [Layout; VARIANTS.len()] = {
            let mut layouts = [Layout::of(&VARIANTS[0]); VARIANTS.len()];
            let mut index = 1;
            while index < layouts.len() {
                layouts[index] = Layout::of(&VARIANTS[index]);
                index += 1;
            }
            layouts
        };
        let kind = |of: &Variant| (of.side, of.is_mirrored, of.numbered_from_white);
        let index = VARIANTS
            .iter()
            .position(|other| kind(other) == kind(variant));
        &LAYOUTS[index.unwrap_or_default()]
    }

    /// What a man on a square adds to its side's standing.
    #[inline]
    pub fn standing(&self, is_white: bool, square: Squares) -> Standing {
        self.standing[usize::from(!is_white)][square.trailing_zeros() as usize & 63]
    }

    /// The neighbors of squares in a direction, with squares that do not exist.
    #[inline]
    pub const fn step(&self, squares: Squares, direction: usize) -> Squares {
        squares.rotate_left(self.steps[direction])
    }

    /// A row, the uppermost being 0.
    pub const fn row(&self, row: u32) -> Squares {
        ((1 << self.width) - 1) << first_of(row, self.width)
    }

    /// The row of a square.
    pub fn row_of(&self, square: Squares) -> u32 {
        let index = square.trailing_zeros();
        let pair = 2 * self.width + 1;
        2 * (index / pair) + u32::from(index % pair >= self.width)
    }

    /// The last row for the men of a side.
    pub const fn last_row(&self, is_white: bool) -> Squares {
        self.row(if is_white { 0 } else { 2 * self.width - 1 })
    }

    /// The square of a number from 1 on, if there is one.
    pub fn square(&self, number: u32) -> Option<Squares> {
        let index = number.checked_sub(1)?;
        let last = 2 * self.width * self.width - 1;
        let index = match self.numbered_from_white {
            true => last.checked_sub(index)?,
            false => index,
        };
        let (row, place) = (index / self.width, index % self.width);
        (index <= last).then(|| 1 << (first_of(row, self.width) + self.mirrored(place)))
    }

    /// The number of a square.
    pub fn number(&self, square: Squares) -> u32 {
        let index = self.row_of(square) * self.width + self.place(square);
        match self.numbered_from_white {
            true => 2 * self.width * self.width - index,
            false => index + 1,
        }
    }

    /// Column of a square from the left, 0 on.
    pub fn column(&self, square: Squares) -> u32 {
        let row = self.row_of(square);
        2 * self.place(square) + u32::from(row.is_multiple_of(2) != self.is_mirrored)
    }

    /// Place of a square among those of its row from the left, 0 on.
    fn place(&self, square: Squares) -> u32 {
        let first = first_of(self.row_of(square), self.width);
        self.mirrored(square.trailing_zeros() - first)
    }

    /// The place from the other side on mirrored boards.
    fn mirrored(&self, place: u32) -> u32 {
        match self.is_mirrored {
            true => self.width - 1 - place,
            false => place,
        }
    }
}

/// Index of the first square of a row.
const fn first_of(row: u32, width: u32) -> u32 {
    row / 2 * (2 * width + 1) + row % 2 * width
}

/// Single squares of a set.
#[inline]
pub fn each(mut squares: Squares) -> impl Iterator<Item = Squares> {
    std::iter::from_fn(move || {
        let lowest = squares & squares.wrapping_neg();
        squares ^= lowest;
        (lowest != 0).then_some(lowest)
    })
}

#[cfg(test)]
mod tests {
    use super::super::variant::VARIANTS;
    use super::*;

    #[test]
    fn steps_stay_on_the_board_and_lead_back() {
        for variant in &VARIANTS {
            let layout = Layout::of(variant);
            assert_eq!(layout.all.count_ones() as usize, variant.squares());
            for number in 1..=variant.squares() as u32 {
                let square = layout.square(number).unwrap();
                assert_eq!(layout.number(square), number);
                for direction in 0..DIRECTIONS {
                    let next = layout.step(square, direction) & layout.all;
                    if next == 0 {
                        continue;
                    }
                    assert_eq!(layout.step(next, DIRECTIONS - 1 - direction), square);
                    let rows = layout.row_of(square).abs_diff(layout.row_of(next));
                    let columns = layout.column(square).abs_diff(layout.column(next));
                    assert_eq!((rows, columns), (1, 1), "{} {number}", variant.name);
                }
            }
            assert_eq!(layout.square(variant.squares() as u32 + 1), None);
            assert_eq!(layout.square(0), None);
        }
    }
}
