//! Choosing what computes networks, and that it makes no difference to what they say.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use candle_core::DType;

use keima::go::{BoardSize, Komi, Position, Rules, Symmetry};
use keima::nn::backend::{Backend, DeviceChoice, Precision, open};
use keima::nn::candle::{Convolution, Place, Pointwise};
use keima::nn::desc::Net;
use keima::nn::evaluator::{NetEvaluator, NetSettings, Question, SymmetryChoice};
use keima::nn::katago;
use keima::nn::output::NetOutput;
use keima::search::evaluator::{Evaluator, Request};

/// Nets that together have every kind of block, norm, activation and head.
const NETS: [&str; 9] = [
    "s3.txt.gz",
    "s8.bin.gz",
    "s10.bin.gz",
    "s11.bin.gz",
    "s12.bin.gz",
    "s15m.bin.gz",
    "s16.bin.gz",
    "s17.bin.gz",
    "s17b.txt.gz",
];

fn net(file: &str) -> Net {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/nets");
    katago::read_file(&folder.join(file)).unwrap()
}

fn evaluator(net: &Net, backend: &Backend, symmetry: SymmetryChoice) -> NetEvaluator {
    let settings = NetSettings {
        symmetry,
        profile: net.wants_metadata().then(|| "rank_5k".parse().unwrap()),
        ..NetSettings::default()
    };
    NetEvaluator::new(net, backend, settings).unwrap()
}

/// An opening on boards of several sizes, some of them twice.
fn positions() -> Vec<Position> {
    let mut positions = Vec::new();
    for (index, (width, height)) in [(9, 9), (7, 11), (9, 9), (11, 7), (19, 19), (9, 9)]
        .into_iter()
        .enumerate()
    {
        let size = BoardSize::new(width, height).unwrap();
        let mut position = Position::new(size, Rules::TROMP_TAYLOR, Komi::from_half(13));
        for made in ["c3", "e5", "c5", "pass", "b2", "g3"].iter().take(index) {
            position.play(made.parse().unwrap());
        }
        positions.push(position);
    }
    positions
}

#[test]
fn devices_and_precisions_are_read() {
    let devices = [
        ("auto", DeviceChoice::Auto),
        ("CPU", DeviceChoice::Cpu),
        ("cuda", DeviceChoice::Cuda(0)),
        ("cuda:3", DeviceChoice::Cuda(3)),
    ];
    for (text, device) in devices {
        assert_eq!(text.parse(), Ok(device));
    }
    for text in ["", "gpu", "cuda:", "cuda:-1", "cuda:x", "cuda1"] {
        assert!(text.parse::<DeviceChoice>().is_err(), "{text}");
    }
    let precisions = [
        ("auto", Precision::Auto),
        ("f32", Precision::F32),
        ("F16", Precision::F16),
        ("bf16", Precision::Bf16),
    ];
    for (text, precision) in precisions {
        assert_eq!(text.parse(), Ok(precision));
    }
    assert!("f64".parse::<Precision>().is_err());
}

#[test]
fn the_cpu_computes_in_f32_only() {
    for precision in [Precision::Auto, Precision::F32] {
        let opened = open(DeviceChoice::Cpu, precision).unwrap();
        assert_eq!(opened.to_string(), "CPU (f32)");
        assert!(!opened.backend.likes_batches());
    }
    for precision in [Precision::F16, Precision::Bf16] {
        let error = open(DeviceChoice::Cpu, precision).unwrap_err().to_string();
        assert!(error.contains("f32 only"), "{error}");
    }
}

#[test]
fn a_build_without_cuda_says_how_to_get_one() {
    if cfg!(feature = "cuda") {
        println!("skipped: this is a build with CUDA");
        return;
    }
    let error = open(DeviceChoice::Cuda(0), Precision::Auto).unwrap_err();
    assert!(error.to_string().contains("--features cuda"), "{error}");
    let opened = open(DeviceChoice::Auto, Precision::Auto).unwrap();
    assert_eq!(opened.to_string(), "CPU (f32)");
}

/// The largest difference of probabilities, and that of expected leads and ownership.
fn difference(a: &NetOutput, b: &NetOutput) -> (f32, f32) {
    let worst = |pairs: &mut dyn Iterator<Item = (&f32, &f32)>| {
        pairs.fold(0.0f32, |worst, (a, b)| worst.max((a - b).abs()))
    };
    let probabilities = worst(&mut a.policy.iter().zip(&b.policy));
    let win = (a.win - b.win).abs();
    let lead = (a.lead - b.lead).abs() / (1.0 + a.lead.abs());
    let ownership = worst(&mut a.ownership.iter().zip(&b.ownership));
    (probabilities.max(win), lead.max(ownership))
}

/// Compares what nets say when computed in another way with what they say in f32.
fn compare(place: &Place, tolerance: f32) {
    let backend = Backend::Candle(place.clone());
    let symmetry = SymmetryChoice::Fixed(Symmetry::IDENTITY);
    for file in NETS {
        let net = net(file);
        let expected = evaluator(&net, &Backend::candle(), symmetry);
        let found = evaluator(&net, &backend, symmetry);
        for position in positions() {
            let question = Question::raw(Symmetry::IDENTITY);
            let expected = expected.ask(&position, &question).unwrap();
            let found = found.ask(&position, &question).unwrap();
            let (probability, others) = difference(&found, &expected);
            let case = format!("{file} on {}: {probability} {others}", position.size());
            assert!(probability <= tolerance && others <= tolerance, "{case}");
        }
    }
}

/// What is computed on GPUs, with cuDNN and without.
#[test]
fn operations_of_candle_serve_as_well_as_those_for_cpus() {
    for convolution in [Convolution::Shifted, Convolution::Candle] {
        let place = Place {
            convolution,
            pointwise: Pointwise::Candle,
            ..Place::cpu()
        };
        compare(&place, 1e-5);
    }
}

#[test]
fn f16_is_near_f32() {
    for convolution in [Convolution::Shifted, Convolution::Candle] {
        let place = Place {
            dtype: DType::F16,
            convolution,
            pointwise: Pointwise::Candle,
            ..Place::cpu()
        };
        compare(&place, 1e-2);
    }
}

#[test]
fn evaluations_together_are_those_one_by_one() {
    let requests: Vec<Request<Position>> = positions()
        .into_iter()
        .enumerate()
        .map(|(index, position)| Request {
            position,
            is_root: index % 2 == 0,
            wants_ownership: index % 3 == 0,
        })
        .collect();
    for file in ["s8.bin.gz", "s15m.bin.gz", "s17.bin.gz"] {
        for symmetry in [
            SymmetryChoice::ByPosition { seed: 1 },
            SymmetryChoice::Average,
        ] {
            let evaluator = evaluator(&net(file), &Backend::candle(), symmetry);
            let alone = evaluator.evaluate(&requests).unwrap();
            let together = evaluator.evaluate_together(&requests).unwrap();
            assert_eq!(alone.len(), together.len());
            for (alone, together) in alone.iter().zip(&together) {
                assert_eq!(alone.policy.len(), together.policy.len());
                assert_eq!(alone.ownership.len(), together.ownership.len());
                let pairs = alone.policy.iter().zip(&together.policy);
                for (a, b) in pairs.chain([(&alone.win_loss, &together.win_loss)]) {
                    assert!((a - b).abs() < 1e-5, "{file}: {a} {b}");
                }
            }
        }
    }
    let evaluator = evaluator(
        &net("s8.bin.gz"),
        &Backend::candle(),
        SymmetryChoice::ByPosition { seed: 1 },
    );
    assert!(evaluator.evaluate_together(&[]).unwrap().is_empty());
}
