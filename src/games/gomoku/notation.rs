//! Text: points, moves, positions, diagrams. Columns have letters, all of the alphabet; rows have numbers from the
//! bottom.

use anyhow::{Context, Result, bail, ensure};

use super::board::Point;
use super::position::GomokuPosition;
use super::rule::{Color, Variant};

/// A point as `h8`.
pub fn point_text(variant: Variant, point: Point) -> String {
    let (x, y) = xy(variant, point);
    format!("{}{}", (b'a' + x as u8) as char, y + 1)
}

/// Column and row of a point, both from 0.
pub fn xy(variant: Variant, point: Point) -> (usize, usize) {
    let point = usize::from(point);
    (point % variant.width, point / variant.width)
}

/// The point at a column and row, both from 0; none beyond the board.
pub fn point_at(variant: Variant, x: usize, y: usize) -> Option<Point> {
    (x < variant.width && y < variant.height).then(|| (variant.width * y + x) as Point)
}

/// Reads a point.
pub fn parse_point(variant: Variant, text: &str) -> Result<Point> {
    let text = text.trim();
    let mut letters = text.chars();
    let column = letters.next().map(|letter| letter.to_ascii_lowercase());
    let column = column.filter(|letter| letter.is_ascii_lowercase());
    let row = letters
        .as_str()
        .parse::<usize>()
        .ok()
        .filter(|row| *row > 0);
    let (Some(column), Some(row)) = (column, row) else {
        bail!("'{text}' is no point; points are written as h8");
    };
    let found = point_at(variant, (column as u8 - b'a') as usize, row - 1);
    found.with_context(|| {
        format!(
            "{text} is beyond the board of {}x{}",
            variant.width, variant.height
        )
    })
}

/// Reads points in a row, as in `h8i9g7`; blanks and commas may be between them.
pub fn parse_points(variant: Variant, text: &str) -> Result<Vec<Point>> {
    let mut words: Vec<String> = Vec::new();
    for letter in text
        .chars()
        .filter(|letter| !letter.is_whitespace() && *letter != ',')
    {
        match words.last_mut() {
            Some(word) if !letter.is_alphabetic() => word.push(letter),
            _ => words.push(letter.to_string()),
        }
    }
    words
        .iter()
        .map(|word| parse_point(variant, word))
        .collect()
}

/// Reads a position: its stones, Black's and White's in turn. The order does not matter otherwise, so that a move
/// of it need not be legal.
pub fn parse_position(variant: Variant, text: &str) -> Result<GomokuPosition> {
    let points = parse_points(variant, text)?;
    let colors = Color::BOTH.into_iter().cycle();
    let stones: Vec<(Point, Color)> = points.into_iter().zip(colors).collect();
    GomokuPosition::with_stones(variant, &stones)
}

/// The stones of a position as [`parse_position`] reads them.
pub fn position_text(position: &GomokuPosition) -> String {
    in_turn(position)
        .into_iter()
        .map(|point| point_text(position.variant(), point))
        .collect()
}

/// The stones of a position, Black's and White's in turn, those of a color in the order in which they were placed.
pub fn in_turn(position: &GomokuPosition) -> Vec<Point> {
    let stones = Color::BOTH.map(|color| -> Vec<Point> {
        let placed = position.board().placed();
        let own = placed.filter(|&(_, its)| its == color);
        own.map(|(point, _)| point).collect()
    });
    let number = stones[0].len().max(stones[1].len());
    let turns = (0..number).flat_map(|turn| stones.iter().filter_map(move |its| its.get(turn)));
    turns.copied().collect()
}

/// The board, with `mark` for empty points.
pub fn diagram_with(position: &GomokuPosition, mark: impl Fn(Point) -> char) -> String {
    let (variant, board) = (position.variant(), position.board());
    let letters: Vec<String> = (0..variant.width)
        .map(|x| ((b'a' + x as u8) as char).to_string())
        .collect();
    let letters = format!("   {}", letters.join(" "));
    let mut text = format!("{letters}\n");
    for y in (0..variant.height).rev() {
        let contents = (0..variant.width).map(|x| {
            let point = (variant.width * y + x) as Point;
            let symbol = board.at(point).map_or_else(|| mark(point), letter);
            symbol.to_string()
        });
        let contents: Vec<String> = contents.collect();
        text += &format!("{:>2} {} {}\n", y + 1, contents.join(" "), y + 1);
    }
    text + &letters
}

/// What a stone is drawn as.
pub fn letter(color: Color) -> char {
    match color {
        Color::Black => 'x',
        Color::White => 'o',
    }
}

/// Rows from the top: a bright square each, and the stone.
pub fn squares(position: &GomokuPosition) -> Vec<Vec<(bool, char)>> {
    let (variant, board) = (position.variant(), position.board());
    let square = |x: usize, y: usize| match board.at((variant.width * y + x) as Point) {
        Some(Color::Black) => (true, '\u{25CF}'),
        Some(Color::White) => (true, '\u{25CB}'),
        None => (true, ' '),
    };
    let row = |y| (0..variant.width).map(|x| square(x, y)).collect();
    (0..variant.height).rev().map(row).collect()
}

/// Reads a legal move.
pub fn parse_move(position: &GomokuPosition, text: &str) -> Result<Point> {
    let mv = parse_point(position.variant(), text)?;
    position.check(mv)?;
    Ok(mv)
}

/// Reads a point of the Piskvork protocol: `7,7` counts from 0.
pub fn parse_pair(variant: Variant, text: &str) -> Result<Point> {
    let [x, y] = numbers(text)?;
    point_at(variant, x, y).with_context(|| {
        format!(
            "{} is beyond the board of {}x{}",
            text.trim(),
            variant.width,
            variant.height
        )
    })
}

/// Reads whole numbers between commas.
pub fn numbers<const N: usize>(text: &str) -> Result<[usize; N]> {
    let words: Vec<&str> = text.split(',').collect();
    ensure!(
        words.len() == N,
        "'{text}' is not {N} numbers with commas between them"
    );
    let mut numbers = [0; N];
    for (number, word) in numbers.iter_mut().zip(words) {
        let word = word.trim();
        *number = word
            .parse()
            .with_context(|| format!("'{word}' is no whole number"))?;
    }
    Ok(numbers)
}

/// A point as the Piskvork protocol writes it.
pub fn pair_text(variant: Variant, point: Point) -> String {
    let (x, y) = xy(variant, point);
    format!("{x},{y}")
}
