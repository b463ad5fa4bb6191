//! `keima rollout-policy`: learns a policy of rollouts from game records, and tells how well it predicts moves.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, Subcommand};

use crate::console::say;
use crate::files;
use crate::games::rollout_policy::Weights;
use crate::games::rollout_policy::learning::{Judged, Learner};

mod moves;
mod train;

use moves::Games;
use train::TrainArguments;

/// Learn the moves of rollouts from game records, or test what was learned
///
/// Players take a policy that was learned by --rollout-weights (player rollout, or with --rollout-mix).
#[derive(Args)]
pub struct RolloutPolicyArguments {
    #[command(subcommand)]
    command: RolloutPolicyCommand,
}

#[derive(Subcommand)]
enum RolloutPolicyCommand {
    Train(TrainArguments),
    Test(TestArguments),
}

/// Tell how well a policy predicts the moves of game records
#[derive(Args)]
struct TestArguments {
    /// Policy; without it the built-in one
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,

    /// Games: SGF files, tables (.tsv), both also gzipped, folders of them
    #[arg(long, value_name = "PATH", num_args = 1.., required = true)]
    data: Vec<PathBuf>,

    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// Learns, or tests.
pub fn run(arguments: &RolloutPolicyArguments) -> Result<ExitCode> {
    match &arguments.command {
        RolloutPolicyCommand::Train(arguments) => train::run(arguments)?,
        RolloutPolicyCommand::Test(arguments) => test(arguments)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads the weights of a file.
pub(super) fn read_weights(file: &Path) -> Result<Weights> {
    let read = files::read_text(file).and_then(|text| Weights::from_json(&text));
    read.with_context(|| format!("cannot use {}", file.display()))
}

fn test(arguments: &TestArguments) -> Result<()> {
    let weights = match &arguments.policy {
        Some(file) => read_weights(file)?,
        None => Weights::built_in(),
    };
    let games = Games::read(&arguments.data)?;
    let mut learner = Learner::new(weights);
    let judged = judge(&mut learner, &games, &games.all());
    report(&judged, arguments.json)
}

/// How the policy sees all moves of these games.
fn judge(learner: &mut Learner, games: &Games, chosen: &[usize]) -> Judged {
    let mut judged = Judged::default();
    for &game in chosen {
        games.replay(game, &mut |_, example| judged.add(learner.judge(example)));
    }
    judged
}

/// Prints the figures of moves that were not learned from.
fn report(judged: &Judged, json: bool) -> Result<()> {
    let (own, uniform) = (judged.cross_entropy(), judged.uniform_cross_entropy());
    if json {
        let object = serde_json::json!({
            "moves": judged.moves,
            "accuracy": judged.accuracy(),
            "cross_entropy": own,
            "perplexity": own.exp(),
            "uniform_cross_entropy": uniform,
            "uniform_perplexity": uniform.exp(),
        });
        return say(format_args!("{object}"));
    }
    say(format_args!(
        "{} moves: the most probable one played {:.1} %, cross entropy {own:.3} nats, perplexity {:.1}\n\
         uniform: cross entropy {uniform:.3} nats, perplexity {:.1}",
        judged.moves,
        100.0 * judged.accuracy(),
        own.exp(),
        uniform.exp(),
    ))
}
