//! Options for the device and number format of networks.

use anyhow::Result;

use crate::nn::backend::{self, Backend, DeviceChoice, Opened, Precision};

/// Threads that evaluate one position each, where the device evaluates many together.
const ASKERS_OF_GPU: usize = 128;

/// Options of all commands that run networks.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub struct DeviceArguments {
    /// Device for the network: cpu, cuda (cuda:1 for the second GPU), or auto for a GPU if there is
    /// one and the program was built for it
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    pub device: DeviceChoice,

    /// Number format of the network: auto, f32, on CPUs also int16, on GPUs f16 or bf16; auto is
    /// f16 on GPUs, int16 or f32 on CPUs (the first line on stderr says which)
    #[arg(long, value_name = "FORMAT", default_value = "auto")]
    pub precision: Precision,
}

impl DeviceArguments {
    /// Loads the backend.
    pub fn open(self) -> Result<Opened> {
        backend::open(self.device, self.precision)
    }
}

/// Number of threads that each evaluate single positions: as given, else the number of cores, and
/// more on a GPU, which evaluates their positions together.
pub fn asking_threads(asked_for: Option<u16>, backend: &Backend) -> usize {
    match (asked_for, backend.likes_batches()) {
        (Some(threads), _) => threads.into(),
        (None, true) => ASKERS_OF_GPU,
        (None, false) => cores(),
    }
}

/// Number of cores available to the process.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Number of threads within one task: `RAYON_NUM_THREADS`, else the number of cores.
pub(super) fn pool_threads() -> usize {
    let asked_for = std::env::var("RAYON_NUM_THREADS").ok();
    let asked_for = asked_for.and_then(|text| text.parse().ok());
    asked_for.filter(|&count| count > 0).unwrap_or_else(cores)
}
