//! From labels to samples under a symmetry, and from samples to a batch.

use anyhow::Result;
use rayon::prelude::*;

use crate::data::batch::{Batch, SampleWeights, Targets};
use crate::go::{BoardSize, Komi, Position, Symmetry};
use crate::nn::desc::InputVersion;
use crate::nn::features::{FeatureSettings, InputBatch};
use crate::nn::symmetrized::PointMap;

use super::super::check::{legal_mask, position_of};
use super::super::label::Label;
use super::super::line::play;
use super::super::shard::{LabelledLine, LineKind};

/// Inputs and targets of one position.
pub(super) struct Sample {
    spatial: Vec<f32>,
    global: Vec<f32>,
    policy: Vec<f32>,
    legal: Vec<f32>,
    opponent: Vec<f32>,
    human: Option<usize>,
    outcome: [f32; 3],
    /// Lead, mean and standard deviation of the score.
    score: [f32; 3],
    /// Short-term errors of value and score, and the time until the result is decided.
    errors: [f32; 3],
    is_expectation: bool,
    ownership: Vec<f32>,
    weights: SampleWeights,
}

/// How a sample differs from its label.
#[derive(Clone, Copy)]
pub(super) struct Variation {
    /// Keeps the board's shape.
    pub symmetry: Symmetry,
    /// Points that White is given besides komi.
    pub komi_shift: i32,
}

impl Sample {
    /// From a line's label with inputs of this version. Under another komi lead and score are known, which differ by
    /// the shift: by definition the lead, and nearly so the score and who owns what; nothing else is.
    pub(super) fn new(
        line: &LabelledLine,
        index: usize,
        version: InputVersion,
        variation: Variation,
    ) -> Result<Sample> {
        let Variation {
            symmetry,
            komi_shift,
        } = variation;
        let label = &line.labels[index];
        let mut position = position_of(line, label)?;
        position.set_komi(Komi::from_half(label.komi.half() + 2 * komi_shift));
        let gained = komi_shift as f32 * -f32::from(position.to_move().sign());
        let map = PointMap::new(symmetry, position.size());
        let inputs = inputs(version, &position, label);
        let legal = legal_mask(&position);
        let values = &label.values;
        let policy = transformed(&map, &values.policy(&legal));
        let number = |mv: u16| turned_move(symmetry, position.size(), mv.into());
        // Under other rules than the game's its move may be forbidden.
        let is_learned = |mv: &u16| label.is_human && legal[usize::from(*mv)];
        let human = label.next.filter(is_learned).map(number);
        let opponent = opponent_policy(line, label, &mut position)?;
        let errors = values.errors();
        let area = position.size().area();
        let ownership: Vec<f32> = values.ownership().collect();
        let known = |is_known: bool| f32::from(u8::from(is_known));
        let is_taught = known(values.knows_policy());
        let by_points = SampleWeights {
            score: known(values.knows_score()),
            ownership: known(!ownership.is_empty()),
            ..SampleWeights::NONE
        };
        let weights = match komi_shift {
            0 => SampleWeights {
                policy: is_taught,
                soft_policy: is_taught,
                outcome: known(values.knows_outcome()),
                stdev: known(values.knows_stdev()),
                opponent: known(opponent.is_some()),
                human: known(human.is_some()),
                shortterm: known(errors.iter().all(Option::is_some)),
                ..by_points
            },
            _ => by_points,
        };
        let ownership = match ownership.is_empty() {
            true => vec![0.0; area],
            false => map.turn(&ownership, 1),
        };
        let as_numbers: Vec<f32> = legal.iter().map(|&is| known(is)).collect();
        Ok(Sample {
            spatial: map.turn(&inputs.spatial, version.channels().0),
            global: inputs.global,
            policy,
            legal: transformed(&map, &as_numbers),
            opponent: opponent
                .map_or_else(|| vec![0.0; area + 1], |policy| transformed(&map, &policy)),
            human,
            outcome: values.outcome(),
            score: [
                values.lead() + gained,
                values.score_mean() + gained,
                values.score_stdev(),
            ],
            errors: errors.map(Option::unwrap_or_default),
            is_expectation: matches!(line.kind, LineKind::Game | LineKind::Teacher),
            ownership,
            weights,
        })
    }
}

