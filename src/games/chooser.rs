//! What chooses moves in a session that speaks a protocol.

use anyhow::Result;

use super::board_game::{BoardGame, line_text};
use crate::minimax::engine::{Engine, Task};
use crate::minimax::score::plies_to_end;
use crate::minimax::{Control, Limits, Score};

/// A move with what is known of it.
#[derive(Clone, Debug)]
pub struct Chosen<M> {
    /// The move; none if there is no legal one.
    pub mv: Option<M>,
    /// Value from the side to move, in hundredths.
    pub score: Score,
    /// In words.
    pub remark: String,
}

/// Chooses moves of a game.
pub trait Chooser<G: BoardGame>: Send {
    /// Chooses a move; positions with the keys `history` have led to the position, as far as they are known. Limits of time
    /// count from the beginning of `control`.
    fn choose(
        &mut self,
        position: &G,
        history: &[u64],
        limits: &Limits,
        control: &Control,
    ) -> Result<Chosen<G::Move>>;

    /// Nodes that take hardly any time.
    fn nodes_at_once(&self) -> u64;

    /// Forgets what it knows: a new game begins.
    fn forget(&mut self);

    /// MiB that it can make use of.
    fn most_mib(&self) -> usize;

    /// Makes do with so many MiB.
    fn resize(&mut self, mib: usize);
}

impl<G: BoardGame> Chooser<G> for Engine<G::Evaluation> {
    fn choose(
        &mut self,
        position: &G,
        history: &[u64],
        limits: &Limits,
        control: &Control,
    ) -> Result<Chosen<G::Move>> {
        let task = Task {
            history,
            ..Task::new(position)
        };
        let found = self.search(task, limits, control, |_| ());
        let Some(best) = &found.best else {
            return Ok(Chosen {
                mv: None,
                score: 0,
                remark: String::new(),
            });
        };
        let value = match plies_to_end(best.score) {
            Some(plies) if plies > 0 => format!("won in {plies} plies"),
            Some(plies) => format!("lost in {} plies", -plies),
            None => format!("score {}", best.score),
        };
        Ok(Chosen {
            mv: found.mv(),
            score: best.score,
            remark: format!(
                "depth {} {value} nodes {} {}",
                best.depth,
                found.nodes,
                line_text(position, &best.moves)
            ),
        })
    }

    fn nodes_at_once(&self) -> u64 {
        500
    }

    fn forget(&mut self) {
        self.clear();
    }

    fn most_mib(&self) -> usize {
        64
    }

    fn resize(&mut self, mib: usize) {
        Engine::resize(self, mib);
    }
}
