//! A network that chooses moves, by a search, in sessions that speak a protocol.

use std::path::Path;

use anyhow::Result;

use super::board_games::evaluator_for;
use super::matches::network_player::playing_params;
use crate::arena::board::tree_player::{KeptTree, score};
use crate::games::board_game::{BoardGame, line_text};
use crate::games::chooser::{Chooser, Chosen};
use crate::minimax::{Control, Limits};
use crate::nn::board_evaluator::BoardEvaluator;
use crate::search::{self, Report, SearchParams};

/// Moves of the expected line in a remark.
const LINE: usize = 8;

/// Chooses moves by Monte Carlo tree search.
pub struct NetworkChooser<G: BoardGame> {
    tree: KeptTree<G>,
    evaluator: BoardEvaluator<G>,
}

impl<G: BoardGame> NetworkChooser<G> {
    /// With the network of a file, or the one that is built in, and so many search threads.
    pub fn open(model: Option<&Path>, threads: usize) -> Result<NetworkChooser<G>> {
        let (evaluator, _) = evaluator_for::<G>(model)?;
        let params = SearchParams {
            threads: threads as u32,
            ..playing_params()
        };
        Ok(NetworkChooser {
            tree: KeptTree::new(params).with_moves(evaluator.inputs().moves),
            evaluator,
        })
    }
}

/// Visits, expected result and expected line.
fn remark<G: BoardGame>(position: &G, tree: &KeptTree<G>, report: &Report) -> String {
    let win = 50.0 + 50.0 * report.win_loss;
    format!(
        "visits {} win {win:.1} % {}",
        report.visits,
        line_text(position, &tree.line(report, LINE))
    )
}

impl<G: BoardGame> Chooser<G> for NetworkChooser<G> {
    fn choose(
        &mut self,
        position: &G,
        history: &[u64],
        limits: &Limits,
        control: &Control,
    ) -> Result<Chosen<G::Move>> {
        self.tree.go_to(position, history);
        // What came before the search has taken time, too.
        let used = control.on_clock().unwrap_or_default();
        let time = limits.time.map(|time| time.soft.unwrap_or(time.hard));
        let limits = search::Limits {
            visits: limits.nodes,
            time: time.map(|time| time.saturating_sub(used)),
            ..search::Limits::default()
        };
        let report = self
            .tree
            .run(&self.evaluator, &limits, control.stop_flag())?;
        let mv = self.tree.choose(0)?;
        Ok(Chosen {
            mv: Some(mv),
            score: report.as_ref().map_or(0, |report| score(report.win_loss)),
            remark: report.map_or_else(String::new, |report| remark(position, &self.tree, &report)),
        })
    }

    fn nodes_at_once(&self) -> u64 {
        16
    }

    fn forget(&mut self) {
        self.tree.forget();
    }

    fn most_mib(&self) -> usize {
        1024
    }

    fn resize(&mut self, mib: usize) {
        self.tree.resize(mib);
    }
}
