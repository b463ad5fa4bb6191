//! Networks: reading files, forward passes, and evaluations for a search.

use std::path::Path;

use crate::outside::outside;
use keima::go::{BoardSize, Color, Komi, Position, Rules, Symmetry};
use keima::nn::backend::Backend;
use keima::nn::candle::{Model, Place};
use keima::nn::desc::Net;
use keima::nn::evaluator::{NetEvaluator, NetSettings};
use keima::nn::features::InputBatch;
use keima::nn::katago;
use keima::nn::metadata::HumanProfile;
use keima::nn::symmetry_choice::SymmetryChoice;
use keima::search::evaluator::{Evaluator, Request};

/// Convolutions only.
const B6C96: &str = "g170-b6c96-s175395328-d26788732";
/// Transformer blocks with fixed and with learned rope.
pub const FIXED_ROPE: &str = "b7c96h3tfrs-test5-cnorm";
pub const LEARNED_ROPE: &str = "b7c96h6kv3qk32v16tflrs-fson-bnh";

/// None, and said so, where the file is not there.
pub fn trained(name: &str) -> Option<Net> {
    outside(&format!("models/{name}.bin.gz")).map(|path| katago::read_file(&path).unwrap())
}

/// A net with random weights.
pub fn synthetic(file: &str) -> Net {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets");
    katago::read_file(&Path::new(folder).join(file)).unwrap()
}

fn assert_near(what: &str, found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{what}: {found}, expected {expected}"
    );
}

