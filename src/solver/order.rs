//! Which moves to look at first. Nothing here changes an answer.

use super::arena::{Arena, Bits, Side, State};
use super::question::Question;
use super::table::Numbers;

/// What the ranks of a position's moves have in common.
pub(super) struct Hints {
    /// Liberties of the target.
    liberties: Bits,
    /// Points that can become part of an eye.
    eyes: Bits,
}

impl Hints {
    pub(super) fn new(arena: &Arena, state: &State, safe: Bits) -> Hints {
        let chains = arena.flood(state.target, state.stones[Side::Defender as usize]);
        let liberties = arena.near(chains) & arena.empty(state);
        Hints {
            liberties,
            eyes: arena.region & !(safe | arena.near(safe) | arena.wall),
        }
    }

    /// Lower is better.
    pub(super) fn rank(
        &self,
        arena: &Arena,
        state: &State,
        next: &State,
        mover: Side,
        place: u8,
    ) -> i32 {
        let bit: Bits = 1 << place;
        let mut rank = 10;
        if bit & self.liberties != 0 {
            rank -= 2;
        }
        let neighborhood = bit | arena.near(bit);
        rank -= (neighborhood & self.eyes & !state.stones[1]).count_ones() as i32;
        let before = state.stones[!mover as usize].count_ones();
        let captured = before - next.stones[!mover as usize].count_ones();
        rank -= 3 * captured.min(2) as i32;
        let own = next.stones[mover as usize];
        let chain = arena.flood(bit, own);
        if chain & arena.haven(mover) == 0 {
            let liberties = (arena.near(chain) & arena.empty(next)).count_ones();
            if liberties == 1 {
                rank += 4;
            }
        }
        rank
    }
}

/// Numbers of a position that was never searched: the attacker must fill the target's liberties and the
/// room for eyes to capture, and the room for eyes to keep the target from two.
pub(super) fn first_numbers(
    arena: &Arena,
    question: &Question,
    state: &State,
    safe: Bits,
) -> Numbers {
    let hints = Hints::new(arena, state, safe);
    let liberties = hints.liberties.count_ones();
    let room = (hints.eyes & !state.stones[Side::Defender as usize]).count_ones();
    match question.prover() {
        Side::Attacker => Numbers {
            proof: 1 + liberties + room,
            disproof: 3,
        },
        Side::Defender => Numbers {
            proof: 1,
            disproof: 1 + room,
        },
    }
}
