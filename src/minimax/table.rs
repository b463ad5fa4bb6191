//! The transposition table, shared by threads without locks.
//!
//! An entry is two atomic words, the data and the key xor the data (Hyatt and Mann 2002): an entry
//! that two threads have written halves of has a wrong key and is not found.

use std::sync::atomic::{AtomicU64, Ordering};

use super::report::Bound;
use super::score::Score;

/// Entries that share a place; together a cache line.
const WAYS: usize = 4;
/// Ages are counted modulo this.
const AGES: u8 = 64;

/// What is known about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Code of the best move, 0 if there is none.
    pub code: u16,
    /// Score, with distances to the end of the game counted from the position.
    pub score: Score,
    /// Static evaluation; [`NO_EVAL`] if it has none.
    pub eval: Score,
    /// Depth of the search in plies; 0 for quiescence searches.
    pub depth: u8,
    /// What the score means.
    pub bound: Bound,
}

/// Stands for a missing evaluation.
pub const NO_EVAL: Score = i16::MIN as Score;

impl Entry {
    fn packed(&self, age: u8) -> u64 {
        let bound = match self.bound {
            Bound::Exact => 1,
            Bound::Lower => 2,
            Bound::Upper => 3,
        };
        u64::from(self.code)
            | u64::from(self.score as i16 as u16) << 16
            | u64::from(self.eval as i16 as u16) << 32
            | u64::from(self.depth) << 48
            | bound << 56
            | u64::from(age) << 58
    }

    /// `None` for an entry that was never written.
    fn unpacked(data: u64) -> Option<Entry> {
        let bound = match data >> 56 & 3 {
            1 => Bound::Exact,
            2 => Bound::Lower,
            3 => Bound::Upper,
            _ => return None,
        };
        Some(Entry {
            code: data as u16,
            score: Score::from((data >> 16) as i16),
            eval: Score::from((data >> 32) as i16),
            depth: (data >> 48) as u8,
            bound,
        })
    }
}

fn age_of(data: u64) -> u8 {
    (data >> 58) as u8
}

#[derive(Default)]
struct Slot {
    /// Key xor data.
    check: AtomicU64,
    data: AtomicU64,
}

#[derive(Default)]
#[repr(align(64))]
struct Bucket([Slot; WAYS]);

/// The table.
pub struct Table {
    buckets: Vec<Bucket>,
    age: u8,
}

impl Table {
    /// An empty table of this many MiB, at least one.
    pub fn new(mebibytes: usize) -> Table {
        let count = (mebibytes.max(1) << 20) / size_of::<Bucket>();
        Table {
            buckets: std::iter::repeat_with(Bucket::default)
                .take(count)
                .collect(),
            age: 0,
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        for slot in self.buckets.iter_mut().flat_map(|bucket| &mut bucket.0) {
            *slot = Slot::default();
        }
        self.age = 0;
    }

    /// A new search begins: earlier entries are replaced first.
    pub fn begin_search(&mut self) {
        self.age = (self.age + 1) % AGES;
    }

    fn bucket(&self, key: u64) -> &Bucket {
        let index = (u128::from(key) * self.buckets.len() as u128) >> 64;
        &self.buckets[index as usize]
    }

    /// Asks for the memory of a key that will soon be looked up, without waiting for it.
    #[inline]
    pub fn touch(&self, key: u64) {
        // Nothing depends on the value, so the processor goes on while it is on its way; compilers keep
        // atomic loads.
        self.bucket(key).0[0].data.load(Ordering::Relaxed);
    }

    /// What is known about the position with this key.
    pub fn get(&self, key: u64) -> Option<Entry> {
        self.bucket(key).0.iter().find_map(|slot| {
            let data = slot.data.load(Ordering::Relaxed);
            let is_it = slot.check.load(Ordering::Relaxed) ^ data == key;
            is_it.then(|| Entry::unpacked(data)).flatten()
        })
    }

    /// Stores an entry in the place of an older one of this position, or of the one that is worth
    /// least: from an earlier search, then of the smallest depth.
    pub fn put(&self, key: u64, entry: Entry) {
        let worth = |slot: &&Slot| {
            let data = slot.data.load(Ordering::Relaxed);
            match Entry::unpacked(data) {
                _ if slot.check.load(Ordering::Relaxed) ^ data == key => 0,
                None => 1,
                Some(old) => (2 + u32::from(age_of(data) == self.age)) << 8 | u32::from(old.depth),
            }
        };
        let Some(slot) = self.bucket(key).0.iter().min_by_key(worth) else {
            return;
        };
        let old = slot.data.load(Ordering::Relaxed);
        let is_same = slot.check.load(Ordering::Relaxed) ^ old == key;
        let mut entry = entry;
        if let (true, Some(old)) = (is_same, Entry::unpacked(old)) {
            let is_fresh = age_of(slot.data.load(Ordering::Relaxed)) == self.age;
            if is_fresh && entry.bound != Bound::Exact && entry.depth + 3 < old.depth {
                return;
            }
            if entry.code == 0 {
                entry.code = old.code;
            }
        }
        let data = entry.packed(self.age);
        slot.check.store(key ^ data, Ordering::Relaxed);
        slot.data.store(data, Ordering::Relaxed);
    }

    /// Thousandths of the table that the current search has filled, estimated from a sample.
    pub fn fill(&self) -> u32 {
        let sample = self.buckets.len().min(250);
        let slots = self.buckets[..sample].iter().flat_map(|bucket| &bucket.0);
        let is_current = |slot: &&Slot| {
            let data = slot.data.load(Ordering::Relaxed);
            Entry::unpacked(data).is_some() && age_of(data) == self.age
        };
        (slots.filter(is_current).count() * 1000 / (sample * WAYS)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(depth: u8, code: u16) -> Entry {
        Entry {
            code,
            score: -29_990,
            eval: -17,
            depth,
            bound: Bound::Upper,
        }
    }

    #[test]
    fn entries_come_back() {
        let table = Table::new(1);
        assert_eq!(table.get(0), None);
        table.put(42, entry(200, 7));
        assert_eq!(table.get(42), Some(entry(200, 7)));
        assert_eq!(table.get(43), None);
    }

    #[test]
    fn shallow_entries_are_replaced_first_and_old_ones_before() {
        let mut table = Table::new(1);
        for (key, depth) in [(1, 9), (2, 3), (3, 8), (4, 7)] {
            table.put(key, entry(depth, 1));
        }
        table.put(5, entry(1, 1));
        assert_eq!(table.get(2), None);
        table.begin_search();
        table.put(6, entry(1, 1));
        assert_eq!(table.get(5), None);
        table.put(7, entry(1, 1));
        assert!(table.get(1).is_some() && table.get(6).is_some());
        assert_eq!(table.get(4), None);
    }

    #[test]
    fn torn_entries_are_not_found() {
        let table = Table::new(1);
        table.put(1, entry(5, 1));
        let other = entry(6, 2).packed(0);
        table.buckets[0].0[0].data.store(other, Ordering::Relaxed);
        assert_eq!(table.get(1), None);
    }

    #[test]
    fn best_move_outlives_an_entry_without_one() {
        let table = Table::new(1);
        table.put(1, entry(5, 9));
        table.put(1, entry(5, 0));
        assert_eq!(table.get(1).map(|entry| entry.code), Some(9));
    }
}
