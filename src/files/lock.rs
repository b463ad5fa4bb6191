//! Who makes a file: whoever holds the lock on its lock file, which the operating system takes away
//! from processes that end.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The right to make a file.
pub struct FileLock {
    path: PathBuf,
    /// Locked as long as it is open.
    _lock: File,
}

impl FileLock {
    /// None if somebody else has it.
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

    /// Removes the file while it is still locked: whoever has opened it before will find what was made.
    pub fn release(self) -> Result<()> {
        let removed = match fs::remove_file(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            removed => removed,
        };
        removed.with_context(|| format!("cannot remove {}", self.path.display()))
    }
}
