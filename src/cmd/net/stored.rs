//! Format of a stored network file: size, checksum, compression and encoding.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};
use flate2::read::{MultiGzDecoder, ZlibDecoder};

use crate::files;
use crate::go::BoardSize;
use crate::nn::checkpoint;
use crate::nn::desc::Net;
use crate::nn::network::{BUILT_IN, Network, is_built_in, stored_bytes, unusable};
use crate::nn::{default_small_network, is_for_small_network};

/// The first block of weights begins within this many bytes.
const HEAD_BYTES: u64 = 1 << 16;
/// Marker of blocks of binary weights.
const BINARY_MARK: &[u8] = b"@BIN@";

/// Format of a file.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct StoredFile {
    /// Size in bytes.
    pub bytes: usize,
    /// Of the file as stored, in hexadecimal.
    pub sha256: String,
    /// `gzip`, `zlib` or `none`.
    pub compression: &'static str,
    /// Encoding of the weights: `binary` or `text`, or `safetensors` in checkpoints.
    pub form: &'static str,
}

/// Reads a file, and the net in it.
pub fn read(path: &Path) -> Result<(StoredFile, Net)> {
    let bytes = stored_bytes(path)?;
    let network = Network::read_bytes(&bytes).with_context(|| unusable(path))?;
    let net = network
        .into_net()
        .with_context(|| path.display().to_string())?;
    Ok((StoredFile::of(&bytes), net))
}

/// Reads the net in a file.
pub fn read_net(path: &Path) -> Result<Net> {
    let net = Network::read_file(path)?.into_net();
    net.with_context(|| path.display().to_string())
}

/// The same for a board; `default` is the built-in network that the engine uses there.
pub fn read_net_for(path: &Path, size: BoardSize) -> Result<Net> {
    let is_default = is_built_in(path) && *path == *BUILT_IN[0];
    let is_small = is_for_small_network(size) && default_small_network().is_some();
    match is_default && is_small {
        true => read_net(Path::new(BUILT_IN[1])),
        false => read_net(path),
    }
}

impl StoredFile {
    fn of(bytes: &[u8]) -> StoredFile {
        let compression = match bytes {
            _ if checkpoint::is_checkpoint(bytes) => "none",
            [0x1f, 0x8b, ..] => "gzip",
            // Net names do not begin like the header of a zlib stream.
            [0x78, second, ..] if (0x7800 + u32::from(*second)).is_multiple_of(31) => "zlib",
            _ => "none",
        };
        let head = match compression {
            "gzip" => head(MultiGzDecoder::new(bytes)),
            "zlib" => head(ZlibDecoder::new(bytes)),
            _ => head(bytes),
        };
        let is_checkpoint = checkpoint::is_checkpoint(&head);
        let is_binary = head.windows(BINARY_MARK.len()).any(|w| w == BINARY_MARK);
        StoredFile {
            bytes: bytes.len(),
            sha256: files::sha256(bytes),
            compression,
            form: match (is_checkpoint, is_binary) {
                (true, _) => "safetensors",
                (false, true) => "binary",
                (false, false) => "text",
            },
        }
    }
}

/// The first decompressed bytes.
fn head(file: impl Read) -> Vec<u8> {
    let mut head = Vec::new();
    // The whole file has been read successfully before.
    file.take(HEAD_BYTES)
        .read_to_end(&mut head)
        .unwrap_or_default();
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_example_of_the_checksum() {
        let stored = StoredFile::of(b"abc");
        assert_eq!(
            stored.sha256,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!((stored.compression, stored.form), ("none", "text"));
    }

    #[test]
    fn compression_and_form_are_seen_in_the_contents() {
        use flate2::Compression;
        use flate2::write::{GzEncoder, ZlibEncoder};
        use std::io::Write;
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(b"net 8 @BIN@....").expect("memory");
        let stored = StoredFile::of(&gzip.finish().expect("memory"));
        assert_eq!((stored.compression, stored.form), ("gzip", "binary"));
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(b"net 8 0.5 0.25").expect("memory");
        let stored = StoredFile::of(&zlib.finish().expect("memory"));
        assert_eq!((stored.compression, stored.form), ("zlib", "text"));
    }
}
