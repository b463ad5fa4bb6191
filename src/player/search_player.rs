//! Thinking by tree search, with the tree kept from move to move.

mod choice;
mod delay;
mod friendly_pass;
mod human;
mod oversight;
mod root;
mod timing;
mod variety;
mod without_advantage;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;

pub use self::delay::DelayParams;
pub use self::human::{HUMAN_PROFILE, HumanOpinion, HumanParams};
pub use self::oversight::OversightParams;
use self::root::{excluded, fingerprints, forbidden, steps_between};
use super::advantage::Advantage;
use super::analysis::AnalysisParams;
use super::evaluators::Evaluators;
use super::guided::Guided;
use super::params::PlayerParams;
use super::player::{Nobody, Player, Watch};
use super::resignation::EvaluationHistory;
use super::symmetric_moves::SymmetricMoves;
use super::view::open;
use crate::clock::Clock;
use crate::clock::Reserve;
use crate::games::anti_mirror::AntiMirror;
use crate::games::ending::Ending;
use crate::games::mirror::Mirroring;
use crate::go::{Answer, BoardSize, Color, Position};
use crate::params::{ParamEntry, ParamError, Parameters};
use crate::search::evaluator::Evaluator;
use crate::search::limits::Limits;
use crate::search::mcts::Search;
use crate::search::params::SearchParams;
use crate::search::{Detail, MachineTime, Progress, Report, Restrictions, TimeSource, TreeMemory};

/// What a seed is stepped by from game to game: 2 to the 64 times the golden ratio, as an odd number,
/// so that no seed comes again.
const SEED_STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// How a position is searched.
#[derive(Clone, Copy)]
struct Plan {
    params: SearchParams,
    /// Whether an opponent who mirrors is expected to go on so.
    anti_mirror: bool,
    /// Whether the network is not told the moves before the position.
    hides_history: bool,
    /// Whether a tree that was begun so some moves before serves, too.
    follows_moves: bool,
}

/// A tree search as a player.
pub struct SearchPlayer {
    params: PlayerParams,
    search: Search<Position>,
    /// Whether the tree's evaluations know nothing of the moves before it was begun.
    hides_history: bool,
    /// The one that has evaluated the positions of the tree.
    evaluator: Option<Arc<dyn Evaluator<Position>>>,
    evaluators: Box<dyn Evaluators>,
    /// A network of human play, for moves like those.
    human: Option<Box<dyn Evaluators>>,
    time: Arc<dyn TimeSource>,
    /// How late moves were.
    reserve: Reserve,
    /// The latest end of the move that is being chosen, or was chosen last.
    latest: Option<Instant>,
    /// When the last search for the move was to end, if it ended by time.
    due: Option<Instant>,
    history: EvaluationHistory,
    advantage: Advantage,
    /// Symmetries of the position that is searched, as far as they are made use of.
    symmetric_moves: SymmetricMoves,
    /// Whether each game has a seed of its own.
    renews_seed: bool,
    /// The size and the fingerprints of what was last warmed up.
    warm: Option<(BoardSize, [u64; 2])>,
}

impl SearchPlayer {
    /// A player that searches with views of `evaluators`.
    pub fn new(params: PlayerParams, evaluators: Box<dyn Evaluators>) -> SearchPlayer {
        SearchPlayer {
            params,
            search: Search::new(params.search),
            hides_history: false,
            evaluator: None,
            evaluators,
            human: None,
            time: Arc::new(MachineTime),
            reserve: Reserve::default(),
            latest: None,
            due: None,
            history: EvaluationHistory::default(),
            advantage: Advantage::default(),
            symmetric_moves: SymmetricMoves::none(BoardSize::square(19)),
            renews_seed: false,
            warm: None,
        }
    }

    /// The same with another seed for each game, or the same one for all. Only the search's own is
    /// changed: evaluations and trees that are kept stay of use, as GUIs send whole games anew.
    pub fn with_fresh_seeds(self, renews_seed: bool) -> SearchPlayer {
        SearchPlayer {
            renews_seed,
            ..self
        }
    }

    /// The same with memory for its tree that it shares with other players.
    #[must_use]
    pub fn with_tree_memory(mut self, memory: Arc<TreeMemory>) -> SearchPlayer {
        self.search = self.search.with_memory(memory);
        self
    }

