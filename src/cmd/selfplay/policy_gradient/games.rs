//! What the learner makes of its games: results, batches and tables.

use std::path::Path;

use anyhow::{Result, ensure};
use rand::seq::index;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::data::batch::Batch;
use crate::data::shard::Shard;
use crate::data::stream::batch_of;
use crate::data::tsv::{self, GameRow};
use crate::files;
use crate::go::{BoardSize, GameResult};
use crate::nn::desc::InputVersion;
use crate::selfplay::policy_games::PolicyGame;
use crate::selfplay::policy_params::PolicyGradientParams;

/// Source of the games in tables.
const SOURCE: &str = "policy-gradient";
/// Samples of a batch.
const MICRO_BATCH: usize = 16;

/// Results of the learner.
#[derive(Clone, Copy, Debug, Default)]
pub struct Score {
    games: f64,
    /// Wins and half of the draws.
    points: f64,
    moves: f64,
}

impl Score {
    pub fn of(games: &[PolicyGame]) -> Score {
        let points = games
            .iter()
            .map(|game| f64::from(game.outcome() + 1.0) / 2.0);
        Score {
            games: games.len() as f64,
            points: points.sum(),
            moves: games.iter().map(|game| game.line.moves.len() as f64).sum(),
        }
    }

    pub fn add(&mut self, other: Score) {
        self.games += other.games;
        self.points += other.points;
        self.moves += other.moves;
    }

    /// Wins plus half of the draws, as a fraction of the games.
    pub fn rate(&self) -> f64 {
        self.points / self.games.max(1.0)
    }

    pub fn length(&self) -> f64 {
        self.moves / self.games.max(1.0)
    }
}

/// The learner's positions of some games on boards of this size, or as many of them as a step takes,
/// with the weights of its moves and inputs of this version.
pub fn batches(
    games: &[PolicyGame],
    (size, inputs): (BoardSize, InputVersion),
    params: &PolicyGradientParams,
    rng: &mut ChaCha8Rng,
) -> Result<Vec<Batch>> {
    let baseline = params.baseline as f32;
    let (lines, counts): (Vec<_>, Vec<_>) =
        games.iter().map(|game| game.labelled(baseline)).unzip();
    let shard = Shard {
        size,
        has_ownership: false,
        number: 0,
        seed: 0,
        teacher: [0; 8],
        settings: [0; 8],
        sources: vec![SOURCE.to_owned()],
        lines,
    };
    let places = shard.lines.iter().enumerate();
    let places: Vec<(usize, usize)> = places
        .flat_map(|(line, it)| (0..it.labels.len()).map(move |label| (line, label)))
        .collect();
    ensure!(!places.is_empty(), "the games have no moves to learn from");
    let amount = places.len().min(params.positions as usize);
    let drawn = index::sample(rng, places.len(), amount);
    let drawn: Vec<(usize, usize)> = drawn.into_iter().map(|place| places[place]).collect();
    let batch = |places: &[(usize, usize)]| {
        let mut batch = batch_of(&shard, places, inputs)?;
        for (weights, &(line, label)) in batch.targets.weights.iter_mut().zip(places) {
            weights.policy = counts[line][label];
            (weights.soft_policy, weights.opponent, weights.human) = (0.0, 0.0, 0.0);
        }
        Ok(batch)
    };
    drawn.par_chunks(MICRO_BATCH).map(batch).collect()
}

/// Writes games as a table to `games/policy-00000120.tsv.gz` in a run.
pub fn write(run: &Path, steps: u64, games: &[PolicyGame]) -> Result<()> {
    let table = tsv::table(games.iter().map(|game| GameRow {
        source: SOURCE,
        line: &game.line,
        rules: Some(game.rules),
        komi: Some(game.komi),
        result: Some(game.result.unwrap_or(GameResult::Void)),
    }));
    let folder = run.join("games");
    files::make_folder(&folder)?;
    let name = format!("policy-{steps:08}.tsv.gz");
    files::write_whole(&folder.join(name), &files::gzipped(table.as_bytes())?, true)
}
