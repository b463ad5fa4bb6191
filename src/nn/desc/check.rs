//! Consistency checks of a net: each layer takes the outputs of the previous one, and has as many
//! weights as its dimensions say.
//!
//! File readers check each part while reading, so that errors name the place in the file; other
//! code that builds nets calls [`Net::check`].

mod blocks;
mod flat;
mod heads;

use anyhow::{Context, Result, ensure};

use super::super::metadata;
use super::{
    BatchNorm, Bias, Conv, DenseLayer, Heads, InputVersion, MatMul, MetadataEncoder, Multipliers,
    Net, NormAct, RmsNormAct, Tip, Trunk,
};
use blocks::check_blocks;
pub use blocks::{check_depth, check_heads};
pub use heads::score_outputs;

/// Oldest and newest known model version.
pub const VERSIONS: (u32, u32) = (3, 17);
/// Far above real nets (widths below 1000).
pub const MAX_CHANNELS: usize = 1 << 14;
/// Real nets have 1, 3 and 5.
pub const MAX_KERNEL: usize = 25;
/// Far above real nets.
pub const MAX_BLOCKS: usize = 10_000;
/// Real nets nest once.
pub const MAX_DEPTH: usize = 8;
/// Longest name of a net.
const MAX_NAME: usize = 96;

impl Net {
    /// Refuses nets that no reader of network files would return, naming the part.
    pub fn check(&self) -> Result<()> {
        check_name(&self.name)?;
        check_version(self.version)?;
        self.multipliers.check()?;
        let tells_stones = !matches!(
            self.input_version(),
            InputVersion::Seed
                | InputVersion::Hu
                | InputVersion::LeelaZero
                | InputVersion::OfGame { .. }
        );
        ensure!(
            tells_stones || !self.pools_chains(),
            "chain pooling in a network for other inputs than KataGo's"
        );
        if let Some(inputs) = &self.game_inputs {
            check_name(&inputs.name).context("name of the inputs")?;
            let counts = [inputs.planes, inputs.values];
            ensure!(
                counts
                    .iter()
                    .all(|count| (1..=MAX_CHANNELS).contains(count)),
                "{} planes and {} values as inputs",
                inputs.planes,
                inputs.values
            );
            ensure!(
                self.trunk.initial_global.is_some() && !self.wants_metadata(),
                "a network for another game without global inputs, or with inputs about the players"
            );
        }
        let width = self.tip_channels();
        let trunk = self.trunk.check(self.input_version(), width);
        trunk.context("trunk")?;
        match &self.heads {
            Heads::Pooled(heads) => {
                let policy = heads.policy.check(self.version, width);
                policy.context("policy_head")?;
                let value = heads.value.check(self.version, width);
                value.context("value_head")
            }
            Heads::Flat(heads) => {
                ensure!(
                    self.input_version() == InputVersion::Hu,
                    "fully connected heads with global inputs"
                );
                let size = self.only_size().context("no board size")?;
                heads.check(width, size.area())
            }
        }
    }
}

/// Refuses invalid net names.
pub fn check_name(name: &str) -> Result<()> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    ensure!(
        (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(plain),
        "not the name of a network"
    );
    Ok(())
}

/// Refuses unknown versions.
pub fn check_version(version: u32) -> Result<()> {
    let (oldest, newest) = VERSIONS;
    ensure!(
        version <= newest,
        "model version {version} is newer than {newest}, the newest known"
    );
    ensure!(
        version >= oldest,
        "model version {version} is older than {oldest}, the oldest known"
    );
    Ok(())
}

impl Multipliers {
    fn check(&self) -> Result<()> {
        for (what, factor) in self.named() {
            ensure!(
                (f32::MIN_POSITIVE..=f32::MAX).contains(&factor),
                "{what} multiplier is {factor}"
            );
        }
        Ok(())
    }
}

impl Trunk {
    /// `tip_width` is the trunk's final width.
    fn check(&self, inputs: InputVersion, tip_width: usize) -> Result<()> {
        let (planes, globals) = inputs.channels();
        let width = self.initial_conv.outputs;
        check_conv("planes", &self.initial_conv, planes, width)?;
        if let Some(matrix) = &self.initial_global {
            check_matmul("global inputs", matrix, globals, width)?;
        }
        if let Some(encoder) = &self.metadata_encoder {
            ensure!(globals > 0, "players without global inputs");
            encoder.check(width)?;
        }
        check_blocks(&self.blocks, width, 0)?;
        self.tip.check(tip_width)
    }
}