#[test]
fn reads_every_weight_of_trained_nets() {
    #[rustfmt::skip]
    let nets = [
        (B6C96, 91, 1_030_599, -9696.0312, 81424.8055,
         [-0.36864412, -0.13108976, -0.12451462], 0.02847771),
        (FIXED_ROPE, 91, 819_145, 2316.1223, 42573.2290,
         [-0.06952474, -0.03614115, 0.03531733], -0.01303442),
        (LEARNED_ROPE, 100, 852_265, 1905.3505, 44189.8622,
         [-0.11054882, 0.06813911, 0.05384050], 0.00827789),
    ];
    for (name, blocks, count, sum, magnitudes, first, last) in nets {
        let Some(net) = trained(name) else { continue };
        let tensors = net.tensors();
        let floats = || {
            tensors
                .iter()
                .flat_map(|tensor| tensor.weights.iter().map(|&value| value as f64))
        };
        assert_eq!((tensors.len(), floats().count()), (blocks, count), "{name}");
        assert_near("sum", floats().sum(), sum, 1e-3);
        let found = floats().map(f64::abs).sum();
        assert_near("sum of magnitudes", found, magnitudes, 1e-3);
        let conv = tensors[0].weights;
        let found = [conv[0], conv[1], conv[2], conv[conv.len() - 1]];
        for (found, expected) in found.into_iter().zip([first[0], first[1], first[2], last]) {
            assert_near("weight", found as f64, expected, 1e-8);
        }
    }
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
            metadata: Vec::new(),
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

/// Values, raw scores, pass logits, policy logits at the top left and the centre, the sum of the
/// first policy channel, ownership at the top left, its sum; of the three positions.
#[rustfmt::skip]
const FORWARD: [(&str, [&[f64]; 3]); 3] = [
    (B6C96, [
        &[2.88314, 2.99297, -5.91848, -0.02486, 1.32573, -0.00159, -0.07234, -3.59816, -5.38861,
          -3.73911, -1237.504, 0.13366, 4.4816],
        &[2.79434, 2.85474, -5.63520, 0.00293, 1.24614, 0.02054, -0.03623, -6.73576, -5.08853,
          -2.60973, -907.543, -0.15330, 7.5282],
        &[3.18390, 2.82816, -5.87732, 0.11875, 0.05361, 0.03890, -0.22626, -6.11177, -5.34194,
          -37.26687, -222.679, -0.14071, -8.9332],
    ]),
    (FIXED_ROPE, [
        &[0.35449, 0.77867, -5.62285, -0.04629, 0.00071, -0.01459, 0.95807, -3.88009, -5.71101,
          -8.62472, -5.93552, -9.98276, -7.11997, -7.36176, -4.53409, -2729.136, 0.02402, 0.4399],
        &[0.44091, 0.79118, -6.19810, -0.02365, -0.05810, -0.00536, 0.93277, -3.61979, -5.82073,
          -7.78896, -5.45323, -9.17308, -6.20219, -6.71748, -3.87031, -2623.083, -0.07938, 8.8636],
        &[1.17236, -0.65742, -8.80011, 0.08816, -1.06619, 0.05482, -1.49112, -1.56984, -4.70988,
          -5.37681, -3.60744, -8.81539, -7.31354, -14.15796, -11.81134, -491.553, 0.11759, -3.6318],
    ]),
    (LEARNED_ROPE, [
        &[0.98386, 1.18879, -5.27215, -0.02698, -0.07057, -0.02278, 1.03425, -0.91406, -2.96637,
          0.48020, -1.90870, -2.53370, -4.16503, -0.11723, -1.62015, -54.301, -0.06156, -1.4617],
        &[1.04311, 1.45800, -5.58004, -0.06198, -0.09402, 0.00075, 0.94184, -0.58295, -2.93202,
          0.68464, -2.06887, -2.45322, -4.28289, 0.43985, -1.30104, -4.629, -0.11865, 5.3148],
        &[1.99055, 0.19852, -6.75125, 0.17447, -0.62417, 0.16654, -2.55860, -0.99047, -4.28581,
          -0.62554, -2.87629, -1.64860, -2.88954, -2.11285, -3.44819, 124.894, 0.01694, -8.0039],
    ]),
];

#[test]
fn trained_nets_give_the_raw_outputs_of_katago() {
    for (name, expected) in FORWARD {
        let Some(net) = trained(name) else { continue };
        let model = Model::new(&net, &Place::cpu()).unwrap();
        for (inputs, expected) in hand_made_inputs().iter().zip(expected) {
            let raw = model.forward(inputs).unwrap().remove(0);
            let area = inputs.size.area();
            let (corner, centre) = (raw.policy.iter(), raw.policy.iter().skip(area / 2));
            let sum = |values: &[f32]| values.iter().map(|&value| value as f64).sum::<f64>();
            let single: Vec<&f32> = raw
                .value
                .iter()
                .chain(&raw.score)
                .chain(&raw.pass)
                .collect();
            let points = corner.step_by(area).chain(centre.step_by(area));
            let mut found: Vec<f64> = single
                .into_iter()
                .chain(points)
                .map(|&v| v as f64)
                .collect();
            found.extend([sum(&raw.policy[..area]), raw.ownership[0] as f64]);
            found.push(sum(&raw.ownership));
            let found_count = found.len();
            assert_eq!(found_count, expected.len());
            for (index, (&found, &expected)) in found.iter().zip(expected).enumerate() {
                let is_sum_of_policy = index + 3 == found_count;
                let tolerance = if is_sum_of_policy { 2e-3 } else { 1e-4 };
                assert_near(&format!("{name} {index}"), found, expected, tolerance);
            }
        }
    }
}

#[test]
fn batch_equals_single_positions() {
    let [first, second, _] = hand_made_inputs();
    let mut both = first.clone();
    both.spatial.extend(&second.spatial);
    both.global.extend(&second.global);
    let nets = ["s8.bin.gz", "s17.bin.gz", "s17b.txt.gz"].map(synthetic);
    for net in nets.into_iter().chain(trained(B6C96)) {
        let model = Model::new(&net, &Place::cpu()).unwrap();
        let alone = [&first, &second].map(|batch| model.forward(batch).unwrap().remove(0));
        for (together, alone) in model.forward(&both).unwrap().iter().zip(&alone) {
            for (a, b) in together.policy.iter().zip(&alone.policy) {
                assert_near("policy", *a as f64, *b as f64, 1e-4);
            }
            let (together, alone) = (together.value[0], alone.value[0]);
            assert_near("value", together as f64, alone as f64, 1e-4);
        }
    }
}

/// Positions on boards of several sizes: an opening, and a corner where a ko was taken.
fn various_positions() -> Vec<Position> {
    let komi = Komi::from_half(13);
    let mut positions = Vec::new();
    for (width, height) in [(9, 9), (7, 11), (19, 19), (25, 25)] {
        let size = BoardSize::new(width, height).unwrap();
        let mut position = Position::new(size, Rules::TROMP_TAYLOR, komi);
        positions.push(position.clone());
        for mv in ["b1", "c1", "a2", "d2", "b3", "c3", "c2", "e5", "pass", "b2"] {
            position.play(mv.parse().unwrap());
        }
        assert!(position.ko().is_some());
        positions.push(position);
    }
    positions
}

fn evaluator(symmetry: SymmetryChoice) -> NetEvaluator {
    let net = synthetic("s8.bin.gz");
    let settings = NetSettings {
        symmetry,
        symmetry_seed: 1,
        ..NetSettings::default()
    };
    NetEvaluator::new(&net, &Backend::candle(), settings).unwrap()
}

#[test]
fn a_search_gets_one_probability_for_each_legal_move() {
    let evaluator = evaluator(SymmetryChoice::Random);
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
        for (mv, probability) in position.legal_moves().zip(&evaluation.policy) {
            let size = position.size();
            let index = mv.point().map_or(size.area(), |point| size.index(point));
            assert_eq!(output.policy[index], *probability, "{mv}");
        }
        let area = if index == 0 {
            position.size().area()
        } else {
            0
        };
        assert_eq!(evaluation.ownership.len(), area);
    }
}

