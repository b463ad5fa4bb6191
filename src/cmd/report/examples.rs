//! Held-out positions, with a network's and the teacher's evaluations.

use std::path::PathBuf;

use anyhow::Result;

use crate::data::check::{legal_mask, position_of};
use crate::data::label::Label;
use crate::data::shard::{LabelledLine, Shard};
use crate::go::{Point, Position};
use crate::nn::evaluator::NetEvaluator;
use crate::train::validation::{lead_of, request_of};

/// Maximal number of shards to read.
const MOST_SHARDS: usize = 60;
/// Minimal move number, as a fraction of the board's points.
const EARLIEST: f64 = 0.06;

/// An evaluation.
#[derive(Clone, Debug)]
pub struct Opinion {
    /// Probabilities of the points row by row and the pass.
    pub policy: Vec<f32>,
    /// Win probability of the player to move.
    pub win: f32,
    /// Lead of the player to move in points, if known.
    pub lead: Option<f32>,
    /// Ownership, 1 for Black; empty if not known.
    pub black: Vec<f32>,
}

/// A position and its evaluations.
pub struct Example {
    pub position: Position,
    /// The last move.
    pub last: Option<Point>,
    /// The move played here.
    pub played: Option<Point>,
    /// By the network.
    pub student: Opinion,
    /// By the label.
    pub teacher: Opinion,
}

/// Shards of labels, the largest boards first.
pub fn shards(files: &[PathBuf]) -> Result<Vec<Shard>> {
    // Evenly spread over the folders if there are more than the maximum.
    let step = files.len().div_ceil(MOST_SHARDS).max(1);
    let chosen = files.iter().step_by(step);
    let mut shards: Vec<Shard> = chosen
        .map(|path| Shard::read(path))
        .collect::<Result<_>>()?;
    shards.sort_by_key(|shard| std::cmp::Reverse(shard.size.area()));
    Ok(shards)
}

/// Positions from shards, of as many board sizes as possible.
pub fn of(evaluator: &NetEvaluator, shards: &[Shard], count: usize) -> Result<Vec<Example>> {
    let mut pools: Vec<Vec<(&LabelledLine, &Label)>> = Vec::new();
    for shard in shards.chunk_by(|one, other| one.size == other.size) {
        let lines = shard.iter().flat_map(|shard| &shard.lines);
        let labels = lines.flat_map(|line| line.labels.iter().map(move |label| (line, label)));
        pools.push(
            labels
                .filter(|(line, label)| is_telling(line, label))
                .collect(),
        );
    }
    pools.retain(|pool| !pool.is_empty());
    let mut chosen = Vec::new();
    for round in 0..count {
        for (number, pool) in pools.iter().enumerate() {
            // Spread evenly, at different places for different sizes.
            let place = (round * 7919 + number * 104_729 + 17) % pool.len();
            chosen.push((round, number, pool[place]));
        }
    }
    chosen.truncate(count);
    chosen.sort_by_key(|&(round, number, _)| (number, round));
    let chosen = chosen.into_iter();
    chosen
        .map(|(_, _, (line, label))| example(evaluator, line, label))
        .collect()
}

/// Whether the position is late enough and has ownership.
fn is_telling(line: &LabelledLine, label: &Label) -> bool {
    let least = line.line.size.area() as f64 * EARLIEST;
    f64::from(label.ply) >= least && !label.values.ownership.is_empty()
}

fn example(evaluator: &NetEvaluator, line: &LabelledLine, label: &Label) -> Result<Example> {
    let position = position_of(line, label)?;
    let output = evaluator.output_for(&position, &request_of(label))?;
    let sign = f32::from(position.to_move().sign());
    let student = Opinion {
        policy: output.policy.iter().map(|p| p.max(0.0)).collect(),
        win: output.win,
        lead: lead_of(&output),
        black: output.ownership.iter().map(|owner| sign * owner).collect(),
    };
    let values = &label.values;
    let teacher = Opinion {
        policy: values.policy(&legal_mask(&position)),
        win: values.outcome()[0],
        lead: values.knows_score().then(|| values.lead()),
        black: values.ownership().map(|owner| sign * owner).collect(),
    };
    let point = |index: u16| position.size().move_at(index.into())?.point();
    let last = position.moves().next_back();
    Ok(Example {
        last: last.and_then(|(_, mv)| mv.point()),
        played: label.next.and_then(point),
        student,
        teacher,
        position,
    })
}

impl Example {
    /// Kullback-Leibler divergence of the network's policy from the teacher's, in nats.
    pub fn divergence(&self) -> f64 {
        let pairs = self.teacher.policy.iter().zip(&self.student.policy);
        let term = |(&p, &q): (&f32, &f32)| match p > 0.0 {
            true => f64::from(p) * f64::from(p / q.max(f32::MIN_POSITIVE)).ln(),
            false => 0.0,
        };
        pairs.map(term).sum()
    }
}
