//! Which moves the variants allow.

use keima::games::board_game::BoardGame;
use keima::games::draughts::DraughtsPosition;
use keima::minimax::{Position, Wanted};

use super::position;

/// All legal moves, captures with the numbers of the captured squares, in order.
fn moves(position: &DraughtsPosition) -> Vec<String> {
    let mut list = Vec::new();
    position.moves(Wanted::All, &mut list);
    let number = |square| position.layout().number(square);
    let text = |mv: &keima::games::draughts::DraughtsMove| {
        let mut captured: Vec<u32> = (0..64)
            .map(|bit| 1_u64 << bit)
            .filter(|square| mv.captured & square != 0)
            .map(number)
            .collect();
        captured.sort_unstable();
        let captured: String = captured.iter().map(|square| format!("x{square}")).collect();
        format!("{}-{}{captured}", number(mv.from), number(mv.to))
    };
    let mut texts: Vec<String> = list.iter().map(text).collect();
    texts.sort();
    texts
}

#[test]
fn captures_are_those_of_the_rule_books() {
    let rows: [(&str, &str, &[&str]); 17] = [
        (
            "czech",
            "W:WK1,22:B18,6",
            &["1-10x6", "1-15x6", "1-19x6", "1-24x6", "1-28x6"],
        ),
        (
            "russian",
            "W:WK1,22:B18,6",
            &["1-10x6", "1-15x6", "1-19x6", "1-24x6", "1-28x6", "22-15x18"],
        ),
        ("czech", "W:WK29:B22,10", &["29-1x10x22", "29-6x10x22"]),
        ("russian", "W:WK29:B22,10", &["29-1x10x22", "29-6x10x22"]),
        ("brazilian", "W:WK29:B22,10", &["29-1x10x22", "29-6x10x22"]),
        (
            "dama8",
            "W:WK29:B22,10",
            &[
                "29-11x22",
                "29-18x22",
                "29-1x10x22",
                "29-4x22",
                "29-6x10x22",
                "29-8x22",
            ],
        ),
        ("czech", "W:W10:B7,8", &["10-3x7"]),
        ("english", "W:W10:B7,8", &["10-3x7"]),
        ("italian", "W:W11:B5,6", &["11-2x6"]),
        ("russian", "W:W10:B7,8", &["10-12x7x8"]),
        ("brazilian", "W:W10:B7,8", &["10-12x7x8"]),
        ("czech", "W:WK18:B9,23,24", &["18-20x23x24", "18-5x9"]),
        ("russian", "W:WK18:B9,23,24", &["18-20x23x24", "18-5x9"]),
        (
            "dama8",
            "W:WK18:B9,23,24",
            &["18-20x23x24", "18-20x9x23x24", "18-32x9x23", "18-5x9x23"],
        ),
        ("english", "W:W22:BK18", &["22-15x18"]),
        ("italian", "W:W23:BK19", &["23-20"]),
        (
            "international",
            "W:W32:B28,27,17,19",
            &["32-12x17x27", "32-14x19x28"],
        ),
    ];
    for (variant, text, expected) in rows {
        assert_eq!(
            moves(&position(variant, text)),
            expected,
            "{variant} {text}"
        );
    }
}

#[test]
fn a_man_passing_the_last_row_is_crowned_by_russian_rules_only() {
    for (variant, is_king) in [("russian", true), ("brazilian", false)] {
        let mut position = position(variant, "W:W10:B7,8");
        let mv = position.read_move("10x12").unwrap();
        position.play(mv);
        assert_eq!(position.kings() != 0, is_king, "{variant}");
    }
}

#[test]
fn illegal_moves_name_the_rule_they_break() {
    let rows = [
        (
            "czech",
            "W:WK1,22:B18,6",
            "22x15",
            "a king must capture: 1x10",
        ),
        (
            "english",
            "W:W22,26:B18",
            "26-23",
            "you must capture, to the end: 22x15",
        ),
        (
            "international",
            "W:W32,46:B28,19,41",
            "46x37",
            "as many pieces as possible must be captured: 32x14",
        ),
        ("czech", "start", "1-5", "the piece is not yours"),
        ("czech", "start", "17-13", "there is no piece"),
        ("czech", "start", "21-14", "the piece cannot go there"),
        (
            "czech",
            "start",
            "33-29",
            "there is no square '33': they are 1 to 32",
        ),
        ("czech", "start", "hello", "type 32-28 or 28x19"),
    ];
    for (variant, text, mv, reason) in rows {
        let error = format!("{:#}", position(variant, text).read_move(mv).unwrap_err());
        assert!(error.contains(reason), "{mv}: {error}");
    }
}

#[test]
fn squares_may_be_named_as_in_chess() {
    let start = position("russian", "start");
    for (letters, numbers) in [("c3-d4", "22-18"), ("a3-b4", "21-17"), ("g3-h4", "24-20")] {
        assert_eq!(
            start.read_move(letters).unwrap(),
            start.read_move(numbers).unwrap()
        );
    }
    assert!(start.read_move("c4-d5").is_err());
}
