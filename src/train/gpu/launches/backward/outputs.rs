//! Back through global pooling, layers for values of boards, and what leaves the network.

use std::ops::Range;

use anyhow::{Result, ensure};

use super::super::super::arguments::{
    DenseBackArguments, DenseWeightsArguments, PointsBackArguments, PoolBackArguments,
};
use super::super::super::tape::{Dense, Id};
use super::super::{DENSE_SLICES, FLOAT, PACK, THREADS, blocks_of};
use super::{Backward, GROUP};
use crate::nn::gpu::Launch;
use crate::nn::gpu::arguments::PoolFactors;
use crate::nn::gpu::launches::number;
use crate::nn::plan::Third;

impl Backward<'_> {
    pub(super) fn pool(&mut self, from: Id, to: Id, third: Third) -> Result<()> {
        let (batch, (of_group, shares)) = (self.batch, GROUP);
        let (of_from, stride) = (batch.of(from), batch.stride(from));
        let arguments = PoolBackArguments {
            from: batch.value(from),
            of_pooled: batch.of(to),
            of_from,
            boards: number(batch.boards)?,
            area: number(batch.size.area())?,
            channels: number(batch.channels(from))?,
            stride: number(stride)?,
            with_maximum: i32::from(third == Third::Maximum),
            adds: i32::from(!self.written.insert(of_from)),
            factors: PoolFactors::of(batch.size),
            reserved: 0,
        };
        self.launches.push(Launch {
            kernel: batch.kernel("pool_back"),
            blocks: batch.boards * stride.div_ceil(of_group),
            threads: THREADS,
            shared: (2 * shares + 3) * of_group * FLOAT,
            arguments: arguments.into(),
        });
        Ok(())
    }

    pub(super) fn dense(&mut self, dense: &Dense) -> Result<()> {
        let batch = self.batch;
        let of_to = batch.of(dense.to);
        ensure!(self.written.contains(&of_to), "an unused value");
        let (inputs, outputs) = (dense.inputs, dense.outputs);
        if batch.all.tape.globals != Some(dense.from) {
            let of_from = batch.of(dense.from);
            let arguments = DenseBackArguments {
                of_to,
                matrix: batch.all.parameter(&dense.weights),
                of_from,
                boards: number(batch.boards)?,
                inputs: number(inputs)?,
                outputs: number(outputs)?,
                adds: i32::from(!self.written.insert(of_from)),
            };
            let threads = (batch.boards * inputs, THREADS);
            self.launches.push(Launch::of_threads(
                "dense_back".to_owned(),
                threads,
                arguments,
            ));
        }
        let (slices, weights) = (DENSE_SLICES.min(batch.boards), (inputs + 1) * outputs);
        let arguments = DenseWeightsArguments {
            from: batch.value(dense.from),
            of_to,
            sums: batch.scratch(),
            boards: number(batch.boards)?,
            inputs: number(inputs)?,
            outputs: number(outputs)?,
            slices: number(slices)?,
        };
        let threads = (slices * weights, THREADS);
        self.launches.push(Launch::of_threads(
            "dense_weights".to_owned(),
            threads,
            arguments,
        ));
        let from = (batch.scratch(), slices, weights);
        self.slices(from, &dense.weights, (inputs, outputs), (outputs, 1))?;
        if let Some(bias) = &dense.bias {
            let from = batch.scratch() + (inputs * outputs * FLOAT) as u64;
            self.slices((from, slices, weights), bias, (1, outputs), (0, 1))?;
        }
        Ok(())
    }

    pub(super) fn points(
        &mut self,
        index: usize,
        (from, to): (Id, Id),
        weights: &Range<usize>,
    ) -> Result<()> {
        let batch = self.batch;
        let (channels, outputs) = (batch.stride(from), batch.channels(to));
        let (blocks, of_from) = (blocks_of(batch.rows(), channels), batch.of(from));
        let arguments = PointsBackArguments {
            of_to: batch.of(to),
            weights: batch
                .all
                .constant(batch.all.constants.places[index].forward),
            from: batch.value(from),
            of_from,
            sums: batch.scratch(),
            rows: number(batch.rows())?,
            area: number(batch.size.area())?,
            channels: number(channels)?,
            outputs: number(outputs)?,
            adds: i32::from(!self.written.insert(of_from)),
            blocks: number(blocks)?,
        };
        self.launches.push(Launch {
            kernel: batch.kernel("points_back"),
            blocks,
            threads: THREADS,
            shared: THREADS * PACK * FLOAT,
            arguments: arguments.into(),
        });
        let sizes = (batch.channels(from), outputs);
        let from = (batch.scratch(), blocks, outputs * channels);
        self.slices(from, weights, sizes, (1, channels))
    }
}
