//! How well a network answers samples that it has not learned from, whatever the game: its policy
//! against the moves, its value against the results.

use anyhow::{Context, Result};
use rayon::prelude::*;

use crate::data::batch::Batch;
use crate::nn::backend::Backend;
use crate::nn::desc::Net;
use crate::nn::output::RawOutput;
use crate::nn::runner::Runner;

use super::terms::{among_first, softmax};

/// Groups of samples by the probability of a win.
const GROUPS: usize = 10;
/// Moves that count as the first ones of a policy.
const FIRST: usize = 5;

/// The answers to samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Accuracy {
    /// Samples with a known move or policy.
    moves: f64,
    /// Of these, those whose best move is the policy's first one, and one of its first five.
    hits: [f64; 2],
    /// Sum of the cross entropies of these policies, in nats.
    cross_entropy: f64,
    /// Samples with a known result.
    results: f64,
    /// Sums of the squares of errors of the win probability, of the results (a win is 1, a draw half), and of their squares.
    square: f64,
    sum: f64,
    sum_of_squares: f64,
    /// By predicted win probability: number, predicted and actual wins.
    groups: [[f64; 3]; GROUPS],
}

/// Measures a network.
pub fn measure(net: &Net, backend: &Backend, batches: &[Batch]) -> Result<Accuracy> {
    let runner = Runner::new(net, backend)?;
    let answered = batches.par_iter().map(|batch| -> Result<Accuracy> {
        let answers = runner.forward(&batch.inputs)?;
        let mut accuracy = Accuracy::default();
        for (sample, raw) in answers.iter().enumerate() {
            accuracy.add(batch, sample, raw);
        }
        Ok(accuracy)
    });
    let parts: Vec<Accuracy> = answered
        .collect::<Result<_>>()
        .context("the network could not be measured")?;
    Ok(parts.into_iter().fold(Accuracy::default(), Accuracy::and))
}

impl Accuracy {
    fn add(&mut self, batch: &Batch, sample: usize, raw: &RawOutput) {
        let (targets, area) = (&batch.targets, batch.size.area());
        let moves = sample * (area + 1)..(sample + 1) * (area + 1) - 1;
        let (wanted, legal) = (&targets.policy[moves.clone()], &targets.legal[moves]);
        let weights = targets.weights[sample];
        if weights.policy > 0.0 {
            self.add_policy(wanted, legal, &raw.policy);
        }
        if weights.outcome > 0.0 {
            let logits = raw.value.map(f64::from);
            let expected = softmax(&logits, |_| true);
            let (win, draw) = (expected[0], expected[2]);
            let [won, _, drawn] = targets.outcome[sample].map(f64::from);
            self.add_result(win + draw / 2.0, won + drawn / 2.0);
        }
    }

    fn add_policy(&mut self, wanted: &[f32], legal: &[bool], logits: &[f32]) {
        let cells = || (0..legal.len()).filter(|&cell| legal[cell]);
        let most = cells()
            .map(|cell| logits[cell])
            .fold(f32::NEG_INFINITY, f32::max);
        let sum: f64 = cells()
            .map(|cell| f64::from(logits[cell] - most).exp())
            .sum();
        let best = cells().max_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
        let Some(best) = best else { return };
        let share = among_first(cells().map(|cell| logits[cell]), logits[best]);
        self.moves += 1.0;
        self.hits[0] += share(1);
        self.hits[1] += share(FIRST);
        self.cross_entropy += cells()
            .filter(|&cell| wanted[cell] > 0.0)
            .map(|cell| f64::from(wanted[cell]) * (sum.ln() - f64::from(logits[cell] - most)))
            .sum::<f64>();
    }

    fn add_result(&mut self, predicted: f64, actual: f64) {
        self.results += 1.0;
        self.square += (predicted - actual).powi(2);
        self.sum += actual;
        self.sum_of_squares += actual * actual;
        let group = ((predicted * GROUPS as f64) as usize).min(GROUPS - 1);
        let own = &mut self.groups[group];
        *own = [own[0] + 1.0, own[1] + predicted, own[2] + actual];
    }

