//! Positions of built-in games, for checks and measurements.

use crate::go::{BoardSize, Komi, Move, Point, Position, Rules};

/// Games of keima, one per line: the board's side, then column and row of each move as in SGF.
const GAMES: &str = include_str!("sample_games.txt");

/// Evenly spread positions of a game on a board of this size, beginning after its first moves; none
/// if there is no such game.
pub fn positions(size: BoardSize, count: usize) -> Vec<Position> {
    let of_size = |(side, moves): (&str, &'static str)| {
        let side: usize = side.parse().expect("a number");
        (BoardSize::square(side) == size).then_some(moves)
    };
    let mut games = GAMES.lines().filter_map(|line| line.split_once(' '));
    let Some(moves) = games.find_map(of_size) else {
        return Vec::new();
    };
    let mut position = Position::new(size, Rules::TROMP_TAYLOR, Komi::from_half(14));
    let mut found = Vec::new();
    let vertices = moves.as_bytes().chunks_exact(2);
    let len = vertices.len();
    for (index, vertex) in vertices.enumerate() {
        let [column, row] = [vertex[0], vertex[1]].map(|letter| (letter - b'a') as usize);
        position.play(Move::Play(Point::new(column, size.height() - 1 - row)));
        if (index + 1) * count / len > found.len() {
            found.push(position.clone());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_spread_over_the_games() {
        for (side, count, lengths) in [(19, 4, [70, 140, 210, 280]), (9, 4, [14, 28, 42, 56])] {
            let positions = positions(BoardSize::square(side), count);
            let found: Vec<_> = positions
                .iter()
                .map(|position| position.moves().len())
                .collect();
            assert_eq!(found, lengths);
        }
        assert_eq!(positions(BoardSize::square(13), 10).len(), 10);
        assert!(positions(BoardSize::square(12), 10).is_empty());
    }
}
