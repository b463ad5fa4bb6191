//! The machine: processor, memory, GPU, and how the program was built.

use std::fs;
use std::path::Path;

use super::Findings;
use crate::cmd::device::default_batch;
use crate::cmd::engine_config::EngineConfig;
use crate::cmd::players;
use crate::memory;
use crate::nn::backend::{self, Backend, DeviceChoice, Precision};
use crate::nn::cpu::simd::Isa;
use crate::threads::cores;

/// Below this much memory large networks and trees do not fit.
const LITTLE_MEMORY: u64 = 1 << 30;

/// Where Linux has NVIDIA's driver.
const NVIDIA: [&str; 2] = ["/proc/driver/nvidia/version", "/dev/nvidia0"];

/// Looks at what does not depend on the configuration.
pub fn examine(findings: &mut Findings) {
    program(findings);
    processor(findings);
    match memory::available() {
        Some(bytes) => {
            let tree = memory::default_tree_bytes(Some(bytes)) >> 20;
            let available = bytes >> 20;
            findings.add(
                "memory",
                format!("{available} MB available; search tree up to {tree} MB"),
            );
            if bytes < LITTLE_MEMORY {
                findings.advise(
                    "little memory is available: close other programs, or set --max-memory and --cache-mb lower",
                );
            }
        }
        None => findings.add("memory", "unknown on this system"),
    }
    gpu(findings);
}

fn program(findings: &mut Findings) {
    let path = std::env::current_exe().unwrap_or_default();
    let version = env!("CARGO_PKG_VERSION");
    findings.add("keima", format!("version {version}, {}", path.display()));
    if cfg!(debug_assertions) {
        findings.advise("this is a debug build, many times slower: use cargo build --release");
    }
}

fn processor(findings: &mut Findings) {
    let cores = crate::console::counted(cores(), "core");
    let name = processor_name().unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    findings.add("processor", format!("{name}, {cores}"));
    let available: Vec<&str> = Isa::available().map(Isa::name).collect();
    match Isa::chosen() {
        Ok(isa) => {
            findings.add(
                "instructions",
                format!("{isa}, of {}", available.join(", ")),
            );
            if available.first() != Some(&isa.name()) {
                let fastest = available[0];
                findings.advise(format!(
                    "KEIMA_ISA is set, and {fastest} is faster: unset it"
                ));
            } else if isa == Isa::Portable {
                findings.advise(
                    "this processor has no AVX2, AVX-512 or NEON: networks are several times slower than usual; \
                     take small ones",
                );
            }
        }
        Err(error) => findings.advise(format!("{error:#}: unset KEIMA_ISA")),
    }
}

/// Linux says it.
fn processor_name() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn gpu(findings: &mut Findings) {
    let has_driver = NVIDIA.iter().any(|path| Path::new(path).exists());
    if !cfg!(feature = "cuda") {
        let fact = match has_driver {
            true => "an NVIDIA GPU is there, but keima was built without CUDA",
            false => "not used: keima was built without CUDA",
        };
        findings.add("GPU", fact);
        if has_driver {
            findings.advise(
                "the GPU would be much faster: install NVIDIA's CUDA toolkit and build with \
                 cargo build --release --features cuda (docs/gpu.md)",
            );
        }
        return;
    }
    let mut numbers = 0..;
    let is_usable =
        |number: &usize| backend::open(DeviceChoice::Cuda(*number), Precision::Auto).is_ok();
    let count = numbers.by_ref().take_while(is_usable).count();
    findings.add("GPU", crate::console::counted(count, "usable GPU"));
    if let (0, Err(error)) = (count, backend::open(DeviceChoice::Cuda(0), Precision::Auto)) {
        findings.advise(format!("no GPU can be used: {error:#} (docs/gpu.md)"));
    }
}

/// Compares the configuration with the machine.
pub fn compare(findings: &mut Findings, config: &EngineConfig) {
    let cores = cores();
    let opened = config.device.open().map(|opened| opened.backend);
    let prefers_batches = opened.as_ref().is_ok_and(Backend::prefers_batches);
    let (threads, default_batch) = match &opened {
        Ok(backend) => {
            let threads = players::threads(config, backend);
            (threads, default_batch(threads, backend))
        }
        Err(_) => (config.player.search.threads as usize, 1),
    };
    let batch = config.batch.unwrap_or(default_batch);
    findings.add(
        "threads",
        format!("{threads} for the search, batches of {batch}"),
    );
    if !prefers_batches && threads > cores {
        findings.advise(format!(
            "the search has {threads} threads on {cores} cores, which makes it weaker: set numSearchThreads to {cores}"
        ));
    }
    if prefers_batches && batch == 1 {
        findings.advise("a GPU evaluates one position at a time: leave out --threads and --batch");
    }
}
