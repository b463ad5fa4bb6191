//! Networks: reading files, forward passes, and what a search is told.

#![allow(clippy::unwrap_used)]

mod outside;

use std::path::Path;

use candle_core::Device;

use keima::go::{BoardSize, Komi, Position, Rules, Symmetry};
use keima::nn::candle::Model;
use keima::nn::desc::Net;
use keima::nn::evaluator::{NetEvaluator, NetSettings, SymmetryChoice};
use keima::nn::features::InputBatch;
use keima::nn::katago;
use keima::search::evaluator::{Evaluator, Request};
use outside::outside;

const B6C96: &str = "models/g170-b6c96-s175395328-d26788732.bin.gz";

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

/// Positions on boards of several sizes: an opening, and a corner where a ko was taken.
fn various_positions() -> Vec<Position> {
    let komi = Komi::from_half(13);
    let mut positions = Vec::new();
    for (width, height) in [(9, 9), (7, 11), (19, 19), (25, 25)] {
        let size = BoardSize::new(width, height).unwrap();
        let mut position = Position::new(size, Rules::TROMP_TAYLOR, komi);
        positions.push(position.clone());
        for made in ["b1", "c1", "a2", "d2", "b3", "c3", "c2", "e5", "pass", "b2"] {
            position.play(made.parse().unwrap());
        }
        assert!(position.ko().is_some());
        positions.push(position);
    }
    positions
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
