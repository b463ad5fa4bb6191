//! The forward pass.

use anyhow::Result;

use super::super::arguments::ActivationArguments;
use super::super::tape::{Id, Operation};
use super::{BatchBinding, THREADS, sizes};
use crate::nn::desc::Activation;
use crate::nn::gpu::Launch;
use crate::nn::gpu::arguments::{
    ChainsArguments, ConvArguments, DenseArguments, PlanesArguments, PointsArguments,
    PoolArguments, PoolFactors, activation_number,
};
use crate::nn::gpu::launches::number;
use crate::nn::plan::Third;

impl BatchBinding<'_> {
    /// From inputs to outputs.
    pub fn forward(&self) -> Result<Vec<Launch>> {
        let operations = self.all.tape.operations.iter().enumerate();
        operations
            .map(|(index, operation)| self.forward_of(index, operation))
            .collect()
    }

    fn forward_of(&self, index: usize, operation: &Operation) -> Result<Launch> {
        let places = self.all.constants.places[index];
        Ok(match operation {
            Operation::Planes { to } => {
                let arguments = PlanesArguments {
                    is_packed: self.values_at,
                    values: self.values_at + self.layout.planes as u64,
                    to: self.value(*to),
                    rows: number(self.rows())?,
                    planes: number(self.all.tape.planes)?,
                    channels: number(self.stride(*to))?,
                    reserved: 0,
                };
                Launch::planes(self.all.format, arguments, self.rows() * self.stride(*to))
            }
            Operation::Conv(conv) => {
                let [size, _] = sizes(conv);
                let input = self.value(conv.input);
                let products = self.products(size, input, places.forward, self.value(conv.raw))?;
                let norm = conv.norm.as_ref();
                let arguments = ConvArguments {
                    residual: self.optional(conv.residual),
                    board_bias: self.optional(conv.board_bias),
                    affine: self.all.constant(places.affine),
                    normed: self.optional(norm.map(|norm| norm.to)),
                    bias_stride: number(conv.outputs)?,
                    activation: norm.map_or(0, |norm| activation_number(norm.activation)),
                    ..products
                };
                self.conv(size, arguments)?
            }
            Operation::Pool { from, to, third } => {
                let arguments = PoolArguments {
                    from: self.value(*from),
                    to: self.value(*to),
                    boards: number(self.boards)?,
                    area: number(self.size.area())?,
                    channels: number(self.channels(*from))?,
                    stride: number(self.stride(*from))?,
                    with_maximum: i32::from(*third == Third::Maximum),
                    factors: PoolFactors::of(self.size),
                };
                Launch::pool(self.all.format, arguments, self.boards, self.stride(*from))
            }
            Operation::Dense(dense) => {
                let arguments = DenseArguments {
                    from: self.value(dense.from),
                    matrix: self.all.parameter(&dense.weights),
                    bias: dense
                        .bias
                        .as_ref()
                        .map_or(0, |bias| self.all.parameter(bias)),
                    plus: 0,
                    to: self.value(dense.to),
                    boards: number(self.boards)?,
                    inputs: number(dense.inputs)?,
                    outputs: number(dense.outputs)?,
                    activation: activation_number(Activation::Identity),
                };
                Launch::dense(arguments, self.boards, dense.outputs)
            }
            Operation::Activation {
                from,
                to,
                activation,
            } => self.activation(*from, (self.value(*to), false), *activation)?,
            Operation::Chains { from, to } => self.chains(*from, *to)?,
            Operation::Points { from, to, .. } => {
                let arguments = PointsArguments {
                    from: self.value(*from),
                    weights: self.all.constant(places.forward),
                    to: self.value(*to),
                    rows: number(self.rows())?,
                    area: number(self.size.area())?,
                    channels: number(self.stride(*from))?,
                    outputs: number(self.channels(*to))?,
                };
                Launch::points(self.all.format, arguments, self.rows())
            }
        })
    }

    pub(super) fn activation(
        &self,
        from: Id,
        (to, is_backward): (u64, bool),
        activation: Activation,
    ) -> Result<Launch> {
        let count = self.boards * self.channels(from);
        let arguments = ActivationArguments {
            from: self.value(from),
            to,
            count: number(count)?,
            activation: activation_number(activation),
            is_backward: i32::from(is_backward),
            reserved: 0,
        };
        Ok(Launch::of_threads(
            "activation".to_owned(),
            (count, THREADS),
            arguments,
        ))
    }

    pub(super) fn points_by_region(&self) -> u64 {
        self.values_at + self.layout.regions as u64
    }

    fn chains(&self, from: Id, to: Id) -> Result<Launch> {
        let arguments = ChainsArguments {
            from: self.value(from),
            points: self.points_by_region(),
            to: self.value(to),
            boards: number(self.boards)?,
            area: number(self.size.area())?,
            channels: number(self.channels(from))?,
            stride: number(self.stride(from))?,
            to_stride: number(self.stride(to))?,
            reserved: 0,
        };
        Ok(Launch::chains(self.all.format, arguments))
    }
}
