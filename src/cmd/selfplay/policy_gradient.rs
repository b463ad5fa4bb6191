//! `keima selfplay --method policy-gradient`: a policy learns from games of bare policies against a
//! pool of its earlier selves (REINFORCE with a baseline).
//!
//! An iteration plays games against one opponent of the pool, drawn at random, and makes one step of
//! the trainer with the learner's moves, each weighted by the result less the value that the network
//! expected. `RUN/train` is a training run with its checkpoints and metrics, `RUN/pool` has the
//! opponents, numbered by the iteration at which they joined over `pool_every`, and `RUN/games` the
//! games as tables, which `keima train` reads. An iteration depends on the seed and its number
//! alone, so a run resumes where it was.

use std::iter;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::super::device::evaluating_threads;
use super::super::interrupts::stop_flag;
use super::super::train::{first_net, refuse_other_game, refuse_other_sizes};
use super::SelfplayArguments;
use crate::console::{counted, say, tell};
use crate::files;
use crate::go::{BoardSize, Komi, Rules};
use crate::nn::backend::{self, Precision};
use crate::selfplay::policy_params::PolicyGradientParams;
use crate::train::engine::Site;
use crate::train::run::settings::{Plan, RunManifest, Settings, origin};
use crate::train::run::stepwise::Stepwise;
use crate::train::run::{self, InitialState, Run};

mod games;
mod learning;
mod manifest;
mod pool;

use learning::Learning;
use manifest::Manifest;
use pool::Pool;

/// The rules of the games: stones are counted as they stand after two passes.
const RULES: Rules = Rules::TROMP_TAYLOR;
/// Iterations of a run, if not given.
const ITERATIONS: u64 = 1000;

pub fn run(arguments: &SelfplayArguments, params: &PolicyGradientParams) -> Result<ExitCode> {
    let begin = Instant::now();
    let folder = &arguments.run;
    let run = opened(arguments, params)?;
    let manifest = Manifest::read(folder)?;
    let device = arguments.device;
    let backend = backend::open(
        device.device.unwrap_or_default(),
        device.precision.unwrap_or(Precision::F32),
    )?
    .backend;
    let threads = evaluating_threads(arguments.threads, &backend);
    let site = Site::open(
        device.device.unwrap_or_default(),
        device.precision.unwrap_or_default(),
        threads,
        &mut |text| {
            tell(format_args!("{text}"));
        },
    )?;
    let stop = stop_flag("ending after this iteration", || ())?;
    let stepwise = Stepwise::open(&run, &site, &mut |text| tell(format_args!("{text}")))?;
    let confirmed = stepwise.steps() / u64::from(params.pool_every);
    if stepwise.steps() > 0 {
        let done = counted(stepwise.steps() as usize, "iteration");
        tell(format_args!("going on after {done}"));
    }
    let mut learning = Learning {
        folder,
        params,
        manifest: &manifest,
        stepwise,
        pool: Pool::open(folder, confirmed)?,
        backend,
        stop: &stop,
        games: Vec::new(),
        since_pool: Default::default(),
    };
    let until = arguments
        .max_seconds
        .and_then(|seconds| begin.checked_add(Duration::from_secs_f64(seconds)));
    let iterations = arguments.iterations.unwrap_or(ITERATIONS);
    learning.go_on(iterations, until)?;
    if learning.stepwise.steps() >= iterations && !stop.load(Ordering::Relaxed) {
        learning.compare()?;
    }
    let steps = counted(learning.stepwise.steps() as usize, "iteration");
    let net = run.path().join("net-last.safetensors");
    say(format_args!("{steps}: {}", net.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// Whether a folder is a run of policy gradients.
pub fn is_run(folder: &Path) -> bool {
    files::exists(&folder.join(manifest::FILE))
}

/// The training run, made from the initial network if there is none yet.
fn opened(arguments: &SelfplayArguments, params: &PolicyGradientParams) -> Result<Run> {
    let (folder, path) = (&arguments.run, arguments.run.join("train"));
    let size = size(&arguments.sizes)?;
    let origin = arguments.model.as_deref().map(|model| origin("net", model));
    if run::exists(&path) {
        ensure!(
            is_run(folder),
            "{} is a run of games with searches: choose another folder",
            folder.display()
        );
        let wanted = Manifest::new(size, arguments.komi, params, arguments.seed);
        Manifest::read(folder)?.check(folder, &wanted)?;
        let run = Run::open(&path)?;
        let begun = &run.settings().origin;
        ensure!(
            origin.is_none_or(|origin| origin == *begun),
            "{} was begun with {begun}, which cannot be changed",
            folder.display()
        );
        return Ok(run);
    }
    let model = arguments.model.as_ref().context(
        "--model is needed: the network to begin with, from `keima train` or `keima net new`",
    )?;
    let net = first_net(model)?;
    refuse_other_game(&net, model)?;
    refuse_other_sizes(net.only_size(), iter::once(size), model.display())?;
    let mut settings = Settings::of_net(&net, model)?;
    settings.seed = arguments.seed;
    settings.rate = params.rate;
    settings.warmup = 0;
    settings.average_half_life = 20_000;
    settings
        .losses
        .insert("outcome".to_owned(), params.value_weight);
    settings.losses.insert("siblings".to_owned(), 0.0);
    settings.fit(&net);
    files::make_folder(folder)?;
    Manifest::new(size, arguments.komi, params, arguments.seed).write(folder)?;
    let plan = Plan::default();
    let initial = InitialState { net, state: None };
    Run::create(&path, &RunManifest { settings, plan }, &initial)
}

/// The only board size.
fn size(sizes: &[String]) -> Result<BoardSize> {
    let [text] = sizes else {
        bail!("--method policy-gradient learns on one board size, for example --sizes 9");
    };
    let side = text.parse().ok();
    let size = side.and_then(|side: usize| BoardSize::new(side, side));
    size.with_context(|| format!("'{text}' is no side of a square board"))
}

/// Komi for the games.
fn komi_of(komi: Option<Komi>) -> Komi {
    komi.unwrap_or_else(|| RULES.usual_komi())
}
