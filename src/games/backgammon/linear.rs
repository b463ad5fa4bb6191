//! A linear evaluation: features times weights give the log-odds of winning, of winning a gammon and of losing one.

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value, json};

use super::board::{BAR, Board, HOME, Men, pips, rear};
use super::outcome::{Outcome, logistic};
use super::position::BackgammonPosition;
use super::shots::threat;
use crate::games::weighted::{Features, WeightGroup, Weighted};
use crate::minimax::{Score, StaticEval};

/// Groups of the features of each side, with their sizes.
const SIDE_GROUPS: [(&str, usize); 9] = [
    // Points with at least two men, by index.
    ("made", 24),
    ("blot", 24),
    // Men beyond the second on each point.
    ("spare", 24),
    ("bar", 1),
    ("off", 1),
    // Points made in the home board, while the other side has men on the bar or not.
    ("closed", 7),
    ("board", 7),
    // Runs of made points of at least 3, 4, 5, 6.
    ("prime", 4),
    // Men of the other side behind a run of at least 4; shots of this side, and what they cost.
    ("caught", 3),
];
/// Groups of both sides together: a constant, the lead in pips with contact and in a race, length of a race.
const COMMON: (&str, usize) = ("race", 5);
/// Features of each side.
const SIDE: usize = 95;
/// Features.
const COUNT: usize = 2 * SIDE + COMMON.1;
/// What is predicted.
const HEADS: [&str; 3] = ["win", "win_gammon", "lose_gammon"];
/// Units of a weight in the log-odds.
const UNITS: f32 = 1000.0;
/// Largest weight.
const LARGEST: f32 = 20_000.0;

/// Weights, in thousandths of log-odds.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    /// For each head in turn, the features of the side to roll, of the other, of both.
    weights: Vec<f32>,
}

/// The weights that come with the program, learned from games against itself.
const BUILT_IN: &str = include_str!("../../../weights/backgammon-linear.json");

impl Linear {
    /// All weights zero.
    pub fn blank() -> Linear {
        Linear {
            weights: vec![0.0; HEADS.len() * COUNT],
        }
    }

    /// All weights.
    pub fn numbers(&self) -> &[f32] {
        &self.weights
    }

    /// Sets all weights.
    pub fn set_numbers(&mut self, numbers: &[f32]) {
        self.weights = numbers.to_vec();
    }

    /// The probabilities for the side to roll.
    pub fn outcome(&self, board: &Board) -> Outcome {
        let features = features(board);
        let sum = |head: usize| {
            let weights = &self.weights[head * COUNT..];
            let part = |&(index, count): &(usize, f32)| count * weights[index];
            logistic(features.iter().map(part).sum::<f32>() / UNITS)
        };
        Outcome {
            win: sum(0),
            win_gammon: sum(1),
            win_backgammon: 0.0,
            lose_gammon: sum(2),
            lose_backgammon: 0.0,
        }
    }

    /// A step of gradient descent on the cross entropy of the outcome with a target.
    pub fn learn(&mut self, board: &Board, target: &Outcome, rate: f32) {
        let found = self.outcome(board);
        let steps = [
            target.win - found.win,
            target.win_gammon - found.win_gammon,
            target.lose_gammon - found.lose_gammon,
        ];
        let features = features(board);
        for (head, step) in steps.into_iter().enumerate() {
            let weights = &mut self.weights[head * COUNT..];
            for &(index, count) in &features {
                let weight = weights[index] + UNITS * rate * step * count;
                weights[index] = weight.clamp(-LARGEST, LARGEST);
            }
        }
    }
}

impl Default for Linear {
    fn default() -> Linear {
        Linear::from_json(BUILT_IN).unwrap_or_else(|_| Linear::blank())
    }
}

/// The features that are not zero.
fn features(board: &Board) -> Vec<(usize, f32)> {
    let mut list = Vec::with_capacity(48);
    let is_race = board.is_race();
    side_features(board, is_race, 0, &mut list);
    side_features(&board.turned(), is_race, SIDE, &mut list);
    let (own, other) = (pips(&board.own) as f32, pips(&board.other) as f32);
    let lead = (other - own) / 10.0;
    let start = 2 * SIDE;
    list.push((start, 1.0));
    match is_race {
        true => list.extend([
            (start + 2, lead),
            // The lead against its spread, which grows with the square root of the length.
            (start + 3, 10.0 * (lead + 0.4) / (own + other + 1.0).sqrt()),
            (start + 4, 1.0),
        ]),
        false => list.push((start + 1, lead)),
    }
    list
}

/// The features of the side to roll.
fn side_features(board: &Board, is_race: bool, start: usize, list: &mut Vec<(usize, f32)>) {
    let men = &board.own;
    for (index, &count) in men[..BAR].iter().enumerate() {
        match count {
            0 => {}
            1 => list.push((start + 24 + index, 1.0)),
            _ => list.push((start + index, 1.0)),
        }
        if count > 2 {
            list.push((start + 48 + index, f32::from(count - 2)));
        }
    }
    let left: u8 = men.iter().sum();
    list.push((start + 72, f32::from(men[BAR])));
    list.push((start + 73, f32::from(15 - left.min(15)) / 5.0));
    if is_race {
        return;
    }
    let made = men[..HOME].iter().filter(|&&count| count > 1).count();
    let board_at = if board.other[BAR] > 0 { 74 } else { 81 };
    list.push((start + board_at + made, 1.0));
    let (longest, caught) = primes(men, board);
    for length in 3..=longest.min(6) {
        list.push((start + 88 + length - 3, 1.0));
    }
    let threat = threat(board);
    list.push((start + 92, caught));
    list.push((start + 93, threat.probability));
    list.push((start + 94, threat.loss));
}

