//! Parsers for options: board sizes, rules, komi, times; errors say what is wrong. And help texts
//! generated from parameter lists.

use std::fmt::Display;
use std::str::FromStr;

use anyhow::Context;

use super::device::THREADS_FOR_GPU;
use super::engine_config::default_groups;
use crate::formats::rules_json;
use crate::go::{BoardSize, Komi, Rules};
use crate::params::{ParamEntry, Parameters};
use crate::threads::cores;

/// Sets parameters from the values of `--set`, each NAME=VALUE.
pub fn set_all(params: &mut dyn Parameters, settings: &[String]) -> anyhow::Result<()> {
    for setting in settings {
        let (name, value) = setting
            .split_once('=')
            .with_context(|| format!("'{setting}' is not of the form NAME=VALUE"))?;
        params.set(name.trim(), value)?;
    }
    Ok(())
}

/// Two dice, as in `31`, `3-1` or `3 1`.
pub fn dice(text: &str) -> Result<[u8; 2], String> {
    let digits: Vec<u8> = text
        .bytes()
        .filter(|letter| !b" -,".contains(letter))
        .map(|digit| digit.wrapping_sub(b'0'))
        .collect();
    let dice: Option<[u8; 2]> = digits.try_into().ok();
    let dice = dice.filter(|dice| dice.iter().all(|die| (1..=6).contains(die)));
    dice.ok_or_else(|| format!("'{}' is no pair of dice: write 31", text.escape_debug()))
}

/// Parses a board size: one number, or width and height with an `x` between.
pub fn board_size(text: &str) -> Result<BoardSize, String> {
    let (width, height) = text.split_once(['x', 'X']).unwrap_or((text, text));
    let side = |text: &str| text.parse::<usize>().ok();
    side(width)
        .zip(side(height))
        .and_then(|(width, height)| BoardSize::new(width, height))
        .ok_or_else(|| "not a board size from 2 to 25, or like 9x7".to_owned())
}

/// Parses a rule set: a name or JSON.
pub fn rules(text: &str) -> Result<Rules, String> {
    rules_json::parse(text).map_err(|error| format!("{error:#}"))
}

/// A parser of numbers within these bounds. Their type must be that of the option: clap compares the two only when the
/// program runs.
pub fn from_to<T>(low: T, high: T) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync
where
    T: Copy + Display + FromStr + PartialOrd + Send + Sync,
{
    move |text: &str| {
        let number = text.parse::<T>().ok();
        let number = number.filter(|number| (low..=high).contains(number));
        number.ok_or_else(|| format!("not a number from {low} to {high}"))
    }
}

/// Parses an integer from `LOW` to `HIGH`.
pub fn whole<const LOW: u32, const HIGH: u32>(text: &str) -> Result<u32, String> {
    let number = text.parse().ok();
    let number = number.filter(|number| (LOW..=HIGH).contains(number));
    number.ok_or_else(|| format!("not a whole number from {LOW} to {HIGH}"))
}

/// Parses komi.
pub fn komi(text: &str) -> Result<Komi, String> {
    let komi = text.parse().ok().and_then(Komi::exactly);
    komi.ok_or_else(|| "not a number of points, or not a multiple of 0.5".to_owned())
}

/// Parses a number from 0 to 1.
pub fn share(text: &str) -> Result<f32, String> {
    from_to(0.0, 1.0)(text)
}

/// Parses a positive number of seconds below thirty years.
pub fn positive_seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds < 1e9 => Ok(seconds),
        _ => Err("not a positive number of seconds".to_owned()),
    }
}

/// As [`positive_seconds`], or 0.
pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(0.0) => Ok(0.0),
        _ => positive_seconds(text),
    }
}

/// The long help of `--set`: every parameter of search and network, with its default for networks.
pub fn parameters() -> String {
    let mut help = "Parameter of the search or the network; may be repeated".to_owned();
    for (what, mut entries) in default_groups() {
        for entry in &mut entries {
            entry.value = effective_default(entry);
        }
        let entries = listed(&entries);
        help += &format!("\n\nOf the {what}, with their defaults:{entries}");
    }
    help
}

/// Parameters in the long help of `--set`, each on a line of its own.
pub fn listed(entries: &[ParamEntry]) -> String {
    let entries = entries.iter();
    let lines = entries.map(|it| format!("\n{}={}: {}", it.name, it.value, it.meaning));
    lines.collect()
}

/// The default of a parameter; some depend on the machine.
fn effective_default(entry: &ParamEntry) -> String {
    match entry.name {
        "numSearchThreads" => format!(
            "{} (the number of cores; on a GPU {THREADS_FOR_GPU})",
            cores()
        ),
        "allowResignation" => "true (where keima is the engine)".to_owned(),
        "maxVisits" => "(500 in keima analysis, 100 in keima review)".to_owned(),
        "wideRootNoise" => "0 (0.04 in keima analysis and review)".to_owned(),
        "ignorePreRootHistory" => "false (true in keima analysis and review)".to_owned(),
        "reportAnalysisWinratesAs" => "SIDETOMOVE (BLACK in keima analysis)".to_owned(),
        "seed" | "symmetrySeed" => "(random)".to_owned(),
        _ => entry.value.clone(),
    }
}
