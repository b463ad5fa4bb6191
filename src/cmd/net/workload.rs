//! Batches of positions for measuring networks.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use rayon::prelude::*;

use super::stages;
use crate::cmd::bench::random_position;
use crate::go::{BoardSize, Color, Position};
use crate::nn::backend::Backend;
use crate::nn::desc::Net;
use crate::nn::features::{self, FeatureSettings, InputBatch};
use crate::nn::metadata::HumanProfile;
use crate::nn::output::{PolicySettings, RawOutput};
use crate::nn::runner::Runner;
use crate::nn::sample_games;
use crate::threads::together;

/// Number of different positions, of all stages: features of full boards take longer.
const POSITIONS: usize = 16;
const PROFILE: &str = "rank_1d";

/// Settings of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Batch size.
    pub batch: usize,
    /// Threads, each with batches of its own.
    pub threads: usize,
    /// Whether computing inputs and reading outputs is included in the time.
    pub features: bool,
}

/// A net, and positions for it.
pub struct Workload {
    runner: Runner,
    /// For nets that imitate human players; the value does not matter here.
    profile: Option<HumanProfile>,
    positions: Vec<Position>,
}

/// Positions and their inputs.
struct Batch {
    positions: Vec<Position>,
    inputs: InputBatch,
}

impl Workload {
    /// Loads the net, and plays the games.
    pub fn new(net: &Net, backend: &Backend, size: BoardSize) -> Result<Workload> {
        let mut positions = sample_games::positions(size, POSITIONS);
        if positions.is_empty() {
            positions = random_positions(size)?;
        }
        Ok(Workload {
            runner: Runner::new(net, backend)?,
            profile: net.wants_metadata().then(|| PROFILE.parse()).transpose()?,
            positions,
        })
    }

    /// For display: device and number format.
    pub fn computing(&self) -> &str {
        self.runner.computing()
    }

    /// Times of the stages of an evaluation on the CPU, for a position in the middle of a game, or of a batch
    /// on a GPU.
    pub fn stages(&self, boards: usize) -> Result<Option<String>> {
        const TIMES: usize = 20;
        if let Some(stages) = self.gpu_stages(boards)? {
            return Ok(Some(stages));
        }
        let Some(executor) = self.runner.on_cpu() else {
            return Ok(None);
        };
        let inputs = self.inputs(&self.positions[POSITIONS / 2..][..1]);
        let profile = executor.profile(&inputs, TIMES)?;
        Ok(Some(stages::table(executor, &profile, inputs.size)))
    }

    #[cfg(feature = "cuda")]
    fn gpu_stages(&self, boards: usize) -> Result<Option<String>> {
        let times = self.runner.gpu_times(self.positions[0].size(), boards)?;
        Ok(times.map(|times| super::gpu_stages::table(&times, boards)))
    }

    #[cfg(not(feature = "cuda"))]
    fn gpu_stages(&self, _: usize) -> Result<Option<String>> {
        Ok(None)
    }

    /// Evaluations per second, measured for this time or at least one batch.
    pub fn rate(&self, setting: Setting, time: Duration) -> Result<f64> {
        let batches = self.batches(setting.batch);
        let threads = AtomicUsize::new(0);
        let rates = together(setting.threads, "measuring", || {
            let first = threads.fetch_add(1, Ordering::Relaxed);
            self.rate_of_thread(batches.iter().cycle().skip(first), setting, time)
        });
        rates.into_iter().sum()
    }

    fn rate_of_thread<'a>(
        &self,
        batches: impl Iterator<Item = &'a Batch>,
        setting: Setting,
        time: Duration,
    ) -> Result<f64> {
        let start = Instant::now();
        let mut evaluations = 0;
        for batch in batches {
            if setting.features {
                self.evaluate(&batch.positions)?;
            } else {
                self.runner.forward(&batch.inputs)?;
            }
            evaluations += setting.batch;
            if start.elapsed() >= time {
                break;
            }
        }
        Ok(evaluations as f64 / start.elapsed().as_secs_f64())
    }

    fn evaluate(&self, positions: &[Position]) -> Result<()> {
        let outputs = self.runner.forward(&self.inputs(positions))?;
        let read = |(raw, position): (&RawOutput, &Position)| {
            let output = self.runner.read(raw, position, PolicySettings::default());
            ensure!(output.win.is_finite(), "the net's output is not finite");
            Ok(())
        };
        if self.runner.prefers_batches() {
            outputs.par_iter().zip(positions).try_for_each(read)
        } else {
            outputs.iter().zip(positions).try_for_each(read)
        }
    }

    /// All positions in batches of a size; some are repeated to fill the last one.
    fn batches(&self, len: usize) -> Vec<Batch> {
        let batch = |index: usize| {
            let positions = self.positions.iter().cycle().skip(index * len).take(len);
            let positions: Vec<Position> = positions.cloned().collect();
            Batch {
                inputs: self.inputs(&positions),
                positions,
            }
        };
        (0..POSITIONS.div_ceil(len)).map(batch).collect()
    }

    /// Inputs of positions on boards of one size, at least one.
    fn inputs(&self, positions: &[Position]) -> InputBatch {
        let size = positions[0].size();
        let (planes, values) = self.runner.input_version().channels();
        let mut spatial = vec![0.0; positions.len() * size.area() * planes];
        // Without global values, each position still needs an empty slice.
        let place = values.max(1);
        let mut global = vec![0.0; positions.len() * place];
        let version = self.runner.input_version();
        let settings = FeatureSettings::default();
        let write = |((position, spatial), global): ((&Position, &mut [f32]), &mut [f32])| {
            features::write(version, position, &settings, spatial, &mut global[..values]);
        };
        let points = size.area() * planes;
        if self.runner.prefers_batches() {
            let spatial = spatial.par_chunks_exact_mut(points);
            let global = global.par_chunks_exact_mut(place);
            positions
                .par_iter()
                .zip(spatial)
                .zip(global)
                .for_each(write);
        } else {
            let spatial = spatial.chunks_exact_mut(points);
            let global = global.chunks_exact_mut(place);
            positions.iter().zip(spatial).zip(global).for_each(write);
        }
        global.truncate(positions.len() * values);
        let metadata = self
            .profile
            .map(|profile| profile.values(size, Color::Black));
        InputBatch {
            size,
            spatial,
            global,
            metadata: metadata.unwrap_or_default().repeat(positions.len()),
        }
    }
}

/// Positions of random games of varying length.
fn random_positions(size: BoardSize) -> Result<Vec<Position>> {
    let (width, height) = (size.width(), size.height());
    let position = |index: usize| {
        let moves = index * size.area() / POSITIONS;
        random_position(index as u64, width, height, "tromp-taylor", moves)
    };
    (0..POSITIONS).map(position).collect()
}
