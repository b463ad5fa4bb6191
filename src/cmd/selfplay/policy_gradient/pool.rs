//! The pool of opponents: `pool/0003-1f2e3d4c5b6a.safetensors`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::files;
use crate::nn::checkpoint as net_file;
use crate::nn::desc::Net;
use crate::train::nets::store_in;

const ENDING: &str = "safetensors";

/// Opponents with their numbers, the oldest first.
pub struct Pool {
    folder: PathBuf,
    nets: Vec<(u32, PathBuf)>,
}

impl Pool {
    /// The pool of a run. Networks numbered above `confirmed` are removed: an interrupted process
    /// has added them after its last checkpoint.
    pub fn open(run: &Path, confirmed: u64) -> Result<Pool> {
        let folder = run.join("pool");
        files::make_folder(&folder)?;
        files::remove_abandoned(&folder);
        let mut nets = Vec::new();
        for path in files::entries_with(&folder, ENDING)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let number = name.split_once('-').and_then(|(id, _)| id.parse().ok());
            let Some(id) = number else {
                continue;
            };
            if u64::from(id) <= confirmed {
                nets.push((id, path));
            } else {
                let removed = fs::remove_file(&path);
                removed.with_context(|| format!("cannot remove {}", path.display()))?;
            }
        }
        nets.sort();
        Ok(Pool { folder, nets })
    }

    /// Numbers and files.
    pub fn nets(&self) -> &[(u32, PathBuf)] {
        &self.nets
    }

    /// Adds a network.
    pub fn add(&mut self, id: u32, net: &Net) -> Result<()> {
        let name = store_in(&self.folder, id, &net_file::write_bytes(net)?, ENDING)?;
        self.nets.push((id, self.folder.join(name)));
        Ok(())
    }
}
