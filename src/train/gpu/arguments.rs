//! Arguments of the kernels of `training.cuh`, `losses.cuh` and `optimizer.cuh`, as these have them. Pointers are
//! addresses on the device; 0 is none.

use crate::nn::gpu::arguments::{PoolFactors, arguments};

arguments! {
    /// Of weights in the form that convolutions read.
    TileWeightsArguments {
        u64: from to;
        i32: taps inputs outputs padded_inputs padded_outputs columns depth is_backward;
    }

    /// Of a copy with other strides.
    CopyArguments {
        u64: from to;
        i32: first second first_stride second_stride;
    }

    /// Of sums over slices.
    SlicesArguments {
        u64: from to;
        i32: slices slice_stride first second first_stride second_stride;
    }

    /// Of numbers that become 0.
    ClearArguments {
        u64: to;
        i32: count reserved;
    }

    /// Of norms.
    NormBackArguments {
        u64: raw of_normed affine of_raw sums;
        i32: rows channels activation adds blocks reserved;
    }

    /// Of sums over boards.
    BoardSumsArguments {
        u64: from to;
        i32: boards area channels stride;
    }

    /// Of global pooling.
    PoolBackArguments {
        u64: from of_pooled of_from;
        i32: boards area channels stride with_maximum adds;
        PoolFactors: factors;
        i32: reserved;
    }

    /// Of chain pooling.
    ChainsBackArguments {
        u64: from points of_pooled of_from;
        i32: boards area channels stride pooled_stride reserved;
    }

    /// Of weights of convolutions.
    WeightGradientArguments {
        u64: input of_output sums;
        i32: rows area width height inputs outputs kernel_height kernel_width slices reserved;
    }

    /// Of layers for values of boards.
    DenseBackArguments {
        u64: of_to matrix of_from;
        i32: boards inputs outputs adds;
    }

    /// Of their weights.
    DenseWeightsArguments {
        u64: from of_to sums;
        i32: boards inputs outputs slices;
    }

    /// Of activations of values of boards, forward and backward.
    ActivationArguments {
        u64: from to;
        i32: count activation is_backward reserved;
    }

    /// Of 1x1 convolutions that leave the network.
    PointsBackArguments {
        u64: of_to weights from of_from sums;
        i32: rows area channels outputs adds blocks;
    }

    /// Of losses, see `losses.cuh`; outputs and gradients in the order of [`crate::train::outputs::Outputs`].
    LossArguments {
        [u64; 7]: outputs gradients;
        u64: samples policy opponent ownership legal objective losses;
        i32: area policies extra_policies values scores reserved;
    }

    /// Of their sums.
    LossSumsArguments {
        u64: losses sums;
        i32: boards reserved;
    }

    /// Of steps of the optimizer, see `optimizer.cuh`.
    UpdateArguments {
        u64: pieces tensors step state results values average first second gradient network direction squares;
        i32: pieces_count most_workers;
    }

    /// Of means over orbits.
    SharingArguments {
        u64: starts members values state;
        i32: orbits reserved;
    }

    /// Of matrices that Muon begins with.
    MuonArguments {
        u64: tensors tiles from to;
    }

    /// Of products of matrices.
    ProductArguments {
        u64: tensors tiles left right addend to;
        f32: times plus;
        i32: kind reserved;
    }
}
