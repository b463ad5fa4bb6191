//! A plan as text, with its work and memory.

use std::fmt::Write;

use super::{Conv, Operation, Plan, ValueId, Work};
use crate::go::BoardSize;
use crate::nn::desc;

impl Plan {
    /// A table of the operations, for a batch of boards.
    pub fn table(&self, size: BoardSize, boards: usize, value_bytes: usize) -> String {
        let works: Vec<String> = self.operations.iter().map(|it| self.work(it)).collect();
        let names = self.operations.iter().map(|it| it.name.len());
        let name_width = names.max().unwrap_or(0).max(32);
        let work_width = works.iter().map(String::len).max().unwrap_or(0).max(34);
        let mut text = format!(
            "{:name_width$} {:work_width$} {:>12} {:>10}\n",
            "operation", "work", "million mul.", "MB"
        );
        let millions = |number: usize| number as f64 * boards as f64 / 1e6;
        for (operation, work) in self.operations.iter().zip(&works) {
            let cost = self.cost(operation, size.area(), value_bytes);
            let (multiplications, bytes) = (millions(cost.multiplications), millions(cost.bytes));
            let name = &operation.name;
            let _ = writeln!(
                text,
                "{name:name_width$} {work:work_width$} {multiplications:12.1} {bytes:10.2}"
            );
        }
        let noun = if boards == 1 { "board" } else { "boards" };
        let total = self.total(size.area(), value_bytes);
        let memory = self.activation_bytes(size.area(), value_bytes);
        let _ = write!(
            text,
            "\n{} operations, {:.1} million multiplications and {:.2} MB of activations moved for \
             {boards} {noun} of {size}; {:.2} MB of weights, {:.2} MB of memory for activations",
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
