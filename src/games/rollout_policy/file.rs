//! The weights as text: JSON, in thousandths of nats.

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value, json};

use super::recent::{ANSWERS, DISTANCES};
use super::surroundings::{CODES, canonical, canonical_without_place};
use super::tactics::GROUPS;
use super::weights::{FIRST_SHAPE, Weights};

/// What a file says it is.
const FORMAT: &str = "keima rollout policy";
/// Version of the format.
const VERSION: u64 = 1;
/// Units of a weight in a nat.
const UNITS: f32 = 1000.0;
/// Largest weight in nats.
const LARGEST: f32 = 20.0;
/// Largest number of patterns of a kind.
const MOST_PATTERNS: usize = 200_000;

impl Weights {
    /// The text of a file.
    pub fn to_json(&self) -> String {
        let mut groups = Map::new();
        let mut first = 0;
        for (name, size) in groups_of_numbers() {
            let values: Vec<i64> = (first..first + size).map(|it| self.units(it)).collect();
            groups.insert(name, json!(values));
            first += size;
        }
        let mut patterns = |name: &str, codes: &[u32]| {
            let mut values = Vec::with_capacity(2 * codes.len());
            for &code in codes {
                values.extend([i64::from(code), self.units(first)]);
                first += 1;
            }
            groups.insert(name.to_owned(), json!(values));
        };
        patterns("shapes", &self.shapes);
        patterns("patterns", &self.liberties);
        patterns("responses", &self.responses);
        let head = json!({ "format": FORMAT, "version": VERSION });
        let mut text = head.to_string();
        text.pop();
        // A line for each group.
        for (name, values) in groups {
            text += &format!(",\n{}:{values}", json!(name));
        }
        text + "}\n"
    }

    /// Reads what [`Weights::to_json`] writes.
    pub fn from_json(text: &str) -> Result<Weights> {
        let no_policy =
            "this is no rollout policy of keima (`keima rollout-policy train` makes one)";
        let root: Value = serde_json::from_str(text).context(no_policy)?;
        ensure!(root["format"] == FORMAT, no_policy);
        let version = root["version"].as_u64().unwrap_or(0);
        ensure!(
            version == VERSION,
            "the rollout policy has version {version}, but this program reads version {VERSION}"
        );
        let group = |name: &str| -> Result<Vec<i64>> {
            let values = root[name].as_array();
            let values = values.with_context(|| format!("the rollout policy has no {name}"))?;
            let numbers: Option<Vec<i64>> = values.iter().map(Value::as_i64).collect();
            numbers.with_context(|| format!("the rollout policy's {name}: not all whole numbers"))
        };
        let patterns = |name: &str| {
            group(name).and_then(|values| {
                coded(&values).with_context(|| format!("the rollout policy's {name}"))
            })
        };
        let (liberties, responses) = (patterns("patterns")?, patterns("responses")?);
        check_canonical(&liberties, canonical_without_place)?;
        check_canonical(&responses, canonical)?;
        let codes = |list: &[(u32, f32)]| list.iter().map(|&(code, _)| code).collect();
        let mut weights = Weights::new(codes(&liberties), codes(&responses));
        let mut numbers = Vec::with_capacity(weights.len());
        for (name, size) in groups_of_numbers() {
            let values = group(&name)?;
            ensure!(
                values.len() == size,
                "the rollout policy's {name}: {} numbers instead of {size}",
                values.len()
            );
            numbers.extend(values.into_iter().map(nats));
        }
        let shapes = patterns("shapes")?;
        ensure!(
            codes(&shapes) as Vec<u32> == weights.shapes,
            "the rollout policy's shapes are not those of a board"
        );
        for list in [shapes, liberties, responses] {
            numbers.extend(list.iter().map(|&(_, value)| value));
        }
        weights.numbers = numbers;
        Ok(weights)
    }

    fn units(&self, number: usize) -> i64 {
        let weight = self.numbers[number].clamp(-LARGEST, LARGEST);
        (weight * UNITS).round() as i64
    }

    /// A number that other weights do not share (FNV-1a).
    pub(super) fn fingerprint(&self) -> u64 {
        let patterns = self.liberties.iter().chain(&self.responses).copied();
        let numbers = self.numbers.iter().map(|number| number.to_bits());
        patterns
            .chain(numbers)
            .fold(0xCBF2_9CE4_8422_2325, |hash, word| {
                (hash ^ u64::from(word)).wrapping_mul(0x0000_0100_0000_01B3)
            })
    }
}

/// The groups before the shapes with their sizes.
fn groups_of_numbers() -> Vec<(String, usize)> {
    let tactics = GROUPS.iter().map(|&(name, size)| (name.to_owned(), size));
    let groups = tactics.chain([
        ("answers".to_owned(), ANSWERS.len()),
        ("near-last".to_owned(), DISTANCES),
        ("near-before".to_owned(), DISTANCES),
    ]);
    let groups: Vec<(String, usize)> = groups.collect();
    debug_assert_eq!(
        groups.iter().map(|group| group.1).sum::<usize>(),
        FIRST_SHAPE
    );
    groups
}

fn nats(units: i64) -> f32 {
    (units as f32 / UNITS).clamp(-LARGEST, LARGEST)
}

/// Codes and weights in turn.
fn coded(values: &[i64]) -> Result<Vec<(u32, f32)>> {
    let (pairs, rest) = values.as_chunks::<2>();
    ensure!(rest.is_empty(), "a code without weight");
    ensure!(pairs.len() <= MOST_PATTERNS, "more than {MOST_PATTERNS}");
    let pair = |&[code, weight]: &[i64; 2]| {
        let code = u32::try_from(code).ok().filter(|&code| code < CODES);
        let code = code.with_context(|| format!("a code that is not below {CODES}"))?;
        Ok((code, nats(weight)))
    };
    pairs.iter().map(pair).collect()
}

/// Refuses codes that stand for others, or that are not in order.
fn check_canonical(list: &[(u32, f32)], least: fn(u32) -> u32) -> Result<()> {
    let is_least = list.iter().all(|&(code, _)| least(code) == code);
    ensure!(
        is_least && list.is_sorted_by(|a, b| a.0 < b.0),
        "the rollout policy's patterns are not in order"
    );
    Ok(())
}
