//! The transposition table: what a search has found out about positions, rolls to come included.

/// What is known about a position.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Known {
    key: u64,
    depth: u32,
    /// The value is not smaller.
    pub low: f64,
    /// The value is not greater.
    pub high: f64,
}

/// A table of a fixed size; an entry replaces any other in its place.
#[derive(Clone, Debug)]
pub struct ValueTable {
    /// A power of two of them; a depth of 0 is an empty place.
    entries: Vec<Known>,
}

impl ValueTable {
    /// A table with two to the power of `bits` entries of 32 bytes each.
    pub fn new(bits: u32) -> ValueTable {
        ValueTable {
            entries: vec![Known::default(); 1 << bits.min(28)],
        }
    }

    /// What is known about the value of a position searched to exactly this depth, at least 1.
    pub fn find(&self, key: u64, depth: u32) -> Option<Known> {
        let entry = self.entries[self.place(key)];
        (entry.key == key && entry.depth == depth).then_some(entry)
    }

    /// Stores that the value is in this range; earlier knowledge of the same search is kept too.
    pub fn store(&mut self, key: u64, depth: u32, low: f64, high: f64) {
        let place = self.place(key);
        let entry = &mut self.entries[place];
        let (mut low, mut high) = (low, high);
        if entry.key == key && entry.depth == depth {
            low = low.max(entry.low);
            high = high.min(entry.high);
        }
        *entry = Known {
            key,
            depth,
            low,
            high,
        };
    }

    fn place(&self, key: u64) -> usize {
        key as usize & (self.entries.len() - 1)
    }
}
