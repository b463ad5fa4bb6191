//! Architectures of new nets, with names in KataGo's style.
//!
//! `b6c96` is a tower of 6 blocks on a trunk of 96 channels, `b18c384nbt` one of nested
//! bottlenecks. Where KataGo has a net of such a name, blocks with global pooling are at the same
//! places here and all widths are the same; other sizes follow the same rules. `b4c64a2` is such a
//! tower with two attention blocks in between, `b4c64ch2` one with two blocks of chain pooling,
//! `b7c96tf` a transformer of 7 pairs of blocks. `seed-9x9` is keima's own small net: ten planes of
//! 9x9 boards ([`super::features::SEED_PLANES`]), three convolutions with 32, 64 and 128 channels
//! without residual connections, and the same heads as the others. `hu-9x9` is the net of a bachelor's
//! thesis (HuskySS, BakalarskaPrace): ten other planes ([`super::features::hu`]), the same
//! convolutions, and fully connected heads. `bako-l2` to `bako-l6` are after the policy nets of a paper
//! on five in a row (Bako): stacks of convolutions that see stones alone. [`Arch::init`] makes a net with
//! random weights.

mod init;
mod plain;
mod random;

use anyhow::{Context, Result, ensure};

use super::desc::{Activation, GameInputs, InputVersion};

/// The structure of a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arch {
    /// Name.
    pub name: String,
    /// KataGo's model version, 8 to 17: determines the outputs.
    pub version: u32,
    /// Input version.
    pub inputs: InputVersion,
    /// What these are in another game than Go.
    pub game_inputs: Option<GameInputs>,
    /// Side of the first convolution's kernel, odd.
    pub stem_side: usize,
    /// Channels of the trunk, before plain blocks change them.
    pub channels: usize,
    /// Blocks of the trunk.
    pub blocks: Vec<BlockKind>,
    /// Channels between the convolutions of a block; in nested bottlenecks, those of the inner
    /// trunk and its blocks.
    pub mid_channels: usize,
    /// How many of these are pooled in blocks with global pooling.
    pub pool_channels: usize,
    /// Widths of the heads.
    pub heads: HeadWidths,
    /// Widths of fully connected heads, which take the place of the others.
    pub flat_heads: Option<FlatWidths>,
    /// Activation of all layers. Versions below 11 only have ReLU.
    pub activation: Activation,
}

/// A kind of block of the outer trunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Two convolutions.
    Ordinary,
    /// The same with global pooling.
    GlobalPooling,
    /// Two ordinary blocks on a narrower trunk.
    NestedBottleneck,
    /// The same, the first of them with global pooling.
    NestedGlobalPooling,
    /// One convolution, whose results replace the trunk.
    Plain(PlainShape),
    /// Self-attention over all points.
    Attention,
    /// Gated feed-forward layers at each point.
    FeedForward,
    /// Values pooled over chains and empty regions.
    ChainPooling,
}

/// The convolution of a plain block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlainShape {
    /// Side of the kernel, odd.
    pub side: usize,
    /// Channels read.
    pub inputs: usize,
    /// Channels written.
    pub outputs: usize,
}

/// Widths of the heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadWidths {
    /// Channels of the policy head, and as many pooled ones.
    pub policy: usize,
    /// Channels of the value head.
    pub value: usize,
    /// Hidden layer of the value head.
    pub value_hidden: usize,
}

/// Widths of fully connected heads: channels of the convolution, then outputs of each layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlatWidths {
    /// The last is one more than the board has points.
    pub policy: Vec<usize>,
    /// The last is 1.
    pub value: Vec<usize>,
}

/// Limits of the numbers in names.
const BLOCKS: std::ops::RangeInclusive<usize> = 1..=100;
const CHANNELS: std::ops::RangeInclusive<usize> = 8..=1024;
/// The newest version with a single policy channel.
const TOWER_VERSION: u32 = 11;
/// The version of KataGo's nets of this kind.
const NESTED_VERSION: u32 = 15;
const TRANSFORMER_VERSION: u32 = 17;
/// Blocks that can be added to a tower, by the letters before their number in a name.
const EXTRA_BLOCKS: [(&str, BlockKind); 2] =
    [("ch", BlockKind::ChainPooling), ("a", BlockKind::Attention)];