/// The root alone is turned several times, beginning with the way that all positions are seen in;
/// and it is known by its fingerprint that the answers are others.
#[test]
fn several_symmetries_may_be_averaged_at_the_root() {
    let seen = SymmetryChoice::Random;
    let [one, several, all] = [1, 3, 8].map(|root_symmetries| {
        let settings = NetSettings {
            root_symmetries,
            ..*evaluator(seen).settings()
        };
        evaluator(seen).with_settings(settings).unwrap()
    });
    let average = evaluator(SymmetryChoice::Average);
    let win = |net: &NetEvaluator, position: &Position, is_root| {
        f64::from(net.output(position, is_root).unwrap().win)
    };
    // The answers are the same for symmetric positions.
    let mut differ = false;
    for position in various_positions() {
        let [first, mean, whole] = [&one, &several, &all].map(|net| win(net, &position, true));
        assert_near("all", whole, win(&average, &position, true), 1e-6);
        differ |= first != mean && mean != whole;
        assert_eq!(win(&several, &position, false), win(&one, &position, false));
    }
    assert!(differ);
    assert_eq!(one.fingerprint(false), all.fingerprint(false));
    let roots = [&one, &several, &all].map(|net| net.fingerprint(true));
    assert!(roots[0] != roots[1] && roots[1] != roots[2], "{roots:?}");
}

/// Old nets do not know simple ko, under which games can end without result.
#[test]
fn old_nets_never_predict_no_result() {
    let position = Position::new(BoardSize::square(9), Rules::CHINESE, Komi::from_half(15));
    let no_result = |file| {
        let settings = NetSettings::default();
        let evaluator = NetEvaluator::new(&synthetic(file), &Backend::candle(), settings).unwrap();
        evaluator.output(&position, true).unwrap().no_result
    };
    assert_eq!(no_result("s4.bin.gz"), 0.0);
    assert!(no_result("s7.bin.gz") > 0.01);
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

#[test]
fn only_human_nets_take_profile() {
    let refusal = |file, profile: Option<&str>| {
        let settings = NetSettings {
            profile: profile.map(|text| text.parse().unwrap()),
            ..NetSettings::default()
        };
        let evaluator = NetEvaluator::new(&synthetic(file), &Backend::candle(), settings);
        evaluator.err().map(|error| error.to_string())
    };
    assert_eq!(refusal("s15m.bin.gz", Some("rank_5k")), None);
    let needed = refusal("s15m.bin.gz", None).unwrap();
    assert!(needed.contains("needs a profile"), "{needed}");
    let useless = refusal("s15.bin.gz", Some("rank_5k")).unwrap();
    assert!(useless.contains("takes no profile"), "{useless}");
}

#[test]
fn profiles_are_ranks_or_years() {
    let size = BoardSize::square(19);
    let steps = |text: &str| {
        let profile: HumanProfile = text.parse().unwrap();
        assert_eq!(profile.to_string(), text);
        let values = profile.values(size, Color::White);
        (
            values[6..40].iter().sum::<f32>(),
            values[40..74].iter().sum::<f32>(),
        )
    };
    for (text, rank) in [
        ("rank_9d", 1.0),
        ("rank_1d", 9.0),
        ("rank_1k", 10.0),
        ("rank_20k", 29.0),
        ("preaz_5k", 14.0),
        ("proyear_1990", 1.0),
    ] {
        assert_eq!(steps(text), (rank, rank), "{text}");
    }
    assert_eq!(steps("rank_5k_3d"), (7.0, 14.0), "White is to move");
    for text in [
        "",
        "rank_",
        "rank_k",
        "rank_0k",
        "rank_21k",
        "rank_10d",
        "rank_5p",
        "5k",
        "rank_-1k",
        "rank_5\u{e9}",
        "rank_300k",
        "preaz_21k",
        "rank_5k_",
        "rank_5k_3d_1d",
        "proyear_1799",
        "proyear_2024",
        "proyear_",
    ] {
        let error = text.parse::<HumanProfile>().unwrap_err().to_string();
        assert!(error.contains("rank_5k"), "{text}: {error}");
    }
}
