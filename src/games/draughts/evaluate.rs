//! The evaluation: material, and how the men stand.

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use super::board::Squares;
use super::position::DraughtsPosition;
use crate::games::weighted::{Features, WeightGroup, Weighted};
use crate::minimax::{Score, StaticEval};

/// Weights in hundredths of a man, set by hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Evaluation {
    /// A king that moves over any distance.
    pub flying_king: Score,
    /// A king that moves a single step.
    pub short_king: Score,
    /// For each row that a man has advanced.
    pub advance: Score,
    /// For a man on the home row, which keeps the other side from crowning.
    pub home_row: Score,
    /// For a man in the middle columns.
    pub center: Score,
    /// For a man whose two squares behind are occupied or the edge.
    pub protected: Score,
    /// For a king on the longest diagonal of a board with 64 squares.
    pub main_diagonal: Score,
    /// For a man at the edge, where it cannot be captured.
    pub edge: Score,
}

impl Default for Evaluation {
    fn default() -> Evaluation {
        Evaluation {
            flying_king: 300,
            short_king: 150,
            advance: 2,
            home_row: 6,
            center: 3,
            protected: 2,
            main_diagonal: 10,
            edge: 0,
        }
    }
}

/// Largest weight, so that no sum of them is taken for a win.
const LARGEST: i64 = 1_000;

/// A man.
const MAN: Score = 100;

impl Evaluation {
    /// The evaluation of this name: `standard`, `material`, or `thesis`, which values what a student's thesis
    /// does (Pospíšil 2007).
    pub fn named(name: Option<&str>) -> Result<Evaluation> {
        let material = Evaluation {
            flying_king: 300,
            short_king: 150,
            ..Evaluation::of_numbers([0; WEIGHTS])
        };
        match name {
            None | Some("standard") => Ok(Evaluation::default()),
            Some("material") => Ok(material),
            Some("thesis") => Ok(Evaluation {
                home_row: 10,
                edge: 5,
                protected: 5,
                ..material
            }),
            Some(other) => {
                bail!("draughts has no evaluation '{other}': there are standard, material, thesis")
            }
        }
    }

    /// Reads weights by name.
    fn read(text: &str) -> Result<Evaluation> {
        let weights: Evaluation =
            serde_json::from_str(text).context("weights are a JSON object of whole numbers")?;
        let all = serde_json::to_value(&weights)?;
        let numbers = all.as_object().into_iter().flatten();
        let mut too_large = numbers.filter(|(_, value)| {
            let number = value.as_i64().unwrap_or(i64::MAX);
            !(-LARGEST..=LARGEST).contains(&number)
        });
        match too_large.next() {
            Some((name, value)) => {
                bail!("'{name}' is {value}; weights are -{LARGEST} to {LARGEST}")
            }
            None => Ok(weights),
        }
    }

    /// From White's point of view.
    pub fn white(&self, position: &DraughtsPosition) -> Score {
        self.side(position, true) - self.side(position, false)
    }

    fn side(&self, position: &DraughtsPosition, is_white: bool) -> Score {
        let counts = counts(position, is_white);
        let weights = self.numbers();
        let terms = counts.weighted.iter().zip(weights);
        MAN * counts.men + terms.map(|(count, weight)| count * weight).sum::<Score>()
    }

    /// The weights in the order of their declaration.
    fn numbers(&self) -> [Score; WEIGHTS] {
        [
            self.flying_king,
            self.short_king,
            self.advance,
            self.home_row,
            self.center,
            self.protected,
            self.main_diagonal,
            self.edge,
        ]
    }

    fn of_numbers(numbers: [Score; WEIGHTS]) -> Evaluation {
        let [
            flying_king,
            short_king,
            advance,
            home_row,
            center,
            protected,
            main_diagonal,
            edge,
        ] = numbers;
        Evaluation {
            flying_king,
            short_king,
            advance,
            home_row,
            center,
            protected,
            main_diagonal,
            edge,
        }
    }
}

/// Number of weights, and their names in order.
const WEIGHTS: usize = 8;
const MAIN_DIAGONAL: usize = 6;
const NAMES: [&str; WEIGHTS] = [
    "flying_king",
    "short_king",
    "advance",
    "home_row",
    "center",
    "protected",
    "main_diagonal",
    "edge",
];

/// What a side has of each weight's feature, and its men.
struct SideCounts {
    men: Score,
    weighted: [Score; WEIGHTS],
}

