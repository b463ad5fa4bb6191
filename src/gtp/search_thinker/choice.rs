//! The choice of a move once a searching player has searched, with second thoughts about passing.

use anyhow::{Context, Result};

use super::super::thinker::Watch;
use super::SearchThinker;
use super::root::{codes, forbidden};
use crate::games::ending::Ending;
use crate::games::go::{code, decode};
use crate::go::Move;
use crate::search::{Game, Limits, MoveReport, Report};

/// Below this winning less losing probability a lost game is not dragged on by playing instead of
/// passing.
const HOPELESS: f64 = -0.98;

/// Visits with which a move that fills a neutral point is trusted to cost nothing.
const DAME_VISITS: u32 = 500;

/// Visits after which it is, where the search had no reason to look at it before.
const LOOK: u32 = 8;

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
        let fills_dame = self.root_params.fill_dame;
        let report = self.search.report().filter(|_| fills_dame);
        let pass = report.as_ref().and_then(|report| of_pass(report).cloned());
        if let (Some(report), Some(pass)) = (&report, &pass) {
            let enough = 2.0 * pass.weight.sqrt();
            let is_sure =
                |made: &MoveReport| made.edge_visits >= DAME_VISITS || made.weight > enough;
            let dame = harmless(report, pass, is_sure).find(|&made| ending.is_open(made));
            if let Some(dame) = dame.filter(is_free) {
                return Ok(dame);
            }
        }
        if win_loss > HOPELESS && ending.passing_loses(looks_won) {
            let mut avoided = codes(&ending.idle());
            avoided.push(code(Move::Pass));
            avoided.extend(forbidden(root, watch.restrictions));
            self.search.exclude(&avoided);
            return Ok(self.search.choose(turn).map_or(Move::Pass, decode));
        }
        if let (Some(report), Some(pass)) = (report, pass) {
            let open = ending.open().into_iter().filter(is_free).collect();
            let dame = self.look_at(open, report.visits, &pass, watch)?;
            return Ok(dame.unwrap_or(chosen));
        }
        Ok(chosen)
    }

    /// Searches some moves a little more, a quarter of the visits made at most, and finds one among
    /// them that is no worse than to pass. What the tree knows of others is lost.
    fn look_at(
        &mut self,
        moves: Vec<Move>,
        visits: u32,
        pass: &MoveReport,
        watch: &Watch,
    ) -> Result<Option<Move>> {
        let playouts = u64::from(visits / 4).min(u64::from(2 * LOOK) * moves.len() as u64);
        if playouts == 0 {
            return Ok(None);
        }
        let root = self.search.root().context("the search has no position")?;
        let others = root.legal_moves().filter(|made| !moves.contains(made));
        let others: Vec<_> = others.map(code).collect();
        self.search.exclude(&others);
        let limits = Limits::playouts(playouts);
        self.search.run(&*self.evaluator, &limits, watch.stop)?;
        let report = self.search.report().context("nothing was searched")?;
        let is_sure = |made: &MoveReport| made.edge_visits >= LOOK;
        Ok(harmless(&report, pass, is_sure).find(|made| moves.contains(made)))
    }
}

/// The pass among the moves tried.
fn of_pass(report: &Report) -> Option<&MoveReport> {
    let mut moves = report.moves.iter();
    moves.find(|made| made.code == code(Move::Pass))
}

/// The moves that, as far as the search can be sure, are no worse than to pass: under territory
/// scoring since neutral points are to be filled, under area scoring since they count (KataGo's
/// conditions, which it has for territory).
fn harmless<'a>(
    report: &'a Report,
    pass: &'a MoveReport,
    is_sure: impl Fn(&MoveReport) -> bool + 'a,
) -> impl Iterator<Item = Move> + 'a {
    let is_harmless = |made: &&MoveReport| {
        made.utility > pass.utility - 0.1
            && made.score_mean > pass.score_mean - 0.5
            && made.lead > pass.lead - 0.5
    };
    let moves = report.moves.iter().filter(is_harmless);
    moves
        .filter(move |made| is_sure(made))
        .map(|made| decode(made.code))
}
