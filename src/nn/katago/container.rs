//! The compression around a network file.

use std::borrow::Cow;
use std::io::{Read, Write};

use anyhow::{Context, Result, ensure};
use flate2::Compression;
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use flate2::write::GzEncoder;

/// Weights hardly compress and decimal text gives a third; more than this is no network.
const MAX_RATIO: u64 = 64;

/// The contents of a gzip or zlib stream; other bytes as they are.
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

/// A gzip stream of the bytes; the same bytes give the same stream.
pub fn deflate(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

fn read_all(decoder: impl Read, stored_bytes: usize) -> Result<Vec<u8>> {
    let limit = stored_bytes as u64 * MAX_RATIO;
    let mut bytes = Vec::new();
    decoder
        .take(limit + 1)
        .read_to_end(&mut bytes)
        .with_context(|| format!("damaged compression after {} bytes", bytes.len()))?;
    ensure!(
        bytes.len() as u64 <= limit,
        "inflates to more than {MAX_RATIO} times its size"
    );
    Ok(bytes)
}
