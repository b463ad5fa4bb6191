//! Quiescence search: captures and promotions only, until the position is settled.

use super::ordering::{Next, Queue};
use super::plain::after;
use super::position::{Position, StaticEval, Wanted};
use super::pruning::DELTA;
use super::report::Bound;
use super::score::{INFINITE, LONGEST_MATE, Score, from_table, lost_at, to_table};
use super::table::{Entry, NO_EVAL};
use super::worker::{MAX_PLY, Stopped, Worker};

impl<P: Position, E: StaticEval<P>> Worker<'_, P, E> {
    /// Value of a position below the last ply.
    pub(super) fn leaf(
        &mut self,
        position: &P,
        alpha: Score,
        beta: Score,
        ply: usize,
    ) -> Result<Score, Stopped> {
        self.count(ply)?;
        self.frames[ply].line.clear();
        if let Some(score) = self.over(position, position.key(), ply) {
            return Ok(score);
        }
        if self.shared.params.quiescence {
            return self.quiescence(position, alpha, beta, ply);
        }
        if position.has_moves() {
            return Ok(self.evaluate(position));
        }
        Ok(match position.verdict(true) {
            Some(verdict) => self.judged(position, verdict, ply),
            None => self.evaluate(position),
        })
    }

    fn quiescence(
        &mut self,
        position: &P,
        alpha: Score,
        beta: Score,
        ply: usize,
    ) -> Result<Score, Stopped> {
        if ply >= MAX_PLY {
            return Ok(self.evaluate(position));
        }
        let key = position.key();
        let entry = self.known(key);
        if let Some(entry) = entry
            && beta - alpha == 1
            && let Some(score) = usable(&entry, 0, alpha, beta, ply)
        {
            return Ok(score);
        }
        let eval = self.static_eval(position, entry.as_ref());
        let is_settled = eval != NO_EVAL;
        let mut best = if is_settled { eval } else { -INFINITE };
        if best >= beta {
            return Ok(best);
        }
        let window = (alpha, beta);
        let mut alpha = alpha.max(best);
        let wanted = match is_settled {
            true => Wanted::Forcing,
            false => Wanted::All,
        };
        let mut queue = self.queue(position, wanted, entry.map_or(0, |it| it.code), ply);
        let mut best_move = None;
        while let Some(Next { candidate, .. }) = queue.next(position) {
            let mv = candidate.mv;
            if best > -LONGEST_MATE {
                if candidate.is_losing() {
                    break;
                }
                if is_settled && eval + position.gain(mv) + DELTA <= alpha {
                    best = best.max(eval + position.gain(mv) + DELTA);
                    continue;
                }
            }
            let (child, sign) = after(position, mv);
            self.touch(&child);
            self.frames[ply].shape = Some(position.shape(mv));
            self.line.push(key);
            let score = match sign {
                1 => self.leaf(&child, alpha, beta, ply + 1)?,
                _ => -self.leaf(&child, -beta, -alpha, ply + 1)?,
            };
            self.line.pop();
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    best_move = Some(mv);
                    self.set_line(ply, mv);
                }
                if score >= beta {
                    break;
                }
            }
        }
        let has_no_move = queue.is_untouched();
        self.frames[ply].queue = queue;
        if has_no_move && !is_settled {
            return Ok(match position.verdict(true) {
                Some(verdict) => self.judged(position, verdict, ply),
                None => lost_at(ply),
            });
        }
        let code = best_move.map_or(0, |mv| position.code(mv));
        self.store(key, code, best, eval, 0, window, ply);
        Ok(best)
    }

    /// The moves of a node with their order.
    pub(super) fn queue(
        &mut self,
        position: &P,
        wanted: Wanted,
        from_table: u16,
        ply: usize,
    ) -> Queue<P::Move> {
        let before = self.shape_before(ply);
        let frame = &mut self.frames[ply];
        frame.moves.clear();
        match wanted {
            Wanted::All => position.worthwhile(&mut frame.moves),
            Wanted::Forcing => position.moves(wanted, &mut frame.moves),
        }
        let mut queue = std::mem::take(&mut frame.queue);
        queue.clear();
        self.history.rank(
            position,
            &frame.moves,
            from_table,
            before,
            ply,
            &mut queue.candidates,
        );
        queue
    }

    /// Stores the result of a node that was searched with a window.
    #[expect(clippy::too_many_arguments, reason = "all are fields of an entry")]
    pub(super) fn store(
        &self,
        key: u64,
        code: u16,
        score: Score,
        eval: Score,
        depth: i32,
        (alpha, beta): (Score, Score),
        ply: usize,
    ) {
        if !self.shared.params.table {
            return;
        }
        let bound = match score {
            _ if score >= beta => Bound::Lower,
            _ if score > alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        let entry = Entry {
            code,
            score: to_table(score, ply),
            eval,
            depth: depth.clamp(0, 255) as u8,
            bound,
        };
        self.shared.table.put(key, entry);
    }
}

/// The score of an entry if it is deep enough and decides a window.
pub(super) fn usable(
    entry: &Entry,
    depth: i32,
    alpha: Score,
    beta: Score,
    ply: usize,
) -> Option<Score> {
    let score = from_table(entry.score, ply);
    let decides = match entry.bound {
        Bound::Exact => true,
        Bound::Lower => score >= beta,
        Bound::Upper => score <= alpha,
    };
    (decides && i32::from(entry.depth) >= depth).then_some(score)
}
