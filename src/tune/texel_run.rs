//! A run of Texel's method in a folder: `settings.json`, `games.jsonl` with the positions of each game, `weights.json` with
//! the result. Games that are there are not played again; the fit is quick and repeated.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::genome::{Genome, genome};
use super::positions::{GamePositions, play};
use super::run::{keep_settings, write_weights};
use super::texel::{Errors, Fit, FitPlan, Sample, fit};
use crate::files;
use crate::files::lines::JsonLines;
use crate::games::board_game::BoardGame;
use crate::games::weighted::Weighted;
use crate::threads;

/// Games played between two looks at the log.
const AT_ONCE: usize = 16;
/// One game in so many is held out.
const HELD_OUT: usize = 10;

/// What is tuned, and from which games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TexelSettings {
    /// The game with its variant.
    pub game: String,
    /// Nodes per move of the games.
    pub nodes: u64,
    /// Of the openings.
    pub seed: u64,
    /// The weights that play the games, and that are improved.
    pub start: Vec<i32>,
}

/// How much is done.
#[derive(Clone, Copy, Debug)]
pub struct TexelPlan {
    /// Number of games.
    pub games: usize,
    /// Steps of the fit.
    pub epochs: usize,
    /// Largest change of a weight in a step, about.
    pub rate: f64,
    /// How far weights are expected to be from the start, see [`FitPlan::prior`].
    pub prior: f64,
    /// Threads that play.
    pub threads: usize,
}

/// What happens in a run.
pub enum TexelEvent {
    /// So many games are there.
    Games(usize),
    /// An epoch is over.
    Epoch(usize, Errors),
}

/// A finished run.
pub struct TexelResult {
    /// The fit.
    pub fit: Fit,
    /// The weights before.
    pub start: Genome,
    /// Positions that weights were fitted to, and held out.
    pub positions: [usize; 2],
}

/// Plays the games that are missing, fits the weights and writes them.
pub fn run<G: BoardGame>(
    folder: &Path,
    (initial, evaluation): (&G, &G::Evaluation),
    settings: &TexelSettings,
    plan: TexelPlan,
    stop: &Arc<AtomicBool>,
    mut tell: impl FnMut(TexelEvent) -> Result<()>,
) -> Result<TexelResult> {
    files::make_folder(folder)?;
    keep_settings(folder, settings)?;
    let start = genome(&settings.start);
    let (mut lines, mut games) = JsonLines::open::<GamePositions>(&folder.join("games.jsonl"))?;
    ensure!(
        games.iter().map(|game| game.number).eq(0..games.len()),
        "games are missing in {}: remove all lines after the gap",
        folder.join("games.jsonl").display()
    );
    tell(TexelEvent::Games(games.len()))?;
    // Made once: some evaluations derive tables from their weights.
    let playing = evaluation.with_weights(&settings.start);
    while games.len() < plan.games {
        let end = plan.games.min(games.len() + AT_ONCE);
        let numbers = (games.len()..end).collect();
        let played = threads::for_each_on(plan.threads, numbers, "tune", |number| {
            play(
                initial,
                &playing,
                settings.nodes,
                (settings.seed, number),
                stop,
            )
        });
        for game in played {
            check(stop)?;
            let game = game?;
            lines.add(&game)?;
            games.push(game);
        }
        tell(TexelEvent::Games(games.len()))?;
    }
    games.truncate(plan.games);
    // A game that repeats another says nothing new, and one of them might be held out.
    let mut seen = HashSet::new();
    games.retain(|game| seen.insert(game.positions.clone()));
    let is_held_out = |game: &GamePositions| game.number % HELD_OUT == HELD_OUT - 1;
    let (held_out, training): (Vec<_>, Vec<_>) = games.into_iter().partition(is_held_out);
    let fit_plan = FitPlan {
        epochs: plan.epochs,
        rate: plan.rate,
        prior: plan.prior,
        games: training.len(),
    };
    let [training, held_out] =
        [training, held_out].map(|games| samples(initial, evaluation, &games));
    let (training, held_out) = (training?, held_out?);
    ensure!(
        !training.is_empty() && !held_out.is_empty(),
        "there are too few positions: play at least {HELD_OUT} games"
    );
    let fit = fit(&training, &held_out, &start, fit_plan, |epoch, errors| {
        check(stop)?;
        tell(TexelEvent::Epoch(epoch, errors))
    })?;
    write_weights::<G>(&folder.join("weights.json"), evaluation, &fit.weights)?;
    Ok(TexelResult {
        fit,
        start,
        positions: [training.len(), held_out.len()],
    })
}

fn check(stop: &AtomicBool) -> Result<()> {
    ensure!(
        !stop.load(Ordering::Relaxed),
        "interrupted; the same command goes on with the games that are there"
    );
    Ok(())
}

fn samples<G: BoardGame>(
    initial: &G,
    evaluation: &G::Evaluation,
    games: &[GamePositions],
) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for game in games {
        for text in &game.positions {
            let position = initial.another(text);
            let position = position.with_context(|| format!("game {}: {text}", game.number))?;
            samples.push(Sample {
                features: evaluation.features(&position),
                result: game.result,
            });
        }
    }
    Ok(samples)
}
