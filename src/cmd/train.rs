//! `keima train`: trains a network on labels or on recorded games.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::{ValueEnum, value_parser};

use records::RecordArguments;

use super::device::cores;
use super::interrupts::stop_flag;
use super::selfplay::policy_gradient;
use super::settings::positive_seconds;
use super::train_progress::Progress;
use crate::console::{say, tell};
use crate::data::boards::Sides;
use crate::data::stream::files_of;
use crate::files;
use crate::files::difference::difference;
use crate::nn::arch::Arch;
use crate::nn::backend::{DeviceChoice, Precision};
use crate::nn::checkpoint;
use crate::nn::desc::Net;
use crate::nn::network::{Network, is_built_in};
use crate::train::engine::Site;
use crate::train::growth::add_blocks;
use crate::train::model::Model;
use crate::train::run::session::{self, Limits};
use crate::train::run::settings::{Plan, RunManifest, Settings};
use crate::train::run::{self, InitialState, Origin, Run, checkpoint as state_file};

mod records;

/// Default samples between validations.
const VALIDATE_EVERY: u64 = 250_000;

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

    /// Begin with the parameters of a network: a checkpoint of this project, or a built-in one:
    /// `default` or `small`
    #[arg(long, value_name = "NET", conflicts_with = "from")]
    init: Option<PathBuf>,

    /// Begin with the state of another run or of one of its checkpoints, for example to decay its
    /// learning rate
    #[arg(long, value_name = "RUN")]
    from: Option<PathBuf>,

    /// Samples after which the run ends; by default at the end of the decay
    #[arg(long, value_name = "N")]
    samples: Option<u64>,

    /// Time limit of this process
    #[arg(long, value_name = "SECONDS", value_parser = positive_seconds, allow_negative_numbers = true)]
    max_seconds: Option<f64>,

    /// Threads; by default the number of cores
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Device: cpu, cuda (cuda:1 for the second GPU, cuda:0,cuda:1 for both), candle for the GPU code on the CPU, or auto
    /// for a GPU if there is one and the program was built for it
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

    /// Half-life in samples of the parameters' moving average, at least; by default 50000
    #[arg(long, value_name = "N")]
    average_half_life: Option<u64>,

    /// Share weights that a symmetry of the board exchanges, so that the network is equivariant
    /// under symmetries; for convolutional networks that began so
    #[arg(long)]
    symmetric: bool,

    /// Board sizes to train on, by the longer side, such as 2-11; by default all
    #[arg(long, value_name = "FROM-TO")]
    sides: Option<Sides>,

    /// Weight of a loss, such as ownership=1.5; may be repeated
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
    let run = match run::exists(&arguments.run) {
        true => resumed(arguments)?,
        false => begun(arguments)?,
    };
    let threads = arguments.threads.map_or_else(cores, usize::from);
    let site = Site::open(
        arguments.device,
        arguments.precision,
        threads,
        &mut |text| {
            tell(format_args!("{text}"));
        },
    )?;
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

fn resumed(arguments: &TrainArguments) -> Result<Run> {
    let mut run = Run::open(&arguments.run)?;
    refuse_other_game(&run.initial()?, run.path())?;
    if let Some(parent) = run.path().parent()
        && policy_gradient::is_run(parent)
    {
        let parent = parent.display();
        bail!(
            "{parent} learns by policy gradients: go on with `keima selfplay {parent} --method policy-gradient`"
        );
    }
    let mut wanted = run.settings().clone();
    arguments.apply(&mut wanted);
    // Numbers may change slightly in JSON.
    let wanted: Settings = serde_json::from_str(&serde_json::to_string(&wanted)?)?;
    if let Some(difference) = difference(run.settings(), &wanted)? {
        let path = run.path().display();
        bail!("{path} was begun otherwise, which cannot be changed: {difference}");
    }
    let plan = arguments.plan(run.plan().clone(), run.samples()?)?;
    records::refuse_useless(&arguments.records, &arguments.data)?;
    let plan = records::imported(&arguments.run, plan, run.settings().seed)?;
    run.set_plan(plan)?;
    Ok(run)
}

