//! The evaluation: material, how the men stand, and patterns of men.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use super::board::Squares;
use super::endings;
use super::patterns::Patterns;
use super::position::DraughtsPosition;
use crate::games::weighted::{Features, WeightGroup, Weighted};
use crate::minimax::{Score, StaticEval};

/// The evaluation that comes with the program, tuned by games (`weights/README.md`).
const BUILT_IN: &str = include_str!("../../../weights/draughts.json");

static DEFAULT: LazyLock<Evaluation> = LazyLock::new(|| {
    // A test reads the file.
    Evaluation::read(BUILT_IN).unwrap_or_else(|_| Evaluation::simple())
});

/// An evaluation by weights in hundredths of a man.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// In the order of [`NAMES`].
    weights: [Score; WEIGHTS],
    /// Values of patterns, if it has them.
    patterns: Option<Arc<Patterns>>,
}

/// What a file with weights has: numbers, and values of patterns by variant.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Weight(i64),
    Patterns(BTreeMap<String, Vec<i16>>),
}

impl Default for Evaluation {
    fn default() -> Evaluation {
        DEFAULT.clone()
    }
}

/// Largest weight, so that no sum of them is taken for a win.
const LARGEST: i64 = 1_000;

/// A solved ending that is won at once; more than three kings against one without a solution.
const WON: Score = 1_200;
/// What each ply until then costs.
const WON_LATER: Score = 10;

/// A man.
const MAN: Score = 100;

/// The name of patterns in files.
const PATTERNS: &str = "patterns";

impl Evaluation {
    /// The evaluation of this name: `standard`, `simple` without patterns, `material`, or `thesis`, which values what a
    /// student's thesis does (Pospíšil 2007).
    pub fn named(name: Option<&str>) -> Result<Evaluation> {
        let [flying, short, ..] = SIMPLE;
        match name {
            None | Some("standard") => Ok(Evaluation::default()),
            Some("simple") => Ok(Evaluation::simple()),
            Some("material") => Ok(Evaluation::of([flying, short, 0, 0, 0, 0, 0, 0])),
            Some("thesis") => Ok(Evaluation::of([flying, short, 0, 10, 0, 5, 0, 5])),
            Some(other) => {
                bail!(
                    "draughts has no evaluation '{other}': there are standard, simple, material, thesis"
                )
            }
        }
    }

    /// Without patterns, with weights set by hand.
    fn simple() -> Evaluation {
        Evaluation::of(SIMPLE)
    }

    /// Of these weights, without patterns.
    fn of(weights: [Score; WEIGHTS]) -> Evaluation {
        Evaluation {
            weights,
            patterns: None,
        }
    }

    /// Reads weights by name; those that are missing are as in [`Evaluation::simple`], patterns of a variant zero.
    fn read(text: &str) -> Result<Evaluation> {
        let stored: BTreeMap<String, Stored> = serde_json::from_str(text)
            .context("weights are a JSON object of whole numbers, 'patterns' one of lists")?;
        let mut evaluation = Evaluation::simple();
        for (name, stored) in stored {
            match stored {
                Stored::Weight(number) => {
                    let place = NAMES.iter().position(|its| *its == name);
                    let place = place.with_context(|| format!("there is no weight '{name}'"))?;
                    ensure!(
                        (-LARGEST..=LARGEST).contains(&number),
                        "'{name}' is {number}; weights are -{LARGEST} to {LARGEST}"
                    );
                    evaluation.weights[place] = number as Score;
                }
                Stored::Patterns(lists) => {
                    ensure!(name == PATTERNS, "'{name}' is no whole number");
                    evaluation.patterns = Some(Arc::new(read_patterns(lists)?));
                }
            }
        }
        Ok(evaluation)
    }

    /// From White's point of view.
    pub fn white(&self, position: &DraughtsPosition) -> Score {
        if let Some(plies) = endings::known(position) {
            return sided(position, ending(plies));
        }
        let patterns = self.patterns.as_ref();
        let patterns = patterns.map_or(0, |patterns| patterns.white(position));
        self.side(position, true) - self.side(position, false) + patterns
    }

    fn side(&self, position: &DraughtsPosition, is_white: bool) -> Score {
        let counts = counts(position, is_white);
        let terms = counts.weighted.iter().zip(self.weights);
        MAN * counts.men + terms.map(|(count, weight)| count * weight).sum::<Score>()
    }
}

/// The value for the side to move of an ending that is solved (see [`endings::known`]): won ones are better the sooner they
/// end, drawn ones as good as even.
fn ending(plies: Option<u8>) -> Score {
    plies.map_or(0, |plies| match plies % 2 {
        1 => WON - WON_LATER * Score::from(plies),
        _ => WON_LATER * Score::from(plies) - WON,
    })
}

/// From a value for White that for the side to move, and the other way around.
fn sided(position: &DraughtsPosition, value: Score) -> Score {
    match position.white_moves() {
        true => value,
        false => -value,
    }
}

