//! Files that are there whole or not at all, their folders and their sums.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};
use tempfile::{Builder, NamedTempFile};

pub mod lines;

/// Writes a new file. An existing one is an error, unless it may be replaced.
pub fn write_whole(path: &Path, contents: &[u8], may_replace: bool) -> Result<()> {
    ensure!(
        may_replace || !exists(path),
        "{} exists already",
        path.display()
    );
    let cannot = || format!("cannot write {}", path.display());
    let mut file = beside(path).with_context(cannot)?;
    file.write_all(contents).with_context(cannot)?;
    file.as_file().sync_all().with_context(cannot)?;
    if may_replace {
        file.persist(path).with_context(cannot)?;
    } else {
        file.persist_noclobber(path).with_context(cannot)?;
    }
    Ok(())
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
    builder.prefix(".keima-");
    // By default nobody else may read temporary files.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    Ok(builder.tempfile_in(folder)?)
}
