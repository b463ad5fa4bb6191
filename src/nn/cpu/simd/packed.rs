//! The right operand of a matrix product, in the order in which the kernels read it.

use bytemuck::Pod;

use super::super::aligned::Aligned;

/// Columns are padded with zeros to a multiple of this, whatever the instruction set.
pub const COLUMN_STEP: usize = 16;

/// A length rounded up to whole steps of columns.
pub fn padded(columns: usize) -> usize {
    columns.next_multiple_of(COLUMN_STEP)
}

/// Widths of the panels, in registers, that `vectors` registers of columns are split into.
pub fn panels(vectors: usize, widest: usize) -> impl Iterator<Item = usize> {
    let count = vectors.div_ceil(widest);
    (0..count).map(move |index| vectors * (index + 1) / count - vectors * index / count)
}

/// How an instruction set wants its panels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Floats in a register.
    pub lanes: usize,
    /// Registers in the widest panel.
    pub panel: usize,
}

/// A matrix of `depth` rows and a padded number of columns, in panels of a few registers' width.
///
/// A panel of floats is `[row][column]`; one of 16-bit integers `[pair of rows][column][2]`, each
/// column with a scale that makes its values what they were.
#[derive(Clone, Debug)]
pub struct Packed<T> {
    depth: usize,
    columns: usize,
    values: Aligned<T>,
    scales: Vec<f32>,
}

impl<T: Pod> Packed<T> {
    /// Number of rows.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Number of columns with those of padding.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Panel after panel.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// What to multiply the columns by; empty for floats.
    pub fn scales(&self) -> &[f32] {
        &self.scales
    }

    /// How many values each column takes.
    pub fn values_per_column(&self) -> usize {
        self.values.len() / self.columns.max(1)
    }

    /// Memory taken, in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val::<[T]>(&self.values) + size_of_val(self.scales.as_slice())
    }

    /// For each panel its first column, width and first value.
    fn places(&self, shape: Shape) -> impl Iterator<Item = (usize, usize, usize)> {
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
    /// The same of floats.
    pub fn floats(
        shape: Shape,
        depth: usize,
        columns: usize,
        value: impl Fn(usize, usize) -> f32,
    ) -> Packed<f32> {
        Packed::from_values(shape, depth, columns, value)
    }

    /// Packs a matrix whose rows lie `stride` apart.
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

    /// Packs a matrix whose columns lie `stride` apart.
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

/// The length of a row of operands, as an integer vector, and that of a column of weights: their
/// product is below 2^31, so that by Cauchy and Schwarz no sum of products overflows, nor any
/// part of it. Rounding adds at most `sqrt(depth) / 2` to a length.
pub const ROW_LENGTH: f32 = 32_700.0;
const COLUMN_LENGTH: f32 = 65_400.0;

/// The greatest depth for which that holds: `(32700 + 32) * (65400 + 32) < 2^31`.
pub const MAX_INTEGER_DEPTH: usize = 4096;

impl Packed<i16> {
    /// Rounds a matrix given by its values at (row, column) to integers, and packs it.
    ///
    /// # Panics
    ///
    /// Panics if the matrix has more than [`MAX_INTEGER_DEPTH`] rows.
    pub fn integers(
        shape: Shape,
        depth: usize,
        columns: usize,
        value: impl Fn(usize, usize) -> f64,
    ) -> Packed<i16> {
        assert!(depth <= MAX_INTEGER_DEPTH, "sums could overflow");
        let factors: Vec<f64> = (0..columns)
            .map(|c| column_factor((0..depth).map(|k| value(k, c))))
            .collect();
        let inverse = |&factor: &f64| {
            if factor > 0.0 {
                (1.0 / factor) as f32
            } else {
                0.0
            }
        };
        let mut scales: Vec<f32> = factors.iter().map(inverse).collect();
        scales.resize(padded(columns), 0.0);
        let mut packed = Packed {
            depth,
            columns: padded(columns),
            values: Aligned::zeroed(depth.next_multiple_of(2) * padded(columns)),
            scales,
        };
        for (column, width, start) in packed.places(shape).collect::<Vec<_>>() {
            for k in 0..depth {
                for (c, factor) in factors.iter().enumerate().skip(column).take(width) {
                    let index = start + (k / 2 * width + c - column) * 2 + k % 2;
                    packed.values[index] = (value(k, c) * factor).round() as i16;
                }
            }
        }
        packed
    }
}

/// What to multiply a column by before rounding.
fn column_factor(column: impl Iterator<Item = f64>) -> f64 {
    let (squares, greatest) = column.fold((0.0, 0.0), |(squares, greatest), value: f64| {
        (squares + value * value, value.abs().max(greatest))
    });
    if squares < f64::MIN_POSITIVE {
        return 0.0;
    }
    (COLUMN_LENGTH as f64 / squares.sqrt()).min(i16::MAX as f64 / greatest)
}
