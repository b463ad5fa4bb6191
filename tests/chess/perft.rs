//! Numbers of move sequences, exact.

use keima::games::chess::fen;
use keima::minimax::perft::{divide, perft};

const COUNTS: &str = include_str!("../data/chess.perft");

/// Deepest count that is made, in leaves.
const MOST: u64 = 5_000_000;

#[test]
fn perft_is_exact() {
    let mut checked = 0;
    for line in COUNTS.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        let [name, fen, counts] = fields[..] else {
            panic!("{line}");
        };
        let position = fen::parse(fen).unwrap();
        for (depth, count) in (1..).zip(counts.split(' ')) {
            let Some(count) = count.parse::<u64>().ok().filter(|count| *count <= MOST) else {
                continue;
            };
            assert_eq!(perft(&position, depth), count, "{name}, depth {depth}");
            checked += 1;
        }
    }
    assert_eq!(checked, 65);
}

#[test]
#[ignore = "takes minutes in a debug build"]
fn deep_perft_is_exact() {
    for line in COUNTS.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        let position = fen::parse(fields[1]).unwrap();
        for (depth, count) in (1..).zip(fields[2].split(' ')) {
            if let Ok(count) = count.parse::<u64>() {
                let parts = divide(&position, depth);
                let sum: u64 = parts.iter().map(|part| part.1).sum();
                assert_eq!(sum, count, "{}, depth {depth}", fields[0]);
            }
        }
    }
}

#[test]
fn division_adds_up() {
    let position =
        fen::parse("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10");
    let parts = divide(&position.unwrap(), 2);
    assert_eq!(parts.len(), 46);
    assert_eq!(parts.iter().map(|part| part.1).sum::<u64>(), 2079);
}
