//! Architectures of new nets: plain values, with names as KataGo uses them.
//!
//! `b6c96` is a tower of 6 blocks on a stack of 96 channels, `b18c384nbt` one of nested
//! bottlenecks. Where KataGo has a net of such a name, blocks with global pooling stand at the same
//! places here and all widths are the same; other sizes follow the same rules. `b4c64a2` is
//! such a tower with two blocks of attention in between, `b4c64ch2` one with two that pool over chains,
//! `b7c96tf` a transformer of 7 pairs of
//! blocks. `seed-9x9` is keima's own small net: ten planes of 9x9 boards ([`super::features::SEED_PLANES`]), three convolutions
//! with 32, 64 and 128 channels without residual connections, and heads as the others have.
//! [`Arch::init`] makes a net with random weights.

mod init;
mod random;

use anyhow::{Context, Result, ensure};

use super::desc::{Activation, InputVersion};

/// The shape of a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arch {
    /// What it is called.
    pub name: String,
    /// KataGo's model version, 8 to 15: decides the outputs.
    pub version: u32,
    /// What it is told.
    pub inputs: InputVersion,
    /// Side of the first convolution's kernel, odd.
    pub stem_side: usize,
    /// Channels of the stack, before plain blocks make another of it.
    pub channels: usize,
    /// What the blocks of the stack are.
    pub blocks: Vec<BlockKind>,
    /// Channels between the convolutions of a block; in nested bottlenecks, those of the inner
    /// stack and of the blocks on it.
    pub mid_channels: usize,
    /// How many of these are pooled in blocks with global pooling.
    pub pool_channels: usize,
    /// Widths of the heads.
    pub heads: HeadWidths,
    /// Of all layers. Versions below 11 know only ReLU.
    pub activation: Activation,
}

/// A kind of block of the outer stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Two convolutions.
    Ordinary,
    /// The same with global pooling.
    GlobalPooling,
    /// Two ordinary blocks on a narrower stack.
    NestedBottleneck,
    /// The same, the first of them with global pooling.
    NestedGlobalPooling,
    /// One convolution between so many channels, whose results replace the stack.
    Plain(usize, usize),
    /// All points look at each other.
    Attention,
    /// Gated layers of each point by itself.
    FeedForward,
    /// Values pooled over chains and empty regions.
    ChainPooling,
}

/// Widths of the heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadWidths {
    /// Channels of the policy head, and as many that it pools.
    pub policy: usize,
    /// Channels of the value head.
    pub value: usize,
    /// The value head's hidden layer.
    pub value_hidden: usize,
}

/// Bounds of what names may ask for.
const BLOCKS: std::ops::RangeInclusive<usize> = 1..=100;
const CHANNELS: std::ops::RangeInclusive<usize> = 8..=1024;
/// The newest version with a single policy channel.
const TOWER_VERSION: u32 = 11;
/// That of KataGo's nets of this kind.
const NESTED_VERSION: u32 = 15;
const TRANSFORMER_VERSION: u32 = 17;
/// Blocks between those of a tower, by the letters before their number in a name.
const EXTRA_BLOCKS: [(&str, BlockKind); 2] =
    [("ch", BlockKind::ChainPooling), ("a", BlockKind::Attention)];
/// The net with its number of channels after each convolution.
const SEED: (&str, [usize; 3]) = ("seed-9x9", [32, 64, 128]);

/// For stacks of up to so many channels: the heads of the policy and the value, the latter's hidden
/// layer, the pooled channels of a block.
type WidthsRow = (usize, [usize; 4]);
#[rustfmt::skip]
const TOWER_WIDTHS: [WidthsRow; 8] = [
    (16, [8, 8, 12, 8]), (32, [12, 12, 24, 16]), (64, [24, 24, 48, 16]), (96, [32, 32, 64, 32]),
    (128, [32, 32, 80, 32]), (192, [32, 32, 96, 64]), (256, [48, 48, 112, 64]),
    (usize::MAX, [48, 96, 128, 96]),
];
#[rustfmt::skip]
const NESTED_WIDTHS: [WidthsRow; 5] = [
    (64, [24, 24, 48, 16]), (192, [32, 32, 80, 32]), (256, [32, 32, 96, 64]),
    (384, [48, 96, 128, 64]), (usize::MAX, [64, 128, 144, 64]),
];

