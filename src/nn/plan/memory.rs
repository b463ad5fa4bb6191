//! Which values of points share memory.

use super::{Extent, Plan, ValueId, Work};

/// Channels of values of points are padded to a multiple of this.
pub const CHANNEL_STEP: usize = 32;

/// Channels in memory.
pub fn padded(channels: usize) -> usize {
    channels.next_multiple_of(CHANNEL_STEP)
}

/// Places for values of points.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    /// Padded channels of each slot.
    pub channels: Vec<usize>,
    /// Slot of each value; none for values that are not of points.
    of_values: Vec<Option<usize>>,
}

impl Slots {
    /// Gives each value a slot that no other value needs at the time. The raw sum of a convolution may
    /// take the slot of its residual: each element is read by whom it is then written.
    pub fn new(plan: &Plan) -> Slots {
        let last_reads = last_reads(plan);
        let mut slots = Slots {
            channels: Vec::new(),
            of_values: vec![None; plan.values.len()],
        };
        let mut free: Vec<usize> = Vec::new();
        for (step, operation) in plan.operations.iter().enumerate() {
            let mut ending: Vec<ValueId> = operation.reads();
            ending.retain(|id| last_reads[id.0] == step && slots.of_values[id.0].is_some());
            ending.dedup();
            if let Work::Conv(conv) = &operation.work
                && let (Some(raw), Some(residual)) = (conv.raw, conv.residual)
                && ending.contains(&residual)
                && residual != conv.input
            {
                slots.of_values[raw.0] = slots.of_values[residual.0];
                ending.retain(|&id| id != residual);
            }
            for id in operation.writes() {
                let value = plan.value(id);
                if value.extent == Extent::Points && slots.of_values[id.0].is_none() {
                    let slot = slots.take(&mut free, padded(value.channels));
                    slots.of_values[id.0] = Some(slot);
                }
            }
            free.extend(ending.iter().filter_map(|id| slots.of_values[id.0]));
        }
        slots
    }

    /// The slot of a value of points.
    pub fn of(&self, id: ValueId) -> Option<usize> {
        self.of_values[id.0]
    }

    /// A free slot of this size, or a new one.
    fn take(&mut self, free: &mut Vec<usize>, channels: usize) -> usize {
        let fitting = free
            .iter()
            .position(|&slot| self.channels[slot] == channels);
        match fitting {
            Some(index) => free.swap_remove(index),
            None => {
                self.channels.push(channels);
                self.channels.len() - 1
            }
        }
    }
}

/// The last operation that reads each value, or the one that writes it.
fn last_reads(plan: &Plan) -> Vec<usize> {
    let mut last = vec![0; plan.values.len()];
    for (step, operation) in plan.operations.iter().enumerate() {
        for id in operation.reads().into_iter().chain(operation.writes()) {
            last[id.0] = step;
        }
    }
    last
}
