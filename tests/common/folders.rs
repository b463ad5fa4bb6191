//! Places for what tests write.

use std::fs;
use std::path::{Path, PathBuf};

/// A path of its own for a test, where nothing is.
pub fn vacant(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // Left by an earlier run.
    if path.is_dir() {
        fs::remove_dir_all(&path).unwrap();
    } else if path.exists() {
        fs::remove_file(&path).unwrap();
    }
    path
}

/// An empty folder of its own for a test.
pub fn folder(name: &str) -> PathBuf {
    let path = vacant(name);
    fs::create_dir_all(&path).unwrap();
    path
}
