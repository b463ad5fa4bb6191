//! The interface of players of games with dice, independent of protocols.

use crate::arena::contestant::Fault;
use crate::games::dice_game::{DiceGame, DicePlayer};

/// One of the two players of a match, for any number of games.
pub trait DiceContestant<G: DiceGame> {
    /// Name in reports.
    fn name(&self) -> &str;

    /// Begins the game of this number, from 0, restarting a player that has exited. An error means that the player
    /// cannot play.
    fn start(&mut self, number: usize) -> anyhow::Result<()>;

    /// Chooses a play of the position's dice.
    fn choose(&mut self, position: &G) -> Result<G::Play, Fault>;
}

/// A player of this program.
pub struct Local<G: DiceGame> {
    name: String,
    player: Box<dyn DicePlayer<G>>,
}

impl<G: DiceGame> Local<G> {
    /// A player under a name.
    pub fn new(name: String, player: Box<dyn DicePlayer<G>>) -> Local<G> {
        Local { name, player }
    }
}

impl<G: DiceGame> DiceContestant<G> for Local<G> {
    fn name(&self) -> &str {
        &self.name
    }

    fn start(&mut self, number: usize) -> anyhow::Result<()> {
        self.player.begin(number as u64);
        Ok(())
    }

    fn choose(&mut self, position: &G) -> Result<G::Play, Fault> {
        let best = self.player.rated(position).into_iter().next();
        let best = best.ok_or_else(|| Fault::Refused("no play".to_owned()))?;
        Ok(best.play)
    }
}
