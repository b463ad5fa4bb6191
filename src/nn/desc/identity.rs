//! Identities of networks by content, independent of the source file.

use std::hash::{DefaultHasher, Hasher};

use super::Net;
use super::leela::LeelaNet;

impl Net {
    /// Equal for equal networks, and different for others except by accident. Not stable between
    /// builds of the program.
    pub fn identity(&self) -> u64 {
        // All but the weights.
        let structure = serde_json::to_string(self).expect("a network has no other keys than text");
        let tensors = self.tensors();
        let weights = tensors.iter().map(|tensor| tensor.weights);
        identity(&structure, weights)
    }
}

impl LeelaNet {
    /// As [`Net::identity`].
    pub fn identity(&self) -> u64 {
        let head = format!("Leela Zero {}", self.value_is_black);
        identity(&head, self.weights())
    }
}

fn identity<'a>(head: &str, tensors: impl IntoIterator<Item = &'a [f32]>) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(head.as_bytes());
    for tensor in tensors {
        hasher.write_usize(tensor.len());
        for weight in tensor {
            hasher.write_u32(weight.to_bits());
        }
    }
    hasher.finish()
}
