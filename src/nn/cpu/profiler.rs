//! Profiling of an evaluation by stages.

use std::time::{Duration, Instant};

/// Stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The stem.
    Stem,
    /// Input transforms of 3x3 convolutions, with quantisation.
    Inputs,
    /// Matrix products of 3x3 convolutions.
    Products,
    /// Output transforms of 3x3 convolutions, with epilogues.
    Results,
    /// Matrix products at each point, with epilogues.
    Points,
    /// Attention without its projections.
    Attention,
    /// Pooling over chains and empty regions, with the layers after it.
    Pooling,
    /// Pooling, norms, heads without products.
    Others,
}

/// All stages, in the order of the fields.
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

/// Measures stages, if active.
#[derive(Debug, Default)]
pub struct Profiler {
    /// End of the previous stage.
    last: Option<Instant>,
    times: [Duration; STAGES.len()],
}

impl Profiler {
    /// Starts measuring.
    pub fn start(&mut self) {
        self.last = Some(Instant::now());
    }

    /// Adds the time since the previous stage to this one.
    pub fn lap(&mut self, stage: Stage) {
        if let Some(last) = &mut self.last {
            let now = Instant::now();
            self.times[stage as usize] += now - *last;
            *last = now;
        }
    }

    /// Stops; returns the time of each stage.
    pub fn stop(&mut self) -> [(Stage, Duration); STAGES.len()] {
        self.last = None;
        let times = std::mem::take(&mut self.times);
        STAGES.map(|stage| (stage, times[stage as usize]))
    }
}
