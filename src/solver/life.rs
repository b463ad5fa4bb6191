//! Positions whose end is known without search: both tests are exact.

use smallvec::SmallVec;

use super::arena::{Arena, Bits, State, lowest};

const ATTACKER: usize = 0;
const DEFENDER: usize = 1;

impl Arena {
    /// Whether some stone of the target lives even if the defender passes forever, or is connected
    /// to stones that live outside (Benson, "Life in the game of Go", 1976). Suicide is illegal. If so, the
    /// living chains and their eyes: with the same stones there, they live whatever is elsewhere.
    pub(super) fn living_target(&self, state: &State) -> Option<Bits> {
        let defenders = state.stones[DEFENDER];
        if self.friend != 0 {
            let connected = self.flood(state.target, defenders);
            if connected & self.friend != 0 {
                return Some(connected);
            }
        }
        let open = self.region & !defenders;
        let enclosed = open & !self.flood(open & self.wall, open);
        let empty = self.empty(state);
        let mut eyes: SmallVec<[Bits; 8]> = self.parts(empty & enclosed, enclosed).collect();
        if eyes.len() < 2 {
            return None;
        }
        let mut chains: SmallVec<[Bits; 8]> = self.parts(defenders, defenders).collect();
        loop {
            let (eyes_before, chains_before) = (eyes.len(), chains.len());
            chains.retain(|chain| {
                let near = self.near(*chain);
                let vital = |eye: &&Bits| **eye & empty & !near == 0;
                eyes.iter().filter(vital).count() >= 2
            });
            let living = chains.iter().fold(0, |all, chain| all | chain);
            if living & state.target == 0 {
                return None;
            }
            eyes.retain(|eye| self.near(*eye) & defenders & !living == 0);
            if (eyes.len(), chains.len()) == (eyes_before, chains_before) {
                return Some(eyes.iter().fold(living, |all, eye| all | eye));
            }
        }
    }

    /// The attacker's stones that can never be captured: those connected to the wall.
    pub(super) fn safe_attackers(&self, state: &State) -> Bits {
        let attackers = state.stones[ATTACKER];
        self.flood(attackers & self.wall, attackers)
    }

    /// Whether the target cannot get two eyes whatever happens; if so, the points that matter for it. Eyes
    /// need two points that are not neighbors, neither of which touches an attacker that cannot be
    /// captured, in the part of the region that the target reaches past such attackers.
    pub(super) fn roomless_target(&self, state: &State, safe: Bits) -> Option<Bits> {
        if self.friend != 0 {
            return None;
        }
        let area = self.flood(state.target, self.region & !safe);
        let possible = area & !(self.near(safe) | self.wall);
        self.is_one_eye(possible)
            .then(|| area | self.flood(self.near(area) & safe, safe))
    }

    /// Whether a set is at most one point, or two neighbors.
    fn is_one_eye(&self, points: Bits) -> bool {
        match points.count_ones() {
            0 | 1 => true,
            2 => self.near(lowest(points)) & points != 0,
            _ => false,
        }
    }

    /// Whether the attacker captures the target whatever the defender does, without a ko: the target is
    /// a single chain, no other defenders are in the part of the region that it reaches, and all that is
    /// not its own there lies next to attackers who cannot be captured, except for at most one point, or
    /// two neighbors. The attacker fills the others one by one, always safely; the last two are an eye
    /// that he can play into. If so, the points that matter for it.
    pub(super) fn dead_target(&self, state: &State, safe: Bits) -> Option<Bits> {
        let defenders = state.stones[DEFENDER];
        if self.friend != 0 {
            return None;
        }
        let chain = self.flood(lowest(state.target), defenders);
        if state.target & !chain != 0 {
            return None;
        }
        let area = self.flood(chain, self.region & !safe);
        let inner = area & !(self.near(safe) | self.wall) & !defenders;
        let is_dead = area & defenders == chain && self.is_one_eye(inner);
        is_dead.then(|| area | self.flood(self.near(area) & safe, safe))
    }
}
