//! `keima learn`: networks for board games besides Go learn from recorded games, or from games against
//! themselves.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::{ValueEnum, value_parser};

use super::board_games::{GameTask, NAMES, with_game};
use super::interrupts::stop_flag;
use super::settings::{listed, positive_seconds, set_all};
use crate::console::{say, tell};
use crate::data::board_games::{described_inputs, inputs_for};
use crate::data::board_samples::Lessons;
use crate::files;
use crate::games::board_game::BoardGame;
use crate::games::network_inputs::NetworkInputs;
use crate::nn::arch::Arch;
use crate::nn::backend::{self, Backend, DeviceChoice, Precision};
use crate::nn::desc::GameInputs;
use crate::params::Parameters;
use crate::selfplay::params::BoardSelfplayParams;
use crate::threads::cores;
use crate::train::engine::Site;
use crate::train::model::Model;
use crate::train::run::settings::{Plan, RunManifest, Settings, origin};
use crate::train::run::stepwise::Stepwise;
use crate::train::run::{self, InitialState, Run, read_net};
use learner::Learner;

mod learner;
mod records;
mod selfplay;

/// Most samples of one board size that a thread computes at once.
const MICRO_BATCH: usize = 16;

/// Let a network learn a board game besides Go
///
/// A run is a folder. With --data the network learns the moves and results of recorded games, without --data
/// those of searches in games against itself, which the process plays in turn with learning (RUN/games). The
/// same command resumes a run; first --data, then without it, goes beyond the records. RUN/net.safetensors is
/// the network. Networks are equivariant under the symmetries of the board.
#[derive(clap::Args)]
pub struct LearnArguments {
    /// Folder of the run
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// The game: gomoku
    #[arg(long, value_name = "NAME")]
    game: String,

    /// Records (at gomoku .psq), games of other runs (.games), or folders of them
    #[arg(long, value_name = "GAMES", num_args = 1..)]
    data: Vec<PathBuf>,

    /// Architecture of a new network, such as b6c96; by default b4c64
    #[arg(long, value_name = "NAME", conflicts_with = "init")]
    arch: Option<String>,

    /// What a new network sees of a position, as gomoku-1 or gomoku-stones-1; by default that of its architecture, or all
    /// that the game has
    #[arg(long, value_name = "NAME", conflicts_with = "init")]
    inputs: Option<String>,

    /// Begin with the parameters of a network
    #[arg(long, value_name = "NET")]
    init: Option<PathBuf>,

    /// Samples after which the run ends
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    samples: Option<u64>,

    /// The last samples, during which the learning rate falls to 0
    #[arg(long, value_name = "N", requires = "samples")]
    decay_over: Option<u64>,

    /// Time after which no step is made
    #[arg(long, value_name = "SECONDS", value_parser = positive_seconds, allow_negative_numbers = true)]
    max_seconds: Option<f64>,

    /// Threads; by default the number of cores
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Device: cpu, cuda, or auto for a GPU if there is one and the program was built for it
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: DeviceChoice,

    /// Random seed of a new run; by default 0
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Samples per step of a new run; by default 128
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=1 << 16))]
    batch: Option<u32>,

    /// Learning rate of a new run; by default 0.002
    #[arg(long, value_name = "RATE")]
    rate: Option<f64>,

    /// Moves at the beginning of each record that are not learned: its opening
    #[arg(long, value_name = "N", default_value_t = 3, requires = "data")]
    opening: usize,

    /// Whose moves of records are learned
    #[arg(long, value_name = "WHOSE", default_value = "all", requires = "data")]
    imitate: Imitate,

    /// Fraction of the records held out for validation
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, requires = "data")]
    held_out: f64,

    /// Variants of games against itself with their shares, as in freestyle-15:70,renju:30
    #[arg(
        long,
        value_name = "NAME:SHARE,...",
        value_delimiter = ',',
        conflicts_with = "data"
    )]
    variants: Vec<String>,

    /// Games between two rounds of steps
    #[arg(long, value_name = "N", default_value_t = 64, conflicts_with = "data", value_parser = value_parser!(u32).range(1..=10_000))]
    games: u32,

    /// How often each position of games against itself is learned, on average
    #[arg(
        long,
        value_name = "TIMES",
        default_value_t = 8.0,
        conflicts_with = "data"
    )]
    reuse: f64,

    /// Newest positions of such games that steps draw from
    #[arg(
        long,
        value_name = "N",
        default_value_t = 100_000,
        conflicts_with = "data"
    )]
    window: usize,

    /// A setting of such games, for example visits=200; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", conflicts_with = "data", long_help = parameters())]
    settings: Vec<String>,
}

