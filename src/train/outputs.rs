//! The outputs of networks on devices: numbers one after another, and predictions of boards.

use rayon::prelude::*;

use super::engine::slices;
use super::heads::{EXTRA_POLICIES, Prediction};
use super::losses::Losses;
use super::objective::Objective;
use crate::data::batch::Batch;

/// Boards per task of small computations.
const BOARDS_PER_TASK: usize = 16;
/// About this many points per task of the losses: eight 19x19 boards.
const SLICE_POINTS: usize = 8 * 19 * 19;

/// Outputs of the heads, each `[board][value]`: policies of the points and of the pass, in the file
/// and auxiliary; value, score and ownership.
pub type Outputs<T> = [T; 7];

/// One prediction for each board.
pub fn predictions(values: &Outputs<&[f32]>, boards: usize) -> Vec<Prediction> {
    let wide = |values: &[f32]| values.iter().map(|v| f64::from(*v)).collect::<Vec<_>>();
    let prediction = |board: usize| {
        let row = |output: usize| {
            let values: &[f32] = values[output];
            let len = values.len() / boards;
            &values[board * len..][..len]
        };
        let [
            points,
            extra_points,
            passes,
            extra_passes,
            value,
            score,
            ownership,
        ]: Outputs<&[f32]> = std::array::from_fn(row);
        let area = ownership.len();
        let of_points = points.chunks_exact(area);
        let of_points = of_points.chain(extra_points.chunks_exact(area));
        let join = |(points, pass): (&[f32], &f32)| {
            let mut moves = Vec::with_capacity(area + 1);
            moves.extend(points.iter().chain([pass]).map(|value| f64::from(*value)));
            moves
        };
        let of_passes = passes.iter().chain(extra_passes);
        Prediction {
            policy: of_points.zip(of_passes).map(join).collect(),
            value: wide(value),
            score: wide(score),
            ownership: wide(ownership),
        }
    };
    (0..boards).into_par_iter().map(prediction).collect()
}

/// The inverse of [`predictions`].
pub fn flattened(predictions: &[Prediction]) -> Outputs<Vec<f32>> {
    let parts = predictions.par_chunks(BOARDS_PER_TASK).map(flattened_part);
    let parts: Vec<_> = parts.collect();
    let joined = |output: usize| {
        let parts = parts.iter().map(|part| &part[output][..]);
        parts.collect::<Vec<_>>().concat()
    };
    std::array::from_fn(joined)
}

fn flattened_part(predictions: &[Prediction]) -> Outputs<Vec<f32>> {
    let mut outputs = Outputs::default();
    let [
        points,
        extra_points,
        passes,
        extra_passes,
        value,
        score,
        ownership,
    ] = &mut outputs;
    let narrow = |to: &mut Vec<f32>, values: &[f64]| to.extend(values.iter().map(|v| *v as f32));
    for prediction in predictions {
        let (of_file, extra) = prediction
            .policy
            .split_at(prediction.policy.len() - EXTRA_POLICIES);
        for (policies, points, passes) in [
            (of_file, &mut *points, &mut *passes),
            (extra, &mut *extra_points, &mut *extra_passes),
        ] {
            for moves in policies {
                let (on_board, pass) = moves.split_at(moves.len() - 1);
                narrow(points, on_board);
                narrow(passes, pass);
            }
        }
        narrow(value, &prediction.value);
        narrow(score, &prediction.score);
        narrow(ownership, &prediction.ownership);
    }
    outputs
}

/// See [`Objective::differentiate`]; the predictions are those of a whole batch.
pub fn differentiate(
    objective: &Objective,
    predictions: &mut [Prediction],
    batch: &Batch,
    scale: f64,
) -> Losses {
    let mut rest = predictions;
    let mut tasks = Vec::new();
    for samples in slices(batch, SLICE_POINTS) {
        let (own, others) = rest.split_at_mut(samples.len());
        tasks.push((own, samples));
        rest = others;
    }
    let of_task = |(own, samples)| objective.differentiate(own, &batch.targets, samples, scale);
    let of_tasks: Vec<Losses> = tasks.into_par_iter().map(of_task).collect();
    let mut losses = Losses::default();
    of_tasks.into_iter().for_each(|own| losses += own);
    losses
}
