//! A small network as in TD-Gammon (G. Tesauro, Temporal difference learning and TD-Gammon, 1995): what stands on
//! each point as inputs, one hidden layer, five probabilities. One set of weights is for positions with contact,
//! another for races. Forward and backward pass are plain Rust.
//!
//! A file is the line `keima backgammon net 1 HIDDEN`, then little-endian f32: for contact, then for races,
//! `[input][hidden]` with the bias as last input, `[hidden][output]` with the bias as last hidden unit.

use anyhow::{Context, Result, ensure};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use smallvec::SmallVec;

use super::board::{BAR, Board, Men, men_off};
use super::outcome::{Outcome, PARTS, logistic};

/// Inputs for each side: four for each point, men on the bar, men borne off. TD-Gammon has two more that tell whose
/// turn it is; here the side to roll always comes first.
const SIDE_INPUTS: usize = 24 * 4 + 2;
/// Inputs.
pub const INPUTS: usize = 2 * SIDE_INPUTS;
/// Outputs, and zeros up to a multiple of a vector's length.
const WIDTH: usize = 8;
/// Hidden units that are computed together.
const BLOCK: usize = 16;
/// First line of a file.
const HEADER: &str = "keima backgammon net 1 ";
/// Sizes of the hidden layer that a file may have.
const SIZES: std::ops::RangeInclusive<usize> = 1..=4096;

/// The weights for one kind of positions.
#[derive(Clone, Debug, PartialEq)]
struct Layers {
    hidden: usize,
    /// `[INPUTS + 1][hidden]`; the last row is the bias.
    first: Vec<f32>,
    /// `[hidden + 1][WIDTH]`; the last row is the bias.
    second: Vec<f32>,
}

/// A network.
#[derive(Clone, Debug, PartialEq)]
pub struct Net {
    contact: Layers,
    race: Layers,
}

/// Inputs that are not zero: at most one for each man, and the two last of each side.
type Active = SmallVec<[(usize, f32); 36]>;

/// What a forward pass leaves for the backward pass.
#[derive(Clone, Debug, Default)]
struct Pass {
    active: Active,
    hidden: SmallVec<[f32; 128]>,
    outputs: [f32; WIDTH],
}

impl Net {
    /// A network with this many hidden units and small random weights.
    pub fn random(hidden: usize, random: &mut ChaCha8Rng) -> Net {
        Net {
            contact: Layers::random(hidden, random),
            race: Layers::random(hidden, random),
        }
    }

    /// Number of hidden units.
    pub fn hidden(&self) -> usize {
        self.contact.hidden
    }

    /// The probabilities for the side to roll.
    pub fn outcome(&self, board: &Board) -> Outcome {
        let layers = if board.is_race() {
            &self.race
        } else {
            &self.contact
        };
        let mut pass = Pass::default();
        layers.forward(board, &mut pass);
        outcome_of(&pass.outputs)
    }

    /// A step of gradient descent on the cross entropy of the outcome with a target.
    pub fn learn(&mut self, board: &Board, target: &Outcome, rate: f32) {
        let layers = if board.is_race() {
            &mut self.race
        } else {
            &mut self.contact
        };
        let mut pass = Pass::default();
        layers.forward(board, &mut pass);
        layers.backward(&pass, target, rate);
    }

    /// All weights in the order of a file.
    pub fn numbers(&self) -> Vec<f32> {
        let mut numbers = Vec::new();
        for layers in [&self.contact, &self.race] {
            numbers.extend_from_slice(&layers.first);
            numbers.extend(layers.second.chunks(WIDTH).flat_map(|row| &row[..PARTS]));
        }
        numbers
    }

    /// Sets all weights, as many as [`Net::numbers`] gives.
    pub fn set_numbers(&mut self, numbers: &[f32]) {
        let hidden = self.hidden();
        let mut numbers = numbers.iter().copied();
        self.contact = Layers::read(hidden, &mut numbers);
        self.race = Layers::read(hidden, &mut numbers);
    }

