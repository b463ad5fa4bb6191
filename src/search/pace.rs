//! Time management during a search: the results so far shorten or lengthen its time, and it ends
//! when no further result could change the chosen move.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;

use super::choice::selection_values;
use super::game::MoveCode;
use super::limits::Limits;
use super::node::Node;
use super::params::SearchParams;
use super::root;
use super::tree::Tree;

/// A clock.
pub trait TimeSource: Debug + Send + Sync {
    /// Monotonic time.
    fn now(&self) -> Instant;

    /// Processor time used by all threads of the process so far, if known.
    fn worked(&self) -> Option<Duration> {
        None
    }
}

/// The system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct MachineTime;

impl TimeSource for MachineTime {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn worked(&self) -> Option<Duration> {
        let time = ProcessTime::try_now().ok()?;
        Some(time.as_duration())
    }
}

/// How a search may deviate from its time limit. By default not at all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Minimal time: an earlier end gains nothing.
    pub least: Duration,
    /// Maximal time, even for a first playout.
    pub most: Option<Duration>,
    /// Factor on the time for an obvious move.
    pub obvious: f64,
    /// Factor on the time while it is unclear which move is best.
    pub unclear: f64,
    /// The search ends when no other move can reach this fraction of the leading move's visits; 0
    /// is off.
    pub futile: f64,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace {
            least: Duration::ZERO,
            most: None,
            obvious: 1.0,
            unclear: 1.0,
            futile: 0.0,
        }
    }
}

/// Before this time, the rate of playouts is not used.
const FIRST_RATE: Duration = Duration::from_millis(100);

/// Interval between inspections of the root.
const REVIEW_INTERVAL: Duration = Duration::from_millis(20);

/// Entropy of the policy, in nats, at which a move is clearly not obvious (KataGo's, as the next).
const USUAL_ENTROPY: f64 = 0.30;

/// The same for the divergence of the search from the policy.
const USUAL_SURPRISE: f64 = 0.15;

/// Fraction of the previous turn's longer time that a turn keeps.
const MEMORY: f64 = 0.9;

/// State of a run, as input to the pacer.
pub(super) struct State<'a> {
    pub tree: &'a Tree,
    pub params: &'a SearchParams,
    pub excluded: &'a [MoveCode],
    /// Playouts backed up in this run.
    pub playouts: u64,
    /// Playouts that the limits still allow, including those in flight.
    pub left: u64,
}

/// Decides when a run ends by time.
pub(super) struct Pacer<'a> {
    limits: &'a Limits,
    time: &'a dyn TimeSource,
    start: Instant,
    /// Approximate maximal duration of an evaluation.
    turn: Duration,
    /// The last factor on the time, and when to update it.
    factor: f64,
    next_review: Duration,
    /// Time of the last check.
    last_check: Duration,
    /// End of the run, once it is decided.
    due: Option<Duration>,
}

