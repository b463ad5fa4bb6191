//! All weights of a net by name: the only list of a net's tensors.
//!
//! Names are the paths of the fields of [`Net`], for example `trunk.blocks.3.conv_a.weight`, in the
//! order of KataGo's files. Checkpoints are stored by these names.

use super::{
    AttentionBlock, BatchNorm, Bias, Block, ChainPoolingBlock, Conv, DenseLayer, FeedForwardBlock,
    FlatHead, FlatHeads, GlobalPoolingBlock, Heads, MatMul, MetadataEncoder, NestedBottleneckBlock,
    Net, NormAct, OrdinaryBlock, PassHead, PlainBlock, PolicyHead, RmsNorm, RmsNormAct, Rope, Tip,
    Trunk, ValueHead,
};

/// A weight tensor of a net.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor<'a> {
    /// Path of its field.
    pub name: String,
    /// Shape; the last index varies fastest.
    pub shape: Vec<usize>,
    /// The values.
    pub weights: &'a [f32],
}

/// A mutable weight tensor of a net.
#[derive(Debug, PartialEq)]
pub struct TensorMut<'a> {
    /// Path of its field.
    pub name: String,
    /// Shape; the last index varies fastest. For vectors, the current length.
    pub shape: Vec<usize>,
    /// The layer's own.
    pub weights: &'a mut Vec<f32>,
}

impl Net {
    /// All weight tensors, in the order of KataGo's files.
    pub fn tensors(&self) -> Vec<Tensor<'_>> {
        let mut found = Vec::new();
        self.list("", &mut found);
        found
    }

    /// The same, mutable.
    pub fn tensors_mut(&mut self) -> Vec<TensorMut<'_>> {
        let mut found = Vec::new();
        self.list_mut("", &mut found);
        found
    }
}

impl Conv {
    /// `[ky, kx, in, out]`.
    pub fn shape(&self) -> [usize; 4] {
        [
            self.kernel_height,
            self.kernel_width,
            self.inputs,
            self.outputs,
        ]
    }
}

impl MatMul {
    /// `[in, out]`.
    pub fn shape(&self) -> [usize; 2] {
        [self.inputs, self.outputs]
    }
}

/// Types with weights.
trait Part {
    /// Adds its tensors, whose names begin with `name`.
    fn list<'a>(&'a self, name: &str, found: &mut Vec<Tensor<'a>>);

    /// The same, mutable.
    fn list_mut<'a>(&'a mut self, name: &str, found: &mut Vec<TensorMut<'a>>);
}

fn join(name: &str, field: &str) -> String {
    match name {
        "" => field.to_string(),
        _ => format!("{name}.{field}"),
    }
}

/// Structs, with their fields that have weights.
macro_rules! structures {
    ($($structure:ident: $($field:ident),+;)+) => {$(
        impl Part for $structure {
            fn list<'a>(&'a self, name: &str, found: &mut Vec<Tensor<'a>>) {
                $(self.$field.list(&join(name, stringify!($field)), found);)+
            }

            fn list_mut<'a>(&'a mut self, name: &str, found: &mut Vec<TensorMut<'a>>) {
                $(self.$field.list_mut(&join(name, stringify!($field)), found);)+
            }
        }
    )+};
}

/// Enums whose variants each hold a type with weights.
macro_rules! choices {
    ($($choice:ident: $($variant:ident),+;)+) => {$(
        impl Part for $choice {
            fn list<'a>(&'a self, name: &str, found: &mut Vec<Tensor<'a>>) {
                match self {
                    $($choice::$variant(part) => part.list(name, found),)+
                }
            }

            fn list_mut<'a>(&'a mut self, name: &str, found: &mut Vec<TensorMut<'a>>) {
                match self {
                    $($choice::$variant(part) => part.list_mut(name, found),)+
                }
            }
        }
    )+};
}

/// Layers with one tensor: the suffix of its name, and its shape.
macro_rules! layers {
    ($($layer:ident: $suffix:expr, $shape:expr;)+) => {$(
        impl Part for $layer {
            fn list<'a>(&'a self, name: &str, found: &mut Vec<Tensor<'a>>) {
                let (name, shape) = (format!("{name}{}", $suffix), $shape(self));
                found.push(Tensor { name, shape, weights: &self.weights });
            }

            fn list_mut<'a>(&'a mut self, name: &str, found: &mut Vec<TensorMut<'a>>) {
                let (name, shape) = (format!("{name}{}", $suffix), $shape(self));
                found.push(TensorMut { name, shape, weights: &mut self.weights });
            }
        }
    )+};
}

structures! {
    Trunk: initial_conv, initial_global, metadata_encoder, blocks, tip;
    MetadataEncoder: first, second, output;
    OrdinaryBlock: pre, conv_a, mid, conv_b;
    PlainBlock: pre, conv;
    ChainPoolingBlock: pre, conv, norm, conv_out;
    GlobalPoolingBlock: pre, conv_a, pool_conv, pool_norm, pool_matmul, mid, conv_b;
    NestedBottleneckBlock: pre, conv_in, blocks, post, conv_out;
    AttentionBlock: norm, query, key, value, output, rope;
    FeedForwardBlock: norm, inner, gate, output;
    PolicyHead: conv, pool_conv, pool_norm, pool_matmul, norm, conv_out, pass;
    ValueHead: conv, norm, hidden, hidden_bias, value, value_bias, score, score_bias, ownership;
    FlatHeads: policy, value;
    FlatHead: conv, norm, layers;
    DenseLayer: matmul, bias;
    BatchNorm: mean, variance, scale, bias;
    RmsNormAct: norm, bias;
}

