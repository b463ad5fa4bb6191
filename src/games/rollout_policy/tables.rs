//! The policy as games play it: factors instead of weights, found with few reads.

use super::code_table::CodeTable;
use super::recent::{ANSWERS, DISTANCES, distance};
use super::surroundings::{SHAPES, beside, images, images_without_place, shape};
use super::tactics::{LINE, OPEN, TACTICS, line, tactics};
use super::weights::{FIRST_ANSWER, FIRST_NEAR, FIRST_SHAPE, Weights};
use crate::games::rollout::is_eye;
use crate::go::point::MAX_SIZE;
use crate::go::{Board, Color, Point};

/// Points in a row of factors, so that it is read in whole blocks.
pub(super) const ROW: usize = 32;
/// Columns in a row of factors by distance, so that a row of points fits wherever the move was.
pub(super) const SPAN: usize = MAX_SIZE - 1 + ROW;

/// Exponentials of weights: a move is chosen in proportion to the product of its factors.
pub struct Tables {
    tactics: [f32; TACTICS],
    /// By shape.
    shapes: Vec<f32>,
    /// By code: the factor of the pattern with liberties and of its shape.
    liberties: CodeTable<f32>,
    /// By code with the place of the last move.
    responses: CodeTable<f32>,
    pub(super) answers: [f32; ANSWERS.len()],
    /// By age of the move and distance of rows: factors by distance of columns, from the left.
    pub(super) near: [Vec<[f32; SPAN]>; 2],
    fingerprint: u64,
}

impl Tables {
    /// The factors of these weights.
    pub fn new(weights: &Weights) -> Tables {
        let factor = |number: usize| weights.numbers[number].exp();
        let first_pattern = FIRST_SHAPE + weights.shapes.len();
        let mut shapes = vec![1.0; SHAPES];
        for &code in &weights.shapes {
            for image in images_without_place(code) {
                shapes[shape(image)] = weights.of(weights.shape_number(image)).exp();
            }
        }
        let mut patterns = Vec::new();
        for (place, &code) in weights.liberties.iter().enumerate() {
            let whole = shapes[shape(code)] * factor(first_pattern + place);
            patterns.extend(images_without_place(code).map(|image| (image, whole)));
        }
        let first_response = first_pattern + weights.liberties.len();
        let mut responses = Vec::new();
        for (place, &code) in weights.responses.iter().enumerate() {
            let value = factor(first_response + place);
            responses.extend(images(code).map(|image| (image, value)));
        }
        let near = |age: usize| {
            let first = FIRST_NEAR + age * DISTANCES;
            let by_columns = |rows: usize| {
                std::array::from_fn(|column| {
                    factor(first + distance(column.abs_diff(MAX_SIZE - 1), rows))
                })
            };
            (0..MAX_SIZE).map(by_columns).collect()
        };
        Tables {
            tactics: std::array::from_fn(factor),
            liberties: CodeTable::new(&patterns),
            responses: CodeTable::new(&responses),
            shapes,
            answers: std::array::from_fn(|answer| factor(FIRST_ANSWER + answer)),
            near: [near(0), near(1)],
            fingerprint: weights.fingerprint(),
        }
    }

    /// A number that other weights do not share.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// The product of what the board alone says about a move at an empty point with these surroundings; 0
    /// if stones forbid it or it fills an eye.
    #[inline]
    pub(super) fn factor(&self, board: &Board, point: Point, color: Color, code: u32) -> f32 {
        if !beside(code).contains(&0)
            && (board.is_suicide(point, color, false) || is_eye(board, point, color))
        {
            return 0.0;
        }
        let first = if code == 0 { OPEN } else { LINE };
        let mut product = self.tactics[(first + line(board, point)) as usize];
        product *= self
            .liberties
            .get(code)
            .unwrap_or_else(|| self.shapes[shape(code)]);
        let mut bits = tactics(board, point, color, code);
        while bits != 0 {
            product *= self.tactics[bits.trailing_zeros() as usize];
            bits &= bits - 1;
        }
        product
    }

    /// The factor of a pattern with the place of the last move, if it has one.
    pub(super) fn response(&self, code: u32) -> Option<f32> {
        self.responses.get(code)
    }
}

impl std::fmt::Debug for Tables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tables({:016x})", self.fingerprint)
    }
}
