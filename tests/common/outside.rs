//! Files that are not part of the package but may lie beside it.

use std::path::PathBuf;

use super::skipped::skipped;

/// A path in the folder beside the package; None, said plainly, where there is no such file.
pub fn outside(path: &str) -> Option<PathBuf> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared")).join(path);
    let found = path.exists();
    if !found {
        skipped(&format!("{} is not there", path.display()));
    }
    found.then_some(path)
}
