//! Forbidden moves of each side down to a depth, as analysis commands use them.

use std::collections::BTreeMap;

use super::game::{MoveCode, Side};

/// Forbidden moves of both sides; none by default. A depth counts the moves since the root, where
/// it is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restrictions {
    first: SideRestriction,
    second: SideRestriction,
}

/// Depths from which one side's moves are allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct SideRestriction {
    /// For named moves.
    named: BTreeMap<MoveCode, u32>,
    /// For all others.
    others: u32,
}

impl Restrictions {
    /// Forbids a side's moves until `depth`.
    pub fn avoid(&mut self, side: Side, codes: impl IntoIterator<Item = MoveCode>, depth: u32) {
        let named = codes.into_iter().map(|code| (code, depth));
        self.side_mut(side).named.extend(named);
    }

    /// Forbids all other moves of a side until `depth`.
    pub fn allow(&mut self, side: Side, codes: impl IntoIterator<Item = MoveCode>, depth: u32) {
        *self.side_mut(side) = SideRestriction {
            named: codes.into_iter().map(|code| (code, 0)).collect(),
            others: depth,
        };
    }

    /// Whether a move is forbidden for a side at this depth.
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
