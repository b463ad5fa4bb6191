//! File operations that must be durable; tests can let any one of them fail.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Writes all bytes.
pub(super) fn write_all(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    if let Err(error) = next_write() {
        // A full disk takes what still fits.
        file.write_all(&bytes[..bytes.len() / 2])?;
        return Err(error);
    }
    file.write_all(bytes)
}

/// Waits until the contents are on the disk.
pub(super) fn sync(file: &File) -> io::Result<()> {
    next_write()?;
    file.sync_data()
}

/// Truncates a file.
pub(super) fn set_len(file: &File, len: u64) -> io::Result<()> {
    next_write()?;
    file.set_len(len)
}

/// Gives a temporary file its name.
pub(super) fn persist(file: NamedTempFile, path: &Path, may_replace: bool) -> io::Result<()> {
    next_write()?;
    match may_replace {
        true => replace(file, path),
        false => file.persist_noclobber(path).map(|_| ()).map_err(Into::into),
    }
}

#[cfg(not(windows))]
fn replace(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.persist(path)?;
    Ok(())
}

/// By the standard library, which replaces files that others have open, too.
#[cfg(windows)]
fn replace(file: NamedTempFile, path: &Path) -> io::Result<()> {
    let (_file, temporary) = file.keep()?;
    std::fs::rename(&temporary, path).inspect_err(|_| {
        std::fs::remove_file(&temporary).unwrap_or_default();
    })
}

/// An error if this operation is to fail, which happens only in tests.
fn next_write() -> io::Result<()> {
    #[cfg(test)]
    faults::next_write()?;
    Ok(())
}

/// Injected write failures, for tests.
#[cfg(test)]
pub mod faults {
    use std::cell::Cell;
    use std::io;

    /// Which of this thread's operations fail.
    #[derive(Clone, Copy, Debug)]
    pub enum Failing {
        /// One, counted from 0.
        Only(usize),
        /// One and all that follow, as if the process had been killed.
        From(usize),
    }

    thread_local! {
        static FAILING: Cell<Option<Failing>> = const { Cell::new(None) };
        static WRITES: Cell<usize> = const { Cell::new(0) };
    }

    pub(super) fn next_write() -> io::Result<()> {
        let number = WRITES.replace(WRITES.get() + 1);
        let fails = match FAILING.get() {
            None => false,
            Some(Failing::Only(n)) => number == n,
            Some(Failing::From(n)) => number >= n,
        };
        match fails {
            true => Err(io::ErrorKind::StorageFull.into()),
            false => Ok(()),
        }
    }

    /// Runs a function with failing operations, and returns how many failed.
    pub fn with<T>(failing: Failing, action: impl FnOnce() -> T) -> (T, usize) {
        WRITES.set(0);
        FAILING.set(Some(failing));
        let result = action();
        FAILING.set(None);
        (result, WRITES.get())
    }

    /// Runs a function repeatedly, each time with another failing operation, once alone and once
    /// with all that follow, until none is reached. `check` gets the results.
    pub fn each<T>(mut action: impl FnMut() -> T, mut check: impl FnMut(T, Failing)) {
        for failing in [Failing::Only, Failing::From] {
            for number in 0.. {
                let (result, writes) = with(failing(number), &mut action);
                check(result, failing(number));
                if writes <= number {
                    assert!(number > 0, "nothing was written");
                    break;
                }
            }
        }
    }
}
