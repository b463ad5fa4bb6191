//! A trial of a net in rounded numbers: whether it says nearly the same as in exact ones, of
//! positions that lie in the program.

use anyhow::Result;

use super::cpu::Plan;
use super::desc::Net;
use super::features::{FeatureSettings, InputBatch};
use super::metadata::HumanProfile;
use super::output::{NetOutput, OutputFormat, PolicySettings};
use super::sample_games;
use crate::go::{BoardSize, Position};

/// How far the probability of a move, or of a win, may be off at worst.
const TOLERANCE: f32 = 5e-3;

/// Sides of the boards, and the number of positions on each.
const BOARDS: [(usize, usize); 3] = [(19, 5), (13, 4), (9, 4)];

/// Whom nets that imitate people are to play like.
const PROFILE: &str = "rank_1d";

/// Whether the rounded net is near enough to the exact one.
pub fn passes(net: &Net, exact: &Plan, rounded: &Plan) -> Result<bool> {
    for position in positions() {
        let inputs = inputs(net, &position)?;
        let output = |plan: &Plan| -> Result<NetOutput> {
            let raw = plan
                .forward(&inputs)?
                .pop()
                .expect("an answer per position");
            Ok(OutputFormat::of(net).read(&raw, &position, PolicySettings::default()))
        };
        if worst_difference(&output(exact)?, &output(rounded)?) > TOLERANCE {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Of the probabilities of all moves, and of a win. One that is no number counts as infinite.
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
        inputs.metadata = PROFILE.parse::<HumanProfile>()?.values(position.size());
    }
    Ok(inputs)
}

fn positions() -> impl Iterator<Item = Position> {
    let on = |(side, count)| sample_games::positions(BoardSize::square(side), count);
    BOARDS.into_iter().flat_map(on)
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
        let plan = |net: &Net| Plan::new(net, Isa::Portable, false).expect("a plan");
        assert!(passes(&net, &plan(&net), &plan(&net)).expect("answers"));
        assert!(!passes(&net, &plan(&net), &plan(&other)).expect("answers"));
    }
}
