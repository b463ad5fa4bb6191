//! The simple players: random moves and the textbook searches.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::player::{BoardPlayer, Choice, GameStart, Turn, check, no_move};
use crate::arena::contestant::Fault;
use crate::games::board_game::BoardGame;
use crate::go::Color;
use crate::minimax::Wanted;
use crate::minimax::plain::{Method, Plain};

/// Most plies of the textbook searches.
pub(super) const DEEPEST_PLAIN: u32 = 20;

/// Plays any legal move.
pub(super) struct RandomPlayer {
    pub name: String,
    /// Of the random numbers, together with the number and color of a game.
    pub seed: u64,
    pub random: ChaCha8Rng,
    /// Once it is set, the player gives up its game.
    pub stop: Arc<AtomicBool>,
}

impl<G: BoardGame> BoardPlayer<G> for RandomPlayer {
    fn name(&self) -> &str {
        &self.name
    }

    /// The moves of a game depend on its number and color alone, whatever was played before.
    fn start(&mut self, game: &GameStart<G>) -> Result<()> {
        let game = 2 * game.number as u64 + u64::from(game.color == Color::White);
        self.random = ChaCha8Rng::seed_from_u64(self.seed);
        self.random.set_stream(game);
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<G>) -> Result<Choice<G::Move>, Fault> {
        check(&self.stop)?;
        let mut moves = Vec::new();
        turn.position.moves(Wanted::All, &mut moves);
        let mv = moves[self.random.random_range(0..moves.len())];
        Ok(Choice {
            mv,
            score: None,
            depth: None,
        })
    }
}

/// Searches each position to a fixed depth.
pub(super) struct PlainPlayer<G: BoardGame> {
    pub name: String,
    pub method: Method,
    /// Plies; none: as many as the nodes suffice for, by the number of moves.
    pub depth: Option<u32>,
    /// Positions beyond this number are not searched further.
    pub nodes: u64,
    pub evaluator: G::Evaluation,
    /// Once it is set, the player gives up its game.
    pub stop: Arc<AtomicBool>,
}

impl<G: BoardGame> BoardPlayer<G> for PlainPlayer<G> {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose(&mut self, turn: &Turn<G>) -> Result<Choice<G::Move>, Fault> {
        check(&self.stop)?;
        let mut plain = Plain::new(&self.evaluator, self.method);
        (plain.max_nodes, plain.stop) = (self.nodes, Some(&*self.stop));
        let depth = self
            .depth
            .unwrap_or_else(|| affordable(turn.position, self.nodes));
        let found = plain.search(turn.position, turn.history, depth);
        check(&self.stop)?;
        let mv = found.best.ok_or_else(no_move)?;
        Ok(Choice {
            mv,
            score: Some(found.score),
            depth: Some(depth),
        })
    }
}

/// The plies that a number of nodes suffices for if all positions have as many moves as this one and those after
/// its moves, on average.
fn affordable<G: BoardGame>(position: &G, nodes: u64) -> u32 {
    let (mut moves, mut list) = (Vec::new(), Vec::new());
    position.moves(Wanted::All, &mut moves);
    let replies = moves.iter().map(|&mv| {
        let mut after = position.clone();
        after.play(mv);
        after.count(&mut list)
    });
    let replies = replies.sum::<usize>() as f64 / moves.len().max(1) as f64;
    let width = ((moves.len() as f64 + replies) / 2.0).max(1.5);
    let plies = (nodes as f64).ln() / width.ln();
    (plies.floor() as u32).clamp(1, DEEPEST_PLAIN)
}
