//! The evaluation: what either side could make at each point, after a short search for a win by fours.

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use super::classes::PointClass;
use super::position::GomokuPosition;
use super::rule::Color;
use super::vcf::{Vcf, solve};
use crate::games::weighted::{Features, WeightGroup, Weighted};
use crate::minimax::{Score, StaticEval};

/// A row that can be completed at once.
const FIVE: Score = 25_000;
/// A straight four that can be made.
const STRAIGHT_FOUR: Score = 24_000;
/// A win by fours, less [`LATER`] for each move.
const FOURS: Score = 23_000;
const LATER: Score = 10;
/// Fours that the search for such a win tries.
const TRIED: u64 = 60;

/// Value of the number of points of each class, for the side to move and for the other. Weights are set by hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Evaluation {
    /// For the side to move, by class: two, twos, three, threes, four, four and three.
    pub mover: [Score; WEIGHED.len()],
    /// The same for the other side.
    pub other: [Score; WEIGHED.len()],
    /// For each point where the other side could make a straight four.
    pub threat: Score,
}

/// Classes with weights.
const WEIGHED: [PointClass; 6] = [
    PointClass::Two,
    PointClass::Twos,
    PointClass::Three,
    PointClass::Threes,
    PointClass::Four,
    PointClass::FourThree,
];
/// Number of weights.
const WEIGHTS: usize = 2 * WEIGHED.len() + 1;
/// Largest weight, so that no sum of them is taken for a win.
const LARGEST: i32 = 500;

impl Default for Evaluation {
    fn default() -> Evaluation {
        Evaluation {
            mover: [3, 8, 18, 90, 30, 300],
            other: [2, 6, 12, 40, 20, 150],
            threat: 60,
        }
    }
}

impl Evaluation {
    fn numbers(&self) -> [Score; WEIGHTS] {
        let all = self.mover.iter().chain(&self.other).chain([&self.threat]);
        let mut numbers = [0; WEIGHTS];
        for (number, weight) in numbers.iter_mut().zip(all) {
            *number = *weight;
        }
        numbers
    }

    fn of_numbers(numbers: [Score; WEIGHTS]) -> Evaluation {
        let mut evaluation = Evaluation::default();
        let Evaluation {
            mover,
            other,
            threat,
        } = &mut evaluation;
        let all = mover.iter_mut().chain(other).chain([threat]);
        for (weight, number) in all.zip(numbers) {
            *weight = number;
        }
        evaluation
    }

    /// Without search, from the side to move.
    fn still(&self, position: &GomokuPosition) -> Score {
        let terms = counts(position).into_iter().zip(self.numbers());
        terms.map(|(count, weight)| count * weight).sum()
    }
}

/// How often each weight counts, from the side to move.
fn counts(position: &GomokuPosition) -> [Score; WEIGHTS] {
    let (board, mover, other) = (position.board(), position.color(), position.color().other());
    let count = |color: Color, class| board.count(color, class) as Score;
    let mut counts = [0; WEIGHTS];
    for (at, class) in WEIGHED.into_iter().enumerate() {
        counts[at] = count(mover, class);
        counts[WEIGHED.len() + at] = -count(other, class);
    }
    counts[WEIGHTS - 1] = -count(other, PointClass::Winning);
    counts
}

/// What needs no weights: the score of a position that is as good as won or lost.
fn decided(position: &GomokuPosition) -> Option<Score> {
    let (board, mover) = (position.board(), position.color());
    if board.count(mover, PointClass::Five) > 0 {
        return Some(FIVE);
    }
    match board.count(mover.other(), PointClass::Five) {
        0 => {}
        1 => return None,
        // One stone may stop both.
        _ if position.variant().rule.stops_beyond() => return None,
        _ => return Some(-FIVE),
    }
    if position.straight_four().is_some() {
        return Some(STRAIGHT_FOUR);
    }
    let has = |class| board.count(mover, class) > 0;
    if !has(PointClass::Four) && !has(PointClass::FourThree) {
        return None;
    }
    match solve(&mut board.clone(), mover, TRIED).answer {
        Vcf::Won(line) => Some(FOURS - LATER * line.len() as Score),
        Vcf::Refuted | Vcf::Unknown => None,
    }
}

impl StaticEval<GomokuPosition> for Evaluation {
    fn evaluate(&self, position: &GomokuPosition) -> Score {
        let most = FOURS / 2;
        decided(position).unwrap_or_else(|| self.still(position).clamp(-most, most))
    }
}

impl Weighted<GomokuPosition> for Evaluation {
    fn groups(&self) -> Vec<WeightGroup> {
        vec![
            WeightGroup::new("mover", WEIGHED.len()),
            WeightGroup::new("other", WEIGHED.len()),
            WeightGroup::new("threat", 1),
        ]
    }

    fn weights(&self) -> Vec<i32> {
        self.numbers().to_vec()
    }

    fn with_weights(&self, weights: &[i32]) -> Evaluation {
        let mut numbers = [0; WEIGHTS];
        for (number, weight) in numbers.iter_mut().zip(weights) {
            *number = (*weight).clamp(-LARGEST, LARGEST);
        }
        Evaluation::of_numbers(numbers)
    }

    fn to_json(&self) -> String {
        let Evaluation {
            mover,
            other,
            threat,
        } = self;
        format!(
            "{{\n  \"mover\": {mover:?},\n  \"other\": {other:?},\n  \"threat\": {threat}\n}}\n"
        )
    }

    fn from_json(text: &str) -> Result<Evaluation> {
        let form =
            "weights are a JSON object: mover and other with 6 whole numbers each, and threat";
        let weights: Evaluation = serde_json::from_str(text).context(form)?;
        let too_large = |weight: &&i32| !(-LARGEST..=LARGEST).contains(*weight);
        match weights.numbers().iter().find(too_large) {
            Some(weight) => bail!("{weight} is too large: weights are -{LARGEST} to {LARGEST}"),
            None => Ok(weights),
        }
    }

    fn features(&self, position: &GomokuPosition) -> Features {
        let sign = if position.color() == Color::White {
            1
        } else {
            -1
        };
        if let Some(score) = decided(position) {
            return Features {
                counts: Vec::new(),
                constant: (sign * score) as f32,
            };
        }
        let counts = counts(position)
            .into_iter()
            .map(|count| (sign * count) as f32);
        Features {
            counts: counts
                .enumerate()
                .filter(|(_, count)| *count != 0.0)
                .collect(),
            constant: 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::notation::parse_position;
    use super::super::rule::Variant;
    use super::*;

    #[test]
    fn features_times_weights_are_the_evaluation() {
        let evaluation = Evaluation::default();
        let weights: Vec<f64> = evaluation.weights().into_iter().map(f64::from).collect();
        for text in [
            "",
            "h8",
            "h8i9g7",
            "h8i9g7f6h7",
            "h8i9g7f6h7h6h9",
            "h8a1g8a2f8a3",
            "h8a1g8a2f8a3e8",
        ] {
            let position = parse_position(Variant::named(None).unwrap(), text).unwrap();
            let value = evaluation.features(&position).value(&weights);
            let score = f64::from(evaluation.evaluate(&position));
            let white = if position.color() == Color::White {
                score
            } else {
                -score
            };
            assert_eq!(value, white, "{text}");
        }
        let read = Evaluation::from_json(&evaluation.to_json()).unwrap();
        assert_eq!(read, evaluation);
        assert!(Evaluation::from_json("{\"threat\": 5000}").is_err());
        assert_eq!(evaluation.with_weights(&evaluation.weights()), evaluation);
    }
}
