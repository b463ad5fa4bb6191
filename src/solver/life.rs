//! Positions whose end is known without search: both tests are exact.

use smallvec::SmallVec;

use super::arena::{Arena, Bits, State};

const ATTACKER: usize = 0;
const DEFENDER: usize = 1;

impl Arena {
    /// Whether some stone of the target lives even if the defender passes forever, or is connected
    /// to stones that live outside (Benson, "Life in the game of Go", 1976). Suicide is illegal.
    pub(super) fn is_target_alive(&self, state: &State) -> bool {
        let defenders = state.stones[DEFENDER];
        if self.friend != 0 {
            let connected = self.flood(state.target, defenders);
            if connected & self.friend != 0 {
                return true;
            }
        }
        let empty = self.empty(state);
        let mut eyes: SmallVec<[Bits; 8]> = SmallVec::new();
        // Every eye has an empty point all of whose neighbors are in the eye or defenders.
        let mut rest = empty;
        while rest != 0 {
            let eye = self.flood(super::arena::lowest(rest), self.region & !defenders);
            rest &= !eye;
            if eye & self.wall == 0 {
                eyes.push(eye);
            }
        }
        if eyes.len() < 2 {
            return false;
        }
        let mut chains: SmallVec<[Bits; 8]> = self.parts(defenders).collect();
        loop {
            let (eyes_before, chains_before) = (eyes.len(), chains.len());
            chains.retain(|chain| {
                let near = self.near(*chain);
                let vital = |eye: &&Bits| **eye & empty & !near == 0;
                eyes.iter().filter(vital).count() >= 2
            });
            let living = chains.iter().fold(0, |all, chain| all | chain);
            if living & state.target == 0 {
                return false;
            }
            eyes.retain(|eye| self.near(*eye) & defenders & !living == 0);
            if (eyes.len(), chains.len()) == (eyes_before, chains_before) {
                return true;
            }
        }
    }

    /// The attacker's stones that can never be captured: those connected to the wall.
    pub(super) fn safe_attackers(&self, state: &State) -> Bits {
        let attackers = state.stones[ATTACKER];
        self.flood(attackers & self.wall, attackers)
    }

    /// Points that can become part of a defender's eye: neither they nor their neighbors hold
    /// attackers that cannot be captured.
    pub(super) fn possible_eyes(&self, state: &State, safe: Bits) -> Bits {
        self.region & !(safe | self.near(safe) | self.wall)
    }

    /// Whether the defender cannot get two eyes whatever happens: eyes need two points that are
    /// not neighbors, and the target no way to the outside.
    pub(super) fn has_no_room(&self, possible: Bits) -> bool {
        if self.friend != 0 {
            return false;
        }
        match possible.count_ones() {
            0 | 1 => true,
            2 => self.near(super::arena::lowest(possible)) & possible != 0,
            _ => false,
        }
    }

    /// Whether the attacker captures the target whatever the defender does, without a ko: the
    /// defender has a single chain, and all that is not his lies next to attackers who cannot be
    /// captured, except for at most one point, or two neighbors. The attacker fills the others one
    /// by one, always safely; the last two are an eye that he can play into.
    pub(super) fn is_target_dead(&self, state: &State, safe: Bits) -> bool {
        let defenders = state.stones[DEFENDER];
        if self.friend != 0 || state.target == 0 {
            return false;
        }
        let inner = self.region & !(safe | self.near(safe) | self.wall) & !defenders;
        let is_small = match inner.count_ones() {
            0 | 1 => true,
            2 => self.near(super::arena::lowest(inner)) & inner != 0,
            _ => false,
        };
        is_small && self.flood(super::arena::lowest(state.target), defenders) == defenders
    }
}
