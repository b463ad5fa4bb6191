//! Epilogues of convolutions and matrix products: bias, residual connection, norm and activation,
//! in one pass while results are in registers.

use super::vector::{Simd, exp};
use crate::nn::desc::Activation;

/// Layout of the points in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Cell of the top left point.
    pub origin: usize,
    /// Stride of rows in cells.
    pub row: usize,
}

/// Epilogue of one board. Channels are padded everywhere; padding stays zero if bias and norm are
/// zero there.
#[derive(Debug)]
pub struct Finish<'a> {
    /// Added to every point; one value per channel.
    pub bias: &'a [f32],
    /// `[point][channel]`: the residual connection.
    pub stack: Option<Stack<'a>>,
    /// The next step; without it, only the sum is stored.
    pub output: Option<Output<'a>>,
}

/// A residual connection.
#[derive(Debug)]
pub struct Stack<'a> {
    /// `[point][channel]`
    pub values: &'a mut [f32],
    /// How results are combined with it.
    pub residual_mode: ResidualMode,
}

/// How results are combined with a residual connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResidualMode {
    /// They replace it.
    Replaces,
    /// They are added, and the sum is the input of the next step.
    Adds,
    /// They are added to its ReLU.
    AddsToRelu,
}

/// `values = activation(results * scale + shift)`.
#[derive(Debug)]
pub struct Output<'a> {
    /// Scale and shift by channel; none for the identity.
    pub norm: Option<(&'a [f32], &'a [f32])>,
    pub activation: Activation,
    /// `[cell][channel]`.
    pub values: &'a mut [f32],
    /// Layout of the values.
    pub layout: Layout,
}

/// The same as pointers, null for missing parts.
#[derive(Clone, Copy)]
pub struct RawFinish {
    channels: usize,
    bias: *const f32,
    stack: *mut f32,
    residual_mode: ResidualMode,
    scale: *const f32,
    shift: *const f32,
    values: *mut f32,
    layout: Layout,
}

impl Finish<'_> {
    /// Checked for a board of this width and height.
    ///
    /// # Panics
    ///
    /// Panics if a slice is too short.
    pub fn raw(&mut self, channels: usize, width: usize, height: usize) -> (RawFinish, Activation) {
        assert!(self.bias.len() >= channels && channels.is_multiple_of(super::packed::COLUMN_STEP));
        let mut raw = RawFinish {
            channels,
            bias: self.bias.as_ptr(),
            stack: std::ptr::null_mut(),
            residual_mode: ResidualMode::Replaces,
            scale: std::ptr::null(),
            shift: std::ptr::null(),
            values: std::ptr::null_mut(),
            layout: Layout {
                origin: 0,
                row: width,
            },
        };
        if let Some(stack) = &mut self.stack {
            assert!(stack.values.len() >= width * height * channels);
            (raw.stack, raw.residual_mode) = (stack.values.as_mut_ptr(), stack.residual_mode);
        }
        let Some(output) = &mut self.output else {
            return (raw, Activation::Identity);
        };
        if let Some((scale, shift)) = output.norm {
            assert!(scale.len() >= channels && shift.len() >= channels);
            (raw.scale, raw.shift) = (scale.as_ptr(), shift.as_ptr());
        }
        let cells = output.layout.origin + (height - 1) * output.layout.row + width;
        assert!(output.layout.row >= width && output.values.len() >= cells * channels);
        (raw.values, raw.layout) = (output.values.as_mut_ptr(), output.layout);
        (raw, output.activation)
    }
}

/// An activation as a type, so that kernels are compiled for it.
pub trait Act {
    /// Applies to each lane.
    unsafe fn of<S: Simd>(x: S::F) -> S::F;
}

/// See [`Activation::Identity`].
pub struct Identity;
/// See [`Activation::Relu`].
pub struct Relu;
/// See [`Activation::Mish`].
pub struct Mish;
/// See [`Activation::Silu`].
pub struct Silu;

impl Act for Identity {
    #[inline(always)]
    unsafe fn of<S: Simd>(x: S::F) -> S::F {
        x
    }
}

