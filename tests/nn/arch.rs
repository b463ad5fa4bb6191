//! New nets: shapes as KataGo's, weights such that the outputs are sane.

use keima::go::{BoardSize, Color, Komi, Position, Rules, Symmetry};
use keima::nn::arch::{Arch, BlockKind};
use keima::nn::backend::{DeviceChoice, Precision, open};
use keima::nn::checkpoint;
use keima::nn::desc::{Block, Net};
use keima::nn::evaluator::{NetEvaluator, NetRequest, NetSettings};
use keima::nn::katago::{self, Form};
use keima::nn::output::NetOutput;

/// Numbers, from 1, of the blocks with global pooling.
fn pooled_at(name: &str) -> Vec<usize> {
    let blocks = Arch::named(name).unwrap().blocks;
    let pools = |kind: &BlockKind| {
        matches!(
            kind,
            BlockKind::GlobalPooling | BlockKind::NestedGlobalPooling
        )
    };
    (1..=blocks.len())
        .filter(|number| pools(&blocks[number - 1]))
        .collect()
}

fn answers(net: &Net) -> Vec<NetOutput> {
    let backend = open(DeviceChoice::Cpu, Precision::F32).unwrap().backend;
    let evaluator = NetEvaluator::new(net, &backend, NetSettings::default()).unwrap();
    let rules = Rules::named("tromp-taylor").unwrap();
    let empty = Position::new(BoardSize::square(9), rules, Komi::from_points(7.0).unwrap());
    let mut played = empty.clone();
    for (color, point) in [
        (Color::Black, "E5"),
        (Color::White, "C3"),
        (Color::Black, "G7"),
    ] {
        played.play_reported(color, point.parse().unwrap()).unwrap();
    }
    let request = NetRequest::raw(Symmetry::new(0).unwrap());
    [empty, played]
        .map(|position| evaluator.output_for(&position, &request).unwrap())
        .into()
}

#[test]
fn named_architectures_are_katagos() {
    for (name, pooled, mid, pool, [policy, value, hidden]) in [
        ("b2c16", vec![2], 16, 8, [8, 8, 12]),
        ("b4c32", vec![3], 32, 16, [12, 12, 24]),
        ("b6c96", vec![3, 5], 96, 32, [32, 32, 64]),
        ("b10c128", vec![5, 8], 128, 32, [32, 32, 80]),
        ("b15c192", vec![7, 12], 192, 64, [32, 32, 96]),
        ("b20c256", vec![7, 12, 17], 256, 64, [48, 48, 112]),
        ("b5c192nbt", vec![3], 96, 32, [32, 32, 80]),
        ("b10c256nbt", vec![3, 6, 9], 128, 64, [32, 32, 96]),
        ("b18c384nbt", vec![3, 6, 9, 12, 15], 192, 64, [48, 96, 128]),
        (
            "b28c512nbt",
            vec![3, 6, 9, 12, 15, 18, 21, 24, 27],
            256,
            64,
            [64, 128, 144],
        ),
    ] {
        let arch = Arch::named(name).unwrap();
        assert_eq!(pooled_at(name), pooled, "{name}");
        assert_eq!(
            (arch.mid_channels, arch.pool_channels),
            (mid, pool),
            "{name}"
        );
        let heads = arch.heads;
        assert_eq!(
            [heads.policy, heads.value, heads.value_hidden],
            [policy, value, hidden],
            "{name}"
        );
    }
}

/// Against the header and layers of g170-b6c96, whose version has neither scales in its first
/// norms nor short-term errors.
#[test]
fn a_new_net_has_the_layers_of_its_architecture() {
    let net = Arch::named("b6c96").unwrap().init(1);
    assert_eq!((net.name.as_str(), net.version), ("b6c96", 11));
    assert_eq!(net.trunk.initial_conv.shape(), [5, 5, 22, 96]);
    let Block::GlobalPooling(block) = &net.trunk.blocks[2] else {
        panic!("the third block has global pooling");
    };
    assert_eq!(block.conv_a.shape(), [3, 3, 96, 64]);
    assert_eq!(block.pool_conv.shape(), [3, 3, 96, 32]);
    assert_eq!(block.pool_matmul.shape(), [96, 64]);
    assert_eq!(block.conv_b.shape(), [3, 3, 64, 96]);
    let net = Arch::named("b3c16nbt").unwrap().init(1);
    assert_eq!((net.version, net.policy_channels()), (15, 2));
    let Block::NestedBottleneck(block) = &net.trunk.blocks[0] else {
        panic!("the blocks are nested bottlenecks");
    };
    assert_eq!(block.conv_in.shape(), [1, 1, 16, 8]);
    assert_eq!(block.blocks.len(), 2);
}