fn read_patterns(mut lists: BTreeMap<String, Vec<i16>>) -> Result<Patterns> {
    let mut values = Vec::new();
    for (name, size) in Patterns::groups() {
        let list = lists.remove(name).unwrap_or_else(|| vec![0; size]);
        ensure!(
            list.len() == size,
            "the patterns of '{name}' have {} values instead of {size}",
            list.len()
        );
        let is_small = |value: &&i16| !(-LARGEST..=LARGEST).contains(&i64::from(**value));
        if let Some(value) = list.iter().find(is_small) {
            bail!("a pattern of '{name}' is {value}; values are -{LARGEST} to {LARGEST}");
        }
        values.extend(list);
    }
    match lists.into_keys().next() {
        Some(name) => bail!("no patterns are for '{name}'"),
        None => Ok(Patterns::of_values(values.into_iter())),
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
/// Weights without patterns, set by hand: a king that moves over any distance, and one that moves a single step; each row
/// that a man has advanced; a man on the home row, which keeps the other side from crowning; a man in the middle
/// columns; a man whose two squares behind are occupied or the edge; a king on the longest diagonal of a board
/// with 64 squares; a man at the edge, where it cannot be captured.
const SIMPLE: [Score; WEIGHTS] = [300, 150, 2, 6, 3, 2, 10, 0];

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
        sided(position, self.white(position))
    }

    /// Of an ending that is drawn, or won before the game is drawn by the number of moves.
    fn solved(&self, position: &DraughtsPosition) -> Option<Score> {
        let plies = endings::known(position)?;
        let is_certain = plies.is_none_or(|plies| u16::from(plies) <= position.plies_left());
        is_certain.then(|| ending(plies))
    }
}

impl Weighted<DraughtsPosition> for Evaluation {
    fn groups(&self) -> Vec<WeightGroup> {
        let single = NAMES.map(|name| (name, 1)).into_iter();
        let patterns = self.patterns.iter().flat_map(|_| Patterns::groups());
        let groups = single.chain(patterns);
        groups
            .map(|(name, size)| WeightGroup::new(name, size))
            .collect()
    }

    fn weights(&self) -> Vec<i32> {
        let patterns = self.patterns.iter().flat_map(|patterns| patterns.values());
        self.weights
            .into_iter()
            .chain(patterns.map(i32::from))
            .collect()
    }

    fn with_weights(&self, weights: &[i32]) -> Evaluation {
        let mut numbers = weights
            .iter()
            .map(|weight| (*weight).clamp(-LARGEST as i32, LARGEST as i32));
        let single = std::array::from_fn(|_| numbers.next().unwrap_or_default());
        let patterns = self.patterns.as_ref();
        Evaluation {
            weights: single,
            patterns: patterns
                .map(|_| Arc::new(Patterns::of_values(numbers.map(|number| number as i16)))),
        }
    }

    fn to_json(&self) -> String {
        let terms = NAMES.iter().zip(self.weights);
        let mut lines: Vec<String> = terms
            .map(|(name, weight)| format!("  \"{name}\": {weight}"))
            .collect();
        if let Some(patterns) = &self.patterns {
            let mut values = patterns.values();
            let lists = Patterns::groups().filter_map(|(name, size)| {
                let list: Vec<i16> = values.by_ref().take(size).collect();
                let is_used = list.iter().any(|value| *value != 0);
                let list: Vec<String> = list.iter().map(i16::to_string).collect();
                is_used.then(|| format!("    \"{name}\": [{}]", list.join(",")))
            });
            let lists: Vec<String> = lists.collect();
            lines.push(format!("  \"{PATTERNS}\": {{\n{}\n  }}", lists.join(",\n")));
        }
        format!("{{\n{}\n}}\n", lines.join(",\n"))
    }

    fn from_json(text: &str) -> Result<Evaluation> {
        Evaluation::read(text)
    }

    fn features(&self, position: &DraughtsPosition) -> Features {
        if let Some(plies) = endings::known(position) {
            return Features {
                counts: Vec::new(),
                constant: sided(position, ending(plies)) as f32,
            };
        }
        let [white, black] = [true, false].map(|is_white| counts(position, is_white));
        let differences = white.weighted.iter().zip(black.weighted);
        let differences = differences
            .map(|(white, black)| (white - black) as f32)
            .enumerate();
        let patterns = self
            .patterns
            .iter()
            .flat_map(|_| Patterns::features(position));
        Features {
            counts: differences
                .filter(|(_, count)| *count != 0.0)
                .chain(patterns.map(|(index, sign)| (WEIGHTS + index, sign)))
                .collect(),
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
    fn built_in_evaluation_is_whole() {
        let built_in = Evaluation::read(BUILT_IN).unwrap();
        assert!(built_in.patterns.is_some());
        assert_eq!(built_in, Evaluation::default());
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
        let mistakes = [
            ("{\"center\": 5000}", "weights are -1000 to 1000"),
            ("{\"centre\": 5}", "no weight 'centre'"),
            ("{\"center\": {}}", "'center' is no whole number"),
            (
                "{\"patterns\": {\"russian\": [1]}}",
                "have 1 values instead of",
            ),
            (
                "{\"patterns\": {\"frisian\": []}}",
                "no patterns are for 'frisian'",
            ),
        ];
        for (text, expected) in mistakes {
            let error = Evaluation::from_json(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
