//! `keima selfplay`: games of a network against itself, as training data, or against its earlier
//! selves, to learn by policy gradients.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::{ValueEnum, value_parser};
use indicatif::{ProgressBar, ProgressStyle};

use super::device::{DeviceArguments, default_batch, evaluating_threads};
use super::interrupts::stop_flag;
use super::settings::{listed, positive_seconds, set_all};
use super::train::refuse_other_sizes;
use crate::console::{counted, say, tell};
use crate::data::generations::PREFIX;
use crate::data::plan::SizeMix;
use crate::files;
use crate::go::Komi;
use crate::nn::backend::Backend;
use crate::nn::cache::EvalCache;
use crate::nn::evaluator::NetSettings;
use crate::nn::network::{Network, stored_bytes};
use crate::params::Parameters;
use crate::selfplay::human_games::HumanGames;
use crate::selfplay::initial_evaluator::InitialEvaluator;
use crate::selfplay::nets::{Generation, Nets, PlayerIdentity};
use crate::selfplay::params::SelfplayParams;
use crate::selfplay::parts::PartLimits;
use crate::selfplay::policy_params::PolicyGradientParams;
use crate::selfplay::worker::{self, Done, Job};
use crate::threads::locked;
use crate::train::nets::{CurrentNet, current};

pub(super) mod policy_gradient;

/// Seconds between checks for a new network.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// Size of the evaluation cache in bytes.
const CACHE_BYTES: usize = 128 << 20;
/// Rollouts per evaluation without a network.
const ROLLOUTS: u32 = 4;

/// Play a network against itself to make training data
///
/// A run is a folder. Any number of processes, each with its own name, may play for one. The
/// network is the run's newest (nets/current.json), which is checked for updates regularly; before
/// there is one, a rollout player is used. Games and labels go to RUN/games, which `keima train
/// --data` reads.
#[derive(clap::Args)]
pub struct SelfplayArguments {
    /// Folder of the run
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// How the network learns: from games with searches, which `keima train` reads, or by policy
    /// gradients (REINFORCE) from games of the bare policy against a pool of its earlier selves, in
    /// this process: see docs/literature.md
    #[arg(long, value_name = "NAME", default_value = "search")]
    method: Method,

    /// With policy gradients: steps after which the run ends; by default 1000
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    iterations: Option<u64>,

    /// With policy gradients: komi of the games; by default 7.5
    #[arg(long, value_name = "POINTS", value_parser = super::settings::komi, allow_negative_numbers = true)]
    komi: Option<Komi>,

    /// Network that plays, a file, default or small, instead of the run's newest; with policy gradients the one to
    /// begin with
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,

    /// Name of this process, unique in the run; by default w0
    #[arg(long, value_name = "NAME")]
    worker_id: Option<String>,

    /// Maximal number of games to start; by default no limit
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    games: Option<u64>,

    /// Time after which no games are started
    #[arg(long, value_name = "SECONDS", value_parser = positive_seconds, allow_negative_numbers = true)]
    max_seconds: Option<f64>,

    /// Games at the same time, each on a thread; by default the number of cores, and more on a GPU,
    /// which evaluates positions of many games together
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Board sizes with their weights, as in 19:50,13:15,9x7:1; by default all from 7 to 19
    #[arg(long, value_name = "SIZE:SHARE,...", value_delimiter = ',')]
    sizes: Vec<String>,

    /// Human games (SGF, tables, folders of them): some self-play games start from their positions
    #[arg(long, value_name = "GAMES", num_args = 1..)]
    starts: Vec<PathBuf>,

    /// Random seed; it belongs to the folder of games, so keep it for all generations
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Number of labels after which games are joined into a part; by default 4096
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=1 << 15))]
    part: Option<u32>,

    /// Seconds after which they are joined in any case; by default 600
    #[arg(long, value_name = "SECONDS", value_parser = value_parser!(u64).range(0..=1 << 32))]
    part_seconds: Option<u64>,

    /// A setting of games and labels, for example visits=100; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", long_help = parameters())]
    settings: Vec<String>,

    /// Device and number format.
    #[command(flatten)]
    device: DeviceArguments,
}

/// How a network learns from games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Method {
    /// Games with searches
    Search,
    /// Games of the bare policy
    PolicyGradient,
}

