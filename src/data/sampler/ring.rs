//! Cyclic groups: positions of recorded games on which a large group is put in a ring around a group of
//! the other color, itself surrounded. Networks judge such groups worst, as "Adversarial Policies
//! Beat Superhuman Go AIs" (Wang et al., 2023) found, and games between humans hardly have any.

use anyhow::Result;
use rand::RngExt;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;

use crate::go::{Board, BoardSize, Color, Komi, Move, Point, PointSet, Rules, record};

use super::super::line::{Line, MoveCode};
use super::super::shard::{LabelledLine, LineKind};
use super::game_sampler::GameSampler;

/// Shortest side of a board with room for a ring.
const MIN_SIDE: usize = 9;
/// Points inside the ring, at least ...
const FEWEST_INSIDE: usize = 4;
/// ... and at most, as a part of the board: 16 on 19x19.
const INSIDE_PART: usize = 22;
/// Probability that the inside avoids a point at the edge.
const AVOID_EDGE: f64 = 0.75;
/// Probability that the ring is thick, and of each stone that makes it so.
const THICK: f64 = 0.3;
const THICK_STONE: f64 = 0.25;
/// Probability that a diagonal leaves no way out of the surrounding stones.
const TIGHT: f64 = 0.3;
/// Stones of the regions.
const OF_INSIDE: Stones = (&[0.6, 0.7, 0.8, 0.9], 0.95);
const OF_RING: Stones = (&[0.9, 0.95, 0.98, 1.0], 0.985);
const OF_AROUND: Stones = (&[0.6, 0.75, 0.85, 0.92, 1.0], 0.96);
const OF_BEYOND: Stones = (&[0.1, 0.3, 0.5], 0.75);

/// Fractions of a region's points that have stones, one of which is drawn for each ring; and the fraction of stones
/// that have the region's color.
type Stones = (&'static [f64], f64);

/// The regions of a cyclic group, from the inside out.
#[derive(Debug)]
struct Ring {
    inside: PointSet,
    ring: PointSet,
    around: PointSet,
    beyond: PointSet,
}

impl GameSampler<'_> {
    /// Whether the next game gets a ring.
    pub(super) fn wants_ring(&mut self, size: BoardSize) -> bool {
        let share = self.sampler.settings.rings;
        share > 0.0 && size.shorter_side() >= MIN_SIDE && self.chance(share)
    }

    /// Labels of a position of a recorded game with a ring on it, and of side positions.
    pub(super) fn game_with_ring(&mut self, game: usize) -> Result<LabelledLine> {
        let collection = self.sampler.collection;
        let (line, known) = (collection.line(game), collection.known(game));
        let ply = self.rng.random_range(0..=line.moves.len());
        let board = line.position(ply, &[], Rules::CHINESE, Komi::default())?;
        let line = Line {
            size: line.size,
            first: any_color(&mut self.rng),
            stones: stones_with_ring(&mut self.rng, board.board()),
            moves: Vec::new(),
        };
        // So that komi, which makes many games even, knows what the ring is worth.
        self.evaluate(&line.start(Rules::CHINESE, Komi::default())?)?;
        let mut labels = Vec::new();
        self.visit(&line, 0, &known, &mut labels)?;
        Ok(LabelledLine {
            source: known.source,
            kind: LineKind::Game,
            winner: None,
            decided_for: None,
            line,
            labels,
        })
    }
}

impl Ring {
    /// A place and form for a ring.
    fn new(rng: &mut ChaCha8Rng, size: BoardSize) -> Ring {
        let most = (size.area() / INSIDE_PART).max(FEWEST_INSIDE);
        let points = rng.random_range(FEWEST_INSIDE..=most);
        let mut inside = PointSet::EMPTY;
        inside.insert(any_point_off_edge(rng, size));
        while inside.len() < points {
            let next = outline(size, &inside, false);
            let next: Vec<Point> = next.iter().collect();
            let point = *next.choose(rng).expect("a board has room");
            if !is_at_edge(size, point) || !rng.random_bool(AVOID_EDGE) {
                inside.insert(point);
            }
        }
        let mut ring = outline(size, &inside, true);
        let within = |ring: &PointSet| -> PointSet { inside.iter().chain(ring.iter()).collect() };
        if rng.random_bool(THICK) {
            for point in outline(size, &within(&ring), false).iter() {
                if rng.random_bool(THICK_STONE) {
                    ring.insert(point);
                }
            }
        }
        let mut within = within(&ring);
        let around = outline(size, &within, rng.random_bool(TIGHT));
        within.extend(around.iter());
        let beyond = outline(size, &within, false);
        Ring {
            inside,
            ring,
            around,
            beyond,
        }
    }

    /// The stones of the board with those of the ring, in its regions instead of what is there, some of them perhaps
    /// without liberties. How many points of a region have stones differs; a few stones are of the other color.
    fn stones_on(&self, rng: &mut ChaCha8Rng, board: &Board) -> Vec<(Point, Color)> {
        let ring_color = any_color(rng);
        let regions = [
            (&self.inside, !ring_color, OF_INSIDE),
            (&self.ring, ring_color, OF_RING),
            (&self.around, !ring_color, OF_AROUND),
            (&self.beyond, !ring_color, OF_BEYOND),
        ];
        let regions = regions.map(|(points, color, (shares, of_color))| {
            let share = *shares.choose(rng).expect("there are some");
            (points, color, share, of_color)
        });
        let mut stones = Vec::new();
        for point in board.size().points() {
            let there = board.color_at(point);
            let region = regions.iter().find(|(points, ..)| points.contains(point));
            let color = match region {
                // Beyond the surrounding stones, those on the board are left.
                Some(_) if there.is_some() && self.beyond.contains(point) => there,
                Some(&(_, color, share, of_color)) => stone(rng, color, share, of_color),
                None => there,
            };
            stones.extend(color.map(|color| (point, color)));
        }
        stones
    }
}

