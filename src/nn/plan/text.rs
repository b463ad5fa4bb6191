//! A plan as text, with its work and memory.

use std::fmt::Write;

use super::memory::{Slots, padded};
use super::{Conv, Extent, Operation, Plan, ValueId, Work};
use crate::go::BoardSize;
use crate::nn::desc::{self, MatMul};

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
        let work = &operation.work;
        let values = work.reads().into_iter().chain(work.writes());
        let bytes = values.map(|id| size(&id)).sum();
        let of_points = |matrices: &[&MatMul]| {
            let matrices = matrices.iter();
            let count: usize = matrices.clone().map(|matrix| matrix.weights.len()).sum();
            let padded = |matrix: &&MatMul| padded(matrix.inputs) * padded(matrix.outputs);
            let weights: usize = matrices.map(padded).sum();
            (count * area, weights * value_bytes)
        };
        let (multiplications, weights) = match work {
            Work::Planes { .. } | Work::Pool { .. } | Work::Flatten { .. } | Work::RmsNorm(_) => {
                (0, 0)
            }
            Work::Conv(conv) => of_kernel(&conv.kernel, area, value_bytes),
            Work::Attention(attention) => {
                let matrices = [&attention.query, &attention.key, &attention.value];
                let (products, weights) = of_points(&matrices);
                let of_pair = attention.heads * (attention.key_width + attention.value_width);
                (products + area * area * of_pair, weights)
            }
            Work::Gated(gated) => of_points(&[&gated.inner, &gated.gate]),
            Work::Dense(dense) => {
                let weights = &dense.matrix.weights;
                (weights.len(), size_of_val(&weights[..]))
            }
            Work::Maps(maps) => {
                let weights = &maps.kernel.weights;
                (weights.len() * area, size_of_val(&weights[..]))
            }
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
        let channels: usize = Slots::new(self).kinds.iter().sum();
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
        let channels = |id: ValueId| self.value(id).channels;
        match &operation.work {
            Work::Planes { to } => format!("{} planes", channels(*to)),
            Work::Conv(conv) => conv_text(conv),
            Work::RmsNorm(norm) => format!("RMS norm of {} channels", channels(norm.from)),
            Work::Attention(attention) => {
                let (heads, width) = (attention.heads, attention.key_width);
                let rotated = attention.rope.as_ref().map_or("", |_| ", rotated");
                format!("{heads} heads of {width}{rotated}")
            }
            Work::Gated(gated) => {
                let inner = &gated.inner;
                format!("gated {} to {}", inner.inputs, inner.outputs)
            }
            Work::Pool { from, .. } => format!("pool {} channels", channels(*from)),
            Work::Flatten { to, .. } => format!("{} values of a board", channels(*to)),
            Work::Dense(dense) => {
                format!("matrix {} to {}", dense.matrix.inputs, dense.matrix.outputs)
            }
            Work::Maps(maps) => format!("{} maps", kernel_text(&maps.kernel)),
        }
    }
}

/// Multiplications and bytes of weights.
fn of_kernel(kernel: &desc::Conv, area: usize, value_bytes: usize) -> (usize, usize) {
    let taps = kernel.kernel_height * kernel.kernel_width;
    let matrix = padded(kernel.inputs) * padded(kernel.outputs) * taps;
    (kernel.weights.len() * area, matrix * value_bytes)
}

fn kernel_text(kernel: &desc::Conv) -> String {
    format!(
        "{}x{} {} to {}",
        kernel.kernel_height, kernel.kernel_width, kernel.inputs, kernel.outputs
    )
}

fn conv_text(conv: &Conv) -> String {
    let parts = [
        (conv.pools_chains, ", of chains"),
        (conv.bias.is_some(), ", bias"),
        (conv.residual.is_some(), ", residual"),
        (conv.scale.is_some() || conv.has_norm(), ", norm"),
    ];
    let parts = parts.iter().filter(|(is_there, _)| *is_there);
    let parts: String = parts.map(|(_, name)| *name).collect();
    kernel_text(&conv.kernel) + &parts
}
