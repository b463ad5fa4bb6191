//! Which network plays: `nets/current.json` of a run, which whoever judges networks writes.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::files;
use crate::go::Position;
use crate::search::evaluator::Evaluator;
use crate::train::data::generations::PREFIX;

/// What is used of `nets/current.json`. It says more, for people.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct CurrentNet {
    /// Number of the network, which grows.
    pub id: u32,
    /// Its file, relative to the run.
    pub file: PathBuf,
    /// Of the file, in hexadecimal.
    pub sha256: String,
}

/// Who plays, as the games' folder says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerCard {
    /// Name of the folder.
    pub folder: String,
    /// The name its makers gave it, or what it is.
    pub name: String,
    /// Of the network's file, in hexadecimal; empty without a network.
    pub sha256: String,
}

/// A player, whose games make a generation.
pub struct Generation {
    /// Who it is.
    pub card: PlayerCard,
    /// What it goes by.
    pub evaluator: Box<dyn Evaluator<Position>>,
}

/// Where players come from.
pub trait Nets: Sync {
    /// Who plays the next game.
    fn newest(&self) -> Result<std::sync::Arc<Generation>>;
}

impl CurrentNet {
    /// That of a run; none before there is one.
    pub fn of(run: &Path) -> Result<Option<CurrentNet>> {
        let path = run.join("nets").join("current.json");
        if !files::exists(&path) {
            return Ok(None);
        }
        let cannot = || format!("cannot use {}", path.display());
        let text = fs::read(&path).with_context(cannot)?;
        serde_json::from_slice(&text).map(Some).with_context(cannot)
    }

    /// The contents of its file.
    pub fn read(&self, run: &Path) -> Result<Vec<u8>> {
        let path = run.join(&self.file);
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        ensure!(
            sha256(&bytes).eq_ignore_ascii_case(&self.sha256),
            "{} is not the file that current.json means: its SHA-256 is another",
            path.display()
        );
        Ok(bytes)
    }

    /// Name of the folder for its games.
    pub fn folder(&self) -> String {
        format!("{PREFIX}{:04}", self.id)
    }
}

impl PlayerCard {
    /// The first eight bytes of the SHA-256; zeros without a network.
    pub fn digest(&self) -> [u8; 8] {
        let number = self.sha256.get(..16).unwrap_or_default();
        u64::from_str_radix(number, 16)
            .unwrap_or_default()
            .to_be_bytes()
    }
}

/// In hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
