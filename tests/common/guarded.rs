//! Processes that no test leaves behind.

use std::ops::{Deref, DerefMut};
use std::process::{Child, Command};

/// A process that is killed when it is dropped, so that a failed test does not leave it running.
pub struct Guarded(Child);

impl Guarded {
    pub fn spawn(command: &mut Command) -> Guarded {
        Guarded(command.spawn().unwrap())
    }
}

impl Deref for Guarded {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.0
    }
}

impl DerefMut for Guarded {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // It may have ended.
        self.0.kill().unwrap_or_default();
        self.0.wait().unwrap();
    }
}