impl MetadataEncoder {
    /// `width` is the trunk's.
    pub fn check(&self, width: usize) -> Result<()> {
        let (first, second) = (self.first.matmul.outputs, self.second.matmul.outputs);
        check_dense("metadata", &self.first, metadata::VALUES)?;
        check_dense("metadata encoder", &self.second, first)?;
        check_matmul("metadata encoder's output", &self.output, second, width)
    }
}

impl Tip {
    /// `width` is the trunk's.
    pub fn check(&self, width: usize) -> Result<()> {
        match self {
            Tip::Batch(tip) => check_norm("trunk tip", tip, width),
            Tip::Rms(RmsNormAct { norm, bias, .. }) => {
                norm.check("trunk tip", width)?;
                same("trunk tip's bias", bias.len(), width)
            }
        }
    }
}

/// Refuses adjacent layers whose channels do not match.
pub fn same(what: &str, found: usize, expected: usize) -> Result<()> {
    ensure!(
        found == expected,
        "{what}: {found} channels where {expected} are expected"
    );
    Ok(())
}

/// Refuses kernels without a center.
pub fn check_kernel_side(what: &str, side: usize) -> Result<()> {
    let known = (1..=MAX_KERNEL).contains(&side);
    ensure!(known, "{what} is {side}, should be from 1 to {MAX_KERNEL}");
    ensure!(side % 2 == 1, "{what} is {side}, should be odd");
    Ok(())
}

/// The number of weights with these dimensions.
pub fn product(sides: &[usize]) -> Result<usize> {
    let product = sides
        .iter()
        .try_fold(1usize, |product, &side| product.checked_mul(side));
    product.context("too many weights")
}

fn check_sides(what: &str, weights: &[f32], sides: &[usize]) -> Result<()> {
    let known = sides.iter().all(|side| (1..=MAX_CHANNELS).contains(side));
    ensure!(known, "{what}: sides of {sides:?}");
    let (found, expected) = (weights.len(), product(sides)?);
    ensure!(
        found == expected,
        "{what}: {found} weights where {expected} are expected"
    );
    Ok(())
}

fn check_conv(what: &str, conv: &Conv, inputs: usize, outputs: usize) -> Result<()> {
    check_kernel_side("kernel height", conv.kernel_height)?;
    check_kernel_side("kernel width", conv.kernel_width)?;
    same(what, conv.inputs, inputs)?;
    same(what, conv.outputs, outputs)?;
    check_sides(what, &conv.weights, &conv.shape())
}

fn check_matmul(what: &str, matmul: &MatMul, inputs: usize, outputs: usize) -> Result<()> {
    same(what, matmul.inputs, inputs)?;
    same(what, matmul.outputs, outputs)?;
    check_sides(what, &matmul.weights, &matmul.shape())
}

fn check_bias(what: &str, bias: &Bias, channels: usize) -> Result<()> {
    same(what, bias.weights.len(), channels)
}

fn check_dense(what: &str, layer: &DenseLayer, inputs: usize) -> Result<()> {
    let outputs = layer.matmul.outputs;
    check_matmul(what, &layer.matmul, inputs, outputs)?;
    check_bias("bias", &layer.bias, outputs)
}

fn check_norm(what: &str, norm: &NormAct, channels: usize) -> Result<()> {
    let BatchNorm {
        epsilon,
        mean,
        variance,
        scale,
        bias,
        ..
    } = &norm.norm;
    for weights in [Some(mean), Some(variance), scale.as_ref(), bias.as_ref()] {
        same(what, weights.map_or(channels, Vec::len), channels)?;
    }
    ensure!(
        (f32::MIN_POSITIVE..=f32::MAX).contains(epsilon),
        "{what}: epsilon is {epsilon}"
    );
    check_variance(variance)
}

/// Refuses negative variances.
pub fn check_variance(variance: &[f32]) -> Result<()> {
    ensure!(variance.iter().all(|&v| v >= 0.0), "a variance is negative");
    Ok(())
}
