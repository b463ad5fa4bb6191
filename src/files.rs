//! Files that are there whole or not at all, their folders and their sums.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};
use tempfile::{Builder, NamedTempFile};

pub mod difference;
mod disk;
pub mod lines;
pub mod lock;

#[cfg(test)]
pub use disk::faults;

/// How names of temporary files begin.
const TEMPORARY: &str = ".keima-";
/// A temporary file that has not changed for so long, and is not locked, is nobody's.
const SURELY_WRITTEN: Duration = Duration::from_secs(60);
/// The most bytes of a file of text that users name: a game record, openings, a script.
pub const TEXT_LIMIT: u64 = 1 << 26;
/// The most bytes of a network's file.
pub const NETWORK_LIMIT: u64 = 1 << 32;
/// The most bytes of a file that training keeps: a shard of labels, or a state.
pub const TRAINING_LIMIT: u64 = 1 << 34;

/// Opens a file that a user named. What is no regular file, such as a pipe, which may never end, is
/// an error, and so is one of more than `limit` bytes.
pub fn open_regular(path: &Path, limit: u64) -> Result<File> {
    let cannot = || format!("cannot read {}", path.display());
    let metadata = fs::metadata(path).with_context(cannot)?;
    ensure!(
        metadata.is_file(),
        "cannot read {}: not a regular file",
        path.display()
    );
    ensure!(
        metadata.len() <= limit,
        "cannot read {}: more than {limit} bytes",
        path.display()
    );
    File::open(path).with_context(cannot)
}

/// The contents of a file that a user named, under the conditions of [`open_regular`].
pub fn read_regular(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let file = open_regular(path, limit)?;
    let mut bytes = Vec::new();
    // Some files say that they are empty, and are not.
    let read = file.take(limit.saturating_add(1)).read_to_end(&mut bytes);
    read.with_context(|| format!("cannot read {}", path.display()))?;
    ensure!(
        bytes.len() as u64 <= limit,
        "cannot read {}: more than {limit} bytes",
        path.display()
    );
    Ok(bytes)
}

/// The text of a file that a user named.
pub fn read_text(path: &Path) -> Result<String> {
    let bytes = read_regular(path, TEXT_LIMIT)?;
    String::from_utf8(bytes).context("the file is no text in UTF-8")
}

/// Writes a new file. An existing one is an error, unless it may be replaced.
pub fn write_whole(path: &Path, contents: &[u8], may_replace: bool) -> Result<()> {
    ensure!(
        may_replace || !exists(path),
        "{} exists already",
        path.display()
    );
    ensure!(
        !exists(path) || fs::metadata(path).is_ok_and(|metadata| metadata.is_file()),
        "cannot write {}: not a regular file",
        path.display()
    );
    let cannot = || format!("cannot write {}", path.display());
    let mut file = beside(path).with_context(cannot)?;
    // Tells others that somebody is at it; where files cannot be locked, their age does.
    let _ = file.as_file().try_lock();
    disk::write_all(file.as_file_mut(), contents).with_context(cannot)?;
    disk::sync(file.as_file()).with_context(cannot)?;
    disk::persist(file, path, may_replace).with_context(cannot)
}

/// Removes temporary files of processes that ended while they wrote into a folder: those that nobody
/// has locked, and that are not new. What cannot be removed stays.
pub fn remove_abandoned(folder: &Path) {
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_temporary = name.to_string_lossy().starts_with(TEMPORARY);
        if is_temporary && is_abandoned(&entry.path()).unwrap_or(false) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_abandoned(path: &Path) -> std::io::Result<bool> {
    let file = fs::OpenOptions::new().write(true).open(path)?;
    let age = file.metadata()?.modified()?.elapsed().unwrap_or_default();
    Ok(age >= SURELY_WRITTEN && file.try_lock().is_ok())
}

/// Makes a folder, with those it lies in, unless it is there.
pub fn make_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).with_context(|| format!("cannot make {}", path.display()))
}

/// SHA-256 of a file's bytes, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// Two digits for each byte.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether there is anything of this name, be it only a broken link.
pub fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// A file in the same folder, which vanishes unless it gets another name.
fn beside(path: &Path) -> Result<NamedTempFile> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut builder = Builder::new();
    builder.prefix(TEMPORARY);
    // By default nobody else may read temporary files.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    Ok(builder.tempfile_in(folder)?)
}