/// The long help of `--set`.
fn parameters() -> String {
    format!(
        "How games are played and learned from; may be repeated\n{}\n\nWith --method policy-gradient:\n{}",
        listed(&SelfplayParams::default().list()),
        listed(&PolicyGradientParams::default().list())
    )
}

pub fn run(arguments: &SelfplayArguments) -> Result<ExitCode> {
    let begin = Instant::now();
    check_options(arguments)?;
    match arguments.method {
        Method::Search => play(arguments, begin),
        Method::PolicyGradient => {
            let mut params = PolicyGradientParams::default();
            set_all(&mut params, &arguments.settings)?;
            policy_gradient::run(arguments, &params)
        }
    }
}

/// Refuses options that mean nothing to the method, and a run of policy gradients where games are searched.
fn check_options(arguments: &SelfplayArguments) -> Result<()> {
    if arguments.method == Method::PolicyGradient {
        let given = [
            ("--games", arguments.games.is_some()),
            ("--starts", !arguments.starts.is_empty()),
            ("--worker-id", arguments.worker_id.is_some()),
            ("--part", arguments.part.is_some()),
            ("--part-seconds", arguments.part_seconds.is_some()),
        ];
        if let Some((option, _)) = given.iter().find(|(_, is_given)| *is_given) {
            bail!(
                "{option} has no effect with --method policy-gradient: see --iterations and --set \
                 games"
            );
        }
        return Ok(());
    }
    ensure!(
        arguments.iterations.is_none() && arguments.komi.is_none(),
        "--iterations and --komi have an effect with --method policy-gradient only"
    );
    ensure!(
        !policy_gradient::is_run(&arguments.run),
        "{} is a run of policy gradients: choose another folder, or give --method policy-gradient",
        arguments.run.display()
    );
    Ok(())
}

/// Plays games with searches, until they are enough or the time since `begin` is over.
fn play(arguments: &SelfplayArguments, begin: Instant) -> Result<ExitCode> {
    let mut params = SelfplayParams::default();
    set_all(&mut params, &arguments.settings)?;
    let sizes = match arguments.sizes.is_empty() {
        true => SizeMix::default(),
        false => SizeMix::parse(&arguments.sizes)?,
    };
    let human_games = match arguments.starts.is_empty() {
        true => HumanGames::default(),
        false => HumanGames::read(&arguments.starts)?,
    };
    let backend = arguments.device.open()?.backend;
    let threads = evaluating_threads(arguments.threads, &backend);
    let conditions = Conditions {
        backend,
        threads,
        sizes: sizes.clone(),
    };
    let nets = RunNets::open(arguments, conditions)?;
    let stop = stop_flag("ending; games in progress are given up", || ())?;
    let job = Job {
        run: &arguments.run,
        worker: arguments.worker_id.as_deref().unwrap_or("w0"),
        params: &params,
        sizes: &sizes,
        human_games: &human_games,
        seed: arguments.seed,
        threads,
        games: arguments.games,
        until: arguments
            .max_seconds
            .and_then(|seconds| begin.checked_add(Duration::from_secs_f64(seconds))),
        parts: PartLimits {
            labels: arguments.part.unwrap_or(4096) as usize,
            age: Duration::from_secs(arguments.part_seconds.unwrap_or(600)),
        },
        stop: &stop,
    };
    let bar = progress(arguments.games);
    let done = worker::work(&job, &nets, &|done| {
        bar.set_position(done.games);
        bar.set_message(format!("{} labels", done.labels));
    });
    bar.finish_and_clear();
    let Done {
        games,
        moves,
        labels,
    } = done?;
    let seconds = begin.elapsed().as_secs_f64();
    let rate = 3600.0 * games as f64 / seconds.max(1e-3);
    let games = counted(games as usize, "game");
    let moves = counted(moves as usize, "move");
    let labels = counted(labels as usize, "label");
    say(format_args!(
        "{games} with {moves} searched and {labels}, {rate:.0} games an hour"
    ))?;
    Ok(ExitCode::SUCCESS)
}

fn progress(games: Option<u64>) -> ProgressBar {
    let template = "{spinner} {human_pos} games, {msg}, {per_sec}, {elapsed} past";
    let style = ProgressStyle::with_template(template).expect("the template is valid");
    let bar = match games {
        Some(games) => ProgressBar::new(games),
        None => ProgressBar::no_length(),
    };
    bar.with_style(style)
}

/// What networks must be able to play in.
struct Conditions {
    backend: Backend,
    threads: usize,
    sizes: SizeMix,
}

