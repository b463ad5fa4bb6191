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
    pub(super) const UNKNOWN: Numbers = Numbers {
        proof: 1,
        disproof: 1,
    };
    /// As a limit none; as numbers those of what cannot be settled.
    pub(super) const INFINITE: Numbers = Numbers {
        proof: INFINITE,
        disproof: INFINITE,
    };
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
    key: u128,
    /// Of an answer, the points on which it depends.
    pub(super) zone: u128,
    pub(super) numbers: Numbers,
    /// The move that answers, or is the likeliest to.
    pub(super) best: u8,
}

const EMPTY: Entry = Entry {
    key: 0,
    zone: 0,
    numbers: Numbers::UNKNOWN,
    best: super::arena::NOWHERE,
};

/// What tells most entries apart in less memory, which is faster.
#[derive(Clone, Copy, Default)]
struct Mark {
    /// The first bits of the key; 0 if there is no entry.
    tag: u16,
    /// Nodes spent below, no more than fit.
    work: u16,
}

impl Mark {
    fn tag(key: u128) -> u16 {
        ((key >> 112) as u16).max(1)
    }
}

const BUCKET: usize = 4;

/// Room of a new table, as small tables are faster.
const FIRST_CAPACITY: usize = 1 << 12;

/// How much larger a table gets once it is half full.
const GROWTH: usize = 4;

/// Positions by key. Where there is no room, those on which the least was spent go.
pub(super) struct Table {
    entries: Vec<Entry>,
    marks: Vec<Mark>,
    stored: usize,
    most: usize,
}

impl Table {
    /// A table for that many positions at most, rounded up to a power of two.
    pub(super) fn new(most: usize) -> Table {
        let most = most.max(BUCKET).next_power_of_two();
        Table::with_capacity(most.min(FIRST_CAPACITY), most)
    }

    fn with_capacity(capacity: usize, most: usize) -> Table {
        Table {
            entries: vec![EMPTY; capacity],
            marks: vec![Mark::default(); capacity],
            stored: 0,
            most,
        }
    }

    fn bucket(&self, key: u128) -> usize {
        (key as u64 as usize & (self.entries.len() - 1)) & !(BUCKET - 1)
    }

    fn find(&self, key: u128) -> Option<usize> {
        let start = self.bucket(key);
        let tag = Mark::tag(key);
        let marks = &self.marks[start..start + BUCKET];
        let mut likely = (0..BUCKET).filter(|&at| marks[at].tag == tag);
        likely.find_map(|at| (self.entries[start + at].key == key).then_some(start + at))
    }

    pub(super) fn get(&self, key: u128) -> Option<&Entry> {
        self.find(key).map(|at| &self.entries[at])
    }

    pub(super) fn put(&mut self, key: u128, numbers: Numbers, zone: u128, work: u32, best: u8) {
        let mut work = work.min(u16::MAX.into()) as u16;
        let at = match self.find(key) {
            Some(at) => {
                work = work.saturating_add(self.marks[at].work);
                at
            }
            None => self.room(key),
        };
        let tag = Mark::tag(key);
        self.marks[at] = Mark { tag, work };
        self.entries[at] = Entry {
            key,
            zone,
            numbers,
            best,
        };
    }

    /// Where a new entry goes: a free place, or that on which the least was spent.
    fn room(&mut self, key: u128) -> usize {
        if self.stored >= self.entries.len() / 2 && self.entries.len() < self.most {
            self.grow();
        }
        let start = self.bucket(key);
        let marks = &self.marks[start..start + BUCKET];
        let least = (0..BUCKET).min_by_key(|&at| (marks[at].tag != 0, marks[at].work));
        let at = start + least.unwrap_or(0);
        self.stored += usize::from(self.marks[at].tag == 0);
        at
    }

    fn grow(&mut self) {
        let capacity = self.most.min(GROWTH * self.entries.len());
        let old = std::mem::replace(self, Table::with_capacity(capacity, self.most));
        for (entry, mark) in old.entries.into_iter().zip(old.marks) {
            if mark.tag != 0 {
                let at = self.room(entry.key);
                self.entries[at] = entry;
                self.marks[at] = mark;
            }
        }
    }
}
