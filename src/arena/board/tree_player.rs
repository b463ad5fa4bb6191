//! Players by Monte Carlo tree search.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Result, ensure};

use super::builtin::{check, no_move};
use super::player::{BoardPlayer, Choice, GameStart, Pace, Turn};
use crate::arena::contestant::Fault;
use crate::clock::TimeControl;
use crate::games::board_game::BoardGame;
use crate::games::coded::{Coded, LEAD_SCALE};
use crate::minimax::Score;
use crate::search::{Evaluator, Game, Limits, MoveCode, Search, SearchParams};

/// Values beyond this are told as if they were this.
const ALMOST_WON: f64 = 0.999;

/// A player that searches by an evaluator. The part of the tree below both moves is kept.
pub struct TreePlayer<G: BoardGame> {
    name: String,
    search: Search<Coded<G>>,
    evaluator: Box<dyn Evaluator<Coded<G>>>,
    limits: Limits,
    /// The last move.
    chosen: MoveCode,
    /// Time left on the clock at each move.
    overhead: Duration,
    stop: Arc<AtomicBool>,
}

impl<G: BoardGame> TreePlayer<G> {
    /// With limits of each move, without any those of the match, and the time to leave on the clock.
    pub fn new(
        name: String,
        params: SearchParams,
        evaluator: Box<dyn Evaluator<Coded<G>>>,
        (limits, overhead): (Limits, Duration),
        stop: &Arc<AtomicBool>,
    ) -> TreePlayer<G> {
        TreePlayer {
            name,
            search: Search::new(params),
            evaluator,
            limits,
            chosen: MoveCode::default(),
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

    /// Goes to the position, with what the tree has on it.
    fn go_to(&mut self, turn: &Turn<G>) {
        let target = Coded::new(turn.position.clone(), turn.history);
        match self.reply(turn) {
            Some((between, reply)) => {
                self.search.advance(self.chosen, between);
                self.search.advance(reply, target);
            }
            None => self.search.set_root(target),
        }
    }

    /// The position after the last move chosen and the reply to it, if it leads to the present position.
    fn reply(&self, turn: &Turn<G>) -> Option<(Coded<G>, MoveCode)> {
        let mut between = self.search.root()?.clone();
        between.play(self.chosen);
        let key = between.position().key();
        if turn.history.last() != Some(&key) || between.outcome().is_some() {
            return None;
        }
        let mut replies = between.moves().iter();
        let place = replies.position(|&mv| between.after(mv) == *turn.position)?;
        let reply = MoveCode(place as u16);
        let mut after = between.clone();
        after.play(reply);
        // The tree has nothing below what it takes for the end of the game.
        after.outcome().is_none().then_some((between, reply))
    }
}

impl<G: BoardGame> BoardPlayer<G> for TreePlayer<G> {
    fn name(&self) -> &str {
        &self.name
    }

    fn start(&mut self, game: &GameStart<G>) -> Result<()> {
        let conditions = game.conditions;
        let has_limits = conditions.nodes.is_some() || conditions.time != TimeControl::Unlimited;
        ensure!(
            has_limits || self.limits != Limits::default(),
            "nothing says how many visits to make or how long to search"
        );
        self.search = Search::new(*self.search.params());
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<G>) -> Result<Choice<G::Move>, Fault> {
        check(&self.stop)?;
        self.go_to(turn);
        let limits = self.limits(turn);
        let refused = |error: anyhow::Error| Fault::Refused(format!("{error:#}"));
        self.search
            .run(&*self.evaluator, &limits, &self.stop)
            .map_err(refused)?;
        let chosen = self.search.choose(turn.history.len());
        let root = self.search.root();
        let (code, root) = chosen.zip(root).ok_or_else(no_move)?;
        self.chosen = code;
        Ok(Choice {
            mv: root.mv(code),
            score: self.search.report().map(|report| score(report.win_loss)),
            depth: None,
        })
    }
}

/// An expected result in hundredths.
fn score(win_loss: f64) -> Score {
    let bounded = win_loss.clamp(-ALMOST_WON, ALMOST_WON);
    (LEAD_SCALE * bounded.atanh()).round() as Score
}
