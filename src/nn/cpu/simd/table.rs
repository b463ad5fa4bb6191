//! Function tables of the kernels, one for each instruction set.

use super::finish::{self, Points, RawFinish};
use super::gemm::{self, Span};
use super::isa::Isa;
use super::packed::{Packed, Shape};
use super::peak;
use super::rows::{self, Rounded};
use super::sparse::{self, Term};
use super::vector::Simd;
use super::winograd::{self, Tiles};
use crate::nn::desc::Activation;

/// The functions of an instruction set. All of them need it, and what their originals require.
#[derive(Debug)]
pub struct Table {
    /// How matrices are packed.
    pub shape: Shape,
    /// See [`gemm::gemm_f32`].
    pub gemm_f32: unsafe fn(Span<f32>, &Packed<f32>, bool),
    /// See [`gemm::gemm_i16`].
    pub gemm_i16: unsafe fn(Span<i16>, *const f32, &Packed<i16>),
    /// See [`winograd::input_f32`].
    pub input_f32: unsafe fn(*const f32, usize, Tiles, *mut f32),
    /// See [`winograd::input_i16`].
    pub input_i16: unsafe fn(*const f32, usize, Tiles, *mut i16, *mut f32, *mut f32),
    /// See [`winograd::output`].
    pub output: unsafe fn(*const f32, usize, Tiles, RawFinish, Activation),
    /// See [`finish::finish_points`].
    pub finish_points: unsafe fn(*const f32, Points, RawFinish, Activation),
    /// See [`rows::round`].
    pub round_rows: unsafe fn((*const f32, usize), usize, usize, Rounded),
    /// See [`rows::rms_norm`].
    pub rms_norm: unsafe fn(*const f32, usize, f32, *mut f32),
    /// See [`rows::exponentials`].
    pub exponentials: unsafe fn(*mut f32, usize) -> f32,
    /// See [`rows::shares`].
    pub shares: unsafe fn(*mut f32, usize, *mut i16) -> f32,
    /// See [`rows::gated`].
    pub gated: unsafe fn(*const f32, *const f32, usize, *mut f32),
    /// See [`sparse::add_terms`].
    pub add_terms: unsafe fn(&mut [f32], *const f32, &[Term]),
    /// See [`peak::float_operations`].
    pub operations: usize,
    /// See [`peak::floats`].
    pub peak_floats: unsafe fn(usize, *const f32) -> f32,
    /// See [`peak::integers`].
    pub peak_integers: unsafe fn(usize, *const i16) -> f32,
}

/// The table of an instruction set, if the program is compiled for its architecture.
pub fn of(isa: Isa) -> &'static Table {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512Amx | Isa::Avx512Vnni => &avx512_vnni::TABLE,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => &avx512::TABLE,
        #[cfg(target_arch = "x86_64")]
        Isa::AvxVnni => &avx_vnni::TABLE,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => &avx2::TABLE,
        #[cfg(target_arch = "aarch64")]
        Isa::Neon => &neon::TABLE,
        _ => &portable::TABLE,
    }
}

/// Compiles all kernels for an instruction set.
macro_rules! compile {
    ($module:ident, $simd:ty $(, $features:literal)?) => {
        mod $module {
            use super::*;

            pub static TABLE: Table = Table {
                shape: Shape {
                    lanes: <$simd>::LANES,
                    panel: <$simd>::PANEL,
                },
                gemm_f32,
                gemm_i16,
                input_f32,
                input_i16,
                output,
                finish_points,
                round_rows,
                rms_norm,
                exponentials,
                shares,
                gated,
                add_terms,
                operations: peak::float_operations::<$simd>(),
                peak_floats,
                peak_integers,
            };

            compile!(@ $simd, $($features)?; gemm::gemm_f32 as gemm_f32(
                span: Span<f32>, b: &Packed<f32>, add: bool));
            compile!(@ $simd, $($features)?; gemm::gemm_i16 as gemm_i16(
                span: Span<i16>, scales: *const f32, b: &Packed<i16>));
            compile!(@ $simd, $($features)?; winograd::input_f32 as input_f32(
                board: *const f32, channels: usize, tiles: Tiles, to: *mut f32));
            compile!(@ $simd, $($features)?; winograd::input_i16 as input_i16(
                board: *const f32, channels: usize, tiles: Tiles,
                to: *mut i16, scales: *mut f32, floats: *mut f32));
            compile!(@ $simd, $($features)?; winograd::output as output(
                products: *const f32, channels: usize, tiles: Tiles,
                finish: RawFinish, activation: Activation));
            compile!(@ $simd, $($features)?; finish::finish_points as finish_points(
                results: *const f32, points: Points,
                finish: RawFinish, activation: Activation));
            compile!(@ $simd, $($features)?; rows::round as round_rows(
                from: (*const f32, usize), count: usize, len: usize, to: Rounded));
            compile!(@ $simd, $($features)?; rows::rms_norm as rms_norm(
                from: *const f32, channels: usize, epsilon: f32, to: *mut f32));
            compile!(@ $simd, $($features)?; rows::exponentials as exponentials(
                row: *mut f32, len: usize) -> f32);
            compile!(@ $simd, $($features)?; rows::shares as shares(
                row: *mut f32, len: usize, to: *mut i16) -> f32);
            compile!(@ $simd, $($features)?; rows::gated as gated(
                inner: *const f32, gate: *const f32, len: usize, to: *mut f32));
            compile!(@ $simd, $($features)?; sparse::add_terms as add_terms(
                to: &mut [f32], from: *const f32, terms: &[Term]));
            compile!(@ $simd, $($features)?; peak::floats as peak_floats(
                rounds: usize, operands: *const f32) -> f32);
            compile!(@ $simd, $($features)?; peak::integers as peak_integers(
                rounds: usize, operands: *const i16) -> f32);
        }
    };
    (
        @ $simd:ty, $($features:literal)?;
        $module:ident::$kernel:ident as $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?
    ) => {
        $(#[target_feature(enable = $features)])?
        unsafe fn $name($($argument: $type),*) $(-> $result)? {
            $module::$kernel::<$simd>($($argument),*)
        }
    };
}

#[cfg(target_arch = "x86_64")]
compile!(
    avx512_vnni,
    crate::nn::cpu::simd::avx512::Avx512<true>,
    "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma"
);
#[cfg(target_arch = "x86_64")]
compile!(
    avx512,
    crate::nn::cpu::simd::avx512::Avx512<false>,
    "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"
);
#[cfg(target_arch = "x86_64")]
compile!(
    avx_vnni,
    crate::nn::cpu::simd::avx2::Avx2<true>,
    "avx2,fma,avxvnni"
);
#[cfg(target_arch = "x86_64")]
compile!(avx2, crate::nn::cpu::simd::avx2::Avx2<false>, "avx2,fma");
#[cfg(target_arch = "aarch64")]
compile!(neon, crate::nn::cpu::simd::neon::Neon, "neon");
compile!(portable, crate::nn::cpu::simd::portable::Portable);
