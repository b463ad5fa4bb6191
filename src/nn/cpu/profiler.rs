//! Where the time of an evaluation goes.

use std::time::{Duration, Instant};

/// Kinds of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The convolution of the planes.
    Stem,
    /// Transforms of the inputs of 3x3 convolutions, with their rounding.
    Inputs,
    /// Matrix products of 3x3 convolutions.
    Products,
    /// Transforms of their results, with bias, norm, activation and residual connection.
    Results,
    /// Matrix products at each point, with all that belongs to them.
    Points,
    /// Attention without its projections.
    Attention,
    /// Pooling over chains and empty regions, with all that follows it.
    Pooling,
    /// Pooling, norms, what the heads do besides products.
    Others,
}

/// All kinds, in the order of the fields.
pub const STAGES: [Stage; 8] = [
    Stage::Stem,
    Stage::Inputs,
    Stage::Products,
    Stage::Results,
    Stage::Points,
    Stage::Attention,
    Stage::Pooling,
    Stage::Others,
];

/// Measures stages, if it is told to.
#[derive(Debug, Default)]
pub struct Profiler {
    /// End of the last stage.
    last: Option<Instant>,
    times: [Duration; STAGES.len()],
}

impl Profiler {
    /// Begins to measure.
    pub fn start(&mut self) {
        self.last = Some(Instant::now());
    }

    /// What has passed since the last stage belongs to this one.
    pub fn lap(&mut self, stage: Stage) {
        if let Some(last) = &mut self.last {
            let now = Instant::now();
            self.times[stage as usize] += now - *last;
            *last = now;
        }
    }

    /// Ends; gives the time of each stage.
    pub fn stop(&mut self) -> [(Stage, Duration); STAGES.len()] {
        self.last = None;
        let times = std::mem::take(&mut self.times);
        STAGES.map(|stage| (stage, times[stage as usize]))
    }
}