fn begun(arguments: &TrainArguments) -> Result<Run> {
    let (mut settings, plan, initial) = match (&arguments.init, &arguments.from) {
        (Some(net), _) => of_net(net, arguments)?,
        (_, Some(origin)) => of_run(origin)?,
        _ => new(arguments)?,
    };
    if let Some(path) = arguments.init.as_ref().or(arguments.from.as_ref()) {
        refuse_other_game(&initial.net, path)?;
    }
    settings.fit(&initial.net);
    let (arch, optimizer) = (settings.arch.clone(), settings.optimizer.clone());
    arguments.apply(&mut settings);
    ensure!(
        arguments.from.is_none() || settings.optimizer == optimizer,
        "the optimizer of this run is {optimizer} and cannot be changed"
    );
    settings.arch = arch;
    let samples = initial
        .state
        .as_ref()
        .map_or(0, |state| state.counters.samples);
    let plan = arguments.plan(plan, samples)?;
    ensure!(
        !plan.data.is_empty(),
        "--data is needed: folders of labels, or game records"
    );
    records::refuse_useless(&arguments.records, &arguments.data)?;
    let plan = records::imported(&arguments.run, plan, settings.seed)?;
    files_of(&plan.data)?;
    files_of(&plan.validate)?;
    Run::create(&arguments.run, &RunManifest { settings, plan }, &initial)
}

/// An error if a network is not for Go.
pub(super) fn refuse_other_game(net: &Net, path: &Path) -> Result<()> {
    if let Some(inputs) = &net.game_inputs {
        let (path, inputs) = (path.display(), &inputs.name);
        bail!("{path} is for another game, with the inputs {inputs}: see `keima learn`");
    }
    Ok(())
}

/// A new run with random parameters.
fn new(arguments: &TrainArguments) -> Result<(Settings, Plan, InitialState)> {
    let arch = Arch::named(arguments.arch.as_deref().unwrap_or("b4c64"))?;
    let settings = Settings::new(&arch.name, arch.channels);
    let seed = arguments.learning.seed.unwrap_or(settings.seed);
    let mut model = Model::init(&arch, seed)?;
    if arguments.learning.symmetric {
        model.make_symmetric()?;
    }
    let net = model.net();
    Ok((settings, Plan::default(), InitialState { net, state: None }))
}

/// A new run with the parameters of a net.
fn of_net(path: &Path, arguments: &TrainArguments) -> Result<(Settings, Plan, InitialState)> {
    let mut net = match is_built_in(path) {
        true => Network::read_file(path)?.into_net()?,
        false => run::read_net(path)?,
    };
    let name = net.name.split("-s").next().unwrap_or_default();
    let mut settings = Settings::new(name, net.trunk.initial_conv.outputs);
    settings.origin = origin("net", path);
    let digest = files::sha256(&checkpoint::write_bytes(&net)?);
    settings.origin_details = format!("{}, SHA-256 {digest}", net.name);
    let arch = arguments.arch.as_deref().filter(|arch| *arch != name);
    if let Some(arch) = arch {
        let arch = Arch::named(arch)?;
        let LearningArguments {
            seed, symmetric, ..
        } = arguments.learning;
        net = add_blocks(&net, &arch, seed.unwrap_or(settings.seed), symmetric)?;
        settings.arch = arch.name;
    }
    Ok((settings, Plan::default(), InitialState { net, state: None }))
}

