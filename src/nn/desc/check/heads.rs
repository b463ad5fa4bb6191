//! The two heads of a net. `width` is the trunk's.

use anyhow::{Result, ensure};

use super::super::{PassHead, PolicyHead, ValueHead};
use super::{check_bias, check_conv, check_matmul, check_norm};

impl PolicyHead {
    /// Checks it against the trunk and the model version.
    pub fn check(&self, version: u32, width: usize) -> Result<()> {
        let (own, pooled) = (self.conv.outputs, self.pool_conv.outputs);
        let logits = self.conv_out.outputs;
        check_policy_channels(version, logits)?;
        check_conv("policy head", &self.conv, width, own)?;
        check_conv("pooled convolution", &self.pool_conv, width, pooled)?;
        check_norm("pooled norm", &self.pool_norm, pooled)?;
        check_matmul("pooling matrix", &self.pool_matmul, 3 * pooled, own)?;
        check_norm("policy norm", &self.norm, own)?;
        check_conv("policy logits", &self.conv_out, own, logits)?;
        match &self.pass {
            PassHead::Linear(matmul) => check_matmul("pass", matmul, 3 * pooled, logits),
            PassHead::Hidden {
                hidden,
                bias,
                output,
                ..
            } => {
                check_matmul("pass's hidden layer", hidden, 3 * pooled, own)?;
                check_bias("pass's bias", bias, own)?;
                check_matmul("pass logits", output, own, logits)
            }
        }
    }
}

/// Refuses numbers of policy channels that nets of the version do not have.
fn check_policy_channels(version: u32, channels: usize) -> Result<()> {
    let known = match version {
        ..12 => channels == 1,
        12..16 => channels == 2,
        16 => channels == 4,
        _ => matches!(channels, 2 | 4),
    };
    ensure!(
        known,
        "policy logits: {channels} channels, which version {version} does not have"
    );
    Ok(())
}

impl ValueHead {
    /// Checks it against the trunk and the model version.
    pub fn check(&self, version: u32, width: usize) -> Result<()> {
        let (own, hidden) = (self.conv.outputs, self.hidden.outputs);
        let scores = score_outputs(version);
        check_conv("value head", &self.conv, width, own)?;
        check_norm("value norm", &self.norm, own)?;
        check_matmul("value head's hidden layer", &self.hidden, 3 * own, hidden)?;
        check_bias("value head's hidden bias", &self.hidden_bias, hidden)?;
        check_matmul("value logits", &self.value, hidden, 3)?;
        check_bias("value bias", &self.value_bias, 3)?;
        check_matmul("score outputs", &self.score, hidden, scores)?;
        check_bias("score bias", &self.score_bias, scores)?;
        check_conv("ownership", &self.ownership, own, 1)
    }
}

/// Number of score outputs of nets of a version.
pub fn score_outputs(version: u32) -> usize {
    match version {
        ..=3 => 1,
        4..=7 => 2,
        8 => 4,
        _ => 6,
    }
}
