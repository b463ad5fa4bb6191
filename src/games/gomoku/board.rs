//! Stones, and for each empty point what a stone of either color would make there, kept up to date.

use smallvec::SmallVec;

use super::classes::{CLASSES, PointClass, PointTable, packed, point_table};
use super::geometry::{DIRECTIONS, Geometry, LINES, REACH};
use super::lines::{BothClasses, LineClass, LineTable, of_color};
use super::rule::{Color, Rule, Variant, Wins};
use crate::splitmix::splitmix;

/// A point: `width * y + x`.
pub type Point = u16;

/// Stones by color and line, a bit for each point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stones([[u32; LINES]; 2]);

impl Stones {
    /// Adds a stone.
    pub fn set(&mut self, geometry: &Geometry, point: Point, color: Color) {
        for place in geometry.places[usize::from(point)] {
            self.0[color as usize][usize::from(place.line)] |= 1 << place.at;
        }
    }

    fn unset(&mut self, geometry: &Geometry, point: Point, color: Color) {
        for place in geometry.places[usize::from(point)] {
            self.0[color as usize][usize::from(place.line)] &= !(1 << place.at);
        }
    }
}

/// What is known of an empty point; zero for a point with a stone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Known {
    /// By direction.
    lines: [BothClasses; DIRECTIONS],
    /// By color.
    class: [u8; 2],
}

/// A board.
#[derive(Clone, Debug)]
pub struct Board {
    variant: Variant,
    geometry: &'static Geometry,
    lines: &'static LineTable,
    classes: [&'static PointTable; 2],
    /// How far a stone matters.
    reach: u8,
    stones: Stones,
    known: Vec<Known>,
    /// Points by color and class, those of class [`PointClass::Less`] aside.
    counts: [[u16; CLASSES]; 2],
    stone_counts: [u16; 2],
    key: u64,
    /// The stones in the order in which they were placed.
    placed: Vec<Placed>,
    /// What was known, before each stone, of the points that it changed.
    before: Vec<(Point, Known)>,
}

/// A stone, and what there was before it.
#[derive(Clone, Debug)]
struct Placed {
    point: Point,
    color: Color,
    counts: [[u16; CLASSES]; 2],
    /// Length of [`Board::before`].
    before: usize,
}

impl Board {
    /// An empty board.
    pub fn new(variant: Variant) -> Board {
        let rule = variant.rule;
        let mut board = Board {
            variant,
            geometry: Geometry::of(variant.width, variant.height),
            lines: LineTable::of(rule),
            classes: Color::BOTH.map(|color| point_table(rule.restricts(color))),
            reach: reach(rule),
            stones: Stones([[0; LINES]; 2]),
            known: vec![Known::default(); variant.points()],
            counts: [[0; CLASSES]; 2],
            stone_counts: [0; 2],
            key: 0,
            placed: Vec::new(),
            before: Vec::new(),
        };
        for point in 0..variant.points() as Point {
            board.look(point);
        }
        board.before.clear();
        board
    }

    /// Rule and size.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The lines of the board.
    pub(super) fn geometry(&self) -> &'static Geometry {
        self.geometry
    }

    /// The stones.
    pub(super) fn stones(&self) -> &Stones {
        &self.stones
    }

    /// Hash of the stones.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// The points in order.
    pub fn points(&self) -> impl Iterator<Item = Point> + use<> {
        0..self.variant.points() as Point
    }

    /// The stone at a point.
    pub fn at(&self, point: Point) -> Option<Color> {
        let place = self.geometry.places[usize::from(point)][0];
        let has = |color: Color| {
            self.stones.0[color as usize][usize::from(place.line)] >> place.at & 1 != 0
        };
        Color::BOTH.into_iter().find(|&color| has(color))
    }

    /// Number of stones of a color.
    pub fn stone_count(&self, color: Color) -> usize {
        usize::from(self.stone_counts[color as usize])
    }

    /// Whether there is no stone.
    pub fn is_empty(&self) -> bool {
        self.stone_counts == [0; 2]
    }

    /// Whether no point is empty.
    pub fn is_full(&self) -> bool {
        self.stone_count(Color::Black) + self.stone_count(Color::White) == self.variant.points()
    }

    /// What a stone would make at a point.
    pub fn class(&self, point: Point, color: Color) -> PointClass {
        PointClass::of(self.known[usize::from(point)].class[color as usize])
    }

    /// What a stone would make at a point on each line.
    pub fn line_classes(&self, point: Point, color: Color) -> [LineClass; DIRECTIONS] {
        let lines = self.known[usize::from(point)].lines;
        lines.map(|classes| of_color(classes, color))
    }

    /// Whether a stone is in a row that wins.
    pub fn is_in_row(&self, stone: Point, color: Color) -> bool {
        let class = |direction| self.seen(&self.stones, stone, color, direction);
        (0..DIRECTIONS).any(|direction| class(direction) == LineClass::Five)
    }

