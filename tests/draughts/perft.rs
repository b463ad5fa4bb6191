//! Numbers of move sequences, exact.

use keima::minimax::perft::{divide, perft};

use super::position;

const COUNTS: &str = include_str!("../data/draughts.perft");
/// Deepest count that is made, in leaves.
const MOST: u64 = 2_000_000;

/// Counts every sequence up to a number of leaves; how many counts were checked.
fn check(most: u64) -> usize {
    let mut checked = 0;
    for line in COUNTS.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        let [variant, text, counts] = fields[..] else {
            panic!("{line}");
        };
        let start = position(variant, text);
        for (depth, count) in (1..).zip(counts.split(' ')) {
            let count = count.parse::<u64>().unwrap();
            if count <= most {
                assert_eq!(
                    perft(&start, depth),
                    count,
                    "{variant} {text}, depth {depth}"
                );
                checked += 1;
            }
        }
    }
    checked
}

#[test]
fn perft_is_exact() {
    assert_eq!(check(MOST), 183);
}

#[test]
#[ignore = "takes minutes in a debug build"]
fn deep_perft_is_exact() {
    check(u64::MAX);
}

#[test]
fn division_adds_up() {
    let parts = divide(&position("russian", "start"), 5);
    assert_eq!(parts.len(), 7);
    assert_eq!(parts.iter().map(|part| part.1).sum::<u64>(), 7482);
}
