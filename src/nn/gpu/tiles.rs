//! How a convolution on tensor cores is cut into blocks of threads.

/// Bytes of a value in f16.
const VALUE_BYTES: usize = 2;
/// Steps of the pipeline of copies, as `STAGES` and `GROUP_STAGES` in `kernels.cu`.
const STAGES: usize = 4;
const GROUP_STAGES: usize = 5;
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
    /// Input channels of a step.
    pub depth: usize,
}

/// Which instructions of tensor cores a tile uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Those of warps, which all GPUs from 2020 on have.
    Warps,
    /// Those of groups of four warps, on GPUs of compute capability 9.0: twice as fast.
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
        let kind = match self.unit {
            Unit::Warps => "conv",
            Unit::Groups => "group",
        };
        format!("{kind}_{}x{}x{}", self.rows, self.columns, self.depth)
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
            Unit::Warps => STAGES,
            Unit::Groups => GROUP_STAGES,
        };
        let buffers = match shape.taps() {
            taps if taps >= stages - 1 => 2,
            _ => stages,
        };
        let row = self.depth * VALUE_BYTES;
        let inputs = buffers * (self.rows + 2 * shape.halo()) * row;
        let copies = ZERO_BYTES + inputs + stages * self.columns * row;
        let results = self.rows * (self.columns + RESULT_PADDING) * size_of::<f32>();
        copies.max(results)
    }

    /// All tiles for a convolution on a GPU with this much shared memory for a block, with or without
    /// instructions of groups of warps.
    pub fn candidates(shape: &Shape, limit: usize, has_groups: bool) -> Vec<Tile> {
        let of_warps = OF_WARPS.iter().map(|size| (Unit::Warps, size));
        let of_groups = OF_GROUPS.iter().map(|size| (Unit::Groups, size));
        let of_groups = of_groups.filter(|_| has_groups);
        let tiles = of_warps
            .chain(of_groups)
            .flat_map(|(unit, &(rows, columns))| {
                DEPTHS.map(|depth| Tile {
                    unit,
                    rows,
                    columns,
                    depth,
                })
            });
        let fits = |tile: &Tile| {
            shape.inputs.is_multiple_of(tile.depth)
                && shape.outputs.is_multiple_of(tile.columns)
                && tile.shared(shape) <= limit
        };
        tiles.filter(fits).collect()
    }
}
