//! Chains and empty regions of boards, for layers with chain pooling.
//!
//! A chain lives or dies as a whole, and an empty region is owned as a whole, but a convolution
//! only sees a few points: pooling shares what was recognised at any point with all of them.

use std::ops::{AddAssign, Mul};

use rayon::prelude::*;

use crate::go::BoardSize;

/// Pooled values per channel: mean, mean by size, maximum.
pub const VALUES: usize = 3;

/// Planes of the stones of the side to move and of the opponent, in all of KataGo's inputs.
const STONES: [usize; 2] = [1, 2];
/// Boards whose regions one task of [`Regions::of_many`] finds.
const BOARDS_PER_TASK: usize = 16;
/// Marks points already in a region, and cells off the board.
const FOUND: u8 = u8::MAX;

/// The sets of points to pool over: maximal connected sets of stones of one color, and of empty
/// points. Each point is in one of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Regions {
    /// The cells of all regions, one region after another.
    cells: Vec<u32>,
    /// Start of each region in `cells`, and the end of the last one.
    starts: Vec<u32>,
}

/// Rows of values, one for each cell.
#[derive(Debug)]
pub struct Rows<V> {
    /// `[cell][stride]`.
    pub values: V,
    /// Stride of rows.
    pub stride: usize,
}

/// f32 or f64.
pub trait Number: Copy + PartialOrd + AddAssign + Mul<Output = Self> + From<f32> {}
impl Number for f32 {}
impl Number for f64 {}

impl Regions {
    /// For boards `[board][y][x][plane]` with this many planes. Cells are numbered as points,
    /// `board * area + point`.
    pub fn new(spatial: &[f32], planes: usize, size: BoardSize) -> Regions {
        let (area, width) = (size.area(), size.width());
        // With empty columns and rows around, so that neighbors need no bounds checks.
        let line = width + 1;
        let frame = line * (size.height() + 2) + 1;
        let place = |point: usize| (point / width + 1) * line + point % width + 1;
        let points: Vec<usize> = (0..area).map(place).collect();
        let mut numbers = vec![0; frame];
        for (point, &place) in points.iter().enumerate() {
            numbers[place] = point as u32;
        }
        let mut regions = Regions {
            cells: Vec::with_capacity(spatial.len() / planes),
            starts: vec![0],
        };
        for (board, spatial) in spatial.chunks_exact(area * planes).enumerate() {
            let mut colors = vec![FOUND; frame];
            for (&place, planes) in points.iter().zip(spatial.chunks_exact(planes)) {
                colors[place] = color_of(planes);
            }
            let cell = |place: usize| (board * area) as u32 + numbers[place];
            regions.add_board(&points, &mut colors, line, cell);
        }
        regions
    }

    /// The same for many boards, in parallel.
    pub fn of_many(spatial: &[f32], planes: usize, size: BoardSize) -> Regions {
        let some = spatial.par_chunks(BOARDS_PER_TASK * size.area() * planes);
        let parts: Vec<Regions> = some
            .map(|boards| Regions::new(boards, planes, size))
            .collect();
        let mut all = Regions {
            cells: Vec::with_capacity(spatial.len() / planes),
            starts: vec![0],
        };
        for part in parts {
            // Each point is in one region, so this is the number of points before, too.
            let before = all.cells.len() as u32;
            all.cells
                .extend(part.cells.iter().map(|cell| before + cell));
            let starts = part.starts[1..].iter();
            all.starts.extend(starts.map(|start| before + start));
        }
        all
    }

    /// Adds the regions of a board, given the cells of its points and the distance between rows.
    fn add_board(
        &mut self,
        points: &[usize],
        colors: &mut [u8],
        line: usize,
        cell: impl Fn(usize) -> u32,
    ) {
        let mut open = Vec::with_capacity(points.len());
        for &first in points {
            let color = std::mem::replace(&mut colors[first], FOUND);
            if color == FOUND {
                continue;
            }
            open.push(first);
            while let Some(place) = open.pop() {
                self.cells.push(cell(place));
                for neighbor in [place - 1, place + 1, place - line, place + line] {
                    if colors[neighbor] == color {
                        colors[neighbor] = FOUND;
                        open.push(neighbor);
                    }
                }
            }
            self.starts.push(self.cells.len() as u32);
        }
    }

