//! How gradients of weights of convolutions are cut into blocks.

use super::super::arguments::WeightGradientArguments;
use super::super::tape::Conv;
use super::THREADS;
use crate::nn::gpu::{Format, Launch};
use crate::nn::plan::memory::padded;

/// Blocks, which leave no room for another on a processor: one for each of a large GPU's processors.
const BLOCKS: usize = 132;
/// Slices of rows of `gradient_plain`.
const PLAIN_SLICES: usize = 8;
/// Stages of the pipeline of copies, as `GRADIENT_STAGES` in `weight_gradient.cuh`, and zeros in front of them.
const STAGES: usize = 3;
const ZERO_BYTES: usize = 128;
/// Taps of a block, unless there is only one.
const TAPS: usize = 9;

/// How the gradient of a convolution's weights is cut into blocks.
pub struct Cut {
    /// Slices of rows.
    pub slices: usize,
    /// Inputs and outputs of a block on tensor cores.
    tile: Option<(usize, usize)>,
}

impl Cut {
    /// Of so many rows.
    pub fn new(conv: &Conv, format: Format, rows: usize) -> Cut {
        if format == Format::F32 {
            return Cut {
                slices: PLAIN_SLICES.min(rows),
                tile: None,
            };
        }
        let side = |channels: usize| if channels.is_multiple_of(64) { 64 } else { 32 };
        let (inputs, outputs) = (padded(conv.inputs), padded(conv.outputs));
        let tile = (side(inputs), side(outputs));
        let (of_chunk, _) = rows_of_chunk(conv);
        let tiles = (inputs / tile.0) * (outputs / tile.1) * tap_groups(conv);
        let chunks = rows.div_ceil(of_chunk);
        Cut {
            slices: (BLOCKS / tiles).clamp(1, chunks),
            tile: Some(tile),
        }
    }

    /// On boards of this width.
    pub fn launch(&self, conv: &Conv, width: usize, arguments: WeightGradientArguments) -> Launch {
        let taps = conv.kernel_height * conv.kernel_width;
        let (inputs, outputs) = (padded(conv.inputs), padded(conv.outputs));
        let Some((tile_inputs, tile_outputs)) = self.tile else {
            let threads = (self.slices * taps * inputs * outputs, THREADS);
            return Launch::of_threads("gradient_plain_f32".to_owned(), threads, arguments);
        };
        let (rows, warps) = rows_of_chunk(conv);
        let halo = conv.kernel_height / 2 * width + conv.kernel_width / 2;
        let of_stage = ((rows + 2 * halo) * tile_inputs + rows * tile_outputs) * size_of::<u16>()
            + rows * size_of::<u32>();
        Launch {
            kernel: format!("gradient_{tile_inputs}x{tile_outputs}x{}", taps.min(TAPS)),
            blocks: self.slices
                * (inputs / tile_inputs)
                * (outputs / tile_outputs)
                * tap_groups(conv),
            threads: warps * 32,
            shared: ZERO_BYTES + STAGES * of_stage,
            arguments: arguments.into(),
        }
    }
}

/// Rows of a chunk, and warps of a block, as `GradientTile` in `weight_gradient.cuh`.
fn rows_of_chunk(conv: &Conv) -> (usize, usize) {
    match conv.kernel_height * conv.kernel_width {
        1 => (128, 8),
        _ => (64, TAPS),
    }
}

/// Blocks that share the taps of a convolution.
fn tap_groups(conv: &Conv) -> usize {
    (conv.kernel_height * conv.kernel_width).div_ceil(TAPS)
}
