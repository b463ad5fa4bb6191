//! Shots: the rolls by which a side can hit blots of the other.

use super::board::{BAR, Board, rear};

/// A set of the 36 pairs of dice.
pub type Rolls = u64;

fn roll(one: usize, other: usize) -> Rolls {
    1 << ((one - 1) * 6 + other - 1) | 1 << ((other - 1) * 6 + one - 1)
}

/// Rolls that show a die.
const SHOWING: [Rolls; 7] = {
    let mut showing = [0; 7];
    let mut one = 1;
    while one <= 6 {
        let mut other = 1;
        while other <= 6 {
            let bit = 1 << ((one - 1) * 6 + other - 1);
            showing[one] |= bit;
            showing[other] |= bit;
            other += 1;
        }
        one += 1;
    }
    showing
};

/// Rolls by which a man of the side to roll gets from a place to a point of lower index, other men aside.
fn reaching(board: &Board, from: usize, to: usize) -> Rolls {
    let distance = from - to;
    let is_open = |pips: usize| board.opposing(from - pips) < 2;
    let mut rolls = if distance <= 6 { SHOWING[distance] } else { 0 };
    for one in 1..=6.min(distance - 1) {
        let other = distance - one;
        if other <= 6 && one != other && (is_open(one) || is_open(other)) {
            rolls |= roll(one, other);
        }
    }
    for count in 2..=4 {
        let die = distance / count;
        let is_whole = die * count == distance && die <= 6;
        if is_whole && (1..count).all(|steps| is_open(steps * die)) {
            rolls |= roll(die, die);
        }
    }
    rolls
}

/// What the side to roll threatens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Threat {
    /// The share of rolls that hit a blot.
    pub probability: f32,
    /// Shares of rolls for each blot times the pips that it would lose, summed up, in boards of 24.
    pub loss: f32,
}

/// What the side to roll threatens. With men on the bar only those are counted.
pub fn threat(board: &Board) -> Threat {
    let (mut all, mut loss) = (0, 0.0);
    let last = rear(&board.own);
    let first = if board.own[BAR] > 0 { BAR } else { 0 };
    for to in (0..24).filter(|&to| board.opposing(to) == 1) {
        let men = (first.max(to + 1)..last).filter(|&from| board.own[from] > 0);
        let rolls = men.fold(0, |rolls, from| rolls | reaching(board, from, to));
        all |= rolls;
        loss += rolls.count_ones() as f32 / 36.0 * (to + 1) as f32 / 24.0;
    }
    Threat {
        probability: all.count_ones() as f32 / 36.0,
        loss,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lone_blot(distance: usize, points: &[usize]) -> f32 {
        let (mut own, mut other) = ([0; 25], [0; 25]);
        own[23] = 1;
        other[distance] = 1;
        points.iter().for_each(|&distance| other[distance] = 2);
        threat(&Board::new(own, other)).probability * 36.0
    }

    #[test]
    fn shots_at_a_distance_are_as_in_the_tables() {
        let shots = [
            11, 12, 14, 15, 15, 17, 6, 6, 5, 3, 2, 3, 0, 0, 1, 1, 0, 1, 0, 1, 0, 0,
        ];
        for (index, count) in shots.into_iter().enumerate() {
            assert_eq!(
                lone_blot(index + 1, &[]).round() as i32,
                count,
                "{}",
                index + 1
            );
        }
    }

    #[test]
    fn points_of_the_other_side_block_combinations() {
        // Seven away: 6-1 by the 6 or the 1, 5-2, 4-3.
        assert_eq!(lone_blot(7, &[6]).round() as i32, 6);
        assert_eq!(lone_blot(7, &[1, 6]).round() as i32, 4);
        assert_eq!(lone_blot(3, &[1]).round() as i32, 13);
    }
}
