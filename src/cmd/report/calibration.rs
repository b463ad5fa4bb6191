//! Calibration of a network: whether its win probabilities are right, and how large its lead's
//! error is, early and late in games.

use std::collections::BTreeMap;

use anyhow::Result;
use maud::{Markup, html};

use super::sections;
use crate::cmd::curves::{GREY, Line, Picture, Stroke};
use crate::data::check::position_of;
use crate::data::label::Label;
use crate::data::shard::{LabelledLine, Shard};
use crate::nn::evaluator::NetEvaluator;
use crate::train::validation::{lead_of, request_of};

/// Maximal number of labels.
const MOST_LABELS: usize = 3000;
/// Bins of win probabilities.
const GROUPS: usize = 20;
/// Bins of move numbers, relative to the board's points.
const PARTS_OF_GAMES: f64 = 8.0;
/// Bins with fewer labels are not shown.
const LEAST_LABELS: usize = 8;
/// Number of board sizes shown.
const MOST_SIZES: usize = 4;

/// Two sums and a count.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    count: usize,
    one: f64,
    other: f64,
}

impl Sums {
    fn add(&mut self, one: f64, other: f64) {
        self.count += 1;
        self.one += one;
        self.other += other;
    }

    /// Both means, if there are enough values.
    fn means(&self) -> Option<(f64, f64)> {
        let count = self.count as f64;
        (self.count >= LEAST_LABELS).then(|| (self.one / count, self.other / count))
    }
}

/// A network's expectations and the labels'.
#[derive(Clone, Debug, Default)]
pub struct Calibration {
    labels: usize,
    /// Win probabilities: the network's and the labels', by bin.
    win_rates: Vec<Sums>,
    /// Move numbers relative to the board's points, and the lead's error, by board size and bin.
    leads: BTreeMap<(usize, String), BTreeMap<usize, Sums>>,
}

/// Evaluates evenly spread labels of shards whose outcome is known.
pub fn of(evaluator: &NetEvaluator, shards: &[Shard]) -> Result<Calibration> {
    let mut found = Calibration {
        win_rates: vec![Sums::default(); GROUPS],
        ..Calibration::default()
    };
    let labels: Vec<(&LabelledLine, &Label)> = shards
        .iter()
        .flat_map(|shard| &shard.lines)
        .flat_map(|line| line.labels.iter().map(move |label| (line, label)))
        .filter(|(_, label)| label.values.knows_outcome())
        .collect();
    let step = labels.len().div_ceil(MOST_LABELS).max(1);
    for (line, label) in labels.into_iter().step_by(step) {
        let position = position_of(line, label)?;
        let output = evaluator.output_for(&position, &request_of(label))?;
        let [win, _, no_result] = label.values.outcome().map(f64::from);
        let predicted = f64::from(output.win) + f64::from(output.no_result) / 2.0;
        found.labels += 1;
        let group = ((predicted * GROUPS as f64) as usize).min(GROUPS - 1);
        found.win_rates[group].add(predicted, win + no_result / 2.0);
        let (true, Some(lead)) = (label.values.knows_score(), lead_of(&output)) else {
            continue;
        };
        let area = position.size().area();
        let moves = f64::from(label.ply) / area as f64;
        let error = f64::from(lead - label.values.lead()).abs();
        let size = (area, position.size().to_string());
        let parts = found.leads.entry(size).or_default();
        let part = parts.entry((moves * PARTS_OF_GAMES) as usize).or_default();
        part.add(moves, error);
    }
    Ok(found)
}

impl Calibration {
    /// The expected calibration error: mean distance between the network's and the labels' win
    /// probabilities over the bins, weighted by labels; none without labels.
    fn error(&self) -> Option<f64> {
        let distance = self
            .win_rates
            .iter()
            .map(|sums| (sums.one - sums.other).abs());
        (self.labels > 0).then(|| distance.sum::<f64>() / self.labels as f64)
    }

    fn win_rates(&self) -> Picture {
        let line = |points, color, stroke| Line {
            points,
            color,
            stroke,
            label: String::new(),
        };
        let points = self.win_rates.iter().filter_map(Sums::means).collect();
        Picture {
            title: "games won, by the network's win probability".to_owned(),
            lines: vec![
                line(vec![(0.0, 0.0), (1.0, 1.0)], GREY, Stroke::Plain),
                line(points, sections::color(0), Stroke::Plain),
            ],
            is_share: true,
            ..Picture::default()
        }
    }

    /// The sizes with the most labels, the largest first.
    fn sizes(&self) -> Vec<&(usize, String)> {
        let labels = |size| {
            self.leads[size]
                .values()
                .map(|sums| sums.count)
                .sum::<usize>()
        };
        let mut sizes: Vec<_> = self.leads.keys().collect();
        sizes.sort_by_key(|size| std::cmp::Reverse(labels(size)));
        sizes.truncate(MOST_SIZES);
        sizes.sort();
        sizes.reverse();
        sizes
    }

    fn leads(&self) -> Picture {
        let line = |(number, size): (usize, &&(usize, String))| Line {
            points: self.leads[*size].values().filter_map(Sums::means).collect(),
            color: sections::color(number),
            stroke: Stroke::Plain,
            label: String::new(),
        };
        Picture {
            title: "lead: error in points, by moves per point".to_owned(),
            lines: self.sizes().iter().enumerate().map(line).collect(),
            from_zero: true,
            ..Picture::default()
        }
    }

    /// Charts for the page; empty without labels.
    pub fn markup(&self) -> Result<Markup> {
        let Some(error) = self.error() else {
            return Ok(html! {});
        };
        let sizes = self.sizes();
        let names = sizes.iter().enumerate();
        let names = names.map(|(number, size)| (sections::color(number), &size.1[..]));
        Ok(html! {
            h2 { "Calibration" }
            p.note {
                "On " (self.labels) " validation labels. Win probabilities are right if the line lies on the "
                "grey one; the mean distance is "
                (format!("{:.1} %", 100.0 * error)) ". Lead error: of the board sizes with most "
                "labels, by moves per point of the board."
            }
            (sections::legend(names))
            (sections::pictures(vec![self.win_rates(), self.leads()])?)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_the_mean_distance() {
        let mut calibration = Calibration {
            labels: 20,
            win_rates: vec![Sums::default(); GROUPS],
            ..Calibration::default()
        };
        assert!(Calibration::default().error().is_none());
        for _ in 0..10 {
            calibration.win_rates[3].add(0.2, 0.3);
            calibration.win_rates[9].add(0.5, 0.5);
        }
        assert!((calibration.error().unwrap() - 0.05).abs() < 1e-9);
        assert_eq!(calibration.win_rates().lines[1].points.len(), 2);
    }
}