    /// The same by another clock than the machine's.
    pub fn with_time(mut self, time: Arc<dyn TimeSource>) -> SearchPlayer {
        self.search = self.search.with_time(Arc::clone(&time));
        SearchPlayer { time, ..self }
    }

    /// Drops the tree if this evaluator may evaluate its positions otherwise.
    fn drop_stale_tree(&mut self, evaluator: &Arc<dyn Evaluator<Position>>) {
        let before = self.evaluator.replace(Arc::clone(evaluator));
        if before.is_some_and(|before| fingerprints(&*before) != fingerprints(&**evaluator)) {
            self.search.clear();
        }
    }

    /// Brings the root to a position. What the tree knows of it is kept, also when a new game
    /// begins: GUIs send a whole game anew when one move changes.
    fn go_to(&mut self, position: Position, plan: &Plan) {
        let is_followed = plan.follows_moves && plan.hides_history && self.hides_history;
        let identity = match is_followed {
            true => Position::state_key,
            false => Position::key,
        };
        self.hides_history = plan.hides_history;
        let steps = self
            .search
            .root()
            .and_then(|root| steps_between(root, &position, identity));
        let Some(mut steps) = steps else {
            return self.search.set_root(position);
        };
        // The position itself shows its network what it is to know, and knows which passes leave the game open.
        if let Some((_, arrived)) = steps.last_mut() {
            *arrived = position;
        }
        for (mv, after) in steps {
            self.search.advance(mv, after);
        }
    }

    /// How a position is searched for a move in it, now or later.
    fn plan_for_move(&self) -> Plan {
        let root = &self.params.root;
        Plan {
            anti_mirror: root.move_anti_mirror.or(root.anti_mirror).unwrap_or(true),
            ..self.plan_for_analysis()
        }
    }

    /// How a position is analyzed where nothing else is asked for.
    fn plan_for_analysis(&self) -> Plan {
        Plan {
            params: self.params.search,
            anti_mirror: self.params.root.anti_mirror.unwrap_or(false),
            hides_history: self.params.root.ignore_pre_root_history,
            follows_moves: false,
        }
    }

    /// The evaluator and the parameters to search a position with: others where the opponent
    /// mirrors, so that what the search learns from the usual course of games does not undo that.
    fn prepared(
        &self,
        root: &Position,
        evaluator: Arc<dyn Evaluator<Position>>,
        plan: &Plan,
    ) -> (Arc<dyn Evaluator<Position>>, SearchParams) {
        let params = plan.params;
        let mirroring = plan.anti_mirror.then(|| Mirroring::of(root)).flatten();
        let Some(mirroring) = mirroring else {
            return (evaluator, params);
        };
        let params = SearchParams {
            noise_prune_scale: 0.0,
            value_weight_exponent: 0.0,
            bias_factor: 0.0,
            ..params
        };
        (Arc::new(AntiMirror::new(evaluator, mirroring)), params)
    }

    /// The evaluator with the policy of the network of human play beside, where the search is to explore by
    /// that too.
    fn guided(
        &self,
        root: &Position,
        evaluator: Arc<dyn Evaluator<Position>>,
    ) -> Result<Arc<dyn Evaluator<Position>>> {
        let params = &self.params.search;
        let Some(human) = self.imitating().filter(|_| params.is_guided()) else {
            return Ok(evaluator);
        };
        let guide = human.view(root.to_move(), root.size())?.evaluator;
        let guided = Guided::new(evaluator, guide, params.is_guided_below_root());
        Ok(Arc::new(guided))
    }

