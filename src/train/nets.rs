//! The nets of a run that passed a gate: `nets/0003-1f2e3d4c5b6a.safetensors`, numbered by gate and
//! never changed, and `nets/current.json`, which names the net in use.

use std::path::Path;

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use crate::files;
use crate::nn::network_folder;

const FOLDER: &str = "nets";
const CURRENT: &str = "current.json";
/// Hexadecimal digits of the checksum in a file's name.
const DIGITS: usize = 12;

/// The net in use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurrentNet {
    /// Number of the gate that admitted it.
    pub id: u32,
    /// Its file, relative to the run.
    pub file: String,
    /// Checksum of the file.
    pub sha256: String,
    /// Rating above the run's first net in Elo, by the gate matches between; null if not known.
    pub elo: Option<f64>,
    /// Time of admission, in seconds since 1970.
    pub since: u64,
}

/// The net in use, if there is one.
pub fn current(run: &Path) -> Result<Option<CurrentNet>> {
    let path = run.join(FOLDER).join(CURRENT);
    match files::exists(&path) {
        true => files::read_json(&path).map(Some),
        false => Ok(None),
    }
}

impl CurrentNet {
    /// The contents of its file. It is an error if the checksum differs.
    pub fn read(&self, run: &Path) -> Result<Vec<u8>> {
        let path = run.join(&self.file);
        let bytes = files::read_regular(&path, files::NETWORK_LIMIT)?;
        ensure!(
            files::sha256(&bytes).eq_ignore_ascii_case(&self.sha256),
            "{} is not the file that {CURRENT} means: its SHA-256 is another",
            path.display()
        );
        Ok(bytes)
    }
}

/// Stores a net under its number. The file may exist from an interrupted attempt.
pub fn store(run: &Path, id: u32, bytes: &[u8], ending: &str) -> Result<String> {
    let name = store_in(&run.join(FOLDER), id, bytes, ending)?;
    Ok(format!("{FOLDER}/{name}"))
}

/// The same in any folder; returns the file's name.
pub fn store_in(folder: &Path, id: u32, bytes: &[u8], ending: &str) -> Result<String> {
    let digits = &files::sha256(bytes)[..DIGITS];
    let name = format!("{id:04}-{digits}.{ending}");
    let path = folder.join(&name);
    files::make_folder(folder)?;
    if files::exists(&path) {
        let found = files::read_regular(&path, files::NETWORK_LIMIT)?;
        ensure!(found == bytes, "{} is another net", path.display());
    } else {
        files::write_whole(&path, bytes, false)?;
    }
    Ok(name)
}

/// Makes a stored net the one in use.
pub fn use_from_now_on(run: &Path, net: &CurrentNet) -> Result<()> {
    files::write_json(&run.join(FOLDER).join(CURRENT), net, true)
}

/// The extension of a net's file: `bin.gz`, `safetensors`.
pub fn ending(path: &Path) -> &'static str {
    network_folder::ending(path).map_or("net", |ending| &ending[1..])
}
