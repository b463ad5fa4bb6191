//! Parameters in the forms that kernels read.

use anyhow::Result;

use super::super::arguments::{ClearArguments, CopyArguments, TileWeightsArguments};
use super::super::tape::{Conv, Operation};
use super::{Binding, FLOAT, Size, THREADS, sizes};
use crate::nn::gpu::Launch;
use crate::nn::gpu::launches::number;
use crate::nn::plan::memory::padded;

impl Binding<'_> {
    /// Brings parameters into the forms that kernels read.
    pub fn load(&self) -> Result<Vec<Launch>> {
        let mut list = Vec::new();
        for (operation, places) in self.tape.operations.iter().zip(&self.constants.places) {
            match operation {
                Operation::Conv(conv) => {
                    let [forward, backward] = sizes(conv);
                    list.push(self.weights(conv, forward, places.forward, false)?);
                    list.push(self.weights(conv, backward, places.backward, true)?);
                    for (row, place) in conv
                        .norm
                        .iter()
                        .flat_map(|norm| [&norm.gain, &norm.bias])
                        .enumerate()
                    {
                        let to = places.affine + row * padded(conv.outputs) * FLOAT;
                        list.push(self.copy(
                            self.parameter(place),
                            self.constant(to),
                            (1, conv.outputs),
                            (0, 1),
                        )?);
                    }
                }
                Operation::Points { from, weights, to } => {
                    let [inputs, outputs] = [from, to].map(|id| self.tape.value(*id).channels);
                    let (sizes, strides) = ((inputs, outputs), (1, padded(inputs)));
                    let to = self.constant(places.forward);
                    list.push(self.copy(self.parameter(weights), to, sizes, strides)?);
                }
                _ => {}
            }
        }
        Ok(list)
    }

    fn weights(&self, conv: &Conv, size: Size, to: usize, is_backward: bool) -> Result<Launch> {
        let [height, width, inputs, outputs] = size;
        let tile = self.tiles.get(&size);
        let arguments = TileWeightsArguments {
            from: self.parameter(&conv.weights),
            to: self.constant(to),
            taps: number(height * width)?,
            inputs: number(conv.inputs)?,
            outputs: number(conv.outputs)?,
            padded_inputs: number(inputs)?,
            padded_outputs: number(outputs)?,
            columns: number(tile.map_or(0, |tile| tile.columns))?,
            depth: number(tile.map_or(0, |tile| tile.depth))?,
            is_backward: i32::from(is_backward),
        };
        let threads = (height * width * inputs * outputs, THREADS);
        Ok(Launch::of_threads(
            self.format.of_kernel("weights"),
            threads,
            arguments,
        ))
    }

    fn copy(
        &self,
        from: u64,
        to: u64,
        (first, second): (usize, usize),
        (first_stride, second_stride): (usize, usize),
    ) -> Result<Launch> {
        let arguments = CopyArguments {
            from,
            to,
            first: number(first)?,
            second: number(second)?,
            first_stride: number(first_stride)?,
            second_stride: number(second_stride)?,
        };
        Ok(Launch::of_threads(
            "copy".to_owned(),
            (first * second, THREADS),
            arguments,
        ))
    }

    /// Copies so many parameters, times their factors, from elsewhere on the device.
    pub fn fetch(&self, from: u64, parameters: usize) -> Result<Vec<Launch>> {
        let to = self.constant(self.constants.parameters);
        Ok(vec![self.copy(from, to, (1, parameters), (0, 1))?])
    }

    /// Makes the sums of losses and all gradients of so many parameters 0.
    pub fn clear(&self, parameters: usize) -> Result<Vec<Launch>> {
        let start = self.constants.sums;
        let count = (self.constants.gradient - start) / FLOAT + parameters;
        let arguments = ClearArguments {
            to: self.constant(start),
            count: number(count)?,
            reserved: 0,
        };
        let threads = (count, THREADS);
        Ok(vec![Launch::of_threads(
            "zero".to_owned(),
            threads,
            arguments,
        )])
    }
}
