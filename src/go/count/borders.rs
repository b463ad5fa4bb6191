//! Regions without living stones: whose they are, and which points are dame.

use super::Living;
use crate::go::color::{Color, PerColor};
use crate::go::rows::Rows;

/// Behind a gap in a border so few points are dame too: the opponent's stone in the gap threatens to
/// play there.
const SMALL_POCKET: usize = 2;

/// Points without living stones, by owner.
#[derive(Clone)]
pub(super) struct Borders {
    /// Regions that touch a color alone.
    pub(super) room: PerColor<Rows>,
    /// All other points.
    pub(super) dame: Rows,
}

impl Borders {
    /// Each region belongs to the color whose stones alone touch it.
    pub(super) fn plain(living: &Living) -> Borders {
        let mut borders = Borders {
            room: PerColor([Rows::EMPTY; 2]),
            dame: Rows::EMPTY,
        };
        borders.add_regions(living, living.open);
        borders
    }

    /// The same, as if the points that touch both colors were filled: where a border has a gap, the
    /// gap and small pockets behind it are dame, but not all that lies within.
    pub(super) fn settled(living: &Living) -> Borders {
        let Borders { mut room, dame } = Borders::plain(living);
        let touched = PerColor(living.stones.0.map(|stones| stones.neighbors()));
        let contact = dame & touched[Color::Black] & touched[Color::White];
        let behind = (dame & !contact).areas();
        let large = behind.filter(|region| region.len() > SMALL_POCKET);
        let large = large.fold(Rows::EMPTY, |all, region| all | region);
        let mut borders = Borders {
            room: PerColor([Rows::EMPTY; 2]),
            dame: dame & !large,
        };
        borders.add_regions(living, large);
        for color in Color::BOTH {
            room[color] = room[color] | borders.room[color];
        }
        Borders { room, ..borders }
    }

    fn add_regions(&mut self, living: &Living, open: Rows) {
        for region in open.areas() {
            let border = region.neighbors();
            let touches = living.stones.0.map(|stones| !(border & stones).is_empty());
            match touches {
                [true, false] => self.room[Color::Black] = self.room[Color::Black] | region,
                [false, true] => self.room[Color::White] = self.room[Color::White] | region,
                _ => self.dame = self.dame | region,
            }
        }
    }
}
