//! Tells the program which networks of `weights/` are there to be built in, and compiles kernels for
//! GPUs where the feature `cuda` wants them.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// GPUs of 2020 and later, the first whose instructions know bf16. Their drivers compile what is made
/// for it for their own instructions.
const ARCHITECTURE: &str = "-arch=compute_80";
const KERNELS: &str = "src/nn/candle/kernels.cu";

fn main() {
    println!("cargo::rerun-if-changed=weights");
    for name in ["default", "small"] {
        println!("cargo::rustc-check-cfg=cfg(has_{name}_network)");
        if Path::new(&format!("weights/{name}.bin.gz")).exists() {
            println!("cargo::rustc-cfg=has_{name}_network");
        }
    }
    println!("cargo::rerun-if-changed={KERNELS}");
    if env::var_os("CARGO_FEATURE_CUDA").is_some() {
        compile_kernels();
    }
}

/// Makes `kernels.ptx` by NVIDIA's compiler.
fn compile_kernels() {
    println!("cargo::rerun-if-env-changed=CUDA_HOME");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let of_toolkit = env::var_os("CUDA_HOME").map(|home| PathBuf::from(home).join("bin/nvcc"));
    let compiler = of_toolkit.filter(|nvcc| nvcc.exists());
    let compiler = compiler.unwrap_or_else(|| PathBuf::from("nvcc"));
    let mut command = Command::new(&compiler);
    command.args(["-ptx", ARCHITECTURE, "-std=c++17", KERNELS, "-o"]);
    let ran = command.arg(out.join("kernels.ptx")).status();
    assert!(
        ran.as_ref().is_ok_and(|status| status.success()),
        "{} does not compile {KERNELS} ({ran:?}): the feature `cuda` needs NVIDIA's CUDA toolkit, see docs/gpu.md",
        compiler.display()
    );
}
