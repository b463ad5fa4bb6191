//! Rules: wins, draws, forbidden points, counts of moves.

use std::collections::HashSet;

use keima::games::board_game::BoardGame;
use keima::games::gomoku::forbidden::{Forbidden, forbidden};
use keima::games::gomoku::notation::{parse_point, point_text};
use keima::games::gomoku::{Color, GomokuPosition};
use keima::minimax::perft::perft;
use keima::minimax::{Position, Verdict, Wanted};

use super::{after, variant, with_stones};

fn legal(position: &GomokuPosition) -> Vec<u16> {
    let mut moves = Vec::new();
    position.moves(Wanted::All, &mut moves);
    moves
}

#[test]
fn counts_of_move_sequences() {
    let start = GomokuPosition::start(variant("freestyle-15"));
    assert_eq!(
        [1, 2, 3].map(|depth| perft(&start, depth)),
        [225, 50_400, 11_239_200]
    );
    let renju = after("renju-15", "h8i9");
    assert_eq!(perft(&renju, 2), 223 * 222, "nothing is forbidden yet");
    let rectangle = GomokuPosition::start(variant("caro-5x7"));
    assert_eq!(perft(&rectangle, 3), 35 * 34 * 33);
}

/// Counts finished games, and notes positions.
fn games(position: &mut GomokuPosition, seen: &mut HashSet<(u64, usize)>) -> usize {
    let moves = legal(position);
    seen.insert((position.key(), moves.len()));
    if position.verdict(moves.is_empty()).is_some() {
        return 1;
    }
    let mut count = 0;
    for mv in moves {
        position.play(mv);
        count += games(position, seen);
        position.undo(mv);
    }
    count
}

#[test]
fn tic_tac_toe_has_its_known_numbers_of_games_and_positions() {
    let mut seen = HashSet::new();
    let mut start = GomokuPosition::start(variant("tictactoe"));
    assert_eq!(games(&mut start, &mut seen), 255_168);
    assert_eq!(seen.len(), 5_478);
    assert!(start.board().is_consistent());
    let won = after("tictactoe", "a1b1a2b2a3");
    assert_eq!(won.reason(Verdict::Lost, true), "three in a row");
}

/// Whether Black has won after a move that is added to these stones; White has as many on a far line.
fn wins(name: &str, black: &str, mv: &str, white: &str) -> bool {
    let mut position = with_stones(name, black, white);
    assert_eq!(position.color(), Color::Black);
    let mv = parse_point(position.variant(), mv).unwrap();
    position.check(mv).unwrap();
    position.play(mv);
    (position.verdict(false) == Some(Verdict::Lost)) == (position.winner() == Some(Color::Black))
        && position.winner().is_some()
}

#[test]
fn rows_win_as_each_rule_says() {
    let five = ("c8d8f8g8", "e8");
    let six = ("b8c8d8f8g8", "e8");
    // Both ends are stopped, by stones, or by a stone and the edge.
    let closed = ("c8d8f8g8", "e8", "b8h8a1c1");
    let edge = ("a8b8d8e8", "c8", "f8a1c1e1");
    let rows = [
        ("freestyle", true, true, true, true),
        ("standard", true, false, true, true),
        ("caro", true, true, false, true),
        ("caro-exact", true, false, false, true),
    ];
    for (name, wins_five, wins_six, wins_closed, wins_edge) in rows {
        assert_eq!(
            wins(name, five.0, five.1, "a1c1e1g1"),
            wins_five,
            "{name}: five"
        );
        assert_eq!(
            wins(name, six.0, six.1, "a1c1e1g1i1"),
            wins_six,
            "{name}: six"
        );
        assert_eq!(
            wins(name, closed.0, closed.1, closed.2),
            wins_closed,
            "{name}: closed"
        );
        assert_eq!(
            wins(name, edge.0, edge.1, edge.2),
            wins_edge,
            "{name}: edge"
        );
    }
    assert!(wins("renju", five.0, five.1, "a1c1e1g1"));
    // White's six win in renju; columns and diagonals count.
    let mut position = with_stones("renju", "a1c1e1g1i1k1", "h2h3h4h6h7");
    position.play(parse_point(position.variant(), "h5").unwrap());
    assert_eq!(position.winner(), Some(Color::White));
    assert!(legal(&position).is_empty());
    assert!(wins("standard-19", "p16q17r18s19", "o15", "a1c1e1g1"));
    assert!(wins("standard-19", "b18c17d16e15", "a19", "a1c1e1g1"));
}

#[test]
fn a_full_board_is_drawn() {
    // Rows of pairs, shifted so that nobody has five.
    let variant = variant("freestyle-5");
    let mut stones = Vec::new();
    for y in 0..5_u16 {
        for x in 0..5_u16 {
            let color = if (x + 2 * y) % 4 < 2 {
                Color::Black
            } else {
                Color::White
            };
            stones.push((5 * y + x, color));
        }
    }
    let position = GomokuPosition::with_stones(variant, &stones).unwrap();
    assert_eq!(position.verdict(true), Some(Verdict::Drawn));
    assert_eq!(position.winner(), None);
}

