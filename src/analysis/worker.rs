//! A worker: analyzes one position after the other.

use std::sync::atomic::Ordering;

use anyhow::{Result, anyhow};

use super::answer::Writer;
use super::engine::Engine;
use super::message::{ErrorMessage, NoResults, WarningMessage};
use super::options::Options;
use super::output::Output;
use super::scheduler::{Job, Scheduler};
use super::settings::apply;
use crate::games::go::side;
use crate::player::{Observer, Player, Watch};
use crate::search::Report;

/// Works until there is nothing more to do.
pub(super) fn work(engine: &Engine, scheduler: &Scheduler, output: &Output) {
    while let Some(job) = scheduler.take() {
        if let Err(error) = answer(engine, &job, output) {
            output.send(&ErrorMessage {
                id: Some(job.query.id.clone()),
                ..ErrorMessage::general(format!("turn {}: {error:#}", job.turn))
            });
        }
        scheduler.finished(&job);
    }
}

/// Analyzes a position and answers.
fn answer(engine: &Engine, job: &Job, output: &Output) -> Result<()> {
    let query = &*job.query;
    let no_results = NoResults::new(&query.id, job.turn);
    if job.stop.load(Ordering::SeqCst) {
        output.send(&no_results);
        return Ok(());
    }
    let position = query
        .position(job.turn)
        .map_err(|mistake| anyhow!(mistake.error))?;
    let mut player = (engine.make_player)();
    apply(&mut player, &query.settings)?;
    let params = player.analysis().unwrap_or_default();
    let human = player.human_opinion(&position)?;
    let writer = Writer {
        human: human.as_ref(),
        id: &query.id,
        turn: job.turn,
        position: &position,
        options: query.options,
        seen: params.perspective.of(side(position.to_move())),
    };
    let watch = Watch {
        stop: &job.stop,
        restrictions: &query.restrictions,
        detail: Options::detail(&query.options, params.pv_length as usize),
        reports: query.reports,
        observer: &mut Sender {
            writer: &writer,
            output,
        },
    };
    match player.analyze_within_limits(&position, watch)? {
        Some(report) => {
            if report.is_full {
                output.send(&memory_warning(job, report.visits));
            }
            output.send(&writer.answer(&report, false));
        }
        None => output.send(&no_results),
    }
    Ok(())
}

fn memory_warning(job: &Job, visits: u32) -> WarningMessage {
    let turn = job.turn;
    WarningMessage {
        field: "maxVisits".to_owned(),
        id: job.query.id.clone(),
        warning: format!(
            "The search of turn {turn} has ended at {visits} visits, as its memory is full: see --max-memory, \
             which positions share, and --analysis-threads"
        ),
    }
}

/// Sends what a search has found so far.
struct Sender<'a> {
    writer: &'a Writer<'a>,
    output: &'a Output,
}

impl Observer for Sender<'_> {
    fn sees(&mut self, report: Report) {
        self.output.send(&self.writer.answer(&report, true));
    }
}
