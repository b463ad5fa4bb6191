//! Tic-tac-toe: `First` plays X. Moves are the cells 0 to 8, row by row.

use keima::search::{Game, MoveCode, Outcome, Side};

const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

/// A position; the cells of each side as bits.
#[derive(Clone, Debug, Default)]
pub struct TicTacToe {
    cells: [u16; 2],
}

impl TicTacToe {
    /// The position after these moves.
    pub fn from_moves(moves: &[u16]) -> TicTacToe {
        let mut position = TicTacToe::default();
        moves.iter().for_each(|&cell| position.play(MoveCode(cell)));
        position
    }

    fn occupied(&self) -> u16 {
        self.cells[0] | self.cells[1]
    }

    fn has_line(cells: u16) -> bool {
        LINES.iter().any(|line| cells & line == *line)
    }
}

impl Game for TicTacToe {
    fn to_move(&self) -> Side {
        if self.occupied().count_ones().is_multiple_of(2) {
            Side::First
        } else {
            Side::Second
        }
    }

    fn legal_moves(&self, moves: &mut Vec<MoveCode>) {
        moves.clear();
        moves.extend(
            (0..9)
                .filter(|cell| self.occupied() & (1 << cell) == 0)
                .map(MoveCode),
        );
    }

    fn play(&mut self, code: MoveCode) {
        assert!(self.outcome().is_none() && self.occupied() & (1 << code.0) == 0);
        let side = usize::from(self.to_move() == Side::Second);
        self.cells[side] |= 1 << code.0;
    }

    fn outcome(&self) -> Option<Outcome> {
        let win_loss = if TicTacToe::has_line(self.cells[0]) {
            1.0
        } else if TicTacToe::has_line(self.cells[1]) {
            -1.0
        } else if self.occupied() == 0o777 {
            0.0
        } else {
            return None;
        };
        Some(Outcome {
            win_loss,
            ..Outcome::default()
        })
    }

    fn key(&self) -> u128 {
        u128::from(self.cells[0]) << 16 | u128::from(self.cells[1])
    }
}
