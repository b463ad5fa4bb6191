//! Files that are there whole or not at all, their folders and their sums.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};
use tempfile::{Builder, NamedTempFile};

pub mod lines;

/// How names of temporary files begin.
const TEMPORARY: &str = ".keima-";
/// A temporary file that has not changed for so long, and is not locked, is nobody's.
const SURELY_WRITTEN: Duration = Duration::from_secs(60);

/// Writes a new file. An existing one is an error, unless it may be replaced.
pub fn write_whole(path: &Path, contents: &[u8], may_replace: bool) -> Result<()> {
    ensure!(
        may_replace || !exists(path),
        "{} exists already",
        path.display()
    );
    let cannot = || format!("cannot write {}", path.display());
    let mut file = beside(path).with_context(cannot)?;
    // Tells others that somebody is at it; where files cannot be locked, their age does.
    let _ = file.as_file().try_lock();
    file.write_all(contents).with_context(cannot)?;
    file.as_file().sync_all().with_context(cannot)?;
    if may_replace {
        file.persist(path).with_context(cannot)?;
    } else {
        file.persist_noclobber(path).with_context(cannot)?;
    }
    Ok(())
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
