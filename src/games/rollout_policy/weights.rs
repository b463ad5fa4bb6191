//! The weights of the policy: one number for each feature, and for which patterns there is one.

use super::code_table::CodeTable;
use super::recent::{ANSWERS, DISTANCES, Recent, answers, distance_between};
use super::surroundings::{
    SHAPES, at_place, canonical_without_place, code_of_shape, images, images_without_place,
    opposite, shape, surroundings, with_place,
};
use super::tactics::{LINE, OPEN, TACTICS, line, tactics};
use crate::games::rollout::is_eye;
use crate::go::{Board, Color, Point};

/// Where the numbers of answers begin, of distances to the last move and to the one before, of shapes.
pub(super) const FIRST_ANSWER: usize = TACTICS;
pub(super) const FIRST_NEAR: usize = FIRST_ANSWER + ANSWERS.len();
pub(super) const FIRST_SHAPE: usize = FIRST_NEAR + 2 * DISTANCES;
/// Stands for a shape that cannot occur.
const NO_SHAPE: u16 = u16::MAX;

/// Weights of features, in nats: a move is chosen with a probability in proportion to the exponential of
/// the sum of its features' weights.
#[derive(Clone, Debug)]
pub struct Weights {
    /// By number of the feature: tactics, answers, distances to the last move and to the one before,
    /// shapes, patterns with liberties, patterns beside the last move.
    pub(super) numbers: Vec<f32>,
    /// The canonical codes of shapes.
    pub(super) shapes: Vec<u32>,
    /// The canonical codes of patterns with liberties.
    pub(super) liberties: Vec<u32>,
    /// The canonical codes of patterns with liberties and the place of the last move.
    pub(super) responses: Vec<u32>,
    shape_numbers: Vec<u16>,
    liberty_numbers: CodeTable<u32>,
    response_numbers: CodeTable<u32>,
}

/// A legal move that fills no eye, with the range of its features in a list.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) point: Point,
    pub(super) features: std::ops::Range<usize>,
}

/// The legal moves of a position that fill no eye, with the numbers of their features.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    pub(super) moves: Vec<Candidate>,
    pub(super) features: Vec<u32>,
}

impl Weights {
    /// All weights zero, for these canonical codes of patterns.
    pub(super) fn new(liberties: Vec<u32>, responses: Vec<u32>) -> Weights {
        let mut shape_numbers = vec![NO_SHAPE; SHAPES];
        let mut shapes = Vec::new();
        for code in (0..SHAPES).map(code_of_shape) {
            if is_possible(code) && canonical_without_place(code) == code {
                for image in images_without_place(code) {
                    shape_numbers[shape(image)] = shapes.len() as u16;
                }
                shapes.push(code);
            }
        }
        let mut next = FIRST_SHAPE + shapes.len();
        let mut numbered = |codes: &[u32], images: fn(u32) -> [u32; 8]| {
            let mut entries = Vec::with_capacity(8 * codes.len());
            for &code in codes {
                entries.extend(images(code).map(|image| (image, next as u32)));
                next += 1;
            }
            CodeTable::new(&entries)
        };
        let liberty_numbers = numbered(&liberties, images_without_place);
        let response_numbers = numbered(&responses, images);
        Weights {
            numbers: vec![0.0; next],
            shapes,
            liberties,
            responses,
            shape_numbers,
            liberty_numbers,
            response_numbers,
        }
    }

    /// The same policy with all weights times a factor: one below 1 makes it more even.
    #[must_use]
    pub fn scaled(mut self, factor: f32) -> Weights {
        self.numbers.iter_mut().for_each(|number| *number *= factor);
        self
    }

    /// Number of weights.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether there is none, which never happens.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The weight of a feature; 0 without one.
    pub(super) fn of(&self, number: Option<usize>) -> f32 {
        number.map_or(0.0, |number| self.numbers[number])
    }

    /// The number of a code's shape.
    pub(super) fn shape_number(&self, code: u32) -> Option<usize> {
        let number = self.shape_numbers[shape(code)];
        (number != NO_SHAPE).then(|| FIRST_SHAPE + usize::from(number))
    }

    /// The numbers of the features of each move.
    pub(super) fn candidates(
        &self,
        board: &Board,
        mover: Color,
        recent: &Recent,
        found: &mut Candidates,
    ) {
        found.moves.clear();
        found.features.clear();
        let answers = answers(board, mover, recent);
        for point in board.points() {
            if !board.is_legal(point, mover, false) || is_eye(board, point, mover) {
                continue;
            }
            let start = found.features.len();
            let code = surroundings(board, point, mover);
            self.add_board_features(board, point, mover, code, &mut found.features);
            let here = answers.iter().filter(|(answer, _)| *answer == point);
            found
                .features
                .extend(here.map(|&(_, answer)| (FIRST_ANSWER + answer) as u32));
            let played = [recent.last, recent.before].into_iter().enumerate();
            for (age, before) in played {
                let distance = before.map(|before| distance_between(point, before));
                let number = distance.map(|it| (FIRST_NEAR + age * DISTANCES + it) as u32);
                found.features.extend(number);
            }
            found.moves.push(Candidate {
                point,
                features: start..found.features.len(),
            });
        }
        // The patterns beside the last move need its place.
        let last = recent.last;
        let near = (0..12).filter_map(|place| Some((place, at_place(last?, place)?)));
        let near: Vec<(usize, Point)> = near.collect();
        self.add_responses(board, mover, &near, found);
    }

    fn add_board_features(
        &self,
        board: &Board,
        point: Point,
        mover: Color,
        code: u32,
        features: &mut Vec<u32>,
    ) {
        let line = line(board, point);
        features.push(if code == 0 { OPEN } else { LINE } + line);
        let mut bits = tactics(board, point, mover, code);
        while bits != 0 {
            features.push(bits.trailing_zeros());
            bits &= bits - 1;
        }
        features.extend(self.shape_number(code).map(|number| number as u32));
        features.extend(self.liberty_numbers.get(code));
    }

    fn add_responses(
        &self,
        board: &Board,
        mover: Color,
        near: &[(usize, Point)],
        found: &mut Candidates,
    ) {
        let mut extra: Vec<(usize, u32)> = Vec::new();
        for &(place, point) in near {
            let index = found.moves.iter().position(|mv| mv.point == point);
            let code = with_place(surroundings(board, point, mover), opposite(place));
            let number = self.response_numbers.get(code);
            extra.extend(index.zip(number));
        }
        for (index, number) in extra {
            // The range of a move must be whole: it moves to the end.
            let range = found.moves[index].features.clone();
            let start = found.features.len();
            found.features.extend_from_within(range);
            found.features.push(number);
            found.moves[index].features = start..found.features.len();
        }
    }
}

/// Whether a board can look like this: what is off the board are whole sides, at most one of two opposite
/// ones.
fn is_possible(code: u32) -> bool {
    let off = |place: usize| code >> (3 * place) & 7 == 1;
    let sides = [[0, 1, 2], [0, 3, 5], [2, 4, 7], [5, 6, 7]];
    let outside = sides.map(|side| side.into_iter().all(off));
    let is_covered = |place: usize| {
        let beyond = sides.iter().zip(outside);
        beyond
            .into_iter()
            .any(|(side, is_outside)| is_outside && side.contains(&place))
    };
    (0..8).all(|place| off(place) == is_covered(place))
        && !(outside[0] && outside[3])
        && !(outside[1] && outside[2])
}
