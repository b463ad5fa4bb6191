//! Game records in the text format of Jellyfish (`.mat`), which other programs read: a line for each two turns, the
//! dice before each play, `25` for the bar and `0` for off the board.

use std::fmt::Write;

use anyhow::{Context, Result, bail, ensure};

use super::notation::{play_text, read_play};
use super::plays::{Dice, Play};
use super::position::{BackgammonPosition, Stakes};
use super::{fibs, variant};
use crate::games::dice_game::{DiceResult, Pair, RecordedTurns, Rolled};
use crate::games::record::{Details, Heading};
use crate::search::game::Side;

/// Width of the first player's column.
const COLUMN: usize = 34;
/// Actions with the doubling cube, which stand where plays do.
const CUBE: [&str; 3] = ["Doubles", "Takes", "Drops"];
/// What the result begins with, in the winner's column.
const WINS: &str = "Wins";

/// The record of a game; the first side is the first player. `dice` are thrown and not played yet.
pub fn write(
    start: &BackgammonPosition,
    turns: &[Rolled<Play>],
    dice: Option<Pair>,
    result: Option<DiceResult>,
    details: &Details,
) -> String {
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        if !value.is_empty() {
            let value = value.replace(['"', '\n'], "'");
            writeln!(text, "; [{name} \"{value}\"]").unwrap_or_default();
        }
    };
    tag("Event", &details.event);
    tag("Round", &details.round);
    for (name, value) in &details.more {
        tag(name, value);
    }
    if *start != BackgammonPosition::start(start.stakes) {
        tag("Position", &fibs::text(start, ["X", "O"]));
    }
    let length = if start.stakes == Stakes::OnePoint {
        1
    } else {
        0
    };
    let name = |name: &str, side: &str| match name {
        "" => side.to_owned(),
        name => name.replace([':', '\n'], " "),
    };
    let (white, black) = (name(&details.white, "White"), name(&details.black, "Black"));
    let first = format!(" {white} : 0");
    let width = COLUMN + 5;
    let head = format!(" {length} point match\n\n Game 1\n{first:<width$}{black} : 0\n");
    text += &head;
    // The second side begins in the second column.
    let skipped = usize::from(start.turn == Side::Second);
    let cells: Vec<String> = std::iter::repeat_n(String::new(), skipped)
        .chain(turns.iter().map(cell))
        .chain(dice.map(|[one, other]| format!("{one}{other}:")))
        .collect();
    for (index, pair) in cells.chunks(2).enumerate() {
        let second = pair.get(1).map_or("", |cell| cell);
        let line = format!("{:>3}) {:<COLUMN$}{second}", index + 1, pair[0]);
        text += line.trim_end();
        text.push('\n');
    }
    if let Some(result) = result {
        let points = if start.stakes == Stakes::OnePoint {
            1
        } else {
            result.points
        };
        let indent = if result.winner == Side::First {
            5
        } else {
            COLUMN + 5
        };
        let plural = if points == 1 { "" } else { "s" };
        text += &format!("{:indent$} {WINS} {points} point{plural}\n", "");
    }
    text
}

fn cell(turn: &Rolled<Play>) -> String {
    let [one, other] = turn.dice;
    let play = match turn.play.steps().is_empty() {
        true => String::new(),
        false => play_text(&turn.play)
            .replace("bar", "25")
            .replace("off", "0"),
    };
    format!("{one}{other}: {play}").trim_end().to_owned()
}

/// Reads the first game of a record. A roll without a play, where one is possible, ends it, unless it is the only
/// play.
pub fn read(text: &str) -> Result<RecordedTurns<BackgammonPosition, Play>> {
    let is_one_point = text.lines().any(|line| line.trim() == "1 point match");
    let stakes = if is_one_point {
        Stakes::OnePoint
    } else {
        Stakes::Points
    };
    let mut start = BackgammonPosition::start(stakes);
    let (mut turns, mut unplayed): (Vec<_>, Option<Pair>) = (Vec::new(), None);
    let mut position = None;
    let mut games = 0;
    for (number, line) in text.lines().enumerate() {
        let at_line = || format!("line {}", number + 1);
        let line = line.trim_end();
        if let Some(("Position", board)) = tag(line) {
            start = variant::with_stakes(fibs::read(board).with_context(at_line)?.position, stakes);
        }
        if line.trim_start().starts_with("Game ") {
            games += 1;
        }
        let Some(rest) = numbered(line) else {
            continue;
        };
        if games > 1 {
            break;
        }
        let cells = cells_of(rest);
        for (column, (dice, text)) in cells {
            let side = if column == 0 {
                Side::First
            } else {
                Side::Second
            };
            let now = position.get_or_insert_with(|| {
                // The initial position is the same for both.
                if side != start.turn && start == BackgammonPosition::start(stakes) {
                    start.turn = side;
                }
                start
            });
            if let Some([one, other]) = unplayed {
                bail!("{}: {one}-{other} before it is not played", at_line());
            }
            ensure!(now.turn == side, "{}: the other side is to move", at_line());
            let rolled = now.rolled(Dice::new(dice[0], dice[1]));
            let play = match &rolled.plays()[..] {
                [forced] if text.is_empty() => *forced,
                [_, ..] if text.is_empty() => {
                    unplayed = Some(dice);
                    continue;
                }
                _ => read_play(&rolled, text).with_context(at_line)?,
            };
            *now = rolled.after(&play);
            turns.push(Rolled { dice, play });
        }
    }
    ensure!(
        !turns.is_empty() || games > 0,
        "this is no game of backgammon in the format .mat"
    );
    Ok(RecordedTurns {
        start,
        turns,
        dice: unplayed,
    })
}

