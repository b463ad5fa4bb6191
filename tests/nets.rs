//! Networks: reading files, forward passes, and whole evaluations against recorded ones.

#![allow(clippy::unwrap_used)]

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
use keima::nn::evaluator::{NetEvaluator, NetSettings, SymmetryChoice};
use keima::nn::features::{self, FeatureSettings, GLOBALS, InputBatch, PLANES};
use keima::nn::katago;
use keima::nn::output::NetOutput;
use keima::search::evaluator::{Evaluator, Request};

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
        let sign = if self.moves.len().is_multiple_of(2) {
            1.0
        } else {
            -1.0
        };
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
    let Some(net) = b6c96() else { return };
    for name in ["g170-b6c96-s175395328-d26788732", "g170-b6c96-many"] {
        let Some(path) = outside(&format!("golden/{name}.jsonl.gz")) else {
            return;
        };
        assert_small(name, &compare(&net, &records(&path), false));
    }
}

/// Positions on boards of several sizes, some symmetric and some not.
fn various_positions() -> Vec<Position> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets"));
    let records = records(&folder.join("rec_s8.jsonl.gz"));
    let open = |position: &Position| !position.is_over();
    records
        .iter()
        .take(12)
        .map(Record::position)
        .filter(open)
        .collect()
}

fn evaluator(symmetry: SymmetryChoice) -> NetEvaluator {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets/s8.bin.gz");
    let net = katago::read_file(Path::new(path)).unwrap();
    let settings = NetSettings {
        symmetry,
        ..NetSettings::default()
    };
    NetEvaluator::new(&net, &Device::Cpu, settings).unwrap()
}

#[test]
fn a_search_gets_one_probability_for_each_legal_move() {
    let evaluator = evaluator(SymmetryChoice::ByPosition { seed: 1 });
    let mut requests: Vec<_> = various_positions()
        .into_iter()
        .map(Request::inner)
        .collect();
    requests[0].wants_ownership = true;
    let evaluations = evaluator.evaluate(&requests).unwrap();
    for (index, (request, evaluation)) in requests.iter().zip(&evaluations).enumerate() {
        let position = &request.position;
        let output = evaluator.output(position, false).unwrap();
        let sum: f32 = evaluation.policy.iter().sum();
        assert_near("sum of the policy", sum as f64, 1.0, 1e-5);
        assert_eq!(evaluation.policy.len(), position.legal_moves().count());
        for (made, probability) in position.legal_moves().zip(&evaluation.policy) {
            let size = position.size();
            let index = made.point().map_or(size.area(), |point| size.index(point));
            assert_eq!(output.policy[index], *probability, "{made}");
        }
        let area = if index == 0 {
            position.size().area()
        } else {
            0
        };
        assert_eq!(evaluation.ownership.len(), area);
    }
}

#[test]
fn averaging_takes_the_mean_of_all_symmetries() {
    let averaging = evaluator(SymmetryChoice::Average);
    for position in various_positions() {
        let average = averaging.output(&position, false).unwrap();
        let mut win = 0.0;
        let mut ownership = 0.0;
        for symmetry in Symmetry::all() {
            let one = evaluator(SymmetryChoice::Fixed(symmetry))
                .output(&position, false)
                .unwrap();
            win += one.win as f64 / 8.0;
            ownership += one.ownership[1] as f64 / 8.0;
        }
        assert_near("win", average.win as f64, win, 1e-6);
        assert_near("ownership", average.ownership[1] as f64, ownership, 1e-6);
    }
}

/// Inputs of a position, planes as points for which they are set.
fn features_of(position: &Position, settings: FeatureSettings) -> (Vec<f32>, Vec<f32>) {
    let mut spatial = vec![0.0; position.size().area() * PLANES];
    let mut global = vec![0.0; GLOBALS];
    features::write(position, &settings, &mut spatial, &mut global);
    (spatial, global)
}

fn plane(spatial: &[f32], plane: usize) -> Vec<f32> {
    spatial
        .iter()
        .skip(plane)
        .step_by(PLANES)
        .copied()
        .collect()
}

/// White has all of a 5x5 board but for one black stone, and Black has just passed.
fn black_has_passed() -> Position {
    let komi = Komi::from_half(1);
    let mut position = Position::new(BoardSize::square(5), Rules::TROMP_TAYLOR, komi);
    for made in ["a1", "c3", "pass"] {
        position.play(made.parse().unwrap());
    }
    position
}

#[test]
fn settings_can_hide_that_a_pass_ends_the_game() {
    let usual = FeatureSettings::default();
    let careful = FeatureSettings {
        conservative_pass: true,
        ..usual
    };
    let hiding_losses = FeatureSettings {
        hide_losing_pass: true,
        ..usual
    };
    let position = black_has_passed();
    let told = |settings: FeatureSettings, position: &Position| {
        let (spatial, global) = features_of(position, settings);
        (
            global[0],
            global[14],
            plane(&spatial, 10).iter().sum::<f32>(),
        )
    };
    assert_eq!(told(usual, &position), (1.0, 1.0, 1.0));
    assert_eq!(told(careful, &position), (0.0, 0.0, 0.0));
    assert_eq!(
        told(hiding_losses, &position),
        (1.0, 1.0, 1.0),
        "White wins by passing"
    );
    let mut lost = position.clone();
    lost.set_komi(Komi::from_half(-20));
    assert_eq!(
        told(hiding_losses, &lost),
        (0.0, 0.0, 0.0),
        "White loses by passing"
    );
    let one = FeatureSettings {
        max_history: 1,
        ..usual
    };
    assert_eq!(told(one, &position), (1.0, 1.0, 0.0));
}

#[test]
fn komi_seen_depends_on_the_side_and_on_the_worth_of_a_draw() {
    let mut position = black_has_passed();
    position.set_komi(Komi::from_half(14));
    let good = FeatureSettings {
        draw_value: 1.0,
        ..FeatureSettings::default()
    };
    assert_eq!(
        features_of(&position, FeatureSettings::default()).1[5],
        7.0 / 20.0
    );
    assert_eq!(features_of(&position, good).1[5], 7.5 / 20.0);
    position.play("b2".parse().unwrap());
    assert_eq!(features_of(&position, good).1[5], -7.5 / 20.0);
    position.set_komi(Komi::from_half(13));
    assert_eq!(
        features_of(&position, good).1[5],
        -6.5 / 20.0,
        "no draw is possible"
    );
}
