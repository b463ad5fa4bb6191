//! Thinking by tree search, with the tree kept from move to move.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};

use super::judge::Judge;
use super::thinker::{Answer, RawNetwork, Thinker};
use crate::games::ending::Ending;
use crate::games::go::{code, decode};
use crate::go::{BoardSize, Color, Move, Position, Symmetry};
use crate::search::clock::Clock;
use crate::search::evaluator::Evaluator;
use crate::search::game::MoveCode;
use crate::search::limits::Limits;
use crate::search::mcts::Search;
use crate::search::params::SearchParams;

/// Below this winning less losing probability a lost game is not dragged on by playing instead of
/// passing.
const HOPELESS: f64 = -0.98;

/// What a searching player spends on a move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spending {
    /// What holds in any case.
    pub always: Limits,
    /// What holds besides when the game has no clock.
    pub without_clock: Limits,
}

/// A tree search as a player.
pub struct SearchThinker {
    /// As configured, for 19x19.
    params: SearchParams,
    search: Search<Position>,
    evaluator: Arc<dyn Evaluator<Position>>,
    judge: Judge,
    spending: Spending,
    clear_cache: Box<dyn Fn() + Send>,
}

impl SearchThinker {
    /// A player that searches with `evaluator` and judges by `judge`. `params` are those for
    /// 19x19; what depends on the size of the board is scaled. `clear_cache` makes the evaluator
    /// forget.
    pub fn new(
        params: SearchParams,
        evaluator: Arc<dyn Evaluator<Position>>,
        judge: Judge,
        spending: Spending,
        clear_cache: Box<dyn Fn() + Send>,
    ) -> SearchThinker {
        SearchThinker {
            params,
            search: Search::new(params),
            evaluator,
            judge,
            spending,
            clear_cache,
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
                    .set_params(for_size(&self.params, position.size()));
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
        match clock.budget(position.size().area(), stones) {
            Some(time) => self.spending.always.with_time(Some(time)),
            None => self.spending.without_clock,
        }
    }
}

impl Thinker for SearchThinker {
    fn can_play_on(&self, size: BoardSize) -> bool {
        self.judge.can_play_on(size)
    }

    fn choose(&mut self, position: &Position, clock: &Clock) -> Result<Answer> {
        let mut root = position.clone();
        root.allow_encore(true);
        root.resume();
        let limits = self.limits(&root, clock);
        let mut game = position.clone();
        game.resume();
        let ending = Ending::new(&game);
        self.go_to(root);
        self.search.exclude(&codes(&ending.pointless()));
        self.search
            .run(&*self.evaluator, &limits, &AtomicBool::new(false))?;
        self.choice(&ending, game.turn()).map(Answer::Play)
    }

    fn ownership(&mut self, position: &Position) -> Result<Vec<f32>> {
        self.judge.ownership(position)
    }

    fn raw_network(
        &mut self,
        position: &Position,
        symmetry: Symmetry,
    ) -> Result<Option<RawNetwork>> {
        self.judge.raw_network(position, symmetry)
    }

    fn policy(&mut self, position: &Position) -> Result<Vec<f32>> {
        self.judge.policy(position)
    }

    fn clear_cache(&mut self) {
        self.search.clear();
        (self.clear_cache)();
    }
}

fn codes(moves: &[Move]) -> Vec<MoveCode> {
    moves.iter().map(|&made| code(made)).collect()
}

/// Parameters for a board of this size: the score counts in board sides, the temperature of the
/// choice of move falls with the side, root noise spreads with the area (as in KataGo).
fn for_size(params: &SearchParams, size: BoardSize) -> SearchParams {
    let side = (size.area() as f64).sqrt();
    SearchParams {
        score_scale: side,
        temperature_halflife: params.temperature_halflife * side / 19.0,
        noise_concentration: params.noise_concentration * size.area() as f64 / 361.0,
        ..*params
    }
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