    /// The same with renumbered cells.
    pub fn moved(mut self, place: impl Fn(usize) -> usize) -> Regions {
        let cells = self.cells.iter_mut();
        cells.for_each(|cell| *cell = place(*cell as usize) as u32);
        self
    }

    /// Cells of all regions, and the start of each region, with the end of the last.
    pub fn lists(&self) -> (&[u32], &[u32]) {
        (&self.cells, &self.starts)
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let bounds = self.starts.windows(2);
        bounds.map(|bounds| &self.cells[bounds[0] as usize..bounds[1] as usize])
    }

    pub fn count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Computes for each cell mean, mean by size (see [`size_factor`]) and maximum of its region,
    /// the means of all channels first: `[cell][3 * channel]`. Other cells are unchanged.
    pub fn pool<T: Number>(&self, from: Rows<&[T]>, channels: usize, to: Rows<&mut [T]>) {
        self.pool_each(from, channels, |cells, pooled| {
            for &cell in cells {
                to.values[cell as usize * to.stride..][..pooled.len()].copy_from_slice(pooled);
            }
        });
    }

    /// Computes them once for each region, and calls a function with its cells and values.
    pub fn pool_each<T: Number>(
        &self,
        from: Rows<&[T]>,
        channels: usize,
        mut give: impl FnMut(&[u32], &[T]),
    ) {
        let mut pooled = vec![T::from(0.0); VALUES * channels];
        for cells in self.iter() {
            let (means, others) = pooled.split_at_mut(channels);
            let (by_size, greatest) = others.split_at_mut(channels);
            means.fill(T::from(0.0));
            greatest.fill(T::from(f32::NEG_INFINITY));
            for &cell in cells {
                let row = &from.values[cell as usize * from.stride..][..channels];
                for ((sum, greatest), value) in means.iter_mut().zip(&mut *greatest).zip(row) {
                    *sum += *value;
                    *greatest = if *value > *greatest {
                        *value
                    } else {
                        *greatest
                    };
                }
            }
            let (share, factor) = factors::<T>(cells.len());
            for (mean, by_size) in means.iter_mut().zip(by_size) {
                *mean = *mean * share;
                *by_size = *mean * factor;
            }
            give(cells, &pooled);
        }
    }

    /// Backward pass of [`Regions::pool`]: from the gradient of its results to that of its inputs
    /// `from`. The gradient of a maximum goes to the first cell that has it.
    pub fn pool_back<T: Number>(
        &self,
        from: Rows<&[T]>,
        channels: usize,
        of_pooled: Rows<&[T]>,
        to: Rows<&mut [T]>,
    ) {
        let mut sums = vec![T::from(0.0); VALUES * channels];
        for cells in self.iter() {
            sums.fill(T::from(0.0));
            for &cell in cells {
                let row = &of_pooled.values[cell as usize * of_pooled.stride..];
                sums.iter_mut()
                    .zip(row)
                    .for_each(|(sum, value)| *sum += *value);
            }
            let (share, factor) = factors::<T>(cells.len());
            for channel in 0..channels {
                let value = |cell: u32| from.values[cell as usize * from.stride + channel];
                let mut of_mean = sums[channel];
                of_mean += sums[channels + channel] * factor;
                let mut greatest = cells[0];
                for &cell in cells {
                    to.values[cell as usize * to.stride + channel] = of_mean * share;
                    if value(cell) > value(greatest) {
                        greatest = cell;
                    }
                }
                let of_greatest = sums[2 * channels + channel];
                to.values[greatest as usize * to.stride + channel] += of_greatest;
            }
        }
    }
}

/// 0 for an empty point, and a number for each color.
fn color_of(planes: &[f32]) -> u8 {
    let stone = |plane: usize| u8::from(planes[plane] > 0.5);
    stone(STONES[0]) + 2 * stone(STONES[1])
}

