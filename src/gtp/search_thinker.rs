//! Thinking by tree search, with the tree kept from move to move.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::analysis::AnalysisParams;
use super::resignation::{Outlook, ResignParams};
use super::service::EvaluationService;
use super::spending::Spending;
use super::thinker::{Answer, Thinker, Watch, Watcher};
use crate::games::ending::Ending;
use crate::games::go::{code, decode};
use crate::go::{BoardSize, Color, Move, Position};
use crate::params::{ParamEntry, ParamError, Parameters, set_in};
use crate::search::clock::Clock;
use crate::search::evaluator::Evaluator;
use crate::search::game::MoveCode;
use crate::search::limits::Limits;
use crate::search::mcts::Search;
use crate::search::params::SearchParams;
use crate::search::time_budget::TimeParams;
use crate::search::{Detail, Game, Progress, Report, Restrictions};

/// Below this winning less losing probability a lost game is not dragged on by playing instead of
/// passing.
const HOPELESS: f64 = -0.98;

/// A move with less than this chance need not be found.
const UNLIKELY: f64 = 0.01;

/// Own turns by which a player judges whether the game is won.
const RECENT_TURNS: usize = 3;

/// The first report comes after this time at the latest.
const FIRST_REPORT: Duration = Duration::from_millis(100);

/// A tree search as a player.
pub struct SearchThinker {
    /// As configured, for 19x19.
    params: SearchParams,
    search: Search<Position>,
    evaluator: Arc<dyn Evaluator<Position>>,
    /// The evaluator's, for inner positions and for roots, when the tree was last worked on.
    fingerprints: [u64; 2],
    service: Box<dyn EvaluationService>,
    spending: Spending,
    analysis: AnalysisParams,
    timing: TimeParams,
    resignation: ResignParams,
    outlook: Outlook,
}

impl SearchThinker {
    /// A player that searches with `evaluator`, which is `service`'s. `params` are those for 19x19;
    /// what depends on the size of the board is scaled.
    pub fn new(
        params: SearchParams,
        evaluator: Arc<dyn Evaluator<Position>>,
        service: Box<dyn EvaluationService>,
        spending: Spending,
    ) -> SearchThinker {
        SearchThinker {
            params,
            search: Search::new(params),
            fingerprints: fingerprints(&*evaluator),
            evaluator,
            service,
            spending,
            analysis: AnalysisParams::default(),
            timing: TimeParams::default(),
            resignation: ResignParams::default(),
            outlook: Outlook::default(),
        }
    }

    /// The same with other settings of analysis.
    pub fn with_analysis(self, analysis: AnalysisParams) -> SearchThinker {
        SearchThinker { analysis, ..self }
    }

    /// The same with other settings of time and resignation.
    pub fn with_manners(self, timing: TimeParams, resignation: ResignParams) -> SearchThinker {
        SearchThinker {
            timing,
            resignation,
            ..self
        }
    }

    /// Drops the tree if its figures are not what the evaluator would say now.
    fn drop_stale_tree(&mut self) {
        let fingerprints = fingerprints(&*self.evaluator);
        if fingerprints != self.fingerprints {
            self.search.clear();
            self.fingerprints = fingerprints;
        }
    }

    /// Brings the root to a position. What the tree knows of it is kept, also when a new game
    /// begins: GUIs send a whole game anew when one move changes.
    fn go_to(&mut self, position: Position) {
        let steps = self
            .search
            .root()
            .and_then(|root| steps_between(root, &position));
        match steps {
            Some(steps) => {
                for (made, after) in steps {
                    self.search.advance(made, after);
                }
            }
            None => self.search.set_root(position),
        }
    }

    /// Searches a position under somebody's eyes.
    fn search(
        &mut self,
        root: Position,
        params: SearchParams,
        limits: &Limits,
        watch: &mut Watch,
    ) -> Result<()> {
        self.drop_stale_tree();
        self.search.set_params(for_size(&params, root.size()));
        let excluded = excluded(&root, watch.restrictions)?;
        self.go_to(root);
        self.search.restrict(watch.restrictions);
        self.search.exclude(&excluded);
        if watch.detail.ownership || watch.detail.moves_ownership {
            self.search.want_ownership();
        }
        let Watch {
            stop,
            detail,
            interval,
            watcher,
            ..
        } = watch;
        watcher.begins();
        let mut sink = |report| watcher.sees(report);
        let progress = interval.map(|interval| Progress {
            first: interval.min(FIRST_REPORT),
            interval,
            detail: *detail,
            sink: &mut sink,
        });
        self.search
            .run_reporting(&*self.evaluator, limits, stop, progress)
    }

