//! What an evaluation provides to be tuned: its weights as a list of numbers.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};
use serde::de::DeserializeOwned;

use crate::minimax::StaticEval;

/// A group of weights that belong together, such as the values of a piece on each square.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightGroup {
    /// Its name.
    pub name: String,
    /// Number of its weights.
    pub size: usize,
}

impl WeightGroup {
    /// A group of this many weights.
    pub fn new(name: impl Into<String>, size: usize) -> WeightGroup {
        let name = name.into();
        WeightGroup { name, size }
    }
}

/// An evaluation as a sum of features times weights, seen from the first side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Features {
    /// Indices of weights and how often each counts; an index may occur several times.
    pub counts: Vec<(usize, f32)>,
    /// What no weight changes, in hundredths.
    pub constant: f32,
}

impl Features {
    /// The sum with these weights, in hundredths.
    pub fn value(&self, weights: &[f64]) -> f64 {
        let count = |&(index, count): &(usize, f32)| f64::from(count) * weights[index];
        f64::from(self.constant) + self.counts.iter().map(count).sum::<f64>()
    }
}

/// An evaluation with weights that may be changed.
pub trait Weighted<P>: StaticEval<P> + Default + Clone + Send {
    /// The groups, in the order of their weights.
    fn groups(&self) -> Vec<WeightGroup>;

    /// The weights, in hundredths.
    fn weights(&self) -> Vec<i32>;

    /// The same evaluation with these weights, as many as [`Weighted::weights`] gives; those that are too
    /// large become the largest.
    fn with_weights(&self, weights: &[i32]) -> Self;

    /// The weights as a JSON object, for people and for the engine's options.
    fn to_json(&self) -> String;

    /// Reads what [`Weighted::to_json`] writes. Weights that are missing keep their start values.
    fn from_json(text: &str) -> Result<Self>;

    /// The features of a position.
    fn features(&self, position: &P) -> Features;
}

/// A JSON object with a list for each group, given its name and size, of weights as they are written.
pub fn groups_to_json(
    groups: &[(&str, usize)],
    weights: impl IntoIterator<Item = String>,
) -> String {
    let mut weights = weights.into_iter();
    let line = |(name, size): &(&str, usize)| {
        let group: Vec<String> = weights.by_ref().take(*size).collect();
        format!("  \"{name}\": [{}]", group.join(", "))
    };
    let lines: Vec<String> = groups.iter().map(line).collect();
    format!("{{\n{}\n}}\n", lines.join(",\n"))
}

/// Replaces weights by those of a JSON object as [`groups_to_json`] makes it; groups that it lacks stay. An error names the
/// group that is unknown or of another size.
pub fn groups_from_json<T: Copy + DeserializeOwned>(
    text: &str,
    groups: &[(&str, usize)],
    weights: &mut [T],
) -> Result<()> {
    let lists: BTreeMap<String, Vec<T>> = serde_json::from_str(text)
        .context("weights are a JSON object with a list for each group")?;
    let mut rest = weights;
    for (name, size) in groups {
        let (group, others) = rest.split_at_mut(*size);
        rest = others;
        let Some(list) = lists.get(*name) else {
            continue;
        };
        let found = list.len();
        ensure!(
            found == *size,
            "'{name}' has {found} weights instead of {size}"
        );
        group.copy_from_slice(list);
    }
    let is_unknown = |name: &&String| !groups.iter().any(|(group, _)| group == name);
    match lists.keys().find(is_unknown) {
        Some(name) => bail!("there are no weights '{name}'"),
        None => Ok(()),
    }
}
