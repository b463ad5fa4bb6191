//! Options whose text needs reading: board sizes, rules, komi.

use anyhow::{Context, Result};

use crate::formats::rules_json;
use crate::go::{BoardSize, Komi, Rules};

/// A board size: one number, or width and height with an `x` between.
pub fn board_size(text: &str) -> Result<BoardSize> {
    let (width, height) = text.split_once(['x', 'X', ':']).unwrap_or((text, text));
    let size = |side: &str| side.trim().parse::<usize>().ok();
    size(width)
        .zip(size(height))
        .and_then(|(width, height)| BoardSize::new(width, height))
        .with_context(|| format!("'{text}' is no board size; 2 to 25, or for example 9x13"))
}

/// A rule set by name or in JSON.
pub fn rules(text: &str) -> Result<Rules> {
    rules_json::parse(text).with_context(|| format!("cannot read the rules '{text}'"))
}

/// The komi given, or the one usual under the rules.
pub fn komi(points: Option<f64>, rules: &Rules) -> Result<Komi> {
    match points {
        Some(points) => Komi::from_points(points).context("komi must be a number"),
        None => Ok(rules.usual_komi()),
    }
}