    /// Searches a position with an evaluator; the observer sees what is found.
    fn search(
        &mut self,
        mut root: Position,
        evaluator: Arc<dyn Evaluator<Position>>,
        plan: Plan,
        limits: &Limits,
        watch: &mut Watch,
    ) -> Result<()> {
        if plan.hides_history {
            root.hide_history();
        }
        let evaluator = self.guided(&root, evaluator)?;
        let (evaluator, params) = self.prepared(&root, evaluator, &plan);
        self.drop_stale_tree(&evaluator);
        self.search.set_params(params.for_board(root.size().area()));
        self.search
            .set_root_bonus(Arc::new(self.params.root.bonus()));
        let mut excluded = excluded(&root, watch.restrictions, &self.params.root)?;
        let is_free = *watch.restrictions == Restrictions::default();
        self.symmetric_moves = match self.params.root.symmetry_pruning && is_free {
            true => SymmetricMoves::of(&root),
            false => SymmetricMoves::none(root.size()),
        };
        let groups = self.symmetric_moves.groups(&root);
        excluded.extend(groups.iter().flat_map(|group| &group[1..]));
        self.go_to(root, &plan);
        self.search.level(groups);
        self.search.restrict(watch.restrictions);
        self.search.exclude(&excluded);
        if watch.detail.ownership || watch.detail.moves_ownership {
            self.search.want_ownership();
        }
        let Watch {
            stop,
            detail,
            reports,
            observer,
            ..
        } = watch;
        observer.begins();
        let symmetric_moves = &self.symmetric_moves;
        let mut sink = |mut report| {
            symmetric_moves.fill_in(&mut report);
            observer.sees(report);
        };
        let progress = reports.map(|reports| Progress {
            first: reports.first,
            interval: reports.interval,
            detail: *detail,
            sink: &mut sink,
        });
        let begun = self.time.now();
        self.search
            .run_reporting(&*evaluator, limits, stop, progress)?;
        self.note_due(begun);
        Ok(())
    }

    /// Chooses a move by a search of its own.
    fn choose_within(
        &mut self,
        position: &Position,
        limits: &Limits,
        mut watch: Watch,
    ) -> Result<Answer> {
        let root = open(position);
        let mut game = position.clone();
        game.resume();
        self.credit_who_is_behind(&game)?;
        let view = self.evaluators.view(root.to_move(), root.size())?;
        let (begun, worked) = (self.time.now(), self.time.worked());
        let plan = self.plan_for_move();
        let waits_for_device = view.evaluator.callers().is_some();
        self.search(root, view.evaluator, plan, limits, &mut watch)?;
        if !waits_for_device {
            self.note_share(begun, worked);
        }
        if let Some(report) = self.report_in(watch.detail) {
            watch.observer.sees(report);
        }
        if let Some(report) = self.search.report() {
            self.history.note(&game, report.win_loss);
            if self
                .params
                .resignation
                .gives_up(&game, &report, &self.history)
                && self.is_hopeless_without_advantage(position)?
            {
                return Ok(Answer::Resign);
            }
        }
        let ending = Ending::new(&game);
        let chosen = self.choice(position, &ending, &watch)?;
        let chosen = self.overlooking(&game, chosen);
        self.as_human(&game, chosen).map(Answer::Move)
    }

    /// Searches a position with the parameters and up to the limits of a move without a clock, and
    /// returns what was found; the observer sees reports before the end. Where all legal moves are
    /// forbidden, nothing but the position's own evaluation.
    pub fn analyze_within_limits(
        &mut self,
        position: &Position,
        watch: Watch,
    ) -> Result<Option<Report>> {
        let root = open(position);
        let view = self.evaluators.view(root.to_move(), root.size())?;
        let forbids_all = forbidden(&root, watch.restrictions).len() == root.legal_moves().count();
        let free = Restrictions::default();
        let (restrictions, limits) = match forbids_all {
            true => (&free, Limits::visits(1)),
            false => (watch.restrictions, self.params.limits.limits(None)),
        };
        let mut watch = Watch {
            restrictions,
            observer: &mut *watch.observer,
            ..watch
        };
        let plan = self.plan_for_analysis();
        self.search(root, view.evaluator, plan, &limits, &mut watch)?;
        Ok(self.report_in(watch.detail))
    }

    fn report_in(&self, detail: Detail) -> Option<Report> {
        let mut report = self.search.report_in(detail)?;
        self.symmetric_moves.fill_in(&mut report);
        Some(report)
    }
}

impl Player for SearchPlayer {
    fn choose(&mut self, position: &Position, clock: &Clock) -> Result<Answer> {
        self.choose_until(position, clock, &AtomicBool::new(false))
    }

