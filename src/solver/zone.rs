//! Zones: the points on which a yes depends, so that moves elsewhere need not be tried.
//!
//! The zone of a yes is a set of points such that the answer is yes for every position that has the
//! same stones on them (and the same ko, where a ko lies in it), whatever the rest of the region looks
//! like. Where the side that must answer everything may pass, and the answer is yes after that, all its
//! moves outside the zone change nothing and are answered too (after Shih, Wei, Wu and Wu, "A novel
//! approach to solving goal-achieving problems for board games", 2022). Zones are built from the ends
//! of lines upwards:
//!
//! - at an end, the points that make it one;
//! - for a move of the prover, the zone after it, with all that makes the move legal and its captures
//!   what they are;
//! - for the other side, the zone after a pass, and the zones after its moves inside. No move outside
//!   may capture anything in it, so the prover's chains in it have liberties in it.

use super::arena::{Arena, Bits, Side, State, lowest, places};

impl Arena {
    /// What a move of the prover adds to the zone after it: with the same stones there, the move is
    /// legal and captures the same.
    pub(super) fn zone_of_move(
        &self,
        before: &State,
        after: &State,
        side: Side,
        place: u8,
    ) -> Bits {
        let bit: Bits = 1 << place;
        let mut zone = bit | self.near(bit) | self.zone_of_captures(before, after, side, bit);
        let empty = self.empty(after);
        if self.near(bit) & empty == 0 && bit & self.haven(side) == 0 {
            let chain = self.flood(bit, after.stones[side as usize]);
            zone |= chain;
            if chain & self.haven(side) == 0 {
                zone |= lowest(self.near(chain) & empty);
            }
        }
        zone
    }

    /// The captured stones with all around them, and the chains beside the move that are not captured
    /// with a liberty of each.
    fn zone_of_captures(&self, before: &State, after: &State, side: Side, bit: Bits) -> Bits {
        let others = after.stones[!side as usize];
        let captured = before.stones[!side as usize] & !others;
        let mut zone = captured | self.near(captured);
        if captured.count_ones() == 1 {
            // Whether it is a ko depends on all around the stone.
            zone |= self.near(bit);
        }
        let empty = self.empty(after);
        for chain in self.parts(self.near(bit) & others, others) {
            zone |= chain;
            if chain & self.haven(!side) == 0 {
                zone |= lowest(self.near(chain) & empty);
            }
        }
        zone
    }

    /// What a move of the side that must answer everything adds, besides the zone after it.
    pub(super) fn zone_of_reply(
        &self,
        before: &State,
        after: &State,
        side: Side,
        place: u8,
    ) -> Bits {
        let bit: Bits = 1 << place;
        bit | self.zone_of_captures(before, after, side, bit)
    }

    /// The smallest larger set in which no chain of the prover that it touches can be captured from
    /// outside, and no move inside that is suicide of the other side, `mover`, becomes legal.
    pub(super) fn closed_zone(&self, state: &State, mover: Side, zone: Bits) -> Bits {
        let prover = state.stones[!mover as usize];
        let empty = self.empty(state);
        let mut zone = zone;
        loop {
            let before = zone;
            zone |= self.flood(zone & prover, prover);
            for chain in self.parts(zone & prover, prover) {
                if chain & self.haven(!mover) == 0 {
                    zone |= self.two_of(self.near(chain) & empty, zone);
                }
            }
            for place in places(zone & empty) {
                if place != state.ko && self.play(state, mover, place, false).is_none() {
                    let bit: Bits = 1 << place;
                    let chain = self.flood(bit, state.stones[mover as usize] | bit);
                    zone |= chain | self.near(chain);
                }
            }
            if zone == before {
                return zone;
            }
        }
    }

    /// Up to two of some points, as many of them as possible in `zone`.
    fn two_of(&self, points: Bits, zone: Bits) -> Bits {
        let mut chosen = 0;
        for _ in 0..2 {
            let left = points & !chosen;
            let preferred = if left & zone != 0 { left & zone } else { left };
            chosen |= lowest(preferred);
        }
        chosen
    }
}
