//! Points that a color keeps even if it only passes or answers: its pass-alive chains (Benson 1976) and the
//! regions in which every point is beside one of them.
//!
//! Superko may take some of it away, but not much. Passing is always allowed, and in an eye of one point the other
//! color cannot play. In larger regions the color may have to capture: every point is beside the chain, so it can fill
//! the region stone by stone, and what is left is an eye of the chain again. Each of these moves makes a position with
//! a stone of the color in the region. If there was none in all the history, none of them is forbidden.

use smallvec::SmallVec;

use super::board::{Board, Geometry, Points};
use crate::go::Color;

/// What a color keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sure {
    /// The points.
    pub(super) points: Points,
    /// Of these, those that may have to be filled: no earlier position may have had a stone there.
    pub(super) filled: Points,
}

/// The points of a color that nothing can take away; `seen` are those where it ever had a stone.
pub(super) fn sure_points(geometry: &Geometry, board: &Board, color: Color, seen: Points) -> Sure {
    let own = board.stones[color];
    if own == 0 {
        return Sure::default();
    }
    let other = board.stones[!color];
    let mut chains: SmallVec<[Points; 8]> = geometry.parts(own).collect();
    let mut regions: SmallVec<[Points; 8]> = geometry.parts(geometry.all & !own).collect();
    if regions.len() < 2 {
        return Sure::default();
    }
    loop {
        // Every empty point of a vital region is a liberty of the chain.
        let is_vital = |region: Points, chain: Points| {
            let empty = region & !other;
            empty & !geometry.beside(chain) == 0
        };
        let before = chains.len();
        chains.retain(|chain| {
            let vital = regions.iter().filter(|&&region| {
                geometry.beside(*chain) & region != 0 && is_vital(region, *chain)
            });
            vital.count() >= 2
        });
        if chains.is_empty() {
            return Sure::default();
        }
        if chains.len() == before {
            break;
        }
        let alive = chains.iter().fold(0, |set, chain| set | chain);
        regions.retain(|region| geometry.beside(*region) & own & !alive == 0);
    }
    let alive = chains.iter().fold(0, |set, chain| set | chain);
    let mut sure = Sure {
        points: alive,
        filled: 0,
    };
    for region in regions {
        let is_covered = chains
            .iter()
            .any(|chain| region & !geometry.beside(*chain) == 0);
        if !is_covered || region.count_ones() > 1 && region & seen != 0 {
            continue;
        }
        sure.points |= region;
        if region.count_ones() > 1 {
            sure.filled |= region;
        }
    }
    sure
}