    /// The file's contents.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = format!("{HEADER}{}\n", self.hidden()).into_bytes();
        bytes.extend(
            self.numbers()
                .iter()
                .flat_map(|weight| weight.to_le_bytes()),
        );
        bytes
    }

    /// Reads a file's contents.
    pub fn from_bytes(bytes: &[u8]) -> Result<Net> {
        let end = bytes.iter().take(64).position(|&byte| byte == b'\n');
        let header = end.map(|end| String::from_utf8_lossy(&bytes[..end]));
        let hidden = header
            .as_deref()
            .and_then(|header| header.strip_prefix(HEADER));
        let hidden: usize = hidden
            .and_then(|text| text.parse().ok())
            .filter(|hidden| SIZES.contains(hidden))
            .context("this is no network for backgammon, as keima backgammon train writes it")?;
        let weights = &bytes[end.unwrap_or_default() + 1..];
        let layer = (INPUTS + 1) * hidden + (hidden + 1) * PARTS;
        ensure!(
            weights.len() == 2 * layer * 4,
            "the network's file has {} bytes of weights instead of {}",
            weights.len(),
            2 * layer * 4
        );
        let mut numbers = weights
            .chunks_exact(4)
            .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]));
        let contact = Layers::read(hidden, &mut numbers);
        let race = Layers::read(hidden, &mut numbers);
        let all = [&contact, &race]
            .into_iter()
            .flat_map(|layers| layers.first.iter().chain(&layers.second));
        ensure!(
            all.copied().all(f32::is_finite),
            "the network has weights that are no numbers"
        );
        Ok(Net { contact, race })
    }
}

impl Layers {
    fn random(hidden: usize, random: &mut ChaCha8Rng) -> Layers {
        let first = (0..(INPUTS + 1) * hidden).map(|_| random.random_range(-0.1..0.1));
        let first = first.collect();
        let second = (0..(hidden + 1) * WIDTH).map(|index| match index % WIDTH {
            output if output < PARTS => random.random_range(-0.1..0.1),
            _ => 0.0,
        });
        Layers {
            hidden,
            first,
            second: second.collect(),
        }
    }

    fn read(hidden: usize, numbers: &mut impl Iterator<Item = f32>) -> Layers {
        let first = numbers.by_ref().take((INPUTS + 1) * hidden).collect();
        let mut second = vec![0.0; (hidden + 1) * WIDTH];
        for row in second.chunks_mut(WIDTH) {
            for (weight, number) in row[..PARTS].iter_mut().zip(&mut *numbers) {
                *weight = number;
            }
        }
        Layers {
            hidden,
            first,
            second,
        }
    }

    fn row(&self, input: usize) -> &[f32] {
        &self.first[input * self.hidden..][..self.hidden]
    }

    fn forward(&self, board: &Board, pass: &mut Pass) {
        pass.active.clear();
        side_inputs(&board.own, 0, &mut pass.active);
        side_inputs(&board.other, SIDE_INPUTS, &mut pass.active);
        pass.hidden.clear();
        pass.hidden.extend_from_slice(self.row(INPUTS));
        let mut blocks = pass.hidden.chunks_exact_mut(BLOCK);
        for (index, block) in blocks.by_ref().enumerate() {
            // The sums of a block stay in registers.
            let mut sums = [0.0; BLOCK];
            sums.copy_from_slice(block);
            for &(input, value) in &pass.active {
                let row = &self.first[input * self.hidden + index * BLOCK..][..BLOCK];
                for (sum, weight) in sums.iter_mut().zip(row) {
                    *sum += value * weight;
                }
            }
            block.copy_from_slice(&sums.map(squashed));
        }
        let rest = blocks.into_remainder();
        let start = self.hidden - rest.len();
        for (index, sum) in rest.iter_mut().enumerate() {
            for &(input, value) in &pass.active {
                *sum += value * self.row(input)[start + index];
            }
            *sum = squashed(*sum);
        }
        let (rows, bias) = self.second.split_at(self.hidden * WIDTH);
        let mut outputs = [0.0; WIDTH];
        outputs.copy_from_slice(bias);
        for (&unit, row) in pass.hidden.iter().zip(rows.chunks_exact(WIDTH)) {
            for (sum, weight) in outputs.iter_mut().zip(row) {
                *sum += unit * weight;
            }
        }
        pass.outputs = outputs;
        for output in &mut pass.outputs[..PARTS] {
            *output = logistic(*output);
        }
    }

