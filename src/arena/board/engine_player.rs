//! Alpha-beta search as a player.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Result, ensure};

use super::player::{BoardPlayer, Choice, GameStart, Pace, Turn, check, no_move};
use crate::arena::contestant::Fault;
use crate::games::board_game::BoardGame;
use crate::minimax::engine::{Engine, Task};
use crate::minimax::limits::MoveTime;
use crate::minimax::{Control, Limits};

/// Time that a player of this process leaves on its clock at each move.
pub(super) const OVERHEAD: Duration = Duration::from_millis(5);

/// The engine in this process.
pub struct EnginePlayer<G: BoardGame> {
    name: String,
    engine: Engine<G::Evaluation>,
    limits: Limits,
    stop: Arc<AtomicBool>,
}

impl<G: BoardGame> EnginePlayer<G> {
    /// With limits of each move; without any it takes those of the match.
    pub fn new(
        name: String,
        engine: Engine<G::Evaluation>,
        limits: Limits,
        stop: &Arc<AtomicBool>,
    ) -> EnginePlayer<G> {
        EnginePlayer {
            name,
            engine,
            limits,
            stop: Arc::clone(stop),
        }
    }

    fn limits(&self, turn: &Turn<G>) -> Limits {
        if self.limits != Limits::default() {
            return self.limits.clone();
        }
        Limits {
            depth: turn.conditions.depth,
            nodes: turn.conditions.nodes,
            win_within: None,
            time: match Pace::of(&turn.clocks[turn.color]) {
                Pace::Free => None,
                Pace::Move(time) => Some(MoveTime::fixed(time, OVERHEAD)),
                Pace::Clock(clock) => Some(clock.move_time(OVERHEAD)),
            },
        }
    }
}

impl<G: BoardGame> BoardPlayer<G> for EnginePlayer<G> {
    fn name(&self) -> &str {
        &self.name
    }

    fn start(&mut self, game: &GameStart<G>) -> Result<()> {
        let has_limits = game.conditions.limit_searches() || game.conditions.depth.is_some();
        ensure!(
            has_limits || self.limits != Limits::default(),
            "nothing says how long to search"
        );
        self.engine.clear();
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<G>) -> Result<Choice<G::Move>, Fault> {
        check(&self.stop)?;
        let task = Task {
            position: turn.position,
            history: turn.history,
            allowed: &[],
        };
        let limits = self.limits(turn);
        let control = Control::stopped_by(&self.stop);
        let found = self.engine.search(task, &limits, &control, |_| ());
        check(&self.stop)?;
        let best = found.best.ok_or_else(no_move)?;
        Ok(Choice {
            mv: best.moves[0],
            score: Some(best.score),
            depth: Some(best.depth),
        })
    }
}
