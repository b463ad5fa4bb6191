//! How a convolution on tensor cores is cut into blocks of threads.

/// Bytes of a value in f16.
const VALUE_BYTES: usize = 2;
/// Steps of the pipeline of copies, as `STAGES` in `kernels.cu`.
const STAGES: usize = 4;
/// Floats between rows of results, as `RESULT_PADDING` in `kernels.cu`.
const RESULT_PADDING: usize = 8;
/// Bytes of zeros in front of the copies.
const ZERO_BYTES: usize = 128;
/// Shared memory that a block may have on all GPUs that the kernels are made for (of computing
/// capability 8.6; others have more).
pub const SHARED_LIMIT: usize = 99 << 10;
/// Blocks that keep a large GPU busy: below this, smaller tiles are better.
const ENOUGH_BLOCKS: usize = 200;

/// What one block computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tile {
    /// Points.
    pub rows: usize,
    /// Output channels.
    pub columns: usize,
    /// Input channels of a step.
    pub depth: usize,
}

/// Rows and columns of the compiled tiles, as in `kernels.cu`, the largest first.
const SHAPES: [(usize, usize); 11] = [
    (256, 128),
    (256, 96),
    (256, 64),
    (128, 128),
    (128, 96),
    (128, 64),
    (128, 32),
    (64, 96),
    (64, 64),
    (64, 32),
    (32, 32),
];

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
        format!("conv_{}x{}x{}", self.rows, self.columns, self.depth)
    }

    /// Threads of a block.
    pub fn threads(&self) -> usize {
        match self.rows {
            256 => 256,
            _ => 128,
        }
    }

    /// Number of blocks.
    pub fn blocks(&self, shape: &Shape) -> usize {
        shape.rows.div_ceil(self.rows) * (shape.outputs / self.columns)
    }

    /// Bytes of shared memory of a block.
    pub fn shared(&self, shape: &Shape) -> usize {
        let buffers = if shape.taps() >= STAGES - 1 {
            2
        } else {
            STAGES
        };
        let row = self.depth * VALUE_BYTES;
        let inputs = buffers * (self.rows + 2 * shape.halo()) * row;
        let copies = ZERO_BYTES + inputs + STAGES * self.columns * row;
        let results = self.rows * (self.columns + RESULT_PADDING) * size_of::<f32>();
        copies.max(results)
    }

    /// All tiles for a convolution with this much shared memory for a block.
    pub fn candidates(shape: &Shape, limit: usize) -> Vec<Tile> {
        let depths = [64, 32].into_iter();
        let tiles = depths.flat_map(|depth| {
            SHAPES.map(|(rows, columns)| Tile {
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

    /// A good tile for a GPU that has not been measured: the largest that still makes enough blocks.
    pub fn guess(shape: &Shape, limit: usize) -> Option<Tile> {
        let candidates = Tile::candidates(shape, limit);
        let small = |tile: &&Tile| tile.rows <= 128;
        let enough = |tile: &&Tile| tile.blocks(shape) >= ENOUGH_BLOCKS;
        let size = |tile: &&Tile| (tile.rows * tile.columns, tile.depth);
        let best = candidates
            .iter()
            .filter(small)
            .filter(enough)
            .max_by_key(size);
        best.or_else(|| candidates.iter().min_by_key(size)).copied()
    }
}