choices! {
    Block: Ordinary, GlobalPooling, NestedBottleneck, Attention, FeedForward, Plain, ChainPooling;
    Tip: Batch, Rms;
}

layers! {
    Conv: ".weight", |layer: &Conv| layer.shape().to_vec();
    MatMul: ".weight", |layer: &MatMul| layer.shape().to_vec();
    RmsNorm: ".weight", |layer: &RmsNorm| vec![layer.weights.len()];
    Bias: "", |layer: &Bias| vec![layer.weights.len()];
}

impl Part for Net {
    fn list<'a>(&'a self, name: &str, found: &mut Vec<Tensor<'a>>) {
        self.trunk.list(&join(name, "trunk"), found);
        match &self.heads {
            Heads::Pooled(heads) => {
                heads.policy.list(&join(name, "policy_head"), found);
                heads.value.list(&join(name, "value_head"), found);
            }
            Heads::Flat(heads) => heads.list(&join(name, "flat_heads"), found),
        }
    }

    fn list_mut<'a>(&'a mut self, name: &str, found: &mut Vec<TensorMut<'a>>) {
        self.trunk.list_mut(&join(name, "trunk"), found);
        match &mut self.heads {
            Heads::Pooled(heads) => {
                heads.policy.list_mut(&join(name, "policy_head"), found);
                heads.value.list_mut(&join(name, "value_head"), found);
            }
            Heads::Flat(heads) => heads.list_mut(&join(name, "flat_heads"), found),
        }
    }
}

impl Part for Vec<f32> {
    fn list<'a>(&'a self, name: &str, found: &mut Vec<Tensor<'a>>) {
        found.push(Tensor {
            name: name.to_string(),
            shape: vec![self.len()],
            weights: self,
        });
    }

    fn list_mut<'a>(&'a mut self, name: &str, found: &mut Vec<TensorMut<'a>>) {
        found.push(TensorMut {
            name: name.to_string(),
            shape: vec![self.len()],
            weights: self,
        });
    }
}

/// Only the norm has weights.
impl Part for NormAct {
    fn list<'a>(&'a self, name: &str, found: &mut Vec<Tensor<'a>>) {
        self.norm.list(name, found);
    }

    fn list_mut<'a>(&'a mut self, name: &str, found: &mut Vec<TensorMut<'a>>) {
        self.norm.list_mut(name, found);
    }
}

impl<P: Part> Part for Option<P> {
    fn list<'a>(&'a self, name: &str, found: &mut Vec<Tensor<'a>>) {
        self.iter().for_each(|part| part.list(name, found));
    }

    fn list_mut<'a>(&'a mut self, name: &str, found: &mut Vec<TensorMut<'a>>) {
        self.iter_mut().for_each(|part| part.list_mut(name, found));
    }
}

/// Lists of parts, which are numbered.
macro_rules! lists {
    ($($part:ident),+) => {$(
        impl Part for Vec<$part> {
            fn list<'a>(&'a self, name: &str, found: &mut Vec<Tensor<'a>>) {
                for (index, part) in self.iter().enumerate() {
                    part.list(&format!("{name}.{index}"), found);
                }
            }

            fn list_mut<'a>(&'a mut self, name: &str, found: &mut Vec<TensorMut<'a>>) {
                for (index, part) in self.iter_mut().enumerate() {
                    part.list_mut(&format!("{name}.{index}"), found);
                }
            }
        }
    )+};
}

lists!(Block, DenseLayer);

impl Part for Rope {
    fn list<'a>(&'a self, name: &str, found: &mut Vec<Tensor<'a>>) {
        match self {
            Rope::Learned(angles) => angles.list(name, found),
            Rope::Fixed { .. } => (),
        }
    }

    fn list_mut<'a>(&'a mut self, name: &str, found: &mut Vec<TensorMut<'a>>) {
        match self {
            Rope::Learned(angles) => angles.list_mut(name, found),
            Rope::Fixed { .. } => (),
        }
    }
}

impl Part for PassHead {
    fn list<'a>(&'a self, name: &str, found: &mut Vec<Tensor<'a>>) {
        match self {
            PassHead::Linear(matmul) => matmul.list(name, found),
            PassHead::Hidden {
                hidden,
                bias,
                output,
                ..
            } => {
                hidden.list(&join(name, "hidden"), found);
                bias.list(&join(name, "bias"), found);
                output.list(&join(name, "output"), found);
            }
        }
    }

    fn list_mut<'a>(&'a mut self, name: &str, found: &mut Vec<TensorMut<'a>>) {
        match self {
            PassHead::Linear(matmul) => matmul.list_mut(name, found),
            PassHead::Hidden {
                hidden,
                bias,
                output,
                ..
            } => {
                hidden.list_mut(&join(name, "hidden"), found);
                bias.list_mut(&join(name, "bias"), found);
                output.list_mut(&join(name, "output"), found);
            }
        }
    }
}
