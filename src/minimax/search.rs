//! The node of the alpha-beta search: principal variation search (Marsland and Campbell 1982),
//! fail-soft.

use super::ordering::{Candidate, Next};
use super::plain::after;
use super::position::{Position, StaticEval, Wanted};
use super::pruning::{
    REVERSE_FUTILITY_DEPTH, SKIPPING_DEPTH, VERIFIED_FROM, futility_margin, late_move_count,
    null_move_reduction, tolerated_loss,
};
use super::quiescence::usable;
use super::score::{INFINITE, LONGEST_MATE, Score, clamped, lost_at, won_at};
use super::table::NO_EVAL;
use super::worker::{MAX_PLY, Stopped, Worker};

/// What pruning depends on.
struct Node {
    depth: i32,
    /// Static evaluation; means nothing if unsettled.
    eval: Score,
    is_settled: bool,
    is_pv: bool,
    /// The evaluation has risen since this side's last move.
    is_improving: bool,
}

impl Node {
    /// Whether moves may be skipped.
    fn may_skip(&self) -> bool {
        self.is_settled && !self.is_pv && self.depth <= SKIPPING_DEPTH
    }
}

impl<P: Position, E: StaticEval<P>> Worker<'_, P, E> {
    /// Value of a position below the root, searched `depth` plies deep. Values outside the window
    /// are bounds.
    pub(super) fn node(
        &mut self,
        position: &P,
        depth: i32,
        alpha: Score,
        beta: Score,
        ply: usize,
    ) -> Result<Score, Stopped> {
        if depth <= 0 {
            return self.leaf(position, alpha, beta, ply);
        }
        self.count(ply)?;
        self.frames[ply].line.clear();
        let key = position.key();
        if let Some(score) = self.over(position, key, ply) {
            return Ok(score);
        }
        if let Some(score) = self.shared.evaluator.solved(position) {
            return Ok(clamped(score));
        }
        if ply >= MAX_PLY {
            return Ok(self.evaluate(position));
        }
        // No line from here is better than winning at once, or worse than having lost.
        let (alpha, beta) = (alpha.max(lost_at(ply)), beta.min(won_at(ply + 1)));
        if alpha >= beta {
            return Ok(alpha);
        }
        let is_pv = beta - alpha > 1;
        let params = self.shared.params;
        let entry = self.known(key);
        if let Some(entry) = entry
            && (!is_pv || params.exact_depth)
            && (!params.exact_depth || i32::from(entry.depth) == depth)
            && let Some(score) = usable(&entry, depth, alpha, beta, ply)
        {
            return Ok(score);
        }
        let eval = self.static_eval(position, entry.as_ref());
        let is_settled = eval != NO_EVAL;
        self.frames[ply].eval = eval;
        self.history.forget_killers(ply + 2);
        if is_settled && !is_pv {
            let margin = params.reverse_futility * depth;
            let is_far_above =
                margin > 0 && depth <= REVERSE_FUTILITY_DEPTH && eval - margin >= beta;
            if is_far_above && eval < LONGEST_MATE {
                return Ok(eval);
            }
            if let Some(score) = self.null_move(position, key, depth, eval, beta, ply)? {
                return Ok(score);
            }
        }
        let knows_no_move = entry.is_none_or(|entry| entry.code == 0);
        let depth = match params.internal_reduction && depth >= 4 && knows_no_move {
            true => depth - 1,
            false => depth,
        };
        let code = entry.map_or(0, |entry| entry.code);
        self.children(position, key, code, depth, (alpha, beta), ply)
    }

    /// The moves of a node.
    fn children(
        &mut self,
        position: &P,
        key: u64,
        code: u16,
        depth: i32,
        (alpha, beta): (Score, Score),
        ply: usize,
    ) -> Result<Score, Stopped> {
        let eval = self.frames[ply].eval;
        let is_settled = eval != NO_EVAL;
        let node = Node {
            depth,
            eval,
            is_settled,
            is_pv: beta - alpha > 1,
            is_improving: is_settled && ply >= 2 && eval > self.frames[ply - 2].eval,
        };
        let deeper = depth - 1 + i32::from(self.shared.params.extensions && !is_settled);
        let before = self.shape_before(ply);
        let mut queue = self.queue(position, Wanted::All, code, ply);
        self.frames[ply].tried.clear();
        let (mut best, mut best_move) = (-INFINITE, None);
        let mut low = alpha;
        while let Some(next) = queue.next(position) {
            let Next {
                candidate, number, ..
            } = next;
            let mv = candidate.mv;
            let is_quiet = position.gain(mv) == 0;
            if best > -LONGEST_MATE && node.may_skip() {
                if is_quiet && self.skips_quiet(&node, number, low) {
                    queue.drop_quiet();
                    continue;
                }
                if self.loses_too_much(position, &node, &candidate) {
                    continue;
                }
            }
            let (child, sign) = after(position, mv);
            self.touch(&child);
            // All threads search the first move together.
            let busy = match number {
                1 => None,
                _ => self.shared.busy.name(child.key(), depth),
            };
            if !next.was_put_off && busy.is_some_and(|name| self.shared.busy.has(name)) {
                queue.put_off(candidate, number);
                continue;
            }
            let reduction = self.reduction(position, &child, &node, &next, ply);
            self.frames[ply].shape = Some(position.shape(mv));
            self.line.push(key);
            busy.inspect(|name| self.shared.busy.begin(*name));
            let window = (low, beta);
            let score = self.child(&child, sign, deeper, reduction, window, number == 1, ply)?;
            busy.inspect(|name| self.shared.busy.end(*name));
            self.line.pop();
            if is_quiet {
                self.frames[ply].tried.push(mv);
            }
            if score <= best {
                continue;
            }
            best = score;
            if score > low {
                low = score;
                best_move = Some(mv);
                self.set_line(ply, mv);
            }
            if score >= beta {
                if is_quiet {
                    let tried = std::mem::take(&mut self.frames[ply].tried);
                    self.history
                        .reward(position, before, depth, ply, &tried, mv);
                    self.frames[ply].tried = tried;
                }
                break;
            }
        }
        let has_no_move = queue.is_untouched();
        self.frames[ply].queue = queue;
        if has_no_move {
            let verdict = position.verdict(true);
            return Ok(verdict.map_or(lost_at(ply), |it| self.judged(position, it, ply)));
        }
        let code = best_move.map_or(0, |mv| position.code(mv));
        self.store(key, code, best, eval, depth, (alpha, beta), ply);
        Ok(best)
    }

    /// Whether quiet moves from this number on are skipped, too late or too far below alpha.
    fn skips_quiet(&self, node: &Node, number: usize, alpha: Score) -> bool {
        let params = &self.shared.params;
        let is_late = number > late_move_count(node.depth, node.is_improving);
        let is_futile = node.eval + futility_margin(node.depth) <= alpha;
        params.late_move_pruning && is_late || params.futility && is_futile
    }

    /// Whether a move loses more by exchanges than the depth tolerates.
    fn loses_too_much(&self, position: &P, node: &Node, candidate: &Candidate<P::Move>) -> bool {
        let is_quiet = position.gain(candidate.mv) == 0;
        let may_lose = is_quiet || candidate.is_losing();
        self.shared.params.exchange_pruning
            && may_lose
            && !position.keeps(candidate.mv, tolerated_loss(node.depth, is_quiet))
    }

    /// Plies by which a move is reduced.
    fn reduction(
        &self,
        position: &P,
        child: &P,
        node: &Node,
        next: &Next<P::Move>,
        ply: usize,
    ) -> i32 {
        let late = next.number > 1 + usize::from(node.is_pv);
        if !self.shared.params.reductions || node.depth < 3 || !late {
            return 0;
        }
        let mv = next.candidate.mv;
        if position.gain(mv) != 0 {
            return i32::from(next.candidate.is_losing());
        }
        let before = self.shape_before(ply);
        let history = self
            .history
            .score(position.to_move(), before, position.shape(mv));
        let promise = i32::from(self.history.is_killer(ply, mv))
            + i32::from(!child.is_settled())
            + history / 8192;
        let base = self.shared.reductions.get(node.depth, next.number);
        let reduction = base + i32::from(!node.is_improving) - i32::from(node.is_pv) - promise;
        reduction.clamp(0, node.depth - 2)
    }

    /// Value of a move by principal variation search: the first with the whole window, others with
    /// an empty one, reduced, and again if they turn out better.
    #[expect(
        clippy::too_many_arguments,
        reason = "the state of the loop over moves"
    )]
    pub(super) fn child(
        &mut self,
        child: &P,
        sign: Score,
        depth: i32,
        reduction: i32,
        (alpha, beta): (Score, Score),
        is_first: bool,
        ply: usize,
    ) -> Result<Score, Stopped> {
        let mut search = |depth, low: Score, high: Score| match sign {
            1 => self.node(child, depth, low, high, ply + 1),
            _ => self
                .node(child, depth, -high, -low, ply + 1)
                .map(|score| -score),
        };
        if is_first {
            return search(depth, alpha, beta);
        }
        let mut score = search(depth - reduction, alpha, alpha + 1)?;
        if reduction > 0 && score > alpha {
            score = search(depth, alpha, alpha + 1)?;
        }
        if score > alpha && score < beta {
            score = search(depth, alpha, beta)?;
        }
        Ok(score)
    }

    /// Null move pruning: if passing is good enough, so is the best move.
    fn null_move(
        &mut self,
        position: &P,
        key: u64,
        depth: i32,
        eval: Score,
        beta: Score,
        ply: usize,
    ) -> Result<Option<Score>, Stopped> {
        let after_null = ply > 0 && self.frames[ply - 1].shape.is_none();
        let is_tried = self.shared.params.null_move
            && depth >= 3
            && eval >= beta
            && beta > -LONGEST_MATE
            && ply >= self.null_move_from
            && !after_null;
        let Some(passed) = is_tried.then(|| position.pass()).flatten() else {
            return Ok(None);
        };
        self.touch(&passed);
        let reduced = depth - null_move_reduction(depth);
        self.frames[ply].shape = None;
        self.line.push(key);
        let score = -self.node(&passed, reduced, -beta, -beta + 1, ply + 1)?;
        self.line.pop();
        if score < beta {
            return Ok(None);
        }
        // A win found by passing is not a win.
        let score = if score >= LONGEST_MATE { beta } else { score };
        if depth < VERIFIED_FROM || self.null_move_from > 0 {
            return Ok(Some(score));
        }
        self.null_move_from = ply + reduced.max(1) as usize * 3 / 4;
        let verified = self.node(position, reduced, beta - 1, beta, ply)?;
        self.null_move_from = 0;
        Ok((verified >= beta).then_some(score))
    }
}
