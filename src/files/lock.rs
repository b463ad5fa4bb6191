//! Exclusive creation of a file, by a lock on its lock file, which the operating system releases
//! when the process ends.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The exclusive right to create a file.
pub struct FileLock {
    path: PathBuf,
    /// Locked while open.
    _lock: File,
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
            Ok(()) => Ok(Some(FileLock { path, _lock: lock })),
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
