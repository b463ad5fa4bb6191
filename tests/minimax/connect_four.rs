//! Connect four on a small board: five columns of four cells, four in a row win.

use keima::minimax::{Position, Score, StaticEval, Verdict, Wanted};
use keima::search::Side;

pub const COLUMNS: u32 = 5;
const ROWS: u32 = 4;
/// Bits of a column: its cells and an empty one, so that lines do not run over.
const HEIGHT: u32 = ROWS + 1;

#[derive(Clone, Debug, Default)]
pub struct ConnectFour {
    /// Cells of the side to move, and of the other.
    pub own: u64,
    pub other: u64,
}

impl ConnectFour {
    fn occupied(&self) -> u64 {
        self.own | self.other
    }

    fn has_line(cells: u64) -> bool {
        [1, HEIGHT - 1, HEIGHT, HEIGHT + 1].iter().any(|step| {
            let pairs = cells & cells >> step;
            pairs & pairs >> (2 * step) != 0
        })
    }
}

impl Position for ConnectFour {
    type Move = u32;
    const SHAPES: usize = (COLUMNS * HEIGHT) as usize;

    fn to_move(&self) -> Side {
        match self.occupied().count_ones().is_multiple_of(2) {
            true => Side::First,
            false => Side::Second,
        }
    }

    fn key(&self) -> u64 {
        (self.own << 32 | self.other).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn moves(&self, wanted: Wanted, list: &mut Vec<u32>) {
        if wanted == Wanted::All && !ConnectFour::has_line(self.other) {
            let column = |column: u32| {
                let cells = (0..ROWS).map(|row| column * HEIGHT + row);
                cells
                    .into_iter()
                    .find(|cell| self.occupied() >> cell & 1 == 0)
            };
            list.extend((0..COLUMNS).filter_map(column));
        }
    }

    fn play(&mut self, cell: u32) {
        let own = self.own | 1 << cell;
        (self.own, self.other) = (self.other, own);
    }

    fn verdict(&self, is_stuck: bool) -> Option<Verdict> {
        match ConnectFour::has_line(self.other) {
            true => Some(Verdict::Lost),
            false => is_stuck.then_some(Verdict::Drawn),
        }
    }

    fn is_settled(&self) -> bool {
        true
    }

    fn reversible(&self) -> u32 {
        0
    }

    fn code(&self, cell: u32) -> u16 {
        cell as u16 + 1
    }

    fn shape(&self, cell: u32) -> usize {
        cell as usize
    }
}

/// Counts cells in the middle column.
pub struct Middle;

impl StaticEval<ConnectFour> for Middle {
    fn evaluate(&self, position: &ConnectFour) -> Score {
        let middle = ((1 << ROWS) - 1) << (COLUMNS / 2 * HEIGHT);
        let count = |cells: u64| (cells & middle).count_ones() as Score;
        10 * (count(position.own) - count(position.other))
    }
}
