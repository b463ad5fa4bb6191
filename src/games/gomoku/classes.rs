//! What a stone makes on all four lines through its point.

use std::sync::OnceLock;

use super::geometry::DIRECTIONS;
use super::lines::{BothClasses, LineClass};
use super::rule::Color;

/// What a stone makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum PointClass {
    /// Nothing of the below; also said of points with a stone.
    #[default]
    Less,
    /// A two on one line.
    Two,
    /// Twos on several lines.
    Twos,
    /// A three on one line.
    Three,
    /// Threes on several lines: in renju forbidden to Black if they are real threes.
    Threes,
    /// A four.
    Four,
    /// A four and a three.
    FourThree,
    /// A straight four, or several fours: wins at the next move.
    Winning,
    /// A row that wins.
    Five,
    /// In renju, an overline or several fours of Black: forbidden.
    Forbidden,
}

/// Number of classes.
pub const CLASSES: usize = 10;

impl PointClass {
    const ALL: [PointClass; CLASSES] = [
        PointClass::Less,
        PointClass::Two,
        PointClass::Twos,
        PointClass::Three,
        PointClass::Threes,
        PointClass::Four,
        PointClass::FourThree,
        PointClass::Winning,
        PointClass::Five,
        PointClass::Forbidden,
    ];

    /// The class of a number; [`PointClass::Less`] if there is none.
    pub fn of(number: u8) -> PointClass {
        PointClass::ALL
            .get(usize::from(number))
            .copied()
            .unwrap_or_default()
    }

    /// Whether a stone there threatens to win at once.
    pub fn is_four(self) -> bool {
        matches!(
            self,
            PointClass::Four | PointClass::FourThree | PointClass::Winning
        )
    }
}

/// The classes of a point's lines, four bits each.
pub type Packed = u16;

/// The classes of all lines.
fn all_unpacked(packed: Packed) -> [LineClass; DIRECTIONS] {
    std::array::from_fn(|direction| LineClass::of((packed >> (4 * direction) & 15) as u8))
}

/// The classes of a color on all lines.
#[inline]
pub fn packed(lines: [BothClasses; DIRECTIONS], color: Color) -> Packed {
    let classes = u32::from_le_bytes(lines) >> (4 * color as u32) & 0x0F0F_0F0F;
    let pairs = (classes | classes >> 4) & 0x00FF_00FF;
    (pairs | pairs >> 8) as Packed
}

/// Point classes by packed line classes.
pub type PointTable = Vec<u8>;

/// The table of a side without, or with, forbidden points.
pub fn point_table(is_restricted: bool) -> &'static PointTable {
    static TABLES: [OnceLock<PointTable>; 2] = [const { OnceLock::new() }; 2];
    TABLES[usize::from(is_restricted)].get_or_init(|| {
        let class = |packed| combined(all_unpacked(packed), is_restricted) as u8;
        (0..=Packed::MAX).map(class).collect()
    })
}

fn combined(lines: [LineClass; DIRECTIONS], is_restricted: bool) -> PointClass {
    let has = |class| lines.contains(&class);
    let fours: usize = lines.iter().map(|line| line.fours()).sum();
    let threes = lines.iter().filter(|line| line.is_three()).count();
    let twos = lines.iter().filter(|line| **line == LineClass::Two).count();
    if has(LineClass::Five) {
        return PointClass::Five;
    }
    if is_restricted && (fours > 1 || has(LineClass::Overline)) {
        return PointClass::Forbidden;
    }
    if fours > 1 || has(LineClass::StraightFour) {
        return PointClass::Winning;
    }
    match (fours, threes, twos) {
        (1, 0, _) => PointClass::Four,
        (1, ..) => PointClass::FourThree,
        (_, 2.., _) => PointClass::Threes,
        (_, 1, _) => PointClass::Three,
        (_, _, 2..) => PointClass::Twos,
        (_, _, 1) => PointClass::Two,
        _ => PointClass::Less,
    }
}
