//! C++ programs of the tests.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::skipped::skipped;

/// The program of a source file beside this one; none, and said so, where there is no compiler.
pub fn compiled(name: &str, flags: &[&str]) -> Option<PathBuf> {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/nn");
    let source = folder.join(name).with_extension("cpp");
    let mut compiler = Command::new("c++");
    let compiler = compiler.arg("-std=c++17").args(flags);
    match compiler.arg("-o").arg(&program).arg(&source).status() {
        Ok(status) => {
            assert!(status.success(), "{} does not compile", source.display());
            Some(program)
        }
        Err(error) => {
            skipped(&format!("no C++ compiler ({error})"));
            None
        }
    }
}
