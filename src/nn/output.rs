//! From a net's raw outputs to figures of the game.

/// What the heads of a net say of one position, for the player to move, before any squashing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawOutput {
    /// Logits `[channel][point]`, points in the order of the inputs.
    pub policy: Vec<f32>,
    /// Logits of a pass, `[channel]`.
    pub pass: Vec<f32>,
    /// Logits of win, loss and no result.
    pub value: [f32; 3],
    /// Raw score figures; how many and which depends on the model version.
    pub score: Vec<f32>,
    /// `[point]`, before tanh.
    pub ownership: Vec<f32>,
}