    /// Number of points of a class, which is not [`PointClass::Less`].
    pub fn count(&self, color: Color, class: PointClass) -> usize {
        usize::from(self.counts[color as usize][class as usize])
    }

    /// The points of a class, or of several.
    pub fn with_class(
        &self,
        color: Color,
        wanted: impl Fn(PointClass) -> bool,
    ) -> impl Iterator<Item = Point> {
        let known = self.known.iter().enumerate();
        let found = known.filter(move |(_, known)| {
            let class = known.class[color as usize];
            class != 0 && wanted(PointClass::of(class))
        });
        found.map(|(point, _)| point as Point)
    }

    /// The stones in the order in which they were placed.
    pub fn placed(&self) -> impl Iterator<Item = (Point, Color)> {
        self.placed
            .iter()
            .map(|placed| (placed.point, placed.color))
    }

    /// Puts a stone on an empty point.
    pub fn place(&mut self, point: Point, color: Color) {
        self.placed.push(Placed {
            point,
            color,
            counts: self.counts,
            before: self.before.len(),
        });
        let known = std::mem::take(&mut self.known[usize::from(point)]);
        self.before.push((point, known));
        for side in Color::BOTH {
            let class = known.class[side as usize];
            self.counts[side as usize][usize::from(class)] -= u16::from(class != 0);
        }
        self.stones.set(self.geometry, point, color);
        self.stone_counts[color as usize] += 1;
        self.key ^= stone_key(point, color);
        self.look_around(point);
    }

    /// Takes a stone off the board, in no time if it was placed last; nothing if there is none.
    pub fn remove(&mut self, point: Point) {
        let is_it = |placed: &Placed| placed.point == point;
        let Some(at) = self.placed.iter().rposition(is_it) else {
            return;
        };
        let later: SmallVec<[(Point, Color); 8]> = self.placed().skip(at + 1).collect();
        while self.placed.len() > at {
            self.take_last();
        }
        for (point, color) in later {
            self.place(point, color);
        }
    }

    fn take_last(&mut self) {
        let Some(placed) = self.placed.pop() else {
            return;
        };
        self.stones.unset(self.geometry, placed.point, placed.color);
        self.stone_counts[placed.color as usize] -= 1;
        self.key ^= stone_key(placed.point, placed.color);
        self.counts = placed.counts;
        for (point, known) in self.before.drain(placed.before..) {
            self.known[usize::from(point)] = known;
        }
    }

    /// Whether all that is kept up to date is as it would be computed anew.
    pub fn is_consistent(&self) -> bool {
        let mut fresh = Board::new(self.variant);
        for point in self.points() {
            if let Some(color) = self.at(point) {
                fresh.place(point, color);
            }
        }
        let mut counts = [[0; CLASSES]; 2];
        for color in Color::BOTH {
            for point in self.points() {
                counts[color as usize][self.class(point, color) as usize] += 1;
            }
            counts[color as usize][0] = 0;
        }
        // Each point alone, too.
        let mut looked = self.clone();
        for point in self.points().filter(|&point| self.at(point).is_none()) {
            looked.look(point);
        }
        self.known == fresh.known
            && looked.known == self.known
            && self.stones == fresh.stones
            && self.key == fresh.key
            && self.stone_counts == fresh.stone_counts
            && self.counts == counts
    }

    /// Learns an empty point's classes.
    fn look(&mut self, point: Point) {
        let places = self.geometry.places[usize::from(point)];
        for (direction, place) in places.into_iter().enumerate() {
            let [black, white] = self.line(&self.stones, place.line);
            let classes = self.lines.classes(black >> place.at, white >> place.at);
            self.learn(point, direction, classes);
        }
    }

    /// Learns the classes of the empty points whose lines have changed with this one. A color does not see beyond a stone
    /// of the other.
    fn look_around(&mut self, point: Point) {
        let places = self.geometry.places[usize::from(point)];
        for (direction, place) in places.into_iter().enumerate() {
            let line = self.line(&self.stones, place.line);
            let length = self.geometry.lengths[usize::from(place.line)];
            let step = self.geometry.steps[direction];
            let to_start = place.at.min(self.reach);
            let to_end = (length - 1 - place.at).min(self.reach);
            for (away, end) in [(-1, to_start), (1, to_end)] {
                let mut sees = [true; 2];
                for distance in 1..=isize::from(end) {
                    let at = isize::from(place.at) + away * distance;
                    let [black, white] = line.map(|line| line >> at);
                    let has = [black, white].map(|line| line >> REACH & 1 != 0);
                    if has != [false; 2] {
                        // A stone of Black stops White's sight, and the other way round.
                        sees = [sees[0] && has[0], sees[1] && has[1]];
                        if sees == [false; 2] {
                            break;
                        }
                        continue;
                    }
                    let seeing = (point as isize + step * away * distance) as Point;
                    let classes = self.lines.classes(black, white);
                    self.learn(seeing, direction, classes);
                }
            }
        }
    }

