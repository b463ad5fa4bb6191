//! Searches that tell what they find while they run, and such as the controller may cancel.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::{Context, Result};

use super::super::analysis::request::{AnalysisRequest, Dialect};
use super::super::analysis::{ogs, text};
use super::super::arguments::Arguments;
use super::super::engine::Engine;
use super::super::interrupt_flags::InterruptFlags;
use super::super::stream::Stream;
use super::moves;
use crate::clock::game::Clocks;
use crate::go::{Answer, Color};
use crate::player::analysis::AnalysisParams;
use crate::player::session::Charge;
use crate::player::{LastReport, Nobody, Observer, ReportTimes, Watch};
use crate::search::Report;

/// How a response that was written line by line stands when its command returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum End {
    /// It goes on until the next line comes.
    Open,
    /// It is complete.
    Closed,
}

/// What is to be done with the move that was found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Play,
    Show,
    /// Show it, unless a line comes before.
    ShowUnlessCancelled,
}

pub(super) fn lz_analyze(
    engine: &mut Engine,
    arguments: &Arguments,
    stream: &mut Stream,
) -> Result<End> {
    analyze(engine, arguments, stream, Dialect::Leela)
}

pub(super) fn kata_analyze(
    engine: &mut Engine,
    arguments: &Arguments,
    stream: &mut Stream,
) -> Result<End> {
    analyze(engine, arguments, stream, Dialect::Kata)
}

pub(super) fn lz_genmove_analyze(
    engine: &mut Engine,
    arguments: &Arguments,
    stream: &mut Stream,
) -> Result<End> {
    choose(engine, arguments, stream, Dialect::Leela, Use::Play)
}

pub(super) fn kata_genmove_analyze(
    engine: &mut Engine,
    arguments: &Arguments,
    stream: &mut Stream,
) -> Result<End> {
    choose(engine, arguments, stream, Dialect::Kata, Use::Play)
}

/// For the computer Go server: a line of JSON with ownership, then the move.
pub(super) fn cgos_genmove_analyze(
    engine: &mut Engine,
    arguments: &Arguments,
    stream: &mut Stream,
) -> Result<End> {
    choose(engine, arguments, stream, Dialect::Cgos, Use::Play)
}

pub(super) fn search_analyze(
    engine: &mut Engine,
    arguments: &Arguments,
    stream: &mut Stream,
) -> Result<End> {
    choose(engine, arguments, stream, Dialect::Kata, Use::Show)
}

pub(super) fn search_analyze_cancellable(
    engine: &mut Engine,
    arguments: &Arguments,
    stream: &mut Stream,
) -> Result<End> {
    let shown = Use::ShowUnlessCancelled;
    choose(engine, arguments, stream, Dialect::Kata, shown)
}

/// As `genmove`, without playing the move.
pub(super) fn search(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let color = arguments.color(0)?;
    engine.session.stop_playing();
    let think = moves::think(&engine.interrupt_flags());
    let answer = engine.choose_in_time(color, Clocks::run, think)?;
    Ok(answer.to_string())
}

/// As `kata-search`, but any line that comes ends it without a move.
pub(super) fn search_cancellable(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let color = arguments.color(0)?;
    let answer = watched_choice(engine, color, Use::ShowUnlessCancelled, &mut Nobody, None)?;
    Ok(answer.map_or_else(|| "cancelled".to_owned(), |answer| answer.to_string()))
}

/// Searches until a line comes.
fn analyze(
    engine: &mut Engine,
    arguments: &Arguments,
    stream: &mut Stream,
    dialect: Dialect,
) -> Result<End> {
    let request = AnalysisRequest::parse(arguments, dialect, engine.session.position.size())?;
    let color = request.color.unwrap_or(engine.session.position.to_move());
    let position = engine.session.position_for(color);
    let params = params(engine);
    engine.session.stop_playing();
    let watch = Watch {
        stop: engine.interrupt_flags.flag(),
        restrictions: &request.restrictions,
        detail: request.detail(params.pv_length as usize),
        reports: Some(ReportTimes::every(request.steady_interval())),
        observer: &mut ReportSink {
            stream,
            request: &request,
            params,
            interrupt_flags: Arc::clone(&engine.interrupt_flags),
        },
    };
    engine.session.player.analyze(&position, watch)?;
    Ok(End::Open)
}

