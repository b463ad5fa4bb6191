//! A folder in which networks are found by name.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Result, bail};

use super::network::BUILT_IN;
use crate::params::nearest;

/// Ends of the names of network files, the longest first.
const ENDINGS: [&str; 7] = [
    ".safetensors.gz",
    ".bin.gz",
    ".txt.gz",
    ".safetensors",
    ".bin",
    ".txt",
    ".gz",
];

/// The folder in which networks are searched by name.
static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// Has networks searched by name in a folder from now on, which need not exist. The first folder counts.
pub fn search_in(folder: Option<PathBuf>) {
    if let Some(folder) = folder {
        // Set by an earlier call.
        let _ = FOLDER.set(folder);
    }
}

/// The file that a path or a name means.
pub(super) fn located(path: &Path) -> Result<Cow<'_, Path>> {
    let has_folders = path.components().count() > 1;
    match (path.to_str(), FOLDER.get()) {
        (Some(name), folder) if !has_folders && !path.exists() => find(
            name,
            &folder.map_or_else(Vec::new, |folder| stored_in(folder)),
        )
        .map(Cow::Owned),
        _ => Ok(Cow::Borrowed(path)),
    }
}

/// How the name of a network's file ends, with the dot; none for other files.
pub fn ending(path: &Path) -> Option<&'static str> {
    let name = name_of(path);
    ENDINGS.into_iter().find(|end| name.ends_with(end))
}

/// The network files in a folder, by name.
pub fn stored_in(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| ending(path).is_some());
    files.sort();
    files
}

/// The file of a name: written in full, without its ending, or by a part that only one has.
fn find(name: &str, files: &[PathBuf]) -> Result<PathBuf> {
    let is_named = |path: &&PathBuf| {
        let file = name_of(path);
        file == name || without_ending(&file) == name
    };
    if let Some(file) = files.iter().find(is_named) {
        return Ok(file.clone());
    }
    let alike: Vec<&PathBuf> = files
        .iter()
        .filter(|path| name_of(path).contains(name))
        .collect();
    if let [file] = alike[..] {
        return Ok(file.clone());
    }
    let names: Vec<String> = files.iter().map(|path| name_of(path)).collect();
    let stems = names.iter().map(|name| without_ending(name));
    let meant = match alike.is_empty() {
        true => nearest(name, BUILT_IN.into_iter().chain(stems)).map(str::to_owned),
        false => Some(
            alike
                .iter()
                .map(|path| name_of(path))
                .collect::<Vec<_>>()
                .join(" or "),
        ),
    };
    let hint = match (meant, FOLDER.get()) {
        (Some(meant), _) => format!("did you mean {meant}?"),
        (None, Some(folder)) => {
            let count = match files.len() {
                0 => "which has none".to_owned(),
                count => format!("which has {count}"),
            };
            format!("networks are searched in {}, {count}", folder.display())
        }
        (None, None) => "name a file, default or small".to_owned(),
    };
    bail!("cannot read {name}: there is no such file or network; {hint}")
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn without_ending(name: &str) -> &str {
    let mut endings = ENDINGS.iter();
    endings
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_is_found_by_name_or_its_only_part() {
        let files = [
            "kata-b6.bin.gz",
            "kata-b18.bin.gz",
            "lz.txt.gz",
            "own.safetensors",
        ];
        let files = files.map(|name| Path::new("nets").join(name));
        let found = |name: &str| find(name, &files).map(|path| name_of(&path));
        assert_eq!(found("lz.txt.gz").unwrap(), "lz.txt.gz");
        assert_eq!(found("own").unwrap(), "own.safetensors");
        assert_eq!(found("b18").unwrap(), "kata-b18.bin.gz");
        let error = |name| found(name).unwrap_err().to_string();
        assert!(error("kata").ends_with("did you mean kata-b6.bin.gz or kata-b18.bin.gz?"));
        assert!(
            error("kata-b81").ends_with("did you mean kata-b18?"),
            "{}",
            error("kata-b81")
        );
        assert!(error("defualt").ends_with("did you mean default?"));
    }
}
