//! Moves that a search must leave alone, as analysis asks for: each side's, down to a depth.

use std::collections::BTreeMap;

use super::game::{MoveCode, Side};

/// What both sides must leave alone; nothing by default. A depth counts the moves made since the
/// root, where it is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restrictions {
    first: SideRestriction,
    second: SideRestriction,
}

/// Depths from which on one side may make moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct SideRestriction {
    /// Of moves that were named.
    named: BTreeMap<MoveCode, u32>,
    /// Of all others.
    others: u32,
}

impl Restrictions {
    /// Forbids a side's moves until `depth`.
    pub fn avoid(&mut self, side: Side, codes: impl IntoIterator<Item = MoveCode>, depth: u32) {
        let named = codes.into_iter().map(|code| (code, depth));
        self.side_mut(side).named.extend(named);
    }

    /// Forbids all moves of a side but these until `depth`.
    pub fn allow(&mut self, side: Side, codes: impl IntoIterator<Item = MoveCode>, depth: u32) {
        *self.side_mut(side) = SideRestriction {
            named: codes.into_iter().map(|code| (code, 0)).collect(),
            others: depth,
        };
    }

    /// Whether a side may not make this move at this depth.
    pub fn forbids(&self, side: Side, code: MoveCode, depth: u32) -> bool {
        let restriction = self.side(side);
        depth < *restriction.named.get(&code).unwrap_or(&restriction.others)
    }

    /// Whether nothing is forbidden below the root.
    pub fn end_at_root(&self) -> bool {
        [&self.first, &self.second].iter().all(|restriction| {
            let mut depths = restriction.named.values();
            restriction.others <= 1 && depths.all(|&depth| depth <= 1)
        })
    }

    fn side(&self, side: Side) -> &SideRestriction {
        match side {
            Side::First => &self.first,
            Side::Second => &self.second,
        }
    }

    fn side_mut(&mut self, side: Side) -> &mut SideRestriction {
        match side {
            Side::First => &mut self.first,
            Side::Second => &mut self.second,
        }
    }
}
