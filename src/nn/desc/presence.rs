//! Weights that a layer may lack, as serde sees them: whether they are there.

use serde::{Deserialize, Deserializer, Serializer};

/// Whether there are any.
pub fn serialize<S: Serializer>(
    weights: &Option<Vec<f32>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(weights.is_some())
}

/// An empty vector where there were some.
pub fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<f32>>, D::Error> {
    Ok(bool::deserialize(deserializer)?.then(Vec::new))
}