/// The longest run of made points, and the men of the other side behind runs of at least four, a man counting one for
/// each point from the fourth on.
fn primes(men: &Men, board: &Board) -> (usize, f32) {
    let (mut longest, mut run, mut caught) = (0, 0, 0.0);
    let behind_from = rear(&board.other);
    for (index, &count) in men[..BAR].iter().enumerate() {
        run = if count > 1 { run + 1 } else { 0 };
        longest = longest.max(run);
        if run >= 4 {
            let first = index + 1 - run;
            let behind = (24 - first).min(24)..behind_from;
            let count: u8 = behind.map(|place| board.other[place]).sum();
            caught += f32::from(count) / 4.0;
        }
    }
    (longest, caught)
}

/// Groups with their places among the features.
fn groups() -> Vec<(String, usize)> {
    let side =
        |side: &'static str| SIDE_GROUPS.map(|(name, size)| (format!("{side}_{name}"), size));
    let common = (COMMON.0.to_owned(), COMMON.1);
    side("own")
        .into_iter()
        .chain(side("other"))
        .chain([common])
        .collect()
}

impl StaticEval<BackgammonPosition> for Linear {
    /// Hundredths of a point.
    fn evaluate(&self, position: &BackgammonPosition) -> Score {
        let outcome = self.outcome(&position.board).consistent();
        (100.0 * outcome.equity(position.stakes)).round() as Score
    }
}

impl Weighted<BackgammonPosition> for Linear {
    fn groups(&self) -> Vec<WeightGroup> {
        let group = |head: &str| -> Vec<WeightGroup> {
            let named = |(name, size)| WeightGroup::new(format!("{head}.{name}"), size);
            groups().into_iter().map(named).collect()
        };
        HEADS.iter().flat_map(|head| group(head)).collect()
    }

    /// In thousandths of log-odds.
    fn weights(&self) -> Vec<i32> {
        self.weights
            .iter()
            .map(|weight| weight.round() as i32)
            .collect()
    }

    fn with_weights(&self, weights: &[i32]) -> Linear {
        let clamped = |&weight: &i32| (weight as f32).clamp(-LARGEST, LARGEST);
        Linear {
            weights: weights.iter().map(clamped).collect(),
        }
    }

    fn to_json(&self) -> String {
        let mut heads = Map::new();
        for (head, weights) in HEADS.iter().zip(self.weights.chunks(COUNT)) {
            let mut rest = weights;
            let mut named = Map::new();
            for (name, size) in groups() {
                let (group, others) = rest.split_at(size);
                let rounded: Vec<i64> = group.iter().map(|weight| weight.round() as i64).collect();
                named.insert(name, json!(rounded));
                rest = others;
            }
            heads.insert((*head).to_owned(), Value::Object(named));
        }
        Value::Object(heads).to_string()
    }

    fn from_json(text: &str) -> Result<Linear> {
        let heads: Map<String, Value> =
            serde_json::from_str(text).context("weights are a JSON object")?;
        for name in heads.keys() {
            ensure!(
                HEADS.contains(&&**name),
                "there are no weights '{name}', only {}",
                HEADS.join(", ")
            );
        }
        let mut weights = Vec::with_capacity(HEADS.len() * COUNT);
        for head in HEADS {
            let named = heads
                .get(head)
                .with_context(|| format!("weights '{head}' are missing"))?;
            for (name, size) in groups() {
                let group = named.get(&name).and_then(Value::as_array);
                let numbers = group.map(|group| group.iter().filter_map(Value::as_f64));
                let numbers: Vec<f64> = numbers.map(Iterator::collect).unwrap_or_default();
                ensure!(
                    numbers.len() == size,
                    "{head}.{name} is a list of {size} numbers"
                );
                weights.extend(
                    numbers
                        .iter()
                        .map(|&number| (number as f32).clamp(-LARGEST, LARGEST)),
                );
            }
        }
        Ok(Linear { weights })
    }

    /// Of the log-odds of winning.
    fn features(&self, position: &BackgammonPosition) -> Features {
        Features {
            counts: features(&position.board),
            constant: 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_all_weights() {
        let side: usize = SIDE_GROUPS.iter().map(|(_, size)| size).sum();
        assert_eq!(side, SIDE);
        let all: usize = Linear::blank()
            .groups()
            .iter()
            .map(|group| group.size)
            .sum();
        assert_eq!(all, Linear::blank().weights.len());
    }

    #[test]
    fn weights_are_read_back() {
        let linear = Linear::blank().with_weights(
            &(0..HEADS.len() * COUNT)
                .map(|index| index as i32)
                .collect::<Vec<_>>(),
        );
        assert_eq!(
            Linear::from_json(&linear.to_json()).expect("its own text"),
            linear
        );
        let error = Linear::from_json("{\"win\": {}}").expect_err("weights are missing");
        assert!(
            error
                .to_string()
                .contains("win.own_made is a list of 24 numbers"),
            "{error}"
        );
        assert!(Linear::from_json("{\"won\": {}}").is_err());
    }

    #[test]
    fn men_behind_a_prime_are_caught() {
        let (mut own, mut other) = ([0; 25], [0; 25]);
        (3..9).for_each(|index| own[index] = 2);
        other[22] = 2;
        let board = Board::new(own, other);
        let (longest, caught) = primes(&own, &board);
        assert_eq!((longest, caught), (6, 1.5));
        other[22] = 0;
        other[10] = 2;
        assert_eq!(primes(&own, &Board::new(own, other)).1, 0.0);
    }
}
