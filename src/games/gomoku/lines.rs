//! What a stone makes on one line, by the stones up to five points to each side of it. The definitions are
//! those of renju, without the recursion of its forbidden points.
//!
//! A table has an entry for each line of eleven points. It is filled as entries are asked for.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use super::geometry::REACH;
use super::rule::Color;
use super::rule::{Rule, Wins};

/// What a stone makes on a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum LineClass {
    /// Nothing of the below.
    #[default]
    Less,
    /// Another stone would make a three.
    Two,
    /// Another stone at one point would make a straight four.
    ThreeBroken,
    /// The same, at either of two points.
    Three,
    /// Another stone at one point would win.
    Four,
    /// The same at two points, with stones that are not contiguous: two fours on a line.
    TwoFours,
    /// The same at both ends of contiguous stones.
    StraightFour,
    /// More stones in a row than win.
    Overline,
    /// A row that wins.
    Five,
}

impl LineClass {
    const ALL: [LineClass; 9] = [
        LineClass::Less,
        LineClass::Two,
        LineClass::ThreeBroken,
        LineClass::Three,
        LineClass::Four,
        LineClass::TwoFours,
        LineClass::StraightFour,
        LineClass::Overline,
        LineClass::Five,
    ];

    /// The class of a number; [`LineClass::Less`] if there is none.
    pub fn of(number: u8) -> LineClass {
        LineClass::ALL
            .get(usize::from(number))
            .copied()
            .unwrap_or_default()
    }

    /// How many fours that counts as.
    pub fn fours(self) -> usize {
        match self {
            LineClass::Four | LineClass::StraightFour => 1,
            LineClass::TwoFours => 2,
            _ => 0,
        }
    }

    /// Whether this is a three.
    pub fn is_three(self) -> bool {
        matches!(self, LineClass::ThreeBroken | LineClass::Three)
    }
}

/// Points of a line that is looked at.
const SPAN: usize = 2 * REACH + 1;
/// Ones for the points on one side.
const SIDE: u64 = (1 << REACH) - 1;

/// Classes of lines, for both colors.
#[derive(Debug)]
pub struct LineTable {
    /// By color.
    shapes: [Shape; 2],
    /// [`UNKNOWN`] where it has not been asked for.
    entries: Vec<AtomicU8>,
}

/// What a stone of either color makes on a line: Black's class in the lower four bits, White's in the upper.
pub type BothClasses = u8;

/// No [`BothClasses`].
const UNKNOWN: u8 = u8::MAX;

/// By kind of rows that win, Black's and White's, for five and for three stones.
static TABLES: [[[OnceLock<LineTable>; 4]; 4]; 2] =
    [const { [const { [const { OnceLock::new() }; 4] }; 4] }; 2];

impl LineTable {
    /// The table of a rule.
    pub fn of(rule: Rule) -> &'static LineTable {
        let length = rule.length();
        let [black, white] = Color::BOTH.map(|color| rule.wins(color));
        let cell = &TABLES[usize::from(length != 5)][black as usize][white as usize];
        cell.get_or_init(|| LineTable {
            shapes: [black, white].map(|wins| Shape { length, wins }),
            entries: std::iter::repeat_with(|| AtomicU8::new(UNKNOWN))
                .take(1 << (4 * REACH))
                .collect(),
        })
    }

    /// What a stone of either color would make. Of both arguments the lowest eleven bits are points of the line, the stone's in
    /// the middle: they are set where a stone of the color is, and in both beyond the edge.
    #[inline]
    pub fn classes(&self, black: u64, white: u64) -> BothClasses {
        let sides = |bits: u64| bits & SIDE | bits >> 1 & SIDE << REACH;
        let index = sides(black) << (2 * REACH) | sides(white);
        let entry = &self.entries[index as usize];
        match entry.load(Ordering::Relaxed) {
            UNKNOWN => {
                let classes = self.computed(black, white);
                entry.store(classes, Ordering::Relaxed);
                classes
            }
            classes => classes,
        }
    }

    #[cold]
    fn computed(&self, black: u64, white: u64) -> BothClasses {
        let [of_black, of_white] = self.shapes;
        let of_black = of_black.class(&contents(black, white));
        let of_white = of_white.class(&contents(white, black));
        of_black as u8 | (of_white as u8) << 4
    }
}

