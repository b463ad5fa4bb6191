//! Label folders of self-play, one for each network that played: `gen-0007`. Each has a manifest,
//! `selfplay.json`, and parts of any names ending in `.glb`, which never change.
//!
//! Of a folder of generations only the newest labels are read: those in the window, which grows
//! with a power of the total number (as in KataGo).

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Result;

use super::shard;
use crate::files;

/// The manifest: settings under which a generation's labels were made.
pub const MANIFEST: &str = "selfplay.json";
/// Prefix of a generation's folder name.
pub const PREFIX: &str = "gen-";

/// Up to this many labels all are read, ...
const LEAST_WINDOW: f64 = 50_000.0;
/// ... then the window grows with this power of the total ...
const POWER: f64 = 0.7;
/// ... and at first by this many labels per new label.
const GROWTH: f64 = 0.4;

/// Whether a folder is a generation.
pub fn is_generation(folder: &Path) -> bool {
    files::exists(&folder.join(MANIFEST))
}

/// The generations in a folder, the oldest first: numbered ones, then those of given networks, which are named by a
/// hash, by the time when they were begun.
pub fn generations(folder: &Path) -> Result<Vec<PathBuf>> {
    let is_named = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(PREFIX))
    };
    let mut found = files::entries(folder)?;
    found.retain(|path| is_named(path) && is_generation(path));
    found.sort_by_cached_key(|path| {
        let suffix = path.file_name().and_then(|name| name.to_str());
        let number = suffix.and_then(|name| name.strip_prefix(PREFIX)?.parse::<u32>().ok());
        let begun = || path.join(MANIFEST).metadata()?.modified();
        let begun = match number {
            Some(_) => None,
            None => Some(begun().unwrap_or(SystemTime::UNIX_EPOCH)),
        };
        (begun, number, path.clone())
    });
    Ok(found)
}

/// The parts of a generation.
pub fn parts(generation: &Path) -> Result<Vec<PathBuf>> {
    shard::in_folder(generation)
}

/// A prefix of the SHA-256 of a generation's manifest.
pub fn digest(generation: &Path) -> Result<[u8; 8]> {
    let manifest = generation.join(MANIFEST);
    let text = files::read_regular(&manifest, files::TEXT_LIMIT)?;
    Ok(files::sha256_prefix(&[&text]))
}

/// Size of the window for a total number of labels.
pub fn window(labels: usize) -> usize {
    let all = labels as f64;
    let grown = ((all / LEAST_WINDOW).powf(POWER) - 1.0) / POWER;
    let window = LEAST_WINDOW * (1.0 + GROWTH * grown);
    if all <= LEAST_WINDOW {
        labels
    } else {
        window as usize
    }
}

/// Number of newest generations that fill the window, given labels per generation, the oldest
/// first.
pub fn newest(labels: &[usize]) -> usize {
    let window = window(labels.iter().sum());
    let mut seen = 0;
    let needed = labels.iter().rev().take_while(|&&labels| {
        let is_needed = seen < window;
        seen += labels;
        is_needed
    });
    needed.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_grows_slower_than_what_there_is() {
        assert_eq!(window(0), 0);
        assert_eq!(window(50_000), 50_000);
        let windows: Vec<usize> = [60_000, 1_000_000, 30_000_000].map(window).to_vec();
        assert!(windows.is_sorted(), "{windows:?}");
        assert!((50_000..60_000).contains(&windows[0]), "{windows:?}");
        assert!((200_000..300_000).contains(&windows[1]), "{windows:?}");
    }

    #[test]
    fn the_newest_generations_fill_the_window() {
        assert_eq!(newest(&[]), 0);
        assert_eq!(newest(&[10, 20, 30]), 3);
        assert_eq!(newest(&[40_000, 40_000, 40_000]), 2);
        assert_eq!(newest(&[10, 0, 200_000, 0]), 2);
    }
}
