//! Devices and number formats for running networks. Users choose both by name; [`open`] resolves
//! the choice.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context, Result, bail};
use candle_core::DType;

use super::candle::Place;
use super::cpu::simd::Isa;
use super::gpu::fake::FakeGpu;

/// A choice of device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// A usable GPU if there is one, else the CPU.
    #[default]
    Auto,
    /// The CPU, by keima's own kernels.
    Cpu,
    /// The CPU, by the candle library: slower, for comparison.
    Candle,
    /// An NVIDIA GPU, numbered from 0.
    Cuda(usize),
    /// Several of them, which share the work.
    CudaSet(GpuSet),
    /// The same by the candle library alone: slower, for comparison and for training.
    CandleCuda(usize),
}

/// Numbers of NVIDIA GPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GpuSet(u64);

impl GpuSet {
    /// The numbers, ascending.
    pub fn numbers(self) -> impl Iterator<Item = usize> {
        (0..u64::BITS as usize).filter(move |number| self.0 >> number & 1 == 1)
    }

    /// None if the number is too large or already there.
    fn with(self, number: usize) -> Option<GpuSet> {
        let bit = 1u64.checked_shl(number.try_into().ok()?)?;
        (self.0 & bit == 0).then_some(GpuSet(self.0 | bit))
    }
}

impl FromStr for DeviceChoice {
    type Err = String;

    /// `auto`, `cpu`, `candle`, `cuda`, `cuda:1` or `cuda:0,cuda:1`, `candle-cuda` or `candle-cuda:1`.
    fn from_str(text: &str) -> Result<DeviceChoice, String> {
        let unknown = || {
            format!(
                "'{text}' is not auto, cpu, candle, cuda, cuda:NUMBER or several of these, candle-cuda or \
                 candle-cuda:NUMBER"
            )
        };
        let lower = text.to_ascii_lowercase();
        if lower.contains(',') {
            let mut set = GpuSet::default();
            for part in lower.split(',') {
                match part.trim().parse() {
                    Ok(DeviceChoice::Cuda(number)) => {
                        let twice = || format!("'{text}' names a GPU twice, or one above 63");
                        set = set.with(number).ok_or_else(twice)?;
                    }
                    _ => return Err(unknown()),
                }
            }
            return Ok(DeviceChoice::CudaSet(set));
        }
        let (name, number) = lower.split_once(':').unwrap_or((&lower, "0"));
        let has_number = lower.contains(':');
        let number = || number.parse().map_err(|_| unknown());
        match name {
            "auto" if !has_number => Ok(DeviceChoice::Auto),
            "cpu" if !has_number => Ok(DeviceChoice::Cpu),
            "candle" if !has_number => Ok(DeviceChoice::Candle),
            "cuda" => number().map(DeviceChoice::Cuda),
            "candle-cuda" => number().map(DeviceChoice::CandleCuda),
            _ => Err(unknown()),
        }
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceChoice::Auto => f.write_str("auto"),
            DeviceChoice::Cpu => f.write_str("cpu"),
            DeviceChoice::Candle => f.write_str("candle"),
            DeviceChoice::Cuda(number) => write!(f, "cuda:{number}"),
            DeviceChoice::CudaSet(set) => {
                let names: Vec<_> = set
                    .numbers()
                    .map(|number| format!("cuda:{number}"))
                    .collect();
                f.write_str(&names.join(","))
            }
            DeviceChoice::CandleCuda(number) => write!(f, "candle-cuda:{number}"),
        }
    }
}

/// A choice of number format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// The best for the device: f16 on GPUs; on CPUs int16 for networks that pass the quantisation
    /// check, else f32.
    #[default]
    Auto,
    /// 32-bit floats.
    F32,
    /// Large layers in 16-bit integers with a scale per row: for CPUs.
    Int16,
    /// 16-bit floats with 11 significant bits: for GPUs.
    F16,
    /// 16-bit floats with 8 significant bits and the range of f32: for GPUs.
    Bf16,
}

impl FromStr for Precision {
    type Err = String;

    /// `auto`, `f32`, `int16`, `f16` or `bf16`.
    fn from_str(text: &str) -> Result<Precision, String> {
        match text.to_ascii_lowercase().as_str() {
            "auto" => Ok(Precision::Auto),
            "f32" => Ok(Precision::F32),
            "int16" => Ok(Precision::Int16),
            "f16" => Ok(Precision::F16),
            "bf16" => Ok(Precision::Bf16),
            _ => Err(format!("'{text}' is not auto, f32, int16, f16 or bf16")),
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Precision::Auto => "auto",
            Precision::F32 => "f32",
            Precision::Int16 => "int16",
            Precision::F16 => "f16",
            Precision::Bf16 => "bf16",
        })
    }
}

