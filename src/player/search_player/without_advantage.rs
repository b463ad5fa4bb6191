//! How things stand, apart from what a searching player tells its network to make it play: with
//! advantages given to the side that was behind, and judgements for which they are taken back.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Result;

use super::super::view::{before_the_end, open};
use super::SearchPlayer;
use crate::go::{Color, Komi, Position};
use crate::search::evaluator::{Evaluator, Request};
use crate::search::limits::Limits;
use crate::search::mcts::Search;
use crate::search::params::SearchParams;
use crate::search::{Detail, Game};

/// Searches that judge a position: one with either side to move.
const JUDGING_SEARCHES: u64 = 2;

/// Multiply-adds of the searches that judge a position: a count, so that judgements do not depend on how
/// busy the machine is, of which a core of 2020 makes some 50 to 200 billion a second.
const JUDGING_WORK: u64 = 60_000_000_000;

/// Visits that judge a position with the largest of networks.
const LEAST_JUDGING_VISITS: u64 = 8;

/// Evaluations that look for an even komi. With three of them 53 of 57 finished games of GNU Go's
/// tests got the listed score, with five or eight 54.
const EVEN_KOMI_TRIES: usize = 8;

impl SearchPlayer {
    /// Tells the network of an advantage of the side that was behind at the start, if so set.
    pub(super) fn credit_who_is_behind(&mut self, game: &Position) -> Result<()> {
        let per_lead = self.params.root.advantage_per_lead;
        if per_lead == 0.0 {
            // It may have been set until now.
            return match self.advantage.take_back() {
                true => self.evaluators.set_advantage(Color::White, 0.0),
                false => Ok(()),
            };
        }
        let updated = self.advantage.update(game, &self.history, per_lead);
        let (side, doublings) = updated.unwrap_or((Color::White, 0.0));
        self.evaluators.set_advantage(side, doublings)
    }

    /// Whether a position that the search takes to be lost is so without an advantage of either
    /// side too: by the network's own opinion, in one evaluation. KataGo resigns by what it has
    /// searched, advantages included, and leaves them out where it tells the score (1.17, gtp.cpp);
    /// but a side that the network was told is the weaker one should not give up for that.
    pub(super) fn is_hopeless_without_advantage(&self, position: &Position) -> Result<bool> {
        if !self.evaluators.has_advantage() {
            return Ok(true);
        }
        let root = open(position);
        let view = self.evaluators.neutral_view(root.to_move(), root.size())?;
        let answer = view.evaluator.evaluate_one(Request::root(root))?;
        let (win_loss, lead) = (f64::from(answer.win_loss), f64::from(answer.lead));
        Ok(self.params.resignation.is_hopeless(win_loss, lead))
    }

    /// Expected ownership by a search of its own, +1 for Black, if the network estimates it; `limits` may end it before it
    /// has all its visits.
    pub(super) fn searched_ownership(
        &self,
        position: &Position,
        limits: &Limits,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<f32>>> {
        let visits = self.params.root.judging_visits.div_ceil(JUDGING_SEARCHES);
        let mut root = before_the_end(position);
        let view = self.evaluators.neutral_view(root.to_move(), root.size())?;
        if visits == 0 || !view.search_tells_ownership() {
            return Ok(None);
        }
        let affordable = view
            .multiply_adds
            .map_or(visits, |work| JUDGING_WORK / JUDGING_SEARCHES / work.max(1));
        let visits = visits.min(affordable.max(LEAST_JUDGING_VISITS));
        // A tree of its own, so that judging does not change how the game goes on; and one thread, as
        // several find something else each time.
        let params = SearchParams {
            threads: 1,
            seed: 0,
            ..self.params.search.for_board(root.size().area())
        };
        let bonus = Arc::new(self.params.root.bonus());
        let mut search = Search::new(params).with_root_bonus(bonus);
        let sign = Game::to_move(&root).sign() as f32;
        root.set_komi(even_komi(&*view.evaluator, &root)?);
        search.set_root(root);
        search.want_ownership();
        let limits = Limits {
            visits: Some(visits),
            ..*limits
        };
        search.run(&*view.evaluator, &limits, stop)?;
        let detail = Detail {
            ownership: true,
            ..Detail::default()
        };
        let report = search.report_in(detail);
        let ownership = report.and_then(|report| report.ownership);
        Ok(ownership.map(|ownership| ownership.mean.iter().map(|owner| sign * owner).collect()))
    }
}

/// The komi with which a position is even, as far as a network can tell. A search that is sure of the
/// winner cares little for stones that make no difference to that; with this komi they do.
fn even_komi(evaluator: &dyn Evaluator<Position>, position: &Position) -> Result<Komi> {
    let mut even = position.clone();
    for _ in 0..EVEN_KOMI_TRIES {
        let lead = evaluator.evaluate_one(Request::root(even.clone()))?.lead;
        if lead.abs() < 0.5 {
            break;
        }
        let lead_black = lead * f32::from(even.to_move().sign());
        let points = f64::from(even.komi().points() + lead_black);
        let Some(komi) = Komi::from_points(points.round() + 0.5) else {
            break;
        };
        even.set_komi(komi);
    }
    Ok(even.komi())
}
