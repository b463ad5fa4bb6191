//! The root of the search: its moves, aspiration windows, iterations.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::plain::after;
use super::position::{Position, StaticEval, Wanted};
use super::report::{Bound, Report, Variation};
use super::score::{INFINITE, Score, plies_to_end};
use super::worker::{MAX_PLY, Stopped, Worker};

/// Depth from which windows are narrow.
const ASPIRATION_DEPTH: u32 = 5;
/// Time after which bounds and the current move are reported.
const TALKATIVE_AFTER: Duration = Duration::from_secs(3);

/// A move of the root with what is known about it.
#[derive(Clone, Debug)]
pub(super) struct RootMove<M> {
    /// The move and the variation after it.
    pub line: Vec<M>,
    /// Value in this iteration; `-INFINITE` for moves known only to be no better than others.
    pub score: Score,
    /// Value in the last iteration.
    previous: Score,
    /// Whether the score is a value.
    bound: Bound,
    /// Longest path.
    selective_depth: usize,
}

/// Receiver of reports.
pub(super) type Sink<'a, M> = &'a (dyn Fn(Report<M>) + Sync);

/// The root moves of one thread.
pub(super) struct Root<'a, 'b, P: Position, E> {
    pub worker: Worker<'a, P, E>,
    pub position: &'b P,
    pub moves: Vec<RootMove<P::Move>>,
    /// Whether these are all legal moves, so that the result is one for the table.
    pub is_whole: bool,
    /// How many principal variations are wanted.
    pub variations: usize,
    /// Where to report; `None` for helper threads.
    pub sink: Option<Sink<'b, P::Move>>,
}

impl<P: Position, E: StaticEval<P>> Root<'_, '_, P, E> {
    /// Searches deeper and deeper, from depth `first`, until a limit is reached. Returns the last
    /// completed depth.
    pub fn iterate(&mut self, first: u32) -> u32 {
        let limits = self.worker.shared.limits;
        let deepest = limits.depth.unwrap_or(MAX_PLY as u32).min(MAX_PLY as u32);
        let mut completed = 0;
        let mut steadiness = Steadiness::new();
        for depth in first.max(1)..=deepest.max(first) {
            for mv in &mut self.moves {
                mv.previous = std::mem::replace(&mut mv.score, -INFINITE);
            }
            let stopped = (0..self.variations.min(self.moves.len()))
                .find_map(|rank| self.variation(depth, rank).err());
            if stopped.is_some() {
                self.settle_interrupted(depth);
                break;
            }
            completed = depth;
            if self.sink.is_some() {
                steadiness.note(&self.moves[0]);
                if self.is_enough(depth, &steadiness) {
                    break;
                }
                // While pondering; the next depth need not be completed when the clock starts.
                let (shared, is_forced) = (self.worker.shared, self.moves.len() == 1);
                shared.is_forced.store(is_forced, Ordering::Relaxed);
            }
            if self.worker.shared.is_over() {
                break;
            }
        }
        completed
    }

    /// Finds the variation with this rank (from 0), the better ones being known.
    fn variation(&mut self, depth: u32, rank: usize) -> Result<(), Stopped> {
        self.worker.selective_depth = 0;
        let expected = self.moves[rank].previous;
        let is_narrow = depth >= ASPIRATION_DEPTH && expected > -INFINITE;
        let mut width = match self.worker.shared.params.aspiration {
            width @ 1.. if is_narrow && plies_to_end(expected).is_none() => width,
            _ => 2 * INFINITE,
        };
        let (mut alpha, mut beta) = (
            (expected - width).max(-INFINITE),
            (expected.saturating_add(width)).min(INFINITE),
        );
        loop {
            let score = self.moves_from(depth, rank, alpha, beta)?;
            self.moves[rank..].sort_by_key(|mv| -mv.score);
            let bound = match score {
                _ if score <= alpha && alpha > -INFINITE => Bound::Upper,
                _ if score >= beta && beta < INFINITE => Bound::Lower,
                _ => Bound::Exact,
            };
            let selective_depth = self.worker.selective_depth;
            let best = &mut self.moves[rank];
            (best.bound, best.selective_depth) = (bound, selective_depth);
            match bound {
                Bound::Exact => break,
                Bound::Upper => {
                    beta = (alpha + beta) / 2;
                    alpha = (score - width).max(-INFINITE);
                }
                Bound::Lower => beta = (score + width).min(INFINITE),
            }
            if self.is_talkative() {
                self.report(depth, rank);
            }
            width += width;
        }
        // Moves of later ranks may have turned out better than those before.
        self.moves[..=rank].sort_by_key(|mv| -mv.score);
        if rank + 1 == self.variations.min(self.moves.len()) {
            for rank in 0..=rank {
                self.report(depth, rank);
            }
        }
        Ok(())
    }

