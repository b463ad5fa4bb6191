//! Options for the device and number format of networks.

use anyhow::Result;

use crate::nn::backend::{self, Backend, DeviceChoice, Opened, Precision};
use crate::threads::cores;

/// Threads that ask by themselves where many positions are evaluated together, for each GPU.
pub const THREADS_FOR_GPU: usize = 128;

/// Leaves that a search by one thread has evaluated at a time on a GPU. Of 100 positions at once, one leaf each would
/// leave the device idle for a third of the time.
pub const LEAVES_FOR_GPU: u32 = 4;

/// Options of all commands that run networks.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub struct DeviceArguments {
    /// What computes the network: cpu, cuda (cuda:1 for the second GPU, cuda:0,cuda:1 for both), or auto, the
    /// default: a GPU if the program was built for it and there is one; candle and candle-cuda compute by the candle
    /// library, for comparison
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<DeviceChoice>,

    /// Number format of the network: auto, f32, on CPUs also int16, on GPUs f16 or bf16; auto, the
    /// default, is f16 on GPUs, int16 or f32 on CPUs (the first line on stderr says which)
    #[arg(long, value_name = "FORMAT")]
    pub precision: Option<Precision>,
}

impl DeviceArguments {
    /// Loads the backend.
    pub fn open(self) -> Result<Opened> {
        backend::open(
            self.device.unwrap_or_default(),
            self.precision.unwrap_or_default(),
        )
    }
}

/// Threads for work in which each asks a network by itself: so many if asked for, otherwise as many as
/// there are cores, and more on a GPU, which answers many of them together.
pub fn evaluating_threads(asked_for: Option<u16>, backend: &Backend) -> usize {
    match (asked_for, backend.prefers_batches()) {
        (Some(threads), _) => threads.into(),
        (None, true) => THREADS_FOR_GPU * backend.devices(),
        (None, false) => cores(),
    }
}

/// Batch size for so many threads where none is configured: for a GPU half as many as it has, so that one batch is
/// computed while the next one forms; elsewhere each thread evaluates its own positions.
pub fn default_batch(threads: usize, backend: &Backend) -> usize {
    match backend.prefers_batches() {
        true => threads.div_ceil(2 * backend.devices()),
        false => 1,
    }
}

/// Number of threads within one task: `RAYON_NUM_THREADS`, else the number of cores.
pub(super) fn pool_threads() -> usize {
    let asked_for = std::env::var("RAYON_NUM_THREADS").ok();
    let asked_for = asked_for.and_then(|text| text.parse().ok());
    asked_for.filter(|&count| count > 0).unwrap_or_else(cores)
}
