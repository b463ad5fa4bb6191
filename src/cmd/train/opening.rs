//! Runs of `keima train`: resumed, or begun with random parameters, with those of a network, or from another run.

use std::path::Path;

use anyhow::{Result, bail, ensure};

use super::super::selfplay::policy_gradient;
use super::{LearningArguments, TrainArguments, records};
use crate::console::tell;
use crate::data::stream::{Stream, StreamSettings, files_of};
use crate::nn::arch::Arch;
use crate::nn::desc::Net;
use crate::nn::network::{Network, is_built_in};
use crate::train::growth::add_blocks;
use crate::train::model::Model;
use crate::train::run::settings::{Plan, RunManifest, Settings, origin};
use crate::train::run::{self, InitialState, Origin, Run, checkpoint as state_file};

pub(super) fn resumed(arguments: &TrainArguments) -> Result<Run> {
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
    run.refuse_changes(&wanted)?;
    let plan = arguments.plan(run.plan().clone(), run.samples()?)?;
    records::refuse_useless(&arguments.records, &arguments.data)?;
    let plan = records::imported(&arguments.run, plan, run.settings().seed)?;
    run.set_plan(plan)?;
    Ok(run)
}

pub(super) fn begun(arguments: &TrainArguments) -> Result<Run> {
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
    files_of(&plan.validate)?;
    // A folder that is begun fixes its settings, so what cannot be learned from is found before.
    let learned = StreamSettings {
        batch: settings.micro_batch,
        boards: settings.boards(initial.net.only_size()),
        ..StreamSettings::default()
    };
    Stream::open(&plan.data, learned)?;
    Run::create(&arguments.run, &RunManifest { settings, plan }, &initial)
}

/// An error if a network is not for Go.
pub fn refuse_other_game(net: &Net, path: &Path) -> Result<()> {
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
    refuse_other_game(&net, Path::new(&arch.name))?;
    Ok((settings, Plan::default(), InitialState { net, state: None }))
}

/// A new run with the parameters of a net.
fn of_net(path: &Path, arguments: &TrainArguments) -> Result<(Settings, Plan, InitialState)> {
    let mut net = match is_built_in(path) {
        true => Network::read_file(path)?.into_net()?,
        false => run::read_net(path)?,
    };
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
        // The rate to go on at, unless another one is given.
        let backoffs = std::mem::take(&mut state.counters.backoffs);
        settings.rate = settings.rate_after(backoffs);
    }
    let plan = Plan {
        samples: None,
        decay: None,
        ..manifest.plan
    };
    Ok((settings, plan, initial))
}
