//! Thinking without a tree: a [`Player`] that looks at most one move ahead.

use anyhow::Result;

use super::service::EvaluationService;
use super::thinker::{Answer, Thinker};
use crate::clock::Clock;
use crate::games::go::decode;
use crate::go::Position;
use crate::search::players::Player;

/// A player that keeps nothing from move to move.
pub struct SimpleThinker {
    player: Box<dyn Player<Position>>,
    service: Box<dyn EvaluationService>,
}

impl SimpleThinker {
    /// Moves are the player's; its evaluations are `service`'s.
    pub fn new(
        player: Box<dyn Player<Position>>,
        service: Box<dyn EvaluationService>,
    ) -> SimpleThinker {
        SimpleThinker { player, service }
    }
}

impl Thinker for SimpleThinker {
    fn choose(&mut self, position: &Position, _clock: &Clock) -> Result<Answer> {
        let mut open = position.clone();
        open.allow_encore(true);
        open.resume();
        self.service.begin(open.to_move(), open.size())?;
        Ok(Answer::Play(decode(self.player.choose(&open)?)))
    }

    fn service(&self) -> &dyn EvaluationService {
        &*self.service
    }

    fn service_mut(&mut self) -> &mut dyn EvaluationService {
        &mut *self.service
    }
}