    fn backward(&mut self, pass: &Pass, target: &Outcome, rate: f32) {
        // Steps of the logits: the derivative of the cross entropy is the difference.
        let mut steps = [0.0; WIDTH];
        for ((step, target), output) in steps.iter_mut().zip(target.parts()).zip(pass.outputs) {
            *step = rate * (target - output);
        }
        let mut below: SmallVec<[f32; 128]> = SmallVec::new();
        let (rows, bias) = self.second.split_at_mut(self.hidden * WIDTH);
        for (&unit, row) in pass.hidden.iter().zip(rows.chunks_exact_mut(WIDTH)) {
            let back: f32 = row
                .iter()
                .zip(&steps)
                .map(|(weight, step)| weight * step)
                .sum();
            // The derivative of x / (1 + |x|).
            let slope = 1.0 - unit.abs();
            below.push(back * slope * slope);
            for (weight, step) in row.iter_mut().zip(&steps) {
                *weight += unit * step;
            }
        }
        for (weight, step) in bias.iter_mut().zip(&steps) {
            *weight += step;
        }
        for (input, value) in pass.active.iter().copied().chain([(INPUTS, 1.0)]) {
            let row = &mut self.first[input * self.hidden..][..self.hidden];
            for (weight, step) in row.iter_mut().zip(&below) {
                *weight += value * step;
            }
        }
    }
}

/// The activation of hidden units, from -1 to 1.
fn squashed(sum: f32) -> f32 {
    sum / (1.0 + sum.abs())
}

fn outcome_of(outputs: &[f32; WIDTH]) -> Outcome {
    let mut parts = [0.0; PARTS];
    parts.copy_from_slice(&outputs[..PARTS]);
    Outcome::of_parts(parts)
}

/// The inputs of a side: for each point whether there are at least one, two, three men, and half of those beyond.
fn side_inputs(men: &Men, start: usize, active: &mut Active) {
    for (index, &count) in men[..BAR].iter().enumerate() {
        for unit in 0..count.min(3) {
            active.push((start + index * 4 + usize::from(unit), 1.0));
        }
        if count > 3 {
            active.push((start + index * 4 + 3, f32::from(count - 3) / 2.0));
        }
    }
    if men[BAR] > 0 {
        active.push((start + 96, f32::from(men[BAR]) / 2.0));
    }
    let off = men_off(men);
    if off > 0 {
        active.push((start + 97, f32::from(off) / 15.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    fn cross_entropy(net: &Net, board: &Board, target: &Outcome) -> f64 {
        let parts = net.outcome(board).parts();
        let pairs = parts.iter().zip(target.parts());
        pairs
            .map(|(&output, target)| {
                let (output, target) = (f64::from(output), f64::from(target));
                -target * output.ln() - (1.0 - target) * (1.0 - output).ln()
            })
            .sum()
    }

    /// A step's decrease of the loss is the squared gradient times the rate, for small rates.
    #[test]
    fn learning_follows_the_gradient() {
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let net = Net::random(8, &mut random);
        let board = Board::start();
        let target = Outcome::of_parts([0.9, 0.4, 0.1, 0.05, 0.01]);
        let rate = 1e-3;
        let mut learned = net.clone();
        learned.learn(&board, &target, rate);
        let weights = |net: &Net| [net.contact.first.clone(), net.contact.second.clone()].concat();
        let (before, after) = (weights(&net), weights(&learned));
        let squared: f64 = before
            .iter()
            .zip(&after)
            .map(|(one, other)| f64::from((other - one) / rate).powi(2))
            .sum();
        let fall = cross_entropy(&net, &board, &target) - cross_entropy(&learned, &board, &target);
        let expected = squared * f64::from(rate);
        assert!(
            (fall / expected - 1.0).abs() < 0.05,
            "{fall} instead of {expected}"
        );
        assert_eq!(net.race, learned.race);
    }

    #[test]
    fn files_are_read_back() {
        let net = Net::random(7, &mut ChaCha8Rng::seed_from_u64(1));
        let bytes = net.to_bytes();
        assert_eq!(Net::from_bytes(&bytes).expect("its own file"), net);
        for wrong in [
            &bytes[..bytes.len() - 4],
            b"keima backgammon net 1 7\n",
            b"",
            b"\n",
        ] {
            assert!(Net::from_bytes(wrong).is_err());
        }
        let mut broken = bytes;
        let end = broken.len();
        broken[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
        assert!(Net::from_bytes(&broken).is_err());
    }
}