fn any_color(rng: &mut ChaCha8Rng) -> Color {
    match rng.random_bool(0.5) {
        true => Color::Black,
        false => Color::White,
    }
}

fn any_point_off_edge(rng: &mut ChaCha8Rng, size: BoardSize) -> Point {
    let column = rng.random_range(1..size.width() - 1);
    Point::new(column, rng.random_range(1..size.height() - 1))
}

/// With a probability of `share` a stone, and that with one of `of_color` in this color.
fn stone(rng: &mut ChaCha8Rng, color: Color, share: f64, of_color: f64) -> Option<Color> {
    if !rng.random_bool(share) {
        return None;
    }
    let has_color = rng.random_bool(of_color);
    Some(if has_color { color } else { !color })
}

/// The stones of the board with a ring, without those that have no liberties.
fn stones_with_ring(rng: &mut ChaCha8Rng, board: &Board) -> Vec<MoveCode> {
    let ring = Ring::new(rng, board.size());
    let mut stones = ring.stones_on(rng, board);
    stones.shuffle(rng);
    with_liberties(board.size(), &stones)
}

/// The points of the board next to the set, diagonally as well or not, that are not in it.
fn outline(size: BoardSize, set: &PointSet, diagonally: bool) -> PointSet {
    let mut outline = PointSet::EMPTY;
    for point in set.iter() {
        let (near, around) = (point.neighbors(), point.around());
        let next: &[Point] = if diagonally { &around } else { &near };
        for &next in next {
            if size.contains(next) && !set.contains(next) {
                outline.insert(next);
            }
        }
    }
    outline
}

fn is_at_edge(size: BoardSize, point: Point) -> bool {
    [0, size.width() - 1].contains(&point.column()) || [0, size.height() - 1].contains(&point.row())
}

/// These stones, played in this order and captured where they have no liberties.
fn with_liberties(size: BoardSize, stones: &[(Point, Color)]) -> Vec<MoveCode> {
    let (mut board, mut removed) = (Board::new(size), Vec::new());
    for &(point, color) in stones {
        if !board.is_suicide(point, color, true) {
            board.play(point, color, &mut removed);
        }
    }
    let code = |(point, color)| MoveCode::new(size, color, Move::Play(point));
    record::stones(&board).into_iter().map(code).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    /// Rings on boards of several sizes, each with the generator that goes on.
    fn rings() -> impl Iterator<Item = (BoardSize, Ring, ChaCha8Rng)> {
        let sizes = [(9, 9), (9, 13), (13, 13), (19, 19)];
        (0..400).map(move |seed| {
            let (width, height) = sizes[seed as usize % sizes.len()];
            let size = BoardSize::new(width, height).unwrap();
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            (size, Ring::new(&mut rng, size), rng)
        })
    }

    #[test]
    fn each_region_is_enclosed_by_the_next() {
        for (size, it, _) in rings() {
            let regions = [it.inside, it.ring, it.around, it.beyond];
            assert!(it.inside.len() >= FEWEST_INSIDE);
            for (number, region) in regions.iter().enumerate() {
                assert!(!region.is_empty());
                for point in region.iter() {
                    assert!(size.contains(point));
                    assert_eq!(regions.iter().filter(|it| it.contains(point)).count(), 1);
                    let next = point.neighbors().into_iter();
                    for next in next.filter(|&next| number < 3 && size.contains(next)) {
                        let mut near = regions[number.saturating_sub(1)..=number + 1].iter();
                        assert!(near.any(|region| region.contains(next)), "{it:?}");
                    }
                }
            }
            // No diagonal leads out of the ring.
            let out = outline(size, &it.inside, true);
            assert!(out.iter().all(|point| it.ring.contains(point)), "{it:?}");
        }
    }

    #[test]
    fn colors_alternate_and_the_rest_of_the_board_stays() {
        let (mut points, mut stones, mut of_color) = ([0; 3], [0; 3], [0; 3]);
        for (size, it, mut rng) in rings() {
            let (mut board, mut removed) = (Board::new(size), Vec::new());
            for point in size.points() {
                let color = any_color(&mut rng);
                if rng.random_bool(0.4) && !board.is_suicide(point, color, true) {
                    board.play(point, color, &mut removed);
                }
            }
            let drawn = it.stones_on(&mut rng, &board);
            let color_at = |point: Point| drawn.iter().find(|it| it.0 == point).map(|it| it.1);
            let regions = [it.inside, it.ring, it.around];
            for point in size.points() {
                let there = board.color_at(point);
                let is_open = there.is_none() && it.beyond.contains(point);
                if !is_open && !regions.iter().any(|region| region.contains(point)) {
                    assert_eq!(color_at(point), there);
                }
            }
            let count = |region: &PointSet, color: Color| {
                let colors = region.iter().filter_map(color_at);
                colors.filter(|&it| it == color).count()
            };
            let is_black = count(&it.ring, Color::Black) > count(&it.ring, Color::White);
            let color = if is_black { Color::Black } else { Color::White };
            let colors = [!color, color, !color];
            for (number, (region, color)) in regions.iter().zip(colors).enumerate() {
                points[number] += region.len();
                of_color[number] += count(region, color);
                stones[number] += count(region, color) + count(region, !color);
            }
        }
        for (number, least) in [(0, 6), (1, 9), (2, 6)] {
            assert!(stones[number] * 10 > points[number] * least, "{stones:?}");
            assert!(of_color[number] * 10 > stones[number] * 9, "{of_color:?}");
        }
    }
}
