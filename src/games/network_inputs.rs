//! What networks read of a board game, and which moves they choose among.

use crate::minimax::Position;

/// Networks' view of a game's positions, see [`super::board_game::BoardGame::NETWORK_INPUTS`]. Cells are
/// numbered row by row.
pub struct NetworkInputs<P: Position> {
    /// Name with a number, which changes when planes or values do.
    pub name: &'static str,
    /// Number of planes.
    pub planes: usize,
    /// Number of values of the whole board.
    pub values: usize,
    /// Width and height of the board.
    pub size: fn(&P) -> (usize, usize),
    /// Writes planes `[cell][plane]` and values, from the side to move; all are 0 before.
    pub write: fn(&P, &mut [f32], &mut [f32]),
    /// The cell of a move.
    pub cell: fn(&P, P::Move) -> usize,
    /// Appends legal moves of which one is best, unless all lose: all moves, or those that stop a threat.
    pub moves: fn(&P, &mut Vec<P::Move>),
    /// A move that wins by force, if a short search finds one.
    pub winning_move: fn(&P) -> Option<P::Move>,
}

impl<P: Position> Clone for NetworkInputs<P> {
    fn clone(&self) -> NetworkInputs<P> {
        *self
    }
}

impl<P: Position> Copy for NetworkInputs<P> {}

impl<P: Position> NetworkInputs<P> {
    /// Planes and values of a position.
    pub fn of(&self, position: &P) -> (Vec<f32>, Vec<f32>) {
        let (width, height) = (self.size)(position);
        let mut planes = vec![0.0; width * height * self.planes];
        let mut values = vec![0.0; self.values];
        (self.write)(position, &mut planes, &mut values);
        (planes, values)
    }
}
