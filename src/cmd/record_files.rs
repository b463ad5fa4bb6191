//! Game records named on the command line.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

/// The files named, and all `.sgf` files in the folders named, in order.
pub fn record_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in paths {
        if !path.is_dir() {
            found.push(path.clone());
            continue;
        }
        let before = found.len();
        let cannot = || format!("cannot read the folder {}", path.display());
        for entry in path.read_dir().with_context(cannot)? {
            let file = entry.with_context(cannot)?.path();
            let extension = file.extension();
            if extension.is_some_and(|extension| extension.eq_ignore_ascii_case("sgf")) {
                found.push(file);
            }
        }
        ensure!(found.len() > before, "no .sgf files in {}", path.display());
        found[before..].sort();
    }
    Ok(found)
}