#[test]
fn attention_and_chain_pooling_are_between_blocks() {
    let kinds = |name: &str| {
        let net = Arch::named(name).unwrap().init(1);
        net.check().unwrap();
        let blocks = net.trunk.blocks.iter();
        (
            net.version,
            blocks.map(|block| block.kind()).collect::<Vec<_>>(),
        )
    };
    let [plain, pooling, attention, gated] =
        ["ordinary", "global pooling", "attention", "feed-forward"];
    let mixed = [plain, plain, attention, pooling, plain, attention];
    assert_eq!(kinds("b4c64a2"), (11, mixed.to_vec()));
    let last = [plain, plain, pooling, plain, attention];
    assert_eq!(kinds("b4c64a1"), (11, last.to_vec()));
    let chains = "chain pooling";
    let mixed = [plain, plain, chains, pooling, plain, chains];
    assert_eq!(kinds("b4c64ch2"), (11, mixed.to_vec()));
    let pairs = [attention, gated, attention, gated];
    assert_eq!(kinds("b2c96tf"), (17, pairs.to_vec()));

    // As in b7c96h3tfrs.
    let net = Arch::named("b7c96tf").unwrap().init(1);
    let [Block::Attention(attention), Block::FeedForward(gated)] = &net.trunk.blocks[..2] else {
        panic!("pairs of attention and gated layers");
    };
    assert_eq!((attention.heads, attention.kv_heads), (3, 3));
    assert_eq!((attention.key_width, attention.value_width), (32, 32));
    assert_eq!(gated.inner.shape(), [96, 256]);
}

/// Counted by hand: convolutions, norms of four numbers a channel, and the heads.
#[test]
fn seed_9x9_is_three_convolutions_and_two_heads() {
    let net = Arch::named("seed-9x9").unwrap().init(1);
    net.check().unwrap();
    assert_eq!((net.name.as_str(), net.version), ("seed-9x9", 11));
    assert_eq!(net.input_version().channels(), (10, 0));
    assert_eq!(net.only_size(), Some(BoardSize::square(9)));
    let plain = net.trunk.blocks.iter().map(|block| match block {
        Block::Plain(block) => block.conv.shape(),
        _ => panic!("{}", block.kind()),
    });
    let initial = net.trunk.initial_conv.shape();
    let convolutions: Vec<_> = std::iter::once(initial).chain(plain).collect();
    assert_eq!(
        convolutions,
        [[3, 3, 10, 32], [3, 3, 32, 64], [3, 3, 64, 128]]
    );
    assert_eq!(net.tip_channels(), 128);
    let trunk = 9 * (10 * 32 + 32 * 64 + 64 * 128) + 4 * (32 + 64 + 128);
    let policy = 2 * (128 * 32 + 4 * 32) + 96 * 32 + 32 + 96;
    let value = 128 * 32 + 4 * 32 + 97 * 80 + 81 * (3 + 6) + 32;
    assert_eq!(net.parameters(), trunk + policy + value);
}

/// Kernels and channels of the paper, but for the last layer's channels; the fields are the paper's.
#[test]
fn nets_of_bako_are_stacks_of_convolutions() {
    for (name, layers, field) in [
        ("bako-l2", &[[5, 256], [3, 32]][..], 7),
        ("bako-l3", &[[3, 64], [3, 128], [3, 32]], 7),
        ("bako-l4", &[[3, 64], [5, 64], [5, 32], [3, 32]], 13),
        (
            "bako-l5",
            &[[3, 32], [5, 64], [5, 64], [3, 32], [3, 32]],
            15,
        ),
        (
            "bako-l6",
            &[[3, 32], [3, 64], [3, 64], [3, 32], [3, 32], [3, 32]],
            13,
        ),
    ] {
        let net = Arch::named(name).unwrap().init(1);
        net.check().unwrap();
        let inputs = net.game_inputs.as_ref().unwrap();
        assert_eq!(inputs.name, "gomoku-stones-1");
        let plain = net.trunk.blocks.iter().map(|block| match block {
            Block::Plain(block) => block.conv.shape(),
            _ => panic!("{}", block.kind()),
        });
        let initial = net.trunk.initial_conv.shape();
        let shapes: Vec<_> = std::iter::once(initial).chain(plain).collect();
        let found: Vec<[usize; 2]> = shapes.iter().map(|shape| [shape[0], shape[3]]).collect();
        assert_eq!(found, layers, "{name}");
        assert_eq!(
            1 + shapes.iter().map(|shape| shape[0] - 1).sum::<usize>(),
            field
        );
    }
}

