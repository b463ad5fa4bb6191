//! The networks in `data/nets`, for tests that write networks.

use std::fs;
use std::path::Path;

use keima::nn::desc::Net;
use keima::nn::katago;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets");

/// The files, of all versions and with all kinds of blocks.
pub fn net_names() -> Vec<String> {
    let entries = fs::read_dir(FOLDER).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.starts_with('s')).collect();
    names.sort();
    assert_eq!(names.len(), 17);
    names
}

/// The contents of a file.
pub fn stored(name: &str) -> Vec<u8> {
    fs::read(Path::new(FOLDER).join(name)).unwrap()
}

/// The net in a file.
pub fn net(name: &str) -> Net {
    katago::read_bytes(&stored(name)).unwrap()
}

/// Equal to the last bit: `==` takes 0 and -0 for the same.
#[track_caller]
pub fn assert_same(found: &Net, expected: &Net) {
    assert_eq!(found, expected);
    for (found, expected) in found.tensors().iter().zip(expected.tensors()) {
        let bits = |weights: &[f32]| weights.iter().map(|w| w.to_bits()).collect::<Vec<_>>();
        assert_eq!(
            bits(found.weights),
            bits(expected.weights),
            "{}",
            found.name
        );
    }
}

/// The net with weights that are easily lost on the way.
pub fn with_rare_weights(mut net: Net) -> Net {
    let rare = [-0.0, f32::MIN_POSITIVE / 3.0, f32::MAX, 1e-20, -1.0 / 3.0];
    let mut tensors = net.tensors_mut();
    let largest = tensors
        .iter_mut()
        .max_by_key(|tensor| tensor.weights.len())
        .unwrap();
    largest.weights[..rare.len()].copy_from_slice(&rare);
    net
}
