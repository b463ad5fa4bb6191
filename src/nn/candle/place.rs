//! Where a model's tensors live, and in which number format it computes.

use std::fmt;

use anyhow::Result;
use candle_core::{DType, Device, DeviceLocation, Shape, Tensor};

use super::cuda;

/// How convolutions that look beyond a point are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convolution {
    /// As a matrix product over shifted copies of the input.
    Shifted,
    /// By candle's own operation, which is cuDNN's on a GPU if the program is built with it.
    Candle,
}

/// What a model computes on, and how.
#[derive(Clone, Debug)]
pub struct Place {
    /// Where the tensors live.
    pub device: Device,
    /// Format of the trunk's weights and activations. Sums over points or channels, shares of
    /// attention, what holds for a whole board, and the heads are f32 in any case.
    pub dtype: DType,
    /// How convolutions are computed.
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

    /// A GPU of NVIDIA's, numbered from 0. Fails where none answers, and in programs built without
    /// the feature `cuda`.
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

    /// The same GPU, which computes what is asked here beside what is asked there. Tensors of one of
    /// these places are not to be used at the other.
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

    /// Values as a tensor there, in its format.
    pub fn tensor(&self, values: &[f32], shape: impl Into<Shape>) -> Result<Tensor> {
        let values = Tensor::from_slice(values, shape.into(), &self.device)?;
        Ok(values.to_dtype(self.dtype)?)
    }
}

/// For people, for example `CUDA (f16)`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let device = if self.device.is_cuda() {
            "CUDA"
        } else {
            "CPU by candle"
        };
        write!(f, "{device} ({})", self.dtype.as_str())
    }
}
