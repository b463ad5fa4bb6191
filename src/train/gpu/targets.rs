//! Targets of a batch as the kernel of the losses reads them, and what it is told of the losses (`losses.cuh`).

use std::ops::Range;

use bytemuck::{NoUninit, Pod, Zeroable};

use super::layout::End;
use crate::data::batch::{Batch, Targets};
use crate::train::losses::{Head, Losses};
use crate::train::objective::{ERROR_TOLD, Objective, SCORE_DELTAS};
use crate::train::terms::HALVED_ERRORS;

/// Losses that are told apart.
const LOSSES: usize = Head::ALL.len();
/// Sums of a board, as `LOSS_ROW` in `losses.cuh`.
pub const LOSS_ROW: usize = 2 * LOSSES + 2;

/// Of a board.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct SampleTargets {
    outcome: [f32; 3],
    score_mean: f32,
    score_stdev: f32,
    lead: f32,
    variance_time: f32,
    value_error: f32,
    score_error: f32,
    policy: f32,
    soft_policy: f32,
    opponent: f32,
    human: f32,
    of_outcome: f32,
    score: f32,
    stdev: f32,
    shortterm: f32,
    ownership: f32,
    human_move: i32,
    is_expectation: i32,
    first_sibling: i32,
    siblings: i32,
    is_sample: i32,
}

/// What the losses are.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ObjectiveNumbers {
    weights: [f32; LOSSES],
    score_mean: f32,
    score_stdev: f32,
    lead: f32,
    variance_time: f32,
    value_error: f32,
    score_error: f32,
    deltas: [f32; 6],
    scale: f32,
    error_told: f32,
    halves_errors: i32,
}

impl ObjectiveNumbers {
    /// With gradients `scale` times those of a sample's loss.
    pub fn new(objective: &Objective, scale: f32) -> ObjectiveNumbers {
        let Objective {
            weights,
            multipliers,
            version,
        } = objective;
        ObjectiveNumbers {
            weights: weights.0.map(|weight| weight as f32),
            score_mean: multipliers.score_mean,
            score_stdev: multipliers.score_stdev,
            lead: multipliers.lead,
            variance_time: multipliers.variance_time,
            value_error: multipliers.shortterm_value_error,
            score_error: multipliers.shortterm_score_error,
            deltas: SCORE_DELTAS.map(|delta| delta as f32),
            scale,
            error_told: ERROR_TOLD as f32,
            halves_errors: i32::from(*version >= HALVED_ERRORS),
        }
    }
}

/// Offsets of the targets within the memory of a batch, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    pub samples: usize,
    /// `[board][move]`, as the next two.
    pub policy: usize,
    pub opponent: usize,
    pub legal: usize,
    /// `[board][point]`.
    pub ownership: usize,
}

impl Places {
    pub(super) fn new(end: &mut End, boards: usize, area: usize) -> Places {
        let moves = boards * (area + 1);
        Places {
            samples: end.place(boards * size_of::<SampleTargets>()),
            policy: end.place(moves * size_of::<f32>()),
            opponent: end.place(moves * size_of::<f32>()),
            legal: end.place(moves),
            ownership: end.place(boards * area * size_of::<f32>()),
        }
    }

    /// Writes those of a batch, and for boards beyond it that there are none.
    pub fn write(&self, batch: &Batch, boards: usize, to: &mut [u8]) {
        let targets = &batch.targets;
        let samples: Vec<SampleTargets> = siblings(&targets.sibling_group)
            .enumerate()
            .map(|(sample, siblings)| of_sample(targets, sample, siblings))
            .collect();
        let moves = batch.size.area() + 1;
        write(to, self.samples, &samples, boards);
        write(to, self.policy, &targets.policy, boards * moves);
        write(to, self.opponent, &targets.opponent_policy, boards * moves);
        write(to, self.legal, &targets.legal, boards * moves);
        write(to, self.ownership, &targets.ownership, boards * (moves - 1));
    }
}

/// Writes values, and zeros up to `count` of them.
fn write<T: NoUninit>(to: &mut [u8], start: usize, values: &[T], count: usize) {
    let bytes: &[u8] = bytemuck::cast_slice(values);
    let to = &mut to[start..][..count * size_of::<T>()];
    let (written, rest) = to.split_at_mut(bytes.len());
    written.copy_from_slice(bytes);
    rest.fill(0);
}

/// For each sample those of its sibling group.
fn siblings(groups: &[usize]) -> impl Iterator<Item = Range<usize>> {
    let mut first = 0;
    let ranges = groups
        .chunk_by(|one, other| one == other)
        .map(move |group| {
            let range = first..first + group.len();
            first = range.end;
            range
        });
    ranges.flat_map(|range| std::iter::repeat_n(range.clone(), range.len()))
}

fn of_sample(targets: &Targets, sample: usize, siblings: Range<usize>) -> SampleTargets {
    let weights = targets.weights[sample];
    let human_move = targets.human_move[sample];
    SampleTargets {
        outcome: targets.outcome[sample],
        score_mean: targets.score_mean[sample],
        score_stdev: targets.score_stdev[sample],
        lead: targets.lead[sample],
        variance_time: targets.variance_time[sample],
        value_error: targets.shortterm_value_error[sample],
        score_error: targets.shortterm_score_error[sample],
        policy: weights.policy,
        soft_policy: weights.soft_policy,
        opponent: weights.opponent,
        human: weights.human,
        of_outcome: weights.outcome,
        score: weights.score,
        stdev: weights.stdev,
        shortterm: weights.shortterm,
        ownership: weights.ownership,
        human_move: human_move.map_or(-1, |mv| mv as i32),
        is_expectation: i32::from(targets.is_expectation[sample]),
        first_sibling: siblings.start as i32,
        siblings: siblings.len() as i32,
        is_sample: 1,
    }
}

/// Losses from their sums on the device.
pub fn losses(sums: &[f64]) -> Losses {
    let (of_heads, counts) = sums.split_at(2 * LOSSES);
    let (sums, weights) = of_heads.split_at(LOSSES);
    Losses {
        sums: std::array::from_fn(|head| sums[head]),
        weights: std::array::from_fn(|head| weights[head]),
        hits: counts[0],
        samples: counts[1],
    }
}
