//! Whole evaluations against those that KataGo recorded of the same positions.

#![allow(clippy::unwrap_used)]

mod outside;

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use candle_core::Device;
use flate2::read::GzDecoder;
use serde::Deserialize;

use keima::go::{
    BoardSize, Color, HandicapBonus, IllegalMove, KoRule, Komi, Position, Rules, Scoring, Setup,
    Symmetry, Tax,
};
use keima::nn::desc::Net;
use keima::nn::evaluator::{NetEvaluator, NetSettings, Question};
use keima::nn::katago;
use keima::nn::output::NetOutput;
use outside::outside;

/// What KataGo said of a position, as `kata-raw-nn` prints it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Raw {
    white_win: f64,
    no_result: f64,
    white_lead: f64,
    white_score_selfplay: f64,
    white_score_selfplay_sq: f64,
    var_time_left: f64,
    shortterm_winloss_error: f64,
    shortterm_score_error: f64,
    policy: Vec<Option<f64>>,
    policy_pass: f64,
    white_ownership: Vec<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RecordedRules {
    ko: String,
    scoring: String,
    tax: String,
    suicide: bool,
    has_button: bool,
    white_handicap_bonus: String,
    friendly_pass_ok: bool,
}

/// A position with a net's answer.
#[derive(Deserialize)]
struct Record {
    width: usize,
    height: usize,
    rules: RecordedRules,
    komi: f64,
    #[serde(default)]
    setup: Vec<(String, String)>,
    moves: Vec<(String, String)>,
    symmetry: usize,
    #[serde(default)]
    pda: f32,
    #[serde(default = "usual_optimism")]
    optimism: f32,
    #[serde(default)]
    encore: bool,
    raw: Raw,
}

fn usual_optimism() -> f32 {
    0.2
}

impl Record {
    fn position(&self) -> Position {
        let rules = Rules {
            ko: KoRule::from_text(&self.rules.ko).unwrap(),
            scoring: Scoring::from_text(&self.rules.scoring).unwrap(),
            tax: Tax::from_text(&self.rules.tax).unwrap(),
            suicide: self.rules.suicide,
            has_button: self.rules.has_button,
            handicap_bonus: HandicapBonus::from_text(&self.rules.white_handicap_bonus).unwrap(),
            friendly_pass_ok: self.rules.friendly_pass_ok,
        };
        let size = BoardSize::new(self.width, self.height).unwrap();
        let mut setup = Setup::new(size, rules, Komi::from_points(self.komi).unwrap());
        let stone = |(color, point): &(String, String)| {
            (point.parse().unwrap(), color.parse::<Color>().unwrap())
        };
        setup.stones = self.setup.iter().map(stone).collect();
        let mut position = setup.position().unwrap();
        position.allow_encore(self.encore);
        for (color, made) in &self.moves {
            let made = made.parse().unwrap();
            // KataGo puts up with the retaking of a ko as well.
            if position.play_reported(color.parse().unwrap(), made) == Err(IllegalMove::Ko) {
                position.play_unchecked(made);
            }
        }
        position
    }

    /// `padded` says whether boards were part of a larger square tensor; if not, boards that are
    /// not square were not transposed.
    fn question(&self, padded: bool) -> Question {
        let transposable = padded || self.width == self.height;
        let symmetry = if transposable {
            self.symmetry
        } else {
            self.symmetry & 3
        };
        let mut question = Question::raw(Symmetry::new(symmetry).unwrap());
        question.policy.optimism = self.optimism;
        // Recorded as seen by the player to move; Black moves first in all records.
        let sign = if self.moves.len().is_multiple_of(2) {
            1.0
        } else {
            -1.0
        };
        question.features.playout_doubling_advantage = sign * self.pda;
        question
    }
}

fn records(path: &Path) -> Vec<Record> {
    let lines = BufReader::new(GzDecoder::new(File::open(path).unwrap()));
    lines
        .lines()
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect()
}

/// The largest differences between answers and records.
#[derive(Debug, Default)]
struct Differences {
    policy: f64,
    win: f64,
    no_result: f64,
    lead: f64,
    score: f64,
    /// Relative.
    score_square: f64,
    /// Of variance time and short-term errors.
    others: f64,
    ownership: f64,
}

