//! Whole evaluations against those that KataGo recorded of the same positions.

#![allow(clippy::unwrap_used)]

mod outside;

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use candle_core::Device;
use flate2::read::GzDecoder;
use serde::Deserialize;

use keima::go::{
    BoardSize, Color, HandicapBonus, IllegalMove, KoRule, Komi, Position, Rules, Scoring, Setup,
    Symmetry, Tax,
};
use keima::nn::checkpoint;
use keima::nn::desc::Net;
use keima::nn::evaluator::{NetEvaluator, NetSettings, Question};
use keima::nn::katago::{self, Form};
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
        self.replay().0
    }

    /// Whether a ko was retaken at once in the last moves. KataGo puts up with that, and keima
    /// does not: it has no way to remember that a move was against that rule, which nets of
    /// version 7 are told.
    fn breaks_ko_rule(&self) -> bool {
        let last = self.replay().1;
        last.is_some_and(|last| last + 5 >= self.moves.len())
    }

    /// The position, and which move was the last to retake a ko at once.
    fn replay(&self) -> (Position, Option<usize>) {
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
        let mut retaken = None;
        for (index, (color, made)) in self.moves.iter().enumerate() {
            let made = made.parse().unwrap();
            if position.play_reported(color.parse().unwrap(), made) == Err(IllegalMove::Ko) {
                position.play_unchecked(made);
                retaken = Some(index);
            }
        }
        (position, retaken)
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
    positions: usize,
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
        self.positions += 1;
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
    let settings = NetSettings {
        profile: net.wants_metadata().then(|| "rank_5k".parse().unwrap()),
        ..NetSettings::default()
    };
    let evaluator = NetEvaluator::new(net, &Device::Cpu, settings).unwrap();
    let mut differences = Differences::default();
    for (index, record) in records.iter().enumerate() {
        if net.version == 7 && record.breaks_ko_rule() {
            continue;
        }
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

/// Half of the last digit printed is what records leave open.
fn assert_small(name: &str, found: &Differences) {
    assert!(found.policy <= 2e-5, "{name}: {found:?}");
    assert!(found.win <= 2e-5, "{name}: {found:?}");
    assert!(found.no_result <= 2e-5, "{name}: {found:?}");
    assert!(found.lead <= 2e-3, "{name}: {found:?}");
    assert!(found.score <= 2e-3, "{name}: {found:?}");
    assert!(found.score_square <= 1e-3, "{name}: {found:?}");
    assert!(found.others <= 2e-3, "{name}: {found:?}");
    assert!(found.ownership <= 1e-4, "{name}: {found:?}");
}

/// Compares nets with their records, and prints a line for each.
fn compare_all(nets: impl IntoIterator<Item = (PathBuf, PathBuf, bool)>) {
    println!(
        "{:38} version positions  policy     win   lead  ownership",
        "network"
    );
    for (file, recorded, padded) in nets {
        let (net, records) = (katago::read_file(&file).unwrap(), records(&recorded));
        assert!(records.len() >= 60, "{}", recorded.display());
        let found = compare(&net, &records, padded);
        println!(
            "{:38} {:7} {:9} {:.1e} {:.1e} {:.0e} {:.1e}",
            recorded.file_stem().unwrap().to_string_lossy(),
            net.version,
            found.positions,
            found.policy,
            found.win,
            found.lead,
            found.ownership,
        );
        assert_small(&recorded.display().to_string(), &found);
    }
}

/// Nets with random weights of all versions; padded ones were recorded inside a 19x19 tensor.
const SYNTHETIC: [(&str, bool); 17] = [
    ("s3.txt.gz", false),
    ("s4.bin.gz", false),
    ("s5.bin", false),
    ("s6.txt", false),
    ("s7.bin.gz", false),
    ("s8.bin.gz", false),
    ("s9.bin.gz", false),
    ("s10.bin.gz", false),
    ("s11.bin.gz", false),
    ("s12.bin.gz", false),
    ("s13.bin.gz", true),
    ("s14.gz", true),
    ("s15.bin.gz", true),
    ("s15m.bin.gz", true),
    ("s16.bin.gz", true),
    ("s17.bin.gz", true),
    ("s17b.txt.gz", true),
];

/// The synthetic nets of a folder with their records.
fn synthetic(folder: &Path) -> impl Iterator<Item = (PathBuf, PathBuf, bool)> {
    SYNTHETIC.iter().map(|&(file, padded)| {
        let name = file.split('.').next().unwrap();
        let recorded = folder.join(format!("rec_{name}.jsonl.gz"));
        (folder.join(file), recorded, padded)
    })
}

/// Nets trained by others, which are not part of the package.
fn trained() -> impl Iterator<Item = (PathBuf, PathBuf, bool)> {
    let (b6c96, fixed, learned) = (
        "g170-b6c96-s175395328-d26788732",
        "b7c96h3tfrs-test5-cnorm",
        "b7c96h6kv3qk32v16tflrs-fson-bnh",
    );
    let pairs = [
        (b6c96, b6c96),
        (b6c96, "g170-b6c96-many"),
        (fixed, fixed),
        (learned, learned),
    ];
    pairs.into_iter().filter_map(|(net, recorded)| {
        let net = outside(&format!("models/{net}.bin.gz"))?;
        let recorded = outside(&format!("golden/{recorded}.jsonl.gz"))?;
        Some((net, recorded, false))
    })
}

#[test]
fn nets_of_every_version_answer_as_recorded() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets");
    compare_all(synthetic(Path::new(folder)).chain(trained()));
}

#[test]
fn they_do_so_for_all_that_was_recorded() {
    if let Some(folder) = outside("golden/synthetic") {
        compare_all(synthetic(&folder));
    }
}

/// The net goes through both kinds of files that keima writes.
#[test]
fn they_do_so_when_written_and_read_again() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets");
    for (file, recorded, padded) in synthetic(Path::new(folder)) {
        let net = katago::read_file(&file).unwrap();
        let stored = checkpoint::write_bytes(&net).unwrap();
        let net = checkpoint::read_bytes(&stored).unwrap();
        let stored = katago::write_bytes(&net, Form::Binary).unwrap();
        let net = katago::read_bytes(&stored).unwrap();
        let found = compare(&net, &records(&recorded)[..10], padded);
        assert_small(&recorded.display().to_string(), &found);
    }
}
