//! keima's own network format: safetensors with a manifest that describes the net.
//!
//! The weights are the tensors of [`Net::tensors`] by name, in f32. The manifest is JSON in the
//! metadata of the header: all other fields of [`Net`] as serialised by serde. Unlike KataGo's
//! files, checkpoints hold any net, whatever its layers and version.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use anyhow::{Context, Result, bail, ensure};
use safetensors::{Dtype, SafeTensors, View, tensor::TensorView};
use serde::{Deserialize, Serialize};

use super::desc::{Net, Tensor, TensorMut};

/// The newest version of the manifest. Version 1 had no chain pooling, version 2 no fully connected
/// heads, version 3 no other games than Go; they are still written for nets without them, so that older
/// programs can read them, and refuse others by their version.
const FORMAT: u32 = 4;
/// Key of the manifest in the metadata.
const MANIFEST_KEY: &str = "keima.network";
/// Bytes of the header's length that may be non-zero.
const LENGTH_BYTES: usize = 4;
/// Offset of the header's JSON.
const HEADER: usize = 8;

/// The contents of the manifest.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest<'a> {
    format: u32,
    net: Cow<'a, Net>,
}

/// Common part of all manifest versions.
#[derive(Deserialize)]
struct ManifestFormat {
    format: u32,
}

/// Whether the contents of a file look like a checkpoint: a length below 4 GiB, then JSON.
pub fn is_checkpoint(stored: &[u8]) -> bool {
    let length_ends = stored.get(LENGTH_BYTES..HEADER);
    length_ends.is_some_and(|bytes| bytes.iter().all(|&byte| byte == 0))
        && stored.get(HEADER) == Some(&b'{')
}

/// Reads the contents of a file.
pub fn read_bytes(stored: &[u8]) -> Result<Net> {
    let stored_tensors = SafeTensors::deserialize(stored).context("damaged checkpoint")?;
    let (_, header) = SafeTensors::read_metadata(stored).context("damaged checkpoint")?;
    let metadata = header.metadata().as_ref();
    let manifest = metadata.and_then(|metadata| metadata.get(MANIFEST_KEY));
    let manifest = manifest
        .with_context(|| format!("a file of tensors without a manifest {MANIFEST_KEY:?}"))?;
    let mut net = read_manifest(manifest)?;
    fill(&mut net, &stored_tensors)?;
    net.check()?;
    Ok(net)
}

/// The contents of a file for the net, verified by reading it back; equal nets give equal bytes.
pub fn write_bytes(net: &Net) -> Result<Vec<u8>> {
    net.check()?;
    let manifest = Manifest {
        format: match net.pools_chains() {
            _ if net.game_inputs.is_some() => FORMAT,
            _ if net.heads.are_flat() => 3,
            true => 2,
            false => 1,
        },
        net: Cow::Borrowed(net),
    };
    let manifest = serde_json::to_string(&manifest)?;
    let metadata = HashMap::from([(MANIFEST_KEY.to_string(), manifest)]);
    let tensors = net.tensors().into_iter();
    let named = tensors.map(|tensor| (tensor.name.clone(), tensor));
    let bytes = safetensors::serialize(named, Some(metadata))?;
    ensure!(
        read_bytes(&bytes)? == *net,
        "the checkpoint is not the net it should hold"
    );
    Ok(bytes)
}

/// The net without its weights.
fn read_manifest(manifest: &str) -> Result<Net> {
    let ManifestFormat { format } = serde_json::from_str(manifest).context("damaged manifest")?;
    ensure!(
        (1..=FORMAT).contains(&format),
        "the checkpoint's format is {format}; this program knows formats up to {FORMAT}"
    );
    let manifest: Manifest = serde_json::from_str(manifest).context("damaged manifest")?;
    Ok(manifest.net.into_owned())
}

/// Fills in the net's weights.
fn fill(net: &mut Net, stored: &SafeTensors) -> Result<()> {
    let mut known = HashSet::new();
    for tensor in net.tensors_mut() {
        let name = &tensor.name;
        let found = stored.tensor(name);
        let found = found.with_context(|| format!("tensor {name:?} is missing"))?;
        let weights = floats(&found, &tensor).with_context(|| format!("tensor {name:?}"))?;
        *tensor.weights = weights;
        known.insert(tensor.name);
    }
    let strange = stored
        .names()
        .into_iter()
        .find(|name| !known.contains(*name));
    match strange {
        Some(name) => bail!("tensor {name:?} does not belong to the net"),
        None => Ok(()),
    }
}

/// The weights of a tensor in the net. The lengths of vectors are checked by [`Net::check`].
fn floats(found: &TensorView, place: &TensorMut) -> Result<Vec<f32>> {
    let dtype = found.dtype();
    ensure!(dtype == Dtype::F32, "numbers of type {dtype:?}, not F32");
    let (shape, expected) = (found.shape(), &place.shape);
    ensure!(
        shape == expected || (shape.len() == 1 && expected.len() == 1),
        "sides of {shape:?} where {expected:?} are expected"
    );
    let (bytes, _) = found.data().as_chunks();
    let floats: Vec<f32> = bytes
        .iter()
        .map(|&bytes| f32::from_le_bytes(bytes))
        .collect();
    if let Some(bad) = floats.iter().find(|float| !float.is_finite()) {
        bail!("a weight is {bad}");
    }
    Ok(floats)
}

impl View for Tensor<'_> {
    fn dtype(&self) -> Dtype {
        Dtype::F32
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        self.weights
            .iter()
            .flat_map(|weight| weight.to_le_bytes())
            .collect()
    }

    fn data_len(&self) -> usize {
        size_of_val(self.weights)
    }
}
