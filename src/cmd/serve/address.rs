//! Token and port of the page, which stay the same from run to run where there is a folder for them.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::files;

/// The file in the folder of `--state`.
const FILE: &str = "address.json";
/// Bytes of a token.
const TOKEN: usize = 16;
/// Most bytes of the file.
const MOST_BYTES: u64 = 1 << 12;

/// Token and port.
#[derive(Serialize, Deserialize)]
pub(super) struct Address {
    pub(super) token: String,
    /// 0 for any.
    pub(super) port: u16,
}

impl Address {
    /// Those of the last run, or a new token and any port.
    pub(super) fn new(folder: Option<&Path>) -> Address {
        let known = folder.and_then(|folder| {
            let bytes = files::read_regular(&folder.join(FILE), MOST_BYTES).ok()?;
            let known: Address = serde_json::from_slice(&bytes).ok()?;
            let is_token = known.token.len() == 2 * TOKEN
                && known.token.bytes().all(|byte| byte.is_ascii_hexdigit());
            is_token.then_some(known)
        });
        known.unwrap_or_else(|| Address {
            token: files::hexadecimal(&rand::random::<[u8; TOKEN]>()),
            port: 0,
        })
    }

    /// Stores them for the next run; only the user may read the file.
    pub(super) fn keep(&self, folder: &Path) -> Result<()> {
        let file: PathBuf = folder.join(FILE);
        let text = serde_json::to_string(self)?;
        files::write_private(&file, text.as_bytes())
    }
}
