//! The signature of the chess search: nodes of searches to a fixed depth with one thread. It is the
//! same on all machines and changes with the rules, the evaluation or the search.

use super::evaluate::Evaluation;
use super::fen;
use crate::games::board_game;

/// Depth in plies.
const DEPTH: u32 = 9;

/// Openings, middle games with and without queens, endings of all kinds.
const POSITIONS: [&str; 16] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9",
    "8/pp3pk1/2p3p1/4n2p/4P2P/1P3BP1/P4PK1/8 w - - 0 1",
    "5rk1/1ppb3p/p1pb4/6q1/3P1p1r/2P1R2P/PP1BQ1P1/5RKN w - - 0 1",
    "7k/p7/1R5K/6r1/6p1/6P1/8/8 w - - 0 1",
    "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
    "8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 0 1",
    "8/8/8/3k4/8/8/R7/K6R w - - 0 1",
    "rnbqkb1r/pppp1ppp/8/4P3/6n1/7P/PPPNPPP1/R1BQKBNR b KQkq - 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "4k3/8/8/8/8/8/8/4KBN1 w - - 0 1",
];

/// Searches all positions, tells `note` the nodes of each, returns their sum.
pub fn signature(note: impl FnMut(&str, u64)) -> u64 {
    let positions = POSITIONS
        .iter()
        .filter_map(|text| Some(((*text).to_owned(), fen::parse(text).ok()?)));
    board_game::signature(DEPTH, Evaluation::default, positions, note)
}
