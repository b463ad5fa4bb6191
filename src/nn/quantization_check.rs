//! Quantisation check: compares a quantised net with the exact one on built-in positions.

use anyhow::Result;

use super::cpu::Plan;
use super::desc::leela::LeelaNet;
use super::desc::{InputVersion, Net};
use super::features::{FeatureSettings, InputBatch};
use super::metadata::HumanProfile;
use super::output::{NetOutput, OutputFormat, PolicySettings, RawOutput, read_leela};
use super::sample_games;
use crate::go::{BoardSize, Position};

/// Maximal error of the probability of a move, or of a win.
const TOLERANCE: f32 = 5e-3;

/// Board sides, and the number of positions on each.
const BOARDS: [(usize, usize); 3] = [(19, 5), (13, 4), (9, 4)];

/// Profile for nets that imitate human players.
const PROFILE: &str = "rank_1d";

/// Whether a quantised net is close enough to the exact one.
pub fn passes(net: &Net, exact: &Plan, rounded: &Plan) -> Result<bool> {
    let format = OutputFormat::of(net);
    let read = |raw: &RawOutput, position: &Position| {
        format.read(raw, position, PolicySettings::default())
    };
    let size = net.only_size();
    let is_known =
        |board: &(usize, usize)| size.is_none_or(|size| BoardSize::square(board.0) == size);
    let boards = BOARDS.into_iter().filter(is_known);
    are_near(
        boards.flat_map(positions),
        (exact, rounded),
        |p| inputs(net, p),
        read,
    )
}

/// The same for a Leela Zero net.
pub fn passes_of_leela(net: &LeelaNet, exact: &Plan, rounded: &Plan) -> Result<bool> {
    let read = |raw: &RawOutput, position: &Position| {
        read_leela(raw, position, PolicySettings::default(), net.value_is_black)
    };
    let inputs = |position: &Position| {
        let settings = FeatureSettings::default();
        Ok(InputBatch::of(InputVersion::LeelaZero, position, &settings))
    };
    are_near(
        positions(BOARDS[0]).into_iter(),
        (exact, rounded),
        inputs,
        read,
    )
}

fn are_near(
    positions: impl Iterator<Item = Position>,
    (exact, rounded): (&Plan, &Plan),
    inputs: impl Fn(&Position) -> Result<InputBatch>,
    read: impl Fn(&RawOutput, &Position) -> NetOutput,
) -> Result<bool> {
    for position in positions {
        let inputs = inputs(&position)?;
        let output = |plan: &Plan| -> Result<NetOutput> {
            let raw = plan.forward(&inputs)?;
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

fn inputs(net: &Net, position: &Position) -> Result<InputBatch> {
    let settings = FeatureSettings {
        pass_alive_under_suicide: net.pass_alive_under_suicide,
        ..FeatureSettings::default()
    };
    let mut inputs = InputBatch::of(net.input_version(), position, &settings);
    if net.wants_metadata() {
        let profile: HumanProfile = PROFILE.parse()?;
        inputs.metadata = profile.values(position.size(), position.to_move());
    }
    Ok(inputs)
}

fn positions((side, count): (usize, usize)) -> Vec<Position> {
    sample_games::positions(BoardSize::square(side), count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::cpu::simd::Isa;
    use crate::nn::katago;

    #[test]
    fn other_weights_do_not_pass() {
        let read = |file| {
            let folder =
                std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets"));
            katago::read_file(&folder.join(file)).expect("a net of the tests")
        };
        let net = read("s8.bin.gz");
        let mut other = net.clone();
        other.value_head.value_bias.weights[0] += 0.1;
        let plan = |net: &Net| Plan::new(net, Isa::Portable, false);
        assert!(passes(&net, &plan(&net), &plan(&net)).expect("answers"));
        assert!(!passes(&net, &plan(&net), &plan(&other)).expect("answers"));
    }
}