/// Factor of the mean for the second value, for a region of this many cells: 0 at 16 cells, a
/// quarter for each step of the root. With the mean it determines sums over small regions, such as
/// the number of eyes, as the mean by the board's side does for whole boards in KataGo's networks.
pub fn size_factor(cells: usize) -> f32 {
    ((cells as f32).sqrt() - 4.0) * 0.25
}

/// Weight of one cell in a mean, and the factor of the second value.
fn factors<T: Number>(cells: usize) -> (T, T) {
    (T::from(1.0 / cells as f32), T::from(size_factor(cells)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLANES: usize = 3;

    /// Planes of boards drawn with `x` and `o` for stones.
    fn planes(rows: &[&str]) -> Vec<f32> {
        let points = rows.iter().flat_map(|row| row.bytes());
        let plane = |point: u8| {
            [
                1.0,
                f32::from(u8::from(point == b'x')),
                f32::from(u8::from(point == b'o')),
            ]
        };
        points.flat_map(plane).collect()
    }

    fn sorted(regions: &Regions) -> Vec<Vec<u32>> {
        let sorted = |cells: &[u32]| {
            let mut cells = cells.to_vec();
            cells.sort_unstable();
            cells
        };
        regions.iter().map(sorted).collect()
    }

    #[test]
    fn regions_of_many_boards_are_those_of_each() {
        let size = BoardSize::new(3, 3).unwrap();
        let boards = [&["xx.", "ox.", "oox"], &["...", "xo.", "..."]].map(|rows| planes(rows));
        let many: Vec<f32> = boards.iter().cycle().take(50).flatten().copied().collect();
        assert_eq!(
            Regions::of_many(&many, PLANES, size),
            Regions::new(&many, PLANES, size)
        );
    }

    #[test]
    fn touching_points_of_a_color_are_one_region_boards_apart() {
        let size = BoardSize::new(3, 3).unwrap();
        let spatial = planes(&["xx.", "ox.", "oox", "...", "...", "..."]);
        let regions = Regions::new(&spatial, PLANES, size);
        let wanted: [&[u32]; 5] = [
            &[0, 1, 4],
            &[2, 5],
            &[3, 6, 7],
            &[8],
            &[9, 10, 11, 12, 13, 14, 15, 16, 17],
        ];
        assert_eq!(sorted(&regions), wanted);
        assert_eq!(sorted(&regions.moved(|cell| 2 * cell))[1], [4, 10]);
    }

    #[test]
    fn regions_wind_through_the_board() {
        let size = BoardSize::new(5, 4).unwrap();
        let spatial = planes(&["....x", "xxx.x", ".....", ".xxxx"]);
        let regions = Regions::new(&spatial, PLANES, size);
        let counts: Vec<usize> = regions.iter().map(<[u32]>::len).collect();
        assert_eq!(counts, [11, 2, 3, 4]);
    }

    #[test]
    fn each_cell_gets_mean_mean_by_size_and_maximum_of_its_region() {
        let size = BoardSize::new(3, 2).unwrap();
        let regions = Regions::new(&planes(&["xxo", "oo."]), PLANES, size);
        // Two channels in rows of three.
        let mut from = [9.0f64; 6 * 3];
        from[..9].copy_from_slice(&[1.0, -2.0, 9.0, 3.0, -4.0, 9.0, 5.0, 6.0, 9.0]);
        let mut to = [0.0; 6 * 7];
        let rows = |values| Rows { values, stride: 3 };
        let to_rows = Rows {
            values: &mut to[..],
            stride: 7,
        };
        regions.pool(rows(&from[..]), 2, to_rows);
        let (two, one) = (f64::from(size_factor(2)), f64::from(size_factor(1)));
        let chain = [2.0, -3.0, 2.0 * two, -3.0 * two, 3.0, -2.0, 0.0];
        assert_eq!(to[..7], chain);
        assert_eq!(to[7..14], chain);
        assert_eq!(to[14..21], [5.0, 6.0, 5.0 * one, 6.0 * one, 5.0, 6.0, 0.0]);
    }
}