impl Act for Relu {
    /// The product with 0 is 0, except for infinity and NaN, which give NaN and so invalidate the
    /// network's output.
    #[inline(always)]
    unsafe fn of<S: Simd>(x: S::F) -> S::F {
        let zero = S::splat(0.0);
        S::mul_add(x, zero, S::max(x, zero))
    }
}

impl Act for Mish {
    /// With e = exp(x): tanh(ln(1 + e)) = n / (n + 2), where n = e (e + 2); from x = 20 on this
    /// is 1.
    #[inline(always)]
    unsafe fn of<S: Simd>(x: S::F) -> S::F {
        let e = exp::<S>(S::min(x, S::splat(20.0)));
        let n = S::mul_add(e, e, S::add(e, e));
        S::div(S::mul(x, n), S::add(n, S::splat(2.0)))
    }
}

impl Act for Silu {
    #[inline(always)]
    unsafe fn of<S: Simd>(x: S::F) -> S::F {
        let e = exp::<S>(S::sub(S::splat(0.0), x));
        S::div(x, S::add(e, S::splat(1.0)))
    }
}

/// Calls a kernel that is generic over an activation.
macro_rules! with_activation {
    ($activation:expr, $kernel:ident::<$simd:ty>($($argument:expr),*)) => {
        match $activation {
            Activation::Identity => $kernel::<$simd, Identity>($($argument),*),
            Activation::Relu => $kernel::<$simd, Relu>($($argument),*),
            Activation::Mish => $kernel::<$simd, Mish>($($argument),*),
            Activation::Silu => $kernel::<$simd, Silu>($($argument),*),
        }
    };
}
pub(super) use with_activation;

impl RawFinish {
    /// Applies the epilogue to one register of results, of the point (x, y) of a board of this
    /// width, from channel `c` on.
    #[inline(always)]
    pub unsafe fn one<S: Simd, A: Act>(
        &self,
        result: S::F,
        (x, y, width): (usize, usize, usize),
        c: usize,
    ) {
        let mut value = S::add(result, S::load(self.bias.add(c)));
        if !self.stack.is_null() {
            let stack = self.stack.add((y * width + x) * self.channels + c);
            match self.residual_mode {
                ResidualMode::Replaces => {}
                ResidualMode::Adds => value = S::add(value, S::load(stack)),
                ResidualMode::AddsToRelu => {
                    value = S::add(value, Relu::of::<S>(S::load(stack)));
                }
            }
            S::store(stack, value);
        }
        if self.values.is_null() {
            return;
        }
        if !self.scale.is_null() {
            value = S::mul_add(
                value,
                S::load(self.scale.add(c)),
                S::load(self.shift.add(c)),
            );
        }
        let cell = self.layout.origin + y * self.layout.row + x;
        S::store(self.values.add(cell * self.channels + c), A::of::<S>(value));
    }
}

/// Points of a board, row by row.
#[derive(Clone, Copy)]
pub struct Points {
    /// Width of the board.
    pub width: usize,
    /// The first point.
    pub first: usize,
    /// Number of points.
    pub count: usize,
}

/// Applies the epilogue to `[point][channel]` results.
///
/// # Safety
///
/// Needs the instruction set, the results, and an epilogue checked for the board.
#[inline(always)]
pub unsafe fn finish_points<S: Simd>(
    results: *const f32,
    points: Points,
    finish: RawFinish,
    activation: Activation,
) {
    with_activation!(activation, finish_points_with::<S>(results, points, finish));
}

#[inline(always)]
unsafe fn finish_points_with<S: Simd, A: Act>(
    results: *const f32,
    points: Points,
    finish: RawFinish,
) {
    let width = points.width;
    let (mut x, mut y) = (points.first % width, points.first / width);
    for index in 0..points.count {
        let results = results.add(index * finish.channels);
        for c in (0..finish.channels).step_by(S::LANES) {
            finish.one::<S, A>(S::load(results.add(c)), (x, y, width), c);
        }
        x += 1;
        if x == width {
            (x, y) = (0, y + 1);
        }
    }
}
