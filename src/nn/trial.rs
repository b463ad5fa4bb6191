//! A trial of a net in rounded numbers: whether it says nearly the same as in exact ones, of
//! positions that lie in the program.

use anyhow::Result;

use super::cpu::Plan;
use super::desc::Net;
use super::features::{self, FeatureSettings, InputBatch};
use super::metadata::HumanProfile;
use super::output::{NetOutput, OutputFormat, PolicySettings};
use crate::go::{BoardSize, Komi, Move, Point, Position, Rules};

/// How far the probability of a move, or of a win, may be off at worst.
const TOLERANCE: f32 = 5e-3;

/// Games of keima's, a line each: the board's side, then column and row of each move as in SGF.
const GAMES: &str = include_str!("trial/games.txt");

/// Moves from one position tried to the next, in parts of the board's points.
const STEP: f32 = 0.16;

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
    let (size, version) = (position.size(), net.input_version());
    let (planes, values) = version.channels();
    let profile = || {
        PROFILE
            .parse()
            .map(|profile: HumanProfile| profile.values(size))
    };
    let mut inputs = InputBatch {
        size,
        spatial: vec![0.0; size.area() * planes],
        global: vec![0.0; values],
        metadata: if net.wants_metadata() {
            profile()?
        } else {
            Vec::new()
        },
    };
    let settings = FeatureSettings {
        pass_alive_under_suicide: net.pass_alive_under_suicide,
        ..FeatureSettings::default()
    };
    features::write(
        version,
        position,
        &settings,
        &mut inputs.spatial,
        &mut inputs.global,
    );
    Ok(inputs)
}

/// Positions of the games, some moves apart.
fn positions() -> Vec<Position> {
    GAMES.lines().flat_map(positions_of).collect()
}

fn positions_of(line: &str) -> Vec<Position> {
    let (side, moves) = line.split_once(' ').expect("a side and moves");
    let side: usize = side.parse().expect("a number");
    let size = BoardSize::square(side);
    let step = (STEP * size.area() as f32) as usize;
    let mut position = Position::new(size, Rules::TROMP_TAYLOR, Komi::from_half(14));
    let mut found = Vec::new();
    for (index, vertex) in moves.as_bytes().chunks_exact(2).enumerate() {
        let [column, row] = [vertex[0], vertex[1]].map(|letter| (letter - b'a') as usize);
        position.play(Move::Play(Point::new(column, side - 1 - row)));
        if index % step == step - 1 {
            found.push(position.clone());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::cpu::simd::Isa;
    use crate::nn::katago;

    #[test]
    fn positions_are_of_several_sizes_and_all_stages() {
        let moves: Vec<_> = positions()
            .iter()
            .map(|p| (p.size().width(), p.moves().len()))
            .collect();
        assert_eq!(moves[0], (19, 57));
        assert!(
            moves.len() >= 10 && moves.contains(&(13, 27)) && moves.contains(&(9, 48)),
            "{moves:?}"
        );
    }

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
