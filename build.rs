//! Tells the program which networks of `weights/` are there to be built in, and compiles kernels for
//! GPUs where the feature `cuda` wants them.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// GPUs of 2020 and later, the first whose instructions know bf16. Their drivers compile what is made
/// for it for their own instructions.
const ARCHITECTURE: &str = "-arch=compute_80";
const KERNELS: &str = "src/nn/candle/kernels.cu";
/// Kernels for playing: instructions of GPUs of 2020 to 2022 and of those of 2022 on, and what the driver
/// compiles for others.
const GPU_KERNELS: &str = "src/nn/gpu/kernels/kernels.cu";
const GPU_ARCHITECTURES: [&str; 3] = ["sm_80", "sm_90a", "compute_80"];
/// A list that replaces these, such as `sm_90a`, where only some GPUs matter: compiling takes a minute each.
const ARCHITECTURES_VARIABLE: &str = "KEIMA_GPU_ARCHITECTURES";

fn main() {
    println!("cargo::rerun-if-changed=weights");
    for (name, file) in [
        ("default", "default.safetensors"),
        ("small", "small.bin.gz"),
        ("gomoku", "gomoku.safetensors.gz"),
    ] {
        println!("cargo::rustc-check-cfg=cfg(has_{name}_network)");
        if Path::new("weights").join(file).exists() {
            println!("cargo::rustc-cfg=has_{name}_network");
        }
    }
    println!("cargo::rerun-if-changed={KERNELS}");
    println!("cargo::rerun-if-changed=src/nn/gpu/kernels");
    if env::var_os("CARGO_FEATURE_CUDA").is_some() {
        compile_kernels();
    }
}

/// Makes `kernels.ptx` and `gpu_kernels.fatbin` by NVIDIA's compiler.
fn compile_kernels() {
    println!("cargo::rerun-if-env-changed=CUDA_HOME");
    compile(KERNELS, &["-ptx", ARCHITECTURE], "kernels.ptx");
    println!("cargo::rerun-if-env-changed={ARCHITECTURES_VARIABLE}");
    let chosen = env::var(ARCHITECTURES_VARIABLE).unwrap_or_else(|_| GPU_ARCHITECTURES.join(","));
    let codes = chosen.split(',').map(|code| {
        let virtual_code = code.replace("sm_", "compute_");
        format!("-gencode=arch={virtual_code},code={code}")
    });
    let codes: Vec<String> = codes.collect();
    let codes = codes.iter().map(String::as_str);
    let fatbin: Vec<&str> = ["-fatbin"].into_iter().chain(codes).collect();
    compile(GPU_KERNELS, &fatbin, "gpu_kernels.fatbin");
}

fn compile(kernels: &str, arguments: &[&str], result: &str) {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let of_toolkit = env::var_os("CUDA_HOME").map(|home| PathBuf::from(home).join("bin/nvcc"));
    let compiler = of_toolkit.filter(|nvcc| nvcc.exists());
    let compiler = compiler.unwrap_or_else(|| PathBuf::from("nvcc"));
    let mut command = Command::new(&compiler);
    command
        .args(arguments)
        .args(["-std=c++17", kernels, "-o"])
        .arg(out.join(result));
    let ran = command.status();
    assert!(
        ran.as_ref().is_ok_and(|status| status.success()),
        "{} does not compile {kernels} ({ran:?}): the feature `cuda` needs NVIDIA's CUDA toolkit, see docs/gpu.md",
        compiler.display()
    );
}
