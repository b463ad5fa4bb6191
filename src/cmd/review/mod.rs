//! `keima review`: games analyzed move by move, as pages, game records and JSON.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};

use super::analysis::Prepared;
use super::engine_config::{EngineConfig, Purpose};
use super::interrupts::{INTERRUPTED, stop_flag};
use super::record_files::record_files;
use crate::console::{counted, say, tell};
use crate::files;
use crate::formats::sgf::ReadOptions;
use crate::player::Player;
use crate::review::folder::{Folder, with_own_names};
use crate::review::game::Game;
use crate::review::run::{self, Event, Job, Outcome};

mod arguments;
mod index;
mod made_of;
mod page;

pub use arguments::ReviewArguments;
use made_of::made_of;

/// Visits of each position where nothing else is said.
const VISITS: u64 = 100;
/// Remarks on a file that are told.
const MOST_REMARKS: usize = 3;

/// Reviews the games. Exit code 1 if one could not be reviewed, or not to its end.
pub fn run(arguments: &ReviewArguments) -> Result<ExitCode> {
    let thresholds = arguments.thresholds()?;
    let mut config = configuration(arguments)?;
    let paths = record_files(&arguments.games)?;
    let options = ReadOptions {
        rules: config.rules,
        komi: config.start_komi(),
        before_move: None,
    };
    let folder = Folder::create(&arguments.out, paths.iter().map(PathBuf::as_path))?;
    let engine = Prepared::new(&mut config)?;
    tell(format_args!("{}", engine.description));
    let (games, faults) = games(&paths, &options, &engine);
    ensure!(!games.is_empty(), "there is no game to review");
    let made_of = made_of(&config, &engine)?;
    let stop = stop_flag("ending; the same command resumes", || ())?;
    let bar = bar(games.iter().map(Game::positions).sum());
    let done = run::run(&Job {
        folder: &folder,
        games: &games,
        made_of: &made_of,
        thresholds,
        make_player: &*engine.make_player,
        threads: engine.positions,
        stop: &stop,
        page: &page::page,
        watch: &|event| see(&bar, event),
    });
    bar.finish_and_clear();
    let outcome = done?;
    let index = index::page(&folder.heads()?);
    files::write_whole(&folder.index(), index.as_bytes(), true)?;
    say(format_args!("{}", in_words(&outcome, &folder.index())))?;
    let is_stopped = stop.load(Ordering::SeqCst);
    Ok(match (is_stopped, faults) {
        (true, _) => ExitCode::from(INTERRUPTED as u8),
        (false, 0) => ExitCode::SUCCESS,
        (false, _) => ExitCode::FAILURE,
    })
}

/// The configuration as for analysis, with a seed that is the same in every run, so that a resumed review is
/// the one that would have been made at once.
fn configuration(arguments: &ReviewArguments) -> Result<EngineConfig> {
    let mut config = EngineConfig::load(Purpose::Analysis, arguments.source()?)?;
    if config.source.find("maxVisits").is_none() {
        config.player.limits.max_visits = Some(VISITS);
    }
    if config.renews_seed {
        config.seed = 0;
        config.player.search.seed = 0;
        config.net.symmetry_seed = 0;
    }
    if config.human_model.take().is_some() {
        tell(format_args!(
            "review does not use the network of --human-model"
        ));
    }
    Ok(config)
}

/// The games of the files, and how many have faults, which are told.
fn games(paths: &[PathBuf], options: &ReadOptions, engine: &Prepared) -> (Vec<Game>, usize) {
    let (mut games, mut faults) = (Vec::new(), 0);
    let player = (engine.make_player)();
    for path in paths {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let game = Game::read(path, &stem, options).and_then(|game| {
            let size = game.record.setup.size;
            let can_play = player.evaluators().can_play_on(size);
            let of_file = path.display();
            ensure!(
                can_play,
                "{of_file}: the network cannot play on boards of {size}"
            );
            Ok(game)
        });
        let game = match game {
            Ok(game) => game,
            Err(error) => {
                faults += 1;
                tell(format_args!("{error:#}"));
                continue;
            }
        };
        for remark in game.remarks.iter().take(MOST_REMARKS) {
            tell(format_args!("{}: {remark}", path.display()));
        }
        if let Some(fault) = &game.fault {
            faults += 1;
            tell(format_args!(
                "{}: {fault}: reviewed up to there",
                path.display()
            ));
        }
        games.push(game);
    }
    (with_own_names(games), faults)
}

fn bar(positions: usize) -> ProgressBar {
    let template =
        "{bar:30} {human_pos} of {human_len} positions, {per_sec}, {elapsed} past, {eta} left";
    let style = ProgressStyle::with_template(template).expect("the template is valid");
    let bar = ProgressBar::new(positions as u64).with_style(style);
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}

/// The bar shows what is left to this process.
fn see(bar: &ProgressBar, event: Event) {
    match event {
        Event::Spared(positions) => bar.dec_length(positions as u64),
        Event::Searched => bar.inc(1),
    }
}

fn in_words(outcome: &Outcome, index: &Path) -> String {
    let Outcome {
        written,
        complete,
        elsewhere,
        searched,
    } = *outcome;
    let (games, positions) = (counted(written, "game"), counted(searched, "position"));
    let mut text = format!("{games} reviewed, {positions} analyzed");
    if complete > 0 {
        text += &format!(", {} complete already", counted(complete, "game"));
    }
    if elsewhere > 0 {
        text += &format!(
            ", {} reviewed by other processes",
            counted(elsewhere, "game")
        );
    }
    format!("{text}: {}", index.display())
}
