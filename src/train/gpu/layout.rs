//! Where everything lies in a GPU's memory.

use crate::nn::gpu::Format;
use crate::nn::plan::memory::padded;

use super::launches::scratch_bytes;
use super::tape::{Conv, Extent, Id, Operation, Tape};
use super::targets::{self, LOSS_ROW, ObjectiveNumbers};

/// Alignment of everything, in bytes.
const ALIGNMENT: usize = 256;
const FLOAT: usize = size_of::<f32>();

/// Gives places one after another.
#[derive(Default)]
pub struct End(pub usize);

impl End {
    pub fn place(&mut self, bytes: usize) -> usize {
        let start = self.0;
        self.0 = (start + bytes).next_multiple_of(ALIGNMENT);
        start
    }
}

/// What does not depend on batches: offsets in bytes.
#[derive(Clone, Debug)]
pub struct Constants {
    /// All parameters in f32, times their factors.
    pub parameters: usize,
    /// What the losses are.
    pub objective: usize,
    /// Sums of losses in f64, which end at the next multiple of the alignment, where the gradient begins.
    pub sums: usize,
    /// The gradient of the net's tensors.
    pub gradient: usize,
    /// Zeros in place of an affine transform.
    pub zeros: usize,
    /// Of each operation.
    pub places: Vec<Places>,
    pub bytes: usize,
}

/// Forms of parameters of an operation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Places {
    /// Weights of a convolution, or `[output][input]` of one that leaves the network.
    pub forward: usize,
    /// Weights of a convolution from outputs to inputs.
    pub backward: usize,
    /// `[2][output]`: gain and bias.
    pub affine: usize,
}

impl Constants {
    pub fn new(tape: &Tape, format: Format, parameters: usize) -> Constants {
        let mut end = End::default();
        let list = parameters * FLOAT;
        let parameters = end.place(list);
        let objective = end.place(size_of::<ObjectiveNumbers>());
        let sums = end.place(LOSS_ROW * size_of::<f64>());
        let gradient = end.place(list);
        let widest = tape.values.iter().map(|value| padded(value.channels)).max();
        let zeros = end.place(2 * widest.unwrap_or(0) * FLOAT);
        let places = tape.operations.iter().map(|operation| match operation {
            Operation::Conv(conv) => {
                let weights = weights_of(conv) * format.bytes();
                Places {
                    forward: end.place(weights),
                    backward: end.place(weights),
                    affine: end.place(2 * padded(conv.outputs) * FLOAT),
                }
            }
            Operation::Points { from, to, .. } => {
                let (inputs, outputs) = (tape.value(*from).channels, tape.value(*to).channels);
                Places {
                    forward: end.place(padded(inputs) * outputs * FLOAT),
                    ..Places::default()
                }
            }
            _ => Places::default(),
        });
        let places = places.collect();
        Constants {
            parameters,
            objective,
            sums,
            gradient,
            zeros,
            places,
            bytes: end.0,
        }
    }
}

/// Number of weights, with padding.
fn weights_of(conv: &Conv) -> usize {
    conv.kernel_height * conv.kernel_width * padded(conv.inputs) * padded(conv.outputs)
}

/// Offsets within the memory of a batch, in bytes.
#[derive(Clone, Debug)]
pub struct Layout {
    values: Vec<usize>,
    gradients: Vec<usize>,
    /// Points by region, as `nn::gpu::inputs` lists them.
    pub regions: usize,
    pub targets: targets::Places,
    /// The planes as they are uploaded.
    pub planes: usize,
    /// Inputs begin at 0, with a word that says whether planes are packed, and end here.
    pub inputs_end: usize,
    /// Losses of boards.
    pub losses: usize,
    /// For sums in slices.
    pub scratch: usize,
    pub bytes: usize,
}

impl Layout {
    /// For so many boards of an area.
    pub fn new(tape: &Tape, format: Format, boards: usize, area: usize) -> Layout {
        let bytes = |id: Id| {
            let value = tape.value(id);
            match value.extent {
                Extent::Points => boards * area * padded(value.channels) * format.bytes(),
                Extent::Boards => boards * value.channels * FLOAT,
                Extent::Maps => boards * area * value.channels * FLOAT,
            }
        };
        let none = usize::MAX;
        let mut values = vec![none; tape.values.len()];
        let mut gradients = values.clone();
        let mut end = End::default();
        end.place(size_of::<u32>());
        if let Some(id) = tape.globals {
            values[id.0] = end.place(bytes(id));
        }
        let regions = end.place(match tape.pools_chains {
            true => boards * area * size_of::<u16>(),
            false => 0,
        });
        let targets = targets::Places::new(&mut end, boards, area);
        let plane_bytes = boards * area * tape.planes * FLOAT;
        let planes = end.place(plane_bytes);
        let losses = end.place(boards * LOSS_ROW * FLOAT);
        for (index, slot) in gradient_slots(tape).into_iter().enumerate() {
            let id = Id(index);
            if values[index] == none {
                values[index] = end.place(bytes(id));
            }
            if gradients[index] == none {
                gradients[index] = match slot == id {
                    true => end.place(bytes(id)),
                    false => gradients[slot.0],
                };
            }
        }
        let scratch = end.place(scratch_bytes(tape, format, boards, area));
        Layout {
            values,
            gradients,
            regions,
            targets,
            planes,
            inputs_end: planes + plane_bytes,
            losses,
            scratch,
            bytes: end.0,
        }
    }

    /// Offset of a value.
    pub fn of(&self, id: Id) -> usize {
        self.values[id.0]
    }

    /// Offset of its gradient.
    pub fn gradient(&self, id: Id) -> usize {
        self.gradients[id.0]
    }
}

/// The value whose gradient lies in the same place, itself or one before: all sums along a trunk have one
/// gradient, to which each norm adds; elsewhere that of a normalized sum becomes that of the sum.
fn gradient_slots(tape: &Tape) -> Vec<Id> {
    let mut slots: Vec<Id> = (0..tape.values.len()).map(Id).collect();
    let convs = || {
        tape.operations
            .iter()
            .filter_map(|operation| match operation {
                Operation::Conv(conv) => Some(conv),
                _ => None,
            })
    };
    let residuals: Vec<Id> = convs().filter_map(|conv| conv.residual).collect();
    for conv in convs() {
        if let Some(residual) = conv.residual {
            slots[conv.raw.0] = slots[residual.0];
        } else if !residuals.contains(&conv.raw)
            && let Some(norm) = &conv.norm
        {
            slots[norm.to.0] = conv.raw;
        }
    }
    for operation in &tape.operations {
        if let Operation::Activation { from, to, .. } = operation {
            slots[to.0] = *from;
        }
    }
    slots
}
