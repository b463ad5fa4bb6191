//! Settings of policy gradients.

use crate::params::parameters;

parameters! {
    /// Settings of policy gradients and their games. AlphaGo (2016): 128 games a step, an opponent
    /// for the pool every 500 steps, 10,000 steps.
    PolicyGradientParams;

    /// Games of an iteration, after which one step of training is made. AlphaGo: 128.
    games: u32 = 128, 2 => 1e5;
    /// Positions that a step learns from, at most, drawn from these games.
    positions: u32 = 8192, 1 => 1e7;
    /// Iterations after which the network joins the pool of opponents. AlphaGo: 500.
    pool_every: u32 = 50, 1 => 1e6;
    /// Temperature at which moves are drawn from policies.
    temperature: f64 = 1.0, 0.01 => 10;
    /// Share of the network's own value that is subtracted from the results (the baseline).
    baseline: f64 = 1.0, 0 => 1;
    /// Learning rate; from random weights up to ten times as much.
    rate: f64 = 0.001, 0 => 1;
    /// Weight of the loss of the outcome; the policy's is 1.
    value_weight: f64 = 0.5, 0 => 100;
    /// Moves, as a multiple of the board's points, after which a game is scored as it stands.
    longest: f64 = 2.5, 0.1 => 100;
    /// Games of the last network against the first, at the end.
    final_games: u32 = 400, 0 => 1e6;
}
