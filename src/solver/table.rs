//! What the search has found out about positions, in a bounded memory.

/// Proof and disproof numbers of a node (Allis, 1994): how many positions must at least be settled
/// until the question is answered with yes or with no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    /// 0 if the answer is yes.
    pub(super) proof: u32,
    /// 0 if the answer is no.
    pub(super) disproof: u32,
}

/// The number of what cannot be settled this way.
pub(super) const INFINITE: u32 = 1 << 28;

impl Numbers {
    pub(super) const YES: Numbers = Numbers {
        proof: 0,
        disproof: INFINITE,
    };
    pub(super) const NO: Numbers = Numbers {
        proof: INFINITE,
        disproof: 0,
    };

    /// The answer, if it is known.
    pub(super) fn answer(self) -> Option<bool> {
        match (self.proof, self.disproof) {
            (0, _) => Some(true),
            (_, 0) => Some(false),
            _ => None,
        }
    }
}

/// What is known of a position.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    verify: u64,
    /// For a yes, the points on which it depends.
    pub(super) zone: u128,
    pub(super) numbers: Numbers,
    /// Nodes spent below.
    pub(super) work: u32,
    /// The move that answers, or is the likeliest to.
    pub(super) best: u8,
}

const EMPTY: Entry = Entry {
    verify: 0,
    zone: 0,
    numbers: Numbers {
        proof: 1,
        disproof: 1,
    },
    work: 0,
    best: super::arena::NOWHERE,
};

const BUCKET: usize = 4;

/// Positions by key. Where there is no room, those on which the least was spent go.
pub(super) struct Table {
    entries: Vec<Entry>,
    /// The last bits of each entry's `verify`: most positions that are looked for are not there, which
    /// these tell from faster memory.
    tags: Vec<u16>,
}

impl Table {
    /// A table with room for that many positions, rounded up to a power of two.
    pub(super) fn new(capacity: usize) -> Table {
        let capacity = capacity.max(BUCKET).next_power_of_two();
        Table {
            entries: vec![EMPTY; capacity],
            tags: vec![EMPTY.verify as u16; capacity],
        }
    }

    fn bucket(&self, key: u128) -> usize {
        (key as u64 as usize & (self.entries.len() - 1)) & !(BUCKET - 1)
    }

    pub(super) fn get(&self, key: u128) -> Option<&Entry> {
        let start = self.bucket(key);
        let verify = (key >> 64) as u64;
        let tagged = |at: &usize| self.tags[*at] == verify as u16;
        let mut likely = (start..start + BUCKET).filter(tagged);
        likely.find_map(|at| Some(&self.entries[at]).filter(|entry| entry.verify == verify))
    }

    pub(super) fn put(&mut self, key: u128, numbers: Numbers, zone: u128, work: u32, best: u8) {
        let start = self.bucket(key);
        let verify = (key >> 64) as u64;
        let bucket = &mut self.entries[start..start + BUCKET];
        let known = bucket.iter().position(|entry| entry.verify == verify);
        let least = || (0..BUCKET).min_by_key(|&at| bucket[at].work);
        if let Some(at) = known.or_else(least) {
            let work = match known {
                Some(_) => bucket[at].work.saturating_add(work),
                None => work,
            };
            self.tags[start + at] = verify as u16;
            bucket[at] = Entry {
                verify,
                zone,
                numbers,
                work,
                best,
            };
        }
    }
}