/// The class of a color.
#[inline]
pub fn of_color(classes: BothClasses, color: Color) -> LineClass {
    LineClass::of(classes >> (4 * color as u8) & 15)
}

/// What is at a point of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Empty,
    Own,
    Other,
    Outside,
}

type Points = [Content; SPAN];

fn contents(own: u64, other: u64) -> Points {
    std::array::from_fn(|at| match (own >> at & 1, other >> at & 1) {
        _ if at == REACH => Content::Own,
        (0, 0) => Content::Empty,
        (1, 0) => Content::Own,
        (0, _) => Content::Other,
        (_, _) => Content::Outside,
    })
}

/// The row of own stones through a point: its first place and the one after its last. Places beyond the span
/// are as good as the edge: rows that reach it are too long to matter.
fn row(points: &Points, at: usize) -> (usize, usize) {
    let is_own = |at: usize| points[at] == Content::Own;
    let begin = (0..at)
        .rev()
        .take_while(|&at| is_own(at))
        .last()
        .unwrap_or(at);
    let end = (at..SPAN).find(|&at| !is_own(at)).unwrap_or(SPAN);
    (begin, end)
}

fn with_stone(points: &Points, at: usize) -> Points {
    let mut points = *points;
    points[at] = Content::Own;
    points
}

/// Which rows win.
#[derive(Clone, Copy, Debug)]
struct Shape {
    length: usize,
    wins: Wins,
}

impl Shape {
    /// Whether the row through a stone wins.
    fn is_won(self, points: &Points, at: usize) -> bool {
        let (begin, end) = row(points, at);
        let is_stopped =
            |at: Option<usize>| at.and_then(|at| points.get(at)) == Some(&Content::Other);
        let is_open = || !(is_stopped(begin.checked_sub(1)) && is_stopped(Some(end)));
        let (stones, length) = (end - begin, self.length);
        match self.wins {
            Wins::AtLeast => stones >= length,
            Wins::Exactly => stones == length,
            Wins::Open => stones > length || stones == length && is_open(),
            Wins::OpenExactly => stones == length && is_open(),
        }
    }

    /// The empty points beside the row through a stone.
    fn beside(points: &Points, at: usize) -> impl Iterator<Item = usize> {
        let (begin, end) = row(points, at);
        let both = [begin.checked_sub(1), Some(end)];
        let is_empty = |&at: &usize| points.get(at) == Some(&Content::Empty);
        both.into_iter().flatten().filter(is_empty)
    }

    /// How many points would complete a row through this stone that wins.
    fn completions(self, points: &Points, at: usize) -> usize {
        let wins = |&point: &usize| self.is_won(&with_stone(points, point), at);
        Shape::beside(points, at).filter(wins).count()
    }

    /// How many points would complete a straight four with this stone.
    fn straights(self, points: &Points) -> usize {
        let makes = |&point: &usize| {
            let points = with_stone(points, point);
            let (begin, end) = row(&points, REACH);
            end - begin == self.length - 1 && self.completions(&points, REACH) == 2
        };
        Shape::beside(points, REACH).filter(makes).count()
    }

