//! Networks: reading files, forward passes, and whole evaluations against recorded ones.

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
use keima::nn::candle::Model;
use keima::nn::desc::Net;
use keima::nn::evaluator::{NetEvaluator, NetSettings};
use keima::nn::features::InputBatch;
use keima::nn::katago;
use keima::nn::output::NetOutput;

const B6C96: &str = "models/g170-b6c96-s175395328-d26788732.bin.gz";

/// A file that is not part of the package; None, said plainly, where it is missing.
fn outside(path: &str) -> Option<PathBuf> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared")).join(path);
    let found = path.exists();
    if !found {
        println!("skipped: {} is not there", path.display());
    }
    found.then_some(path)
}

fn b6c96() -> Option<Net> {
    outside(B6C96).map(|path| katago::read_file(&path).unwrap())
}

fn assert_near(what: &str, found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{what}: {found}, expected {expected}"
    );
}

#[test]
fn reads_every_weight_of_b6c96() {
    let Some(net) = b6c96() else { return };
    let tensors = net.tensors();
    let floats = || {
        tensors
            .iter()
            .flat_map(|tensor| tensor.iter().map(|&value| value as f64))
    };
    assert_eq!((tensors.len(), floats().count()), (91, 1_030_599));
    assert_near("sum", floats().sum(), -9696.0312, 1e-3);
    assert_near(
        "sum of magnitudes",
        floats().map(f64::abs).sum(),
        81424.8055,
        1e-3,
    );
    assert_eq!(tensors[0][..3], [-0.36864412, -0.13108976, -0.12451462]);
    assert_eq!(tensors[0].last(), Some(&0.02847771));
}

/// Inputs of three positions, made by hand: the empty 19x19 board; 19x19 after Q16 D4 Q4 D16,
/// black to move; 9x9 after E5, white to move.
fn hand_made_inputs() -> [InputBatch; 3] {
    let batch = |side: usize, points: &[(usize, usize, usize)], filled: &[usize], global: &[_]| {
        let mut spatial = vec![0.0; side * side * 22];
        for cell in spatial.chunks_mut(22) {
            filled.iter().for_each(|&plane| cell[plane] = 1.0);
        }
        for &(plane, x, y) in points {
            spatial[(y * side + x) * 22 + plane] = 1.0;
        }
        let mut values = vec![0.0; 19];
        global
            .iter()
            .for_each(|&(index, value): &(usize, f32)| values[index] = value);
        InputBatch {
            size: BoardSize::square(side),
            spatial,
            global: values,
        }
    };
    let black = [(5, -0.375), (6, 1.0), (7, 0.5), (8, 1.0), (18, -0.5)];
    let white = [(5, 0.375), (6, 1.0), (7, 0.5), (8, 1.0), (18, 0.5)];
    let (q16, d4, q4, d16) = ((15, 3), (3, 15), (15, 15), (3, 3));
    let stones = [
        (1, q16),
        (1, q4),
        (2, d4),
        (2, d16),
        (18, q16),
        (18, q4),
        (19, d4),
        (19, d16),
    ];
    let moves = [(9, d16), (10, q4), (11, d4), (12, q16)];
    let points: Vec<_> = stones
        .iter()
        .chain(&moves)
        .map(|&(p, (x, y))| (p, x, y))
        .collect();
    [
        batch(19, &[], &[0], &black),
        batch(19, &points, &[0], &black),
        batch(9, &[(2, 4, 4), (9, 4, 4)], &[0, 19], &white),
    ]
}

#[test]
fn forward_pass_of_b6c96_gives_the_raw_outputs_of_katago() {
    let Some(net) = b6c96() else { return };
    let model = Model::new(&net, &Device::Cpu).unwrap();
    #[rustfmt::skip]
    let expected: [[f64; 13]; 3] = [
        [2.88314, 2.99297, -5.91848, -0.02486, 1.32573, -0.00159, -0.07234, -3.59816, -5.38861,
         -3.73911, -1237.504, 0.13366, 4.4816],
        [2.79434, 2.85474, -5.63520, 0.00293, 1.24614, 0.02054, -0.03623, -6.73576, -5.08853,
         -2.60973, -907.543, -0.15330, 7.5282],
        [3.18390, 2.82816, -5.87732, 0.11875, 0.05361, 0.03890, -0.22626, -6.11177, -5.34194,
         -37.26687, -222.679, -0.14071, -8.9332],
    ];
    for (inputs, expected) in hand_made_inputs().iter().zip(expected) {
        let raw = model.forward(inputs).unwrap().remove(0);
        let sum = |values: &[f32]| values.iter().map(|&value| value as f64).sum::<f64>();
        let centre = inputs.size.area() / 2;
        let mut found: Vec<f64> = raw.value.iter().map(|&v| v as f64).collect();
        found.extend(raw.score.iter().chain(&raw.pass).map(|&v| v as f64));
        found.extend([
            raw.policy[0] as f64,
            raw.policy[centre] as f64,
            sum(&raw.policy),
        ]);
        found.extend([raw.ownership[0] as f64, sum(&raw.ownership)]);
        assert_eq!(found.len(), expected.len());
        for (index, (found, expected)) in found.into_iter().zip(expected).enumerate() {
            let tolerance = if index == 10 { 2e-3 } else { 1e-4 };
            assert_near(&format!("output {index}"), found, expected, tolerance);
        }
    }
}

