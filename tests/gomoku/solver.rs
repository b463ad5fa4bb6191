//! Wins by continuous fours.

use std::cell::Cell;

use keima::games::gomoku::classes::PointClass;
use keima::games::gomoku::notation::parse_position;
use keima::games::gomoku::vcf::{Vcf, solve, solve_until};
use keima::games::gomoku::vct::{self, Vct};
use keima::minimax::Position;

use super::{variant, with_stones};

/// Positions, Black's and White's stones in turn, with the fewest fours that win; checked by other programs.
const WON: [(&str, &str, usize); 14] = [
    (
        "freestyle-15",
        "h9k9f6l8f7i10f9f8h7j10i11h10k10j8g8g10f10n6m7e10",
        7,
    ),
    (
        "standard-15",
        "h9k9f6l8f7i10f9f8h7j10i11h10k10j8g8g10f10n6m7e10",
        7,
    ),
    (
        "renju-15",
        "h9k9f6l8f7i10f9f8h7j10i11h10k10j8g8g10f10n6m7e10",
        7,
    ),
    (
        "renju-15",
        "h9k9f6l8f7i10f9f8h7j10i11h10k10j8g8g10f10n6m7e10i7j7",
        5,
    ),
    (
        "freestyle-15",
        "h9k9f6j10i11k10k8l9j9i10l10m8n7m9n9m7m6n8g6l8n6l6k5j11i12k7n10i9h10h8k11",
        8,
    ),
    (
        "standard-15",
        "h9k9f6j10i11k10k8l9j9i10l10m8n7m9n9m7m6n8g6l8n6l6k5j11i12k7n10i9h10h8k11",
        8,
    ),
    (
        "renju-15",
        "h9k9f6j10i11k10k8l9j9i10l10m8n7m9n9m7m6n8g6l8n6l6k5j11i12k7n10i9h10h8k11m5j8",
        4,
    ),
    (
        "renju-15",
        "h11i11k8i10i8i12i13h10j12k10j10j11h13g8h9k11j7g10l9i6j8l8k9j9k6l5k7k5m10n11i7m11l11e10f10",
        3,
    ),
    (
        "freestyle-20",
        "j7q6n4q8l5j8l4p6m3g10k4k6i7h8f11o10h3p14j11f13f8n15n3i5g8k8o3i14m10n10h11e10p8q12g15",
        3,
    ),
    (
        "freestyle-20",
        "j12l12h7m6l7o13m10h8g14k12l13l11k6i8j7g11j6j13g6o12g10g13g9",
        4,
    ),
    (
        "standard-20",
        "e13e12g11d12g8n12g12d16e8d15n9h8m16g16l14n16j8i15d10n10h14i14e9j15m12h17k9h11n15l18",
        5,
    ),
    (
        "freestyle-19",
        "l10h8j12i5o13l13k16l14n16o17g17k7d7i6d12d13c17j10e14l11o5h9e10",
        6,
    ),
    (
        "freestyle-20",
        "f4g15f5e8l12k15m5o10k10q8m9q6i7l5i16g13l16j13f13j8f8h4i8p15k14g5q14g11o6j14q16l11l9p5n6",
        9,
    ),
    (
        "standard-19",
        "o4k6h10i3g9g13q4g7n12k10g4m5h3m13n6o13m8j13k11q13q11m9j4k7m10o6i6m3j8h9n9l5l7g10q12",
        3,
    ),
];

/// Positions without such a win.
const NOT_WON: [(&str, &str); 4] = [
    (
        "freestyle-15",
        "h9k9f6j10i11k10k8l9j9i10l10m8n7m9n9m7m6n8g6l8n6l6k5j11i12k7n10",
    ),
    (
        "standard-15",
        "h9k9f6j10i11k10k8l9j9i10l10m8n7m9n9m7m6n8g6l8n6l6k5j11i12k7n10",
    ),
    (
        "renju-15",
        "k9h10i11j10k10k11i9i10j9l9i8l11h9g9g10j7k8l10l8h8k6k7m8j8l7j5m6n5n8o8j6l6m5m4",
    ),
    (
        "standard-19",
        "n10n6n3g8k13m11j6f5g9k11n12i13l8m8n8m13g7n9i5i6m10p3m9l9l3p4l11h11o4i9o5h12g11p10f10h7m5o13p13k5i8o3j13n7",
    ),
];

#[test]
fn wins_have_the_fewest_fours_and_obey_the_rules() {
    for (name, moves, fours) in WON {
        let mut position = parse_position(variant(name), moves).unwrap();
        let (attacker, mut board) = (position.color(), position.board().clone());
        let solved = solve(&mut board, attacker, 10_000);
        assert!(board.is_consistent(), "the board is as before");
        assert_eq!(
            solved.fours(&board, attacker),
            Some(fours),
            "{name} {moves}"
        );
        let Vcf::Won(line) = solved.answer else {
            panic!("{moves}");
        };
        assert_eq!(line.len(), 2 * fours - 1);
        for (number, mv) in line.into_iter().enumerate() {
            position.check(mv).unwrap();
            if number % 2 == 1 {
                let only = position.board().count(attacker, PointClass::Five);
                assert_eq!(
                    (only, position.board().class(mv, attacker)),
                    (1, PointClass::Five)
                );
            }
            position.play(mv);
            let defender_wins = position.board().count(attacker.other(), PointClass::Five) > 0;
            assert!(
                number % 2 == 1 || !defender_wins,
                "no five for the defender"
            );
        }
    }
}

