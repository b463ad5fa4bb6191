//! Cyclic groups: positions of recorded games on which a large group is put in a ring around a group of
//! the other color, itself surrounded. Networks judge such groups worst, as "Adversarial Policies
//! Beat Superhuman Go AIs" (Wang et al., 2023) found, and games between humans hardly have any.

use anyhow::Result;
use rand::RngExt;
use rand::seq::{IndexedRandom, SliceRandom};

use crate::go::{Board, BoardSize, Color, Komi, Move, Point, PointSet, Rules};

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
            first: self.any_color(),
            stones: self.stones_with_ring(board.board()),
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

    fn any_color(&mut self) -> Color {
        match self.chance(0.5) {
            true => Color::Black,
            false => Color::White,
        }
    }

    /// The stones of the board with those of a ring, in its regions instead of what is there. How many points of a
    /// region have stones differs; a few stones are of the other color.
    fn stones_with_ring(&mut self, board: &Board) -> Vec<MoveCode> {
        let size = board.size();
        let Ring {
            inside,
            ring,
            around,
            beyond,
        } = self.ring(size);
        let ring_color = self.any_color();
        let regions = [
            (inside, !ring_color, OF_INSIDE),
            (ring, ring_color, OF_RING),
            (around, !ring_color, OF_AROUND),
            (beyond, !ring_color, OF_BEYOND),
        ];
        let regions = regions.map(|(points, color, (shares, of_color))| {
            let share = *shares.choose(&mut self.rng).expect("there are some");
            (points, color, share, of_color)
        });
        let mut stones = Vec::new();
        for point in size.points() {
            let there = board.color_at(point);
            let region = regions.iter().find(|(points, ..)| points.contains(point));
            let color = match region {
                // Beyond the surrounding stones, those on the board are left.
                Some((points, ..)) if there.is_some() && *points == beyond => there,
                Some(&(_, color, share, of_color)) => self.stone(color, share, of_color),
                None => there,
            };
            stones.extend(color.map(|color| (point, color)));
        }
        stones.shuffle(&mut self.rng);
        with_liberties(size, &stones)
    }

    /// With a probability of `share` a stone, and that with one of `of_color` in this color.
    fn stone(&mut self, color: Color, share: f64, of_color: f64) -> Option<Color> {
        let is_stone = self.chance(share);
        is_stone.then(|| if self.chance(of_color) { color } else { !color })
    }

    /// A place and form for a ring.
    fn ring(&mut self, size: BoardSize) -> Ring {
        let most = (size.area() / INSIDE_PART).max(FEWEST_INSIDE);
        let points = self.rng.random_range(FEWEST_INSIDE..=most);
        let mut inside = PointSet::EMPTY;
        inside.insert(self.any_point_off_edge(size));
        while inside.len() < points {
            let next = outline(size, &inside, false);
            let next: Vec<Point> = next.iter().collect();
            let point = *next.choose(&mut self.rng).expect("a board has room");
            if !is_at_edge(size, point) || !self.chance(AVOID_EDGE) {
                inside.insert(point);
            }
        }
        let mut ring = outline(size, &inside, true);
        let within = |ring: &PointSet| -> PointSet { inside.iter().chain(ring.iter()).collect() };
        if self.chance(THICK) {
            for point in outline(size, &within(&ring), false).iter() {
                if self.chance(THICK_STONE) {
                    ring.insert(point);
                }
            }
        }
        let mut within = within(&ring);
        let around = outline(size, &within, self.chance(TIGHT));
        within.extend(around.iter());
        let beyond = outline(size, &within, false);
        Ring {
            inside,
            ring,
            around,
            beyond,
        }
    }

    fn any_point_off_edge(&mut self, size: BoardSize) -> Point {
        let column = self.rng.random_range(1..size.width() - 1);
        Point::new(column, self.rng.random_range(1..size.height() - 1))
    }
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
    let stone = |point| {
        let color = board.color_at(point)?;
        Some(MoveCode::new(size, color, Move::Play(point)))
    };
    size.points().filter_map(stone).collect()
}
