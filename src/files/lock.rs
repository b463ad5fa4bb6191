//! Exclusive creation of a file, by a lock on its lock file, which the operating system releases
//! when the process ends.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// An open file that is unlocked when this is dropped. Closing it would not do at once: a process that another thread is
/// just starting has it open, too, until its program runs.
#[derive(Debug)]
pub(super) struct Locked(pub File);

impl Drop for Locked {
    fn drop(&mut self) {
        // Where this fails, closing does it.
        self.0.unlock().unwrap_or_default();
    }
}

/// The exclusive right to create a file.
pub struct FileLock {
    path: PathBuf,
    _lock: Locked,
}

impl FileLock {
    /// None if another process has it.
    pub fn take(file: &Path) -> Result<Option<FileLock>> {
        let path = file.with_extension("lock");
        let cannot = || format!("cannot lock {}", path.display());
        let mut options = OpenOptions::new();
        let lock = options.write(true).create(true).truncate(false).open(&path);
        let lock = lock.with_context(cannot)?;
        match lock.try_lock() {
            Ok(()) => {
                let _lock = Locked(lock);
                Ok(Some(FileLock { path, _lock }))
            }
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error).with_context(cannot),
        }
    }

    /// Removes the file while it is still locked: a process that has opened it before will find the
    /// created file.
    pub fn release(self) -> Result<()> {
        let removed = match fs::remove_file(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            removed => removed,
        };
        removed.with_context(|| format!("cannot remove {}", self.path.display()))
    }
}
