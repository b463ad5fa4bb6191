//! Small networks for tests.

/// A network of KataGo's kind for any board.
pub const NETWORK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets/s8.bin.gz");