/// Points of the board of nets with fully connected heads.
const FLAT_AREA: usize = 81;

/// For trunks of up to this many channels: widths of the policy head, of the value head, of its
/// hidden layer, and the pooled channels of a block.
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
    /// Parses a name: `bNcM`, `bNcMaK`, `bNcMchK`, `bNcMtf` or `bNcMnbt` with N blocks, M channels
    /// and K additional blocks of attention or chain pooling, `seed-9x9`, `hu-9x9`, `bako-l2` to `bako-l6`.
    pub fn named(name: &str) -> Result<Arch> {
        let unknown = || {
            format!(
                "no architecture is called {name:?}; they are called like b6c96, b18c384nbt or \
                 b7c96tf, by numbers of blocks and channels, b4c64a2 with a number of blocks of \
                 attention, b4c64ch2 with one of blocks of chain pooling, or seed-9x9, hu-9x9, and \
                 bako-l2 to bako-l6 for gomoku"
            )
        };
        if let Some(arch) = Arch::of_convolutions(name) {
            return Ok(arch);
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

    /// The same for another game than Go, with the first of the inputs that the game offers, or those of the
    /// architecture. An error for architectures that are made for Go's inputs, or for other games'.
    pub fn for_game(self, offered: &[GameInputs]) -> Result<Arch> {
        if let Some(own) = &self.game_inputs {
            ensure!(
                offered.contains(own),
                "{} is for the inputs {}",
                self.name,
                own.name
            );
            return Ok(self);
        }
        let pools_chains = self.blocks.contains(&BlockKind::ChainPooling);
        ensure!(
            self.inputs == InputVersion::V7 && !pools_chains,
            "{} is for Go alone",
            self.name
        );
        let inputs = offered.first().context("the game has no inputs")?.clone();
        let GameInputs { planes, values, .. } = inputs;
        Ok(Arch {
            inputs: InputVersion::OfGame { planes, values },
            game_inputs: Some(inputs),
            ..self
        })
    }

    /// Inserts this many blocks, as evenly as possible, the last at the end.
    fn insert(&mut self, count: usize, kind: BlockKind) {
        let blocks = self.blocks.len();
        for index in (1..=count).rev() {
            self.blocks.insert(index * blocks / count, kind);
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
            game_inputs: None,
            stem_side: 5,
            channels,
            blocks: (1..=blocks).map(kind).collect(),
            mid_channels,
            pool_channels: pool_channels.min(mid_channels / 2),
            heads,
            flat_heads: None,
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
            game_inputs: None,
            stem_side: 3,
            channels,
            blocks: (1..=blocks).map(kind).collect(),
            mid_channels,
            pool_channels: pool_channels.min(mid_channels / 2),
            heads,
            flat_heads: None,
            activation: Activation::Mish,
        }
    }

    /// Pairs of attention and feed-forward blocks after the stem.
    fn transformer(name: &str, blocks: usize, channels: usize) -> Arch {
        let pair = [BlockKind::Attention, BlockKind::FeedForward];
        Arch {
            version: TRANSFORMER_VERSION,
            blocks: pair.repeat(blocks),
            ..Arch::tower(name, 0, channels)
        }
    }
}

/// Builds an architecture from a name and the numbers of blocks and channels.
type Make = fn(&str, usize, usize) -> Arch;

impl BlockKind {
    /// Channels after the block, given those before.
    fn outputs(self, channels: usize) -> usize {
        match self {
            BlockKind::Plain(shape) => shape.outputs,
            _ => channels,
        }
    }
}

/// Widths of the heads and pooled channels, by the width of the trunk.
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

/// Whether a block of an ordinary tower, numbered from 1, has global pooling.
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
