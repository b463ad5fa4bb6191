//! Characters and colors of boards in the terminal.

use crate::cmd::terminal::{Style, Terminal};
use crate::go::diagram::is_star_point;
use crate::go::{Board, Color, Point};

/// Background, of the 256 standard colors.
pub const WOOD: u8 = 179;
/// Lines and star points.
pub const GRID: u8 = 94;
/// Black stones and points.
pub const BLACK: u8 = 16;
/// White stones and points.
pub const WHITE: u8 = 231;
/// Brackets around the last move.
pub const LAST: u8 = 160;

/// The color of a side's stones.
pub fn ink(color: Color) -> u8 {
    match color {
        Color::Black => BLACK,
        Color::White => WHITE,
    }
}

/// Characters that a board is drawn with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Letters, for files and pipes.
    Ascii,
    /// Stones and lines.
    Unicode,
    /// Stones and lines in color, on wood.
    Colored,
}

impl Look {
    /// What standard output can show.
    pub fn of_stdout() -> Look {
        Look::of(Terminal::of_stdout())
    }

    /// What a terminal can show.
    pub fn of(terminal: Terminal) -> Look {
        match terminal.style {
            Style::Colored => Look::Colored,
            Style::Plain if terminal.has_unicode => Look::Unicode,
            Style::Plain => Look::Ascii,
        }
    }

    /// A stone.
    pub fn stone(self, color: Color) -> char {
        match (self, color) {
            (Look::Ascii, Color::Black) => 'X',
            (Look::Ascii, Color::White) => 'O',
            (Look::Unicode, Color::White) => '○',
            // In color both are filled.
            _ => '●',
        }
    }

    /// A stone as text beside the board has it.
    pub fn sample(self, color: Color) -> String {
        let (stone, ink) = (self.stone(color), ink(color));
        match self {
            Look::Colored => format!("\x1b[38;5;{ink};48;5;{WOOD}m {stone} \x1b[0m"),
            Look::Ascii | Look::Unicode => stone.to_string(),
        }
    }

    /// A dead stone.
    pub fn dead(self, color: Color) -> char {
        match (self, color) {
            (Look::Colored, _) => '×',
            (_, Color::Black) => 'x',
            (_, Color::White) => 'o',
        }
    }

    /// A point without a stone that is a color's.
    pub fn owned(self, color: Color) -> char {
        match (self, color) {
            (Look::Ascii, Color::Black) => 'b',
            (Look::Ascii, Color::White) => 'w',
            (Look::Unicode, Color::White) => '□',
            _ => '■',
        }
    }

    /// What joins points of a row.
    pub fn line(self) -> char {
        match self {
            Look::Ascii => ' ',
            Look::Unicode | Look::Colored => '─',
        }
    }

    /// An empty point of the grid.
    pub fn empty(self, board: &Board, point: Point) -> char {
        let size = board.size();
        let is_star = is_star_point(size, point);
        if self == Look::Ascii {
            return if is_star { '+' } else { '.' };
        }
        let is_last = |place, length| place + 1 == length;
        let (column, row) = (point.column(), point.row());
        let columns = (column == 0, is_last(column, size.width()));
        match (columns, row == 0, is_last(row, size.height())) {
            ((true, _), true, _) => '└',
            ((true, _), _, true) => '┌',
            ((_, true), true, _) => '┘',
            ((_, true), _, true) => '┐',
            ((true, _), ..) => '├',
            ((_, true), ..) => '┤',
            (_, true, _) => '┴',
            (_, _, true) => '┬',
            _ if is_star => '•',
            _ => '┼',
        }
    }

    /// What dead stones are drawn as.
    pub fn dead_marks(self) -> String {
        let [black, white] = Color::BOTH.map(|color| self.dead(color));
        match self {
            Look::Colored => black.to_string(),
            _ => format!("{black} (Black's) and {white} (White's)"),
        }
    }

    /// What the marks of a judged board mean.
    pub fn legend(self) -> String {
        let [black, white] = Color::BOTH.map(|color| self.owned(color));
        let [black_dead, white_dead] = Color::BOTH.map(|color| self.dead(color));
        match self {
            Look::Colored => format!("{black_dead} dead stones, {black} points"),
            _ => format!(
                "{black_dead} {white_dead} dead stones, {black} Black's points, {white} White's"
            ),
        }
    }
}
