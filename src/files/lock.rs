//! Exclusive creation of a file, by a lock on its lock file, which the operating system releases
//! when the process ends.

use std::fs::{self, File, OpenOptions};
use std::io;
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

/// The exclusive right to create a file.
pub struct FileLock {
    path: PathBuf,
    lock: Locked,
}

impl FileLock {
    /// None if another process has it.
    pub fn take(file: &Path) -> Result<Option<FileLock>> {
        let path = file.with_extension("lock");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let lock = lock_file(options, &path);
        let lock = lock.with_context(|| format!("cannot lock {}", path.display()))?;
        Ok(lock.map(|lock| FileLock { path, lock }))
    }

    /// Removes the file.
    pub fn release(self) -> Result<()> {
        let FileLock { path, lock } = self;
        let removed = remove_locked(&path, lock);
        removed.with_context(|| format!("cannot remove {}", path.display()))
    }
}

/// The locked file of this name; none if another process has it.
#[cfg(unix)]
fn lock_file(options: OpenOptions, path: &Path) -> io::Result<Option<Locked>> {
    /// How often a lock file that was replaced meanwhile is opened anew. Where it still seems to be, the file system
    /// gives changing numbers to its files, as some network file systems do, and the lock alone must do.
    const TRIES: usize = 100;
    let mut tries = 0;
    loop {
        tries += 1;
        let lock = options.open(path)?;
        match lock.try_lock() {
            Ok(()) => (),
            Err(fs::TryLockError::WouldBlock) => return Ok(None),
            Err(fs::TryLockError::Error(error)) => return Err(error),
        }
        let lock = Locked(lock);
        if is_at(&lock.0, path)? || tries == TRIES {
            return Ok(Some(lock));
        }
    }
}

/// Whether an open file is still the one of this name: a process that released the lock after this one had opened its
/// file has removed it, and another file may be locked there.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let open = file.metadata()?;
    match fs::metadata(path) {
        Ok(there) => Ok((there.dev(), there.ino()) == (open.dev(), open.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Removes the file while it is still locked.
#[cfg(unix)]
fn remove_locked(path: &Path, _lock: Locked) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// The file of this name, which nobody else can open meanwhile; none if another process has it.
#[cfg(windows)]
fn lock_file(mut options: OpenOptions, path: &Path) -> io::Result<Option<Locked>> {
    use std::os::windows::fs::OpenOptionsExt;
    const SHARING_VIOLATION: i32 = 32;
    match options.share_mode(0).open(path) {
        Err(error) if error.raw_os_error() == Some(SHARING_VIOLATION) => Ok(None),
        opened => opened.map(Locked).map(Some),
    }
}

/// Removes the file, unless another process has it by now: one that is open cannot be removed.
#[cfg(windows)]
fn remove_locked(path: &Path, lock: Locked) -> io::Result<()> {
    drop(lock);
    fs::remove_file(path).unwrap_or_default();
    Ok(())
}
