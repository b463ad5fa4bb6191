//! Compression of network files.

use std::borrow::Cow;
use std::io::Read;

use anyhow::{Context, Result, ensure};
use flate2::read::{MultiGzDecoder, ZlibDecoder};

use crate::files;

/// Limit of the compression ratio: weights hardly compress, and decimal text to a third.
const MAX_RATIO: u64 = 64;

/// Decompresses a gzip or zlib stream; returns other bytes unchanged.
pub fn inflate(stored: &[u8]) -> Result<Cow<'_, [u8]>> {
    match stored {
        [0x1f, 0x8b, ..] => read_all(MultiGzDecoder::new(stored), stored.len()).map(Cow::Owned),
        // The header of a zlib stream is a multiple of 31; no network's name starts like one.
        [0x78, second, ..] if (0x7800 + *second as u32).is_multiple_of(31) => {
            read_all(ZlibDecoder::new(stored), stored.len()).map(Cow::Owned)
        }
        _ => Ok(Cow::Borrowed(stored)),
    }
}

fn read_all(decoder: impl Read, stored_bytes: usize) -> Result<Vec<u8>> {
    let limit = (stored_bytes as u64 * MAX_RATIO).min(files::NETWORK_LIMIT);
    let mut bytes = Vec::new();
    decoder
        .take(limit + 1)
        .read_to_end(&mut bytes)
        .with_context(|| format!("damaged compression after {} bytes", bytes.len()))?;
    ensure!(
        bytes.len() as u64 <= limit,
        "inflates to more than {MAX_RATIO} times its size, or {} GiB",
        files::NETWORK_LIMIT >> 30
    );
    Ok(bytes)
}
