//! The board in the terminal: stones on a grid with star points and coordinates, the last move in
//! brackets, and marks for dead stones and for whose the points are.

use super::look::{GRID, LAST, Look, WOOD, ink};
use crate::go::{Board, BoardSize, Color, Point, PointSet};

/// Columns besides those of the points, for row numbers and blanks.
const FRAME: usize = 7;

/// Columns of a drawn board.
pub fn width(size: BoardSize) -> usize {
    2 * size.width() + FRAME
}

/// A board as it is to be drawn.
pub struct Picture<'a> {
    /// The stones.
    pub board: &'a Board,
    /// The stone of the last move.
    pub last: Option<Point>,
    /// Stones that are drawn as dead.
    pub dead: PointSet,
    /// Whose the points are that are drawn so.
    pub owner: Box<dyn Fn(Point) -> Option<Color> + 'a>,
}

impl<'a> Picture<'a> {
    /// The stones, and the one of the last move.
    pub fn of(board: &'a Board, last: Option<Point>) -> Picture<'a> {
        Picture {
            board,
            last,
            dead: PointSet::EMPTY,
            owner: Box::new(|_| None),
        }
    }

    /// The lines of the picture, all of the same width.
    pub fn lines(&self, look: Look) -> Vec<String> {
        let size = self.board.size();
        let letter = |column| Point::new(column, 0).to_string()[..1].to_owned();
        let letters: String = (0..size.width())
            .map(|column| format!(" {}", letter(column)))
            .collect();
        let edge = format!("   {letters}    ");
        let rows = (0..size.height()).rev().map(|row| self.row(row, look));
        [edge.clone()]
            .into_iter()
            .chain(rows)
            .chain([edge])
            .collect()
    }

    fn row(&self, row: usize, look: Look) -> String {
        let width = self.board.size().width();
        let mut brush = Brush::new(look);
        for column in 0..=width {
            let is_last = |column: usize| self.last == Some(Point::new(column, row));
            let is_opening = column < width && is_last(column);
            let is_closing = column > 0 && is_last(column - 1);
            match (is_opening, is_closing) {
                (true, _) => brush.draw('(', LAST),
                (_, true) => brush.draw(')', LAST),
                _ if column == 0 || column == width => brush.draw(' ', GRID),
                _ => brush.draw(look.line(), GRID),
            }
            if column < width {
                let (symbol, ink) = self.symbol(Point::new(column, row), look);
                brush.draw(symbol, ink);
            }
        }
        format!("{0:>2} {1} {0:<2}", row + 1, brush.finish())
    }

    /// The character on a point and its color.
    fn symbol(&self, point: Point, look: Look) -> (char, u8) {
        match (self.board.color_at(point), (self.owner)(point)) {
            (Some(color), _) if self.dead.contains(point) => (look.dead(color), ink(color)),
            (Some(color), _) => (look.stone(color), ink(color)),
            (None, Some(color)) => (look.owned(color), ink(color)),
            (None, None) => (look.empty(self.board, point), GRID),
        }
    }
}

/// Draws characters, changing the color where it has to.
struct Brush {
    look: Look,
    text: String,
    ink: Option<u8>,
}

impl Brush {
    fn new(look: Look) -> Brush {
        Brush {
            look,
            text: String::new(),
            ink: None,
        }
    }

    fn draw(&mut self, symbol: char, ink: u8) {
        if self.look == Look::Colored && self.ink != Some(ink) {
            self.text += &format!("\x1b[38;5;{ink};48;5;{WOOD}m");
            self.ink = Some(ink);
        }
        self.text.push(symbol);
    }

    fn finish(mut self) -> String {
        if self.ink.is_some() {
            self.text += "\x1b[0m";
        }
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::diagram;

    fn lines(text: &str, look: Look, last: &str) -> Vec<String> {
        let board = diagram::parse(text).unwrap();
        Picture::of(&board, last.parse().ok()).lines(look)
    }

    #[test]
    fn letters_show_stones_and_the_last_move() {
        let drawn = lines("X.O/.../..O", Look::Ascii, "C1");
        let expected = [
            "    A B C    ",
            " 3  X . O  3 ",
            " 2  . . .  2 ",
            " 1  . .(O) 1 ",
            "    A B C    ",
        ];
        assert_eq!(drawn, expected);
        assert!(
            drawn
                .iter()
                .all(|line| line.len() == width(BoardSize::square(3)))
        );
    }

    #[test]
    fn grid_has_edges_corners_and_star_points() {
        let empty = ["......."; 7].join("/");
        let drawn = lines(&empty, Look::Unicode, "");
        assert_eq!(drawn[1], " 7  ┌─┬─┬─┬─┬─┬─┐  7 ");
        assert_eq!(drawn[3], " 5  ├─┼─•─┼─•─┼─┤  5 ");
        assert_eq!(drawn[7], " 1  └─┴─┴─┴─┴─┴─┘  1 ");
    }

    #[test]
    fn dead_stones_and_points_are_marked() {
        let board = diagram::parse("XO/..").unwrap();
        let dead = board.stones_of(Color::White);
        let picture = Picture {
            dead,
            owner: Box::new(|_| Some(Color::Black)),
            ..Picture::of(&board, None)
        };
        assert_eq!(
            picture.lines(Look::Ascii)[1..3],
            [" 2  X o  2 ", " 1  b b  1 "]
        );
    }

    #[test]
    fn colors_end_with_the_row() {
        for line in &lines("XO/..", Look::Colored, "A2")[1..3] {
            assert_eq!(line.matches("\x1b[0m").count(), 1, "{line}");
            assert!(line.contains("48;5;179"), "{line}");
        }
    }
}
