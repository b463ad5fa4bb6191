//! A table of values by codes, read-only once it is built: open addressing, half empty.

/// Marks a slot without value; no code has all bits.
const NONE: u32 = u32::MAX;

/// Values by codes.
#[derive(Clone, Debug)]
pub(super) struct CodeTable<V> {
    slots: Vec<(u32, V)>,
    /// How far a product is shifted to get a slot's number.
    shift: u32,
}

impl<V: Copy + Default> CodeTable<V> {
    /// The first value of each code counts.
    pub(super) fn new(entries: &[(u32, V)]) -> CodeTable<V> {
        let length = (2 * entries.len()).next_power_of_two().max(2);
        let mut table = CodeTable {
            slots: vec![(NONE, V::default()); length],
            shift: 32 - length.trailing_zeros(),
        };
        for &(code, value) in entries {
            let slot = table.slot(code);
            if table.slots[slot].0 == NONE {
                table.slots[slot] = (code, value);
            }
        }
        table
    }

    /// The value of a code.
    #[inline]
    pub(super) fn get(&self, code: u32) -> Option<V> {
        let (found, value) = self.slots[self.slot(code)];
        (found == code).then_some(value)
    }

    /// The slot of a code, or the empty one where it would be.
    #[inline]
    fn slot(&self, code: u32) -> usize {
        // Knuth's multiplier: 2^32 divided by the golden ratio.
        let mut slot = (code.wrapping_mul(0x9E37_79B1) >> self.shift) as usize;
        while self.slots[slot].0 != code && self.slots[slot].0 != NONE {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        slot
    }
}
