//! What the evaluation counts of pawns.

use cozy_chess::{BitBoard, Square};

use super::features::{Counts, Side};
use super::squares::{ahead, all_ahead, beside, distance, few, whole_files};
use super::weights::at;

impl<C: Counts, const WHITE: bool> Side<'_, C, WHITE> {
    pub(super) fn pawns(&mut self) {
        let (own, other) = (self.pawns_of(true), self.pawns_of(false));
        let is_doubled = all_ahead(own, !WHITE);
        self.add(at::DOUBLED, few(own & is_doubled));
        let hindered = all_ahead(other | beside(other), !WHITE);
        for square in own - is_doubled - hindered {
            self.passed(square);
        }
        let neighbors = beside(own);
        let connected = own & (self.pawn_attacks_of(true) | neighbors);
        for square in connected {
            self.add(at::CONNECTED + self.pawn_rank(square), 1);
        }
        let isolated = own - connected - beside(whole_files(own));
        self.add(at::ISOLATED, few(isolated));
        // No pawn beside or behind can defend it, and the square ahead is attacked by a pawn.
        let defensible = neighbors | all_ahead(neighbors, WHITE);
        let is_stopped = ahead(self.pawn_attacks_of(false), !WHITE);
        let backward = (own - connected - isolated - defensible) & is_stopped;
        self.add(at::BACKWARD, few(backward));
    }

    /// 0 for the second rank to 5 for the seventh.
    fn pawn_rank(&self, square: Square) -> usize {
        (self.relative(square).rank() as usize).clamp(1, 6) - 1
    }

    fn passed(&mut self, square: Square) {
        let rank = self.pawn_rank(square);
        self.add(at::PASSED + rank, 1);
        let stop: BitBoard = ahead(square.bitboard(), WHITE);
        if (stop & self.hindered()).is_empty() {
            self.add(at::PASSED_FREE + rank, 1);
        }
        if rank >= 2
            && let Some(stop) = stop.next_square()
        {
            self.add(at::PASSED_OWN_KING, distance(self.king_of(true), stop));
            self.add(at::PASSED_ENEMY_KING, distance(self.king_of(false), stop));
        }
    }
}
