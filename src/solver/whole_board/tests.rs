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

#[test]
fn values_are_those_of_whole_histories() {
    for (width, height) in [(1, 1), (1, 2), (1, 3), (1, 4), (2, 2)] {
        let geometry = Geometry::new(width, height).unwrap();
        for small in positions(width, height) {
            for to_move in Color::BOTH {
                for superko in [Superko::Positional, Superko::Situational] {
                    let small = small.clone().with_to_move(to_move);
                    let board = Board {
                        stones: small.stones,
                        to_move,
                        has_passed: false,
                    };
                    let expected = plain::value(&geometry, &board, superko);
                    let found = value(&small, superko, 1_000_000, MEMORY).unwrap();
                    assert_eq!(found.score, expected, "{small:?} {superko:?}");
                }
            }
        }
    }
}

#[test]
fn memory_changes_no_value() {
    let mut compared = 0;
    let pairs = [(1, 5, 1), (2, 3, 7), (2, 4, 997)];
    for (width, height, step) in pairs {
        for small in positions(width, height).into_iter().step_by(step) {
            let solve = |memory| value(&small, Superko::Positional, 20_000, memory);
            // Without memory some take too long.
            if let (Some(with), Some(without)) = (solve(MEMORY), solve(0)) {
                assert_eq!(with.score, without.score, "{small:?}");
                assert_eq!(with.best, without.best, "{small:?}");
                compared += 1;
            }
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn published_values_of_small_boards_come_out() {
    for superko in [Superko::Positional, Superko::Situational] {
        assert_eq!(empty(2, 2, superko).score, 1, "{superko:?}");
        let three = empty(3, 3, superko);
        assert_eq!(three.score, 9, "{superko:?}");
        assert_eq!(three.best, [Some(4)], "the center");
    }
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
