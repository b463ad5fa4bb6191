//! Steps on positions drawn from games.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::Result;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::console::tell;
use crate::data::batch::Batch;
use crate::data::board_games::LearningGame;
use crate::data::board_samples::{Lessons, Place, batches};
use crate::data::stream::mixed;
use crate::games::board_game::BoardGame;
use crate::games::network_inputs::NetworkInputs;
use crate::nn::backend::Backend;
use crate::train::accuracy::{Accuracy, measure};
use crate::train::run::session::Ending;
use crate::train::run::stepwise::Stepwise;

/// Time between checkpoints.
const SAVE_EVERY: Duration = Duration::from_secs(120);
/// Samples between lines of metrics.
const LOG_EVERY: u64 = 16_384;

/// A network that learns, with its games.
pub struct Learner<'a, G: BoardGame> {
    pub stepwise: Stepwise<'a>,
    /// How the network sees positions.
    pub inputs: NetworkInputs<G>,
    pub lessons: Lessons,
    pub seed: u64,
    /// Samples per step.
    pub batch: usize,
    /// Samples of a batch.
    pub micro_batch: usize,
    /// Samples after which the run ends.
    pub planned: Option<u64>,
    /// When to end.
    pub until: Option<Instant>,
    /// Set from outside to end.
    pub stop: &'a AtomicBool,
    /// What computes validation and games.
    pub backend: Backend,
    pub games: Vec<LearningGame<G>>,
}

impl<G: BoardGame> Learner<'_, G> {
    /// Whether it is time to end.
    pub fn ending(&self) -> Option<Ending> {
        Ending::now(self.stepwise.samples(), self.planned, self.stop, self.until)
    }

    /// Makes steps on positions drawn from `places` until the run has had this many samples, or it is time to end.
    pub fn steps(&mut self, places: &[Place], until_samples: u64) -> Result<Option<Ending>> {
        let mut saved = Instant::now();
        let mut logged = self.stepwise.samples();
        while self.stepwise.samples() < until_samples {
            if let Some(ending) = self.ending() {
                return Ok(Some(ending));
            }
            let batches = self.drawn(places)?;
            self.stepwise.step(&batches)?;
            if self.stepwise.samples() >= logged + LOG_EVERY {
                self.log()?;
                logged = self.stepwise.samples();
            }
            if saved.elapsed() >= SAVE_EVERY {
                self.stepwise.save()?;
                saved = Instant::now();
            }
        }
        Ok(None)
    }

    /// Batches of one step.
    fn drawn(&self, places: &[Place]) -> Result<Vec<Batch>> {
        let seed = mixed(self.seed, self.stepwise.steps());
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut drawn: Vec<Place> = (0..self.batch)
            .map(|_| places[random.random_range(0..places.len())])
            .collect();
        self.sort_by_board(&mut drawn);
        self.batches_of(&drawn)
    }

    /// So that few batches are of several boards.
    fn sort_by_board(&self, places: &mut [Place]) {
        places.sort_by_key(|place| (self.inputs.size)(&self.games[place.game].start));
    }

    fn batches_of(&self, places: &[Place]) -> Result<Vec<Batch>> {
        // Equivariant networks learn nothing from symmetries.
        let (games, inputs) = (&self.games, &self.inputs);
        let (lessons, most) = (self.lessons, self.micro_batch);
        let made = places
            .par_chunks(most)
            .map(|places| batches(games, places, inputs, lessons, most));
        let made: Vec<Vec<Batch>> = made.collect::<Result<_>>()?;
        Ok(made.into_iter().flatten().collect())
    }

    /// Writes the metrics of the steps since the last time and shows them, if there were any.
    pub fn log(&mut self) -> Result<()> {
        let means = self.stepwise.means();
        if means.is_empty() {
            return Ok(());
        }
        let value = |name: &str| {
            let found = means.iter().find(|(its, _)| its == name);
            found.map_or(f64::NAN, |(_, value)| *value)
        };
        tell(format_args!(
            "{} samples: policy {:.3}, outcome {:.3}, {:.0} samples/s",
            self.stepwise.samples(),
            value("loss/policy"),
            value("loss/outcome"),
            value("samples_per_second")
        ));
        self.stepwise.log(&means)
    }

    /// Validates the averaged parameters at these places, and logs the result.
    pub fn validate(&mut self, places: &[Place]) -> Result<()> {
        let mut places = places.to_vec();
        self.sort_by_board(&mut places);
        let batches = self.batches_of(&places)?;
        let found = measure(&self.stepwise.averaged_net()?, &self.backend, &batches)?;
        self.stepwise.log(&found.values())?;
        tell(format_args!(
            "validation on {} positions: {}",
            places.len(),
            summary(&found).join(", ")
        ));
        let groups = found.calibration().map(|(number, predicted, actual)| {
            format!(
                "{:.0} % for {:.0} % ({number})",
                100.0 * actual,
                100.0 * predicted
            )
        });
        let groups: Vec<String> = groups.collect();
        if !groups.is_empty() {
            tell(format_args!("won by expected wins: {}", groups.join(", ")));
        }
        Ok(())
    }
}

/// What a validation found, without what no sample tells.
fn summary(found: &Accuracy) -> Vec<String> {
    let mut parts = Vec::new();
    if found.cross_entropy().is_finite() {
        parts.push(format!(
            "first move {:.1} %, first five {:.1} %, policy {:.3}",
            100.0 * found.first(),
            100.0 * found.first_five(),
            found.cross_entropy()
        ));
    }
    if found.brier().is_finite() {
        parts.push(format!(
            "squared error {:.3} (constant {:.3})",
            found.brier(),
            found.constant_brier()
        ));
    }
    parts
}
