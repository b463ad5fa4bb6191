//! What stands beside the board: whose turn it is, players, prisoners, clocks, rules.

use super::look::Look;
use crate::clock::{Clock, TimeControl};
use crate::formats::rules_json;
use crate::go::{Color, Move, PerColor, Position};
use crate::player::settlement::name;

/// Space between the board and what stands beside it.
const GAP: &str = "   ";

/// Columns that the text beside the board needs: the rest of 80 beside a board of 19x19.
const COLUMNS: usize = 32;

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
    let mut lines = vec![last, turn.to_owned(), String::new()];
    for color in Color::BOTH {
        let shown: String = names[color].chars().take(LONGEST_NAME).collect();
        lines.push(format!("{} {}: {shown}", look.sample(color), name(color)));
        let prisoners = position.board().captures(!color);
        lines.push(format!("  prisoners: {prisoners}"));
        lines.extend(time(&clocks[color]).map(|time| format!("  time {time}")));
    }
    lines.push(String::new());
    lines.push(rules_json::in_words(position.rules()));
    lines.push(format!("komi {}", position.komi()));
    lines
}

/// Whose turn it is, with the time left if there is a limit.
pub fn turn(color: Color, clock: &Clock) -> String {
    let words = [Some(name(color).to_owned()), time(clock)];
    let words: Vec<String> = words.into_iter().flatten().collect();
    words.join(" ")
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
    Some(format!("{minutes}:{rest:02}{overtime}"))
}

/// The board with text beside it, which may be longer, if there is room; else below.
pub fn beside(board: Vec<String>, width: usize, text: Vec<String>, columns: usize) -> Vec<String> {
    if columns < width + GAP.len() + COLUMNS {
        let below = text.into_iter().filter(|line| !line.is_empty());
        return board.into_iter().chain(below).collect();
    }
    let mut board = board.into_iter();
    let letters = board.next();
    let rows = board.len().max(text.len());
    let mut text = text.into_iter();
    let row = |_| {
        let line = board.next().unwrap_or_else(|| " ".repeat(width));
        line + GAP + &text.next().unwrap_or_default()
    };
    letters.into_iter().chain((0..rows).map(row)).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::cmd::play::picture::{Picture, width};
    use crate::go::{BoardSize, Komi, Rules};

    #[test]
    fn text_is_beside_the_board_where_there_is_room() {
        let board = || vec!["a b".to_owned(), "c d".to_owned(), "e f".to_owned()];
        let text = || vec!["one".to_owned(), String::new()];
        assert_eq!(
            beside(board(), 3, text(), 80),
            ["a b", "c d   one", "e f   "]
        );
        assert_eq!(beside(board(), 3, text(), 20), ["a b", "c d", "e f", "one"]);
        let long = ["1", "2", "3", "4"].map(str::to_owned).to_vec();
        let beside_long = beside(board(), 3, long, 38);
        assert_eq!(beside_long[2..], ["e f   2", "      3", "      4"]);
    }

    #[test]
    fn clocks_tell_periods() {
        let clock = |text: &str| time(&Clock::new(text.parse().unwrap()));
        assert_eq!(clock("none"), None);
        assert_eq!(clock("10m").as_deref(), Some("10:00"));
        let japanese = clock("0s+30sx3");
        assert_eq!(japanese.as_deref(), Some("0:30, 3 periods"));
        assert_eq!(clock("5s/move").as_deref(), Some("0:05 for a move"));
    }

    #[test]
    fn the_prompt_has_the_time_left() {
        let prompt = |control: &str| {
            let clock = Clock::new(control.parse().unwrap());
            turn(Color::White, &clock.after(Duration::from_secs(3)))
        };
        assert_eq!(prompt("none"), "White");
        assert_eq!(prompt("5s"), "White 0:02");
        assert_eq!(prompt("2s"), "White 0:00");
    }

    #[test]
    fn the_default_board_and_its_text_fit_a_terminal_of_80_by_24() {
        let size = BoardSize::square(19);
        let position = Position::new(size, Rules::CHINESE, Komi::from_half(15));
        let names = PerColor(["person".to_owned(), "x".repeat(LONGEST_NAME)]);
        let clocks = PerColor([Clock::new("10m+30sx10".parse().unwrap()); 2]);
        let text = lines(&position, &names, &clocks, "Black to move", Look::Unicode);
        assert!(
            text.iter().all(|line| line.chars().count() <= COLUMNS),
            "{text:?}"
        );
        let board = Picture::of(position.board(), None).lines(Look::Unicode);
        let drawn = beside(board, width(size), text, 80);
        assert!(
            drawn.iter().all(|line| line.chars().count() <= 80),
            "{drawn:?}"
        );
        // A blank line above it, one below it that holds the instruction at first, and the prompt.
        assert_eq!(drawn.len() + 3, 24);
    }
}
