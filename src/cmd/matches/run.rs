//! Plays a match: resumes its log, records each game, ends when all are played or the test is
//! decided.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};

use super::page;
use super::report::{game_line, match_head, running_score, table};
use crate::arena::contest::Conditions;
use crate::arena::log::{Heading, MatchLog};
use crate::arena::played::PlayedGame;
use crate::arena::series::{Maker, Series, SeriesGame};
use crate::arena::sprt::Sprt;
use crate::arena::standing::Standing;
use crate::arena::terms::Terms;
use crate::cmd::interrupts::stop_flag;
use crate::console::{say, tell};
use crate::files;
use crate::process::end_all_engines;

/// Advice for games that are all the same.
const REPEATS: &str = "a game repeats an earlier one and is not counted; for different games give \
                       more openings (--openings), or let the engines play with random seeds";
/// Interval at which the page is rewritten, at least; games wait meanwhile.
const PAGE_EVERY: Duration = Duration::from_secs(20);
/// Largest share of the time that writing the page may take: one of so many parts.
const PAGE_SHARE: u32 = 20;

/// Plan of a match.
pub struct MatchPlan<C: Terms = Conditions> {
    /// The games.
    pub series: Series<C>,
    /// The first player and the second.
    pub players: [MatchPlayer<C>; 2],
    /// The stopping rule.
    pub sprt: Option<Sprt>,
    /// Output files.
    pub files: MatchFiles,
    /// Set by an interrupt, see [`interrupted`]: no more games are played or counted.
    pub stop: Arc<AtomicBool>,
}

/// A player of a match.
pub struct MatchPlayer<C: Terms = Conditions> {
    /// For display: its command line, or its network.
    pub description: String,
    /// Identity in the log.
    pub identity: String,
    /// Creates it.
    pub make: Box<Maker<'static, C>>,
}

impl<C: Terms> MatchPlan<C> {
    /// Both players, for display.
    pub fn descriptions(&self) -> [String; 2] {
        self.players
            .each_ref()
            .map(|player| player.description.clone())
    }
}

/// A flag for [`MatchPlan::stop`]; an interrupt also ends engines in other processes. May be called
/// only once.
pub fn interrupted() -> Result<Arc<AtomicBool>> {
    stop_flag(
        "interrupted: games under way are not counted",
        end_all_engines,
    )
}

/// Output files of a match, each optional.
#[derive(Clone, Debug, Default)]
pub struct MatchFiles {
    /// The log, from which the match is resumed.
    pub log: Option<PathBuf>,
    /// Folder of the game records.
    pub records: Option<PathBuf>,
    /// The HTML page.
    pub page: Option<PathBuf>,
}

impl MatchFiles {
    /// All of them in one folder.
    pub fn in_folder<C: Terms>(folder: &Path) -> MatchFiles {
        MatchFiles {
            log: Some(folder.join("games.jsonl")),
            records: Some(folder.join(C::RECORDS)),
            page: Some(folder.join("match.html")),
        }
    }

    /// Makes the folders; an error if something else would be replaced, such as the records of another match, unless
    /// one is resumed.
    fn prepare<C: Terms>(&self, games: usize) -> Result<()> {
        let is_resumed = self.log.as_deref().is_some_and(files::exists);
        if let Some(folder) = self.records.as_deref().filter(|_| !is_resumed) {
            let mut records = (1..=games).map(|number| folder.join(record_name::<C>(number)));
            if let Some(record) = records.find(|record| files::exists(record)) {
                bail!(
                    "{} is the record of another match: choose another folder",
                    record.display()
                );
            }
        }
        self.page.as_deref().map_or(Ok(()), files::check_page)?;
        let parents = [&self.log, &self.page].into_iter().flatten();
        let parents = parents.filter_map(|file| file.parent());
        for folder in parents.chain(self.records.as_deref()) {
            files::make_folder(folder)?;
        }
        Ok(())
    }
}

/// Plays the match; prints a line for each game, and a final table, even if the match ends with an
/// error.
pub fn play<C: Terms>(plan: &MatchPlan<C>) -> Result<Standing> {
    plan.files.prepare::<C>(plan.series.games)?;
    let (log, played) = match &plan.files.log {
        Some(path) => {
            let identities = plan.players.each_ref();
            let identities = identities.map(|player| player.identity.clone());
            let heading = Heading::new(&identities, &plan.series);
            let (log, played) = MatchLog::open(path, &heading)?;
            if log.cut_off() > 0 {
                let (path, bytes) = (path.display(), log.cut_off());
                tell(format_args!(
                    "{path}: its last {bytes} bytes are no whole line and were removed"
                ));
            }
            (Some(log), played)
        }
        None => (None, Vec::new()),
    };
    let head = match_head(&plan.series, &plan.descriptions());
    say(format_args!("{head}"))?;
    if !played.is_empty() {
        say(format_args!("{} games are played already", played.len()))?;
    }
    let bar = progress_bar(plan.series.games, played.len());
    let done = played.iter().map(|game| game.number - 1).collect();
    let mut course = Course {
        plan,
        log,
        standing: Standing::new(plan.sprt),
        bar,
        page_due: None,
    };
    for game in played {
        course.standing.add(game);
    }
    let result = course.go_on(&done);
    course.bar.finish_and_clear();
    let printed = match table(&course.standing, &plan.series) {
        Some(table) => say(format_args!("{table}")),
        None => Ok(()),
    };
    let written = course.write_page();
    result.and(printed).and(written)?;
    Ok(course.standing)
}

