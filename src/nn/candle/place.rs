//! Device and number format of a model's tensors.

use std::fmt;

use anyhow::Result;
use candle_core::{DType, Device, DeviceLocation, Shape, Tensor};

use super::cuda;

/// Implementation of convolutions larger than 1x1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convolution {
    /// As a matrix product over shifted copies of the input.
    Shifted,
    /// Candle's own operation, which is cuDNN's on a GPU if the program is built with it.
    Candle,
}

/// Where and how a model computes.
#[derive(Clone, Debug)]
pub struct Place {
    /// Device of the tensors.
    pub device: Device,
    /// Format of the trunk's weights and activations. Sums over points or channels, attention
    /// weights, values of a whole board, and the heads are always f32.
    pub dtype: DType,
    /// Implementation of convolutions.
    pub convolution: Convolution,
}

impl Place {
    /// The CPU, in f32.
    pub fn cpu() -> Place {
        Place {
            device: Device::Cpu,
            dtype: DType::F32,
            convolution: Convolution::Shifted,
        }
    }

    /// An NVIDIA GPU, numbered from 0. Fails if there is none, and in programs built without the
    /// feature `cuda`.
    pub fn cuda(number: usize, dtype: DType) -> Result<Place> {
        let device = cuda::open(number)?;
        let convolution = if cfg!(feature = "cudnn") {
            Convolution::Candle
        } else {
            Convolution::Shifted
        };
        Ok(Place {
            device,
            dtype,
            convolution,
        })
    }

    /// The same GPU with another stream, which runs concurrently. Tensors must not be shared
    /// between such places.
    pub fn with_own_stream(&self) -> Result<Place> {
        let device = match self.device.location() {
            DeviceLocation::Cuda { gpu_id } => cuda::open(gpu_id)?,
            _ => self.device.clone(),
        };
        Ok(Place {
            device,
            ..self.clone()
        })
    }

    /// The same place in f32.
    pub fn exact(&self) -> Place {
        Place {
            dtype: DType::F32,
            ..self.clone()
        }
    }

    /// Values as a tensor on the device, in the place's format.
    pub fn tensor(&self, values: &[f32], shape: impl Into<Shape>) -> Result<Tensor> {
        let values = Tensor::from_slice(values, shape.into(), &self.device)?;
        Ok(values.to_dtype(self.dtype)?)
    }
}

/// For display, for example `CUDA by candle (f16)`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let device = if self.device.is_cuda() {
            "CUDA by candle"
        } else {
            "CPU by candle"
        };
        write!(f, "{device} ({})", self.dtype.as_str())
    }
}