/// Searches for a move as long as `genmove` does.
fn choose(
    engine: &mut Engine,
    arguments: &Arguments,
    stream: &mut Stream,
    dialect: Dialect,
    purpose: Use,
) -> Result<End> {
    let mut request = AnalysisRequest::parse(arguments, dialect, engine.session.position.size())?;
    // Clients wait for a report before the move, also of a search that had no time to try one.
    request.min_moves = request.min_moves.max(1);
    let color = request.color.unwrap_or(engine.session.position.to_move());
    let params = params(engine);
    let mut sink = ReportSink {
        stream,
        request: &request,
        params,
        interrupt_flags: engine.interrupt_flags(),
    };
    let answer = watched_choice(engine, color, purpose, &mut sink, Some(&request))?;
    let played = match answer {
        None => "cancelled".to_owned(),
        Some(answer) if purpose == Use::Play => moves::answered(engine, color, answer)?,
        Some(answer) => answer.to_string(),
    };
    stream.line(&format!("play {played}"));
    Ok(End::Closed)
}

/// The player's answer, unless it was cancelled.
fn watched_choice(
    engine: &mut Engine,
    color: Color,
    purpose: Use,
    observer: &mut dyn Observer,
    request: Option<&AnalysisRequest>,
) -> Result<Option<Answer>> {
    engine.session.stop_playing();
    let interrupt_flags = engine.interrupt_flags.clone();
    let stop = match purpose {
        Use::ShowUnlessCancelled => interrupt_flags.flag(),
        Use::Play | Use::Show => interrupt_flags.interruption(),
    };
    let restrictions = request.map(|request| request.restrictions.clone());
    let pv_length = params(engine).pv_length as usize;
    let watch = Watch {
        stop,
        restrictions: &restrictions.unwrap_or_default(),
        detail: request.map_or_else(Default::default, |request| request.detail(pv_length)),
        reports: request
            .and_then(AnalysisRequest::interval)
            .map(ReportTimes::every),
        observer,
    };
    let charge: Charge = match purpose {
        Use::Play => Clocks::spend,
        Use::Show | Use::ShowUnlessCancelled => Clocks::run,
    };
    let answer = engine.choose_in_time(color, charge, |player, position, clock| {
        player.choose_watched(position, clock, watch)
    })?;
    let is_cancelled = purpose == Use::ShowUnlessCancelled && stop.load(Ordering::SeqCst);
    Ok((!is_cancelled).then_some(answer))
}

fn params(engine: &Engine) -> AnalysisParams {
    engine.session.player.analysis().unwrap_or_default()
}

/// Writes reports as lines.
struct ReportSink<'a, 's> {
    stream: &'a mut Stream<'s>,
    request: &'a AnalysisRequest,
    params: AnalysisParams,
    interrupt_flags: Arc<InterruptFlags>,
}

impl ReportSink<'_, '_> {
    /// Ends the search if its reports cannot be written: nobody reads them.
    fn check_reader(&self) {
        if self.stream.is_broken() {
            self.interrupt_flags.abandon();
        }
    }
}

impl Observer for ReportSink<'_, '_> {
    fn begins(&mut self) {
        self.stream.begin();
        self.check_reader();
    }

    fn sees(&mut self, report: Report) {
        if let Some(line) = text::line(&report, self.request, self.params.perspective) {
            self.stream.line(&line);
            self.check_reader();
        }
    }
}

/// As `genmove`; tells the evaluation of the move.
pub(super) fn genmove_evaluated(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let color = arguments.color(0)?;
    let mut last = LastReport::default();
    let answer = watched_choice(engine, color, Use::Play, &mut last, None)?;
    let answer = answer.context("the search was cancelled")?;
    if let (Some(report), Answer::Move(mv)) = (&last.0, answer)
        && let Some(tell) = engine.evaluations()
    {
        tell(&ogs::line(report, mv, params(engine).perspective));
    }
    moves::answered(engine, color, answer)
}
