//! Checkpoints: nets come back as they were, damaged files are refused with the reason.

use std::collections::HashMap;

use crate::cases::cases;
use crate::stored_nets::{assert_same, net, net_names, stored, with_rare_weights};
use keima::nn::checkpoint::{is_checkpoint, read_bytes, write_bytes};
use keima::nn::desc::Multipliers;
use keima::nn::network::Network;
use proptest::prelude::*;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};

const MANIFEST_KEY: &str = "keima.network";

/// The parts of a checkpoint, which can be recombined.
#[derive(Clone)]
struct Parts {
    manifest: String,
    /// Name, type, sides, data.
    tensors: Vec<(String, Dtype, Vec<usize>, Vec<u8>)>,
}

impl Parts {
    fn of(file: &str) -> Parts {
        let bytes = write_bytes(&net(file)).unwrap();
        let (_, header) = SafeTensors::read_metadata(&bytes).unwrap();
        let tensors = SafeTensors::deserialize(&bytes).unwrap();
        let part = |(name, tensor): (&str, TensorView)| {
            let shape = tensor.shape().to_vec();
            (
                name.to_string(),
                tensor.dtype(),
                shape,
                tensor.data().to_vec(),
            )
        };
        Parts {
            manifest: header.metadata().as_ref().unwrap()[MANIFEST_KEY].clone(),
            tensors: tensors.iter().map(part).collect(),
        }
    }

    fn bytes_with(&self, key: &str) -> Vec<u8> {
        let views = self.tensors.iter().map(|(name, dtype, shape, data)| {
            (name, TensorView::new(*dtype, shape.clone(), data).unwrap())
        });
        let metadata = HashMap::from([(key.to_string(), self.manifest.clone())]);
        safetensors::serialize(views, Some(metadata)).unwrap()
    }

    fn tensor(&mut self, name: &str) -> &mut (String, Dtype, Vec<usize>, Vec<u8>) {
        let mut tensors = self.tensors.iter_mut();
        tensors.find(|tensor| tensor.0 == name).unwrap()
    }

    fn refusal(&self) -> String {
        error_of(&self.bytes_with(MANIFEST_KEY))
    }
}

fn error_of(bytes: &[u8]) -> String {
    format!("{:#}", read_bytes(bytes).unwrap_err())
}

#[test]
fn all_kinds_of_nets_round_trip() {
    for name in net_names() {
        let net = with_rare_weights(net(&name));
        let bytes = write_bytes(&net).unwrap();
        assert!(is_checkpoint(&bytes) && !is_checkpoint(&stored(&name)));
        assert_same(&read_bytes(&bytes).unwrap(), &net);
        assert_eq!(write_bytes(&net).unwrap(), bytes, "{name}");
        assert_eq!(
            Network::read_bytes(&bytes).unwrap(),
            Network::KataGo(net.into())
        );
    }
}

/// The trainer and other programs rely on these names.
#[test]
fn tensors_have_readable_names() {
    let bytes = write_bytes(&net("s17b.txt.gz")).unwrap();
    let tensors = SafeTensors::deserialize(&bytes).unwrap();
    let names = tensors.names();
    for name in [
        "trunk.initial_conv.weight",
        "trunk.blocks.4.pre.mean",
        "trunk.blocks.0.rope",
        "policy_head.pass.output.weight",
        "value_head.hidden_bias",
    ] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    let bytes = write_bytes(&net("s8.bin.gz")).unwrap();
    let tensors = SafeTensors::deserialize(&bytes).unwrap();
    let conv = tensors.tensor("trunk.blocks.1.conv_a.weight").unwrap();
    assert_eq!(conv.shape()[..2], [3, 3]);
}

#[test]
fn manifest_has_all_but_weights() {
    let mut changed = net("s8.bin.gz");
    changed.multipliers = Multipliers {
        lead: 0.1,
        shortterm_score_error: 1.0 / 3.0,
        ..Multipliers::DEFAULT
    };
    changed.pass_alive_under_suicide = true;
    let bytes = write_bytes(&changed).unwrap();
    assert_same(&read_bytes(&bytes).unwrap(), &changed);
    let manifest: serde_json::Value =
        serde_json::from_str(&Parts::of("s8.bin.gz").manifest).unwrap();
    assert_eq!(
        (&manifest["format"], &manifest["net"]["version"]),
        (&1.into(), &8.into())
    );
    assert!(manifest["net"]["trunk"]["initial_conv"]["weights"].is_null());
}