/// The points that are forbidden to Black.
fn forbidden_points(position: &GomokuPosition) -> Vec<(String, Forbidden)> {
    let board = position.board();
    let empty = board.points().filter(|&point| board.at(point).is_none());
    let found = empty.filter_map(|point| Some((point, forbidden(board, point, Color::Black)?)));
    found
        .map(|(point, reason)| (point_text(position.variant(), point), reason))
        .collect()
}

/// Stones of Black and White, and the forbidden points.
type Row = (
    &'static str,
    &'static str,
    &'static [(&'static str, Forbidden)],
);

#[test]
fn forbidden_points_of_renju() {
    use Forbidden::{DoubleFour, DoubleThree, Overline};
    let rows: [Row; 12] = [
        ("h9h10g8f8", "a1c1e1g1", &[("h8", DoubleThree)]),
        // One of the threes is closed by White, or by the edge.
        ("h9h10g8f8", "e8c1e1g1", &[]),
        ("b3b4c2d2", "a9c9e9g9", &[("b2", DoubleThree)]),
        ("a3a4b2c2", "a9c9e9g9", &[]),
        // Two fours on one line.
        ("d8f8h8j8", "a1c1e1g1", &[("g8", DoubleFour)]),
        ("d8e8g8j8k8", "a1c1e1g1i1", &[("h8", DoubleFour)]),
        ("c8d8e8i8j8k8", "a1c1e1g1i1k1", &[("g8", DoubleFour)]),
        ("d8f8g8j8", "a1c1e1g1", &[("h8", DoubleFour)]),
        ("c8d8f8g8h8", "i8c1e1g1i1", &[("e8", Overline)]),
        ("c8d8e8g8h8i8", "a1c1e1g1i1k1", &[("f8", Overline)]),
        ("d8e8f8h5h6h7", "c8a3h4a5a7a9", &[("h8", DoubleFour)]),
        // A three and a four are legal.
        ("d8e8f8h6h7", "c8a3a5a7a9", &[]),
    ];
    for (black, white, expected) in rows {
        let position = with_stones("renju", black, white);
        let found = forbidden_points(&position);
        let expected: Vec<_> = expected
            .iter()
            .map(|(point, why)| ((*point).to_owned(), *why))
            .collect();
        assert_eq!(found, expected, "{black} against {white}");
        let white_to_move = with_stones("renju", &format!("{black}o15"), white);
        let all = legal(&white_to_move).len();
        assert_eq!(
            all,
            225 - (black.len() + white.len()) / 2 - 1,
            "White may play anywhere"
        );
    }
}

#[test]
fn threes_count_only_where_a_straight_four_is_legal() {
    let position = with_stones("renju", "k10i7f2j10j8i8o1i9", "h3k2n6m5m2f7f11e10");
    let found: Vec<String> = forbidden_points(&position)
        .into_iter()
        .map(|(point, _)| point)
        .collect();
    assert_eq!(
        found,
        ["h8", "j9", "l10"],
        "and not h10, which looks like one"
    );
    let h10 = parse_point(position.variant(), "h10").unwrap();
    assert!(position.is_legal(h10));
    let error = position
        .check(parse_point(position.variant(), "j9").unwrap())
        .unwrap_err();
    assert_eq!(error.to_string(), "j9 is forbidden: double three");
}

#[test]
fn a_five_is_legal_whatever_else_it_makes() {
    // f8 makes five along the row, and six along the column.
    let position = with_stones("renju", "b8c8d8e8f5f6f7f9f10", "a1c1e1g1i1k1m1o1o3");
    let f8 = parse_point(position.variant(), "f8").unwrap();
    assert!(position.is_legal(f8));
    let mut won = position.clone();
    won.play(f8);
    assert_eq!(won.winner(), Some(Color::Black));
}

#[test]
fn impossible_positions_are_refused_by_reason() {
    let variant = variant("freestyle-15");
    let rows = [
        (
            vec![(0, Color::White)],
            "Black has as many stones as White or one more",
        ),
        (
            vec![(0, Color::Black), (0, Color::White)],
            "a1 has two stones",
        ),
        (vec![(225, Color::Black)], "beyond the board"),
    ];
    for (stones, reason) in rows {
        let error = GomokuPosition::with_stones(variant, &stones)
            .unwrap_err()
            .to_string();
        assert!(error.contains(reason), "{error}");
    }
    let won = [0, 1, 2, 3, 4].map(|point| (point, Color::Black));
    let others = [30, 32, 34, 36, 38].map(|point| (point, Color::White));
    let error = GomokuPosition::with_stones(variant, &[won, others].concat()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("Black is to move, but has won already")
    );
}