impl<'a> Pacer<'a> {
    /// For a run that began at `start` and has evaluated the root.
    pub fn new(limits: &'a Limits, time: &'a dyn TimeSource, start: Instant) -> Pacer<'a> {
        Pacer {
            limits,
            time,
            start,
            turn: time.now().saturating_duration_since(start),
            factor: 1.0,
            next_review: Duration::ZERO,
            last_check: Duration::ZERO,
            due: None,
        }
    }

    /// Records a finished evaluation that began at `begun`.
    pub fn evaluated(&mut self, begun: Instant) {
        let turn = self.time.now().saturating_duration_since(begun);
        self.turn = turn.max(self.turn.mul_f64(MEMORY));
    }

    /// Time from the start at which the run was to end, if it ended by time.
    pub fn due(&self) -> Option<Duration> {
        self.due
    }

    /// Whether the run must end now, apart from its limits on visits.
    pub fn is_over(&mut self, state: &State) -> bool {
        let Limits { time, pace, .. } = *self.limits;
        if time.is_none() && pace.futile == 0.0 {
            return false;
        }
        let spent = self.time.now().saturating_duration_since(self.start);
        let last_check = std::mem::replace(&mut self.last_check, spent);
        // A new evaluation must be finished in time.
        if let Some(most) = pace.most
            && spent + self.turn > most
        {
            return self.ends(most.min(spent));
        }
        if state.tree.root().visits <= 1 {
            return false;
        }
        let time = time.map(|time| self.adjusted(time, spent, state));
        if let Some(time) = time
            && spent >= time
        {
            let is_over = spent >= scaled(time, pace.unclear) || !is_unclear(state);
            // The run had not reached its end at the last check.
            return is_over && self.ends(time.max(last_check).min(spent));
        }
        spent >= pace.least && self.is_futile(time, spent, state) && self.ends(spent)
    }

    /// Records when the run was to end.
    fn ends(&mut self, due: Duration) -> bool {
        self.due.get_or_insert(due);
        true
    }

    /// The current time for this move.
    fn adjusted(&mut self, time: Duration, spent: Duration, state: &State) -> Duration {
        let pace = &self.limits.pace;
        if pace.obvious != 1.0 && spent >= self.next_review {
            self.next_review = spent + REVIEW_INTERVAL;
            self.factor = 1.0 + obviousness(state) * (pace.obvious - 1.0);
        }
        scaled(time, self.factor).max(pace.least.min(time))
    }

    /// Whether no move but the leading one can be chosen any more.
    fn is_futile(&self, time: Option<Duration>, spent: Duration, state: &State) -> bool {
        let share = self.limits.pace.futile;
        if share == 0.0 {
            return false;
        }
        let left = state.left.min(self.playouts_left(time, spent, state));
        if left == u64::MAX {
            return false;
        }
        let visits = edge_visits(state.tree.root());
        let Some(best) = root::first_largest(&visits) else {
            return false;
        };
        let others = visits
            .iter()
            .enumerate()
            .filter(|(index, _)| *index != best);
        let second = others.fold(0.0_f64, |most, (_, &visits)| most.max(visits));
        second + (left as f64) < share * visits[best] && favorite(state) == Some(best)
    }

    /// Playouts that the time allows at the current rate.
    fn playouts_left(&self, time: Option<Duration>, spent: Duration, state: &State) -> u64 {
        let Some(time) = time else {
            return u64::MAX;
        };
        if spent < FIRST_RATE {
            return u64::MAX;
        }
        let rate = state.playouts as f64 / spent.as_secs_f64();
        let left = time.saturating_sub(spent).as_secs_f64() * rate;
        // The cast saturates.
        (left.ceil() as u64).saturating_add(u64::from(state.params.lanes()) - 1)
    }
}

/// A duration times a factor, saturating.
fn scaled(time: Duration, factor: f64) -> Duration {
    if factor == 1.0 {
        return time;
    }
    Duration::try_from_secs_f64(time.as_secs_f64() * factor).unwrap_or(Duration::MAX)
}

fn edge_visits(node: &Node) -> Vec<f64> {
    let edges = node.edges.iter();
    edges.map(|edge| f64::from(edge.visits)).collect()
}

/// The move that would be chosen now.
fn favorite(state: &State) -> Option<usize> {
    let values = selection_values(state.tree, state.params, state.excluded);
    root::first_largest(&values)
}

/// Whether the most visited move differs from the one that would be chosen.
fn is_unclear(state: &State) -> bool {
    root::first_largest(&edge_visits(state.tree.root())) != favorite(state)
}

/// 1 if policy and search agree on a certain move, near 0 otherwise.
fn obviousness(state: &State) -> f64 {
    let root = state.tree.root();
    let total: f64 = root.priors.iter().map(|&prior| f64::from(prior)).sum();
    let values = selection_values(state.tree, state.params, state.excluded);
    let found: f64 = values.iter().sum();
    if total <= 0.0 || found <= 0.0 {
        return 0.0;
    }
    let shares = root.priors.iter().map(|&prior| f64::from(prior) / total);
    let entropy: f64 = shares.clone().map(|p| -p * p.max(1e-30).ln()).sum();
    let pairs = values.iter().map(|value| value / found).zip(shares);
    let surprise: f64 = pairs
        .map(|(q, p)| q * (q.max(1e-30) / p.max(1e-30)).ln())
        .sum();
    (-entropy / USUAL_ENTROPY)
        .exp()
        .min((-surprise.max(0.0) / USUAL_SURPRISE).exp())
}
