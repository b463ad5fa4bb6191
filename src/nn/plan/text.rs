//! A plan as text, with its work and memory.

use std::fmt::Write;

use super::memory::{Slots, padded};
use super::{Extent, Operation, Plan, ValueId, Work};
use crate::go::BoardSize;

/// Work and memory of an operation, for one board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Multiplications of the network as it is defined.
    pub multiplications: usize,
    /// Bytes of activations read and written, each once.
    pub bytes: usize,
    /// Bytes of weights.
    pub weights: usize,
}

impl Plan {
    /// The cost of an operation for a board of this area; values of points have this many bytes.
    pub fn cost(&self, operation: &Operation, area: usize, value_bytes: usize) -> Cost {
        let size = |id: &ValueId| {
            let value = self.value(*id);
            match value.extent {
                Extent::Points => padded(value.channels) * area * value_bytes,
                Extent::Boards => value.channels * size_of::<f32>(),
                Extent::Maps => value.channels * area * size_of::<f32>(),
            }
        };
        let values = operation.reads().into_iter().chain(operation.writes());
        let bytes = values.map(|id| size(&id)).sum();
        let (multiplications, weights) = match &operation.work {
            Work::Planes { .. } | Work::Pool { .. } => (0, 0),
            Work::Conv(conv) => {
                let kernel = &conv.kernel;
                let taps = kernel.kernel_height * kernel.kernel_width;
                let matrix = padded(kernel.inputs) * padded(kernel.outputs) * taps;
                (kernel.weights.len() * area, matrix * value_bytes)
            }
            Work::Dense(dense) => {
                let weights = &dense.matrix.weights;
                (weights.len(), size_of_val(&weights[..]))
            }
            Work::Maps { weights, .. } => (weights.len() * area, size_of_val(&weights[..])),
        };
        Cost {
            multiplications,
            bytes,
            weights,
        }
    }

    /// The cost of all operations.
    pub fn total(&self, area: usize, value_bytes: usize) -> Cost {
        let costs = self.operations.iter();
        let costs = costs.map(|operation| self.cost(operation, area, value_bytes));
        costs.fold(Cost::default(), |sum, cost| Cost {
            multiplications: sum.multiplications + cost.multiplications,
            bytes: sum.bytes + cost.bytes,
            weights: sum.weights + cost.weights,
        })
    }

    /// Bytes of all values of points at once, for one board.
    pub fn activation_bytes(&self, area: usize, value_bytes: usize) -> usize {
        let channels: usize = Slots::new(self).channels.iter().sum();
        channels * area * value_bytes
    }

    /// A table of the operations, for a batch of boards.
    pub fn table(&self, size: BoardSize, boards: usize, value_bytes: usize) -> String {
        let mut text = format!(
            "{:32} {:34} {:>12} {:>10}\n",
            "operation", "work", "million mul.", "MB"
        );
        let millions = |number: usize| number as f64 * boards as f64 / 1e6;
        for operation in &self.operations {
            let cost = self.cost(operation, size.area(), value_bytes);
            let (multiplications, bytes) = (millions(cost.multiplications), millions(cost.bytes));
            let (name, work) = (&operation.name, self.work(operation));
            let _ = writeln!(
                text,
                "{name:32} {work:34} {multiplications:12.1} {bytes:10.2}"
            );
        }
        let total = self.total(size.area(), value_bytes);
        let memory = self.activation_bytes(size.area(), value_bytes);
        let _ = write!(
            text,
            "\n{} operations, {:.1} million multiplications and {:.2} MB of activations moved for \
             {boards} boards of {size}; {:.2} MB of weights, {:.2} MB of memory for activations",
            self.operations.len(),
            millions(total.multiplications),
            millions(total.bytes),
            total.weights as f64 / 1e6,
            millions(memory),
        );
        text
    }

    /// What an operation does, in a few words.
    fn work(&self, operation: &Operation) -> String {
        match &operation.work {
            Work::Planes { to } => format!("{} planes", self.value(*to).channels),
            Work::Conv(conv) => {
                let kernel = &conv.kernel;
                let mut text = format!(
                    "{}x{} {} to {}",
                    kernel.kernel_height, kernel.kernel_width, kernel.inputs, kernel.outputs
                );
                let parts = [
                    (conv.board_bias.is_some(), ", bias"),
                    (conv.residual.is_some(), ", residual"),
                    (conv.normed.is_some(), ", norm"),
                ];
                parts
                    .iter()
                    .filter(|(is_there, _)| *is_there)
                    .for_each(|(_, name)| text.push_str(name));
                text
            }
            Work::Pool { from, .. } => format!("pool {} channels", self.value(*from).channels),
            Work::Dense(dense) => {
                format!("matrix {} to {}", dense.matrix.inputs, dense.matrix.outputs)
            }
            Work::Maps { from, to, .. } => {
                let (from, to) = (self.value(*from), self.value(*to));
                format!("1x1 {} to {} maps", from.channels, to.channels)
            }
        }
    }
}
