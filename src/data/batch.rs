//! Training batches: inputs of positions on boards of one size, and the targets of the heads.
//!
//! All targets are from the point of view of the player to move. Moves are numbered as in
//! [`BoardSize::index`], row by row from the top left, with the pass as the last number. Unknown
//! targets have the weight 0; their values are ignored.

use std::ops::Range;

use anyhow::{Result, ensure};

use crate::go::BoardSize;
use crate::nn::desc::InputVersion;
use crate::nn::features::InputBatch;

/// Samples on boards of one size.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    pub size: BoardSize,
    /// Version of the inputs: 7, or that of a network whose inputs do not follow from version 7.
    pub version: InputVersion,
    /// Without metadata.
    pub inputs: InputBatch,
    /// `[sample]`.
    pub targets: Targets,
}

/// Targets of the heads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Targets {
    /// `[sample][move]`: probabilities with the sum 1; 0 for illegal moves.
    pub policy: Vec<f32>,
    /// `[sample][move]`: whether the move is legal.
    pub legal: Vec<bool>,
    /// `[sample][move]`: probabilities of the opponent's next move, with the sum 1.
    pub opponent_policy: Vec<f32>,
    /// `[sample]`: the move of a human player.
    pub human_move: Vec<Option<usize>>,
    /// `[sample]`: probabilities of win, loss and no result.
    pub outcome: Vec<[f32; 3]>,
    /// `[sample]`: lead in points: the komi change that would make the game even.
    pub lead: Vec<f32>,
    /// `[sample]`: expected final score in points.
    pub score_mean: Vec<f32>,
    /// `[sample]`: standard deviation of the final score in points.
    pub score_stdev: Vec<f32>,
    /// `[sample]`: number of moves until the result is decided.
    pub variance_time: Vec<f32>,
    /// `[sample]`: expected error of the outcome's win less loss over the next moves.
    pub shortterm_value_error: Vec<f32>,
    /// `[sample]`: the same of the score, in points.
    pub shortterm_score_error: Vec<f32>,
    /// `[sample]`: whether outcome and score are a teacher's expectation, from which the net's own
    /// can differ, and not the result of one game.
    pub is_expectation: Vec<bool>,
    /// `[sample]`: number of the sibling group (positions after different moves from one position),
    /// whose samples are adjacent.
    pub sibling_group: Vec<usize>,
    /// `[sample][point]`: expected ownership, 1 for the player to move, -1 for the opponent.
    pub ownership: Vec<f32>,
    /// `[sample]`.
    pub weights: Vec<SampleWeights>,
}

/// Weights of the targets of a sample: typically 1, and 0 if unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleWeights {
    /// The policy; below 0 where the move should become less probable.
    pub policy: f32,
    /// The soft variant of the policy.
    pub soft_policy: f32,
    /// The opponent's policy.
    pub opponent: f32,
    /// The human move, if there is one.
    pub human: f32,
    /// The outcome.
    pub outcome: f32,
    /// Lead and mean of the score.
    pub score: f32,
    /// Standard deviation of the score.
    pub stdev: f32,
    /// Short-term errors and the time until the result is decided.
    pub shortterm: f32,
    /// The ownership.
    pub ownership: f32,
}

impl SampleWeights {
    /// No target is known.
    pub const NONE: SampleWeights = SampleWeights::all(0.0);
    /// All targets are known.
    pub const ALL: SampleWeights = SampleWeights::all(1.0);

    const fn all(weight: f32) -> SampleWeights {
        SampleWeights {
            policy: weight,
            soft_policy: weight,
            opponent: weight,
            human: weight,
            outcome: weight,
            score: weight,
            stdev: weight,
            shortterm: weight,
            ownership: weight,
        }
    }
}

impl Batch {
    pub fn len(&self) -> usize {
        self.targets.weights.len()
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Checks that all vectors have the right length and all moves are on the board.
    pub fn check(&self) -> Result<()> {
        let (len, area) = (self.len(), self.size.area());
        let (planes, globals) = self.version.channels();
        let targets = &self.targets;
        ensure!(
            self.inputs.size == self.size,
            "inputs of another board size"
        );
        let lengths = [
            ("planes", self.inputs.spatial.len(), len * area * planes),
            ("globals", self.inputs.global.len(), len * globals),
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
        let is_move = |mv: &usize| *mv <= area;
        ensure!(
            targets.human_move.iter().flatten().all(is_move),
            "a human move beyond the board"
        );
        Ok(())
    }

    /// A range of the samples.
    pub fn part(&self, samples: Range<usize>) -> Batch {
        let area = self.size.area();
        let (planes, globals) = self.version.channels();
        Batch {
            size: self.size,
            version: self.version,
            inputs: InputBatch {
                size: self.size,
                spatial: rows(&self.inputs.spatial, area * planes, &samples),
                global: rows(&self.inputs.global, globals, &samples),
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

/// The values of a range of samples, `len` each.
fn rows<T: Copy>(values: &[T], len: usize, samples: &Range<usize>) -> Vec<T> {
    values[samples.start * len..samples.end * len].to_vec()
}
