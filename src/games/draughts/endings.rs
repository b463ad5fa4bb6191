//! Endings of up to three kings against a lone king, solved completely by working back from the lost positions. Rules
//! of draws do not count.

use std::sync::OnceLock;

use smallvec::SmallVec;

use super::board::{Layout, Squares, each};
use super::position::DraughtsPosition;
use super::variant::{VARIANTS, Variant};
use crate::minimax::{Position, Wanted};

/// Most kings of the stronger side in the endings that the evaluation knows.
pub const MOST: u32 = 3;

/// Solves the endings of a variant, so that no search under a clock has to: up to a second at the first call.
pub fn prepare(variant: &'static Variant) {
    if has_endings(variant) {
        solved(variant);
    }
}

/// Whether [`known`] answers for a variant without delay, which tests check.
pub fn is_prepared(variant: &Variant) -> bool {
    !has_endings(variant) || ENDINGS[variant.index()].get().is_some()
}

/// Whether endings of the variant are solved.
fn has_endings(variant: &Variant) -> bool {
    variant.side == 8 && variant.flying
}

/// Those solved so far, by variant.
static ENDINGS: [OnceLock<Ending>; VARIANTS.len()] = [const { OnceLock::new() }; VARIANTS.len()];

/// The endings of a variant, solved at the first call.
fn solved(variant: &'static Variant) -> &'static Ending {
    ENDINGS[variant.index()].get_or_init(|| Ending::solved(variant, MOST as usize))
}

/// What the ending of a position is, if it is one of flying kings on 64 squares, up to [`MOST`] against one: plies
/// until the side to move wins (odd) or loses (even), or that neither does. The first question about a variant takes up
/// to a second, unless it is [prepared](prepare).
pub fn known(position: &DraughtsPosition) -> Option<Option<u8>> {
    let (variant, [white, black]) = (
        position.variant(),
        [true, false].map(|it| position.pieces(it)),
    );
    let counts = [white, black].map(u64::count_ones);
    let is_small = counts.contains(&1) && counts.iter().all(|count| (1..=MOST).contains(count));
    if !is_small || white | black != position.kings() || !has_endings(variant) {
        return None;
    }
    let ending = solved(variant);
    // The stronger side is White in the table: the board is turned around.
    let turn = |squares: Squares| {
        let turned = each(squares).map(|square| ending.turned(square));
        turned.fold(0, |all, square| all | square)
    };
    Some(match counts[1] {
        1 => ending.plies(white, black, position.white_moves()),
        _ => ending.plies(turn(black), turn(white), !position.white_moves()),
    })
}

/// All positions of one to `most` kings of White against one of Black, without rules of draws.
pub struct Ending {
    variant: &'static Variant,
    layout: &'static Layout,
    most: usize,
    /// By [`Ending::index`]: plies until the side to move wins (odd) or loses (even), and nothing if neither.
    plies: Vec<Option<u8>>,
}

/// How many sets of `count` numbers come before those whose largest is `number`.
fn sets(number: usize, count: usize) -> usize {
    (0..count).fold(1, |sets, at| sets * (number.max(at) - at) / (at + 1))
}

impl Ending {
    /// Of a variant; more than three kings take long.
    pub fn solved(variant: &'static Variant, most: usize) -> Ending {
        let squares = variant.squares();
        let sizes = (1..=most).map(|count| sets(squares, count));
        let size = 2 * squares * sizes.sum::<usize>();
        let mut ending = Ending {
            variant,
            layout: Layout::shared(variant),
            most,
            plies: vec![None; size],
        };
        let mut positions = vec![None; size];
        ending.place(0, 1, &mut positions);
        ending.work_back(&positions);
        ending
    }

    /// Enters all positions with these kings of White, and more of higher numbers from `number` on.
    fn place(&self, white: Squares, number: u32, positions: &mut [Option<[Squares; 2]>]) {
        let layout = self.layout;
        if white != 0 {
            for black in each(layout.all & !white) {
                for white_moves in [true, false] {
                    let index = self.index(white, black, white_moves);
                    positions[index] = Some([white, black]);
                }
            }
        }
        if white.count_ones() as usize == self.most {
            return;
        }
        for number in number..=self.variant.squares() as u32 {
            let king = layout.square(number).unwrap_or_default();
            self.place(white | king, number + 1, positions);
        }
    }

    /// A number of its own for each position.
    fn index(&self, white: Squares, black: Squares, white_moves: bool) -> usize {
        let squares = self.variant.squares();
        let number = |square| self.layout.number(square) as usize - 1;
        let mut numbers: SmallVec<[usize; 8]> = each(white).map(number).collect();
        numbers.sort_unstable();
        let smaller: usize = (1..numbers.len()).map(|count| sets(squares, count)).sum();
        let kings = numbers.iter().enumerate();
        let own: usize = kings.map(|(at, &number)| sets(number, at + 1)).sum();
        2 * ((smaller + own) * squares + number(black)) + usize::from(white_moves)
    }

    /// Plies until the side to move wins (odd) or loses (even), and nothing if neither; for kings of White, of which
    /// there are not too many, and one of Black.
    pub fn plies(&self, white: Squares, black: Squares, white_moves: bool) -> Option<u8> {
        self.plies[self.index(white, black, white_moves)]
    }

    /// The square that this one becomes after half a turn of the board.
    fn turned(&self, square: Squares) -> Squares {
        let number = self.variant.squares() as u32 + 1 - self.layout.number(square);
        self.layout.square(number).unwrap_or_default()
    }

    /// Finds those lost at once, those that can move to one, those that can move only to such, and so on.
    fn work_back(&mut self, positions: &[Option<[Squares; 2]>]) {
        /// Stands for all positions in which the side to move has no piece left.
        const LOST: u32 = u32::MAX;
        let mut undecided = Vec::new();
        for (index, pieces) in positions.iter().enumerate() {
            let Some(pieces) = *pieces else {
                continue;
            };
            let kings = pieces[0] | pieces[1];
            let position = DraughtsPosition::new(self.variant, pieces, kings, index % 2 == 1);
            let index_of = |child: DraughtsPosition| {
                let [white, black] = [true, false].map(|is_white| child.pieces(is_white));
                match (white, black) {
                    (0, _) | (_, 0) => LOST,
                    _ => self.index(white, black, child.white_moves()) as u32,
                }
            };
            let next: SmallVec<[u32; 24]> = children(&position).map(index_of).collect();
            undecided.push((index, next));
        }
        let mut news = true;
        for plies in 0_u8.. {
            let found = &self.plies;
            let known = |index: u32| match index {
                LOST => Some(0),
                _ => found[index as usize],
            };
            let decides = |next: &[u32]| match plies % 2 {
                1 => next.iter().any(|&index| known(index) == Some(plies - 1)),
                _ => next
                    .iter()
                    .all(|&index| known(index).is_some_and(|it| it % 2 == 1)),
            };
            let mut new = Vec::new();
            undecided.retain(|(index, next)| {
                let is_new = decides(next);
                if is_new {
                    new.push(*index);
                }
                !is_new
            });
            // Captures leave more than a ply to go in smaller endings: two empty rounds end it.
            if new.is_empty() && !news {
                break;
            }
            news = !new.is_empty();
            new.into_iter()
                .for_each(|index| self.plies[index] = Some(plies));
        }
    }
}

/// The positions after each move.
fn children(position: &DraughtsPosition) -> impl Iterator<Item = DraughtsPosition> {
    let mut moves = Vec::new();
    position.moves(Wanted::All, &mut moves);
    let position = position.clone();
    moves.into_iter().map(move |mv| {
        let mut child = position.clone();
        child.play(mv);
        child
    })
}

#[cfg(test)]
mod tests {
    use super::super::notation::parse_position;
    use super::*;

    #[test]
    fn each_position_has_a_number_of_its_own() {
        let ending = Ending::solved(Variant::named(Some("russian")).unwrap(), 2);
        let mut positions = vec![None; ending.plies.len()];
        ending.place(0, 1, &mut positions);
        // One king or two, the lone king on another square, either side to move.
        let expected = 2 * (32 * 31 + 32 * 31 / 2 * 30);
        assert_eq!(positions.iter().flatten().count(), expected);
    }

    #[test]
    fn stronger_side_may_be_black() {
        let czech = Variant::named(Some("czech")).unwrap();
        let known = |text| known(&parse_position(czech, text).unwrap());
        let plies = known("W:WK30,K31,K32:BK21").flatten();
        assert!(plies.is_some_and(|plies| plies % 2 == 1), "{plies:?}");
        assert_eq!(known("B:WK12:BK3,K2,K1").flatten(), plies);
        assert_eq!(known("W:WK32:BK21"), Some(None));
        assert_eq!(known("W:WK30,K31,K32,K28:BK21"), None);
        assert_eq!(known("W:WK30,31:BK21"), None);
    }
}
