//! Memory for the trees of searches that run at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A limit for the trees of several searches together. A search may use all that others leave, and its share in any
/// case.
#[derive(Debug)]
pub struct TreeMemory {
    limit: u64,
    share: u64,
    used: AtomicU64,
}

impl TreeMemory {
    /// A limit in bytes for so many searches at once.
    pub fn new(limit: u64, searches: usize) -> TreeMemory {
        TreeMemory {
            limit,
            share: limit / searches.max(1) as u64,
            used: AtomicU64::new(0),
        }
    }
}

/// What one search uses of a memory.
#[derive(Debug)]
pub(super) struct Usage {
    memory: Arc<TreeMemory>,
    counted: AtomicU64,
}

impl Usage {
    /// Nothing so far.
    pub(super) fn new(memory: Arc<TreeMemory>) -> Usage {
        Usage {
            memory,
            counted: AtomicU64::new(0),
        }
    }

    /// Whether the search must end, now that its tree has this size in bytes. Called by one thread at a time.
    pub(super) fn is_full(&self, bytes: u64) -> bool {
        let TreeMemory { limit, share, used } = &*self.memory;
        // Differences below 0 wrap around, and so does the sum.
        let change = bytes.wrapping_sub(self.counted.swap(bytes, Ordering::Relaxed));
        let all = used
            .fetch_add(change, Ordering::Relaxed)
            .wrapping_add(change);
        all >= *limit && bytes >= *share
    }
}

impl Drop for Usage {
    fn drop(&mut self) {
        self.is_full(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_search_has_all_and_each_its_share() {
        let memory = Arc::new(TreeMemory::new(1000, 4));
        let [first, second] = [(); 2].map(|()| Usage::new(Arc::clone(&memory)));
        assert!(!first.is_full(900) && first.is_full(1000));
        assert!(!first.is_full(900));
        // The other one gets its share, beyond the limit if need be; the large one has to end.
        assert!(!second.is_full(200) && first.is_full(900) && second.is_full(250));
        drop(first);
        assert!(!second.is_full(990));
        drop(second);
        assert_eq!(memory.used.load(Ordering::Relaxed), 0);
    }
}
