//! One attention head on one board at a time.

use super::rotation::Rotation;
use crate::nn::desc::AttentionBlock;
use crate::train::cells::{Cells, Workspace};
use crate::train::layers::add;
use crate::train::matrix::{Matrix, Transpose};
use crate::train::real::Real;

/// The channels that a head reads and writes.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    query: Span,
    key: Span,
    value: Span,
    attended: Span,
}

/// A row of channels, and the head whose rotary angles apply, if any.
#[derive(Clone, Copy, Debug)]
struct Span {
    first: usize,
    width: usize,
    turns_as: Option<usize>,
}

pub type Products<T> = [Cells<T>; 3];

/// One board of a batch, and its rotary embedding.
#[derive(Clone, Copy, Debug)]
pub struct Board<'a, T> {
    /// Index of the board.
    pub number: usize,
    /// The rotary embedding, if there is one.
    pub rotation: Option<&'a Rotation<T>>,
}

impl<T: Real> Board<'_, T> {
    /// Channels by point, rotated.
    fn gather(&self, cells: &Cells<T>, span: Span, workspace: &mut Workspace<T>) -> Matrix<T> {
        let size = workspace.grid.size;
        let mut matrix = workspace.take_matrix();
        matrix.resize(size.area(), span.width);
        let lines = workspace.grid.lines_of(self.number);
        let points = lines.flat_map(|first| cells.line(first, size.width()));
        for (point, (row, from)) in matrix.rows_mut().zip(points).enumerate() {
            row.copy_from_slice(&from[span.first..][..span.width]);
            if let (Some(rotation), Some(head)) = (self.rotation, span.turns_as) {
                let at = (point % size.width(), point / size.width());
                rotation.turn(row, head, at, false);
            }
        }
        matrix
    }

    /// Rotates the rows of a matrix back and adds them to the channels.
    fn scatter(
        &self,
        mut matrix: Matrix<T>,
        span: Span,
        cells: &mut Cells<T>,
        workspace: &mut Workspace<T>,
    ) {
        let width = workspace.grid.size.width();
        let mut rows = matrix.rows_mut();
        for (y, first) in workspace.grid.lines_of(self.number).enumerate() {
            for (x, (to, row)) in cells.line_mut(first, width).zip(&mut rows).enumerate() {
                if let (Some(rotation), Some(head)) = (self.rotation, span.turns_as) {
                    rotation.turn(row, head, (x, y), true);
                }
                add(&mut to[span.first..][..span.width], row);
            }
        }
        drop(rows);
        workspace.give_matrices([matrix]);
    }
}

impl Head {
    /// All heads of a block.
    pub fn all(block: &AttentionBlock) -> Vec<Head> {
        let span = |head: usize, width: usize, turns_as: Option<usize>| Span {
            first: head * width,
            width,
            turns_as,
        };
        let (key_width, value_width) = (block.key_width, block.value_width);
        let head = |head: usize| {
            let kv_head = head * block.kv_heads / block.heads;
            Head {
                query: span(head, key_width, Some(kv_head)),
                key: span(kv_head, key_width, Some(kv_head)),
                value: span(kv_head, value_width, None),
                attended: span(head, value_width, None),
            }
        };
        (0..block.heads).map(head).collect()
    }

    /// Scale of the products of queries and keys.
    fn scale<T: Real>(&self) -> T {
        T::of(1.0 / (self.key.width as f64).sqrt())
    }

    /// Adds the head's output. Returns the attention weights.
    pub fn attend<T: Real>(
        &self,
        board: Board<T>,
        [query, key, value]: &Products<T>,
        attended: &mut Cells<T>,
        workspace: &mut Workspace<T>,
    ) -> Matrix<T> {
        let (kernels, scale) = (workspace.compute.kernels, self.scale::<T>());
        let mut query = board.gather(query, self.query, workspace);
        let key = board.gather(key, self.key, workspace);
        let value = board.gather(value, self.value, workspace);
        for value in query.rows_mut().flatten() {
            *value = *value * scale;
        }
        let mut weights = workspace.take_matrix();
        T::multiply(kernels, &query, &key, Transpose::Second, &mut weights);
        let columns = weights.columns;
        for row in weights.padded_rows_mut() {
            let factor = T::of(1.0) / T::exponentials(kernels, row, columns);
            for share in &mut row[..columns] {
                *share = *share * factor;
            }
        }
        let mut mean = workspace.take_matrix();
        T::multiply(kernels, &weights, &value, Transpose::None, &mut mean);
        board.scatter(mean, self.attended, attended, workspace);
        workspace.give_matrices([query, key, value]);
        weights
    }

    /// Adds to the gradients of queries, keys and values, given the gradient of the output.
    pub fn attend_backward<T: Real>(
        &self,
        board: Board<T>,
        ([query, key, value], weights): (&Products<T>, &Matrix<T>),
        of_attended: &Cells<T>,
        [of_query, of_key, of_value]: &mut Products<T>,
        workspace: &mut Workspace<T>,
    ) {
        let (kernels, scale) = (workspace.compute.kernels, self.scale::<T>());
        let q = board.gather(query, self.query, workspace);
        let k = board.gather(key, self.key, workspace);
        let v = board.gather(value, self.value, workspace);
        let of_mean = board.gather(of_attended, self.attended, workspace);
        let [mut of_q, mut of_k, mut of_v, mut of_weights] =
            std::array::from_fn(|_| workspace.take_matrix());
        T::multiply(kernels, weights, &of_mean, Transpose::First, &mut of_v);
        T::multiply(kernels, &of_mean, &v, Transpose::Second, &mut of_weights);
        // The gradient of the scores, through the softmax.
        for (of_row, row) in of_weights.rows_mut().zip(weights.rows()) {
            let pairs = of_row.iter().zip(row);
            let mean = pairs.fold(T::default(), |sum, (of, share)| sum + *of * *share);
            for (of_share, share) in of_row.iter_mut().zip(row) {
                *of_share = (*of_share - mean) * *share * scale;
            }
        }
        T::multiply(kernels, &of_weights, &k, Transpose::None, &mut of_q);
        T::multiply(kernels, &of_weights, &q, Transpose::First, &mut of_k);
        board.scatter(of_q, self.query, of_query, workspace);
        board.scatter(of_k, self.key, of_key, workspace);
        board.scatter(of_v, self.value, of_value, workspace);
        workspace.give_matrices([q, k, v, of_mean, of_weights]);
    }
}
