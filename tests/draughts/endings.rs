//! Endings of kings against a lone king, solved completely by working back from the lost positions: how many are
//! won and drawn is known.

use keima::games::draughts::board::{Layout, Squares, each};
use keima::games::draughts::{DraughtsPosition, Variant};
use keima::minimax::{Position, Wanted};

/// All positions of one to `most` kings of White against one of Black, without rules of draws.
struct Ending {
    variant: &'static Variant,
    layout: &'static Layout,
    most: usize,
    /// By [`Ending::index`]: plies until the side to move wins (odd) or loses (even), and nothing if neither.
    plies: Vec<Option<u8>>,
    /// White's kings and Black's of each index that stands for a position.
    positions: Vec<Option<[Squares; 2]>>,
}

/// How many sets of `count` numbers come before those whose largest is `number`.
fn sets(number: usize, count: usize) -> usize {
    (0..count).fold(1, |sets, at| sets * (number.max(at) - at) / (at + 1))
}

impl Ending {
    fn solved(variant: &str, most: usize) -> Ending {
        let variant = Variant::named(Some(variant)).unwrap();
        let squares = variant.squares();
        let sizes = (1..=most).map(|count| sets(squares, count));
        let size = 2 * squares * sizes.sum::<usize>();
        let mut ending = Ending {
            variant,
            layout: Layout::shared(variant),
            most,
            plies: vec![None; size],
            positions: vec![None; size],
        };
        ending.place(0, 1);
        ending.work_back();
        ending
    }

    /// Enters all positions with these kings of White, and more of higher numbers from `number` on.
    fn place(&mut self, white: Squares, number: u32) {
        let layout = self.layout;
        if white != 0 {
            for black in each(layout.all & !white) {
                for white_moves in [true, false] {
                    let index = self.index(white, black, white_moves);
                    assert!(self.positions[index].is_none(), "two positions at {index}");
                    self.positions[index] = Some([white, black]);
                }
            }
        }
        if white.count_ones() as usize == self.most {
            return;
        }
        for number in number..=self.variant.squares() as u32 {
            let king = layout.square(number).unwrap();
            self.place(white | king, number + 1);
        }
    }

    /// A number of its own for each position.
    fn index(&self, white: Squares, black: Squares, white_moves: bool) -> usize {
        let squares = self.variant.squares();
        let number = |square| self.layout.number(square) as usize - 1;
        let mut numbers: Vec<usize> = each(white).map(number).collect();
        numbers.sort_unstable();
        let smaller: usize = (1..numbers.len()).map(|count| sets(squares, count)).sum();
        let kings = numbers.iter().enumerate();
        let own: usize = kings.map(|(at, &number)| sets(number, at + 1)).sum();
        2 * ((smaller + own) * squares + number(black)) + usize::from(white_moves)
    }

    fn position(&self, index: usize) -> Option<DraughtsPosition> {
        let pieces = self.positions[index]?;
        let kings = pieces[0] | pieces[1];
        Some(DraughtsPosition::new(
            self.variant,
            pieces,
            kings,
            index % 2 == 1,
        ))
    }

    /// Finds those lost at once, those that can move to one, those that can move only to such, and so on.
    fn work_back(&mut self) {
        /// Stands for all positions in which the side to move has no piece left.
        const LOST: usize = usize::MAX;
        let mut next: Vec<(usize, Vec<usize>)> = Vec::new();
        for index in 0..self.positions.len() {
            let Some(position) = self.position(index) else {
                continue;
            };
            let index_of = |child: DraughtsPosition| {
                let [white, black] = [true, false].map(|is_white| child.pieces(is_white));
                match (white, black) {
                    (0, _) | (_, 0) => LOST,
                    _ => self.index(white, black, child.white_moves()),
                }
            };
            next.push((index, children(&position).map(index_of).collect()));
        }
        let mut news = true;
        for plies in 0_u8.. {
            let known = |index: usize, plies: &[Option<u8>]| match index {
                LOST => Some(0),
                _ => plies[index],
            };
            let decides = |next: &[usize], found: &[Option<u8>]| match plies % 2 {
                1 => next
                    .iter()
                    .any(|&index| known(index, found) == Some(plies - 1)),
                _ => next
                    .iter()
                    .all(|&index| known(index, found).is_some_and(|it| it % 2 == 1)),
            };
            let (new, rest): (Vec<_>, Vec<_>) = next
                .into_iter()
                .partition(|(_, next)| decides(next, &self.plies));
            new.iter()
                .for_each(|&(index, _)| self.plies[index] = Some(plies));
            // Captures leave more than a ply to go in smaller endings: two empty rounds end it.
            if new.is_empty() && !news {
                break;
            }
            (news, next) = (!new.is_empty(), rest);
        }
    }

    /// Positions of `count` kings with White to move: won, drawn, and the longest win in plies.
    fn counted(&self, count: u32) -> (usize, usize, u8) {
        let (mut won, mut drawn, mut longest) = (0, 0, 0);
        for (index, pieces) in self.positions.iter().enumerate() {
            let is_counted = |pieces: &[Squares; 2]| pieces[0].count_ones() == count;
            if index % 2 == 0 || !pieces.as_ref().is_some_and(is_counted) {
                continue;
            }
            match self.plies[index] {
                Some(plies) => {
                    assert_eq!(plies % 2, 1, "White cannot lose with the move");
                    won += 1;
                    longest = longest.max(plies);
                }
                None => drawn += 1,
            }
        }
        (won, drawn, longest)
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

#[test]
fn endings_of_kings_are_won_and_drawn_as_often_as_known() {
    // The other color is the same board turned around, hence twice.
    let twice = |variant, most, count| {
        let (won, drawn, _) = Ending::solved(variant, most).counted(count);
        (2 * won, 2 * drawn)
    };
    assert_eq!(twice("russian", 2, 2), (11_256, 18_504));
    assert_eq!(twice("english", 2, 2), (29_692, 68));
    assert_eq!(twice("international", 2, 2), (38_796, 78_804));
}

#[test]
fn three_czech_kings_win_most_endings_within_25_plies() {
    let ending = Ending::solved("czech", 3);
    assert_eq!(ending.counted(2), (11_256 / 2, 18_504 / 2, 7));
    assert_eq!(ending.counted(3), (264_480 / 2, 23_200 / 2, 25));
}

#[test]
#[ignore = "takes seconds"]
fn three_english_kings_win_every_ending() {
    let (won, drawn, _) = Ending::solved("english", 3).counted(3);
    assert_eq!((2 * won, 2 * drawn), (287_680, 0));
}
