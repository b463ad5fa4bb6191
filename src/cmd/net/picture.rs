//! Boards in the terminal with a value on each point: move probabilities or ownership. In color if
//! the terminal has colors, else in plain ASCII.

use crate::cmd::terminal::Style;
use crate::go::{Board, BoardSize, Color, Point};

/// Backgrounds of moves from improbable to certain, of the 256 standard colors: wood to bright.
const HEAT: [u8; 8] = [137, 179, 221, 220, 214, 208, 202, 196];
/// Background of neutral ownership; Black's points are darker, White's lighter.
const GREY: f32 = 245.0;
/// Maximal difference in brightness.
const SHADES: f32 = 8.0;
const BLACK: u8 = 16;
const WHITE: u8 = 231;

/// Columns per point.
const CELL: usize = 3;
/// Columns left and right of the points, for row numbers.
const FRAME: usize = 6;

/// Columns of a drawn board.
pub fn width(size: BoardSize) -> usize {
    CELL * size.width() + FRAME
}

/// A board with coordinates and a cell of three characters for each point.
fn framed(board: &Board, cell: impl Fn(Point) -> String) -> Vec<String> {
    let size = board.size();
    let letter = |column| Point::new(column, 0).to_string()[..1].to_owned();
    let letters: String = (0..size.width())
        .map(|column| format!(" {} ", letter(column)))
        .collect();
    let edge = format!("   {letters}   ");
    let row = |row: usize| {
        let cells: String = (0..size.width())
            .map(|column| cell(Point::new(column, row)))
            .collect();
        format!("{0:>2} {cells} {0:<2}", row + 1)
    };
    let rows = (0..size.height()).rev().map(row);
    [edge.clone()]
        .into_iter()
        .chain(rows)
        .chain([edge])
        .collect()
}

/// The board with the probability of each move in percent, a dot below one, and a minus where moves
/// are illegal. `last` is in brackets.
pub fn policy(board: &Board, policy: &[f32], last: Option<Point>, style: Style) -> Vec<String> {
    framed(board, |point| {
        if let Some(color) = board.color_at(point) {
            return stone(color, last == Some(point), HEAT[0], style);
        }
        let probability = policy[board.size().index(point)];
        let text = match probability {
            ..0.0 => " - ".to_owned(),
            0.0..0.01 => " . ".to_owned(),
            _ => format!("{:>2.0}", 100.0 * probability),
        };
        // The square root spreads small probabilities over more colors.
        let heat = probability.max(0.0).sqrt() * (HEAT.len() - 1) as f32;
        painted(
            &format!("{text:<3}"),
            BLACK,
            HEAT[heat.round() as usize],
            style,
        )
    })
}

/// The board with ownership: shades of grey or, without colors, tenths.
pub fn ownership(board: &Board, black: &[f32], style: Style) -> Vec<String> {
    framed(board, |point| {
        let black = black[board.size().index(point)];
        match (style, board.color_at(point)) {
            (Style::Plain, stone) => tenths(black, stone),
            (_, None) => painted("   ", BLACK, shade(black), style),
            (_, Some(color)) => stone(color, false, shade(black), style),
        }
    })
}

/// Legend of the policy alone.
pub const POLICY_LEGEND: &[&str] = &["policy: . below 1 %, - illegal"];

/// Legend of the boards.
pub fn legend(style: Style) -> &'static [&'static str] {
    match style {
        Style::Plain => &[
            "ownership in tenths: + Black's, - White's; on stones X and O if they stay,",
            "x and o if they get lost; policy: . below 1 %, - illegal",
        ],
        Style::Colored => {
            &["ownership: dark Black's, light White's; policy: . below 1 %, - illegal"]
        }
    }
}

/// `+7` and `-7` on empty points, `X7` and `O7` on stones that are their owner's, `x7` and `o7` on
/// those that are the opponent's.
fn tenths(black: f32, stone: Option<Color>) -> String {
    let tenths = (black.abs() * 10.0).round().min(9.0);
    let symbol = match (stone, black > 0.0) {
        (None, _) if tenths == 0.0 => return " . ".to_owned(),
        (None, true) => '+',
        (None, false) => '-',
        (Some(Color::Black), true) => 'X',
        (Some(Color::Black), false) => 'x',
        (Some(Color::White), true) => 'o',
        (Some(Color::White), false) => 'O',
    };
    format!("{symbol}{tenths} ")
}

fn shade(black: f32) -> u8 {
    (GREY - black * SHADES).round() as u8
}

fn stone(color: Color, is_last: bool, background: u8, style: Style) -> String {
    let (symbol, foreground) = match (color, style) {
        (Color::Black, Style::Plain) => ('X', BLACK),
        (Color::White, Style::Plain) => ('O', WHITE),
        (Color::Black, Style::Colored) => ('●', BLACK),
        (Color::White, Style::Colored) => ('●', WHITE),
    };
    let text = if is_last {
        format!("({symbol})")
    } else {
        format!(" {symbol} ")
    };
    painted(&text, foreground, background, style)
}

fn painted(text: &str, foreground: u8, background: u8, style: Style) -> String {
    match style {
        Style::Plain => text.to_owned(),
        Style::Colored => format!("\x1b[38;5;{foreground};48;5;{background}m{text}\x1b[0m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::diagram;

    #[test]
    fn a_policy_without_colors() {
        let board = diagram::parse(".X/O.").expect("a board");
        let drawn = policy(
            &board,
            &[0.004, -1.0, -1.0, 0.996],
            Some(Point::new(0, 0)),
            Style::Plain,
        );
        let expected = [
            "    A  B    ",
            " 2  .  X  2 ",
            " 1 (O)100 1 ",
            "    A  B    ",
        ];
        assert_eq!(drawn, expected);
        let drawn = policy(&board, &[-1.0, -1.0, -1.0, 0.12], None, Style::Plain);
        assert_eq!(drawn[1..3], [" 2  -  X  2 ", " 1  O 12  1 "]);
    }

    #[test]
    fn ownership_without_colors() {
        let board = diagram::parse("XX/../OO").expect("a board");
        let drawn = ownership(&board, &[0.99, -0.31, 0.26, 0.04, -0.5, 0.5], Style::Plain);
        let expected = [" 3 X9 x3  3 ", " 2 +3  .  2 ", " 1 O5 o5  1 "];
        assert_eq!(drawn[1..4], expected);
    }

    #[test]
    fn every_shade_is_a_grey() {
        for black in [-1.0, -0.3, 0.0, 0.9, 1.0] {
            assert!((232..=255).contains(&shade(black)), "{black}");
        }
        assert!(shade(0.5) < shade(-0.5));
    }

    #[test]
    fn colors_end_where_the_cell_ends() {
        let board = diagram::parse("X./.O").expect("a board");
        for line in policy(&board, &[1.0; 5], None, Style::Colored) {
            assert_eq!(
                line.matches("\x1b[38").count(),
                line.matches("\x1b[0m").count()
            );
        }
    }
}