/// The result that the first game of a record gives.
pub fn result(text: &str) -> Option<DiceResult> {
    let mut games = 0;
    let is_of_first = |line: &&str| {
        games += usize::from(line.trim_start().starts_with("Game "));
        games <= 1
    };
    text.lines().take_while(is_of_first).find_map(won)
}

/// The result that a line gives, as in `Wins 2 points`.
fn won(line: &str) -> Option<DiceResult> {
    let at = line.find(WINS)?;
    let mut words = line[at + WINS.len()..].split_whitespace();
    let points = words.next()?.parse().ok()?;
    let is_result = words.next()?.starts_with("point") && !line.starts_with(';');
    let winner = if at < 5 + COLUMN / 2 {
        Side::First
    } else {
        Side::Second
    };
    (is_result && players(line).is_none()).then_some(DiceResult {
        winner,
        points,
        by: "as recorded",
    })
}

/// The match, the players and the winner of a record's first game, and whether it has what is not written again.
pub fn heading(text: &str) -> Heading {
    let mut details = Details::default();
    let (mut games, mut has_more) = (0, false);
    for line in text.lines().map(str::trim) {
        if let Some((name, value)) = tag(line) {
            match name {
                "Event" => details.event = value.to_owned(),
                "Round" => details.round = value.to_owned(),
                "Position" => {}
                _ => details.more.push((name.to_owned(), value.to_owned())),
            }
        } else if let Some(length) = line.strip_suffix("point match") {
            has_more |= !["0", "1"].contains(&length.trim());
        } else if line.starts_with("Game ") {
            games += 1;
        } else if let Some(names) = players(line).filter(|_| games == 1) {
            [details.white, details.black] = names.map(str::to_owned);
        } else {
            let is_cube = |rest: &str| CUBE.iter().any(|action| rest.contains(action));
            let has_cube = numbered(line).is_some_and(is_cube);
            has_more |= has_cube || line.starts_with(';');
        }
    }
    Heading {
        details,
        result: result(text).map(|result| f64::from(result.winner == Side::First)),
        lost: (has_more || games > 1).then_some("more games, comments, doubles or a longer match"),
    }
}

/// The name and value of a tag, as in `; [Event "..."]`.
fn tag(line: &str) -> Option<(&str, &str)> {
    let inner = line.strip_prefix("; [")?.strip_suffix("\"]")?;
    inner.split_once(" \"")
}

/// The players in a line with their scores, as in `White : 0      Black : 0`.
fn players(line: &str) -> Option<[&str; 2]> {
    let (first, rest) = line.split_once(':')?;
    let (middle, score) = rest.split_once(':')?;
    score.trim().parse::<u32>().ok()?;
    let (score, second) = middle.trim().split_once(char::is_whitespace)?;
    score.parse::<u32>().ok()?;
    Some([first.trim(), second.trim()])
}

/// What follows the number of a line of turns.
fn numbered(line: &str) -> Option<&str> {
    let (number, rest) = line.trim_start().split_once(')')?;
    number.trim().parse::<u32>().is_ok().then_some(rest)
}

/// A turn's dice with the text of its play, in its column.
type Cell<'a> = (usize, ([u8; 2], &'a str));

/// The play in a cell, without actions with the cube that stand in the same line.
fn play_of(cell: &str) -> &str {
    let actions = CUBE.into_iter().chain([WINS]);
    let end = actions.filter_map(|action| cell.find(action)).min();
    cell[..end.unwrap_or(cell.len())].trim()
}

fn cells_of(line: &str) -> Vec<Cell<'_>> {
    // Where dice and a colon are.
    let is_die = |letter: u8| (b'1'..=b'6').contains(&letter);
    let bytes = line.as_bytes();
    let starts: Vec<usize> = (0..bytes.len().saturating_sub(2))
        .filter(|&at| is_die(bytes[at]) && is_die(bytes[at + 1]) && bytes[at + 2] == b':')
        .collect();
    let ends = starts.iter().skip(1).copied().chain([line.len()]);
    let cells = starts.iter().zip(ends).enumerate();
    cells
        .map(|(index, (&start, end))| {
            let column = if starts.len() == 1 && start > COLUMN / 2 {
                1
            } else {
                index.min(1)
            };
            let dice = [bytes[start] - b'0', bytes[start + 1] - b'0'];
            (column, (dice, play_of(&line[start + 3..end])))
        })
        .collect()
}
