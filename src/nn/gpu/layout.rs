//! Where the values of a batch lie in memory.

use crate::nn::plan::memory::Slots;
use crate::nn::plan::{Extent, Plan, ValueId};

use super::Format;
use super::products::scratch;

/// Alignment of everything, in bytes.
pub const ALIGNMENT: usize = 256;

/// Offsets within the memory of batches, in bytes.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Offset of each value.
    offsets: Vec<usize>,
    /// Offset of the regions of boards, for networks that pool over them.
    pub regions: usize,
    /// Offset of values of points that an operation keeps between its kernels.
    pub scratch: usize,
    /// Offset of the planes as they come from the host.
    pub planes: usize,
    /// Inputs begin at 0, with a word that says whether planes are packed, and end here if planes are floats.
    pub inputs_end: usize,
    /// Where outputs begin.
    pub outputs: usize,
    /// Where outputs end.
    pub outputs_end: usize,
    /// All bytes.
    pub bytes: usize,
}

impl Layout {
    /// For batches of so many boards of an area.
    pub fn new(
        plan: &Plan,
        slots: &Slots<usize>,
        format: Format,
        boards: usize,
        area: usize,
    ) -> Layout {
        let mut end = 0;
        let mut place = |bytes: usize| {
            let start = end;
            end = (end + bytes).next_multiple_of(ALIGNMENT);
            start
        };
        let float = size_of::<f32>();
        let of_boards = |id: ValueId| {
            let value = plan.value(id);
            let points = if value.extent == Extent::Maps {
                area
            } else {
                1
            };
            value.channels * points * boards * float
        };
        let mut offsets = vec![usize::MAX; plan.values.len()];
        place(size_of::<u32>());
        for id in [plan.inputs.globals, plan.inputs.metadata]
            .into_iter()
            .flatten()
        {
            offsets[id.0] = place(of_boards(id));
        }
        let of_regions = boards * area * size_of::<u16>();
        let regions = place(if plan.pools_chains() { of_regions } else { 0 });
        let plane_bytes = plan.inputs.shape.planes * boards * area * float;
        let planes = place(plane_bytes);
        let outputs = place(0);
        for id in plan.outputs.all() {
            offsets[id.0] = place(of_boards(id));
        }
        let outputs_end = place(0);
        let of_slots = slots.kinds.iter();
        let of_slots: Vec<usize> = of_slots
            .map(|channels| place(channels * boards * area * format.bytes()))
            .collect();
        let operations = plan.operations.iter();
        let between = operations.map(|operation| scratch(&operation.work)).max();
        let scratch = place(between.unwrap_or(0) * boards * area * format.bytes());
        for (index, offset) in offsets.iter_mut().enumerate() {
            if *offset == usize::MAX {
                let id = ValueId(index);
                *offset = match slots.of(id) {
                    Some(slot) => of_slots[slot],
                    None => place(of_boards(id)),
                };
            }
        }
        Layout {
            offsets,
            regions,
            scratch,
            planes,
            inputs_end: planes + plane_bytes,
            outputs,
            outputs_end,
            bytes: end,
        }
    }

    /// Offset of a value.
    pub fn of(&self, id: ValueId) -> usize {
        self.offsets[id.0]
    }
}
