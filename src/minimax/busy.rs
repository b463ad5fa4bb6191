//! Which moves the threads of a search are searching at the moment, so that each takes others first: the simple form of
//! ABDADA (Weill 1996) that Kerrigan describes ("Simplified ABDADA", 2017).

use std::sync::atomic::{AtomicU64, Ordering};

/// Least depth in plies of a node whose moves are shared out.
pub(super) const FROM_DEPTH: i32 = 3;
/// Far more than moves that are searched at the same time. Two moves in one place are only not told apart.
const PLACES: usize = 1 << 12;

/// The moves that are being searched, by the hash of the position after them; none is kept for one thread.
pub(super) struct Busy(Vec<AtomicU64>);

impl Busy {
    /// For this many threads.
    pub fn new(threads: usize) -> Busy {
        let places = if threads > 1 { PLACES } else { 0 };
        Busy((0..places).map(|_| AtomicU64::new(0)).collect())
    }

    /// The name of a move, from the hash of the position after it and the depth to which it is searched; none where moves
    /// are not shared out.
    pub fn name(&self, key: u64, depth: i32) -> Option<u64> {
        let is_shared = depth >= FROM_DEPTH && !self.0.is_empty();
        is_shared.then_some(key ^ depth as u64)
    }

    fn place(&self, name: u64) -> &AtomicU64 {
        &self.0[name as usize % self.0.len()]
    }

    /// Whether a thread is searching this move.
    pub fn has(&self, name: u64) -> bool {
        self.place(name).load(Ordering::Relaxed) == name
    }

    /// This thread begins to search a move.
    pub fn begin(&self, name: u64) {
        self.place(name).store(name, Ordering::Relaxed);
    }

    /// This thread has searched a move.
    pub fn end(&self, name: u64) {
        self.place(name).store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_busy_while_they_are_searched() {
        let busy = Busy::new(2);
        let name = busy.name(0x1234_5678_9abc_def0, 5).unwrap();
        let other = busy.name(0x1234_5678_9abc_def0, 6).unwrap();
        assert!(!busy.has(name));
        busy.begin(name);
        assert!(busy.has(name) && !busy.has(other));
        busy.end(name);
        assert!(!busy.has(name));
        assert_eq!(busy.name(7, FROM_DEPTH - 1), None);
        assert_eq!(Busy::new(1).name(7, 20), None);
    }
}
