//! `keima review`: games analyzed move by move, as pages, game records and JSON.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};

use super::analysis::Prepared;
use super::engine_config::{ConfigSource, EngineConfig, Purpose, Setting};
use super::interrupts::{INTERRUPTED, stop_flag};
use super::player_arguments::{PlayerArguments, PlayerKind, text};
use super::record_files::record_files;
use super::settings;
use crate::console::{counted, say, tell};
use crate::files;
use crate::formats::rules_json;
use crate::formats::sgf::ReadOptions;
use crate::go::{Komi, Rules};
use crate::params::Parameters;
use crate::player::Player;
use crate::review::folder::{Folder, with_own_names};
use crate::review::game::Game;
use crate::review::run::{self, Event, Job, Outcome};
use crate::review::settings::{MadeOf, Thresholds};

mod index;
mod page;

/// Visits of each position where nothing else is said.
const VISITS: u64 = 100;
/// Parameters that change nothing about what a search finds.
const WITHOUT_EFFECT: [&str; 3] = [
    "numSearchThreads",
    "maxTreeBytes",
    "reportAnalysisWinratesAs",
];
/// Remarks on a file that are told.
const MOST_REMARKS: usize = 3;

/// Review games: each position of each game is analyzed
///
/// For each game the folder gets a page to step through (NAME.html), the record with comments and better
/// variations (NAME.sgf) and all figures (NAME.json); index.html lists the games. Each position gets 100
/// visits unless --visits says otherwise. The same command resumes after an interruption, and several
/// processes may fill one folder.
#[derive(clap::Args, Clone)]
pub struct ReviewArguments {
    /// Game records (.sgf; the main line of the first game of a file), or folders of them
    #[arg(value_name = "FILE|FOLDER", required = true)]
    pub games: Vec<PathBuf>,

    /// Folder for the reviews
    #[arg(long, value_name = "FOLDER")]
    pub out: PathBuf,

    /// Points that a move must lose to be a mistake
    #[arg(long, value_name = "POINTS", default_value_t = Thresholds::default().mistake, value_parser = points)]
    pub mistake: f64,

    /// Points that a move must lose to be a blunder
    #[arg(long, value_name = "POINTS", default_value_t = Thresholds::default().blunder, value_parser = points)]
    pub blunder: f64,

    /// Rules of games that state none: tromp-taylor, the default, chinese, japanese, ...
    #[arg(long, value_parser = settings::rules)]
    pub rules: Option<Rules>,

    /// Komi of games that state none; by default that of the rules
    #[arg(long, value_name = "POINTS", value_parser = settings::komi, allow_negative_numbers = true)]
    pub komi: Option<Komi>,

    /// How positions are searched: --visits is the number for each position, 100 by default, --threads the
    /// number of positions searched at once.
    #[command(flatten)]
    pub player: PlayerArguments,
}

/// A loss.
fn points(text: &str) -> Result<f64, String> {
    let points = text.parse().ok();
    let points = points.filter(|points| (0.1..=1000.0).contains(points));
    points.ok_or_else(|| "not a number of points from 0.1 to 1000".to_owned())
}

impl ReviewArguments {
    fn source(&self) -> Result<ConfigSource> {
        let mut source = self.player.clone().source()?;
        let mut add = |option, name, value| {
            let setting = Option::map(value, |value| Setting::of_option(option, name, value));
            source.settings.extend(setting);
        };
        let rules = self.rules.map(|rules| rules_json::text(&rules));
        add("--rules", "rules", text(rules));
        add("--komi", "komi", text(self.komi));
        Ok(source)
    }

    fn thresholds(&self) -> Result<Thresholds> {
        ensure!(
            self.mistake <= self.blunder,
            "--mistake {} is more than --blunder {}",
            self.mistake,
            self.blunder
        );
        Ok(Thresholds {
            mistake: self.mistake,
            blunder: self.blunder,
        })
    }
}

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
    let made_of = made_of(&config, &engine);
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
    let is_stopped = stop.load(std::sync::atomic::Ordering::SeqCst);
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

/// What the analysis of a game is made of under a configuration.
fn made_of(config: &EngineConfig, engine: &Prepared) -> impl Fn(&Game) -> MadeOf + Sync + use<> {
    let networks: Vec<&str> = engine
        .models
        .iter()
        .map(|model| model.internal_name.as_str())
        .collect();
    let network = match config.kind {
        PlayerKind::Rollout => "none (rollouts)".to_owned(),
        _ => networks.join(", "),
    };
    let visits = config.player.limits.max_visits;
    let mut parameters = config.player.list();
    parameters.extend(config.net.list());
    parameters.extend(config.rollouts.list());
    let counts = parameters
        .iter()
        .filter(|entry| !WITHOUT_EFFECT.contains(&entry.name));
    let lines: Vec<String> = counts
        .map(|entry| format!("{}={}", entry.name, entry.value))
        .collect();
    let settings = files::sha256(lines.join("\n").as_bytes());
    let defaults = format!(
        "{} {}",
        rules_json::text(&config.rules),
        config.start_komi()
    );
    move |game| MadeOf {
        // What holds where a file states neither rules nor komi counts as part of the file.
        game: files::sha256(format!("{} {defaults}", game.sha256).as_bytes()),
        network: network.clone(),
        visits,
        settings: settings.clone(),
    }
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