    fn and(mut self, other: Accuracy) -> Accuracy {
        self.moves += other.moves;
        self.cross_entropy += other.cross_entropy;
        self.results += other.results;
        self.square += other.square;
        self.sum += other.sum;
        self.sum_of_squares += other.sum_of_squares;
        for (own, its) in self.hits.iter_mut().zip(other.hits) {
            *own += its;
        }
        let groups = self.groups.as_flattened_mut().iter_mut();
        for (own, its) in groups.zip(other.groups.as_flattened()) {
            *own += its;
        }
        self
    }

    /// Share of the samples whose best move is the policy's first one.
    pub fn first(&self) -> f64 {
        self.hits[0] / self.moves
    }

    /// Share of the samples whose best move is one of the policy's first five.
    pub fn first_five(&self) -> f64 {
        self.hits[1] / self.moves
    }

    /// Mean cross entropy of the policies, in nats.
    pub fn cross_entropy(&self) -> f64 {
        self.cross_entropy / self.moves
    }

    /// Mean square of the errors of the win probability (Brier score).
    pub fn brier(&self) -> f64 {
        self.square / self.results
    }

    /// The same for the best constant.
    pub fn constant_brier(&self) -> f64 {
        let mean = self.sum / self.results;
        self.sum_of_squares / self.results - mean * mean
    }

    /// For each tenth of win probabilities with samples: their number, mean probability and mean result.
    pub fn calibration(&self) -> impl Iterator<Item = (u64, f64, f64)> {
        let known = self.groups.iter().filter(|group| group[0] > 0.0);
        known.map(|&[number, predicted, actual]| {
            (number as u64, predicted / number, actual / number)
        })
    }

    /// With the names of validation in logs; without what no sample tells. The moves are those played.
    pub fn values(&self) -> Vec<(String, f64)> {
        let values = [
            ("human_top1", self.first()),
            ("human_top5", self.first_five()),
            ("human_cross_entropy", self.cross_entropy()),
            // Of wins less losses, twice the win probability's.
            ("value_square_error", 4.0 * self.brier()),
        ];
        let known = values.into_iter().filter(|(_, value)| value.is_finite());
        known
            .map(|(name, value)| (format!("val/all/{name}"), value))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_moves_share_their_places() {
        let mut accuracy = Accuracy::default();
        let mut wanted = [0.0; 10];
        wanted[3] = 1.0;
        accuracy.add_policy(&wanted, &[true; 10], &[0.5; 10]);
        assert_eq!((accuracy.first(), accuracy.first_five()), (0.1, 0.5));
    }

    #[test]
    fn policies_and_results_are_counted() {
        let mut accuracy = Accuracy::default();
        // The best move is the second one by the logits; the third is illegal.
        let logits = [0.0, 1.0, 9.0, 0.5];
        accuracy.add_policy(&[0.0, 0.25, 0.0, 0.75], &[true, true, false, true], &logits);
        assert_eq!((accuracy.first(), accuracy.first_five()), (0.0, 1.0));
        let sum: f64 = [0.0, 1.0, 0.5].iter().map(|x: &f64| x.exp()).sum();
        let expected = sum.ln() - (0.25 + 0.75 * 0.5);
        assert!((accuracy.cross_entropy() - expected).abs() < 1e-6);
        accuracy.add_result(0.9, 1.0);
        accuracy.add_result(0.3, 0.0);
        assert!((accuracy.brier() - 0.05).abs() < 1e-9);
        assert!((accuracy.constant_brier() - 0.25).abs() < 1e-9);
        let groups: Vec<_> = accuracy.and(Accuracy::default()).calibration().collect();
        assert_eq!(groups, [(1, 0.3, 0.0), (1, 0.9, 1.0)]);
    }
}