    /// What the search has found best, with second thoughts about passing, unless these lead to
    /// what is forbidden.
    fn choice(&mut self, ending: &Ending, turn: usize, watch: &Watch) -> Result<Move> {
        let root = self.search.root().context("the search has no position")?;
        let side = Game::to_move(root);
        let is_free = |made: &Move| !watch.restrictions.forbids(side, code(*made), 0);
        let chosen = self.search.choose(turn);
        let chosen = decode(chosen.context("the search chose no move")?);
        let win_loss = self.search.report().map_or(0.0, |report| report.win_loss);
        let looks_won = win_loss > 0.0;
        if ending.pass_wins(looks_won) && is_free(&Move::Pass) {
            return Ok(Move::Pass);
        }
        if chosen != Move::Pass {
            return Ok(chosen);
        }
        if let Some(cleanup) = ending.cleanup().filter(is_free) {
            return Ok(cleanup);
        }
        if win_loss > HOPELESS && ending.passing_loses(looks_won) {
            let mut avoided = codes(&ending.idle());
            avoided.push(code(Move::Pass));
            avoided.extend(forbidden(root, watch.restrictions));
            self.search.exclude(&avoided);
            return Ok(self.search.choose(turn).map_or(Move::Pass, decode));
        }
        Ok(chosen)
    }

    fn limits(&self, position: &Position, clock: &Clock) -> Limits {
        let board = position.board();
        let stones = Color::BOTH
            .map(|color| board.stone_count(color))
            .iter()
            .sum();
        let budget = clock
            .budget(position.size().area(), stones, &self.timing)
            .map(|budget| budget.scaled(self.time_factor(position)));
        let mut limits = self.spending.limits(budget);
        // A share that the temperature makes unlikely enough need not be waited for either.
        let params = for_size(&self.params, position.size());
        let unlikely = UNLIKELY.powf(params.temperature_at(position.turn()));
        limits.pace.futile = self.timing.futile.min(unlikely);
        if budget.is_some() {
            limits.pace.obvious = self.timing.obvious;
            limits.pace.unclear = self.timing.unclear;
        }
        limits
    }

    /// Less time where little is left to decide.
    fn time_factor(&self, position: &Position) -> f64 {
        let timing = &self.timing;
        let passes = match position.passes() {
            0 => 1.0,
            1 => timing.after_pass,
            _ => timing.after_two_passes,
        };
        let recent: Vec<f64> = self.outlook.before(position).take(RECENT_TURNS).collect();
        if recent.len() < RECENT_TURNS {
            return passes;
        }
        let mean = recent.iter().sum::<f64>() / RECENT_TURNS as f64;
        let certainty = (mean - timing.winning) / (1.0 - timing.winning).max(1e-9);
        passes * (1.0 + certainty.clamp(0.0, 1.0) * (timing.when_winning - 1.0))
    }
}

impl Thinker for SearchThinker {
    fn choose(&mut self, position: &Position, clock: &Clock) -> Result<Answer> {
        unwatched(&AtomicBool::new(false), |watch| {
            self.choose_watched(position, clock, watch)
        })
    }

    fn choose_watched(
        &mut self,
        position: &Position,
        clock: &Clock,
        mut watch: Watch,
    ) -> Result<Answer> {
        let root = open(position);
        let limits = self.limits(position, clock);
        let mut game = position.clone();
        game.resume();
        self.service.begin(root.to_move())?;
        self.search(root, self.params, &limits, &mut watch)?;
        if let Some(report) = self.search.report_in(watch.detail) {
            watch.watcher.sees(report);
        }
        if let Some(report) = self.search.report() {
            self.outlook.note(&game, report.win_loss);
            if self.resignation.gives_up(&game, &report, &self.outlook) {
                return Ok(Answer::Resign);
            }
        }
        let ending = Ending::new(&game);
        self.choice(&ending, game.turn(), &watch).map(Answer::Play)
    }

    fn analysis(&self) -> Option<AnalysisParams> {
        Some(self.analysis)
    }

    fn analyze(&mut self, position: &Position, mut watch: Watch) -> Result<()> {
        let root = open(position);
        let params = SearchParams {
            wide_root_noise: self.analysis.wide_root_noise,
            ..self.params
        };
        self.service.begin(root.to_move())?;
        self.search(root, params, &Limits::default(), &mut watch)?;
        // It may have come to an end by itself.
        if let Some(report) = self.search.report_in(watch.detail)
            && !watch.stop.load(Ordering::SeqCst)
        {
            watch.watcher.sees(report);
        }
        Ok(())
    }

    fn ponders(&self) -> bool {
        self.spending.pondering
    }