#[test]
fn tensors_that_do_not_fit_are_refused_by_name() {
    let parts = Parts::of("s8.bin.gz");
    let name = "trunk.blocks.0.conv_a.weight";
    let changed = |change: &dyn Fn(&mut Parts)| {
        let mut parts = parts.clone();
        change(&mut parts);
        parts.refusal()
    };
    for (change, expected) in [
        (
            &(|parts: &mut Parts| parts.tensors.retain(|tensor| tensor.0 != name))
                as &dyn Fn(&mut Parts),
            "is missing",
        ),
        (&|parts| parts.tensor(name).2.reverse(), "sides of"),
        (&|parts| parts.tensor(name).1 = Dtype::I32, "I32"),
        (
            &|parts| parts.tensor(name).3[..4].copy_from_slice(&f32::NAN.to_le_bytes()),
            "NaN",
        ),
    ] {
        let message = changed(change);
        assert!(
            message.contains(name) && message.contains(expected),
            "{message}"
        );
    }
    let message = changed(&|parts| {
        let mut copy = parts.tensors[0].clone();
        copy.0 = String::from("another");
        parts.tensors.push(copy);
    });
    assert!(message.contains("\"another\" does not belong"), "{message}");
    let message = changed(&|parts| {
        let mean = parts.tensor("trunk.blocks.0.mid.mean");
        (mean.2, mean.3) = (vec![1], vec![0; 4]);
    });
    assert!(
        message.contains("trunk: blocks.0: second norm: 1 channels"),
        "{message}"
    );
    let message = changed(&|parts| {
        let variance = parts.tensor("trunk.tip.variance");
        variance.3[..4].copy_from_slice(&(-1f32).to_le_bytes());
    });
    assert!(message.contains("variance is negative"), "{message}");
}

#[test]
fn unknown_manifests_are_refused() {
    let parts = Parts::of("s8.bin.gz");
    let with_manifest = |manifest: &str| {
        Parts {
            manifest: manifest.to_string(),
            ..parts.clone()
        }
        .refusal()
    };
    let replaced = |old: &str, new: &str| {
        assert!(parts.manifest.contains(old), "{old} in {}", parts.manifest);
        with_manifest(&parts.manifest.replacen(old, new, 1))
    };
    assert!(error_of(&parts.bytes_with("other")).contains("without a manifest"));
    assert!(with_manifest("{").contains("damaged manifest"));
    assert!(with_manifest("{\"format\": 5}").contains("format is 5"));
    for (old, new, expected) in [
        ("\"version\":8", "\"version\":18", "newer than 17"),
        ("\"version\":8", "\"version\":9", "score outputs"),
        ("\"relu\"", "\"gelu\"", "gelu"),
        ("\"kernel_height\":3", "\"kernel_height\":4", "sides of"),
        ("\"metadata_encoder\"", "\"meta\"", "meta"),
        ("\"lead\":20.0", "\"lead\":-20.0", "lead multiplier is -20"),
        ("synth-v8-s4", "a net", "name"),
    ] {
        let message = replaced(old, new);
        assert!(message.contains(expected), "{old}: {message}");
    }
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn a_truncated_checkpoint_is_refused(permille in 0usize..1000) {
        let bytes = write_bytes(&net("s8.bin.gz")).unwrap();
        let cut = &bytes[..bytes.len() * permille / 1000];
        prop_assert!(read_bytes(cut).is_err());
        prop_assert!(Network::read_bytes(cut).is_err());
    }

    /// Half of the flips are in the header, where damage does the most.
    #[test]
    fn flipped_bits_never_panic(
        flips in prop::collection::vec((any::<prop::sample::Index>(), 0u8..8, any::<bool>()), 1..4),
        file in prop_oneof![Just("s8.bin.gz"), Just("s17.bin.gz")],
    ) {
        let mut bytes = write_bytes(&net(file)).unwrap();
        let (header_bytes, _) = SafeTensors::read_metadata(&bytes).unwrap();
        for (place, bit, in_header) in flips {
            let reach = if in_header { header_bytes + 8 } else { bytes.len() };
            bytes[place.index(reach)] ^= 1u8 << bit;
        }
        let _ = read_bytes(&bytes);
    }

    #[test]
    fn changed_manifest_numbers_never_panic(
        place in any::<prop::sample::Index>(),
        file in prop_oneof![Just("s8.bin.gz"), Just("s17.bin.gz")],
        number in prop_oneof![0u64..40, Just(65_536), Just(1 << 32), any::<u64>()],
    ) {
        let parts = Parts::of(file);
        let mut pieces: Vec<String> = parts.manifest.split(':').map(str::to_string).collect();
        let is_number = |piece: &&mut String| piece.starts_with(|c: char| c.is_ascii_digit());
        let mut numbers: Vec<&mut String> = pieces.iter_mut().filter(is_number).collect();
        let index = place.index(numbers.len());
        let end = numbers[index].find([',', '}']).unwrap();
        *numbers[index] = format!("{number}{}", &numbers[index][end..]);
        let changed = Parts { manifest: pieces.join(":"), ..parts };
        let _ = read_bytes(&changed.bytes_with(MANIFEST_KEY));
    }
}