#[test]
fn where_there_is_no_win_that_is_proven() {
    for (name, moves) in NOT_WON {
        let position = parse_position(variant(name), moves).unwrap();
        let solved = solve(&mut position.board().clone(), position.color(), 100_000);
        assert_eq!(solved.answer, Vcf::Refuted, "{name} {moves}");
        let few = solve(&mut position.board().clone(), position.color(), 5);
        assert_eq!((few.answer, few.nodes), (Vcf::Unknown, 5));
    }
}

#[test]
fn white_wins_where_blacks_answer_is_forbidden() {
    // White's four at i8 leaves only h8, where Black would have two threes.
    let position = with_stones("renju", "h9h10g7f6m8a15a13", "j8k8l8a1c1e1");
    let solved = solve(&mut position.board().clone(), position.color(), 1_000);
    assert_eq!(
        solved.fours(position.board(), position.color()),
        Some(1),
        "{solved:?}"
    );
    let freestyle = with_stones("freestyle", "h9h10g7f6m8a15a13", "j8k8l8a1c1e1");
    let solved = solve(&mut freestyle.board().clone(), freestyle.color(), 1_000);
    assert_eq!(solved.answer, Vcf::Refuted);
}

/// Positions that are won by threats but not by fours.
const THREATS: [(&str, &str, &str); 3] = [
    // Two twos meet: a double three.
    ("freestyle", "h9h10g8f8", "a1n2b14o9"),
    ("standard", "h9h10g8f8", "a1n2b14o9"),
    // White may make a double three in renju.
    ("renju", "a1n2b14o9o15", "h9h10g8f8"),
];

#[test]
fn wins_by_threats_are_found_and_played_out() {
    for (name, black, white) in THREATS {
        let mut position = with_stones(name, black, white);
        let (attacker, mut board) = (position.color(), position.board().clone());
        let solved = solve(&mut board, attacker, 10_000);
        assert_eq!(solved.answer, Vcf::Refuted);
        let found = vct::solve(&mut board, attacker, 5_000);
        assert!(board.is_consistent(), "the board is as before");
        let Vct::Won(line) = found.answer else {
            panic!("{name} {black} {white}");
        };
        assert!(line.len() >= 3, "{line:?}");
        for mv in line {
            position.check(mv).unwrap();
            position.play(mv);
        }
        assert_eq!(position.color(), attacker.other());
        assert!(
            position.board().count(attacker, PointClass::Five) > 0,
            "a five follows"
        );
    }
}

#[test]
fn a_win_by_threats_in_a_game_is_found_under_all_rules() {
    let moves = "h11i11k8i10i8i12i13h10j12k10j10j11h13g8h9k11j7g10l9i6j8l8";
    for name in ["freestyle", "standard", "renju"] {
        let position = parse_position(variant(name), moves).unwrap();
        let found = vct::solve(&mut position.board().clone(), position.color(), 10_000);
        assert!(
            matches!(found.answer, Vct::Won(line) if line.len() > 5),
            "{name}"
        );
        let few = vct::solve(&mut position.board().clone(), position.color(), 10);
        assert_eq!(few.answer, Vct::NotFound);
    }
}

#[test]
fn no_threats_win_where_there_are_none() {
    // Black may not make its double three in renju; nobody wins from two stones, or against a four.
    let rows = [
        ("renju", "h9h10g8f8", "a1n2b14o9"),
        ("freestyle", "h8", "h9"),
        ("freestyle", "h9h10g8f8", "a1b1c1d1"),
        ("caro", "h8c3", "i9"),
    ];
    for (name, black, white) in rows {
        let position = with_stones(name, black, white);
        let found = vct::solve(&mut position.board().clone(), position.color(), 2_000);
        assert_eq!(found.answer, Vct::NotFound, "{name} {black} {white}");
        assert!(found.nodes <= 2_000);
    }
}

#[test]
fn rows_are_stopped_beyond_their_ends_in_caro() {
    // A four that would be straight: White answers at j8, and e8 then makes five between two stones of White.
    for rule in ["caro", "caro-exact"] {
        let position = super::after(rule, "f8d8g8a1h8a15");
        let mut board = position.board().clone();
        let solved = solve(&mut board, keima::games::gomoku::Color::Black, 100_000);
        assert_eq!(solved.answer, Vcf::Refuted, "{rule}");
        // Without the stone at d8 the four wins: a row has one end at least that is not stopped.
        let position = super::after(rule, "f8a2g8a1h8a15");
        let solved = solve(
            &mut position.board().clone(),
            keima::games::gomoku::Color::Black,
            100_000,
        );
        assert!(matches!(solved.answer, Vcf::Won(_)), "{rule}: {solved:?}");
        // j9 makes a straight four, and stops a row of White on its right, as h8 once has on its left.
        let position = super::after(rule, "d9e9j10f9j11g9j12h9");
        let black = keima::games::gomoku::Color::Black;
        let solved = solve(&mut position.board().clone(), black, 100_000);
        assert!(
            matches!(&solved.answer, Vcf::Won(line) if line.len() <= 3),
            "{rule}: {solved:?}"
        );
    }
}

#[test]
fn a_search_for_fours_ends_when_it_is_time() {
    let (name, stones, _) = WON[4];
    let position = parse_position(variant(name), stones).unwrap();
    let asked = Cell::new(0);
    let tried = |most: u32| {
        asked.set(0);
        let is_time = || asked.replace(asked.get() + 1) == most;
        let mut board = position.board().clone();
        solve_until(&mut board, position.color(), 1_000_000, &is_time)
    };
    let stopped = tried(0);
    assert_eq!((stopped.answer, stopped.nodes), (Vcf::Unknown, 0));
    let whole = tried(u32::MAX);
    assert!(matches!(whole.answer, Vcf::Won(_)));
    assert_eq!(u64::from(asked.get()), whole.nodes.div_ceil(256));
}