fn inputs(version: InputVersion, position: &Position, label: &Label) -> InputBatch {
    let settings = FeatureSettings {
        max_history: label.history.into(),
        ..FeatureSettings::default()
    };
    InputBatch::of(version, position, &settings)
}

/// Transforms values of all points and the pass, which stays last.
fn transformed(map: &PointMap, values: &[f32]) -> Vec<f32> {
    let (pass, points) = values.split_last().expect("there is always the pass");
    let mut transformed = map.turn(points, 1);
    transformed.push(*pass);
    transformed
}

fn turned_move(symmetry: Symmetry, size: BoardSize, index: usize) -> usize {
    if index == size.area() {
        return index;
    }
    let image = symmetry.point(size, size.point_at(index));
    symmetry.size(size).index(image)
}

/// The opponent's policy after the played move: the teacher's, where the next position is labelled
/// under the same rules, else the reply played. Plays on the position.
fn opponent_policy(
    line: &LabelledLine,
    label: &Label,
    position: &mut Position,
) -> Result<Option<Vec<f32>>> {
    let area = position.size().area();
    let follows = |other: &&Label| {
        let is_next = other.ply == label.ply + 1 && other.side_line.is_empty();
        is_next && other.rules == label.rules && other.values.knows_policy()
    };
    let next = line.labels.iter().find(follows);
    if let (Some(next), Some(_), true) = (next, label.next, label.side_line.is_empty()) {
        play(position, line.line.moves[usize::from(label.ply)])?;
        return Ok(Some(next.values.policy(&legal_mask(position))));
    }
    Ok(label.reply.map(|reply| {
        let mut policy = vec![0.0; area + 1];
        policy[usize::from(reply)] = 1.0;
        policy
    }))
}

/// A batch of samples on boards of this size with inputs of this version; `sibling_group` has the sibling groups, see
/// [`sibling_groups`](super::super::label::sibling_groups).
pub(super) fn join(
    (size, version): (BoardSize, InputVersion),
    samples: &[Sample],
    sibling_group: Vec<usize>,
) -> Batch {
    // Each sample has as many values.
    let all = |values: fn(&Sample) -> &[f32]| -> Vec<f32> {
        let len = samples.first().map_or(0, |sample| values(sample).len());
        let mut joined = vec![0.0; len * samples.len()];
        let rows = joined.par_chunks_exact_mut(len.max(1)).zip(samples);
        rows.for_each(|(row, sample)| row.copy_from_slice(values(sample)));
        joined
    };
    let each = |value: fn(&Sample) -> f32| -> Vec<f32> { samples.iter().map(value).collect() };
    Batch {
        size,
        version,
        inputs: InputBatch {
            size,
            spatial: all(|sample| &sample.spatial),
            global: all(|sample| &sample.global),
            metadata: Vec::new(),
        },
        targets: Targets {
            policy: all(|sample| &sample.policy),
            legal: samples
                .iter()
                .flat_map(|sample| sample.legal.iter().map(|&is| is > 0.0))
                .collect(),
            opponent_policy: all(|sample| &sample.opponent),
            human_move: samples.iter().map(|sample| sample.human).collect(),
            outcome: samples.iter().map(|sample| sample.outcome).collect(),
            lead: each(|sample| sample.score[0]),
            score_mean: each(|sample| sample.score[1]),
            score_stdev: each(|sample| sample.score[2]),
            variance_time: each(|sample| sample.errors[2]),
            shortterm_value_error: each(|sample| sample.errors[0]),
            shortterm_score_error: each(|sample| sample.errors[1]),
            is_expectation: samples.iter().map(|sample| sample.is_expectation).collect(),
            sibling_group,
            ownership: all(|sample| &sample.ownership),
            weights: samples.iter().map(|sample| sample.weights).collect(),
        },
    }
}
