//! Exclusive creation of a file, by a lock on its lock file, which the operating system releases
//! when the process ends.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// An open file that is unlocked when this is dropped. Closing it would not do at once: a process that another thread
/// is just starting has it open, too, until its program runs.
#[derive(Debug)]
pub(super) struct Locked(pub File);

impl Drop for Locked {
    fn drop(&mut self) {
        // Where this fails, closing does it.
        self.0.unlock().unwrap_or_default();
    }
}

/// How often a lock file that was replaced meanwhile is opened anew. Where it still seems to be, the file system gives
/// changing numbers to its files, as some network file systems do, and the lock alone must do.
const TRIES: usize = 100;

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
        options.write(true).create(true).truncate(false);
        let mut tries = 0;
        loop {
            tries += 1;
            let lock = options.open(&path).with_context(cannot)?;
            match lock.try_lock() {
                Ok(()) => (),
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error).with_context(cannot),
            }
            let lock = Locked(lock);
            if is_at(&lock.0, &path).with_context(cannot)? || tries == TRIES {
                return Ok(Some(FileLock { path, _lock: lock }));
            }
        }
    }

    /// Removes the file while it is still locked.
    pub fn release(self) -> Result<()> {
        let removed = match fs::remove_file(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            removed => removed,
        };
        removed.with_context(|| format!("cannot remove {}", self.path.display()))
    }
}

/// Whether an open file is still the one of this name: a process that released the lock after this one had opened its
/// file has removed it, and another file may be locked there.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> std::io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let open = file.metadata()?;
    match fs::metadata(path) {
        Ok(there) => Ok((there.dev(), there.ino()) == (open.dev(), open.ino())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Elsewhere an open file cannot be removed.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> std::io::Result<bool> {
    Ok(true)
}