    /// By color, a bit for each point of a line, shifted to the left by [`REACH`], with ones beyond its ends.
    #[inline]
    fn line(&self, stones: &Stones, line: u8) -> [u64; 2] {
        let line = usize::from(line);
        let outside = self.geometry.outside[line];
        let [black, white] = &stones.0;
        [black, white].map(|lines| u64::from(lines[line]) << REACH | outside)
    }

    #[inline]
    fn learn(&mut self, point: Point, direction: usize, classes: BothClasses) {
        let known = &mut self.known[usize::from(point)];
        if known.lines[direction] == classes {
            return;
        }
        self.before.push((point, *known));
        let changed = std::mem::replace(&mut known.lines[direction], classes) ^ classes;
        for color in Color::BOTH {
            let side = color as usize;
            if changed >> (4 * side) & 15 == 0 {
                continue;
            }
            let new = self.classes[side][usize::from(packed(known.lines, color))];
            let old = std::mem::replace(&mut known.class[side], new);
            self.counts[side][usize::from(old)] -= u16::from(old != 0);
            self.counts[side][usize::from(new)] += u16::from(new != 0);
        }
    }

    /// What a stone would make on the line of a direction among these stones.
    #[inline]
    pub(super) fn seen(
        &self,
        stones: &Stones,
        point: Point,
        color: Color,
        direction: usize,
    ) -> LineClass {
        let place = self.geometry.places[usize::from(point)][direction];
        let [black, white] = self.line(stones, place.line);
        let classes = self.lines.classes(black >> place.at, white >> place.at);
        of_color(classes, color)
    }

    /// The points near another one on its line of a direction, as far as stones matter.
    pub(super) fn around(
        &self,
        point: Point,
        direction: usize,
    ) -> impl Iterator<Item = Point> + use<> {
        let place = self.geometry.places[usize::from(point)][direction];
        let (at, length) = (
            isize::from(place.at),
            isize::from(self.geometry.lengths[usize::from(place.line)]),
        );
        let reach = REACH as isize;
        let step = self.geometry.steps[direction];
        ((at - reach).max(0)..(at + reach + 1).min(length))
            .filter(move |&other| other != at)
            .map(move |other| (point as isize + step * (other - at)) as Point)
    }

    /// The empty points beside the row of a color through a point on the line of a direction, among these stones;
    /// the point itself counts as a stone.
    pub(super) fn beside(
        &self,
        stones: &Stones,
        point: Point,
        color: Color,
        direction: usize,
    ) -> impl Iterator<Item = Point> + use<> {
        let place = self.geometry.places[usize::from(point)][direction];
        let line = usize::from(place.line);
        let [own, other] = [color, color.other()].map(|color| stones.0[color as usize][line]);
        let (at, length) = (place.at, self.geometry.lengths[line]);
        let step = self.geometry.steps[direction];
        let ends = [
            (0..at).rev().find(|&at| own >> at & 1 == 0),
            (at + 1..length).find(|&at| own >> at & 1 == 0),
        ];
        let empty = ends
            .into_iter()
            .flatten()
            .filter(move |&at| other >> at & 1 == 0);
        empty.map(move |end| {
            let offset = step * (isize::from(end) - isize::from(at));
            (point as isize + offset) as Point
        })
    }
}

/// How far a stone matters: where longer rows win as well, what is beyond five points does not.
fn reach(rule: Rule) -> u8 {
    let is_open_ended = |color: &Color| rule.wins(*color) == Wins::AtLeast;
    match Color::BOTH.iter().all(is_open_ended) {
        true => REACH as u8 - 1,
        false => REACH as u8,
    }
}

/// The part of a hash that is due to a stone.
fn stone_key(point: Point, color: Color) -> u64 {
    splitmix(0, 2 * u64::from(point) + color as u64 + 1)
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Stones placed and removed at random, on boards of all shapes under all rules.
    #[test]
    fn what_is_kept_equals_what_is_computed_anew() {
        let names = [
            "freestyle-5",
            "freestyle-15",
            "standard-6x25",
            "standard-20",
            "renju-15",
            "renju-25x7",
            "caro-9",
            "caro-25",
            "caro-exact-5x19",
            "caro-exact-13",
            "tictactoe-3",
            "tictactoe-25",
        ];
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for name in names {
            let variant = Variant::named(Some(name)).unwrap();
            let mut board = Board::new(variant);
            let mut placed = Vec::new();
            for turn in 0..2_000 {
                let point = random.random_range(0..variant.points()) as Point;
                let color = Color::BOTH[random.random_range(0..2)];
                match board.at(point) {
                    None => {
                        board.place(point, color);
                        placed.push((point, color));
                    }
                    Some(_) => {
                        // The last one or another.
                        let taken = random.random_range(0..2) * (placed.len() - 1);
                        let (point, _) = placed.remove(taken);
                        board.remove(point);
                    }
                }
                assert!(turn % 10 != 0 || board.is_consistent(), "{name} {turn}");
            }
            while let Some((point, _)) = placed.pop() {
                board.remove(point);
            }
            assert!(board.is_consistent() && board.key() == 0, "{name}");
        }
    }
}
