//! Transformers and chain pooling on a GPU that a CPU plays.

use crate::gpu::compare;
use crate::nets::{FIXED_ROPE, LEARNED_ROPE, trained};
use keima::nn::arch::{Arch, BlockKind};
use keima::nn::desc::{Block, MatMul, Net, Rope, Tip};
use keima::nn::gpu::Format;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Bounds of differences from the CPU in f32.
const EXACT: f32 = 1e-5;
const ROUNDED: f32 = 3e-3;

fn shaken(mut net: Net) -> Net {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for tensor in net.tensors_mut() {
        let shaken = |value: &mut f32| *value *= rng.random_range(0.8..1.2);
        tensor.weights.iter_mut().for_each(shaken);
    }
    net
}

/// Heads, key heads, and channels of keys and values.
type Heads = (usize, usize, usize, usize);

/// A transformer of two pairs of blocks with such heads, with learned angles or without any.
fn transformer((heads, kv_heads, key_width, value_width): Heads, is_turned: bool) -> Net {
    let mut net = Arch::named("b2c32tf").unwrap().init(4);
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    for block in &mut net.trunk.blocks {
        let Block::Attention(block) = block else {
            continue;
        };
        let mut resize = |matrix: &mut MatMul, inputs: usize, outputs: usize| {
            (matrix.inputs, matrix.outputs) = (inputs, outputs);
            let size = (3.0 / inputs as f32).sqrt();
            let weights = (0..inputs * outputs).map(|_| rng.random_range(-size..size));
            matrix.weights = weights.collect();
        };
        (block.heads, block.kv_heads) = (heads, kv_heads);
        (block.key_width, block.value_width) = (key_width, value_width);
        resize(&mut block.query, 32, heads * key_width);
        resize(&mut block.key, 32, kv_heads * key_width);
        resize(&mut block.value, 32, kv_heads * value_width);
        resize(&mut block.output, heads * value_width, 32);
        let angles = (0..kv_heads * key_width).map(|_| rng.random_range(-1.0..1.0));
        block.rope = is_turned.then(|| Rope::Learned(angles.collect()));
    }
    net.check().unwrap();
    net
}

#[test]
fn transformers_on_ragged_boards() {
    let net = shaken(Arch::named("b2c64tf").unwrap().init(3));
    let sizes = [
        ((19, 19), 2),
        ((9, 9), 5),
        ((13, 8), 1),
        ((3, 25), 3),
        ((2, 2), 1),
    ];
    compare("b2c64tf", &net, Format::F32, EXACT, &sizes);
    compare("b2c64tf", &net, Format::F16, ROUNDED, &sizes);
}

/// Trunks with a kernel for whole feed-forward blocks, and others.
#[test]
fn trunks_of_all_widths() {
    for width in [32, 60, 96, 128, 160, 192] {
        let name = format!("b1c{width}tf");
        let net = shaken(Arch::named(&name).unwrap().init(8));
        compare(
            &name,
            &net,
            Format::F16,
            ROUNDED,
            &[((9, 9), 2), ((5, 3), 1)],
        );
    }
}

#[test]
fn heads_of_all_widths_and_groups() {
    let heads = [
        (1, 1, 2, 1),
        (4, 2, 6, 3),
        (3, 3, 16, 16),
        (6, 3, 32, 16),
        (2, 1, 34, 10),
        (2, 1, 64, 64),
        (1, 1, 100, 128),
        // So many queries of a key head that their weights do not fit into shared memory.
        (112, 1, 12, 16),
        (64, 1, 32, 12),
        (64, 1, 32, 32),
        (64, 1, 30, 24),
    ];
    for (index, heads) in heads.into_iter().enumerate() {
        let net = transformer(heads, index % 2 == 0);
        let (name, sizes) = (format!("{heads:?}"), [((9, 7), 2), ((11, 12), 1)]);
        compare(&name, &net, Format::F32, EXACT, &sizes);
        compare(&name, &net, Format::F16, ROUNDED, &sizes);
    }
}

/// So many that a block has all queries of a head.
#[test]
fn many_heads() {
    let net = transformer((8, 4, 8, 8), true);
    compare("many", &net, Format::F16, ROUNDED, &[((12, 12), 33)]);
}

/// Of which only a part of the keys is in shared memory at a time.
#[test]
fn wide_heads_on_large_boards() {
    for width in [64, 128] {
        let net = transformer((2, 1, width, width), true);
        let sizes = [((19, 19), 1), ((25, 25), 1)];
        compare("wide heads", &net, Format::F16, ROUNDED, &sizes);
    }
}

/// One mean of squares for all points of a board.
#[test]
fn means_of_whole_boards() {
    let mut net = shaken(Arch::named("b1c32tf").unwrap().init(3));
    if let Tip::Rms(tip) = &mut net.trunk.tip {
        tip.is_spatial = !tip.is_spatial;
    }
    let sizes = [((9, 9), 3), ((19, 19), 1)];
    compare("whole boards", &net, Format::F32, EXACT, &sizes);
    compare("whole boards", &net, Format::F16, ROUNDED, &sizes);
}

#[test]
fn chains_are_pooled() {
    for arch in ["b3c32ch3", "b2c64ch2"] {
        let net = shaken(Arch::named(arch).unwrap().init(6));
        assert!(net.pools_chains());
        let sizes = [
            ((19, 19), 2),
            ((3, 8), 17),
            ((13, 9), 3),
            ((25, 25), 1),
            ((2, 2), 1),
        ];
        compare(arch, &net, Format::F32, EXACT, &sizes);
        compare(arch, &net, Format::F16, ROUNDED, &sizes);
    }
}

/// All of which read and write as many channels.
#[test]
fn transformers_mix_with_other_blocks() {
    let mut arch = Arch::named("b3c32ch3").unwrap();
    arch.blocks.insert(0, BlockKind::Attention);
    arch.blocks.insert(1, BlockKind::ChainPooling);
    arch.blocks.insert(2, BlockKind::FeedForward);
    arch.blocks.insert(3, BlockKind::NestedBottleneck);
    let net = shaken(arch.init(5));
    net.check().unwrap();
    compare("mixed", &net, Format::F32, EXACT, &[((9, 7), 3)]);
    compare("mixed", &net, Format::F16, ROUNDED, &[((9, 7), 3)]);
}

#[test]
fn trained_transformers_are_near_the_cpu() {
    for name in [FIXED_ROPE, LEARNED_ROPE] {
        if let Some(net) = trained(name) {
            let sizes = [((19, 19), 1), ((9, 9), 2)];
            compare(name, &net, Format::F32, EXACT, &sizes);
            compare(name, &net, Format::F16, 4e-3, &sizes);
        }
    }
}