#[test]
fn seed_9x9_is_stored_in_checkpoints_only() {
    let net = Arch::named("seed-9x9").unwrap().init(1);
    let bytes = checkpoint::write_bytes(&net).unwrap();
    assert_eq!(checkpoint::read_bytes(&bytes).unwrap(), net);
    for form in [Form::Binary, Form::Text] {
        let error = katago::write_bytes(&net, form).unwrap_err();
        let error = format!("{error:#}");
        assert!(error.contains("only a checkpoint"), "{error}");
    }
    let mut nested = Arch::named("b1c64nbt").unwrap().init(1);
    let Block::NestedBottleneck(outer) = &mut nested.trunk.blocks[0] else {
        panic!("the block is a nested bottleneck");
    };
    outer.blocks = net.trunk.blocks[..1].to_vec();
    let error = format!("{:#}", nested.check().unwrap_err());
    assert!(error.contains("a plain block on an inner stack"), "{error}");
    let mut wide = net.clone();
    wide.trunk.blocks.swap(0, 1);
    assert!(wide.check().is_err());
}

#[test]
fn seed_determines_weights() {
    let arch = Arch::named("b2c16").unwrap();
    assert_eq!(arch.init(7), arch.init(7));
    assert_ne!(arch.init(7), arch.init(8));
}

#[test]
fn new_nets_can_be_stored_in_both_forms() {
    for name in [
        "b1c8", "b2c32", "b4c17", "b12c33", "b1c8nbt", "b3c65nbt", "b4c33nbt", "b2c40a2", "b2c8tf",
        "b1c64tf",
    ] {
        let net = Arch::named(name).unwrap().init(1);
        net.check().unwrap();
        let bytes = katago::write_bytes(&net, Form::Binary).unwrap();
        assert_eq!(katago::read_bytes(&bytes).unwrap(), net);
        let bytes = checkpoint::write_bytes(&net).unwrap();
        assert_eq!(checkpoint::read_bytes(&bytes).unwrap(), net);
    }
}

/// Whatever the depth, outputs of a new net depend on the board but are not certain.
#[test]
fn new_nets_give_balanced_outputs() {
    for (name, seed) in [
        ("b1c32", 1),
        ("b6c32", 2),
        ("b40c32", 3),
        ("b4c32nbt", 4),
        ("b28c32nbt", 5),
        ("seed-9x9", 6),
        ("b6c32a3", 7),
        ("b2c32tf", 8),
        ("b6c32ch3", 10),
        ("b20c32tf", 9),
    ] {
        let answers = answers(&Arch::named(name).unwrap().init(seed));
        for answer in &answers {
            assert!((0.02..0.98).contains(&answer.win), "{name}: {answer:?}");
            assert!(answer.lead.abs() < 60.0, "{name}: {answer:?}");
            let largest = answer.policy.iter().copied().fold(0.0, f32::max);
            assert!(largest < 0.3, "{name}: {answer:?}");
            assert!(
                answer.ownership.iter().all(|owner| owner.abs() < 0.99),
                "{name}"
            );
        }
        let [empty, played] = &answers[..] else {
            panic!("two positions were asked about");
        };
        assert!(
            (empty.win - played.win).abs() > 1e-4,
            "{name}: {} {}",
            empty.win,
            played.win
        );
    }
}

#[test]
fn unknown_architecture_names_are_refused() {
    for (name, expected) in [
        ("", "called like"),
        ("b6", "called like"),
        ("b6c", "called like"),
        ("b6c96x", "called like"),
        ("b+6c96", "called like"),
        ("b06c96", "called like"),
        ("b6c99999999999999999999", "called like"),
        ("b101c96", "101 blocks"),
        ("b6c7", "7 channels"),
        ("b6c1025nbt", "1025 channels"),
        ("b6c96a", "called like"),
        ("b6c96a0", "called like"),
        ("b6c96a7", "7 blocks besides"),
        ("b6c96ch7", "7 blocks besides"),
        ("b6c96ch", "called like"),
        ("b6c96a2nbt", "called like"),
    ] {
        let message = Arch::named(name).unwrap_err().to_string();
        assert!(message.contains(expected), "{name}: {message}");
    }
}
