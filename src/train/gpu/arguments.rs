//! Arguments of the kernels of `training.cuh`, `losses.cuh` and `optimizer.cuh`, as these have them. Pointers are addresses on the device; 0 is none.

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

/// Of losses, see `losses.cuh`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct LossArguments {
    /// In the order of [`crate::train::outputs::Outputs`].
    pub outputs: [u64; 7],
    pub gradients: [u64; 7],
    pub samples: u64,
    pub policy: u64,
    pub opponent: u64,
    pub ownership: u64,
    pub legal: u64,
    pub objective: u64,
    pub losses: u64,
    pub area: i32,
    pub policies: i32,
    pub extra_policies: i32,
    pub values: i32,
    pub scores: i32,
    pub reserved: i32,
}

/// Of their sums.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct LossSumsArguments {
    pub losses: u64,
    pub sums: u64,
    pub boards: i32,
    pub reserved: i32,
}

/// Of steps of the optimizer, see `optimizer.cuh`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct UpdateArguments {
    pub pieces: u64,
    pub tensors: u64,
    pub step: u64,
    pub state: u64,
    pub results: u64,
    pub values: u64,
    pub average: u64,
    pub first: u64,
    pub second: u64,
    pub gradient: u64,
    pub network: u64,
    pub direction: u64,
    pub squares: u64,
    pub pieces_count: i32,
    pub most_workers: i32,
}

/// Of means over orbits.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct SharingArguments {
    pub starts: u64,
    pub members: u64,
    pub values: u64,
    pub state: u64,
    pub orbits: i32,
    pub reserved: i32,
}

/// Of matrices that Muon begins with.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct MuonArguments {
    pub tensors: u64,
    pub tiles: u64,
    pub from: u64,
    pub to: u64,
}

/// Of products of matrices.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct ProductArguments {
    pub tensors: u64,
    pub tiles: u64,
    pub left: u64,
    pub right: u64,
    pub addend: u64,
    pub to: u64,
    pub times: f32,
    pub plus: f32,
    pub kind: i32,
    pub reserved: i32,
}
