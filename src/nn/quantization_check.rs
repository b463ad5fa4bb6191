//! Quantisation check: compares a quantised net with the exact one on built-in positions.

use anyhow::Result;

use super::cpu::Executor;
use super::features::InputBatch;
use super::metadata::HumanProfile;
use super::output::{NetOutput, RawOutput};
use super::sample_games;
use crate::go::{BoardSize, Position};

/// Maximal error of the probability of a move, or of a win.
const TOLERANCE: f32 = 5e-3;

/// Board sides, and the number of positions on each.
const BOARDS: [(usize, usize); 3] = [(19, 5), (13, 4), (9, 4)];

/// Profile for nets that imitate human players.
const PROFILE: &str = "rank_1d";

/// Whether a quantised net is close enough to the exact one. `inputs` are those of a position without a
/// profile; `read` says what an answer means.
pub fn passes(
    exact: &Executor,
    rounded: &Executor,
    inputs: impl Fn(&Position) -> InputBatch,
    read: impl Fn(&RawOutput, &Position) -> NetOutput,
) -> Result<bool> {
    let size = exact.plan().inputs.shape.only_size;
    let is_known =
        |board: &(usize, usize)| size.is_none_or(|size| BoardSize::square(board.0) == size);
    let profile: HumanProfile = PROFILE.parse()?;
    for position in BOARDS.into_iter().filter(is_known).flat_map(positions) {
        let mut inputs = inputs(&position);
        if exact.plan().inputs.metadata.is_some() {
            inputs.metadata = profile.values(position.size(), position.to_move());
        }
        let output = |executor: &Executor| -> Result<NetOutput> {
            let raw = executor.forward(&inputs)?;
            Ok(read(&raw[0], &position))
        };
        if worst_difference(&output(exact)?, &output(rounded)?) > TOLERANCE {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Maximal difference between the probabilities of all moves, and of a win; infinite for NaN.
fn worst_difference(a: &NetOutput, b: &NetOutput) -> f32 {
    let policy = a.policy.iter().zip(&b.policy);
    policy
        .chain([(&a.win, &b.win)])
        .map(|(a, b)| (a - b).abs())
        .map(|difference| {
            if difference.is_nan() {
                f32::INFINITY
            } else {
                difference
            }
        })
        .fold(0.0, f32::max)
}

fn positions((side, count): (usize, usize)) -> Vec<Position> {
    sample_games::positions(BoardSize::square(side), count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::cpu::simd::Isa;
    use crate::nn::desc::Net;
    use crate::nn::features::FeatureSettings;
    use crate::nn::katago;
    use crate::nn::output::{OutputFormat, PolicySettings};
    use crate::nn::plan::Plan;

    #[test]
    fn other_weights_do_not_pass() {
        let read = |file| {
            let folder =
                std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets"));
            katago::read_file(&folder.join(file)).expect("a net of the tests")
        };
        let net = read("s8.bin.gz");
        let mut other = net.clone();
        let heads = other.heads.pooled_mut().expect("heads of KataGo's");
        heads.value.value_bias.weights[0] += 0.1;
        let of = |net: &Net| Executor::new(Plan::new(net), Isa::Portable, false);
        let format = OutputFormat::of(&net);
        let settings = FeatureSettings::default();
        let accepts = |rounded: &Executor| {
            let inputs = |position: &_| InputBatch::of(net.input_version(), position, &settings);
            let read =
                |raw: &_, position: &_| format.read(raw, position, PolicySettings::default());
            passes(&of(&net), rounded, inputs, read).expect("answers")
        };
        assert!(accepts(&of(&net)) && !accepts(&of(&other)));
    }
}
