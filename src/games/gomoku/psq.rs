//! Game records of Piskvork (`.psq`): a line with the size of the board, a line `x,y,milliseconds` for each move,
//! counted from 1, the players' names, -1, and a line with the result and the number of the rule, or its name where the
//! protocol has no number for it.

use anyhow::{Context, Result, ensure};

use super::board::Point;
use super::notation::{in_turn, numbers, point_at, xy};
use super::position::GomokuPosition;
use super::rule::{Rule, Variant};
use crate::games::record::{Details, Heading};

/// The first word of a record.
pub const BEGINNING: &str = "Piskvorky";

/// A record; the stones of `start` become moves. `result` is White's point, of one: it is written as 1 if the first
/// player has won, 2 if the second has, otherwise 0.
pub fn write(
    start: &GomokuPosition,
    moves: &[Point],
    result: Option<f64>,
    details: &Details,
) -> String {
    let variant = start.variant();
    let mut text = format!(
        "{BEGINNING} {}x{}, 11:11, 0\n",
        variant.width, variant.height
    );
    let mut line = |point: Point, time: u64| {
        let (x, y) = xy(variant, point);
        text += &format!("{},{},{time}\n", x + 1, y + 1);
    };
    in_turn(start).into_iter().for_each(|point| line(point, 0));
    for (index, &mv) in moves.iter().enumerate() {
        line(
            mv,
            details
                .comments
                .get(index)
                .map_or(0, |comment| milliseconds(comment)),
        );
    }
    for name in [&details.black, &details.white] {
        text += &format!(
            "{}\n",
            if name.is_empty() { "?" } else { name }.replace('\n', " ")
        );
    }
    let winner = match result {
        Some(0.0) => 1,
        Some(1.0) => 2,
        _ => 0,
    };
    let rule = match variant.rule.number() {
        Some(number) => number.to_string(),
        None => variant.rule.name().to_owned(),
    };
    text + &format!("-1\n{winner},{rule}\n")
}

/// The time at the end of a comment, as in `+0.31/12 0.104s`.
fn milliseconds(comment: &str) -> u64 {
    let time = comment
        .split_whitespace()
        .last()
        .and_then(|word| word.strip_suffix('s'));
    let seconds = time.and_then(|time| time.parse::<f64>().ok());
    seconds.map_or(0, |seconds| {
        (1_000.0 * seconds).clamp(0.0, 1e9).round() as u64
    })
}

/// Reads a record: variant and moves, which are on the board but not checked otherwise. Without its last line the
/// rule is freestyle.
pub fn read(text: &str) -> Result<(Variant, Vec<Point>)> {
    let mut lines = text.lines().map(str::trim);
    let header = lines.next().unwrap_or_default();
    let size = header
        .strip_prefix(BEGINNING)
        .and_then(|rest| rest.split(',').next());
    let size = size
        .with_context(|| format!("a record begins with '{BEGINNING} 15x15'"))?
        .trim();
    let lines: Vec<&str> = lines.collect();
    let rule = match last_line(text) {
        Some((_, text)) => match text.parse() {
            Ok(number) => Rule::numbered(number)
                .with_context(|| format!("the record has rule {number}, which is not known"))?,
            Err(_) => Rule::named(text).context("the last line")?,
        },
        None => Rule::Freestyle,
    };
    let sides = size.split_once('x').and_then(|(width, height)| {
        Some((width.trim().parse().ok()?, height.trim().parse().ok()?))
    });
    let (width, height) = sides.with_context(|| format!("'{size}' is no size of a board"))?;
    let variant = Variant::new(rule, width, height)?;
    let mut moves = Vec::new();
    for line in lines {
        let Ok([x, y, _]) = numbers::<3>(line) else {
            break;
        };
        ensure!(x > 0 && y > 0, "'{line}': coordinates count from 1");
        let point = point_at(variant, x - 1, y - 1);
        moves.push(point.with_context(|| format!("'{line}' is beyond the board of {size}"))?);
    }
    Ok((variant, moves))
}

/// The winner and the rule, as in `1,4`, if the last line has them.
fn last_line(text: &str) -> Option<(usize, &str)> {
    let last = text.lines().rev().find(|line| !line.trim().is_empty())?;
    let (winner, rule) = last.split_once(',')?;
    let winner = winner.trim().parse().ok()?;
    (!rule.contains(',')).then_some((winner, rule.trim()))
}

/// The players, the result, and the times of the moves as comments.
pub fn heading(text: &str) -> Heading {
    let mut heading = Heading::default();
    let details = &mut heading.details;
    let mut lines = text.lines().skip(1).map(str::trim).peekable();
    while let Some(line) = lines.peek()
        && let Ok([_, _, time]) = numbers::<3>(line)
    {
        let comment = match time {
            0 => String::new(),
            time => format!("{:.3}s", time as f64 / 1_000.0),
        };
        details.comments.push(comment);
        lines.next();
    }
    for player in [&mut details.black, &mut details.white] {
        let name = lines.next_if(|line| *line != "-1").unwrap_or_default();
        if name != "?" {
            name.clone_into(player);
        }
    }
    heading.result = match last_line(text) {
        Some((1, _)) => Some(0.0),
        Some((2, _)) => Some(1.0),
        _ => None,
    };
    heading
}
