//! Matrices of single boards, as attention multiplies them.

use crate::nn::cpu::simd::padded;

/// Rows of values, padded to a multiple of 16.
#[derive(Clone, Debug, Default)]
pub struct Matrix<T> {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns without padding.
    pub columns: usize,
    /// `[row][column]` with padding.
    pub values: Vec<T>,
}

/// The factor of a product that is transposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transpose {
    /// `a * b`.
    None,
    /// `a^T * b`.
    First,
    /// `a * b^T`.
    Second,
}

impl<T: Copy + Default> Matrix<T> {
    /// Distance between rows.
    pub fn stride(&self) -> usize {
        padded(self.columns)
    }

    /// Resizes; the values are undefined.
    pub fn resize(&mut self, rows: usize, columns: usize) {
        (self.rows, self.columns) = (rows, columns);
        self.values.resize(rows * self.stride(), T::default());
    }

    /// Row by row, with padding.
    pub fn padded_rows_mut(&mut self) -> impl Iterator<Item = &mut [T]> {
        let stride = self.stride();
        self.values.chunks_exact_mut(stride)
    }

    /// Row by row.
    pub fn rows(&self) -> impl Iterator<Item = &[T]> {
        let columns = self.columns;
        let rows = self.values.chunks_exact(self.stride());
        rows.map(move |row| &row[..columns])
    }

    pub fn rows_mut(&mut self) -> impl Iterator<Item = &mut [T]> {
        let columns = self.columns;
        self.padded_rows_mut().map(move |row| &mut row[..columns])
    }
}
