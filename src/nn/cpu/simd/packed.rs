//! The right operand of a matrix product, in the order in which the kernels read it.

use bytemuck::Pod;

use super::super::aligned::Aligned;

/// Columns are padded with zeros to a multiple of this, whatever the instruction set.
pub const COLUMN_STEP: usize = 16;

/// A length rounded up to a multiple of that.
pub fn padded(columns: usize) -> usize {
    columns.next_multiple_of(COLUMN_STEP)
}

/// Widths of panels, in registers, for this many registers of columns.
pub fn panels(vectors: usize, widest: usize) -> impl Iterator<Item = usize> {
    let count = vectors.div_ceil(widest);
    (0..count).map(move |index| vectors * (index + 1) / count - vectors * index / count)
}

/// Panel layout of an instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Floats in a register.
    pub lanes: usize,
    /// Registers in the widest panel.
    pub panel: usize,
}

/// A matrix of `depth` rows and a padded number of columns, in panels of a few registers' width.
///
/// A panel of floats is `[row][column]`, and so is one of [`super::Pair`]s, with two rows per row
/// of pairs; one of 16-bit integers is `[pair of rows][column][2]`, each column with a scale that
/// restores its values.
#[derive(Clone, Debug)]
pub struct Packed<T> {
    pub(super) depth: usize,
    pub(super) columns: usize,
    pub(super) values: Aligned<T>,
    pub(super) scales: Vec<f32>,
}

impl<T: Pod> Packed<T> {
    /// Number of rows.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Number of columns with padding.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The panels, one after another.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Scales of the columns; empty for floats.
    pub fn scales(&self) -> &[f32] {
        &self.scales
    }

    /// Number of values per column.
    pub fn values_per_column(&self) -> usize {
        self.values.len() / self.columns.max(1)
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val::<[T]>(&self.values) + size_of_val(self.scales.as_slice())
    }

    /// For each panel its first column, width and first value.
    pub(super) fn places(&self, shape: Shape) -> impl Iterator<Item = (usize, usize, usize)> {
        let per_column = self.values_per_column();
        let mut first = 0;
        panels(self.columns / shape.lanes, shape.panel).map(move |vectors| {
            let (column, width) = (first, vectors * shape.lanes);
            first += width;
            (column, width, column * per_column)
        })
    }

    /// Packs a matrix given by its values at (row, column).
    pub fn from_values(
        shape: Shape,
        depth: usize,
        columns: usize,
        value: impl Fn(usize, usize) -> T,
    ) -> Packed<T> {
        let mut packed = Packed::zeros(depth, columns);
        for (column, width, start) in packed.places(shape).collect::<Vec<_>>() {
            for k in 0..depth {
                for c in column..(column + width).min(columns) {
                    packed.values[start + k * width + c - column] = value(k, c);
                }
            }
        }
        packed
    }

    fn zeros(depth: usize, columns: usize) -> Packed<T> {
        Packed {
            depth,
            columns: padded(columns),
            values: Aligned::zeroed(depth * padded(columns)),
            scales: Vec::new(),
        }
    }
}

impl Packed<f32> {
    /// Packs a matrix with this stride of rows.
    pub fn of_rows(
        shape: Shape,
        depth: usize,
        columns: usize,
        values: &[f32],
        stride: usize,
    ) -> Packed<f32> {
        let mut packed = Packed::zeros(depth, columns);
        for (column, width, start) in packed.places(shape).collect::<Vec<_>>() {
            if column >= columns {
                break;
            }
            let real = width.min(columns - column);
            for k in 0..depth {
                let row = &values[k * stride + column..][..real];
                packed.values[start + k * width..][..real].copy_from_slice(row);
            }
        }
        packed
    }

    /// Packs a matrix with this stride of columns.
    pub fn of_columns(
        shape: Shape,
        depth: usize,
        columns: usize,
        values: &[f32],
        stride: usize,
    ) -> Packed<f32> {
        let mut packed = Packed::zeros(depth, columns);
        for (column, width, start) in packed.places(shape).collect::<Vec<_>>() {
            for c in column..(column + width).min(columns) {
                let to = packed.values[start + c - column..]
                    .iter_mut()
                    .step_by(width);
                for (to, from) in to.zip(&values[c * stride..][..depth]) {
                    *to = *from;
                }
            }
        }
        packed
    }
}