fn counts(position: &DraughtsPosition, is_white: bool) -> SideCounts {
    let (layout, variant) = (position.layout(), position.variant());
    let own = position.pieces(is_white);
    let (kings, men) = (own & position.kings(), own & !position.kings());
    let standing = position.standing(is_white);
    // A square is open from behind where a step from an empty one leads to it.
    let ahead = if is_white { [0, 1] } else { [2, 3] };
    let open = ahead.map(|direction| layout.step(position.empty(), direction));
    let protected = men & !(open[0] | open[1] | layout.last_row(!is_white));
    let mut counts = SideCounts {
        men: standing.men(),
        weighted: [
            0,
            0,
            standing.gained(),
            standing.home(),
            standing.central(),
            count(protected),
            0,
            count(men & layout.edge),
        ],
    };
    if kings != 0 {
        counts.weighted[usize::from(!variant.flying)] = count(kings);
        if variant.side == 8 {
            counts.weighted[MAIN_DIAGONAL] = count(kings & layout.main_diagonal);
        }
    }
    counts
}

fn count(squares: Squares) -> Score {
    squares.count_ones() as Score
}

impl StaticEval<DraughtsPosition> for Evaluation {
    fn evaluate(&self, position: &DraughtsPosition) -> Score {
        let white = self.white(position);
        match position.white_moves() {
            true => white,
            false => -white,
        }
    }
}

impl Weighted<DraughtsPosition> for Evaluation {
    fn groups(&self) -> Vec<WeightGroup> {
        let group = |name: &&str| WeightGroup {
            name: (*name).to_owned(),
            size: 1,
        };
        NAMES.iter().map(group).collect()
    }

    fn weights(&self) -> Vec<i32> {
        self.numbers().to_vec()
    }

    fn with_weights(&self, weights: &[i32]) -> Evaluation {
        let mut numbers = [0; WEIGHTS];
        for (number, weight) in numbers.iter_mut().zip(weights) {
            *number = (*weight).clamp(-LARGEST as i32, LARGEST as i32);
        }
        Evaluation::of_numbers(numbers)
    }

    fn to_json(&self) -> String {
        let terms = NAMES.iter().zip(self.numbers());
        let lines: Vec<String> = terms
            .map(|(name, weight)| format!("  \"{name}\": {weight}"))
            .collect();
        format!("{{\n{}\n}}\n", lines.join(",\n"))
    }

    fn from_json(text: &str) -> Result<Evaluation> {
        Evaluation::read(text)
    }

    fn features(&self, position: &DraughtsPosition) -> Features {
        let [white, black] = [true, false].map(|is_white| counts(position, is_white));
        let differences = white.weighted.iter().zip(black.weighted);
        let differences = differences
            .map(|(white, black)| (white - black) as f32)
            .enumerate();
        Features {
            counts: differences.filter(|(_, count)| *count != 0.0).collect(),
            constant: (MAN * (white.men - black.men)) as f32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::notation::parse_position;
    use super::super::variant::{VARIANTS, Variant};
    use super::*;
    use crate::minimax::{Position, Wanted};

    /// Plays random games; sums that are kept are those of a position set up anew.
    #[test]
    fn sums_follow_the_moves() {
        let evaluation = Evaluation::default();
        let mut number = 1_u64;
        for variant in &VARIANTS {
            let mut position = DraughtsPosition::start(variant);
            for _ in 0..120 {
                let mut moves = Vec::new();
                position.moves(Wanted::All, &mut moves);
                number = number.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                let Some(mv) = moves.get((number >> 33) as usize % moves.len().max(1)) else {
                    break;
                };
                assert_eq!(position.count(&mut Vec::new()), moves.len());
                position.play(*mv);
                let pieces = [true, false].map(|is_white| position.pieces(is_white));
                let anew = DraughtsPosition::new(
                    variant,
                    pieces,
                    position.kings(),
                    position.white_moves(),
                );
                assert_eq!(position.key(), anew.key());
                for is_white in [true, false] {
                    assert_eq!(position.standing(is_white), anew.standing(is_white));
                }
                assert_eq!(evaluation.white(&position), evaluation.white(&anew));
            }
        }
    }

    #[test]
    fn features_times_weights_are_the_evaluation() {
        let evaluation = Evaluation::default();
        let weights: Vec<f64> = evaluation.weights().into_iter().map(f64::from).collect();
        let others = [
            ("russian", "W:WK1,22,23,26:BK32,7,10,11"),
            ("english", "B:W22,K5:B1,3,K29"),
        ];
        let others = others
            .map(|(name, text)| parse_position(Variant::named(Some(name)).unwrap(), text).unwrap());
        for position in VARIANTS.iter().map(DraughtsPosition::start).chain(others) {
            let value = evaluation.features(&position).value(&weights);
            assert_eq!(value, f64::from(evaluation.white(&position)));
        }
        assert_eq!(
            Evaluation::from_json(&evaluation.to_json()).unwrap(),
            evaluation
        );
        assert!(Evaluation::from_json("{\"center\": 5000}").is_err());
    }
}
