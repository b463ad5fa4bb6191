//! Positions to measure on.

use keima::go::{BoardSize, Komi, Position, Rules};

/// The position after `moves` moves picked by a fixed sequence of numbers; passes only where
/// nothing else is legal.
pub fn scattered(size: usize, moves: usize) -> Position {
    let komi = Komi::from_half(15);
    let mut position = Position::new(BoardSize::square(size), Rules::TROMP_TAYLOR, komi);
    let mut number: u64 = 1;
    for _ in 0..moves {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let legal: Vec<_> = position.legal_moves().collect();
        let choices = (legal.len() - 1).max(1);
        position.play_unchecked(legal[(number >> 33) as usize % choices]);
    }
    position
}
