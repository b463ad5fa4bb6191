//! Gradients of layers for which candle has none, or a slow or imprecise one: it would sum 16-bit
//! numbers of all cells one by one.

use candle_core::backend::BackendStorage;
use candle_core::{CpuStorage, CudaStorage, CustomOp3, Layout, Result, Shape, Tensor};

/// A result computed from two detached arguments, with a function from the gradient of the result
/// to those of the arguments. Without training, just the result.
pub fn with_backward(
    result: Tensor,
    (first, second): (&Tensor, &Tensor),
    backward: impl Fn(&Tensor) -> Result<(Tensor, Tensor)> + Send + Sync + 'static,
) -> Result<Tensor> {
    if !first.track_op() && !second.track_op() {
        return Ok(result);
    }
    let of_both = move |of_result: &Tensor| {
        let (of_first, of_second) = backward(of_result)?;
        Ok((Some(of_first), Some(of_second)))
    };
    result.apply_op3(first, second, Known(of_both))
}

/// The same with a single argument.
pub fn with_backward_to_one(
    result: Tensor,
    argument: &Tensor,
    backward: impl Fn(&Tensor) -> Result<Tensor> + Send + Sync + 'static,
) -> Result<Tensor> {
    if !argument.track_op() {
        return Ok(result);
    }
    let of_one = move |of_result: &Tensor| Ok((Some(backward(of_result)?), None));
    result.apply_op3(argument, argument, Known(of_one))
}

/// Sums over all rows of a matrix, `[1][column]`: as a product, which accumulates in f32.
pub fn sum_of_rows(values: &Tensor) -> Result<Tensor> {
    let ones = Tensor::ones((1, values.dim(0)?), values.dtype(), values.device())?;
    ones.matmul(values)
}

/// The value of the first argument; the function computes the gradients of the others.
struct Known<F>(F);

fn copy<S: BackendStorage>(storage: &S, layout: &Layout) -> Result<(S, Shape)> {
    if layout
        .contiguous_offsets()
        .is_none_or(|(start, _)| start > 0)
    {
        candle_core::bail!("a result has a place of its own")
    }
    Ok((storage.try_clone(layout)?, layout.shape().clone()))
}

impl<F> CustomOp3 for Known<F>
where
    F: Fn(&Tensor) -> Result<(Option<Tensor>, Option<Tensor>)>,
{
    fn name(&self) -> &'static str {
        "known"
    }

    fn cpu_fwd(
        &self,
        result: &CpuStorage,
        layout: &Layout,
        _: &CpuStorage,
        _: &Layout,
        _: &CpuStorage,
        _: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        copy(result, layout)
    }

    fn cuda_fwd(
        &self,
        result: &CudaStorage,
        layout: &Layout,
        _: &CudaStorage,
        _: &Layout,
        _: &CudaStorage,
        _: &Layout,
    ) -> Result<(CudaStorage, Shape)> {
        copy(result, layout)
    }

    fn bwd(
        &self,
        _: &Tensor,
        _: &Tensor,
        _: &Tensor,
        _: &Tensor,
        of_result: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
        let (of_first, of_second) = self.0(of_result)?;
        Ok((None, of_first, of_second))
    }
}