impl Arch {
    /// The architecture of a name: `bNcM`, `bNcMaK`, `bNcMchK`, `bNcMtf` or `bNcMnbt` with N blocks, M
    /// channels and K blocks of attention or chain pooling besides, or `seed-9x9`.
    pub fn named(name: &str) -> Result<Arch> {
        let unknown = || {
            format!(
                "no architecture is called {name:?}; they are called like b6c96, b18c384nbt or \
                 b7c96tf, by numbers of blocks and channels, b4c64a2 with a number of blocks of \
                 attention, b4c64ch2 with one of blocks of chain pooling, or seed-9x9"
            )
        };
        if name == SEED.0 {
            return Ok(Arch::seed());
        }
        let sizes = name.strip_prefix('b').with_context(unknown)?;
        let kinds: [(&str, Make); 2] = [("nbt", Arch::nested), ("tf", Arch::transformer)];
        let suffixed = kinds.iter().find_map(|(suffix, make)| {
            let sizes = sizes.strip_suffix(suffix)?;
            Some((sizes, *make))
        });
        let (sizes, make) = suffixed.unwrap_or((sizes, Arch::tower));
        let (blocks, channels) = sizes.split_once('c').with_context(unknown)?;
        let added = EXTRA_BLOCKS.iter().find_map(|&(letters, kind)| {
            let (channels, count) = channels.split_once(letters)?;
            suffixed.is_none().then_some((channels, count, kind))
        });
        let channels = added.map_or(channels, |(channels, ..)| channels);
        let number = |digits: &str| {
            let plain = !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
            let number = digits.parse::<usize>().ok().filter(|_| plain);
            number.with_context(unknown)
        };
        let (blocks, channels) = (number(blocks)?, number(channels)?);
        let extra = added.map(|(_, count, kind)| anyhow::Ok((number(count)?, kind)));
        let extra = extra.transpose()?;
        let bounds = [
            ("blocks", blocks, BLOCKS),
            ("channels", channels, CHANNELS),
            (
                "blocks besides",
                extra.map_or(1, |(count, _)| count),
                1..=blocks,
            ),
        ];
        for (what, count, bounds) in bounds {
            let (low, high) = (bounds.start(), bounds.end());
            ensure!(
                bounds.contains(&count),
                "{name}: {count} {what}, should be {low} to {high}"
            );
        }
        let mut arch = make(name, blocks, channels);
        if let Some((count, kind)) = extra {
            arch.insert(count, kind);
        }
        Ok(arch)
    }

    /// Puts so many blocks between the others, as evenly as may be, the last at the end.
    fn insert(&mut self, count: usize, kind: BlockKind) {
        let blocks = self.blocks.len();
        for index in (1..=count).rev() {
            self.blocks.insert(index * blocks / count, kind);
        }
    }

    /// The widths of its heads are those of towers as wide as its last convolution.
    fn seed() -> Arch {
        let (name, [first, second, third]) = SEED;
        Arch {
            inputs: InputVersion::Seed,
            stem_side: 3,
            channels: first,
            blocks: vec![
                BlockKind::Plain(first, second),
                BlockKind::Plain(second, third),
            ],
            ..Arch::tower(name, 1, third)
        }
    }

    /// Ordinary blocks, as in KataGo's nets of 2020.
    fn tower(name: &str, blocks: usize, channels: usize) -> Arch {
        let kind = |number| match tower_pools_at(number, blocks) {
            true => BlockKind::GlobalPooling,
            false => BlockKind::Ordinary,
        };
        let (heads, pool_channels) = widths(&TOWER_WIDTHS, channels);
        let mid_channels = channels;
        Arch {
            name: name.to_string(),
            version: TOWER_VERSION,
            inputs: InputVersion::V7,
            stem_side: 5,
            channels,
            blocks: (1..=blocks).map(kind).collect(),
            mid_channels,
            pool_channels: pool_channels.min(mid_channels / 2),
            heads,
            activation: Activation::Relu,
        }
    }

    /// Nested bottlenecks of half the width, every third with global pooling, as in KataGo's nets
    /// of 2023.
    fn nested(name: &str, blocks: usize, channels: usize) -> Arch {
        let kind = |number: usize| match number.is_multiple_of(3) && number < blocks {
            true => BlockKind::NestedGlobalPooling,
            false => BlockKind::NestedBottleneck,
        };
        let (heads, pool_channels) = widths(&NESTED_WIDTHS, channels);
        let mid_channels = channels / 2;
        Arch {
            name: name.to_string(),
            version: NESTED_VERSION,
            inputs: InputVersion::V7,
            stem_side: 3,
            channels,
            blocks: (1..=blocks).map(kind).collect(),
            mid_channels,
            pool_channels: pool_channels.min(mid_channels / 2),
            heads,
            activation: Activation::Mish,
        }
    }

    /// Pairs of attention and feed-forward blocks on convolutions that read the inputs.
    fn transformer(name: &str, blocks: usize, channels: usize) -> Arch {
        let pair = [BlockKind::Attention, BlockKind::FeedForward];
        Arch {
            version: TRANSFORMER_VERSION,
            blocks: pair.repeat(blocks),
            ..Arch::tower(name, 0, channels)
        }
    }
}

/// From a name and the numbers of blocks and channels.
type Make = fn(&str, usize, usize) -> Arch;

impl BlockKind {
    /// Channels of the stack after it, of so many before.
    fn outputs(self, channels: usize) -> usize {
        match self {
            BlockKind::Plain(_, outputs) => outputs,
            _ => channels,
        }
    }
}

/// Widths of the heads, and how many channels are pooled, by the width of the stack.
fn widths(table: &[WidthsRow], channels: usize) -> (HeadWidths, usize) {
    let row = table.iter().find(|(most, _)| channels <= *most);
    let (_, [policy, value, value_hidden, pool]) = *row.expect("the last row has no bound");
    let heads = HeadWidths {
        policy,
        value,
        value_hidden,
    };
    (heads, pool)
}

/// Whether a block, by its number from 1, of a tower of ordinary ones has global pooling.
fn tower_pools_at(number: usize, blocks: usize) -> bool {
    match blocks {
        ..=2 => number == blocks,
        3..=5 => number == 3,
        6 => [3, 5].contains(&number),
        7..=9 => number.is_multiple_of(3) && number < blocks,
        10 => [5, 8].contains(&number),
        15 | 20 => number % 5 == 2 && (7..blocks).contains(&number),
        _ => number % 5 == 1 && (6..blocks).contains(&number),
    }
}
