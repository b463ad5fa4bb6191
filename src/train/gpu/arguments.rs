//! Arguments of the kernels of `training.cuh`, as it has them. Pointers are addresses on the device; 0 is none.

use bytemuck::{Pod, Zeroable};

use crate::nn::gpu::arguments::PoolFactors;

/// Of weights in the form that convolutions read.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct TileWeightsArguments {
    pub from: u64,
    pub to: u64,
    pub taps: i32,
    pub inputs: i32,
    pub outputs: i32,
    pub padded_inputs: i32,
    pub padded_outputs: i32,
    pub columns: i32,
    pub depth: i32,
    pub is_backward: i32,
}

/// Of a copy with other strides.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct CopyArguments {
    pub from: u64,
    pub to: u64,
    pub first: i32,
    pub second: i32,
    pub first_stride: i32,
    pub second_stride: i32,
}

/// Of sums over slices.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct SlicesArguments {
    pub from: u64,
    pub to: u64,
    pub slices: i32,
    pub slice_stride: i32,
    pub first: i32,
    pub second: i32,
    pub first_stride: i32,
    pub second_stride: i32,
}

/// Of numbers that become 0.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct ClearArguments {
    pub to: u64,
    pub count: i32,
    pub reserved: i32,
}

/// Of norms.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct NormBackArguments {
    pub raw: u64,
    pub of_normed: u64,
    pub affine: u64,
    pub of_raw: u64,
    pub sums: u64,
    pub rows: i32,
    pub channels: i32,
    pub activation: i32,
    pub adds: i32,
    pub blocks: i32,
    pub reserved: i32,
}

/// Of sums over boards.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct BoardSumsArguments {
    pub from: u64,
    pub to: u64,
    pub boards: i32,
    pub area: i32,
    pub channels: i32,
    pub stride: i32,
}

/// Of global pooling.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct PoolBackArguments {
    pub from: u64,
    pub of_pooled: u64,
    pub of_from: u64,
    pub boards: i32,
    pub area: i32,
    pub channels: i32,
    pub stride: i32,
    pub with_maximum: i32,
    pub adds: i32,
    pub factors: PoolFactors,
    pub reserved: i32,
}

/// Of chain pooling.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct ChainsBackArguments {
    pub from: u64,
    pub points: u64,
    pub of_pooled: u64,
    pub of_from: u64,
    pub boards: i32,
    pub area: i32,
    pub channels: i32,
    pub stride: i32,
    pub pooled_stride: i32,
    pub reserved: i32,
}

/// Of weights of convolutions.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct WeightGradientArguments {
    pub input: u64,
    pub of_output: u64,
    pub sums: u64,
    pub rows: i32,
    pub area: i32,
    pub width: i32,
    pub height: i32,
    pub inputs: i32,
    pub outputs: i32,
    pub kernel_height: i32,
    pub kernel_width: i32,
    pub slices: i32,
    pub reserved: i32,
}

/// Of layers for values of boards.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct DenseBackArguments {
    pub of_to: u64,
    pub matrix: u64,
    pub of_from: u64,
    pub boards: i32,
    pub inputs: i32,
    pub outputs: i32,
    pub adds: i32,
}

/// Of their weights.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct DenseWeightsArguments {
    pub from: u64,
    pub of_to: u64,
    pub sums: u64,
    pub boards: i32,
    pub inputs: i32,
    pub outputs: i32,
    pub slices: i32,
}

/// Of activations of values of boards, forward and backward.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct ActivationArguments {
    pub from: u64,
    pub to: u64,
    pub count: i32,
    pub activation: i32,
    pub is_backward: i32,
    pub reserved: i32,
}

/// Of 1x1 convolutions that leave the network.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct PointsBackArguments {
    pub of_to: u64,
    pub weights: u64,
    pub from: u64,
    pub of_from: u64,
    pub sums: u64,
    pub rows: i32,
    pub area: i32,
    pub channels: i32,
    pub outputs: i32,
    pub adds: i32,
    pub blocks: i32,
}
