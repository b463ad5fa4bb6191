//! Matrices of single boards: what attention multiplies.

use crate::nn::cpu::simd::padded;

/// Rows of values, padded to a multiple of 16.
#[derive(Clone, Debug, Default)]
pub struct Matrix<T> {
    /// How many.
    pub rows: usize,
    /// Without padding.
    pub columns: usize,
    /// `[row][column]` with padding.
    pub values: Vec<T>,
}

/// Which factor of a product is read column by column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turned {
    /// `a * b`.
    Neither,
    /// `a^T * b`.
    First,
    /// `a * b^T`.
    Second,
}

impl<T: Copy + Default> Matrix<T> {
    /// Values from row to row.
    pub fn stride(&self) -> usize {
        padded(self.columns)
    }

    /// Takes these sides; the values may be anything.
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

    /// The same, to be written.
    pub fn rows_mut(&mut self) -> impl Iterator<Item = &mut [T]> {
        let columns = self.columns;
        self.padded_rows_mut().map(move |row| &mut row[..columns])
    }
}
