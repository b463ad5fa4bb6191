//! Token and port of the page, which stay the same from run to run where there is a folder for them.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use crate::console::tell;
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

fn read(file: &Path) -> Result<Address> {
    let bytes = files::read_regular(file, MOST_BYTES)?;
    let known: Address = serde_json::from_slice(&bytes)?;
    let is_hexadecimal = known.token.bytes().all(|byte| byte.is_ascii_hexdigit());
    ensure!(
        is_hexadecimal && known.token.len() == 2 * TOKEN,
        "its token is damaged"
    );
    Ok(known)
}

impl Address {
    /// Those of the last run, or a new token and any port.
    pub(super) fn new(folder: Option<&Path>) -> Address {
        let file = folder.map(|folder| folder.join(FILE));
        let known = file.filter(|file| files::exists(file)).and_then(|file| {
            let known = read(&file);
            let tell_fault = |error: &anyhow::Error| {
                tell(format_args!(
                    "{}: {error:#}; there will be another address",
                    file.display()
                ));
            };
            known.inspect_err(tell_fault).ok()
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
