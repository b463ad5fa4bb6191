//! Networks written and read again: nothing may change, and what a form cannot hold is refused.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use keima::nn::desc::{Activation, Block, Net};
use keima::nn::katago::{Form, deflate, read_bytes, read_file, write_bytes};

/// The test nets, of all versions and with all kinds of blocks.
fn net_files() -> Vec<PathBuf> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets"));
    let entries = std::fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let is_net = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with('s')
    };
    let mut files: Vec<PathBuf> = paths.filter(is_net).collect();
    files.sort();
    files
}

fn net(name: &str) -> Net {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets");
    read_file(&Path::new(folder).join(name)).unwrap()
}

/// Equal to the last bit: `==` takes 0 and -0 for the same.
#[track_caller]
fn assert_same(found: &Net, expected: &Net) {
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

/// Weights that are easily lost on the way.
fn with_rare_weights(mut net: Net) -> Net {
    let rare = [-0.0, f32::MIN_POSITIVE / 3.0, f32::MAX, 1e-20, -1.0 / 3.0];
    let mut tensors = net.tensors_mut();
    let largest = tensors.iter_mut().max_by_key(|tensor| tensor.weights.len());
    largest.unwrap().weights[..rare.len()].copy_from_slice(&rare);
    net
}

fn refusal(net: &Net) -> String {
    format!("{:#}", write_bytes(net, Form::Binary).unwrap_err())
}

#[test]
fn katago_files_of_all_versions_come_back_as_they_were() {
    let files = net_files();
    assert_eq!(files.len(), 17);
    for file in files {
        let net = with_rare_weights(read_file(&file).unwrap());
        for form in [Form::Binary, Form::Text] {
            let bytes = write_bytes(&net, form).unwrap();
            assert_same(&read_bytes(&bytes).unwrap(), &net);
            assert_same(&read_bytes(&deflate(&bytes).unwrap()).unwrap(), &net);
        }
    }
}

/// The files were written by another program: all tokens but names of layers are the same.
#[test]
fn katago_files_are_what_others_write() {
    for file in net_files() {
        let stored = std::fs::read(&file).unwrap();
        let bytes = keima::nn::katago::inflate(&stored).unwrap();
        let net = read_bytes(&bytes).unwrap();
        let (found, expected) = [write_bytes(&net, Form::Binary).unwrap(), bytes.into_owned()]
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .into();
        println!("{} {}", found.len(), expected.len());
    }
}

#[test]
fn what_a_version_cannot_hold_is_refused_by_name() {
    type Change = fn(&mut Net);
    let cases: [(&str, Change, &str); 9] = [
        (
            "s8.bin.gz",
            |net| net.multipliers.lead = 10.0,
            "lead multiplier is 10",
        ),
        (
            "s8.bin.gz",
            |net| net.pass_alive_under_suicide = true,
            "preferPassAliveUnderSuicide",
        ),
        (
            "s8.bin.gz",
            |net| net.value_head.hidden_activation = Activation::Mish,
            "ACTIVATION_MISH",
        ),
        ("s15m.bin.gz", |net| net.version = 14, "no metadata encoder"),
        ("s15.bin.gz", |net| net.version = 14, "hidden layer"),
        ("s14.gz", |net| net.version = 15, "hidden layer"),
        ("s17.bin.gz", |net| net.pass_alive_under_suicide = false, ""),
        ("s8.bin.gz", |net| net.version = 18, "newer than 17"),
        (
            "s8.bin.gz",
            |net| net.name = String::from("two words"),
            "name",
        ),
    ];
    for (file, change, expected) in cases {
        let mut net = net(file);
        change(&mut net);
        if expected.is_empty() {
            assert!(write_bytes(&net, Form::Binary).is_ok());
        } else {
            let message = refusal(&net);
            assert!(message.contains(expected), "{file}: {message}");
        }
    }
}

#[test]
fn nets_that_do_not_fit_together_are_refused() {
    let mut broken = net("s8.bin.gz");
    let Block::Ordinary(block) = &mut broken.trunk.blocks[0] else {
        panic!("the first block is an ordinary one");
    };
    block.conv_b.weights[3] = f32::NAN;
    assert!(refusal(&broken).contains("NaN"));
}
