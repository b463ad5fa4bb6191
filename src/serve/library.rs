//! The folder of game records that pages may open and add to; nothing outside it is touched.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::MOST_SGF_BYTES;
use super::failure::Failure;
use crate::files;

/// Names that are listed.
const MOST_NAMES: usize = 5000;
/// Characters of a name.
const LONGEST_NAME: usize = 120;

/// A folder of game records.
pub struct Library {
    folder: PathBuf,
}

impl Library {
    /// A folder that exists.
    pub fn new(folder: &Path) -> Result<Library> {
        let folder = folder
            .canonicalize()
            .with_context(|| format!("cannot use the folder {}", folder.display()))?;
        folder
            .read_dir()
            .with_context(|| format!("cannot read the folder {}", folder.display()))?;
        Ok(Library { folder })
    }

    /// The names of its records, sorted.
    pub fn names(&self) -> Result<Vec<String>, Failure> {
        let entries = self.folder.read_dir().context("cannot read the folder")?;
        let names = entries.flatten().filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            is_plain(&name).then_some(name)
        });
        let mut names: Vec<String> = names.take(MOST_NAMES).collect();
        names.sort();
        Ok(names)
    }

    /// The bytes of a record.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, Failure> {
        let missing = || Failure::missing(format!("there is no record '{name}' in the folder"));
        if !is_plain(name) {
            return Err(missing());
        }
        // A link may lead outside.
        let path = self.folder.join(name).canonicalize();
        let path = path.map_err(|_| missing())?;
        if path.parent() != Some(&*self.folder) {
            return Err(missing());
        }
        Ok(files::read_regular(&path, MOST_SGF_BYTES as u64).context("cannot load the record")?)
    }

    /// Adds a record; one of the same name stays as it is, which is an error.
    pub fn add(&self, name: &str, text: &str) -> Result<(), Failure> {
        if !is_plain(name) {
            let message = "a name is letters, digits and the like, and ends in .sgf";
            return Err(anyhow::anyhow!(message).into());
        }
        let path = self.folder.join(name);
        if files::exists(&path) {
            return Err(anyhow::anyhow!("there is a record '{name}' already").into());
        }
        files::write_whole(&path, text.as_bytes(), false).context("cannot save the record")?;
        Ok(())
    }
}

/// Whether it is the name of a record without any folder.
fn is_plain(name: &str) -> bool {
    let is_odd = |c: char| c.is_control() || "/\\:*?\"<>|".contains(c);
    let lower = name.to_ascii_lowercase();
    lower.ends_with(".sgf")
        && !name.starts_with('.')
        && name.chars().count() <= LONGEST_NAME
        && !name.contains(is_odd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_nowhere_else() {
        assert!(is_plain("game 1 (a).sgf") && is_plain("碁.SGF"));
        let long = format!("{}.sgf", "a".repeat(200));
        for name in [
            "../a.sgf",
            "a/b.sgf",
            "..\\a.sgf",
            ".sgf",
            "a.txt",
            "",
            "a\0.sgf",
            &long,
        ] {
            assert!(!is_plain(name), "{name}");
        }
    }
}
