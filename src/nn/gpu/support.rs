//! What the kernels for GPUs can compute.

use anyhow::{Result, bail, ensure};

use super::attention;
use crate::nn::desc;
use crate::nn::plan::{Bias, Conv, Outputs, Plan, Residual, Work};

/// Largest number of points that a kernel reads: that of 5x5.
const MOST_TAPS: usize = 25;
/// Most maps of one convolution.
const MOST_MAPS: usize = 4;

/// Refuses a plan with an operation that there is no kernel for, and names it.
pub fn check(plan: &Plan) -> Result<()> {
    if let Outputs::LeelaZero { .. } = plan.outputs {
        bail!("GPUs have no kernels for fully connected heads");
    }
    for operation in &plan.operations {
        let name = &operation.name;
        match &operation.work {
            Work::Conv(conv) => check_conv(name, conv)?,
            Work::Maps(maps) => check_maps(name, &maps.kernel)?,
            Work::Attention(attention) => ensure!(
                attention::widths(attention).is_some(),
                "{name}: GPUs have no kernel for heads of {} channels",
                attention.key_width.max(attention.value_width)
            ),
            Work::Flatten { .. } => bail!("GPUs have no kernel for flattened boards ({name})"),
            Work::Planes { .. }
            | Work::RmsNorm(_)
            | Work::Gated(_)
            | Work::Pool { .. }
            | Work::Dense(_) => {}
        }
    }
    Ok(())
}

fn check_conv(name: &str, conv: &Conv) -> Result<()> {
    let (height, width) = (conv.kernel.kernel_height, conv.kernel.kernel_width);
    ensure!(
        height * width <= MOST_TAPS,
        "{name}: GPUs have no kernel for convolutions of {height}x{width}"
    );
    let is_rectified = |residual: &Residual| residual.is_rectified;
    let is_merged = conv.scale.is_some() || matches!(conv.bias, Some(Bias::Constant(_)));
    ensure!(
        !is_merged && !conv.residual.as_ref().is_some_and(is_rectified),
        "GPUs have no kernel for a norm before the residual connection ({name})"
    );
    Ok(())
}

fn check_maps(name: &str, kernel: &desc::Conv) -> Result<()> {
    let (height, width) = (kernel.kernel_height, kernel.kernel_width);
    ensure!(
        height * width == 1 && kernel.outputs <= MOST_MAPS,
        "{name}: GPUs have no kernel for {} outputs of a convolution of {height}x{width}",
        kernel.outputs
    );
    Ok(())
}
