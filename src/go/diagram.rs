//! Text diagrams of boards, parsed and printed: for tests, `showboard` and error messages.

use std::fmt::Write;

use super::board::Board;
use super::color::Color;
use super::point::{BoardSize, Point};

/// Reads a diagram: rows from the top, separated by `/` or line ends; `X` or `b` is Black, `O` or
/// `w` White, `.` empty; blanks are ignored. None if the rows are uneven, of another size than
/// boards have, contain anything else, or leave a chain without liberties.
pub fn parse(text: &str) -> Option<Board> {
    let rows: Vec<Vec<char>> = text
        .split(['/', '\n'])
        .map(|row| {
            row.chars()
                .filter(|c| !c.is_whitespace())
                .collect::<Vec<_>>()
        })
        .filter(|row| !row.is_empty())
        .collect();
    let width = rows.first()?.len();
    let size = BoardSize::new(width, rows.len())?;
    let mut board = Board::new(size);
    for (y, row) in rows.iter().enumerate() {
        if row.len() != width {
            return None;
        }
        for (x, symbol) in row.iter().enumerate() {
            let point = size.point_at(y * width + x);
            match symbol {
                'X' | 'x' | 'B' | 'b' => board.set_up(point, Color::Black),
                'O' | 'o' | 'W' | 'w' => board.set_up(point, Color::White),
                '.' => {}
                _ => return None,
            }
        }
    }
    let breathes = |p: Point| board.color_at(p).is_none() || board.liberties(p) > 0;
    board.points().all(breathes).then_some(board)
}

/// The rows of a board separated by `/`, in the symbols `X`, `O` and `.`.
pub fn compact(board: &Board) -> String {
    rows(board.size(), |point| symbol(board, point))
}

/// One symbol per point, rows separated by `/`.
pub fn rows(size: BoardSize, symbol: impl Fn(Point) -> char) -> String {
    let mut text = String::with_capacity(size.area() + size.height());
    for point in size.points() {
        if point.column() == 0 && !text.is_empty() {
            text.push('/');
        }
        text.push(symbol(point));
    }
    text
}

/// A board for display, with coordinates and star points; `last` is in brackets. Lines have no
/// trailing blanks.
pub fn pretty(board: &Board, last: Option<Point>) -> String {
    let size = board.size();
    let letters: String = (0..size.width())
        .map(|column| format!(" {}", &Point::new(column, 0).to_string()[..1]))
        .collect();
    let mut text = format!("   {letters}\n");
    for row in (0..size.height()).rev() {
        let _ = write!(text, "{:2} ", row + 1);
        for column in 0..size.width() {
            let point = Point::new(column, row);
            let before = match last {
                Some(played) if played == point => '(',
                Some(played) if played.row() == row && played.column() + 1 == column => ')',
                _ => ' ',
            };
            text.push(before);
            text.push(match symbol(board, point) {
                '.' if is_star_point(size, point) => '+',
                symbol => symbol,
            });
        }
        let ends_bracketed = last.is_some_and(|p| p.row() == row && p.column() + 1 == size.width());
        let _ = writeln!(
            text,
            "{}{:<2}",
            if ends_bracketed { ')' } else { ' ' },
            row + 1
        );
    }
    text.push_str(&format!("   {letters}"));
    text.lines()
        .map(str::trim_end)
        .collect::<Vec<_>>()
        .join("\n")
}

fn symbol(board: &Board, point: Point) -> char {
    match board.color_at(point) {
        Some(Color::Black) => 'X',
        Some(Color::White) => 'O',
        None => '.',
    }
}

/// Whether the point is a star point.
pub fn is_star_point(size: BoardSize, point: Point) -> bool {
    super::handicap::star_lines(size.width()).contains(&point.column())
        && super::handicap::star_lines(size.height()).contains(&point.row())
}
