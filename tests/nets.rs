//! Networks: reading files, forward passes, and whole evaluations against recorded ones.

use std::path::PathBuf;

use candle_core::Device;
use keima::go::point::BoardSize;
use keima::nn::candle::Model;
use keima::nn::desc::Net;
use keima::nn::features::InputBatch;
use keima::nn::katago;

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
