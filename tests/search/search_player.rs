//! Plays whole games with one search, whose tree is kept from move to move.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};
use keima::search::{Evaluator, Game, Limits, MoveCode, Search, SearchParams};

pub struct SearchPlayer<G> {
    evaluator: Arc<dyn Evaluator<G>>,
    search: Search<G>,
    limits: Limits,
    turn: usize,
}

impl<G: Game> SearchPlayer<G> {
    /// At the first position of a game.
    pub fn new(
        evaluator: Arc<dyn Evaluator<G>>,
        params: SearchParams,
        limits: Limits,
        position: &G,
    ) -> SearchPlayer<G> {
        let mut search = Search::new(params);
        search.set_root(position.clone());
        SearchPlayer {
            evaluator,
            search,
            limits,
            turn: 0,
        }
    }

    pub fn search(&self) -> &Search<G> {
        &self.search
    }

    pub fn choose(&mut self) -> Result<MoveCode> {
        let stop = AtomicBool::new(false);
        self.search.run(&*self.evaluator, &self.limits, &stop)?;
        let found = self.search.choose(self.turn);
        found.context("the search found no move")
    }

    /// Advances to the position after a move of either side.
    pub fn played(&mut self, code: MoveCode, after: &G) {
        self.turn += 1;
        self.search.advance(code, after.clone());
    }
}
