//! `keima train`: trains a network on labels or on recorded games.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::{ValueEnum, value_parser};

use records::RecordArguments;

use super::interrupts::stop_flag;
use super::settings::{self, positive_seconds};
use super::train_progress::Progress;
use crate::console::{say, tell};
use crate::data::boards::Sides;
use crate::nn::backend::{DeviceChoice, Precision};
use crate::threads::cores;
use crate::train::engine::Site;
use crate::train::run;
use crate::train::run::session::{self, Limits};

mod changes;
mod opening;
mod records;

use opening::{begun, resumed};
pub(super) use opening::{first_net, refuse_other_game, refuse_other_sizes};

/// Train a network on labels or on recorded games
///
/// A run is a folder. The same command resumes a run that has ended for any reason; options that
/// are not given keep their values. An interrupt ends a run after the current step.
#[derive(clap::Args)]
pub struct TrainArguments {
    /// Folder of the run
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// Folders of labels, as made by `keima label`; new shards are found when an epoch begins. Also
    /// game records (.sgf), tables (.tsv), both also with .gz, and folders of them: then the network
    /// learns the moves played and the results, without a teacher
    #[arg(long, value_name = "DATA", num_args = 1..)]
    data: Vec<PathBuf>,

    /// Architecture of a new network, such as b6c96, b4c64a2, b4c64ch2, b7c96tf, seed-9x9 or
    /// hu-9x9; by default b4c64. With --init, that of NET, optionally with blocks added, which have no
    /// effect at first
    #[arg(long, value_name = "NAME", conflicts_with = "from")]
    arch: Option<String>,

    /// Begin with the parameters of a network: a checkpoint of this project, also with .gz, or a
    /// built-in one: `default` or `small`
    #[arg(long, value_name = "NET", conflicts_with = "from")]
    init: Option<PathBuf>,

    /// Begin with the state of another run or of one of its checkpoints, for example to decay its
    /// learning rate
    #[arg(long, value_name = "RUN")]
    from: Option<PathBuf>,

    /// Samples after which the run ends; by default at the end of the decay, and without one only when interrupted
    #[arg(long, value_name = "N")]
    samples: Option<u64>,

    /// Time limit of this process
    #[arg(long, value_name = "SECONDS", value_parser = positive_seconds, allow_negative_numbers = true)]
    max_seconds: Option<f64>,

    /// Threads; by default the number of cores
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Device: cpu, cuda (cuda:1 for the second GPU, cuda:0,cuda:1 for both), candle for the GPU code on the CPU, or
    /// auto for a GPU if there is one and the program was built for it
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: DeviceChoice,

    /// Number format of operands: f32, bf16, on CPUs also int16 (3x3 convolutions in 16-bit integers), on GPUs f16;
    /// auto is the fastest on the machine
    #[arg(long, value_name = "FORMAT", default_value = "auto")]
    precision: Precision,

    /// Seconds between checkpoints
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = value_parser!(u64).range(0..=1 << 32))]
    checkpoint_every: u64,

    /// Samples between lines of metrics
    #[arg(long, value_name = "N", default_value_t = 8192, value_parser = value_parser!(u64).range(1..))]
    log_every: u64,

    /// Folders of validation labels, or game records for validation; by default the games that
    /// --held-out leaves out of training
    #[arg(long, value_name = "DATA", num_args = 1..)]
    validate: Vec<PathBuf>,

    /// Samples between validations; by default 250000
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    validate_every: Option<u64>,

    /// Recorded games.
    #[command(flatten)]
    records: RecordArguments,

    /// Decay of the learning rate.
    #[command(flatten)]
    decay: DecayArguments,

    /// Fixed settings.
    #[command(flatten)]
    learning: LearningArguments,
}

/// Decay of the learning rate.
#[derive(clap::Args)]
struct DecayArguments {
    /// Samples after which the learning rate decays; by default such that the decay ends with
    /// --samples, or now
    #[arg(long, value_name = "N", requires = "decay_over")]
    decay_from: Option<u64>,

    /// Samples during which the learning rate falls to 0
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    decay_over: Option<u64>,
}