impl Differences {
    fn add(&mut self, found: &NetOutput, raw: &Raw) {
        let worst = |known: &mut f64, found: f32, expected: f64| {
            *known = known.max((found as f64 - expected).abs());
        };
        for (found, expected) in found.policy.iter().zip(&raw.policy) {
            worst(&mut self.policy, *found, expected.unwrap_or(-1.0));
        }
        worst(
            &mut self.policy,
            *found.policy.last().unwrap(),
            raw.policy_pass,
        );
        worst(&mut self.win, found.win, raw.white_win);
        worst(&mut self.no_result, found.no_result, raw.no_result);
        worst(&mut self.lead, found.lead, raw.white_lead);
        worst(&mut self.score, found.score_mean, raw.white_score_selfplay);
        let square = raw.white_score_selfplay_sq;
        let ratio = (found.score_mean_square as f64 - square).abs() / square.max(1.0);
        self.score_square = self.score_square.max(ratio);
        worst(
            &mut self.others,
            found.variance_time_left,
            raw.var_time_left,
        );
        worst(
            &mut self.others,
            found.shortterm_win_loss_error,
            raw.shortterm_winloss_error,
        );
        worst(
            &mut self.others,
            found.shortterm_score_error,
            raw.shortterm_score_error,
        );
        for (found, expected) in found.ownership.iter().zip(&raw.white_ownership) {
            worst(&mut self.ownership, *found, *expected);
        }
    }
}

/// Evaluates every recorded position.
fn compare(net: &Net, records: &[Record], padded: bool) -> Differences {
    let evaluator = NetEvaluator::new(net, &Device::Cpu, NetSettings::default()).unwrap();
    let mut differences = Differences::default();
    for (index, record) in records.iter().enumerate() {
        let output = evaluator
            .ask(&record.position(), &record.question(padded))
            .unwrap();
        let illegal: Vec<bool> = output.policy.iter().map(|&p| p < 0.0).collect();
        let mut expected: Vec<bool> = record.raw.policy.iter().map(Option::is_none).collect();
        expected.push(false);
        assert_eq!(illegal, expected, "illegal moves of record {index}");
        differences.add(&output.seen_by(Color::White), &record.raw);
    }
    differences
}

/// The bounds of the acceptance test.
fn assert_small(name: &str, differences: &Differences) {
    println!("{name}: {differences:?}");
    assert!(differences.policy <= 1e-4, "{differences:?}");
    assert!(
        differences.win <= 1e-4 && differences.no_result <= 1e-4,
        "{differences:?}"
    );
    assert!(
        differences.lead <= 5e-3 && differences.score <= 5e-3,
        "{differences:?}"
    );
    assert!(
        differences.score_square <= 1e-3 && differences.others <= 5e-3,
        "{differences:?}"
    );
    assert!(differences.ownership <= 1e-3, "{differences:?}");
}

/// The net in a folder and its records.
fn synthetic(folder: &Path, name: &str) -> (Net, Vec<Record>) {
    let stem = name.split('.').next().unwrap();
    let net = katago::read_file(&folder.join(name)).unwrap();
    (net, records(&folder.join(format!("rec_{stem}.jsonl.gz"))))
}

#[test]
fn nets_of_this_package_answer_as_recorded() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets"));
    for (name, padded) in [("s8.bin.gz", false), ("s16.bin.gz", true)] {
        let (net, records) = synthetic(folder, name);
        assert_eq!(records.len(), 150);
        assert_small(name, &compare(&net, &records, padded));
    }
}

#[test]
fn nets_of_other_versions_answer_as_recorded() {
    let Some(folder) = outside("golden/synthetic") else {
        return;
    };
    let padded = ["s13.bin.gz", "s14.gz", "s15.bin.gz"];
    for name in ["s9.bin.gz", "s10.bin.gz", "s11.bin.gz", "s12.bin.gz"]
        .into_iter()
        .chain(padded)
    {
        let (net, records) = synthetic(&folder, name);
        assert_small(name, &compare(&net, &records, padded.contains(&name)));
    }
}

#[test]
fn evaluations_of_b6c96_are_those_recorded() {
    let Some(path) = outside("models/g170-b6c96-s175395328-d26788732.bin.gz") else {
        return;
    };
    let net = katago::read_file(&path).unwrap();
    for name in ["g170-b6c96-s175395328-d26788732", "g170-b6c96-many"] {
        let Some(path) = outside(&format!("golden/{name}.jsonl.gz")) else {
            return;
        };
        assert_small(name, &compare(&net, &records(&path), false));
    }
}
