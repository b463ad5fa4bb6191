//! Game records of Piskvork (`.psq`): a line with the size of the board, a line `x,y,milliseconds` for each move,
//! counted from 1, the players' names, -1, and a line with the result and the number of the rule.

use anyhow::{Context, Result, ensure};

use super::board::Point;
use super::notation::{in_turn, numbers, point_at, xy};
use super::position::GomokuPosition;
use super::rule::{Rule, Variant};
use crate::games::record::Details;

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
    text + &format!(
        "-1\n{winner},{}\n",
        variant.rule.number().unwrap_or_default()
    )
}

/// The time at the end of a comment, as in `+0.31/12 0.104s`.
fn milliseconds(comment: &str) -> u64 {
    let time = comment
        .split_whitespace()
        .last()
        .and_then(|word| word.strip_suffix('s'));
    let seconds = time.and_then(|time| time.parse::<f64>().ok());
    seconds.map_or(0, |seconds| (1_000.0 * seconds).clamp(0.0, 1e9) as u64)
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
    let last = lines.iter().rev().find(|line| !line.is_empty());
    let rule = match last.and_then(|line| numbers::<2>(line).ok()) {
        Some([_, number]) => {
            let rule = u32::try_from(number).ok().and_then(Rule::numbered);
            rule.with_context(|| format!("the record has rule {number}, which is not known"))?
        }
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