    fn choose_until(
        &mut self,
        position: &Position,
        clock: &Clock,
        stop: &AtomicBool,
    ) -> Result<Answer> {
        unwatched(stop, |watch| self.choose_watched(position, clock, watch))
    }

    fn choose_watched(
        &mut self,
        position: &Position,
        clock: &Clock,
        watch: Watch,
    ) -> Result<Answer> {
        let limits = self.limits(position, clock);
        let start = self.time.now();
        self.latest = limits.pace.most.and_then(|most| start.checked_add(most));
        let stop = watch.stop;
        let answer = self.choose_within(position, &limits, watch);
        self.note_lateness();
        let answer = answer?;
        self.delay(position, answer, start, &limits, stop)?;
        Ok(answer)
    }

    fn warm_up(&mut self, position: &Position) -> Result<()> {
        self.search_apart(open(position))
    }

    fn analysis(&self) -> Option<AnalysisParams> {
        Some(self.params.analysis)
    }

    fn analyze(&mut self, position: &Position, mut watch: Watch) -> Result<()> {
        let root = open(position);
        let analysis = &self.params.analysis;
        let mut plan = self.plan_for_analysis();
        plan.params.wide_root_noise = analysis.wide_root_noise;
        plan.hides_history |= analysis.ignore_pre_root_history;
        plan.follows_moves = true;
        let view = self.evaluators.view(root.to_move(), root.size())?;
        self.search(root, view.evaluator, plan, &Limits::default(), &mut watch)?;
        // It may have come to an end by itself.
        if let Some(report) = self.report_in(watch.detail)
            && !watch.stop.load(Ordering::SeqCst)
        {
            watch.observer.sees(report);
        }
        Ok(())
    }

    fn ponders(&self) -> bool {
        self.params.limits.pondering
    }

    fn ponder(&mut self, position: &Position, own_color: Color, stop: &AtomicBool) -> Result<()> {
        let root = open(position);
        let limits = self.params.limits.pondering_limits();
        let view = self.evaluators.view(own_color, root.size())?;
        let plan = self.plan_for_move();
        unwatched(stop, |mut watch| {
            self.search(root, view.evaluator, plan, &limits, &mut watch)
        })
    }

    fn evaluators(&self) -> &dyn Evaluators {
        &*self.evaluators
    }

    fn evaluators_mut(&mut self) -> &mut dyn Evaluators {
        &mut *self.evaluators
    }

    fn human_evaluators(&self) -> Option<&dyn Evaluators> {
        self.human.as_deref()
    }

    fn time_left(&self) -> Option<Duration> {
        let now = self.time.now();
        self.latest.map(|end| end.saturating_duration_since(now))
    }

    fn ownership(
        &mut self,
        position: &Position,
        time: Option<Duration>,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<f32>>> {
        self.searched_ownership(position, &timing::limits_within(time), stop)
    }

    fn begin_game(&mut self) {
        if self.renews_seed {
            self.params.search.seed = self.params.search.seed.wrapping_add(SEED_STEP);
        }
    }

    fn forget(&mut self) {
        self.search.clear();
    }

    fn parameters(&self) -> Vec<ParamEntry> {
        let mut entries = self.params.list();
        entries.extend(self.evaluators.parameters());
        entries
    }

    fn set_parameter(&mut self, name: &str, text: &str) -> Result<()> {
        let before = self.params;
        match self.params.set(name, text) {
            Err(ParamError::Unknown(_)) => {
                self.imitate(name, text)?;
                return self.evaluators.set_parameter(name, text);
            }
            set => set?,
        }
        self.renews_seed &= name != "seed";
        let is_same =
            before.search == self.params.search && before.root.bonus() == self.params.root.bonus();
        if let Some(root) = self.search.root()
            && !is_same
        {
            let params = self.params.search.for_board(root.size().area());
            self.search.set_params(params);
            self.search.clear();
        }
        Ok(())
    }
}

/// Has something searched that nobody watches.
fn unwatched<T>(stop: &AtomicBool, search: impl FnOnce(Watch) -> Result<T>) -> Result<T> {
    search(Watch {
        stop,
        restrictions: &Restrictions::default(),
        detail: Detail::default(),
        reports: None,
        observer: &mut Nobody,
    })
}