    fn class(self, points: &Points) -> LineClass {
        let (begin, end) = row(points, REACH);
        let stones = end - begin;
        if self.is_won(points, REACH) {
            return LineClass::Five;
        }
        if stones > self.length {
            return LineClass::Overline;
        }
        match self.completions(points, REACH) {
            0 => {}
            1 => return LineClass::Four,
            _ if stones == self.length - 1 => return LineClass::StraightFour,
            _ => return LineClass::TwoFours,
        }
        match self.straights(points) {
            0 => {}
            1 => return LineClass::ThreeBroken,
            _ => return LineClass::Three,
        }
        let makes_three = |&at: &usize| {
            let points = with_stone(points, at);
            self.completions(&points, REACH) == 0 && self.straights(&points) > 0
        };
        let mut empty = (1..SPAN - 1).filter(|&at| points[at] == Content::Empty);
        match empty.any(|at| makes_three(&at)) {
            true => LineClass::Two,
            false => LineClass::Less,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of the lines without edge are of each class.
    fn counts(rule: Rule) -> [usize; 9] {
        let table = LineTable::of(rule);
        let mut counts = [0; 9];
        for number in 0..3_usize.pow(10) {
            let (mut rest, mut bits) = (number, [0_u64; 3]);
            for at in (0..SPAN).filter(|&at| at != REACH) {
                bits[rest % 3] |= 1 << at;
                rest /= 3;
            }
            let classes = table.classes(bits[1], bits[2]);
            counts[of_color(classes, Color::Black) as usize] += 1;
        }
        counts
    }

    #[test]
    fn all_lines_are_classified() {
        // Counted independently by plain enumeration: less and twos, threes, four, two fours, straight four,
        // overline, five.
        let rows = [
            (Rule::Freestyle, [45_936, 1_998, 7_164, 306, 972, 0, 2_673]),
            (
                Rule::Standard,
                [49_276, 1_188, 5_344, 136, 432, 1_053, 1_620],
            ),
        ];
        for (rule, expected) in rows {
            let [less, two, broken, three, rest @ ..] = counts(rule);
            let [four, two_fours, straight, over, five] = rest;
            let found = [
                less + two,
                broken + three,
                four,
                two_fours,
                straight,
                over,
                five,
            ];
            assert_eq!(found, expected, "{rule:?}");
            assert!(two > 1_000 && broken > 100 && three > 100);
        }
    }

    /// The class of the stone written `*`.
    fn class(rule: Rule, line: &str) -> LineClass {
        let middle = line.find('*').unwrap();
        let bits = |wanted: char| {
            let found = line
                .chars()
                .enumerate()
                .filter(|(_, letter)| *letter == wanted);
            found
                .map(|(at, _)| 1_u64 << (at + REACH - middle))
                .sum::<u64>()
        };
        let outside = bits('#');
        let classes = LineTable::of(rule).classes(bits('x') | outside, bits('o') | outside);
        of_color(classes, Color::Black)
    }

    #[test]
    fn caro_minds_stones_at_both_ends_but_not_the_edge() {
        use LineClass::{Five, Four, Less, Overline, StraightFour};
        let rows = [
            (".x*xxx.", Five, Five),
            ("oxx*xx.", Five, Five),
            ("oxx*xxo", Less, Less),
            ("#xx*xxo", Five, Five),
            ("#xx*xx#", Five, Five),
            ("oxx*xxxo", Five, Overline),
            (".xx*xxx.", Five, Overline),
            ("oxx*xxxxo", Five, Overline),
            (".x*xx.", StraightFour, StraightFour),
            ("ox*xx.o", Less, Less),
            ("ox*xx..", Four, Four),
            ("#x*xx.o", Four, Four),
            ("ox*.xxo", Less, Less),
            ("ox*.xx.", Four, Four),
            ("ox*.xxxo", Four, Less),
        ];
        for (line, caro, exact) in rows {
            assert_eq!(class(Rule::Caro, line), caro, "{line}");
            assert_eq!(class(Rule::CaroExact, line), exact, "{line}");
        }
    }

    #[test]
    fn fours_and_threes_of_renju() {
        use LineClass::{
            Five, Four, Less, Overline, StraightFour, Three, ThreeBroken, Two, TwoFours,
        };
        let rows = [
            ("..x*x..", Three),
            (".x.x*.", ThreeBroken),
            ("#.x*x.#", Less),
            ("#.x*x..#", ThreeBroken),
            ("o.x*x..o", ThreeBroken),
            ("x.x*x..", Four),
            ("x.x*x.x", TwoFours),
            ("xx.*x.xx", TwoFours),
            ("xxx.*.xxx", TwoFours),
            (".x*xx.", StraightFour),
            ("x.x*xx.", Four),
            ("x.x*xx.x", Less),
            ("xx.*x", Four),
            ("xxx.*x", Less),
            ("xx*xxx", Overline),
            ("oxx*xxo", Five),
            ("..x*...", Two),
            ("o*....o", Less),
        ];
        for (line, expected) in rows {
            assert_eq!(class(Rule::Renju, line), expected, "{line}");
        }
    }
}
