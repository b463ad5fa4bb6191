//! Games with hidden information, such as card games, by sampling: worlds that fit what a player knows are drawn, each
//! is searched as if all could see everything, and the action that is best on average is chosen.
//!
//! Two limits follow from that. In each sampled world the search may choose differently, though the player will not know
//! in which world it is (strategy fusion): it overrates actions that leave a later guess open, and never pays to learn
//! something. And since everyone is assumed to see all cards, it neither bluffs nor hides what it holds.

use super::position::Position;
use super::score::Score;

/// What a player knows of a game.
pub trait Hidden {
    /// A game in which everything is known.
    type World: Position;

    /// Draws a world that fits what is known; the numbers given by `random` are uniform over all `u64`.
    fn sample(&self, random: &mut dyn FnMut() -> u64) -> Self::World;

    /// The actions to choose from, the same in every world.
    fn actions(&self) -> Vec<<Self::World as Position>::Move>;
}

/// An action with its average value in hundredths, seen from the player who chooses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Average<M> {
    /// The action.
    pub action: M,
    /// Mean over the worlds.
    pub value: f64,
}

/// Rates all actions over `worlds` sampled worlds, the best first; of equal ones the earlier. `solve` gives the value of
/// a world, seen from its side to move.
pub fn choose<H: Hidden>(
    known: &H,
    worlds: usize,
    random: &mut dyn FnMut() -> u64,
    mut solve: impl FnMut(&H::World) -> Score,
) -> Vec<Average<<H::World as Position>::Move>> {
    let actions = known.actions();
    let mut sums = vec![0.0; actions.len()];
    let worlds = worlds.max(1);
    for _ in 0..worlds {
        let world = known.sample(random);
        let player = world.to_move();
        for (sum, &action) in sums.iter_mut().zip(&actions) {
            let mut after = world.clone();
            after.play(action);
            let value = f64::from(solve(&after));
            // The same side may stay on the move.
            *sum += if after.to_move() == player {
                value
            } else {
                -value
            };
        }
    }
    let average = |(action, sum)| Average {
        action,
        value: sum / worlds as f64,
    };
    let mut averages: Vec<_> = actions.into_iter().zip(sums).map(average).collect();
    averages.sort_by(|one, other| other.value.total_cmp(&one.value));
    averages
}
