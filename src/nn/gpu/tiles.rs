//! How a convolution on tensor cores is cut into blocks of threads.

/// Bytes of a value in f16.
const VALUE_BYTES: usize = 2;
/// Stages of the pipeline of copies of warps, of groups, and of groups with several taps in a stage, as `STAGES` in
/// `kernels.cu`.
const WARP_STAGES: usize = 4;
const GROUP_STAGES: usize = 5;
const WIDE_STAGES: usize = 4;
/// Floats between rows of results, as `RESULT_PADDING` in `kernels.cu`.
const RESULT_PADDING: usize = 8;
/// Bytes of zeros in front of the copies.
const ZERO_BYTES: usize = 128;
/// Shared memory that a block may have on all GPUs that the kernels are made for (of computing
/// capability 8.6; others have more).
pub const SHARED_LIMIT: usize = 99 << 10;
/// What one block computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tile {
    /// Instructions.
    pub unit: Unit,
    /// Points.
    pub rows: usize,
    /// Output channels.
    pub columns: usize,
    /// Input channels of a stage.
    pub depth: usize,
    /// Taps of a stage.
    pub taps: usize,
}

/// Which instructions of tensor cores a tile uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Those of warps, which all GPUs from 2020 on have.
    Warps,
    /// Those of groups of four warps, on GPUs of compute capability 9.0: faster.
    Groups,
}

/// Rows and columns of the compiled tiles, as in `kernels.cu`.
const OF_WARPS: [(usize, usize); 7] = [
    (128, 128),
    (128, 96),
    (128, 64),
    (64, 96),
    (64, 64),
    (64, 32),
    (32, 32),
];
/// The same for groups of warps with three taps in a stage, of 32 input channels.
const OF_WIDE_GROUPS: [(usize, usize); 7] = [
    (256, 96),
    (256, 64),
    (256, 32),
    (192, 96),
    (128, 96),
    (128, 64),
    (128, 32),
];
const WIDE: (usize, usize) = (32, 3);
/// The same for groups of warps.
const OF_GROUPS: [(usize, usize); 10] = [
    (256, 96),
    (192, 192),
    (192, 128),
    (192, 96),
    (128, 192),
    (128, 128),
    (128, 96),
    (128, 64),
    (64, 64),
    (64, 32),
];
/// Threads of a block of warps.
const WARP_THREADS: usize = 128;
/// Rows and threads of a group of warps.
const GROUP: (usize, usize) = (64, 128);
/// Input channels of a step.
const DEPTHS: [usize; 2] = [64, 32];

/// Size of a convolution, with padded channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Points of all boards.
    pub rows: usize,
    /// Width of a board.
    pub width: usize,
    /// Input channels.
    pub inputs: usize,
    /// Output channels.
    pub outputs: usize,
    /// Height of the kernel.
    pub kernel_height: usize,
    /// Width of the kernel.
    pub kernel_width: usize,
}

impl Shape {
    fn taps(&self) -> usize {
        self.kernel_height * self.kernel_width
    }

    /// Points before and after a tile that its kernels reach.
    fn halo(&self) -> usize {
        self.kernel_height / 2 * self.width + self.kernel_width / 2
    }
}

impl Tile {
    /// Name of the kernel.
    pub fn kernel(&self) -> String {
        let (rows, columns, depth) = (self.rows, self.columns, self.depth);
        match self.unit {
            Unit::Warps => format!("conv_{rows}x{columns}x{depth}"),
            Unit::Groups => format!("group_{rows}x{columns}x{depth}x{}", self.taps),
        }
    }

    /// Threads of a block.
    pub fn threads(&self) -> usize {
        let (rows, threads) = GROUP;
        match self.unit {
            Unit::Warps => WARP_THREADS,
            Unit::Groups => self.rows / rows * threads,
        }
    }

    /// Number of blocks.
    pub fn blocks(&self, shape: &Shape) -> usize {
        shape.rows.div_ceil(self.rows) * (shape.outputs / self.columns)
    }

    /// Bytes of shared memory of a block.
    pub fn shared(&self, shape: &Shape) -> usize {
        let stages = match self.unit {
            Unit::Warps => WARP_STAGES,
            Unit::Groups if self.taps == 1 => GROUP_STAGES,
            Unit::Groups => WIDE_STAGES,
        };
        let (chunks, of_chunk) = (shape.inputs / self.depth, shape.taps().div_ceil(self.taps));
        let buffers = match self.unit {
            Unit::Warps if of_chunk >= stages - 1 => 2,
            Unit::Groups if chunks == 1 => 1,
            Unit::Groups if of_chunk >= stages - 2 => 2,
            Unit::Warps | Unit::Groups => stages,
        };
        let row = self.depth * VALUE_BYTES;
        let inputs = buffers * (self.rows + 2 * shape.halo()) * row;
        let copies = ZERO_BYTES + inputs + stages * self.taps * self.columns * row;
        let results = self.rows * (self.columns + RESULT_PADDING) * size_of::<f32>();
        copies.max(results)
    }

    /// All tiles for a convolution on a GPU with this much shared memory for a block, with or without
    /// instructions of groups of warps.
    pub fn candidates(shape: &Shape, limit: usize, has_groups: bool) -> Vec<Tile> {
        let tile = |unit, (rows, columns), (depth, taps)| Tile {
            unit,
            rows,
            columns,
            depth,
            taps,
        };
        let plain = |unit, sizes: &[(usize, usize)]| -> Vec<Tile> {
            let of_size = |&size| DEPTHS.map(|depth| tile(unit, size, (depth, 1)));
            sizes.iter().flat_map(of_size).collect()
        };
        let mut tiles = plain(Unit::Warps, &OF_WARPS);
        if has_groups {
            tiles.extend(plain(Unit::Groups, &OF_GROUPS));
            if shape.taps() >= WIDE.1 {
                tiles.extend(OF_WIDE_GROUPS.map(|size| tile(Unit::Groups, size, WIDE)));
            }
        }
        let fits = |tile: &Tile| {
            shape.inputs.is_multiple_of(tile.depth)
                && shape.outputs.is_multiple_of(tile.columns)
                && tile.shared(shape) <= limit
        };
        tiles.retain(fits);
        tiles
    }
}
