//! Serialisation of optional weights: only whether they are present.

use serde::{Deserialize, Deserializer, Serializer};

/// Serialises whether there are weights.
pub fn serialize<S: Serializer>(
    weights: &Option<Vec<f32>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(weights.is_some())
}

/// Placeholder for weights that are present.
pub fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<f32>>, D::Error> {
    Ok(bool::deserialize(deserializer)?.then(Vec::new))
}
