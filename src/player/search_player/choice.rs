//! The choice of a move once a searching player has searched, with second thoughts about passing.

use anyhow::{Context, Result};

use super::super::player::Watch;
use super::SearchPlayer;
use super::root::{codes, forbidden};
use super::variety::turns_behind;
use crate::games::ending::Ending;
use crate::games::go::{code, decode};
use crate::go::{Move, Position};
use crate::search::{Game, MoveReport};

/// Below this winning less losing probability a lost game is not dragged on by playing instead of
/// passing.
const HOPELESS: f64 = -0.98;

/// Visits with which a move that fills a dame is trusted to cost nothing.
const DAME_VISITS: u32 = 500;

/// Visits after which it is, where the search had no reason to look at it before.
const LOOK: u32 = 8;

/// Moves that even a short search looks at in this way.
const LEAST_LOOKS: u32 = 2;

impl SearchPlayer {
    /// What the search has found best in a position that may be over already, with second thoughts
    /// about passing, unless these lead to what is forbidden.
    pub(super) fn choice(
        &mut self,
        position: &Position,
        ending: &Ending,
        watch: &Watch,
    ) -> Result<Move> {
        let turn = turns_behind(position);
        let root = self.search.root().context("the search has no position")?;
        let side = Game::to_move(root);
        let is_free = |mv: &Move| !watch.restrictions.forbids(side, code(*mv), 0);
        let chosen = self.draw(turn);
        let chosen = decode(chosen.context("the search chose no move")?);
        let win_loss = self.search.report().map_or(0.0, |report| report.win_loss);
        let looks_won = win_loss > 0.0;
        let ends = ending.pass_wins(looks_won) || position.is_over_by_one_pass();
        if ends && is_free(&Move::Pass) {
            return Ok(Move::Pass);
        }
        if is_free(&Move::Pass) && self.passes_in_return(position, chosen, looks_won, watch.stop)? {
            return Ok(Move::Pass);
        }
        if chosen != Move::Pass {
            return Ok(chosen);
        }
        if let Some(cleanup) = ending.cleanup().filter(is_free) {
            return Ok(cleanup);
        }
        let pass = self.pass().filter(|_| self.params.root.fill_dame);
        if let Some(pass) = &pass
            && let Some(dame) = self.known_dame(ending, pass).filter(is_free)
        {
            return Ok(dame);
        }
        if win_loss > HOPELESS && ending.passing_loses(looks_won) {
            let mut avoided = codes(&ending.idle());
            avoided.push(code(Move::Pass));
            let root = self.search.root().context("the search has no position")?;
            avoided.extend(forbidden(root, watch.restrictions));
            self.search.exclude(&avoided);
            return Ok(self.search.choose(turn).map_or(Move::Pass, decode));
        }
        let Some(pass) = pass else {
            return Ok(chosen);
        };
        let legal = self.search.legal_moves().map(decode);
        let open = legal.filter(|mv| ending.is_open(*mv) && is_free(mv));
        let dame = self.look_at(open.collect(), &pass, watch)?;
        Ok(dame.unwrap_or(chosen))
    }

    /// What the search has found out about passing.
    fn pass(&self) -> Option<MoveReport> {
        let mut moves = self.search.report()?.moves.into_iter();
        moves.find(|mv| mv.code == code(Move::Pass))
    }

    /// An open move that the search has found to be no worse than to pass.
    fn known_dame(&self, ending: &Ending, pass: &MoveReport) -> Option<Move> {
        let enough = 2.0 * pass.weight.sqrt();
        let is_sure = |mv: &&MoveReport| mv.edge_visits >= DAME_VISITS || mv.weight > enough;
        let report = self.search.report()?;
        let harmless = report.moves.iter().filter(|mv| is_harmless(mv, pass));
        let mut moves = harmless.filter(is_sure).map(|mv| decode(mv.code));
        moves.find(|&mv| ending.is_open(mv))
    }

    /// Searches one move after another a little more, with a quarter of the visits made at most or
    /// enough for [`LEAST_LOOKS`], and finds one that is no worse than to pass. What the tree knows of
    /// others is lost.
    fn look_at(
        &mut self,
        moves: Vec<Move>,
        pass: &MoveReport,
        watch: &Watch,
    ) -> Result<Option<Move>> {
        let visits = self.search.report().map_or(0, |report| report.visits);
        let evaluator = self.evaluator.clone().context("nothing was searched")?;
        let legal: Vec<_> = self.search.legal_moves().collect();
        let looks = if visits < LOOK {
            0
        } else {
            LEAST_LOOKS.max(visits / 4 / LOOK)
        };
        for mv in moves.into_iter().take(looks as usize) {
            let others: Vec<_> = legal
                .iter()
                .copied()
                .filter(|&other| other != code(mv))
                .collect();
            self.search.exclude(&others);
            let limits = self.more_playouts(u64::from(LOOK));
            if limits.time.is_some_and(|left| left.is_zero()) {
                break;
            }
            self.run_search(&*evaluator, &limits, watch.stop)?;
            let report = self.search.report().context("nothing was searched")?;
            if report.moves.iter().any(|mv| is_harmless(mv, pass)) {
                return Ok(Some(mv));
            }
        }
        Ok(None)
    }
}

/// Whether a move is no worse than to pass: under territory scoring neutral points are to be filled,
/// under area scoring they count (KataGo's conditions, which it has for territory).
fn is_harmless(mv: &MoveReport, pass: &MoveReport) -> bool {
    mv.utility > pass.utility - 0.1
        && mv.score_mean > pass.score_mean - 0.5
        && mv.lead > pass.lead - 0.5
}
