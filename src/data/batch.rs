//! What the trainer learns from: inputs of positions on boards of one size, and what the heads
//! should say of them.
//!
//! All targets are seen by the player to move. Moves are numbered as in [`BoardSize::index`], row by
//! row from the top left, with the pass as the last number. What is not known of a sample has the
//! weight 0; the values that stand there are not looked at.

use std::ops::Range;

use anyhow::{Result, ensure};

use crate::go::BoardSize;
use crate::nn::features::{GLOBALS, InputBatch, PLANES};

/// Samples on boards of one size.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// Of all boards.
    pub size: BoardSize,
    /// Of version 7, without metadata.
    pub inputs: InputBatch,
    /// As many as inputs.
    pub targets: Targets,
}

/// What the heads should say of each sample.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Targets {
    /// `[sample][move]`: probabilities, 0 where illegal, with the sum 1.
    pub policy: Vec<f32>,
    /// `[sample][move]`: whether the player may make it.
    pub legal: Vec<bool>,
    /// `[sample][move]`: probabilities of the opponent's next move, with the sum 1.
    pub opponent_policy: Vec<f32>,
    /// `[sample]`: the move a person made.
    pub human_move: Vec<Option<usize>>,
    /// `[sample]`: probabilities of win, loss and no result.
    pub outcome: Vec<[f32; 3]>,
    /// `[sample]`: points that would have to be given away to make the game even.
    pub lead: Vec<f32>,
    /// `[sample]`: expected final score in points.
    pub score_mean: Vec<f32>,
    /// `[sample]`: standard deviation of the final score in points.
    pub score_stdev: Vec<f32>,
    /// `[sample]`: how many moves the result stays open.
    pub variance_time: Vec<f32>,
    /// `[sample]`: expected error of win less loss over the next moves, of whoever gave the outcome.
    pub shortterm_value_error: Vec<f32>,
    /// `[sample]`: the same of the score, in points.
    pub shortterm_score_error: Vec<f32>,
    /// `[sample]`: whether outcome and score are what a teacher expects, from which the net's own
    /// can be told to differ, and not how one game went.
    pub is_expectation: Vec<bool>,
    /// `[sample]`: the same number for siblings, positions after different moves from one, which stand next
    /// to each other.
    pub sibling_group: Vec<usize>,
    /// `[sample][point]`: expected owner, 1 for the player to move, -1 for the opponent.
    pub ownership: Vec<f32>,
    /// `[sample]`.
    pub weights: Vec<SampleWeights>,
}

/// How much each target of a sample counts: usually 1, and 0 if it is not known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleWeights {
    /// Of the policy and its soft variant.
    pub policy: f32,
    /// Of the opponent's policy.
    pub opponent: f32,
    /// Of the human move, where there is one.
    pub human: f32,
    /// Of the outcome.
    pub outcome: f32,
    /// Of lead, mean and standard deviation of the score.
    pub score: f32,
    /// Of what concerns the next moves: short-term errors and the time the result stays open.
    pub shortterm: f32,
    /// Of the ownership.
    pub ownership: f32,
}

impl SampleWeights {
    /// Nothing is known.
    pub const NONE: SampleWeights = SampleWeights::all(0.0);
    /// All is known.
    pub const ALL: SampleWeights = SampleWeights::all(1.0);

    const fn all(weight: f32) -> SampleWeights {
        SampleWeights {
            policy: weight,
            opponent: weight,
            human: weight,
            outcome: weight,
            score: weight,
            shortterm: weight,
            ownership: weight,
        }
    }
}

impl Batch {
    /// Number of samples.
    pub fn len(&self) -> usize {
        self.targets.weights.len()
    }

    /// Whether there is no sample.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Refuses vectors of the wrong length, and moves that are not on the board.
    pub fn check(&self) -> Result<()> {
        let (len, area) = (self.len(), self.size.area());
        let targets = &self.targets;
        ensure!(
            self.inputs.size == self.size,
            "inputs of another board size"
        );
        let lengths = [
            ("planes", self.inputs.spatial.len(), len * area * PLANES),
            ("globals", self.inputs.global.len(), len * GLOBALS),
            ("metadata", self.inputs.metadata.len(), 0),
            ("policy", targets.policy.len(), len * (area + 1)),
            ("legal moves", targets.legal.len(), len * (area + 1)),
            (
                "opponent's policy",
                targets.opponent_policy.len(),
                len * (area + 1),
            ),
            ("human moves", targets.human_move.len(), len),
            ("outcomes", targets.outcome.len(), len),
            ("leads", targets.lead.len(), len),
            ("score means", targets.score_mean.len(), len),
            ("score deviations", targets.score_stdev.len(), len),
            ("times", targets.variance_time.len(), len),
            ("value errors", targets.shortterm_value_error.len(), len),
            ("score errors", targets.shortterm_score_error.len(), len),
            ("origins", targets.is_expectation.len(), len),
            ("sibling groups", targets.sibling_group.len(), len),
            ("ownership", targets.ownership.len(), len * area),
        ];
        for (what, found, wanted) in lengths {
            ensure!(found == wanted, "{found} values of {what}, not {wanted}");
        }
        let is_move = |made: &usize| *made <= area;
        ensure!(
            targets.human_move.iter().flatten().all(is_move),
            "a human move beyond the board"
        );
        Ok(())
    }

    /// Some of the samples.
    pub fn part(&self, samples: Range<usize>) -> Batch {
        let area = self.size.area();
        Batch {
            size: self.size,
            inputs: InputBatch {
                size: self.size,
                spatial: rows(&self.inputs.spatial, area * PLANES, &samples),
                global: rows(&self.inputs.global, GLOBALS, &samples),
                metadata: Vec::new(),
            },
            targets: self.targets.part(area, &samples),
        }
    }
}

impl Targets {
    fn part(&self, area: usize, samples: &Range<usize>) -> Targets {
        Targets {
            policy: rows(&self.policy, area + 1, samples),
            legal: rows(&self.legal, area + 1, samples),
            opponent_policy: rows(&self.opponent_policy, area + 1, samples),
            human_move: rows(&self.human_move, 1, samples),
            outcome: rows(&self.outcome, 1, samples),
            lead: rows(&self.lead, 1, samples),
            score_mean: rows(&self.score_mean, 1, samples),
            score_stdev: rows(&self.score_stdev, 1, samples),
            variance_time: rows(&self.variance_time, 1, samples),
            shortterm_value_error: rows(&self.shortterm_value_error, 1, samples),
            shortterm_score_error: rows(&self.shortterm_score_error, 1, samples),
            is_expectation: rows(&self.is_expectation, 1, samples),
            sibling_group: rows(&self.sibling_group, 1, samples),
            ownership: rows(&self.ownership, area, samples),
            weights: rows(&self.weights, 1, samples),
        }
    }
}

/// The values of some samples, `len` each.
fn rows<T: Copy>(values: &[T], len: usize, samples: &Range<usize>) -> Vec<T> {
    values[samples.start * len..samples.end * len].to_vec()
}
