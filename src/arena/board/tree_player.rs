//! Players by Monte Carlo tree search.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::player::{BoardPlayer, Choice, GameStart, Pace, Turn, check};
use crate::arena::contestant::{Fault, refused};
use crate::games::board_game::BoardGame;
use crate::games::coded::{Coded, LEAD_SCALE, Listing};
use crate::minimax::Score;
use crate::search::{Evaluator, Game, Limits, MoveCode, Report, Search, SearchParams};

/// Values beyond this are told as if they were this.
const ALMOST_WON: f64 = 0.999;

/// A search whose tree is kept from move to move.
pub struct KeptTree<G: BoardGame> {
    search: Search<Coded<G>>,
    /// The last move.
    chosen: MoveCode,
    /// The moves that it tries, of which one is best; without it those worth searching.
    listing: Option<Listing<G>>,
}

impl<G: BoardGame> KeptTree<G> {
    /// Without a tree.
    pub fn new(params: SearchParams) -> KeptTree<G> {
        KeptTree {
            search: Search::new(params),
            chosen: MoveCode::default(),
            listing: None,
        }
    }

    /// The same, trying the moves that this function appends, of which one is best.
    #[must_use]
    pub fn with_moves(self, listing: Listing<G>) -> KeptTree<G> {
        KeptTree {
            listing: Some(listing),
            ..self
        }
    }

    /// Drops the tree.
    pub fn forget(&mut self) {
        self.search = Search::new(*self.search.params());
    }

    /// Limits the memory of the tree.
    pub fn resize(&mut self, mib: usize) {
        let mut params = *self.search.params();
        params.max_tree_bytes = (mib as u64) << 20;
        self.search.set_params(params);
    }

    /// Goes to a position to which those with keys `history` have led, with what the tree has on it.
    pub fn go_to(&mut self, position: &G, history: &[u64]) {
        let target = match self.listing {
            Some(listing) => Coded::with_moves(position.clone(), history, listing),
            None => Coded::new(position.clone(), history),
        };
        match self.reply(position, history) {
            Some((between, reply)) => {
                self.search.advance(self.chosen, between);
                self.search.advance(reply, target);
            }
            None => self.search.set_root(target),
        }
    }

    /// The position after the last move chosen and the reply to it, if it leads to the present position.
    fn reply(&self, position: &G, history: &[u64]) -> Option<(Coded<G>, MoveCode)> {
        let root = self.search.root()?;
        // The chosen move may be of an earlier root.
        root.moves().get(usize::from(self.chosen.0))?;
        let mut between = root.clone();
        between.play(self.chosen);
        let key = between.position().key();
        if history.last().is_some_and(|&last| last != key) || between.outcome().is_some() {
            return None;
        }
        let mut replies = between.moves().iter();
        let place = replies.position(|&mv| between.after(mv) == *position)?;
        let reply = MoveCode(place as u16);
        let mut after = between.clone();
        after.play(reply);
        // The tree has nothing below what it takes for the end of the game.
        after.outcome().is_none().then_some((between, reply))
    }

    /// Searches; none if it found nothing.
    pub fn run(
        &mut self,
        evaluator: &dyn Evaluator<Coded<G>>,
        limits: &Limits,
        stop: &AtomicBool,
    ) -> Result<Option<Report>> {
        self.search.run(evaluator, limits, stop)?;
        Ok(self.search.report())
    }

    /// Chooses the move of a turn of the game, counted from 0.
    pub fn choose(&mut self, turn: usize) -> Result<G::Move> {
        let chosen = self.search.choose(turn).zip(self.search.root());
        let (code, root) = chosen.context("there is no legal move")?;
        self.chosen = code;
        Ok(root.mv(code))
    }

    /// The first moves of the best line.
    pub fn line(&self, report: &Report, most: usize) -> Vec<G::Move> {
        let (Some(root), Some(best)) = (self.search.root(), report.moves.first()) else {
            return Vec::new();
        };
        let mut after = root.clone();
        let mut line = Vec::new();
        for &code in best.pv.iter().take(most) {
            line.push(after.mv(code));
            after.play(code);
        }
        line
    }
}

/// A player that searches by an evaluator. The part of the tree below both moves is kept.
pub struct TreePlayer<G: BoardGame> {
    name: String,
    tree: KeptTree<G>,
    evaluator: Box<dyn Evaluator<Coded<G>>>,
    limits: Limits,
    /// Time left on the clock at each move.
    overhead: Duration,
    stop: Arc<AtomicBool>,
}

impl<G: BoardGame> TreePlayer<G> {
    /// With limits of each move, without any those of the match, and the time to leave on the clock.
    pub fn new(
        name: String,
        tree: KeptTree<G>,
        evaluator: Box<dyn Evaluator<Coded<G>>>,
        (limits, overhead): (Limits, Duration),
        stop: &Arc<AtomicBool>,
    ) -> TreePlayer<G> {
        TreePlayer {
            name,
            tree,
            evaluator,
            limits,
            overhead,
            stop: Arc::clone(stop),
        }
    }

    fn limits(&self, turn: &Turn<G>) -> Limits {
        if self.limits != Limits::default() {
            return self.limits;
        }
        let time = match Pace::of(&turn.clocks[turn.color]) {
            Pace::Free => None,
            Pace::Move(time) => Some(time.saturating_sub(self.overhead)),
            Pace::Clock(clock) => {
                let time = clock.move_time(self.overhead);
                Some(time.soft.unwrap_or(time.hard))
            }
        };
        Limits {
            visits: turn.conditions.nodes,
            time: time.map(|time| time.max(Duration::from_millis(1))),
            ..Limits::default()
        }
    }
}

impl<G: BoardGame> BoardPlayer<G> for TreePlayer<G> {
    fn name(&self) -> &str {
        &self.name
    }

    fn start(&mut self, game: &GameStart<G>) -> Result<()> {
        ensure!(
            game.conditions.limit_searches() || self.limits != Limits::default(),
            "nothing says how many visits to make or how long to search"
        );
        self.tree.forget();
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<G>) -> Result<Choice<G::Move>, Fault> {
        check(&self.stop)?;
        self.tree.go_to(turn.position, turn.history);
        let limits = self.limits(turn);
        let report = self
            .tree
            .run(&*self.evaluator, &limits, &self.stop)
            .map_err(refused)?;
        Ok(Choice {
            mv: self.tree.choose(turn.history.len()).map_err(refused)?,
            score: report.map(|report| score(report.win_loss)),
            depth: None,
        })
    }
}

/// An expected result in hundredths.
pub fn score(win_loss: f64) -> Score {
    let bounded = win_loss.clamp(-ALMOST_WON, ALMOST_WON);
    (LEAD_SCALE * bounded.atanh()).round() as Score
}
