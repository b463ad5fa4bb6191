//! `keima rollout-policy train`.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, ensure};
use clap::{Args, value_parser};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::moves::Games;
use super::{judge, report};
use crate::cmd::net::new_file::refuse_existing;
use crate::console::tell;
use crate::data::collection::{HELD_OUT, Part};
use crate::files;
use crate::games::rollout_policy::learning::{Example, Judged, Learner, PatternCounts};

/// Moves between two lines of progress.
const PROGRESS: u64 = 250_000;
/// Smallest share of the rate.
const LAST_RATE: f64 = 0.02;

/// Learn a policy of rollouts from game records
///
/// Patterns are those that were played most often; weights are learned by gradient descent (AdaGrad) on the cross
/// entropy of the moves played. In the end the policy is tested with games it has not learned from.
#[derive(Args)]
pub(super) struct TrainArguments {
    /// File of the policy
    file: PathBuf,

    /// Games: SGF files, tables (.tsv), both also gzipped, folders of them
    #[arg(long, value_name = "PATH", num_args = 1.., required = true)]
    data: Vec<PathBuf>,

    /// Games for the test; by default one of 20 games of --data is held out
    #[arg(long, value_name = "PATH", num_args = 1..)]
    validate: Vec<PathBuf>,

    /// Moves to learn from, spread over all games
    #[arg(long, value_name = "N", default_value_t = 4_000_000, value_parser = value_parser!(u64).range(1..))]
    moves: u64,

    /// Part of the moves on boards up to 11x11, if there are enough, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.25, value_parser = crate::cmd::settings::share)]
    small_boards: f32,

    /// Patterns of each of two kinds: with liberties, and with the place of the last move
    #[arg(long, value_name = "N", default_value_t = 6000, value_parser = value_parser!(u32).range(0..=100_000))]
    patterns: u32,

    /// How often a pattern must have been played
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = value_parser!(u32).range(1..))]
    at_least: u32,

    /// Size of the first steps; it falls to nearly 0
    #[arg(long, value_name = "R", default_value_t = 0.1, value_parser = crate::cmd::settings::share)]
    rate: f32,

    /// Seed of the choice of moves
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
}

/// Longest side of a small board.
const SMALL: usize = 11;

/// Learns, writes the file and prints the figures of the test.
pub(super) fn run(arguments: &TrainArguments) -> Result<()> {
    refuse_existing(&arguments.file, arguments.force)?;
    let games = Games::read(&arguments.data)?;
    let tests = match arguments.validate.as_slice() {
        [] => None,
        paths => Some(Games::read(paths)?),
    };
    let held_out = if tests.is_some() { 0.0 } else { HELD_OUT };
    let chosen = games.part(Part::Train, held_out);
    ensure!(!chosen.is_empty(), "there are no games to learn from");
    let plan = Plan::new(arguments, &games, chosen);
    let mut counts = PatternCounts::default();
    plan.show(&games, &mut |_, example| counts.count(example));
    let weights = counts.weights(arguments.patterns as usize, arguments.at_least);
    tell(format_args!(
        "{} moves of {} games, {} weights",
        plan.moves,
        plan.games.len(),
        weights.len()
    ));
    let mut learner = Learner::new(weights);
    learn(arguments, &plan, &games, &mut learner);
    let text = learner.weights().to_json();
    files::write_whole(&arguments.file, text.as_bytes(), arguments.force)?;
    let judged = match &tests {
        Some(tests) => judge(&mut learner, tests, &tests.all()),
        None => judge(&mut learner, &games, &games.part(Part::HeldOut, HELD_OUT)),
    };
    report(&judged, false)
}

fn learn(arguments: &TrainArguments, plan: &Plan, games: &Games, learner: &mut Learner) {
    let begun = Instant::now();
    let mut recent = Judged::default();
    plan.show(games, &mut |done, example| {
        let rest = 1.0 - done as f64 / plan.moves.max(1) as f64;
        let rate = f64::from(arguments.rate) * rest.max(LAST_RATE);
        recent.add(learner.learn(example, rate as f32));
        if (done + 1).is_multiple_of(PROGRESS) {
            tell(format_args!(
                "{} moves, {:.0} s: {:.1} % right, cross entropy {:.3}",
                done + 1,
                begun.elapsed().as_secs_f64(),
                100.0 * recent.accuracy(),
                recent.cross_entropy()
            ));
            recent = Judged::default();
        }
    });
}

/// Which moves are learned from: a share of those of each game, evenly spread, of games in a random order.
struct Plan {
    /// Games with their share and, from 0 to 1, where it begins to count.
    games: Vec<(usize, f64, f64)>,
    /// Moves in all.
    moves: u64,
}

impl Plan {
    fn new(arguments: &TrainArguments, games: &Games, chosen: Vec<usize>) -> Plan {
        let mut rng = ChaCha8Rng::seed_from_u64(arguments.seed);
        let (small, large): (Vec<usize>, Vec<usize>) = chosen
            .into_iter()
            .partition(|&game| games.side(game) <= SMALL);
        let count = |part: &[usize]| -> u64 { part.iter().map(|&game| games.moves(game)).sum() };
        let (few, many) = (count(&small), count(&large));
        let wanted = (f64::from(arguments.small_boards) * arguments.moves as f64) as u64;
        let for_small = wanted
            .min(few)
            .max(arguments.moves.saturating_sub(many).min(few));
        let for_large = arguments.moves - for_small.min(arguments.moves);
        let mut plan = Plan {
            games: Vec::with_capacity(small.len() + large.len()),
            moves: 0,
        };
        for (part, all, wanted) in [(small, few, for_small), (large, many, for_large)] {
            if wanted == 0 {
                continue;
            }
            let share = (wanted as f64 / all as f64).min(1.0);
            for game in part {
                plan.games.push((game, share, rng.random()));
            }
        }
        plan.games.shuffle(&mut rng);
        let mut moves = 0;
        plan.show(games, &mut |_, _| moves += 1);
        plan.moves = moves;
        plan
    }

    /// Shows the moves with their numbers from 0.
    fn show(&self, games: &Games, look: &mut dyn FnMut(u64, &Example<'_>)) {
        let mut done = 0;
        for &(game, share, first) in &self.games {
            let count = |moves: usize| (share * moves as f64 + first).floor();
            games.replay(game, &mut |number, example| {
                if count(number + 1) > count(number) {
                    look(done, example);
                    done += 1;
                }
            });
        }
    }
}
