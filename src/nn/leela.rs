//! Leela Zero's network files: text, one list of decimals per line.
//!
//! The first line is the format's version, 1 or 2. Then come four lines for each convolution
//! (weights, biases, means and variances) and two for each dense layer (weights, biases): the
//! input, two per block, the policy head, the value head. The numbers of blocks and channels follow
//! from the number and length of lines.

use anyhow::{Context, Result, ensure};

use super::desc::leela::{LeelaNet, NormedConv, PLANES, SIDE};
use super::desc::{
    Activation, BatchNorm, Bias, Conv, DenseLayer, FlatHead, FlatHeads, MatMul, NormAct,
};

const AREA: usize = SIDE * SIDE;
const POLICY_CHANNELS: usize = 2;
const MOVES: usize = AREA + 1;
const VALUE_HIDDEN: usize = 256;
/// Lines of the input layer and the heads, and those of a block.
const FRAME_LINES: usize = 18;
const BLOCK_LINES: usize = 8;
/// Epsilon of variances; Leela Zero's constant.
const EPSILON: f32 = 1e-5;
/// Far above real nets.
const MAX_CHANNELS: usize = 1 << 12;

/// Whether uncompressed contents of a file look like such a network: the first line is a version.
pub fn is_leela_net(bytes: &[u8]) -> bool {
    let line = bytes.split(|&byte| byte == b'\n').next();
    line.is_some_and(|line| matches!(line.trim_ascii(), b"1" | b"2"))
}

/// Reads the uncompressed contents of a file.
pub fn read_inflated(bytes: &[u8]) -> Result<LeelaNet> {
    let text = str::from_utf8(bytes).context("a Leela Zero network is text")?;
    let mut lines = Lines {
        rest: text.trim_end().lines(),
        number: 0,
    };
    net(&mut lines).with_context(|| format!("in line {}", lines.number))
}

/// The lines of a file, parsed one after another.
struct Lines<'a> {
    rest: std::str::Lines<'a>,
    /// Number of the last line read, from 1.
    number: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Result<&'a str> {
        self.number += 1;
        self.rest.next().context("the file ends too early")
    }

    /// The next line, which must consist of `count` numbers.
    fn floats(&mut self, what: &str, count: usize) -> Result<Vec<f32>> {
        let words = self.next()?.split_ascii_whitespace();
        let found = words.clone().count();
        ensure!(found == count, "{what}: {found} numbers, should be {count}");
        let parse = |word: &str| {
            let number = word.parse().ok().filter(|number: &f32| number.is_finite());
            number.with_context(|| format!("{what}: {word:?} is not a number"))
        };
        words.map(parse).collect()
    }
}

fn net(lines: &mut Lines) -> Result<LeelaNet> {
    let version = lines.next()?.trim();
    ensure!(
        matches!(version, "1" | "2"),
        "format version {version:?} is not known, only 1 and 2"
    );
    let block_lines = lines.rest.clone().count().checked_sub(FRAME_LINES);
    let blocks = block_lines.filter(|lines| lines.is_multiple_of(BLOCK_LINES));
    let blocks = blocks.context("the number of lines fits no network")? / BLOCK_LINES;
    // The third line of the file has a number for each channel.
    let biases = lines
        .rest
        .clone()
        .nth(1)
        .context("the file ends too early")?;
    let channels = biases.split_ascii_whitespace().count();
    ensure!(
        (1..=MAX_CHANNELS).contains(&channels),
        "{channels} channels"
    );
    let block = |lines: &mut Lines| -> Result<_> {
        let first = normed_conv(lines, "block", 3, channels, channels)?;
        Ok([first, normed_conv(lines, "block", 3, channels, channels)?])
    };
    Ok(LeelaNet {
        value_is_black: version == "2",
        input: normed_conv(lines, "input", 3, PLANES, channels)?,
        blocks: (0..blocks).map(|_| block(lines)).collect::<Result<_>>()?,
        heads: FlatHeads {
            policy: head(lines, "policy", channels, &[POLICY_CHANNELS, MOVES])?,
            value: head(lines, "value", channels, &[1, VALUE_HIDDEN, 1])?,
        },
    })
}

