//! Leaf counts against `tests/data/go.perft`.

use keima::go::perft::perft;
use keima::go::{Color, Komi, Position, Rules, diagram};

#[test]
fn counts_equal_the_table() {
    let table = include_str!("../data/go.perft");
    let mut checked = 0;
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let [board, color, suicide, counts] = line.split("; ").collect::<Vec<_>>()[..] else {
            panic!("bad line {line}")
        };
        let board = diagram::parse(board).expect("a diagram");
        let rules = Rules {
            suicide: suicide == "legal",
            ..Rules::TROMP_TAYLOR
        };
        let to_move: Color = color.parse().expect("a color");
        let mut position = Position::from_board(board, to_move, rules, Komi::default());
        for (depth, count) in counts.split(' ').enumerate() {
            let expected: u64 = count.parse().expect("a count");
            assert_eq!(
                perft(&mut position, depth as u32),
                expected,
                "{line} at depth {depth}"
            );
            checked += 1;
        }
    }
    assert!(checked > 40);
}
