//! Recorded games among the data of `keima train`: they become labels in the run's folder.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};
use clap::value_parser;

use super::super::label::{read_games, remark_on_sources};
use crate::console::{counted, tell};
use crate::data::collection::{Collection, Part};
use crate::data::label_folder::LabelFolder;
use crate::data::records::{self, Manifest, RecordSettings};
use crate::files;
use crate::train::run::settings::Plan;

/// About this many positions are enough for validation.
const VALIDATION: usize = 20_000;

/// How positions of recorded games are chosen.
#[derive(clap::Args)]
pub struct RecordArguments {
    /// Positions that are drawn from each recorded game, at most, one from each of as many parts of
    /// it; by default 8
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    positions_per_game: Option<u16>,

    /// Fraction of the recorded games held out for validation; a game's moves decide; by default
    /// 0.05
    #[arg(long, value_name = "SHARE", value_parser = share)]
    held_out: Option<f64>,

    /// Sources of recorded games that teach results only ("sgf" for .sgf files)
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    not_imitated: Vec<String>,
}

fn share(text: &str) -> Result<f64, String> {
    let number = text.parse().ok();
    let number = number.filter(|number| (0.0..1.0).contains(number));
    number.ok_or_else(|| "not a number from 0 to below 1".to_owned())
}

impl RecordArguments {
    /// Settings where given, else those before.
    pub fn over(&self, before: RecordSettings) -> RecordSettings {
        RecordSettings {
            positions_per_game: self
                .positions_per_game
                .map_or(before.positions_per_game, usize::from),
            held_out: self.held_out.unwrap_or(before.held_out),
            not_imitated: match self.not_imitated.is_empty() {
                true => before.not_imitated,
                false => self.not_imitated.clone(),
            },
        }
    }
}

/// An error if options for recorded games are given without such games.
pub fn refuse_useless(arguments: &RecordArguments, data: &[PathBuf]) -> Result<()> {
    let given = [
        (
            "--positions-per-game",
            arguments.positions_per_game.is_some(),
        ),
        ("--held-out", arguments.held_out.is_some()),
        ("--not-imitated", !arguments.not_imitated.is_empty()),
    ];
    let has_games = !separated(data)?.0.is_empty();
    match given.iter().find(|(_, is_given)| *is_given && !has_games) {
        Some((option, _)) => {
            bail!("{option} is about recorded games, and there are none among --data")
        }
        None => Ok(()),
    }
}

/// Replaces recorded games in a plan by folders of labels in the run, which are made unless they
/// exist. Without other data for validation, held-out games serve. Paths are absolute, so that a run
/// can be resumed from any folder.
pub fn imported(run: &Path, mut plan: Plan, seed: u64) -> Result<Plan> {
    let run = &std::path::absolute(run)?;
    for path in plan.data.iter_mut().chain(&mut plan.validate) {
        *path = followed(run, path);
    }
    let settings = plan.records.clone();
    let (games, mut data) = separated(&plan.data)?;
    if !games.is_empty() {
        let mut import = Import::new(run, &games, seed);
        let folder = import.part(Part::Train, &settings, None)?;
        ensure!(
            folder.is_some() || !data.is_empty(),
            "no game is left to learn from: see --held-out and --not-imitated"
        );
        let is_lost = |it: &PathBuf| records::in_run(run, it).is_some() && !files::exists(it);
        plan.validate
            .retain(|path| !is_part_of_games(path) && !is_lost(path));
        if plan.validate.is_empty() && settings.held_out > 0.0 {
            remark_on_labels(&data, settings.held_out);
            let held_out = import.part(Part::HeldOut, &settings, Some(VALIDATION))?;
            plan.validate.extend(held_out);
        }
        data.extend(folder);
    }
    plan.data = data;
    let (games, mut validate) = separated(&plan.validate)?;
    if !games.is_empty() {
        let all = RecordSettings {
            held_out: 1.0,
            ..settings
        };
        let mut import = Import::new(run, &games, seed);
        validate.extend(import.part(Part::HeldOut, &all, Some(VALIDATION))?);
        ensure!(!validate.is_empty(), "no game is left for validation");
    }
    plan.validate = validate;
    Ok(plan)
}

/// Where labels that a run has made are now, if it was moved or renamed since, or was named by another relative path.
fn followed(run: &Path, path: &Path) -> PathBuf {
    let now = records::in_run(run, path);
    let now = now.filter(|now| !files::exists(path) && files::exists(now));
    now.unwrap_or_else(|| path.to_owned())
}

/// Says which folders of labels hold out fewer games: of the same games, some that validation is about are learned.
fn remark_on_labels(folders: &[PathBuf], held_out: f64) {
    for folder in folders {
        let labels = LabelFolder::open(folder).ok();
        let labels = labels.filter(|labels| {
            let settings = labels.settings();
            settings.part == Part::Train && settings.games.count > 0 && settings.held_out < held_out
        });
        if let Some(labels) = labels {
            tell(format_args!(
                "{} holds out {} of its games, not {held_out}: if these are the same games, some that validation is \
                 about are learned; label with --held-out {held_out}",
                folder.display(),
                labels.settings().held_out
            ));
        }
    }
}

/// Whether a folder has the held-out part of games that are also trained on, not all of some games.
fn is_part_of_games(folder: &Path) -> bool {
    records::is_folder(folder)
        && records::settings_of(folder).is_ok_and(|settings| settings.held_out < 1.0)
}

/// Recorded games, and the other paths.
fn separated(paths: &[PathBuf]) -> Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let (mut games, mut labels) = (Vec::new(), Vec::new());
    for path in paths {
        match records::is_games(path)? {
            true => games.push(path.clone()),
            false => labels.push(path.clone()),
        }
    }
    Ok((games, labels))
}

/// Games that are read when they are first needed.
struct Import<'a> {
    run: &'a Path,
    sources: &'a [PathBuf],
    seed: u64,
    games: Option<Collection>,
}

impl<'a> Import<'a> {
    fn new(run: &'a Path, sources: &'a [PathBuf], seed: u64) -> Import<'a> {
        Import {
            run,
            sources,
            seed,
            games: None,
        }
    }

    /// The folder of labels for a part of the games; none if there are no labels.
    fn part(
        &mut self,
        part: Part,
        settings: &RecordSettings,
        most: Option<usize>,
    ) -> Result<Option<PathBuf>> {
        let manifest = Manifest::new(self.sources, part, settings, most, self.seed)?;
        let folder = manifest.folder(self.run)?;
        if records::is_folder(&folder) {
            return Ok(Some(folder));
        }
        let games = match self.games.take() {
            Some(games) => games,
            None => read_games(self.sources)?,
        };
        remark_on_sources(&games, &settings.not_imitated);
        let games = self.games.insert(games);
        let labels = manifest.write(&folder, games)?;
        let what = match part {
            Part::Train => "training",
            Part::HeldOut => "validation",
        };
        tell(format_args!(
            "{} of recorded games for {what}",
            counted(labels, "position")
        ));
        Ok((labels > 0).then_some(folder))
    }
}