/// Whose moves are learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Imitate {
    /// Both players'
    All,
    /// The winner's
    Winner,
}

/// The long help of `--set`.
fn parameters() -> String {
    let settings = listed(&BoardSelfplayParams::default().list());
    format!("How games against itself are played; may be repeated\n{settings}")
}

pub fn run(arguments: &LearnArguments) -> Result<ExitCode> {
    arguments.check()?;
    let game = &arguments.game;
    // Of the others it is told that no network plays them.
    ensure!(
        NAMES.contains(&game.as_str()),
        "--game is gomoku, not '{}'; `keima train` trains networks for Go",
        game.escape_debug()
    );
    with_game(game, &Task(arguments))?;
    Ok(ExitCode::SUCCESS)
}

struct Task<'a>(&'a LearnArguments);

impl GameTask for Task<'_> {
    fn run<G: BoardGame>(&self) -> Result<()> {
        self.0.learn::<G>()
    }
}

impl LearnArguments {
    fn check(&self) -> Result<()> {
        ensure!(
            (0.0..1.0).contains(&self.held_out),
            "--held-out is a fraction from 0 to below 1"
        );
        ensure!(
            self.reuse > 0.0 && self.reuse <= 1000.0,
            "--reuse is a number above 0, up to 1000"
        );
        ensure!(self.window > 0, "--window is a number of positions");
        ensure!(
            self.rate.is_none_or(|rate| rate.is_finite() && rate > 0.0),
            "--rate is a number above 0"
        );
        Ok(())
    }

    fn learn<G: BoardGame>(&self) -> Result<()> {
        let begin = Instant::now();
        let mut params = BoardSelfplayParams::default();
        set_all(&mut params, &self.settings)?;
        let variants = self.variants::<G>()?;
        if let Some(missing) = self.data.iter().find(|path| !files::exists(path)) {
            bail!("there is no {}", missing.display());
        }
        // Before there is a run: one without anything to learn from would be left behind.
        let records = match self.data.is_empty() {
            true => None,
            false => Some(records::read::<G>(&self.data, self.opening, self.held_out)?),
        };
        let (run, inputs) = self.opened::<G>()?;
        let threads = self.threads.map_or_else(cores, usize::from);
        let mut remark = |text: String| tell(format_args!("{text}"));
        let site = Site::open(self.device, Precision::Auto, threads, &mut remark)?;
        let stop = stop_flag("ending after this step", || ())?;
        let stepwise = Stepwise::open(&run, &site, &mut remark)?;
        let until = self.max_seconds.map(Duration::from_secs_f64);
        let mut learner = Learner::<G> {
            stepwise,
            inputs,
            lessons: Lessons {
                result_share: params.result_share as f32,
                only_winners: self.imitate == Imitate::Winner,
            },
            seed: run.settings().seed,
            batch: run.settings().batch,
            micro_batch: run.settings().micro_batch,
            planned: run.plan().samples,
            until: until.and_then(|time| begin.checked_add(time)),
            stop: &stop,
            backend: self.backend()?,
            games: Vec::new(),
        };
        let ending = match records {
            Some(records) => records::learn(&mut learner, records)?,
            None => {
                let table = selfplay::Rounds {
                    folder: run.path().join("games"),
                    params: &params,
                    variants: &variants,
                    games: self.games,
                    reuse: self.reuse,
                    window: self.window,
                    threads,
                };
                selfplay::learn(&mut learner, &table)?
            }
        };
        learner.stepwise.save()?;
        say(format_args!(
            "{} samples, {ending}: {}",
            learner.stepwise.samples(),
            run.path().join("net.safetensors").display()
        ))
    }

    fn backend(&self) -> Result<Backend> {
        Ok(backend::open(self.device, Precision::Auto)?.backend)
    }

