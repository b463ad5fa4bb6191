//! What a search knows of a position it is at, and of the moves there.

use super::arena::{Bits, NOWHERE, State};
use super::dfpn::PASS;
use super::table::Numbers;

/// An answer that supposes nothing about positions before it.
pub(super) const FREE: i32 = i32::MAX;

/// What a search of a node came to.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub(super) numbers: Numbers,
    /// The depth of the shallowest position that is supposed to be a no.
    pub(super) depends_on: i32,
    /// For an answer, the points on which it depends.
    pub(super) zone: Bits,
}

impl Found {
    /// What holds whatever came before.
    pub(super) fn free(numbers: Numbers, zone: Bits) -> Found {
        Found {
            numbers,
            depends_on: FREE,
            zone,
        }
    }
}

/// A move and what it leads to.
pub(super) struct Child {
    /// Where, or [`PASS`].
    pub(super) place: u8,
    /// The position after it.
    pub(super) state: State,
    /// What is known of that.
    pub(super) found: Found,
    /// For equal numbers; lower is earlier.
    pub(super) rank: i32,
    /// Whether it may matter.
    pub(super) counts: bool,
}

impl Child {
    /// Whether the move fails for its mover.
    pub(super) fn is_lost(&self, is_prover: bool) -> bool {
        sides(self.found.numbers, is_prover).1 == 0
    }

    /// Whether the move answers the question for its mover.
    pub(super) fn is_best(&self, is_prover: bool) -> bool {
        sides(self.found.numbers, is_prover).0 == 0
    }

    /// Whether the move fails whatever came before, although it changes nothing of what that depends on.
    pub(super) fn is_idle(&self, before: &State, is_prover: bool) -> bool {
        self.is_lost(is_prover)
            && self.found.depends_on == FREE
            && self.changes(before) & self.found.zone == 0
    }

    /// The points where the move changes something.
    pub(super) fn changes(&self, before: &State) -> Bits {
        let [a, b] = [0, 1].map(|side| before.stones[side] ^ self.state.stones[side]);
        let ko = match self.state.ko {
            NOWHERE => 0,
            place => 1 << place,
        };
        a | b | ko
    }

    /// The point played on, as a set.
    pub(super) fn bit(&self) -> Bits {
        match self.place {
            PASS => 0,
            place => 1 << place,
        }
    }
}

/// The number that one of the mover's moves must bring to 0, and the one that all must.
pub(super) fn sides(numbers: Numbers, is_prover: bool) -> (u32, u32) {
    match is_prover {
        true => (numbers.proof, numbers.disproof),
        false => (numbers.disproof, numbers.proof),
    }
}

/// The numbers whose [`sides`] these are.
pub(super) fn from_sides(easy: u32, hard: u32, is_prover: bool) -> Numbers {
    let (proof, disproof) = match is_prover {
        true => (easy, hard),
        false => (hard, easy),
    };
    Numbers { proof, disproof }
}

/// The limits for the best move: until it is worse than the second best by an eighth, or until the node,
/// which counts `others` for its other moves, reaches its own.
pub(super) fn widen(second: u32, others: u32, limit: Numbers, is_prover: bool) -> Numbers {
    let (easy_limit, hard_limit) = sides(limit, is_prover);
    let easy = easy_limit.min(second.saturating_add(second / 8 + 1));
    let hard = hard_limit.saturating_sub(others);
    from_sides(easy, hard, is_prover)
}
