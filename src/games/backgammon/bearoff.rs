//! Bearing off: for all men of a side in its home board, the exact probabilities of the number of rolls that it needs
//! when it plays for the smallest mean. The table is computed at first use, in a fraction of a second.

use std::sync::OnceLock;

use super::board::{Board, HOME, MEN, Men, is_home, men_left};
use super::plays::rolls;

/// Numbers of rolls that are told apart; more do not occur with a probability above 1e-12.
const ROLLS: usize = 32;

/// Men on the points 1 to 6.
type Home = [u8; HOME];

/// Probabilities of the numbers of rolls, from 0 on.
type Distribution = [f64; ROLLS];

/// The table.
pub struct BearOff {
    distributions: Vec<Distribution>,
    means: Vec<f64>,
}

/// Binomial coefficients up to 21 over 6.
const BINOMIAL: [[u32; HOME + 1]; 22] = {
    let mut table = [[0; HOME + 1]; 22];
    let mut n = 0;
    while n < 22 {
        table[n][0] = 1;
        let mut k = 1;
        while k <= HOME && n > 0 {
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    table
};

/// Number of positions with at most 15 men.
const POSITIONS: usize = BINOMIAL[21][HOME] as usize;

/// A position's number: in the combinatorial number system for the multiset of its men, so that taking a man
/// nearer or off gives a smaller number.
fn number(home: &Home) -> usize {
    // With `sum` men on points from this one on, from the highest point.
    let (mut index, mut sum) = (0, 0);
    for (below, &count) in home.iter().enumerate().rev() {
        sum += usize::from(count);
        if sum > 0 {
            index += BINOMIAL[sum + HOME - 1 - below][HOME - below] as usize;
        }
    }
    index
}

impl BearOff {
    /// The table of the program.
    pub fn shared() -> &'static BearOff {
        static TABLE: OnceLock<BearOff> = OnceLock::new();
        TABLE.get_or_init(BearOff::computed)
    }

    /// Computes it: positions in the order of their pips, so that all that can follow are known.
    pub fn computed() -> BearOff {
        let mut table = BearOff {
            distributions: vec![[0.0; ROLLS]; POSITIONS],
            means: vec![0.0; POSITIONS],
        };
        let mut homes = Vec::with_capacity(POSITIONS);
        all_homes(&mut [0; HOME], 0, MEN, &mut homes);
        homes.sort_by_key(pips);
        table.distributions[0][0] = 1.0;
        // The best position after one, two and three equal dice, for each position and die.
        let mut equal = vec![[[0; 6]; 3]; POSITIONS];
        for home in &homes[1..] {
            let index = number(home);
            let steps: [Vec<usize>; 6] = std::array::from_fn(|die| after_die(home, die + 1));
            let best = |positions: &mut dyn Iterator<Item = usize>| {
                let mean = |position: &usize| table.means[*position];
                let best = positions.min_by(|one, other| mean(one).total_cmp(&mean(other)));
                best.unwrap_or_default()
            };
            let mut distribution = [0.0; ROLLS];
            for dice in rolls() {
                let (high, low) = (usize::from(dice.high) - 1, usize::from(dice.low) - 1);
                let after = match dice.is_double() {
                    true => best(&mut steps[high].iter().map(|next| equal[*next][2][high])),
                    false => {
                        let one = steps[high].iter().map(|next| equal[*next][0][low]);
                        let other = steps[low].iter().map(|next| equal[*next][0][high]);
                        best(&mut one.chain(other))
                    }
                };
                let next = &table.distributions[after];
                for (sum, part) in distribution[1..].iter_mut().zip(next) {
                    *sum += dice.probability() * part;
                }
            }
            for die in 0..6 {
                let one = best(&mut steps[die].iter().copied());
                let two = best(&mut steps[die].iter().map(|next| equal[*next][0][die]));
                let three = best(&mut steps[die].iter().map(|next| equal[*next][1][die]));
                for (count, after) in [one, two, three].into_iter().enumerate() {
                    equal[index][count][die] = after;
                }
            }
            let mean = distribution
                .iter()
                .enumerate()
                .map(|(rolls, p)| rolls as f64 * p);
            table.means[index] = mean.sum();
            table.distributions[index] = distribution;
        }
        table
    }

    /// The mean number of rolls that a side needs, if all its men are at home.
    pub fn mean(&self, men: &Men) -> Option<f64> {
        Some(self.means[number(&home_of(men)?)])
    }

    /// The probabilities that a side needs 0, 1, 2... rolls, if all its men are at home.
    pub fn distribution(&self, men: &Men) -> Option<&[f64]> {
        Some(&self.distributions[number(&home_of(men)?)])
    }

    /// The probability that the side to roll wins, if all men of both sides are at home.
    pub fn win(&self, board: &Board) -> Option<f64> {
        let own = self.distribution(&board.own)?;
        let other = self.distribution(&board.other)?;
        // The side to roll also wins if both need as many rolls.
        let (mut not_yet, mut win) = (1.0, 0.0);
        for (own, other) in own.iter().zip(other) {
            win += own * not_yet;
            not_yet -= other;
        }
        Some(win)
    }
}

/// The men of a side whose men are all at home.
fn home_of(men: &Men) -> Option<Home> {
    let mut home = [0; HOME];
    home.copy_from_slice(&men[..HOME]);
    (is_home(men) && men_left(men) <= MEN).then_some(home)
}

fn pips(home: &Home) -> usize {
    let part = |(index, &count): (usize, &u8)| (index + 1) * usize::from(count);
    home.iter().enumerate().map(part).sum()
}

fn all_homes(home: &mut Home, point: usize, left: u8, list: &mut Vec<Home>) {
    if point == HOME {
        return list.push(*home);
    }
    for count in 0..=left {
        home[point] = count;
        all_homes(home, point + 1, left - count, list);
    }
    home[point] = 0;
}

/// Numbers of the positions after one die, which can always be played.
fn after_die(home: &Home, die: usize) -> Vec<usize> {
    let rear = home.iter().rposition(|&count| count > 0).unwrap_or(0);
    let is_legal = |from: &usize| {
        let is_off = from + 1 == die || from + 1 < die && *from == rear;
        home[*from] > 0 && (*from >= die || is_off)
    };
    let after = |from: usize| {
        let mut next = *home;
        next[from] -= 1;
        if from >= die {
            next[from - die] += 1;
        }
        number(&next)
    };
    (0..=rear).filter(is_legal).map(after).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::backgammon::plays::plays;

    #[test]
    fn positions_have_distinct_numbers() {
        let mut homes = Vec::new();
        all_homes(&mut [0; HOME], 0, MEN, &mut homes);
        let mut numbers: Vec<usize> = homes.iter().map(number).collect();
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..POSITIONS));
    }

    /// The mean number of rolls by the rules of the game, against a lone man of the other side that is out of the way.
    fn mean_by_rules(board: &Board, known: &mut Vec<(Men, f64)>) -> f64 {
        if men_left(&board.own) == 0 {
            return 0.0;
        }
        if let Some((_, mean)) = known.iter().find(|(men, _)| *men == board.own) {
            return *mean;
        }
        let mut mean = 1.0;
        let mut list = Vec::new();
        for dice in rolls() {
            list.clear();
            plays(board, dice, &mut list);
            let next = list.iter().map(|play| mean_by_rules(&play.after, known));
            mean += dice.probability() * next.fold(f64::INFINITY, f64::min);
        }
        known.push((board.own, mean));
        mean
    }

    #[test]
    fn table_agrees_with_the_rules() {
        let mut homes = Vec::new();
        all_homes(&mut [0; HOME], 0, 4, &mut homes);
        let mut other = [0; 25];
        other[0] = 1;
        let (table, mut known) = (BearOff::shared(), Vec::new());
        for home in homes {
            let mut own = [0; 25];
            own[..HOME].copy_from_slice(&home);
            let board = Board::new(own, other);
            let mean = mean_by_rules(&board, &mut known);
            let found = table.mean(&own).expect("all men are at home");
            assert!((found - mean).abs() < 1e-9, "{home:?}: {found}, {mean}");
        }
    }

    /// The probability that the side to roll wins when both play as the table does, without its distributions.
    fn win_by_recursion(board: &Board) -> f64 {
        let table = BearOff::shared();
        let mut list = Vec::new();
        let mut win = 0.0;
        for dice in rolls() {
            list.clear();
            plays(board, dice, &mut list);
            let mean = |men: &Men| table.mean(men).unwrap_or(f64::INFINITY);
            let best = list
                .iter()
                .min_by(|one, other| mean(&one.after.own).total_cmp(&mean(&other.after.own)))
                .expect("there is always a play");
            win += dice.probability()
                * match men_left(&best.after.own) {
                    0 => 1.0,
                    _ => 1.0 - win_by_recursion(&best.after.turned()),
                };
        }
        win
    }

    #[test]
    fn equities_agree_with_a_direct_recursion() {
        let men = |points: &[usize]| {
            let mut men = [0; 25];
            points.iter().for_each(|point| men[point - 1] += 1);
            men
        };
        let sides = [
            men(&[6]),
            men(&[5, 2]),
            men(&[1, 1]),
            men(&[4, 3]),
            men(&[2, 1, 1]),
        ];
        for own in sides {
            for other in sides {
                let board = Board::new(own, other);
                let found = BearOff::shared().win(&board).expect("all men are at home");
                let win = win_by_recursion(&board);
                assert!(
                    (found - win).abs() < 1e-6,
                    "{own:?} {other:?}: {found}, {win}"
                );
            }
        }
    }

    #[test]
    fn probabilities_sum_up_to_1() {
        let mut men = [0; 25];
        men[5] = 15;
        let table = BearOff::shared();
        let sum: f64 = table.distribution(&men).expect("at home").iter().sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        assert_eq!(table.mean(&[0; 25]), Some(0.0));
        men[6] = 0;
        men[7] = 1;
        assert_eq!(table.mean(&men), None);
    }
}
