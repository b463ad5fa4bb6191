//! Fully connected heads, for networks on one board size.

use serde::{Deserialize, Serialize};

use super::{Conv, DenseLayer, NormAct, PolicyHead, ValueHead};

/// The heads of a net.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Fields", into = "Fields")]
pub enum Heads {
    /// KataGo's, for boards of all sizes.
    Pooled(Box<PooledHeads>),
    /// Fully connected ones.
    Flat(Box<FlatHeads>),
}

/// Heads that pool over the board.
#[derive(Clone, Debug, PartialEq)]
pub struct PooledHeads {
    /// Move probabilities.
    pub policy: PolicyHead,
    /// Result, score and ownership.
    pub value: ValueHead,
}

/// Heads that read all values of a board at once, without score or ownership.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlatHeads {
    /// To a logit of each point, row by row, and of a pass.
    pub policy: FlatHead,
    /// To one number for the player to move, before tanh: win less loss probability.
    pub value: FlatHead,
}

/// `layers(flattened(norm(conv(tip))))`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlatHead {
    /// From the trunk's width.
    pub conv: Conv,
    /// Norm before the values are flattened as `[channel][y][x]`.
    pub norm: NormAct,
    /// In order.
    pub layers: Vec<DenseLayer>,
}

/// As stored in the manifest of a checkpoint.
#[derive(Clone, Serialize, Deserialize)]
struct Fields {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    policy_head: Option<PolicyHead>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value_head: Option<ValueHead>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    flat_heads: Option<FlatHeads>,
}

impl TryFrom<Fields> for Heads {
    type Error = &'static str;

    fn try_from(fields: Fields) -> Result<Heads, &'static str> {
        match (fields.policy_head, fields.value_head, fields.flat_heads) {
            (Some(policy), Some(value), None) => {
                Ok(Heads::Pooled(Box::new(PooledHeads { policy, value })))
            }
            (None, None, Some(flat)) => Ok(Heads::Flat(Box::new(flat))),
            (None, _, None) => Err("missing field `policy_head`"),
            (Some(_), None, None) => Err("missing field `value_head`"),
            (_, _, Some(_)) => Err("heads of two kinds"),
        }
    }
}

impl From<Heads> for Fields {
    fn from(heads: Heads) -> Fields {
        let mut fields = Fields {
            policy_head: None,
            value_head: None,
            flat_heads: None,
        };
        match heads {
            Heads::Pooled(heads) => {
                fields.policy_head = Some(heads.policy);
                fields.value_head = Some(heads.value);
            }
            Heads::Flat(heads) => fields.flat_heads = Some(*heads),
        }
        fields
    }
}

impl Heads {
    /// KataGo's heads, if they are these.
    pub fn pooled(&self) -> Option<&PooledHeads> {
        match self {
            Heads::Pooled(heads) => Some(heads),
            Heads::Flat(_) => None,
        }
    }

    /// The same, mutable.
    pub fn pooled_mut(&mut self) -> Option<&mut PooledHeads> {
        match self {
            Heads::Pooled(heads) => Some(heads),
            Heads::Flat(_) => None,
        }
    }

    /// Whether they are fully connected.
    pub fn are_flat(&self) -> bool {
        matches!(self, Heads::Flat(_))
    }
}