    /// Searches the moves from `rank` on.
    fn moves_from(
        &mut self,
        depth: u32,
        rank: usize,
        alpha: Score,
        beta: Score,
    ) -> Result<Score, Stopped> {
        let position = self.position;
        let key = position.key();
        let (mut best, mut low) = (-INFINITE, alpha);
        self.worker.frames[0].eval = self.worker.static_eval(position, None);
        self.worker.history.forget_killers(2);
        for mv in &mut self.moves[rank + 1..] {
            mv.score = -INFINITE;
        }
        for number in rank..self.moves.len() {
            let mv = self.moves[number].line[0];
            self.report_current(depth, mv, number + 1);
            let (child, sign) = after(position, mv);
            let may_reduce = position.gain(mv) == 0 && child.is_settled();
            let reduction = match may_reduce {
                true => self.reduction(depth, number - rank),
                false => 0,
            };
            self.worker.frames[0].shape = Some(position.shape(mv));
            self.worker.line.push(key);
            let is_first = number == rank;
            let deeper = depth as i32 - 1;
            let window = (low, beta);
            let score = self
                .worker
                .child(&child, sign, deeper, reduction, window, is_first, 0)?;
            self.worker.line.pop();
            if is_first || score > low {
                self.moves[number].score = score;
                let line = &mut self.moves[number].line;
                line.truncate(1);
                line.extend_from_slice(&self.worker.frames[1].line);
            }
            best = best.max(score);
            low = low.max(score);
            if score >= beta {
                break;
            }
        }
        if rank == 0 && self.is_whole {
            let best_move = self.moves.iter().max_by_key(|mv| mv.score);
            let code = best_move.map_or(0, |mv| position.code(mv.line[0]));
            let (eval, window) = (self.worker.frames[0].eval, (alpha, beta));
            self.worker
                .store(key, code, best, eval, depth as i32, window, 0);
        }
        Ok(best)
    }

    /// Plies by which the quiet move with this number (from 0) is reduced, less than below the root.
    fn reduction(&self, depth: u32, number: usize) -> i32 {
        let shared = self.worker.shared;
        let is_late = number >= 2 + usize::from(depth < 6);
        match shared.params.reductions && depth >= 4 && is_late {
            true => (shared.reductions.get(depth as i32, number) - 1).max(0),
            false => 0,
        }
    }

    /// After an interruption: a better move that has been found counts. Without any result the score
    /// is an evaluation, at the depth before the first.
    fn settle_interrupted(&mut self, depth: u32) {
        self.moves.sort_by_key(|mv| -mv.score);
        let best = &mut self.moves[0];
        if best.score.max(best.previous) == -INFINITE {
            best.previous = self.worker.evaluate(self.position);
        }
        // Ranks that this iteration has not reached keep their last values.
        for rank in 0..self.variations.min(self.moves.len()) {
            let root = &mut self.moves[rank];
            let is_new = root.score > -INFINITE;
            root.score = if is_new { root.score } else { root.previous };
            if root.score > -INFINITE {
                self.report(depth - u32::from(!is_new), rank);
            }
        }
    }

