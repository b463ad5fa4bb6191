//! Which values of points share memory.

use super::{Extent, Plan, ValueId, Work};

/// Channels of values of points are padded to a multiple of this on GPUs.
pub const CHANNEL_STEP: usize = 32;

/// Channels in memory on GPUs.
pub fn padded(channels: usize) -> usize {
    channels.next_multiple_of(CHANNEL_STEP)
}

/// What a step of an executor does with values.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// Read.
    pub reads: Vec<ValueId>,
    /// Written.
    pub writes: Vec<ValueId>,
    /// One of those read, of which everything is read before anything is written.
    pub read_first: Option<ValueId>,
    /// A value read and one written, each element being read by whom it is then written.
    pub in_place: Option<(ValueId, ValueId)>,
}

/// Places for values, each of a kind: values of the same kind may share a slot.
#[derive(Clone, Debug, Default)]
pub struct Slots<K> {
    /// Kind of each slot.
    pub kinds: Vec<K>,
    /// Slot of each value; none for values without a kind.
    of_values: Vec<Option<usize>>,
}

impl Slots<usize> {
    /// Slots for the values of points of a plan, by padded channels. The raw sum of a convolution may
    /// take the slot of its residual.
    pub fn new(plan: &Plan) -> Slots<usize> {
        let uses = |operation: &super::Operation| Uses::of(&operation.work);
        let steps: Vec<Uses> = plan.operations.iter().map(uses).collect();
        let kinds = plan.values.iter().map(|value| {
            let is_of_points = value.extent == Extent::Points;
            is_of_points.then(|| padded(value.channels))
        });
        Slots::of_steps(&steps, &kinds.collect::<Vec<_>>())
    }
}

impl Uses {
    /// Of an operation as a single step.
    pub fn of(work: &Work) -> Uses {
        let in_place = match work {
            Work::Conv(conv) => conv.residual.map(|residual| residual.from).zip(conv.raw),
            _ => None,
        };
        Uses {
            reads: work.reads(),
            writes: work.writes(),
            read_first: None,
            in_place,
        }
    }
}

impl<K: Copy + PartialEq> Slots<K> {
    /// Gives each value that has a kind a slot of that kind, which no other value needs at the time.
    pub fn of_steps(steps: &[Uses], kinds: &[Option<K>]) -> Slots<K> {
        let last = last_uses(steps, kinds.len());
        let mut slots = Slots {
            kinds: Vec::new(),
            of_values: vec![None; kinds.len()],
        };
        let mut free: Vec<usize> = Vec::new();
        for (step, uses) in steps.iter().enumerate() {
            let mut ending = uses.reads.clone();
            ending.retain(|id| last[id.0] == step && slots.of(*id).is_some());
            ending.dedup();
            if let Some((from, to)) = uses.in_place
                && ending.contains(&from)
                && uses.reads.iter().filter(|id| **id == from).count() == 1
            {
                slots.of_values[to.0] = slots.of(from);
                ending.retain(|&id| id != from);
            }
            if let Some(first) = uses.read_first
                && ending.contains(&first)
            {
                free.extend(slots.of(first));
                ending.retain(|&id| id != first);
            }
            for id in &uses.writes {
                if let Some(kind) = kinds[id.0]
                    && slots.of(*id).is_none()
                {
                    slots.of_values[id.0] = Some(slots.take(&mut free, kind));
                }
            }
            free.extend(ending.iter().filter_map(|id| slots.of(*id)));
        }
        slots
    }

    /// The slot of a value.
    pub fn of(&self, id: ValueId) -> Option<usize> {
        self.of_values[id.0]
    }

    /// A free slot of this kind, or a new one.
    fn take(&mut self, free: &mut Vec<usize>, kind: K) -> usize {
        let fitting = free.iter().position(|&slot| self.kinds[slot] == kind);
        match fitting {
            Some(index) => free.swap_remove(index),
            None => {
                self.kinds.push(kind);
                self.kinds.len() - 1
            }
        }
    }
}

/// The last step that reads each value, or the one that writes it.
fn last_uses(steps: &[Uses], values: usize) -> Vec<usize> {
    let mut last = vec![0; values];
    for (step, uses) in steps.iter().enumerate() {
        for id in uses.reads.iter().chain(&uses.writes) {
            last[id.0] = step;
        }
    }
    last
}
