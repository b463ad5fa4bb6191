//! The board: where the men of both sides are, seen from the side to roll.

use crate::splitmix::splitmix;

/// Men of a side.
pub const MEN: u8 = 15;
/// Index of the bar among the places of a side; points 1 to 24 have the indices 0 to 23.
pub const BAR: usize = 24;
/// Points of the home board.
pub const HOME: usize = 6;

/// The men of one side: on its points 1 to 24, as it counts them itself, and on the bar.
pub type Men = [u8; 25];

/// A position without dice. Points are counted by each side from its own home board, so that its point 1 is the
/// other's point 24.
#[derive(Clone, Copy, Debug)]
pub struct Board {
    /// Men of the side to roll.
    pub own: Men,
    /// Men of the other side, as that side counts its points.
    pub other: Men,
    /// Hashes of both, sums over the men.
    keys: [u64; 2],
}

impl PartialEq for Board {
    fn eq(&self, board: &Board) -> bool {
        self.keys == board.keys && self.own == board.own && self.other == board.other
    }
}

impl Eq for Board {}

/// Hash values of a man on each place.
const PLACES: [u64; 25] = {
    let mut places = [0; 25];
    let mut index = 0;
    while index < 25 {
        places[index] = splitmix(0, index as u64 + 1);
        index += 1;
    }
    places
};

fn key_of(men: &Men) -> u64 {
    let parts = men.iter().zip(&PLACES);
    parts.fold(0, |sum: u64, (&count, place)| {
        sum.wrapping_add(place.wrapping_mul(count.into()))
    })
}

impl Board {
    /// From the men of both sides, at most 15 each.
    pub fn new(own: Men, other: Men) -> Board {
        Board {
            own,
            other,
            keys: [key_of(&own), key_of(&other)],
        }
    }

    /// The initial position.
    pub fn start() -> Board {
        let mut men = [0; 25];
        men[5] = 5;
        men[7] = 3;
        men[12] = 5;
        men[23] = 2;
        Board::new(men, men)
    }

    /// The same seen from the other side.
    pub fn turned(&self) -> Board {
        Board {
            own: self.other,
            other: self.own,
            keys: [self.keys[1], self.keys[0]],
        }
    }

    /// Hash.
    pub fn key(&self) -> u64 {
        self.keys[0] ^ self.keys[1].rotate_left(29)
    }

    /// Men of the other side on a point, by the index of the side to roll.
    pub fn opposing(&self, index: usize) -> u8 {
        self.other[23 - index]
    }

    /// Moves a man of the side to roll; without a target off the board. A blot there is hit: then the result is true.
    pub fn step(&mut self, from: usize, to: Option<usize>) -> bool {
        self.own[from] -= 1;
        self.keys[0] = self.keys[0].wrapping_sub(PLACES[from]);
        let Some(to) = to else {
            return false;
        };
        self.own[to] += 1;
        self.keys[0] = self.keys[0].wrapping_add(PLACES[to]);
        let is_hit = self.opposing(to) == 1;
        if is_hit {
            self.other[23 - to] = 0;
            self.other[BAR] += 1;
            let moved = PLACES[BAR].wrapping_sub(PLACES[23 - to]);
            self.keys[1] = self.keys[1].wrapping_add(moved);
        }
        is_hit
    }

    /// Whether no man of either side can meet one of the other any more.
    pub fn is_race(&self) -> bool {
        rear(&self.own) + rear(&self.other) < 25
    }
}

/// One more than the index of the rearmost man, so that the bar counts 25; 0 if all are off.
pub fn rear(men: &Men) -> usize {
    men.iter()
        .rposition(|&count| count > 0)
        .map_or(0, |index| index + 1)
}

/// Pips that a side needs to bear off all men.
pub fn pips(men: &Men) -> u32 {
    let part = |(index, &count): (usize, &u8)| (index as u32 + 1) * u32::from(count);
    men.iter().enumerate().map(part).sum()
}

/// Men that are on the board or on the bar.
pub fn men_left(men: &Men) -> u8 {
    men.iter().sum()
}

/// Men borne off.
pub fn men_off(men: &Men) -> u8 {
    MEN.saturating_sub(men_left(men))
}

/// Whether all men are in the home board or off.
pub fn is_home(men: &Men) -> bool {
    rear(men) <= HOME
}
