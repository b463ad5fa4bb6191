//! Runs of `keima train`: resumed, or begun with random parameters, with those of a network, or from another run.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};

use super::super::selfplay::policy_gradient;
use super::{LearningArguments, TrainArguments, records};
use crate::console::tell;
use crate::data::stream::{Stream, StreamSettings, files_of};
use crate::go::BoardSize;
use crate::nn::arch::Arch;
use crate::nn::desc::Net;
use crate::nn::network::{Network, is_built_in};
use crate::train::growth::add_blocks;
use crate::train::model::Model;
use crate::train::run::settings::{Plan, RunManifest, Settings, origin};
use crate::train::run::{self, InitialState, Origin, Run, checkpoint as state_file};

pub(super) fn resumed(arguments: &TrainArguments) -> Result<Run> {
    let mut run = Run::open(&arguments.run)?;
    let net = run.initial()?;
    refuse_other_game(&net, run.path())?;
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
    run.refuse_changes(&wanted)?;
    let plan = arguments.plan(run.plan().clone(), run.samples()?)?;
    records::refuse_useless(&arguments.records, &arguments.data)?;
    let plan = records::imported(&arguments.run, plan, run.settings().seed)?;
    check_labels(&plan, run.plan(), run.settings(), net.only_size())?;
    run.set_plan(plan)?;
    Ok(run)
}

/// What a new run begins with.
struct Beginning {
    settings: Settings,
    plan: Plan,
    initial: InitialState,
    /// The checkpoint of another run that it is from.
    checkpoint: Option<PathBuf>,
}

impl Beginning {
    /// With a net alone.
    fn of_net(settings: Settings, net: Net) -> Beginning {
        Beginning {
            settings,
            plan: Plan::default(),
            initial: InitialState { net, state: None },
            checkpoint: None,
        }
    }
}

pub(super) fn begun(arguments: &TrainArguments) -> Result<Run> {
    let Beginning {
        mut settings,
        plan,
        initial,
        checkpoint,
    } = match (&arguments.init, &arguments.from) {
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
    // A folder that is begun fixes its settings, so what cannot be learned from is found before.
    let only_size = initial.net.only_size();
    check_labels(&plan, &Plan::default(), &settings, only_size)?;
    let run = Run::create(&arguments.run, &RunManifest { settings, plan }, &initial)?;
    if let Some(Err(error)) = checkpoint.as_deref().map(state_file::mark) {
        tell(format_args!(
            "the other run will remove this checkpoint when it has newer ones: {error:#}"
        ));
    }
    Ok(run)
}

/// An error if labels that are new in a plan cannot be used, or those to learn from are gone, before the plan before is
/// given up.
fn check_labels(
    plan: &Plan,
    before: &Plan,
    settings: &Settings,
    only_size: Option<BoardSize>,
) -> Result<()> {
    if plan.validate != before.validate {
        files_of(&plan.validate)?;
    }
    if plan.data != before.data || files_of(&plan.data)?.is_empty() {
        let learned = StreamSettings {
            batch: settings.micro_batch,
            boards: settings.boards(only_size),
            ..StreamSettings::default()
        };
        Stream::open(&plan.data, learned)?;
    }
    Ok(())
}

/// An error if a network is not for Go.
pub fn refuse_other_game(net: &Net, path: &Path) -> Result<()> {
    if let Some(inputs) = &net.game_inputs {
        let (path, inputs) = (path.display(), &inputs.name);
        bail!("{path} is for another game, with the inputs {inputs}: see `keima learn`");
    }
    Ok(())
}

/// An error if a network that plays on one size `only` is to play on others; `who` names it.
pub fn refuse_other_sizes(
    only: Option<BoardSize>,
    mut sizes: impl Iterator<Item = BoardSize>,
    who: impl Display,
) -> Result<()> {
    match only {
        Some(only) if sizes.any(|size| size != only) => {
            bail!("{who} plays on {only} only: see --sizes")
        }
        _ => Ok(()),
    }
}

/// A new run with random parameters.
fn new(arguments: &TrainArguments) -> Result<Beginning> {
    let arch = Arch::named(arguments.arch.as_deref().unwrap_or("b4c64"))?;
    let settings = Settings::new(&arch.name, arch.channels);
    let seed = arguments.learning.seed.unwrap_or(settings.seed);
    let mut model = Model::init(&arch, seed)?;
    if arguments.learning.symmetric {
        model.make_symmetric()?;
    }
    let net = model.net();
    refuse_other_game(&net, Path::new(&arch.name))?;
    Ok(Beginning::of_net(settings, net))
}

/// A net to begin with: a checkpoint, or one built in.
pub fn first_net(path: &Path) -> Result<Net> {
    match is_built_in(path) {
        true => Network::read_file(path)?.into_net(),
        false => run::read_net(path),
    }
}

/// A new run with the parameters of a net.
fn of_net(path: &Path, arguments: &TrainArguments) -> Result<Beginning> {
    let mut net = first_net(path)?;
    let mut settings = Settings::of_net(&net, path)?;
    let arch = arguments.arch.as_deref();
    let arch = arch.filter(|arch| *arch != settings.arch);
    if let Some(arch) = arch {
        let arch = Arch::named(arch)?;
        let LearningArguments {
            seed, symmetric, ..
        } = arguments.learning;
        net = add_blocks(&net, &arch, seed.unwrap_or(settings.seed), symmetric)?;
        settings.arch = arch.name;
    }
    Ok(Beginning::of_net(settings, net))
}

/// A branch of another run from a checkpoint.
fn of_run(path: &Path) -> Result<Beginning> {
    let found = run::read_origin(path, &mut |text| tell(format_args!("{text}")))?;
    let Origin {
        manifest,
        mut initial,
        file,
    } = found;
    let mut settings = manifest.settings;
    settings.origin = origin("run", path);
    if let Some(state) = &mut initial.state {
        let samples = state.counters.samples;
        settings.origin_details = format!("{samples} samples, {}", file.display());
        state.counters.epoch += 1;
        state.counters.given = 0;
        // The rate to go on at, unless another one is given.
        let backoffs = std::mem::take(&mut state.counters.backoffs);
        settings.rate = settings.rate_after(backoffs);
    }
    let plan = Plan {
        samples: None,
        decay: None,
        ..manifest.plan
    };
    Ok(Beginning {
        settings,
        plan,
        initial,
        checkpoint: Some(file),
    })
}
