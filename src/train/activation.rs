//! Activation functions of single values and their derivatives.

use crate::nn::desc::Activation;

use super::real::Real;

/// Above this, mish equals its argument to f32 precision.
const MISH_LINEAR: f64 = 20.0;

#[inline(always)]
pub fn value<T: Real>(activation: Activation, z: T) -> T {
    let (zero, one) = (T::default(), T::of(1.0));
    match activation {
        Activation::Identity => z,
        Activation::Relu => {
            if z > zero {
                z
            } else {
                zero
            }
        }
        Activation::Mish => z * tanh_of_softplus(z).0,
        Activation::Silu => z / (one + (-z).exp()),
    }
}

/// The derivative of the activation.
#[inline(always)]
pub fn slope<T: Real>(activation: Activation, z: T) -> T {
    let (zero, one) = (T::default(), T::of(1.0));
    match activation {
        Activation::Identity => one,
        Activation::Relu => {
            if z > zero {
                one
            } else {
                zero
            }
        }
        Activation::Mish => {
            let (tanh, e) = tanh_of_softplus(z);
            tanh + z * (one - tanh * tanh) * e / (one + e)
        }
        Activation::Silu => {
            let sigmoid = one / (one + (-z).exp());
            sigmoid * (one + z * (one - sigmoid))
        }
    }
}

/// With e = exp(z): tanh(ln(1 + e)) = n / (n + 2) where n = e (e + 2). Returns that and e.
#[inline(always)]
fn tanh_of_softplus<T: Real>(z: T) -> (T, T) {
    let limit = T::of(MISH_LINEAR);
    let e = if z < limit { z } else { limit }.exp();
    let n = e * (e + T::of(2.0));
    (n / (n + T::of(2.0)), e)
}
