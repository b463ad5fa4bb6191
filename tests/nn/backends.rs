//! Choosing a device, and equality of results on all of them.

use candle_core::DType;

use crate::comparison::{self, difference, figures};
use crate::nets::synthetic;
use crate::skipped::skipped;
use keima::go::{BoardSize, Komi, Position, Rules, Symmetry};
use keima::nn::arch::{Arch, BlockKind, PlainShape};
use keima::nn::backend::{Backend, DeviceChoice, Precision, open};
use keima::nn::candle::{Convolution, Model, Place};
use keima::nn::cpu::Executor;
use keima::nn::cpu::simd::Isa;
use keima::nn::desc::{Block, Conv, MatMul, Net};
use keima::nn::evaluator::{NetEvaluator, NetRequest, NetSettings};
use keima::nn::features::InputBatch;
use keima::nn::output::{NetOutput, RawOutput};
use keima::nn::plan::Plan;
use keima::nn::symmetry_choice::SymmetryChoice;
use keima::search::evaluator::{Evaluator, Request};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

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

fn evaluator(net: &Net, backend: &Backend, symmetry: SymmetryChoice) -> NetEvaluator {
    let settings = NetSettings {
        symmetry,
        symmetry_seed: 1,
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
        for mv in ["c3", "e5", "c5", "pass", "b2", "g3"].iter().take(index) {
            position.play(mv.parse().unwrap());
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
    let several = "cuda:2,CUDA".parse::<DeviceChoice>().unwrap();
    assert_eq!(several.to_string(), "cuda:0,cuda:2");
    assert_eq!("cuda:0, cuda:2".parse(), Ok(several));
    for text in [
        "",
        "gpu",
        "cuda:",
        "cuda:-1",
        "cuda:x",
        "cuda1",
        "cuda,",
        "cuda,cuda:0",
        "cuda,cpu",
        "cuda:0,cuda:64",
    ] {
        assert!(text.parse::<DeviceChoice>().is_err(), "{text}");
    }
    let precisions = [
        ("auto", Precision::Auto),
        ("f32", Precision::F32),
        ("int16", Precision::Int16),
        ("F16", Precision::F16),
        ("bf16", Precision::Bf16),
    ];
    for (text, precision) in precisions {
        assert_eq!(text.parse(), Ok(precision));
    }
    assert!("f64".parse::<Precision>().is_err());
}

#[test]
fn formats_of_gpus_are_refused_on_a_cpu() {
    for (device, precision) in [
        (DeviceChoice::Cpu, Precision::Auto),
        (DeviceChoice::Cpu, Precision::F32),
        (DeviceChoice::Cpu, Precision::Int16),
        (DeviceChoice::Auto, Precision::Int16),
    ] {
        let opened = open(device, precision).unwrap();
        assert!(matches!(opened.backend, Backend::Cpu { .. }));
        assert!(opened.no_gpu.is_none() && !opened.backend.prefers_batches());
    }
    for precision in [Precision::F16, Precision::Bf16] {
        let error = open(DeviceChoice::Cpu, precision).unwrap_err().to_string();
        assert!(error.contains("f32 or int16"), "{error}");
        assert!(open(DeviceChoice::Candle, precision).is_err());
    }
}

#[test]
fn a_build_without_cuda_says_how_to_get_one() {
    if cfg!(feature = "cuda") {
        skipped("this is a build with CUDA");
        return;
    }
    let error = open(DeviceChoice::Cuda(0), Precision::Auto).unwrap_err();
    assert!(error.to_string().contains("--features cuda"), "{error}");
    let opened = open(DeviceChoice::Auto, Precision::Auto).unwrap();
    assert!(matches!(opened.backend, Backend::Cpu { .. }) && opened.no_gpu.is_none());
}

/// The largest difference of probabilities, and that of expected leads and ownership.
fn net_difference(a: &NetOutput, b: &NetOutput) -> (f32, f32) {
    let worst = |pairs: &mut dyn Iterator<Item = (&f32, &f32)>| {
        pairs.fold(0.0f32, |worst, (a, b)| worst.max((a - b).abs()))
    };
    let probabilities = worst(&mut a.policy.iter().zip(&b.policy));
    let win = (a.win - b.win).abs();
    let lead = (a.lead - b.lead).abs() / (1.0 + a.lead.abs());
    let ownership = worst(&mut a.ownership.iter().zip(&b.ownership));
    (probabilities.max(win), lead.max(ownership))
}

/// Compares the outputs of nets on a place with those in f32.
fn compare(place: &Place, tolerance: f32) {
    let backend = Backend::Candle(place.clone());
    let symmetry = SymmetryChoice::Fixed(Symmetry::IDENTITY);
    for file in NETS {
        let net = synthetic(file);
        let expected = evaluator(&net, &Backend::candle(), symmetry);
        let found = evaluator(&net, &backend, symmetry);
        for position in positions() {
            let request = NetRequest::raw(Symmetry::IDENTITY);
            let expected = expected.output_for(&position, &request).unwrap();
            let found = found.output_for(&position, &request).unwrap();
            let (probability, others) = net_difference(&found, &expected);
            let case = format!("{file} on {}: {probability} {others}", position.size());
            assert!(probability <= tolerance && others <= tolerance, "{case}");
        }
    }
}

/// Random inputs of two boards.
fn inputs(net: &Net, width: usize, height: usize) -> InputBatch {
    comparison::inputs(net, (width, height), 2, false)
}

/// Asserts that answers to both boards of [`inputs`] are as near as a tolerance, in a case.
type Nearness = fn(&[RawOutput], &[RawOutput], f32, &str);

/// By the greatest figure of each board.
fn assert_near(found: &[RawOutput], expected: &[RawOutput], tolerance: f32, case: &str) {
    let difference = difference(found, expected);
    assert!(difference <= tolerance, "{case}: {difference}");
}

/// Each figure by itself.
fn assert_figures_near(found: &[RawOutput], expected: &[RawOutput], tolerance: f32, case: &str) {
    for (found, expected) in found.iter().zip(expected) {
        for (a, b) in figures(found).iter().zip(figures(expected)) {
            let bound = tolerance * (1.0 + b.abs());
            assert!((a - b).abs() <= bound, "{case}: {a}, not {b}");
        }
    }
}

const FLOATS: &[bool] = &[false];
const FLOATS_AND_INTEGERS: &[bool] = &[false, true];

/// Compares the answers of own kernels, with every instruction set of the machine, with candle's.
fn equals_candle(
    net: &Net,
    sizes: &[(usize, usize)],
    modes: &[bool],
    is_near: Nearness,
    case: &str,
) {
    let model = Model::new(net, &Place::cpu()).unwrap();
    let answered = |&(width, height): &(usize, usize)| {
        let inputs = inputs(net, width, height);
        let expected = model.forward(&inputs).unwrap();
        (inputs, expected)
    };
    let boards: Vec<(InputBatch, Vec<RawOutput>)> = sizes.iter().map(answered).collect();
    for isa in Isa::available() {
        for &is_integer in modes {
            let executor = Executor::new(Plan::new(net), isa, is_integer);
            let tolerance = if is_integer { 5e-3 } else { 1e-5 };
            for (inputs, expected) in &boards {
                let found = executor.forward(inputs).unwrap();
                let case = format!("{case}, {isa}, integers {is_integer}, {}", inputs.size);
                assert_eq!((found.len(), expected.len()), (2, 2), "{case}");
                is_near(&found, expected, tolerance, &case);
            }
        }
    }
}

/// On boards of all shapes.
#[test]
fn own_kernels_equal_candle() {
    let sizes = [(2, 2), (19, 19), (3, 25), (13, 8), (9, 9)];
    for file in NETS {
        let net = synthetic(file);
        equals_candle(&net, &sizes, FLOATS_AND_INTEGERS, assert_near, file);
    }
}

/// `seed-9x9` with norms that do something.
fn seed() -> Net {
    let mut net = Arch::named("seed-9x9").unwrap().init(3);
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for tensor in net.tensors_mut() {
        let shaken = |value: &mut f32| {
            *value = *value * rng.random_range(0.8..1.2) + rng.random_range(0.0..0.05);
        };
        tensor.weights.iter_mut().for_each(shaken);
    }
    net
}

#[test]
fn seed_9x9_is_the_same_on_own_kernels_and_candle() {
    let modes = FLOATS_AND_INTEGERS;
    equals_candle(&seed(), &[(9, 9)], modes, assert_near, "seed-9x9");
}

#[test]
fn seed_9x9_refuses_other_boards() {
    let own = open(DeviceChoice::Cpu, Precision::Auto).unwrap().backend;
    for backend in [Backend::candle(), own] {
        let evaluator = evaluator(&seed(), &backend, SymmetryChoice::Random);
        assert_eq!(evaluator.only_size(), Some(BoardSize::square(9)));
        for (width, height) in [(13, 13), (19, 19), (9, 7)] {
            let size = BoardSize::new(width, height).unwrap();
            let position = Position::new(size, Rules::TROMP_TAYLOR, Komi::from_half(14));
            let error = evaluator.output(&position, true).unwrap_err().to_string();
            assert!(error.contains("plays on 9x9 only"), "{error}");
        }
        let size = BoardSize::square(9);
        let position = Position::new(size, Rules::TROMP_TAYLOR, Komi::from_half(14));
        let request = |is_root| Request {
            position: position.clone(),
            is_root,
            wants_ownership: true,
            wants_games: false,
        };
        let requests = [request(true), request(false)];
        let together = evaluator.evaluate_together(&requests).unwrap();
        let alone = evaluator.evaluate(&requests).unwrap();
        for (alone, together) in alone.iter().zip(&together) {
            assert!((alone.win_loss - together.win_loss).abs() < 1e-5);
            assert_eq!(alone.ownership.len(), 81);
        }
    }
}

fn plain(inputs: usize, outputs: usize) -> BlockKind {
    BlockKind::Plain(PlainShape {
        side: 3,
        inputs,
        outputs,
    })
}

/// Plain blocks of one width write where they read, and others may follow them.
#[test]
fn mixed_plain_blocks_equal_candle() {
    let mut arch = Arch::named("b3c32").unwrap();
    arch.blocks.insert(0, plain(32, 32));
    arch.blocks.insert(1, plain(32, 32));
    arch.blocks.insert(3, plain(32, 32));
    arch.blocks.push(plain(32, 24));
    let net = arch.init(2);
    net.check().unwrap();
    let (sizes, modes) = ([(9, 9), (6, 13)], FLOATS_AND_INTEGERS);
    equals_candle(&net, &sizes, modes, assert_figures_near, "plain blocks");
}

/// Inputs of real positions have chains; these have the random planes of [`inputs`].
#[test]
fn chain_pooling_equals_candle() {
    let mut net = Arch::named("b3c32ch3").unwrap().init(6);
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for tensor in net.tensors_mut() {
        let shaken = |value: &mut f32| *value *= rng.random_range(0.8..1.2);
        tensor.weights.iter_mut().for_each(shaken);
    }
    net.check().unwrap();
    assert!(net.pools_chains());
    let (sizes, modes) = ([(19, 19), (3, 8), (13, 9)], FLOATS_AND_INTEGERS);
    equals_candle(&net, &sizes, modes, assert_near, "chains");
}

/// Both read as many channels at each point as they write, so that a block's operands and its results could
/// share memory by mistake.
#[test]
fn attention_before_1x1_convolutions_equals_candle() {
    let mut arch = Arch::named("b3c32ch3").unwrap();
    arch.blocks.insert(0, BlockKind::Attention);
    arch.blocks.insert(1, BlockKind::ChainPooling);
    arch.blocks.insert(2, BlockKind::FeedForward);
    arch.blocks.insert(3, BlockKind::NestedBottleneck);
    let net = arch.init(5);
    net.check().unwrap();
    let modes = FLOATS_AND_INTEGERS;
    equals_candle(&net, &[(9, 7)], modes, assert_near, "attention");
}

/// A convolution of another size with random weights.
fn resized(conv: &Conv, side: usize) -> Conv {
    let mut rng = ChaCha8Rng::seed_from_u64(side as u64);
    let len = side * side * conv.inputs * conv.outputs;
    let size = 1.0 / ((side * side * conv.inputs) as f32).sqrt();
    Conv {
        kernel_height: side,
        kernel_width: side,
        weights: (0..len).map(|_| rng.random_range(-size..size)).collect(),
        ..conv.clone()
    }
}

/// Kernels of sizes that files allow, though no net is known to have them.
#[test]
fn unusual_kernel_sizes_equal_candle() {
    let mut net = synthetic("s8.bin.gz");
    for block in &mut net.trunk.blocks {
        match block {
            Block::Ordinary(block) => {
                block.conv_a = resized(&block.conv_a, 1);
                block.conv_b = resized(&block.conv_b, 5);
            }
            Block::GlobalPooling(block) => {
                block.pool_conv = resized(&block.pool_conv, 1);
                block.conv_b = resized(&block.conv_b, 1);
            }
            _ => {}
        }
    }
    equals_candle(&net, &[(9, 9)], FLOATS, assert_figures_near, "kernel sizes");
}

/// Memory is shared by values and reused by evaluations; nothing that was there before counts.
#[test]
fn answers_do_not_depend_on_earlier_evaluations() {
    for file in NETS {
        let net = synthetic(file);
        for is_integer in [false, true] {
            let of = |inputs: &InputBatch, others: &[InputBatch]| {
                let executor = Executor::new(Plan::new(&net), Isa::chosen().unwrap(), is_integer);
                for other in others {
                    executor.forward(other).unwrap();
                }
                executor.forward(inputs).unwrap()
            };
            let inputs = inputs(&net, 7, 7);
            let mut other = inputs.clone();
            for values in [&mut other.spatial, &mut other.global] {
                values.iter_mut().for_each(|value| *value *= -3.0);
            }
            assert!(of(&inputs, &[]) == of(&inputs, &[other]), "{file}");
        }
    }
}

#[test]
fn inputs_of_the_wrong_length_are_refused() {
    let net = synthetic("s15m.bin.gz");
    let executor = Executor::new(Plan::new(&net), Isa::Portable, false);
    let right = inputs(&net, 5, 5);
    assert!(executor.forward(&right).is_ok());
    let shorter = |values: &[f32]| values[..values.len() - 1].to_vec();
    let wrong = [
        InputBatch {
            spatial: shorter(&right.spatial),
            ..right.clone()
        },
        InputBatch {
            global: shorter(&right.global),
            ..right.clone()
        },
        InputBatch {
            metadata: shorter(&right.metadata),
            ..right.clone()
        },
    ];
    for inputs in wrong {
        assert!(executor.forward(&inputs).is_err());
    }
    let nothing = InputBatch {
        spatial: vec![],
        global: vec![],
        metadata: vec![],
        ..right
    };
    assert!(executor.forward(&nothing).unwrap().is_empty());
}

/// The operations used on GPUs, with cuDNN and without.
#[test]
fn candle_convolutions_equal_own_kernels() {
    for convolution in [Convolution::Shifted, Convolution::Candle] {
        let place = Place {
            convolution,
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
            ..Place::cpu()
        };
        compare(&place, 1e-2);
    }
}

#[test]
fn batch_equals_single_evaluations() {
    let requests: Vec<Request<Position>> = positions()
        .into_iter()
        .enumerate()
        .map(|(index, position)| Request {
            position,
            is_root: index % 2 == 0,
            wants_ownership: index % 3 == 0,
            wants_games: false,
        })
        .collect();
    for file in ["s8.bin.gz", "s15m.bin.gz", "s17.bin.gz"] {
        for symmetry in [SymmetryChoice::Random, SymmetryChoice::Average] {
            let evaluator = evaluator(&synthetic(file), &Backend::candle(), symmetry);
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
        &synthetic("s8.bin.gz"),
        &Backend::candle(),
        SymmetryChoice::Random,
    );
    assert!(evaluator.evaluate_together(&[]).unwrap().is_empty());
}

/// A head of attention may be as narrow as one channel, and an odd number of them.
#[test]
fn narrow_heads_equal_candle() {
    for (key_width, value_width) in [(1, 1), (1, 16), (3, 1), (5, 7)] {
        let mut net = Arch::named("b2c32tf").unwrap().init(4);
        for block in &mut net.trunk.blocks {
            if let Block::Attention(block) = block {
                let (heads, width) = (3, 32);
                let resize = |matrix: &mut MatMul, inputs: usize, outputs: usize| {
                    (matrix.inputs, matrix.outputs) = (inputs, outputs);
                    let weights = matrix.weights.iter().copied().cycle();
                    matrix.weights = weights.take(inputs * outputs).collect();
                };
                (block.heads, block.kv_heads, block.rope) = (heads, heads, None);
                (block.key_width, block.value_width) = (key_width, value_width);
                resize(&mut block.query, width, heads * key_width);
                resize(&mut block.key, width, heads * key_width);
                resize(&mut block.value, width, heads * value_width);
                resize(&mut block.output, heads * value_width, width);
            }
        }
        net.check().unwrap();
        let case = format!("{key_width}, {value_width}");
        equals_candle(&net, &[(9, 7)], FLOATS_AND_INTEGERS, assert_near, &case);
    }
}
