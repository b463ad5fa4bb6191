//! A net in training: its parameters, and conversion from and to [`Net`].
//!
//! In training, batch norms are affine: mean and variance are fixed, and there is a fixed factor by
//! position in the net (see [`super::layers::NormAct`]). Conversion to a [`Net`] makes equivalent
//! batch norms.

use std::collections::HashMap;

use anyhow::{Context, Result, ensure};

use crate::go::BoardSize;
use crate::nn::arch::Arch;
use crate::nn::desc::{
    BatchNorm, Block, Heads, InputVersion, Net, NormAct, PassHead, PolicyHead, PooledHeads, Tip,
};

use super::graph::Graph;
use super::real::Real;
use super::register::{Parameter, Role};
use super::weight_sharing::WeightSharing;

/// Epsilon of all norms: with the variance `1 - EPSILON` they divide by exactly 1.
const EPSILON: f32 = 1.0 / 8192.0;

/// The parameters of a net, and the rest of its description.
#[derive(Clone, Debug)]
pub struct Model {
    /// The description; its trainable weights are not up to date.
    net: Net,
    parameters: Vec<Parameter>,
    /// All parameters, see [`Parameter::place`].
    pub values: Vec<f32>,
}

impl Model {
    /// A new random model, reproducible by its seed.
    pub fn init(arch: &Arch, seed: u64) -> Result<Model> {
        let mut net = arch.init(seed);
        scale_blocks(&mut net.trunk.blocks);
        let mut model = Model::of(net)?;
        model.reset_gains();
        Ok(model)
    }

    /// Continues the training of a net. Auxiliary policies, which its file lacks, start uniform.
    pub fn of(mut net: Net) -> Result<Model> {
        net.check().context("the net")?;
        for_each_norm(&mut net, &mut make_plain);
        let (_, parameters) = Graph::<f32>::new(&net)?;
        let len = parameters.last().map_or(0, |last| last.place.end);
        let mut values = vec![0.0; len];
        let tensors = net.tensors().into_iter();
        let tensors: HashMap<_, _> = tensors
            .map(|tensor| (tensor.name, tensor.weights))
            .collect();
        for parameter in &parameters {
            if let Some(weights) = tensors.get(&parameter.name) {
                let values = &mut values[parameter.place.clone()];
                ensure!(
                    values.len() == weights.len(),
                    "{} is too short",
                    parameter.name
                );
                for (value, weight) in values.iter_mut().zip(*weights) {
                    *value = (*weight as f64 / parameter.factor) as f32;
                }
            }
        }
        Ok(Model {
            net,
            parameters,
            values,
        })
    }

    /// Sets all gains to 1.
    fn reset_gains(&mut self) {
        let gains = self.parameters.iter().filter(|p| p.role == Role::Gain);
        for gain in gains {
            self.values[gain.place.clone()].fill(1.0);
        }
    }

    /// Makes a random model equivariant under the board's symmetries, see [`WeightSharing::draw`].
    /// It is an error if it has layers with directions.
    pub fn make_symmetric(&mut self) -> Result<()> {
        WeightSharing::new(&self.parameters)?.draw(&mut self.values);
        Ok(())
    }

    /// Which parameters of an equivariant model are shared. It is an error if these values do not
    /// agree.
    pub fn weight_sharing_held(&self, values: &[f32]) -> Result<WeightSharing> {
        let weight_sharing = WeightSharing::new(&self.parameters)?;
        ensure!(
            weight_sharing.hold(values),
            "{} is not symmetric",
            self.net.name
        );
        Ok(weight_sharing)
    }

    /// The tensors of the parameters.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The layers; their parameters are loaded later.
    pub fn graph<T: Real>(&self) -> Graph<T> {
        let (graph, _) = Graph::new(&self.net).expect("it was of a kind that can be trained");
        graph
    }

    /// The net with the model's parameters.
    pub fn net(&self) -> Net {
        self.net_with(&self.values)
    }

    /// The net with other values of the parameters, for example averages. Policies of the net that
    /// are not trained become copies of the first.
    ///
    /// # Panics
    ///
    /// Panics if there are not as many values as parameters.
    pub fn net_with(&self, values: &[f32]) -> Net {
        assert_eq!(
            values.len(),
            self.values.len(),
            "as many values as parameters"
        );
        let mut net = self.net.clone();
        let parameters: HashMap<&str, &Parameter> =
            self.parameters.iter().map(|p| (&p.name[..], p)).collect();
        for tensor in net.tensors_mut() {
            if let Some(parameter) = parameters.get(&tensor.name[..]) {
                let values = values[parameter.place.clone()].iter();
                let weight = |value: &f32| (*value as f64 * parameter.factor) as f32;
                *tensor.weights = values.map(weight).collect();
            }
        }
        let channels = net.policy_channels();
        if let Some(PooledHeads { policy, .. }) = net.heads.pooled_mut() {
            spread_first(&mut policy.conv_out.weights, channels);
            match &mut policy.pass {
                PassHead::Linear(matrix) => spread_first(&mut matrix.weights, channels),
                PassHead::Hidden { output, .. } => spread_first(&mut output.weights, channels),
            }
        }
        net
    }

