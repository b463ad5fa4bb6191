use super::board::{Board, Geometry};
use super::*;

const MEMORY: usize = 1 << 20;

fn empty(width: usize, height: usize, superko: Superko) -> Value {
    let board = SmallBoard::new(width, height).unwrap();
    value(&board, superko, 20_000_000, MEMORY).unwrap()
}

/// All positions of a board whose chains have liberties.
fn positions(width: usize, height: usize) -> Vec<SmallBoard> {
    let area = width * height;
    let stones = |mut code: usize| {
        let mut stones = Vec::new();
        for point in 0..area {
            match code % 3 {
                1 => stones.push((point, Color::Black)),
                2 => stones.push((point, Color::White)),
                _ => {}
            }
            code /= 3;
        }
        stones
    };
    let board = SmallBoard::new(width, height).unwrap();
    let codes = 0..3_usize.pow(area as u32);
    codes
        .filter_map(|code| board.clone().with_stones(&stones(code)))
        .collect()
}

/// Compares with plain search where that takes at most this many nodes; how many positions were compared.
fn compare_with_plain(boards: impl IntoIterator<Item = SmallBoard>, nodes: u32) -> usize {
    let mut compared = 0;
    for small in boards {
        let geometry = Geometry::new(small.width, small.height).unwrap();
        let rules = [Superko::Positional, Superko::Situational].into_iter();
        for (superko, to_move) in rules.flat_map(|rule| Color::BOTH.map(|color| (rule, color))) {
            let small = small.clone().with_to_move(to_move);
            let board = Board {
                stones: small.stones,
                to_move,
                has_passed: false,
            };
            if let Some(expected) = plain::value(&geometry, &board, superko, nodes) {
                let found = value(&small, superko, 1_000_000, MEMORY).unwrap();
                assert_eq!(found.score, expected, "{small:?} {superko:?}");
                compared += 1;
            }
        }
    }
    compared
}

#[test]
fn values_are_those_of_whole_histories() {
    for (width, height) in [(1, 1), (1, 2), (1, 3), (1, 4), (2, 2)] {
        let boards = positions(width, height);
        let count = boards.len();
        assert_eq!(compare_with_plain(boards, u32::MAX), 4 * count);
    }
}

#[test]
fn values_of_larger_boards_are_those_of_whole_histories() {
    let sizes = [
        (1, 5, 1, 300),
        (2, 3, 1, 200),
        (2, 4, 97, 10),
        (3, 3, 397, 8),
    ];
    for (width, height, step, least) in sizes {
        let boards = positions(width, height).into_iter().step_by(step);
        let compared = compare_with_plain(boards, 20_000);
        assert!(compared >= least, "{width}x{height}: {compared}");
    }
}

#[test]
fn published_values_of_small_boards_come_out() {
    for superko in [Superko::Positional, Superko::Situational] {
        assert_eq!(empty(2, 2, superko).score, 1, "{superko:?}");
        let three = empty(3, 3, superko);
        assert_eq!(three.score, 9, "{superko:?}");
        assert_eq!(three.best, [Some(4)], "the center");
    }
    assert_eq!(empty(2, 5, Superko::Positional).score, 10);
    assert_eq!(empty(3, 4, Superko::Positional).score, 4);
}

#[test]
fn positions_are_counted_as_tromp_and_farneback_count() {
    assert_eq!(positions(1, 1).len(), 1);
    assert_eq!(positions(2, 2).len(), 57);
    assert_eq!(positions(3, 2).len(), 489);
}

#[test]
fn too_few_nodes_give_no_value() {
    let board = SmallBoard::new(3, 3).unwrap();
    assert_eq!(value(&board, Superko::Positional, 100, MEMORY), None);
}

#[test]
fn impossible_boards_are_refused() {
    assert_eq!(SmallBoard::new(0, 3), None);
    assert_eq!(SmallBoard::new(6, 5), None);
    let board = SmallBoard::new(2, 1).unwrap();
    let full = [(0, Color::Black), (1, Color::White)];
    assert_eq!(board.clone().with_stones(&full), None, "no liberties");
    assert_eq!(
        board.with_stones(&[(2, Color::Black)]),
        None,
        "off the board"
    );
}
