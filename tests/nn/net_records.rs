//! Whole evaluations against those that KataGo recorded of the same positions, and the inputs for
//! them.
//!
//! The environment variables `KEIMA_TEST_DEVICE` and `KEIMA_TEST_PRECISION`, with what the options
//! `--device` and `--precision` take, have this done by a GPU; `.ci/cuda-check` sets them. f16 can
//! be tried on the CPU, too, which computes it slowly.

use std::env;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use candle_core::DType;
use flate2::read::GzDecoder;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::outside::outside;
use keima::go::{
    BoardSize, Color, HandicapBonus, IllegalMove, KoRule, Komi, Position, Rules, Scoring, Setup,
    Symmetry, Tax,
};
use keima::nn::backend::{Backend, DeviceChoice, Precision, open};
use keima::nn::candle::Place;
use keima::nn::checkpoint;
use keima::nn::desc::{InputVersion, Net};
use keima::nn::evaluator::{NetEvaluator, NetRequest, NetSettings};
use keima::nn::features::{self, FeatureSettings};
use keima::nn::katago::{self, Form};
use keima::nn::output::NetOutput;

/// KataGo's evaluation of a position, as printed by `kata-raw-nn`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Raw {
    white_win: f64,
    white_loss: f64,
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

impl Raw {
    /// The most probable move's index, the pass being last, and its probability.
    fn top_move(&self) -> (usize, f64) {
        let points = self.policy.iter().map(|share| share.unwrap_or(-1.0));
        let shares = points.chain([self.policy_pass]).enumerate();
        shares.max_by(|(_, a), (_, b)| a.total_cmp(b)).unwrap()
    }
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
        self.positions().pop().unwrap()
    }

    /// The positions after each move, from the start. KataGo recorded games that retake kos at
    /// once, which nobody may report to keima.
    fn positions(&self) -> Vec<Position> {
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
        let mut positions = vec![position.clone()];
        for (color, mv) in &self.moves {
            let mv = mv.parse().unwrap();
            match position.play_reported(color.parse().unwrap(), mv) {
                Err(IllegalMove::Ko) => position.play_tolerated(mv),
                reported => reported.unwrap(),
            }
            positions.push(position.clone());
        }
        positions
    }

    /// `padded` is whether boards were part of a larger square tensor; if not, boards that are
    /// not square were not transposed.
    fn request(&self, padded: bool) -> NetRequest {
        let transposable = padded || self.width == self.height;
        let symmetry = if transposable {
            self.symmetry
        } else {
            self.symmetry & 3
        };
        let mut request = NetRequest::raw(Symmetry::new(symmetry).unwrap());
        request.policy.optimism = self.optimism;
        // Recorded as seen by the player to move; Black moves first in all records.
        let sign = if self.moves.len().is_multiple_of(2) {
            1.0
        } else {
            -1.0
        };
        request.features.playout_doubling_advantage = sign * self.pda;
        request
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
    /// Of the move that is most probable in the record.
    top_move: f64,
    /// The sum of those.
    top_moves: f64,
    win_loss: f64,
    /// The sum of those of winning.
    wins: f64,
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
        let (index, top) = raw.top_move();
        let difference = (found.policy[index] as f64 - top).abs();
        self.top_move = self.top_move.max(difference);
        self.top_moves += difference;
        self.wins += (found.win as f64 - raw.white_win).abs();
        worst(&mut self.win_loss, found.win, raw.white_win);
        worst(&mut self.win_loss, found.loss, raw.white_loss);
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

/// How a network is computed, and how exactly.
#[derive(Clone)]
struct Way {
    name: String,
    backend: Backend,
    exactness: Exactness,
}

#[derive(Clone, Copy)]
enum Exactness {
    /// How many times the differences of candle's f32 are allowed.
    Floats(f64),
    /// The bounds for 16-bit integers.
    Integers,
}

/// Devices given by the environment, or else all variants on a CPU.
fn ways() -> Vec<Way> {
    let variable = |name| env::var(name).ok();
    let device = variable("KEIMA_TEST_DEVICE").map(|device| device.parse().unwrap());
    let Some(device) = device else {
        return [
            (DeviceChoice::Candle, Precision::F32),
            (DeviceChoice::Cpu, Precision::F32),
            (DeviceChoice::Cpu, Precision::Int16),
        ]
        .map(|(device, precision)| way(device, precision))
        .into();
    };
    let precision = variable("KEIMA_TEST_PRECISION").map(|precision| precision.parse().unwrap());
    vec![way(device, precision.unwrap_or_default())]
}

fn way(device: DeviceChoice, precision: Precision) -> Way {
    let half_on_cpu = Place {
        dtype: DType::F16,
        ..Place::cpu()
    };
    let backend = match (device, precision) {
        (DeviceChoice::Candle, Precision::F16) => Backend::Candle(half_on_cpu),
        _ => open(device, precision).unwrap().backend,
    };
    let of_place = |place: &Place| {
        Exactness::Floats(match place.dtype {
            DType::F32 if place.device.is_cpu() => 1.0,
            DType::F32 => 5.0,
            DType::F16 => 500.0,
            // Three binary digits fewer.
            _ => 4000.0,
        })
    };
    let exactness = match &backend {
        Backend::Cpu { precision, .. } if *precision == Precision::F32 => Exactness::Floats(2.5),
        Backend::Cpu { .. } => Exactness::Integers,
        Backend::Candle(place) => of_place(place),
        Backend::Gpu(places) => of_place(&places[0]),
        Backend::Fake(_) => unreachable!("no device opens it"),
    };
    Way {
        name: format!("{device:?} {precision:?}"),
        backend,
        exactness,
    }
}

/// Evaluates every recorded position, in batches of this size.
fn compare(
    net: &Net,
    backend: &Backend,
    records: &[Record],
    padded: bool,
    batch: usize,
) -> Differences {
    let settings = NetSettings {
        profile: net.wants_metadata().then(|| "rank_5k".parse().unwrap()),
        ..NetSettings::default()
    };
    let evaluator = NetEvaluator::new(net, backend, settings).unwrap();
    let mut differences = Differences::default();
    let positions: Vec<Position> = records.iter().map(Record::position).collect();
    let requests = records.iter().map(|record| record.request(padded));
    let asked: Vec<(&Position, NetRequest)> = positions.iter().zip(requests).collect();
    let answers = asked.chunks(batch).flat_map(|asked| match asked {
        [(position, request)] => vec![evaluator.output_for(position, request).unwrap()],
        _ => evaluator.outputs_together(asked).unwrap(),
    });
    for ((index, record), output) in records.iter().enumerate().zip(answers) {
        let illegal: Vec<bool> = output.policy.iter().map(|&p| p < 0.0).collect();
        let mut expected: Vec<bool> = record.raw.policy.iter().map(Option::is_none).collect();
        expected.push(false);
        assert_eq!(illegal, expected, "illegal moves of record {index}");
        differences.add(&output.seen_by(Color::White), &record.raw);
    }
    differences
}

/// Records are rounded by half of the last digit printed.
fn assert_small(name: &str, found: &Differences, exactness: Exactness) {
    let Exactness::Floats(slack) = exactness else {
        let positions = found.positions as f64;
        assert!(found.top_moves <= 1e-3 * positions, "{name}: {found:?}");
        assert!(found.top_move <= 5e-3, "{name}: {found:?}");
        assert!(found.wins <= 1e-3 * positions, "{name}: {found:?}");
        assert!(found.win_loss <= 5e-3, "{name}: {found:?}");
        return;
    };
    assert!(found.policy <= 2e-5 * slack, "{name}: {found:?}");
    assert!(found.win_loss <= 2e-5 * slack, "{name}: {found:?}");
    assert!(found.no_result <= 2e-5 * slack, "{name}: {found:?}");
    assert!(found.lead <= 2e-3 * slack, "{name}: {found:?}");
    assert!(found.score <= 2e-3 * slack, "{name}: {found:?}");
    assert!(found.score_square <= 1e-3 * slack, "{name}: {found:?}");
    assert!(found.others <= 2e-3 * slack, "{name}: {found:?}");
    assert!(found.ownership <= 1e-4 * slack, "{name}: {found:?}");
}

/// Compares nets with their records, and prints a table for each device.
fn compare_all(nets: impl Iterator<Item = (PathBuf, PathBuf, bool)> + Clone) {
    let batches = |way: &Way| match way.backend {
        Backend::Cpu { .. } => vec![1],
        Backend::Candle(_) | Backend::Gpu(_) | Backend::Fake(_) => vec![1, 64],
    };
    let ways = ways().into_iter();
    let mut all = Vec::new();
    for (way, batch) in
        ways.flat_map(|way| batches(&way).into_iter().map(move |b| (way.clone(), b)))
    {
        println!(
            "{:38} version positions  policy  top move: mean  worst  win: mean  worst    lead ownership",
            format!("{}, {batch} at once", way.name)
        );
        for (file, recorded, padded) in nets.clone() {
            let (net, records) = (katago::read_file(&file).unwrap(), records(&recorded));
            assert!(records.len() >= 60, "{}", recorded.display());
            let found = compare(&net, &way.backend, &records, padded, batch);
            let positions = found.positions as f64;
            println!(
                "{:38} {:7} {:9} {:7.1e} {:14.1e} {:7.1e} {:9.1e} {:7.1e} {:7.1e} {:9.1e}",
                recorded.file_stem().unwrap().to_string_lossy(),
                net.version,
                found.positions,
                found.policy,
                found.top_moves / positions,
                found.top_move,
                found.wins / positions,
                found.win_loss,
                found.lead,
                found.ownership,
            );
            let name = format!("{}, {}", way.name, recorded.display());
            all.push((name, found, way.exactness));
        }
    }
    for (name, found, exactness) in &all {
        assert_small(name, found, *exactness);
    }
}

/// From the package's folder, where cargo runs tests, so that the test can be built elsewhere.
const NETS: &str = "tests/data/nets";

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

/// The synthetic nets with their records: all of them, where those left out of the package lie
/// beside it.
fn synthetic() -> impl Iterator<Item = (PathBuf, PathBuf, bool)> {
    let package = Path::new(NETS);
    let complete = outside("golden/synthetic");
    SYNTHETIC.iter().map(move |&(file, padded)| {
        let name = file.split('.').next().unwrap();
        let folder = complete.as_deref().unwrap_or(package);
        let recorded = folder.join(format!("rec_{name}.jsonl.gz"));
        (package.join(file), recorded, padded)
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
fn all_versions_equal_recorded_outputs() {
    let nets: Vec<_> = synthetic().chain(trained()).collect();
    compare_all(nets.into_iter());
}

/// Positions of games of random moves, which are full of chains in atari.
fn random_positions() -> Vec<Position> {
    let mut positions = Vec::new();
    for (seed, rules) in [Rules::TROMP_TAYLOR, Rules::CHINESE, Rules::JAPANESE]
        .iter()
        .enumerate()
    {
        let mut rng = ChaCha8Rng::seed_from_u64(seed as u64);
        for size in [9, 13, 19, 19, 19] {
            let mut position = Position::new(BoardSize::square(size), *rules, Komi::from_half(15));
            for turn in 0..size * size {
                let moves: Vec<_> = position.legal_moves().collect();
                position.play(moves[rng.random_range(0..moves.len().max(2) - 1)]);
                if turn % 10 == 0 {
                    positions.push(position.clone());
                }
            }
        }
    }
    positions
}

/// Inputs of all versions, as bytes in a hash. Faster ways to compute them must not change a bit;
/// where they shall change, the hash is that of the new ones.
#[test]
fn inputs_equal_recorded_hash() {
    let recorded = records(&Path::new(NETS).join("rec_s7.jsonl.gz"));
    let reached = recorded
        .iter()
        .flat_map(|record| record.positions().into_iter().step_by(3));
    let mut hash = Sha256::new();
    for (index, position) in reached.chain(random_positions()).enumerate() {
        let settings = FeatureSettings {
            pass_alive_under_suicide: index % 2 == 0,
            ..FeatureSettings::default()
        };
        for version in VERSIONS {
            let (planes, globals) = version.channels();
            let mut inputs = vec![0.5; position.size().area() * planes + globals];
            let (spatial, global) = inputs.split_at_mut(position.size().area() * planes);
            features::write(version, &position, &settings, spatial, global);
            inputs
                .iter()
                .for_each(|value| hash.update(value.to_le_bytes()));
        }
    }
    let found: String = hash
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(
        found,
        "0c2a93321c28479ac86fa84eb7f5900018a73937a827782b92a27d387d366f31"
    );
}

const VERSIONS: [InputVersion; 6] = [
    InputVersion::V3,
    InputVersion::V4,
    InputVersion::V5,
    InputVersion::V6,
    InputVersion::V7,
    InputVersion::LeelaZero,
];

/// The net goes through both kinds of files that keima writes.
#[test]
fn rewritten_nets_equal_recorded_outputs() {
    let way = way(DeviceChoice::Cpu, Precision::F32);
    for (file, recorded, padded) in synthetic() {
        let net = katago::read_file(&file).unwrap();
        let stored = checkpoint::write_bytes(&net).unwrap();
        let net = checkpoint::read_bytes(&stored).unwrap();
        let stored = katago::write_bytes(&net, Form::Binary).unwrap();
        let net = katago::read_bytes(&stored).unwrap();
        let found = compare(&net, &way.backend, &records(&recorded)[..10], padded, 1);
        assert_small(&recorded.display().to_string(), &found, way.exactness);
    }
}