    /// Multipliers of the net's outputs; see [`super::losses`].
    pub fn multipliers(&self) -> crate::nn::desc::Multipliers {
        self.net.multipliers
    }

    /// See [`Net::only_size`].
    pub fn only_size(&self) -> Option<BoardSize> {
        self.net.only_size()
    }

    /// Version of the inputs of its batches, see [`InputVersion::in_training`].
    pub fn batch_version(&self) -> InputVersion {
        self.net.input_version().in_training()
    }

    /// Whether it has auxiliary policies, score and ownership.
    pub fn has_all_outputs(&self) -> bool {
        !self.net.heads.are_flat()
    }

    /// KataGo's model version.
    pub fn version(&self) -> u32 {
        self.net.version
    }
}

/// Makes all columns of a matrix equal to the first.
fn spread_first(weights: &mut [f32], columns: usize) {
    for row in weights.chunks_exact_mut(columns) {
        let first = row[0];
        row.fill(first);
    }
}

/// Undoes the scaling of new nets by the number of blocks: here the norms have factors for it.
fn scale_blocks(blocks: &mut [Block]) {
    let scale = (blocks.len() as f32).sqrt();
    for block in blocks {
        if let Block::NestedBottleneck(block) = block {
            scale_blocks(&mut block.blocks);
        }
        let last = last_weights(block).into_iter().flatten();
        last.for_each(|weight| *weight *= scale);
    }
}

/// The weights that a block's addition to the trunk is a multiple of; none if it replaces the trunk.
pub(super) fn last_weights(block: &mut Block) -> Option<&mut Vec<f32>> {
    match block {
        Block::Ordinary(block) => Some(&mut block.conv_b.weights),
        Block::GlobalPooling(block) => Some(&mut block.conv_b.weights),
        Block::NestedBottleneck(block) => Some(&mut block.conv_out.weights),
        Block::Attention(block) => Some(&mut block.output.weights),
        Block::FeedForward(block) => Some(&mut block.output.weights),
        Block::ChainPooling(block) => Some(&mut block.conv_out.weights),
        Block::Plain(_) => None,
    }
}

/// An equivalent norm with mean 0 that divides by 1.
fn make_plain(norm: &mut BatchNorm) {
    let (scale, bias) = norm.merged();
    norm.epsilon = EPSILON;
    norm.mean.fill(0.0);
    norm.variance.fill(1.0 - EPSILON);
    norm.scale = Some(scale);
    norm.bias = Some(bias);
}

fn for_each_norm(net: &mut Net, change: &mut impl FnMut(&mut BatchNorm)) {
    for_each_norm_of_blocks(&mut net.trunk.blocks, change);
    let heads = match &mut net.heads {
        Heads::Pooled(heads) => {
            let PolicyHead {
                pool_norm, norm, ..
            } = &mut heads.policy;
            vec![pool_norm, norm, &mut heads.value.norm]
        }
        Heads::Flat(heads) => vec![&mut heads.policy.norm, &mut heads.value.norm],
    };
    heads.into_iter().for_each(|norm| change(&mut norm.norm));
    if let Tip::Batch(tip) = &mut net.trunk.tip {
        change(&mut tip.norm);
    }
}

fn for_each_norm_of_blocks(blocks: &mut [Block], change: &mut impl FnMut(&mut BatchNorm)) {
    for block in blocks {
        let norms: Vec<&mut NormAct> = match block {
            Block::Ordinary(block) => vec![&mut block.pre, &mut block.mid],
            Block::GlobalPooling(block) => {
                vec![&mut block.pre, &mut block.pool_norm, &mut block.mid]
            }
            Block::NestedBottleneck(block) => {
                for_each_norm_of_blocks(&mut block.blocks, change);
                vec![&mut block.pre, &mut block.post]
            }
            Block::Plain(block) => vec![&mut block.pre],
            Block::ChainPooling(block) => vec![&mut block.pre, &mut block.norm],
            Block::Attention(_) | Block::FeedForward(_) => Vec::new(),
        };
        norms.into_iter().for_each(|norm| change(&mut norm.norm));
    }
}
