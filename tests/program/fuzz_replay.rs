//! The seeds of the fuzz targets, whole and damaged, without a fuzzer.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::bodies;

/// Damaged copies of each seed.
const COPIES: usize = 12;

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = fs::read_dir(folder).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    files
}

/// A copy with some bytes changed, removed or repeated.
fn damaged(bytes: &[u8], random: &mut ChaCha8Rng) -> Vec<u8> {
    let mut copy = bytes.to_vec();
    for _ in 0..random.random_range(1..5) {
        if copy.is_empty() {
            break;
        }
        let at = random.random_range(0..copy.len());
        let end = copy.len().min(at + random.random_range(1..40));
        match random.random_range(0..4) {
            0 => copy[at] = random.random(),
            1 => random.fill_bytes(&mut copy[at..end]),
            2 => drop(copy.drain(at..end)),
            _ => copy.truncate(at),
        }
    }
    copy
}

/// Whole seeds must be checked, and of damaged ones so many percent.
fn replay(seeds: Vec<Vec<u8>>, body: fn(&[u8]) -> bool, percent: usize) {
    assert!(!seeds.is_empty());
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let (mut all, mut checked) = (0, 0);
    for seed in seeds {
        assert!(body(&seed), "a seed is refused");
        for _ in 0..COPIES {
            all += 1;
            checked += usize::from(body(&damaged(&seed, &mut random)));
        }
    }
    println!("{checked} of {all} were read");
    assert!(checked * 100 >= all * percent, "{checked} of {all}");
}

fn contents(files: Vec<PathBuf>) -> Vec<Vec<u8>> {
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

/// The smallest networks of the tests, unpacked: damage to packed ones hardly gets past their sums.
fn networks() -> Vec<Vec<u8>> {
    let mut networks = Vec::new();
    let mut files = files("tests/data/nets");
    // Beside them are recorded evaluations.
    files.retain(|path| path.file_name().unwrap().to_string_lossy().starts_with('s'));
    for stored in contents(files) {
        let mut bytes = Vec::new();
        match GzDecoder::new(&stored[..]).read_to_end(&mut bytes) {
            Ok(_) => networks.push(bytes),
            Err(_) => networks.push(stored),
        }
    }
    networks.retain(|network| network.len() < 2 << 20);
    networks
}

#[test]
fn damaged_networks_are_read_or_refused() {
    replay(networks(), bodies::network, 10);
}

#[test]
fn damaged_networks_answer_with_numbers_or_errors() {
    let smallest = networks().into_iter().min_by_key(Vec::len);
    replay(smallest.into_iter().collect(), bodies::evaluate, 10);
}

#[test]
fn damaged_records_are_read_or_refused() {
    let seeds = files("tests/data").into_iter();
    let records = seeds.filter(|path| path.extension().is_some_and(|end| end == "sgf"));
    replay(contents(records.collect()), bodies::sgf, 20);
}

#[test]
fn damaged_commands_fall_into_lines() {
    let folders = ["play", "protocol", "rules", "scoring"];
    let scripts = folders.map(|folder| files(&format!("gtp-scripts/{folder}")));
    replay(contents(scripts.concat()), bodies::gtp, 50);
}
