//! The board as text: point 1 of the first side, X, at the lower right, with the numbers of the side to move.

use std::fmt::Write;

use super::board::{BAR, Board, men_off, pips};
use super::position::BackgammonPosition;
use crate::search::game::Side;

/// Men that are drawn on a point; of more only the number is shown.
const ROWS: u8 = 5;

/// Numbers of the points above and below the board, as the first side counts them. For the second side the rows change
/// places.
const NUMBERS: [&str; 2] = [
    " +13-14-15-16-17-18------19-20-21-22-23-24-+",
    " +12-11-10--9--8--7-------6--5--4--3--2--1-+",
];

/// The board, with bars, men borne off and pip counts. X is the first side, O the second. The side to move is marked,
/// and points have the numbers that its plays are written with.
pub fn diagram(position: &BackgammonPosition) -> String {
    let is_first = position.turn == Side::First;
    let board = if is_first {
        position.board
    } else {
        position.board.turned()
    };
    let mark = |is_turn: bool| if is_turn { ">" } else { " " };
    let [above, below] = match position.turn {
        Side::First => NUMBERS,
        Side::Second => [NUMBERS[1], NUMBERS[0]],
    };
    let mut text = format!("{above}\n");
    for row in 0..ROWS {
        let note = match row {
            0 => note("O (Black)", mark(!is_first), &board.other),
            _ => String::new(),
        };
        line(&mut text, &board, true, row, &note);
    }
    text += " |                  |BAR|                  |\n";
    for row in (0..ROWS).rev() {
        let note = match row {
            0 => note("X (White)", mark(is_first), &board.own),
            1 => dice_text(position),
            _ => String::new(),
        };
        line(&mut text, &board, false, row, &note);
    }
    text + below
}

fn dice_text(position: &BackgammonPosition) -> String {
    position.dice.map_or_else(String::new, |dice| {
        format!("rolled {}-{}", dice.high, dice.low)
    })
}

fn note(name: &str, mark: &str, men: &super::board::Men) -> String {
    format!("{mark} {name}  {} pips, {} off", pips(men), men_off(men))
}

/// One row of points in the upper or lower half; row 0 is at the edge.
fn line(text: &mut String, board: &Board, is_upper: bool, row: u8, note: &str) {
    let index = |column: usize| if is_upper { 12 + column } else { 11 - column };
    let left: String = (0..6)
        .map(|column| cell(board, index(column), row))
        .collect();
    let right: String = (6..12)
        .map(|column| cell(board, index(column), row))
        .collect();
    let bar = match is_upper {
        true => stack(board.own[BAR], 'X', row),
        false => stack(board.other[BAR], 'O', row),
    };
    let line = format!(" |{left}|{bar}|{right}| {note}");
    // Writing to a string cannot fail.
    writeln!(text, "{}", line.trim_end()).unwrap_or_default();
}

fn cell(board: &Board, index: usize, row: u8) -> String {
    let (own, other) = (board.own[index], board.opposing(index));
    match own > 0 {
        true => stack(own, 'X', row),
        false => stack(other, 'O', row),
    }
}

/// Three characters of a stack of men: the last row tells the number where there are more.
fn stack(count: u8, letter: char, row: u8) -> String {
    if row >= count {
        "   ".to_owned()
    } else if row == ROWS - 1 && count > ROWS {
        format!("{count:>2} ")
    } else {
        format!(" {letter} ")
    }
}

#[cfg(test)]
mod tests {
    use super::super::position::Stakes;
    use super::*;

    #[test]
    fn points_have_the_numbers_of_the_side_to_move() {
        let first = BackgammonPosition::start(Stakes::OnePoint);
        let second = BackgammonPosition {
            turn: Side::Second,
            ..first
        };
        let edges = |position: &BackgammonPosition| {
            let text = diagram(position);
            let lines: Vec<&str> = text.lines().collect();
            [lines[0], lines[lines.len() - 1]].map(str::to_owned)
        };
        assert_eq!(edges(&first), NUMBERS);
        assert_eq!(edges(&second), [NUMBERS[1], NUMBERS[0]]);
        assert_eq!(NUMBERS[0].len(), NUMBERS[1].len());
    }
}