/// A head with channels of its convolution and outputs of each layer.
fn head(lines: &mut Lines, name: &str, channels: usize, widths: &[usize]) -> Result<FlatHead> {
    let NormedConv { conv, norm } = normed_conv(lines, name, 1, channels, widths[0])?;
    let mut inputs = widths[0] * AREA;
    let mut layers = Vec::new();
    for (index, &outputs) in widths.iter().enumerate().skip(1) {
        let is_last = index + 1 == widths.len();
        let activation = match is_last {
            true => Activation::Identity,
            false => Activation::Relu,
        };
        layers.push(dense(lines, name, (inputs, outputs), activation)?);
        inputs = outputs;
    }
    let norm = NormAct {
        norm,
        activation: Activation::Relu,
    };
    Ok(FlatHead { conv, norm, layers })
}

/// A convolution; its biases are merged into the means of the norm.
fn normed_conv(
    lines: &mut Lines,
    name: &str,
    side: usize,
    inputs: usize,
    outputs: usize,
) -> Result<NormedConv> {
    let stored = lines.floats("convolution", outputs * inputs * side * side)?;
    let bias = lines.floats("biases", outputs)?;
    let mean = lines.floats("means", outputs)?;
    let variance = lines.floats("variances", outputs)?;
    ensure!(variance.iter().all(|&v| v >= 0.0), "a variance is negative");
    let mut weights = Vec::with_capacity(stored.len());
    for (ky, kx) in (0..side).flat_map(|ky| (0..side).map(move |kx| (ky, kx))) {
        for (input, output) in (0..inputs).flat_map(|i| (0..outputs).map(move |o| (i, o))) {
            let from_bottom = side - 1 - ky;
            let kernel = output * inputs + input;
            weights.push(stored[(kernel * side + from_bottom) * side + kx]);
        }
    }
    Ok(NormedConv {
        conv: Conv {
            name: name.to_string(),
            kernel_height: side,
            kernel_width: side,
            inputs,
            outputs,
            weights,
        },
        norm: BatchNorm {
            name: name.to_string(),
            epsilon: EPSILON,
            mean: mean
                .iter()
                .zip(&bias)
                .map(|(mean, bias)| mean - bias)
                .collect(),
            variance,
            scale: None,
            bias: None,
        },
    })
}

/// A dense layer. Inputs and outputs that are points are reordered to rows from the top.
fn dense(
    lines: &mut Lines,
    name: &str,
    (inputs, outputs): (usize, usize),
    activation: Activation,
) -> Result<DenseLayer> {
    let stored = lines.floats("matrix", outputs * inputs)?;
    let bias = lines.floats("biases", outputs)?;
    let mut weights = Vec::with_capacity(stored.len());
    for (input, output) in (0..inputs).flat_map(|i| (0..outputs).map(move |o| (i, o))) {
        let (input, output) = (stored_index(input, inputs), stored_index(output, outputs));
        weights.push(stored[output * inputs + input]);
    }
    let bias = (0..outputs).map(|output| bias[stored_index(output, outputs)]);
    let matmul = MatMul {
        name: name.to_string(),
        inputs,
        outputs,
        weights,
    };
    let bias = Bias {
        name: name.to_string(),
        weights: bias.collect(),
    };
    Ok(DenseLayer {
        matmul,
        bias,
        activation,
    })
}

/// Index in the file of a value of a layer of size `count`: in each complete plane of
/// points, rows are reversed.
fn stored_index(index: usize, count: usize) -> usize {
    let (plane, point) = (index / AREA, index % AREA);
    if count < AREA || plane == count / AREA {
        return index;
    }
    plane * AREA + (SIDE - 1 - point / SIDE) * SIDE + point % SIDE
}
