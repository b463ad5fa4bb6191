//! Arguments of kernels, as `kernels.cu` has them. Pointers are addresses on the device; 0 is none.

use bytemuck::{NoUninit, Pod, Zeroable};
use smallvec::SmallVec;

use crate::go::BoardSize;
use crate::nn::desc::{Activation, relative_side};

/// Arguments of a kernel, as it reads them.
#[derive(Clone, Debug)]
pub struct Arguments(SmallVec<[u8; 96]>);

impl Arguments {
    /// As the kernel reads them.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl<T: NoUninit> From<T> for Arguments {
    fn from(arguments: T) -> Arguments {
        Arguments(SmallVec::from_slice(bytemuck::bytes_of(&arguments)))
    }
}

/// Of convolutions.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct ConvArguments {
    pub input: u64,
    pub weights: u64,
    pub residual: u64,
    pub board_bias: u64,
    pub affine: u64,
    pub raw: u64,
    pub normed: u64,
    pub rows: i32,
    pub area: i32,
    pub width: i32,
    pub height: i32,
    pub inputs: i32,
    pub outputs: i32,
    pub bias_stride: i32,
    pub kernel_height: i32,
    pub kernel_width: i32,
    pub activation: i32,
}

/// Of the planes.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct PlanesArguments {
    pub is_packed: u64,
    pub values: u64,
    pub to: u64,
    pub rows: i32,
    pub planes: i32,
    pub channels: i32,
    pub reserved: i32,
}

/// Of global pooling.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct PoolArguments {
    pub from: u64,
    pub to: u64,
    pub boards: i32,
    pub area: i32,
    pub channels: i32,
    pub stride: i32,
    pub with_maximum: i32,
    pub factors: PoolFactors,
}

/// By which sums of a board's points are multiplied.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct PoolFactors {
    pub inverse_area: f32,
    pub second: f32,
    pub third: f32,
}

impl PoolFactors {
    /// See [`relative_side`].
    pub fn of(size: BoardSize) -> PoolFactors {
        let side = relative_side(size);
        PoolFactors {
            inverse_area: (1.0 / size.area() as f64) as f32,
            second: (side * 0.1) as f32,
            third: (side * side * 0.01 - 0.1) as f32,
        }
    }
}

/// Of layers for values of boards.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct DenseArguments {
    pub from: u64,
    pub matrix: u64,
    pub bias: u64,
    pub plus: u64,
    pub to: u64,
    pub boards: i32,
    pub inputs: i32,
    pub outputs: i32,
    pub activation: i32,
}

/// Of 1x1 convolutions that leave the network.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct PointsArguments {
    pub from: u64,
    pub weights: u64,
    pub to: u64,
    pub rows: i32,
    pub area: i32,
    pub channels: i32,
    pub outputs: i32,
}

/// Of RMS norms.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct NormArguments {
    pub from: u64,
    pub affine: u64,
    pub to: u64,
    pub rows: i32,
    pub area: i32,
    pub stride: i32,
    pub activation: i32,
    pub inverse_count: f32,
    pub epsilon: f32,
}

/// Of attention after its projections, or with them.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct AttentionArguments {
    pub projected: u64,
    pub turns: u64,
    pub to: u64,
    pub area: i32,
    pub width: i32,
    pub stride: i32,
    pub to_stride: i32,
    pub heads: i32,
    pub kv_heads: i32,
    pub turn_heads: i32,
    pub key_stride: i32,
    pub value_stride: i32,
    pub value_width: i32,
    pub first_key: i32,
    pub first_value: i32,
    pub chunk: i32,
    pub splits: i32,
    pub from: u64,
    pub weights: u64,
    pub inputs: i32,
    pub reserved: i32,
    pub inverse_count: f32,
    pub epsilon: f32,
}

/// Of feed-forward blocks.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct FeedForwardArguments {
    pub from: u64,
    pub weights: u64,
    pub affine: u64,
    pub raw: u64,
    pub normed: u64,
    pub rows: i32,
    pub steps: i32,
    pub activation: i32,
    pub inverse_count: f32,
    pub epsilon: f32,
    pub reserved: i32,
}

/// Of pooling over chains.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct ChainsArguments {
    pub from: u64,
    pub points: u64,
    pub to: u64,
    pub boards: i32,
    pub area: i32,
    pub channels: i32,
    pub stride: i32,
    pub to_stride: i32,
    pub reserved: i32,
}

/// In place of the number of an activation: the product of a gated layer.
pub const GATED: i32 = 4;

/// The number of an activation in `kernels.cu`.
pub fn activation_number(activation: Activation) -> i32 {
    match activation {
        Activation::Identity => 0,
        Activation::Relu => 1,
        Activation::Silu => 2,
        Activation::Mish => 3,
    }
}
