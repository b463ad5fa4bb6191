//! How many searches run at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use crate::threads::{locked, signaled_within};

/// Between looks at the flag that gives waiting up.
const LOOK: Duration = Duration::from_millis(50);

/// Room for so many searches.
pub(super) struct Slots {
    count: usize,
    free: Mutex<usize>,
    freed: Condvar,
}

/// A place among the searches, until it is dropped.
pub(super) struct Slot<'a>(&'a Slots);

impl Slots {
    pub(super) fn new(count: usize) -> Slots {
        Slots {
            count,
            free: Mutex::new(count),
            freed: Condvar::new(),
        }
    }

    /// How many searches run.
    pub(super) fn taken(&self) -> usize {
        self.count - *locked(&self.free)
    }

    /// Waits for a place; none if `stop` is set before.
    pub(super) fn take(&self, stop: &AtomicBool) -> Option<Slot<'_>> {
        let mut free = locked(&self.free);
        while !stop.load(Ordering::SeqCst) {
            if *free > 0 {
                *free -= 1;
                return Some(Slot(self));
            }
            free = signaled_within(&self.freed, free, LOOK);
        }
        None
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        *locked(&self.0.free) += 1;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_for_a_full_room_ends_with_the_flag_or_a_free_place() {
        let (slots, stop) = (Slots::new(1), AtomicBool::new(false));
        let taken = slots.take(&stop);
        assert!(taken.is_some());
        assert_eq!(slots.taken(), 1);
        assert!(slots.take(&AtomicBool::new(true)).is_none());
        drop(taken);
        assert!(slots.take(&stop).is_some());
    }
}