    /// The variation of a rank at the end of a search or iteration.
    pub fn described(&self, depth: u32, rank: usize) -> Variation<P::Move> {
        let shared = self.worker.shared;
        let root = &self.moves[rank];
        Variation {
            depth,
            selective_depth: root.selective_depth.max(root.line.len()) as u32,
            rank: rank + 1,
            score: root.score,
            bound: root.bound,
            nodes: shared.nodes.load(Ordering::Relaxed),
            elapsed: shared.control.elapsed(),
            table_fill: shared.table.fill(),
            moves: root.line.clone(),
        }
    }

    fn report(&mut self, depth: u32, rank: usize) {
        if let Some(sink) = self.sink {
            self.worker.add_nodes();
            sink(Report::Variation(self.described(depth, rank)));
        }
    }

    fn report_current(&self, depth: u32, mv: P::Move, number: usize) {
        if let Some(sink) = self.sink
            && self.is_talkative()
        {
            sink(Report::Current { depth, mv, number });
        }
    }

    fn is_talkative(&self) -> bool {
        self.worker.shared.control.elapsed() >= TALKATIVE_AFTER
    }

    /// Whether a deeper iteration is not worth its time.
    fn is_enough(&self, depth: u32, steadiness: &Steadiness<P::Move>) -> bool {
        let limits = self.worker.shared.limits;
        let distance = plies_to_end(self.moves[0].score);
        let has_win = limits
            .win_within
            .zip(distance)
            .is_some_and(|(most, plies)| plies > 0 && plies <= most as Score);
        let Some(on_clock) = self.worker.shared.control.on_clock() else {
            return has_win;
        };
        let soft = limits.time.and_then(|time| time.soft);
        let is_time = soft.is_some_and(|soft| {
            // A win or loss whose length the depth exceeds by far will not change.
            let is_decided = distance.is_some_and(|plies| plies.unsigned_abs() * 2 < depth);
            self.moves.len() == 1
                || is_decided
                || on_clock >= soft.mul_f64(steadiness.time_factor())
        });
        has_win || is_time
    }
}

/// How long the best move has stayed the same, and whether its score falls.
struct Steadiness<M> {
    best: Option<M>,
    iterations: u32,
    score: Score,
    fall: Score,
}

impl<M: Copy + Eq> Steadiness<M> {
    fn new() -> Steadiness<M> {
        Steadiness {
            best: None,
            iterations: 0,
            score: 0,
            fall: 0,
        }
    }

    fn note(&mut self, root: &RootMove<M>) {
        let best = Some(root.line[0]);
        self.iterations = if best == self.best {
            self.iterations + 1
        } else {
            0
        };
        self.best = best;
        self.fall = self.score - root.score;
        self.score = root.score;
    }

    /// Factor on the soft time: 1.5 for a new best move to 0.6 for one of several iterations, more
    /// if the score falls.
    fn time_factor(&self) -> f64 {
        let steady = 1.5 - 0.18 * f64::from(self.iterations.min(5));
        let worried = 1.0 + f64::from(self.fall.clamp(0, 60)) / 100.0;
        steady * worried
    }
}

/// The legal moves of the root among `allowed` (all if that is empty), best guesses first.
pub(super) fn root_moves<P: Position>(position: &P, allowed: &[P::Move]) -> Vec<RootMove<P::Move>> {
    let mut moves = Vec::new();
    match allowed {
        [] => position.worthwhile(&mut moves),
        _ => position.moves(Wanted::All, &mut moves),
    }
    moves.retain(|mv| allowed.is_empty() || allowed.contains(mv));
    moves.sort_by_key(|&mv| match position.gain(mv) {
        0 => 0,
        _ if position.keeps(mv, 0) => -position.urgency(mv),
        _ => 1,
    });
    let root_move = |mv| RootMove {
        line: vec![mv],
        score: -INFINITE,
        previous: -INFINITE,
        bound: Bound::Exact,
        selective_depth: 0,
    };
    moves.into_iter().map(root_move).collect()
}
