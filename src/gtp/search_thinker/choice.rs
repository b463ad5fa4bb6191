//! The choice of a move once a searching player has searched, with second thoughts about passing.

use anyhow::{Context, Result};

use super::super::thinker::Watch;
use super::SearchThinker;
use super::root::{codes, forbidden};
use crate::games::ending::Ending;
use crate::games::go::{code, decode};
use crate::go::Move;
use crate::search::{Game, MoveReport};

/// Below this winning less losing probability a lost game is not dragged on by playing instead of
/// passing.
const HOPELESS: f64 = -0.98;

/// Visits with which a move that fills a neutral point is trusted to cost nothing.
const DAME_VISITS: u32 = 500;

impl SearchThinker {
    /// What the search has found best, with second thoughts about passing, unless these lead to
    /// what is forbidden.
    pub(super) fn choice(&mut self, ending: &Ending, turn: usize, watch: &Watch) -> Result<Move> {
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
        if self.root_params.fill_dame
            && let Some(dame) = self.dame(ending).filter(is_free)
        {
            return Ok(dame);
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

    /// A move that costs nothing, on a point that is nobody's for certain, to be made instead of
    /// passing: under territory scoring since neutral points are to be filled, under area scoring
    /// since they count (KataGo's conditions, which it has for territory).
    fn dame(&self, ending: &Ending) -> Option<Move> {
        let report = self.search.report()?;
        let pass = report
            .moves
            .iter()
            .find(|made| made.code == code(Move::Pass))?;
        let enough = 2.0 * pass.weight.sqrt();
        let costs_nothing = |made: &&MoveReport| {
            (made.edge_visits >= DAME_VISITS || made.weight > enough)
                && made.utility > pass.utility - 0.1
                && made.score_mean > pass.score_mean - 0.5
                && made.lead > pass.lead - 0.5
        };
        let moves = report.moves.iter().filter(costs_nothing);
        let mut moves = moves.map(|made| decode(made.code));
        moves.find(|&made| ending.is_dame(made))
    }
}