/// Source of a run's networks, which caches the newest.
struct RunNets {
    run: PathBuf,
    conditions: Conditions,
    /// Whether a fixed network is used instead of the run's.
    is_fixed: bool,
    newest: Mutex<Newest>,
}

struct Newest {
    generation: Arc<Generation>,
    checked: Instant,
    /// Error of the last check, if any.
    trouble: String,
}

impl RunNets {
    fn open(arguments: &SelfplayArguments, conditions: Conditions) -> Result<RunNets> {
        let generation = match &arguments.model {
            Some(file) => of_file(file, &conditions)?,
            None => match current(&arguments.run)? {
                Some(current) => of_run(&arguments.run, &current, &conditions)?,
                None => without_network(),
            },
        };
        tell(format_args!("playing with {}", generation.player.name));
        Ok(RunNets {
            run: arguments.run.clone(),
            conditions,
            is_fixed: arguments.model.is_some(),
            newest: Mutex::new(Newest {
                generation: Arc::new(generation),
                checked: Instant::now(),
                trouble: String::new(),
            }),
        })
    }

    /// The run's network, if it differs from the one playing.
    fn successor(&self, playing: &PlayerIdentity) -> Result<Option<Generation>> {
        match current(&self.run)? {
            Some(current) if folder(&current) != playing.folder => {
                of_run(&self.run, &current, &self.conditions).map(Some)
            }
            _ => Ok(None),
        }
    }
}

impl Nets for RunNets {
    /// If a new network cannot be read, the last one stays in use.
    fn newest(&self) -> Result<Arc<Generation>> {
        let mut newest = locked(&self.newest);
        if !self.is_fixed && newest.checked.elapsed() >= LOOK_EVERY {
            match self.successor(&newest.generation.player) {
                Ok(Some(generation)) => {
                    tell(format_args!("playing on with {}", generation.player.name));
                    newest.generation = Arc::new(generation);
                }
                Ok(None) => {}
                Err(error) => {
                    let trouble = format!("{error:#}");
                    if trouble != newest.trouble {
                        tell(format_args!("no new network: {trouble}"));
                    }
                    newest.trouble = trouble;
                }
            }
            newest.checked = Instant::now();
        }
        Ok(Arc::clone(&newest.generation))
    }
}

/// The player of generation 0: a search with rollouts.
fn without_network() -> Generation {
    Generation {
        player: PlayerIdentity {
            folder: format!("{PREFIX}0000"),
            name: "rollouts".to_owned(),
            sha256: String::new(),
        },
        evaluator: Box::new(EvalCache::new(
            InitialEvaluator::new(ROLLOUTS, 0),
            CACHE_BYTES,
        )),
    }
}

fn of_run(run: &Path, current: &CurrentNet, conditions: &Conditions) -> Result<Generation> {
    generation(&current.read(run)?, folder(current), conditions)
        .with_context(|| format!("{} cannot play", current.file))
}

/// Name of the folder for a net's games.
fn folder(net: &CurrentNet) -> String {
    format!("{PREFIX}{:04}", net.id)
}

fn of_file(file: &Path, conditions: &Conditions) -> Result<Generation> {
    let bytes = stored_bytes(file)?;
    let folder = format!("{PREFIX}{}", &files::sha256(&bytes)[..12]);
    generation(&bytes, folder, conditions)
        .with_context(|| format!("{} cannot play", file.display()))
}

fn generation(bytes: &[u8], folder: String, conditions: &Conditions) -> Result<Generation> {
    let Conditions {
        backend,
        threads,
        sizes,
    } = conditions;
    // Leela Zero nets cannot be used: they have one board size and no ownership.
    let net = Network::read_bytes(bytes)?.into_net()?;
    refuse_other_sizes(net.only_size(), sizes.sizes(), "it")?;
    let name = net.name.clone();
    let network = Network::KataGo(Box::new(net));
    let evaluator = network.evaluator(backend, NetSettings::default())?;
    let evaluator = match backend.prefers_batches() {
        true => evaluator.in_batches(default_batch(*threads, backend)),
        false => evaluator,
    };
    Ok(Generation {
        player: PlayerIdentity {
            folder,
            name,
            sha256: files::sha256(bytes),
        },
        evaluator: Box::new(EvalCache::new(evaluator, CACHE_BYTES)),
    })
}
