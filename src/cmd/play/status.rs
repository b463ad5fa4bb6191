//! What stands beside the board: whose turn it is, players, prisoners, clocks, rules.

use super::look::Look;
use crate::clock::{Clock, TimeControl};
use crate::formats::rules_json;
use crate::go::{Color, Move, PerColor, Position};
use crate::player::settlement::name;

/// Space between the board and what stands beside it.
const GAP: &str = "   ";

/// Columns that the text beside the board needs.
const COLUMNS: usize = 34;

/// Longest name of a player.
const LONGEST_NAME: usize = 20;

/// The lines: the last move, the turn, the players, the rules.
pub fn lines(
    position: &Position,
    names: &PerColor<String>,
    clocks: &PerColor<Clock>,
    turn: &str,
    look: Look,
) -> Vec<String> {
    let last = position.moves().next_back();
    let last = last.map_or("no moves yet".to_owned(), |(color, mv)| {
        let what = match mv {
            Move::Pass => "passed".to_owned(),
            Move::Play(point) => point.to_string(),
        };
        format!("move {}: {} {what}", position.turn(), name(color))
    });
    let prisoners = |color: Color| {
        let prisoners = format!("  prisoners: {}", position.board().captures(!color));
        let time = time(&clocks[color]).map(|time| format!(", {time}"));
        prisoners + &time.unwrap_or_default()
    };
    let rules = rules_json::in_words(position.rules());
    let mut lines = vec![last, turn.to_owned(), String::new()];
    for color in Color::BOTH {
        let shown: String = names[color].chars().take(LONGEST_NAME).collect();
        lines.push(format!("{} {}: {shown}", look.sample(color), name(color)));
        lines.push(prisoners(color));
    }
    lines.push(String::new());
    lines.push(rules);
    lines.push(format!("komi {}", position.komi()));
    lines
}

/// What a clock shows, if there is a limit.
fn time(clock: &Clock) -> Option<String> {
    let left = clock.left();
    let seconds = left.seconds.max(0.0).ceil() as u64;
    let (minutes, rest) = (seconds / 60, seconds % 60);
    let overtime = match (clock.control(), left.count) {
        (TimeControl::Unlimited, _) => return None,
        (_, 0) => String::new(),
        (TimeControl::Japanese { .. }, 1) => ", last period".to_owned(),
        (TimeControl::Japanese { .. }, count) => format!(", {count} periods"),
        (_, 1) => " for a move".to_owned(),
        (_, count) => format!(" for {count} moves"),
    };
    Some(format!("time {minutes}:{rest:02}{overtime}"))
}

/// The board with text beside it if there is room, else below.
pub fn beside(board: Vec<String>, width: usize, text: Vec<String>, columns: usize) -> Vec<String> {
    if columns < width + GAP.len() + COLUMNS || text.len() + 1 > board.len() {
        let below = text.into_iter().filter(|line| !line.is_empty());
        return board.into_iter().chain(below).collect();
    }
    let mut text = text.into_iter();
    board
        .into_iter()
        .enumerate()
        .map(|(index, line)| match index {
            0 => line,
            _ => line + GAP + &text.next().unwrap_or_default(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_beside_the_board_where_there_is_room() {
        let board = || vec!["a b".to_owned(), "c d".to_owned(), "e f".to_owned()];
        let text = || vec!["one".to_owned(), String::new()];
        assert_eq!(
            beside(board(), 3, text(), 80),
            ["a b", "c d   one", "e f   "]
        );
        assert_eq!(beside(board(), 3, text(), 20), ["a b", "c d", "e f", "one"]);
    }

    #[test]
    fn clocks_tell_periods() {
        let clock = |text: &str| time(&Clock::new(text.parse().unwrap()));
        assert_eq!(clock("none"), None);
        assert_eq!(clock("10m").as_deref(), Some("time 10:00"));
        let japanese = clock("0s+30sx3");
        assert_eq!(japanese.as_deref(), Some("time 0:30, 3 periods"));
        assert_eq!(clock("5s/move").as_deref(), Some("time 0:05 for a move"));
    }
}
