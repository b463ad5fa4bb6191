//! Instruction sets: detection and choice.

use std::fmt;

use anyhow::{Result, bail};

#[cfg(target_arch = "x86_64")]
use super::amx;

/// An instruction set that the kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isa {
    /// AVX-512 with dot products of 16-bit integers, and tiles of bf16 for training.
    Avx512Amx,
    /// AVX-512 with dot products of 16-bit integers.
    Avx512Vnni,
    /// AVX-512 (F, BW, DQ, VL).
    Avx512,
    /// AVX2 with FMA and dot products of 16-bit integers.
    AvxVnni,
    /// AVX2 with FMA.
    Avx2,
    /// NEON.
    Neon,
    /// Portable code.
    Portable,
}

/// Environment variable that forces an instruction set.
const VARIABLE: &str = "KEIMA_ISA";

impl Isa {
    /// All, the fastest first.
    pub const ALL: [Isa; 7] = [
        Isa::Avx512Amx,
        Isa::Avx512Vnni,
        Isa::Avx512,
        Isa::AvxVnni,
        Isa::Avx2,
        Isa::Neon,
        Isa::Portable,
    ];

    /// Name in that variable.
    pub fn name(self) -> &'static str {
        match self {
            Isa::Avx512Amx => "avx512amx",
            Isa::Avx512Vnni => "avx512vnni",
            Isa::Avx512 => "avx512",
            Isa::AvxVnni => "avxvnni",
            Isa::Avx2 => "avx2",
            Isa::Neon => "neon",
            Isa::Portable => "portable",
        }
    }

    /// The ones of this machine, the fastest first.
    pub fn available() -> impl Iterator<Item = Isa> {
        Isa::ALL.into_iter().filter(|isa| isa.is_available())
    }

    /// Whether this machine has it.
    pub fn is_available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            let avx512 =
                || has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl");
            match self {
                Isa::Avx512Amx => {
                    Isa::Avx512Vnni.is_available() && has!("avx512bf16") && amx::is_available()
                }
                Isa::Avx512Vnni => avx512() && has!("avx512vnni"),
                Isa::Avx512 => avx512(),
                Isa::AvxVnni => Isa::Avx2.is_available() && has!("avxvnni"),
                Isa::Avx2 => has!("avx2") && has!("fma"),
                Isa::Neon => false,
                Isa::Portable => true,
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            self == Isa::Portable || self == Isa::Neon && cfg!(target_arch = "aarch64")
        }
    }

    /// The one named by `KEIMA_ISA`, or else the fastest. It is an error if it is unknown or not
    /// available on this machine.
    pub fn chosen() -> Result<Isa> {
        match std::env::var(VARIABLE) {
            Ok(name) => Isa::named(&name),
            Err(_) => Ok(Isa::available().next().expect("every machine is portable")),
        }
    }

    fn named(name: &str) -> Result<Isa> {
        let available: Vec<_> = Isa::available().map(Isa::name).collect();
        match Isa::ALL.into_iter().find(|isa| isa.name() == name) {
            Some(isa) if isa.is_available() => Ok(isa),
            _ => bail!(
                "{VARIABLE} is '{name}'; this machine has {}",
                available.join(", ")
            ),
        }
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}