/// A match in progress.
struct Course<'a, C: Terms> {
    plan: &'a MatchPlan<C>,
    log: Option<MatchLog>,
    standing: Standing,
    bar: ProgressBar,
    /// When the page is to be written again; at once if none.
    page_due: Option<Instant>,
}

impl<C: Terms> Course<'_, C> {
    fn go_on(&mut self, done: &BTreeSet<usize>) -> Result<()> {
        self.bar.set_message(running_score(&self.standing));
        if self.standing.verdict().is_some() {
            return Ok(());
        }
        self.check_stop()?;
        let plan = self.plan;
        let makers: [&Maker<C>; 2] = plan.players.each_ref().map(|player| &*player.make);
        let result = plan.series.run(makers, done, |game| self.add(&game));
        // Faults of engines that were ended by the interrupt do not count.
        self.check_stop()?;
        result
    }

    fn check_stop(&self) -> Result<()> {
        let advice = match self.log {
            Some(_) => "the same command resumes here",
            None => "with --out or --resume a match can be resumed",
        };
        ensure!(
            !self.plan.stop.load(Ordering::Relaxed),
            "interrupted; {advice}"
        );
        Ok(())
    }

    /// The record is written before the log, so that every logged game has one, and the log before
    /// the printed line, so that no reported game is lost.
    fn add(&mut self, game: &SeriesGame<C>) -> Result<ControlFlow<()>> {
        self.check_stop()?;
        let series = &self.plan.series;
        let mut played = PlayedGame::new(game, series);
        played.repeats = self.standing.repeated_by(&played);
        let line = game_line(&played, series);
        if let Some(folder) = &self.plan.files.records {
            save(folder, series, game)?;
        }
        if let Some(log) = &mut self.log {
            log.add(&played)?;
        }
        self.bar.suspend(|| say(format_args!("{line}")))?;
        if played.repeats.is_some() && self.standing.repeats() == 0 {
            self.bar.suspend(|| tell(format_args!("{REPEATS}")));
        }
        self.standing.add(played);
        self.bar.inc(1);
        self.bar.set_message(running_score(&self.standing));
        if self.page_due.is_none_or(|due| Instant::now() >= due) {
            self.write_page()?;
        }
        Ok(match self.standing.verdict() {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        })
    }

    fn write_page(&mut self) -> Result<()> {
        if let Some(path) = &self.plan.files.page {
            let begun = Instant::now();
            let page = page::page(&self.standing, self.plan)?;
            files::write_page(path, &page)?;
            let interval = PAGE_EVERY.max(PAGE_SHARE * begun.elapsed());
            self.page_due = Some(Instant::now() + interval);
        }
        Ok(())
    }
}

fn progress_bar(games: usize, played: usize) -> ProgressBar {
    let template = "{bar:30} {pos}/{len} games  {msg}  {elapsed} (left {left})";
    let style = ProgressStyle::with_template(template).expect("the template is valid");
    let left = move |state: &ProgressState, text: &mut dyn std::fmt::Write| {
        // Errors of the progress bar are ignored.
        text.write_str(&time_left(state, played as u64))
            .unwrap_or_default();
    };
    let bar = ProgressBar::new(games as u64).with_style(style.with_key("left", left));
    bar.set_position(played as u64);
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}

/// Remaining time by the mean time per game: indicatif's own estimate forgets too fast for games.
fn time_left(state: &ProgressState, played: u64) -> String {
    let remaining = state.len().unwrap_or(0).saturating_sub(state.pos());
    match state.pos().saturating_sub(played) {
        0 => "?".to_owned(),
        done => {
            let seconds = state.elapsed().as_secs_f64() / done as f64 * remaining as f64;
            HumanDuration(Duration::from_secs_f64(seconds)).to_string()
        }
    }
}

/// File name of a game's record.
pub fn record_name<C: Terms>(number: usize) -> String {
    format!("game-{number:04}.{}", C::RECORDS)
}

fn save<C: Terms>(folder: &Path, series: &Series<C>, game: &SeriesGame<C>) -> Result<()> {
    let conditions = &series.division(&game.pairing).conditions;
    let number = game.pairing.game_index + 1;
    let record = conditions.record(&game.report, number);
    let path = folder.join(record_name::<C>(number));
    files::write_whole(&path, record.as_bytes(), true)
}