    /// The run, new or resumed, and how its network sees positions.
    fn opened<G: BoardGame>(&self) -> Result<(Run, NetworkInputs<G>)> {
        if run::exists(&self.run) {
            let mut run = Run::open(&self.run)?;
            let inputs = inputs_for::<G>(&run.initial()?)?;
            if let Some(wanted) = self.inputs.as_deref().filter(|it| *it != inputs.name) {
                bail!("the network of the run sees {}, not {wanted}", inputs.name);
            }
            self.refuse_changes(&run)?;
            let plan = self.plan(run.plan().clone())?;
            run.set_plan(plan)?;
            return Ok((run, inputs));
        }
        let (mut settings, net) = match &self.init {
            Some(path) => {
                let net = read_net(path)?;
                (Settings::of_net(&net, path)?, net)
            }
            None => {
                let name = self.arch.as_deref().unwrap_or("b4c64");
                let arch = Arch::named(name)?.for_game(&self.offered_inputs::<G>()?)?;
                let mut model = Model::init(&arch, self.seed.unwrap_or(0))?;
                model.make_symmetric()?;
                (Settings::new(&arch.name, arch.channels), model.net())
            }
        };
        let inputs = inputs_for::<G>(&net)?;
        settings.seed = self.seed.unwrap_or(0);
        settings.symmetric = true;
        settings.optimizer = "muon".to_owned();
        settings.rate = self.rate.unwrap_or(0.002);
        settings.batch = self.batch.unwrap_or(128) as usize;
        let divides = |size: &usize| settings.batch.is_multiple_of(*size);
        settings.micro_batch = (1..=MICRO_BATCH).rev().find(divides).unwrap_or(1);
        settings.warmup = 30_000;
        for loss in ["siblings", "lead", "score_stdev", "ownership"] {
            settings.losses.insert(loss.to_owned(), 0.0);
        }
        let plan = self.plan(Plan::default())?;
        let initial = InitialState { net, state: None };
        let run = Run::create(&self.run, &RunManifest { settings, plan }, &initial)?;
        Ok((run, inputs))
    }

    /// What a new network may see: all that the game has, or what is wanted.
    fn offered_inputs<G: BoardGame>(&self) -> Result<Vec<GameInputs>> {
        let mut offered = described_inputs::<G>()?;
        if let Some(wanted) = &self.inputs {
            let names: Vec<_> = offered.iter().map(|inputs| inputs.name.clone()).collect();
            offered.retain(|inputs| inputs.name == *wanted);
            ensure!(
                !offered.is_empty(),
                "there are no inputs {wanted}, but {}",
                names.join(", ")
            );
        }
        Ok(offered)
    }

    /// An error if options say otherwise than a run that exists.
    fn refuse_changes(&self, run: &Run) -> Result<()> {
        let settings = run.settings();
        let mut wanted = settings.clone();
        if let Some(arch) = &self.arch {
            wanted.arch.clone_from(arch);
        }
        if let Some(path) = &self.init {
            wanted.origin = origin("net", path);
        }
        wanted.seed = self.seed.unwrap_or(settings.seed);
        wanted.rate = self.rate.unwrap_or(settings.rate);
        wanted.batch = self.batch.map_or(settings.batch, |batch| batch as usize);
        run.refuse_changes(&wanted)
    }

    fn plan(&self, before: Plan) -> Result<Plan> {
        let decay = match (self.samples, self.decay_over) {
            (Some(samples), Some(over)) => {
                let start = samples.checked_sub(over);
                let start = start.context("--decay-over is longer than --samples")?;
                Some((start, samples))
            }
            (Some(_), None) => None,
            (None, _) => before.decay,
        };
        Ok(Plan {
            data: self.data.clone(),
            samples: self.samples.or(before.samples),
            decay,
            ..before
        })
    }

    /// Variants of games with their shares; without any the default one.
    fn variants<G: BoardGame>(&self) -> Result<Vec<(String, f64)>> {
        let share = |text: &String| -> Result<(String, f64)> {
            let (name, share) = text.rsplit_once(':').unwrap_or((text, "1"));
            let share = share
                .parse()
                .ok()
                .filter(|share: &f64| share.is_finite() && *share > 0.0);
            let share = share.with_context(|| format!("'{text}' is not of the form NAME:SHARE"))?;
            G::initial(Some(name))?;
            Ok((name.to_owned(), share))
        };
        let named: Vec<(String, f64)> = self.variants.iter().map(share).collect::<Result<_>>()?;
        if !named.is_empty() {
            return Ok(named);
        }
        // A title ends with the name of the variant.
        let title = G::initial(None)?.title();
        let name = title.rsplit(' ').next().unwrap_or_default();
        Ok(vec![(name.to_owned(), 1.0)])
    }
}
