//! Thinking by tree search, with the tree kept from move to move.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};

use super::service::EvaluationService;
use super::spending::Spending;
use super::thinker::{Answer, Thinker};
use crate::games::ending::Ending;
use crate::games::go::{code, decode};
use crate::go::{Color, Move, Position};
use crate::params::{ParamEntry, ParamError, Parameters, set_in};
use crate::search::clock::Clock;
use crate::search::evaluator::Evaluator;
use crate::search::game::MoveCode;
use crate::search::limits::Limits;
use crate::search::mcts::Search;
use crate::search::params::SearchParams;

/// Below this winning less losing probability a lost game is not dragged on by playing instead of
/// passing.
const HOPELESS: f64 = -0.98;

/// A tree search as a player.
pub struct SearchThinker {
    /// As configured, for 19x19.
    params: SearchParams,
    search: Search<Position>,
    evaluator: Arc<dyn Evaluator<Position>>,
    /// The evaluator's, for inner positions and for roots, when the tree was last worked on.
    fingerprints: [u64; 2],
    service: Box<dyn EvaluationService>,
    spending: Spending,
}

impl SearchThinker {
    /// A player that searches with `evaluator`, which is `service`'s. `params` are those for 19x19;
    /// what depends on the size of the board is scaled.
    pub fn new(
        params: SearchParams,
        evaluator: Arc<dyn Evaluator<Position>>,
        service: Box<dyn EvaluationService>,
        spending: Spending,
    ) -> SearchThinker {
        SearchThinker {
            params,
            search: Search::new(params),
            fingerprints: fingerprints(&*evaluator),
            evaluator,
            service,
            spending,
        }
    }

    /// Drops the tree if its figures are not what the evaluator would say now.
    fn drop_stale_tree(&mut self) {
        let fingerprints = fingerprints(&*self.evaluator);
        if fingerprints != self.fingerprints {
            self.search.clear();
            self.fingerprints = fingerprints;
        }
    }

    /// Brings the root to a position. What the tree knows of it is kept, also when a new game
    /// begins: GUIs send a whole game anew when one move changes.
    fn go_to(&mut self, position: Position) {
        let steps = self
            .search
            .root()
            .and_then(|root| steps_between(root, &position));
        match steps {
            Some(steps) => {
                for (made, after) in steps {
                    self.search.advance(made, after);
                }
            }
            None => {
                self.search
                    .set_params(self.params.for_board(position.size().area()));
                self.search.set_root(position);
            }
        }
    }

    /// What the search has found best, with second thoughts about passing.
    fn choice(&mut self, ending: &Ending, turn: usize) -> Result<Move> {
        let chosen = self.search.choose(turn);
        let chosen = decode(chosen.context("the search chose no move")?);
        let win_loss = self.search.report().map_or(0.0, |report| report.win_loss);
        let looks_won = win_loss > 0.0;
        if ending.pass_wins(looks_won) {
            return Ok(Move::Pass);
        }
        if chosen != Move::Pass {
            return Ok(chosen);
        }
        if let Some(cleanup) = ending.cleanup() {
            return Ok(cleanup);
        }
        if win_loss > HOPELESS && ending.passing_loses(looks_won) {
            let mut avoided = codes(&ending.idle());
            avoided.push(code(Move::Pass));
            self.search.exclude(&avoided);
            return Ok(self.search.choose(turn).map_or(Move::Pass, decode));
        }
        Ok(chosen)
    }

    fn limits(&self, position: &Position, clock: &Clock) -> Limits {
        let board = position.board();
        let stones = Color::BOTH
            .map(|color| board.stone_count(color))
            .iter()
            .sum();
        let budget = clock.budget(position.size().area(), stones);
        self.spending.limits(budget)
    }
}

impl Thinker for SearchThinker {
    fn choose(&mut self, position: &Position, clock: &Clock) -> Result<Answer> {
        let mut root = position.clone();
        root.allow_encore(true);
        root.resume();
        let limits = self.limits(&root, clock);
        let mut game = position.clone();
        game.resume();
        let ending = Ending::new(&game);
        self.service.begin(root.to_move())?;
        self.drop_stale_tree();
        self.go_to(root);
        self.search.exclude(&codes(&ending.pointless()));
        self.search
            .run(&*self.evaluator, &limits, &AtomicBool::new(false))?;
        self.choice(&ending, game.turn()).map(Answer::Play)
    }

    fn service(&self) -> &dyn EvaluationService {
        &*self.service
    }

    fn service_mut(&mut self) -> &mut dyn EvaluationService {
        &mut *self.service
    }

    fn forget(&mut self) {
        self.search.clear();
    }

    fn parameters(&self) -> Vec<ParamEntry> {
        let mut entries = self.params.list();
        entries.extend(self.spending.list());
        entries.extend(self.service.parameters());
        entries
    }

    fn set_parameter(&mut self, name: &str, text: &str) -> Result<()> {
        let before = self.params;
        match set_in(&mut [&mut self.params, &mut self.spending], name, text) {
            Err(ParamError::Unknown(_)) => return self.service.set_parameter(name, text),
            set => set?,
        }
        if let Some(root) = self.search.root()
            && self.params != before
        {
            let params = self.params.for_board(root.size().area());
            self.search.set_params(params);
            self.search.clear();
        }
        Ok(())
    }
}

fn fingerprints(evaluator: &dyn Evaluator<Position>) -> [u64; 2] {
    [false, true].map(|is_root| evaluator.fingerprint(is_root))
}

fn codes(moves: &[Move]) -> Vec<MoveCode> {
    moves.iter().map(|&made| code(made)).collect()
}

/// The moves that lead from one position to another with the positions they lead to; none if the
/// other does not come about from the one by moves in turn.
fn steps_between(from: &Position, to: &Position) -> Option<Vec<(MoveCode, Position)>> {
    let mut position = from.clone();
    let mut steps = Vec::new();
    for (color, made) in to.moves().skip(from.turn()) {
        if color != position.to_move() || position.is_finished() || !position.is_legal(made) {
            return None;
        }
        position.play_unchecked(made);
        steps.push((code(made), position.clone()));
    }
    let arrived = position.turn() == to.turn() && position.key() == to.key();
    arrived.then_some(steps)
}
