//! The options that say what computes networks.

use anyhow::Result;

use crate::nn::backend::{self, DeviceChoice, Opened, Precision};

/// Options of everything that runs networks.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct DeviceArguments {
    /// What computes the network: cpu, cuda (cuda:1 for the second GPU), or auto for a GPU if the
    /// program was built for it and there is one
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    pub device: DeviceChoice,

    /// Number format it computes in: f32, f16 or bf16; auto is f16 on GPUs and f32 on CPUs
    #[arg(long, value_name = "FORMAT", default_value = "auto")]
    pub precision: Precision,
}

impl DeviceArguments {
    /// Makes it ready.
    pub fn open(self) -> Result<Opened> {
        backend::open(self.device, self.precision)
    }
}
