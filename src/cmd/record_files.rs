//! Game records named on the command line.

use std::path::PathBuf;

use anyhow::{Result, ensure};

use crate::files;

/// The files named, and all `.sgf` files in the folders named, in order.
pub fn record_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in paths {
        if !path.is_dir() {
            found.push(path.clone());
            continue;
        }
        let mut records = files::entries(path)?;
        records.retain(|file| {
            let extension = file.extension();
            extension.is_some_and(|extension| extension.eq_ignore_ascii_case("sgf"))
        });
        ensure!(!records.is_empty(), "no .sgf files in {}", path.display());
        found.append(&mut records);
    }
    Ok(found)
}