    fn ponder(&mut self, position: &Position, stop: &AtomicBool) -> Result<()> {
        let root = open(position);
        let limits = self.spending.pondering_limits();
        // It is for the opponent of whoever is to move that it thinks.
        self.service.begin(!root.to_move())?;
        unwatched(stop, |mut watch| {
            self.search(root, self.params, &limits, &mut watch)
        })
    }

    fn service(&self) -> &dyn EvaluationService {
        &*self.service
    }

    fn service_mut(&mut self) -> &mut dyn EvaluationService {
        &mut *self.service
    }

    fn forget(&mut self) {
        self.search.clear();
    }

    fn parameters(&self) -> Vec<ParamEntry> {
        let mut entries = self.params.list();
        entries.extend(self.spending.list());
        entries.extend(self.analysis.list());
        entries.extend(self.timing.list());
        entries.extend(self.resignation.list());
        entries.extend(self.service.parameters());
        entries
    }

    fn set_parameter(&mut self, name: &str, text: &str) -> Result<()> {
        let before = self.params;
        let groups: &mut [&mut dyn Parameters] = &mut [
            &mut self.params,
            &mut self.spending,
            &mut self.analysis,
            &mut self.timing,
            &mut self.resignation,
        ];
        match set_in(groups, name, text) {
            Err(ParamError::Unknown(_)) => return self.service.set_parameter(name, text),
            set => set?,
        }
        if let Some(root) = self.search.root()
            && self.params != before
        {
            let params = for_size(&self.params, root.size());
            self.search.set_params(params);
            self.search.clear();
        }
        Ok(())
    }
}

/// A position as it is searched: passes do not end it, and its end may be played out.
fn open(position: &Position) -> Position {
    let mut root = position.clone();
    root.allow_encore(true);
    root.resume();
    root
}

/// Has something searched that nobody watches.
fn unwatched<T>(stop: &AtomicBool, search: impl FnOnce(Watch) -> Result<T>) -> Result<T> {
    struct Nobody;
    impl Watcher for Nobody {
        fn begins(&mut self) {}
        fn sees(&mut self, _: Report) {}
    }
    search(Watch {
        stop,
        restrictions: &Restrictions::default(),
        detail: Detail::default(),
        interval: None,
        watcher: &mut Nobody,
    })
}

/// Moves that a search of this position is not to consider: what is forbidden and, if something
/// else is left, what is pointless.
fn excluded(root: &Position, restrictions: &Restrictions) -> Result<Vec<MoveCode>> {
    let forbidden = forbidden(root, restrictions);
    let legal = root.legal_moves().count();
    ensure!(forbidden.len() < legal, "no legal move is allowed");
    let pointless = codes(&Ending::new(root).pointless());
    let is_new = |code: &MoveCode| root.is_legal(decode(*code)) && !forbidden.contains(code);
    let more: Vec<MoveCode> = pointless.iter().copied().filter(is_new).collect();
    if forbidden.len() + more.len() < legal {
        return Ok([forbidden, more].concat());
    }
    Ok(forbidden)
}

/// Legal moves of a position that are forbidden there.
fn forbidden(root: &Position, restrictions: &Restrictions) -> Vec<MoveCode> {
    let side = Game::to_move(root);
    let codes = root.legal_moves().map(code);
    codes
        .filter(|&code| restrictions.forbids(side, code, 0))
        .collect()
}

fn fingerprints(evaluator: &dyn Evaluator<Position>) -> [u64; 2] {
    [false, true].map(|is_root| evaluator.fingerprint(is_root))
}

fn codes(moves: &[Move]) -> Vec<MoveCode> {
    moves.iter().map(|&made| code(made)).collect()
}

/// Parameters for a board of this size: the score counts in board sides, the temperature of the
/// choice of move falls with the side, root noise spreads with the area (as in KataGo).
fn for_size(params: &SearchParams, size: BoardSize) -> SearchParams {
    let side = (size.area() as f64).sqrt();
    SearchParams {
        score_scale: side,
        temperature_halflife: params.temperature_halflife * side / 19.0,
        noise_concentration: params.noise_concentration * size.area() as f64 / 361.0,
        ..*params
    }
}

/// The moves that lead from one position to another with the positions they lead to; none if the
/// other does not come about from the one by moves in turn.
fn steps_between(from: &Position, to: &Position) -> Option<Vec<(MoveCode, Position)>> {
    let mut position = from.clone();
    let mut steps = Vec::new();
    for (color, made) in to.moves().skip(from.turn()) {
        if color != position.to_move() || position.is_finished() || !position.is_legal(made) {
            return None;
        }
        position.play_unchecked(made);
        steps.push((code(made), position.clone()));
    }
    let arrived = position.turn() == to.turn() && position.key() == to.key();
    arrived.then_some(steps)
}
