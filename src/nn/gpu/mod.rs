//! Networks on GPUs by own kernels (`kernels.cu`): the executor of a [`Plan`](super::plan::Plan).
//!
//! [`executor`] binds a plan to a device: weights are uploaded once ([`weights`]); for each board size and
//! batch size, [`launches`] lists the kernels with their arguments, which never change, so that a device may
//! record the list. A batch is one upload ([`inputs`]), that list, and one download ([`outputs`]). Large
//! convolutions are cut into [`tiles`]. [`check`] refuses what there is no kernel for. [`device`] is what a device has to do; `cuda` does it on
//! NVIDIA's GPUs, tests do it on a CPU with the same kernels, and [`fake`] only takes time. [`fallback`] spreads batches over several GPUs, and goes on with the CPU if they fail.

pub mod arguments;
mod attention;
mod attention_block;
#[cfg(feature = "cuda")]
pub mod cuda;
pub mod device;
pub mod executor;
pub mod fake;
pub mod fallback;
mod feed_forward;
mod groups;
pub mod host_memory;
pub mod inputs;
pub mod launches;
mod layout;
pub mod outputs;
mod products;
mod support;
pub mod tiles;
mod weights;

pub use device::{Batch, Device, Lane, OutOfMemory};
pub use executor::Executor;
pub use groups::launches as launch_count;
pub use launches::Launch;
pub use support::check;

/// Number formats of activations and weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// 32-bit floats.
    F32,
    /// 16-bit floats with 11 significant bits, summed in f32, on tensor cores.
    F16,
}

impl Format {
    /// Bytes of a value.
    pub fn bytes(self) -> usize {
        match self {
            Format::F32 => 4,
            Format::F16 => 2,
        }
    }

    /// In names of kernels.
    pub fn name(self) -> &'static str {
        match self {
            Format::F32 => "f32",
            Format::F16 => "f16",
        }
    }

    /// A kernel that there is for both formats.
    pub fn of_kernel(self, name: &str) -> String {
        format!("{name}_{}", self.name())
    }
}