/// Settings that are fixed once a run has begun.
#[derive(clap::Args)]
struct LearningArguments {
    /// Random seed; by default 0
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Samples per step; by default 128
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=1 << 20))]
    batch: Option<u32>,

    /// Samples of one board size per batch; by default 16 or a divisor of the step
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=1 << 20))]
    micro_batch: Option<u32>,

    /// Optimizer; by default adamw
    #[arg(long, value_name = "NAME")]
    optimizer: Option<OptimizerName>,

    /// Learning rate; by default 0.0015 up to 64 channels, 0.001 above
    #[arg(long, value_name = "RATE", value_parser = number, allow_negative_numbers = true)]
    rate: Option<f64>,

    /// Samples of learning-rate warm-up; by default 100000
    #[arg(long, value_name = "N")]
    warmup: Option<u64>,

    /// Weight decay; by default 0.05
    #[arg(long, value_name = "RATE", value_parser = number, allow_negative_numbers = true)]
    weight_decay: Option<f64>,

    /// Half-life of the parameters' moving average in samples, by default 50000; a fiftieth of all samples so far where
    /// that is more, and never over a tenth of them
    #[arg(long, value_name = "N")]
    average_half_life: Option<u64>,

    /// Share weights that a symmetry of the board exchanges, so that the network is equivariant
    /// under symmetries; for convolutional networks that began so
    #[arg(long)]
    symmetric: bool,

    /// Share of samples that get another komi than their label has, by up to 10 points; by default 0. Only lead, score
    /// and ownership are learned from them, so the lead learns to fall by a point for each point of komi
    #[arg(long, value_name = "SHARE", value_parser = settings::from_to::<f64>(0.0, 1.0))]
    komi_shifts: Option<f64>,

    /// Board sizes to train on, by the longer side, such as 2-11; by default all
    #[arg(long, value_name = "FROM-TO")]
    sides: Option<Sides>,

    /// Weight of a loss, such as ownership=1.5; may be repeated. Losses: policy, soft_policy, opponent, human,
    /// outcome, siblings, lead, score_mean, score_stdev, variance_time, shortterm_value, shortterm_score, ownership
    #[arg(long = "loss", value_name = "NAME=WEIGHT", value_parser = loss)]
    losses: Vec<(String, f64)>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum OptimizerName {
    /// Adam with decoupled weight decay
    Adamw,
    /// Muon for the matrices of the trunk, AdamW for the rest
    Muon,
}

fn number(text: &str) -> Result<f64, String> {
    let number = text
        .parse()
        .ok()
        .filter(|n: &f64| n.is_finite() && *n >= 0.0);
    number.ok_or_else(|| "not a number from 0 on".to_owned())
}

fn loss(text: &str) -> Result<(String, f64), String> {
    let (name, weight) = text.split_once('=').ok_or("not of the form NAME=WEIGHT")?;
    Ok((name.to_owned(), number(weight)?))
}

pub fn run(arguments: &TrainArguments) -> Result<ExitCode> {
    let begin = Instant::now();
    let threads = arguments.threads.map_or_else(cores, usize::from);
    let site = Site::open(
        arguments.device,
        arguments.precision,
        threads,
        &mut |text| {
            tell(format_args!("{text}"));
        },
    )?;
    let run = match run::exists(&arguments.run) {
        true => resumed(arguments)?,
        false => begun(arguments)?,
    };
    let stop = stop_flag("ending after this step", || ())?;
    let limits = Limits {
        site: &site,
        threads,
        until: arguments
            .max_seconds
            .and_then(|seconds| begin.checked_add(Duration::from_secs_f64(seconds))),
        checkpoint_every: Duration::from_secs(arguments.checkpoint_every),
        log_every: arguments.log_every,
        stop: &stop,
    };
    let settings = run.settings();
    tell(format_args!(
        "{}: {}, {}, steps of {} samples, {site}",
        run.path().display(),
        settings.arch,
        settings.optimizer,
        settings.batch
    ));
    let mut progress = Progress::new(run.plan().samples, run.samples()?, limits.until);
    let ended = session::train(&run, limits, &mut |event| progress.see(&event));
    progress.finish();
    let (samples, ending) = ended?;
    let net = run.path().join("net.safetensors");
    say(format_args!(
        "{samples} samples, {ending}: {}",
        net.display()
    ))?;
    Ok(ExitCode::SUCCESS)
}