/// Candle's type; other formats, which candle does not compute in, become `F32`.
impl From<DType> for Precision {
    fn from(format: DType) -> Precision {
        match format {
            DType::F16 => Precision::F16,
            DType::BF16 => Precision::Bf16,
            _ => Precision::F32,
        }
    }
}

/// A device with a number format.
#[derive(Clone, Debug)]
pub enum Backend {
    /// Own kernels on the CPU.
    Cpu {
        /// Instruction set.
        isa: Isa,
        /// `Auto`, `F32` or `Int16`.
        precision: Precision,
    },
    /// The candle library.
    Candle(Place),
    /// NVIDIA GPUs, at least one: own kernels for the networks and formats that they know, else the candle library
    /// on the first.
    Gpu(Vec<Place>),
    /// What stands for a GPU in measurements and tests.
    Fake(FakeGpu),
}

impl Backend {
    /// The candle library on the CPU, in f32.
    pub fn candle() -> Backend {
        Backend::Candle(Place::cpu())
    }

    /// Whether many positions at once are faster than each on a core of its own.
    pub fn prefers_batches(&self) -> bool {
        match self {
            Backend::Cpu { .. } => false,
            Backend::Candle(place) => place.device.is_cuda(),
            Backend::Gpu(_) | Backend::Fake(_) => true,
        }
    }

    /// Number of devices that compute at the same time.
    pub fn devices(&self) -> usize {
        match self {
            Backend::Gpu(places) => places.len(),
            _ => 1,
        }
    }
}

/// An opened backend, with remarks.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The backend.
    pub backend: Backend,
    /// Why it is not a GPU, if one was sought.
    pub no_gpu: Option<String>,
}

impl Opened {
    /// For display: the device, and why it is not a GPU, if one was sought.
    pub fn describe(&self, computing: &str) -> String {
        match &self.no_gpu {
            Some(reason) => format!("{computing} as there is no usable GPU: {reason}"),
            None => computing.to_owned(),
        }
    }
}

/// Opens a backend. Only `auto` may be replaced by another choice.
pub fn open(device: DeviceChoice, precision: Precision) -> Result<Opened> {
    let (backend, no_gpu) = match device {
        DeviceChoice::Cpu => (on_cpu(precision)?, None),
        DeviceChoice::Candle => (on_candle(precision)?, None),
        DeviceChoice::Cuda(number) => (Backend::Gpu(vec![on_cuda(number, precision)?]), None),
        DeviceChoice::CudaSet(set) => {
            let places = set.numbers().map(|number| on_cuda(number, precision));
            (Backend::Gpu(places.collect::<Result<_>>()?), None)
        }
        DeviceChoice::CandleCuda(number) => (Backend::Candle(on_cuda(number, precision)?), None),
        DeviceChoice::Auto if !cfg!(feature = "cuda") || precision == Precision::Int16 => {
            (on_cpu(precision)?, None)
        }
        DeviceChoice::Auto => match on_cuda(0, precision) {
            Ok(place) => (Backend::Gpu(vec![place]), None),
            Err(error) => {
                let reason = format!("{error:#}");
                let no_gpu = || format!("there is no usable GPU: {reason}");
                (on_cpu(precision).with_context(no_gpu)?, Some(reason))
            }
        },
    };
    Ok(Opened { backend, no_gpu })
}

fn on_cpu(precision: Precision) -> Result<Backend> {
    match precision {
        Precision::Auto | Precision::F32 | Precision::Int16 => Ok(Backend::Cpu {
            isa: Isa::chosen()?,
            precision,
        }),
        Precision::F16 | Precision::Bf16 => {
            bail!("the CPU computes in f32 or int16; f16 and bf16 are for GPUs")
        }
    }
}

fn on_candle(precision: Precision) -> Result<Backend> {
    match precision {
        Precision::Auto | Precision::F32 => Ok(Backend::candle()),
        _ => bail!("candle computes in f32 only on a CPU"),
    }
}

fn on_cuda(number: usize, precision: Precision) -> Result<Place> {
    if !cfg!(feature = "cuda") {
        bail!(
            "this program was built without CUDA; `cargo build --release --features cuda` makes \
             one with it, where NVIDIA's toolkit is installed"
        );
    }
    let dtype = match precision {
        Precision::F32 => DType::F32,
        Precision::Auto | Precision::F16 => DType::F16,
        Precision::Bf16 => DType::BF16,
        Precision::Int16 => bail!("int16 is for CPUs"),
    };
    Place::cuda(number, dtype)
}