#[test]
fn a_batch_gives_what_its_positions_give_alone() {
    let Some(net) = b6c96() else { return };
    let model = Model::new(&net, &Device::Cpu).unwrap();
    let [first, second, _] = hand_made_inputs();
    let mut both = first.clone();
    both.spatial.extend(&second.spatial);
    both.global.extend(&second.global);
    let alone = [&first, &second].map(|batch| model.forward(batch).unwrap().remove(0));
    for (together, alone) in model.forward(&both).unwrap().iter().zip(&alone) {
        for (a, b) in together.policy.iter().zip(&alone.policy) {
            assert_near("policy", *a as f64, *b as f64, 1e-4);
        }
        assert_near(
            "value",
            together.value[0] as f64,
            alone.value[0] as f64,
            1e-4,
        );
    }
}

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
    fn settings(&self, padded: bool) -> NetSettings {
        let transposable = padded || self.width == self.height;
        let symmetry = if transposable {
            self.symmetry
        } else {
            self.symmetry & 3
        };
        let mut settings = NetSettings::raw(Symmetry::new(symmetry).unwrap());
        settings.root_policy.optimism = self.optimism;
        // Recorded as seen by the player to move; Black moves first in all records.
        let sign = if self.moves.len() % 2 == 0 { 1.0 } else { -1.0 };
        settings.features.playout_doubling_advantage = sign * self.pda;
        settings
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
    let mut differences = Differences::default();
    for (index, record) in records.iter().enumerate() {
        let evaluator = NetEvaluator::new(net, &Device::Cpu, record.settings(padded)).unwrap();
        let position = record.position();
        let output = evaluator
            .output(&position, true)
            .unwrap()
            .seen_by(Color::White);
        let illegal = |found: &[f32]| -> Vec<bool> { found.iter().map(|&p| p < 0.0).collect() };
        let mut expected: Vec<bool> = record.raw.policy.iter().map(Option::is_none).collect();
        expected.push(false);
        assert_eq!(
            illegal(&output.policy),
            expected,
            "illegal moves of record {index}"
        );
        differences.add(&output, &record.raw);
    }
    differences
}

/// The bounds of the acceptance test.
fn assert_small(differences: &Differences) {
    println!("{differences:?}");
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

#[test]
fn synthetic_nets_answer_as_recorded() {
    let Some(folder) = outside("golden/synthetic") else {
        return;
    };
    for (name, padded) in SYNTHETIC {
        let path = folder.join(name);
        let net = katago::read_file(&path).unwrap();
        let stem = name.split('.').next().unwrap();
        let records = records(&folder.join(format!("rec_{stem}.jsonl.gz")));
        println!("{name}");
        assert_small(&compare(&net, &records, padded));
    }
}

/// Random-weight nets of the versions supported, and whether they were recorded inside a 19x19
/// tensor.
const SYNTHETIC: [(&str, bool); 9] = [
    ("s8.bin.gz", false),
    ("s9.bin.gz", false),
    ("s10.bin.gz", false),
    ("s11.bin.gz", false),
    ("s12.bin.gz", false),
    ("s13.bin.gz", true),
    ("s14.gz", true),
    ("s15.bin.gz", true),
    ("s16.bin.gz", true),
];

#[test]
fn evaluations_of_b6c96_are_those_recorded() {
    let Some(net) = b6c96() else { return };
    for name in ["g170-b6c96-s175395328-d26788732", "g170-b6c96-many"] {
        let Some(path) = outside(&format!("golden/{name}.jsonl.gz")) else {
            return;
        };
        assert_small(&compare(&net, &records(&path), false));
    }
}