/// A branch of another run from a checkpoint.
fn of_run(path: &Path) -> Result<(Settings, Plan, InitialState)> {
    let found = run::read_origin(path, &mut |text| tell(format_args!("{text}")))?;
    let Origin {
        manifest,
        mut initial,
        file,
    } = found;
    state_file::mark(&file)?;
    let mut settings = manifest.settings;
    settings.origin = origin("run", path);
    if let Some(state) = &mut initial.state {
        let samples = state.counters.samples;
        settings.origin_details = format!("{samples} samples, {}", file.display());
        state.counters.epoch += 1;
        state.counters.given = 0;
    }
    let plan = Plan {
        samples: None,
        decay: None,
        ..manifest.plan
    };
    Ok((settings, plan, initial))
}

fn origin(what: &str, path: &Path) -> String {
    format!("{what} {}", path.display())
}

impl TrainArguments {
    /// Changes the given settings.
    fn apply(&self, settings: &mut Settings) {
        let learning = &self.learning;
        let set = |field: &mut u64, given: Option<u64>| *field = given.unwrap_or(*field);
        set(&mut settings.seed, learning.seed);
        set(&mut settings.warmup, learning.warmup);
        set(&mut settings.average_half_life, learning.average_half_life);
        let set = |field: &mut f64, given: Option<f64>| *field = given.unwrap_or(*field);
        set(&mut settings.rate, learning.rate);
        set(&mut settings.weight_decay, learning.weight_decay);
        if let Some(batch) = learning.batch {
            settings.batch = batch as usize;
            let default = Settings::new("", 0).micro_batch;
            settings.micro_batch = common_divisor(settings.batch, default);
        }
        if let Some(micro_batch) = learning.micro_batch {
            settings.micro_batch = micro_batch as usize;
        }
        if let Some(optimizer) = learning.optimizer {
            settings.optimizer = match optimizer {
                OptimizerName::Adamw => "adamw",
                OptimizerName::Muon => "muon",
            }
            .to_owned();
        }
        settings.losses.extend(learning.losses.iter().cloned());
        settings.symmetric |= learning.symmetric;
        settings.sides = learning.sides.or(settings.sides);
        if let Some(arch) = &self.arch {
            settings.arch = arch.clone();
        }
        let origins = [("net", &self.init), ("run", &self.from)];
        for (what, path) in origins {
            if let Some(path) = path {
                settings.origin = origin(what, path);
            }
        }
    }

    /// The plan of a run after this many samples.
    fn plan(&self, before: Plan, samples: u64) -> Result<Plan> {
        let DecayArguments {
            decay_from,
            decay_over,
        } = self.decay;
        // Absolute, so that a run can be resumed from any folder.
        let given = |folders: &[PathBuf], before: Vec<PathBuf>| match folders {
            [] => Ok(before),
            given => given.iter().map(std::path::absolute).collect(),
        };
        let mut plan = Plan {
            data: given(&self.data, before.data)?,
            samples: self.samples.or(before.samples),
            decay: before.decay,
            validate: given(&self.validate, before.validate)?,
            validate_every: match (self.validate_every, before.validate_every) {
                (Some(every), _) => every,
                (None, 0) => VALIDATE_EVERY,
                (None, every) => every,
            },
            records: self.records.over(before.records),
        };
        if let Some(over) = decay_over {
            let start = match (decay_from, self.samples, before.decay) {
                (Some(start), _, _) => start,
                (_, Some(all), _) => all.checked_sub(over).context(
                    "the rate cannot take more samples to fall than the run has: see --samples",
                )?,
                (_, _, Some((start, _))) => start,
                _ => samples,
            };
            let end = start
                .checked_add(over)
                .context("--decay-over is too long")?;
            plan.decay = Some((start, end));
            plan.samples = Some(self.samples.unwrap_or(end));
        }
        if let (Some(all), Some((_, end))) = (plan.samples, plan.decay) {
            ensure!(
                all <= end || self.decay.decay_over.is_some(),
                "the learning rate is 0 from {end} samples on: let it fall anew by --decay-over, or begin another run with --from"
            );
        }
        Ok(plan)
    }
}

fn common_divisor(one: usize, other: usize) -> usize {
    match other {
        0 => one,
        other => common_divisor(other, one % other),
    }
}
