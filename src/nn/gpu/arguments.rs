//! Arguments of kernels, as `kernels.cu` has them. Pointers are addresses on the device; 0 is none.

use bytemuck::NoUninit;
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

/// Structs of arguments as tables: the fields in their order, by type.
macro_rules! arguments {
    ($($(#[$about:meta])+ $name:ident { $($kind:tt: $($field:ident)+;)+ })+) => {$(
        $(#[$about])+
        #[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
        #[repr(C)]
        pub struct $name {
            $($(pub $field: $kind,)+)+
        }
    )+};
}
pub(crate) use arguments;

arguments! {
    /// Of convolutions.
    ConvArguments {
        u64: input weights residual board_bias affine raw normed;
        i32: rows area width height inputs outputs bias_stride kernel_height kernel_width activation;
    }

    /// Of the planes.
    PlanesArguments {
        u64: is_packed values to;
        i32: rows planes channels reserved;
    }

    /// Of global pooling.
    PoolArguments {
        u64: from to;
        i32: boards area channels stride with_maximum;
        PoolFactors: factors;
    }

    /// By which sums of a board's points are multiplied.
    PoolFactors {
        f32: inverse_area second third;
    }

    /// Of layers for values of boards.
    DenseArguments {
        u64: from matrix bias plus to;
        i32: boards inputs outputs activation;
    }

    /// Of 1x1 convolutions that leave the network.
    PointsArguments {
        u64: from weights to;
        i32: rows area channels outputs;
    }

    /// Of RMS norms.
    NormArguments {
        u64: from affine to;
        i32: rows area stride activation;
        f32: inverse_count epsilon;
    }

    /// Of attention after its projections, or with them.
    AttentionArguments {
        u64: projected turns to;
        i32: area width stride to_stride heads kv_heads turn_heads key_stride value_stride value_width first_key
            first_value chunk splits;
        u64: from weights;
        i32: inputs reserved;
        f32: inverse_count epsilon;
    }

    /// Of feed-forward blocks.
    FeedForwardArguments {
        u64: from weights affine raw normed;
        i32: rows steps activation;
        f32: inverse_count epsilon;
        i32: reserved;
    }

    /// Of pooling over chains.
    ChainsArguments {
        u64: from points to;
        i32: boards area channels stride to_stride reserved;
    }
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
