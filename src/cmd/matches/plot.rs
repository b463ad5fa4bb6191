//! Charts of the course of a match.

use anyhow::Result;
use maud::Markup;

use crate::arena::pairs::Pairs;
use crate::arena::standing::Standing;
use crate::arena::tally::elo_difference;
use crate::cmd::curves::{Line, Picture, sampled};

/// Larger differences are not drawn.
const LARGEST_ELO: f64 = 800.0;
/// The vertical axis by the largest value.
const RIM: f64 = 1.1;

/// The log-likelihood ratio after each pair, and the test's bounds; empty without a test or with
/// less than two pairs.
pub fn llr(standing: &Standing) -> Result<Markup> {
    let Some(sprt) = standing.sprt() else {
        return Ok(Markup::default());
    };
    let course = course(standing, |pairs| sprt.llr(&pairs.0));
    let (lower, upper) = sprt.bounds();
    let values = course.iter().map(|point| point.1.abs());
    let reach = values.fold(upper.max(-lower), f64::max);
    let begun = [(0.0, 0.0)].into_iter().chain(course.iter().copied());
    let picture = Picture {
        title: "LLR by pairs of games".to_owned(),
        lines: vec![Line::plain(0, "", begun.collect())],
        is_counted: true,
        reach: Some(RIM * reach),
        levels: vec![lower, upper],
        ..Picture::default()
    };
    figure(&picture, course.len())
}

/// The Elo difference after each pair, with its interval; empty with less than two pairs.
pub fn elo(standing: &Standing) -> Result<Markup> {
    let elo = |score: f64| elo_difference(score).clamp(-LARGEST_ELO, LARGEST_ELO);
    let course = course(standing, |pairs| {
        let score = pairs.score().unwrap_or(0.5);
        let interval = pairs.interval();
        let (low, high) = interval.map_or((0.0, 1.0), |found| (found.low, found.high));
        [score, low, high].map(elo)
    });
    let at = |which: usize| course.iter().map(move |(pairs, elo)| (*pairs, elo[which]));
    // The wide intervals of the first pairs would hide the rest.
    let settled = &course[course.len() / 4..];
    let reach = settled.iter().flat_map(|(_, elo)| elo.map(f64::abs));
    let picture = Picture {
        title: "Elo difference by pairs of games".to_owned(),
        lines: vec![Line::plain(0, "", at(0).collect())],
        is_counted: true,
        reach: Some(RIM * reach.fold(10.0, f64::max)),
        levels: vec![0.0],
        band: at(1).chain(at(2).rev()).collect(),
        ..Picture::default()
    };
    figure(&picture, course.len())
}

fn figure(picture: &Picture, pairs: usize) -> Result<Markup> {
    match pairs {
        0 | 1 => Ok(Markup::default()),
        _ => picture.figure(),
    }
}

/// Values in the course of a match, with the number of pairs at each.
fn course<T>(standing: &Standing, value: impl Fn(&Pairs) -> T) -> Vec<(f64, T)> {
    let pairs = standing.course();
    let places = sampled(pairs.len());
    places
        .map(|index| ((index + 1) as f64, value(&pairs[index])))
        .collect()
}
