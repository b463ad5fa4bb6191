//! A table of the time spent in each stage of an evaluation on the CPU.

use crate::go::BoardSize;
use crate::nn::cpu::simd::Tiles;
use crate::nn::cpu::{Executor, Profile, Stage};

/// Time and fraction of each stage; for matrix products also the fraction of the core's peak.
pub fn table(executor: &Executor, profile: &Profile, size: BoardSize) -> String {
    let total: f64 = profile
        .stages
        .iter()
        .map(|(_, time)| time.as_secs_f64())
        .sum();
    let (cost, peak) = (executor.cost(), executor.peak());
    let tiles = Tiles::new((size.width(), size.height()), 0, 1);
    let mut lines = vec![format!(
        "one evaluation on one core: {:.0} us; weights {:.1} MiB, and {:.1} MiB for each thread\n\n\
         stage                              us  share  of peak ({:.0} GFLOP/s)",
        1e6 * total,
        mebibytes(cost.weight_bytes),
        mebibytes(profile.memory_bytes),
        2e-9 * peak,
    )];
    for (stage, time) in profile.stages {
        let seconds = time.as_secs_f64();
        let operations = match stage {
            Stage::Products => cost.per_place * tiles.places(),
            Stage::Points => cost.per_point * size.area(),
            _ => 0,
        };
        let of_peak = operations as f64 / seconds / peak;
        let of_peak = if operations > 0 && seconds > 0.0 {
            format!("{:6.0} %", 100.0 * of_peak)
        } else {
            String::new()
        };
        let (us, share) = (1e6 * seconds, 100.0 * seconds / total);
        lines.push(format!(
            "{:30} {us:6.0} {share:4.0} % {of_peak}",
            name(stage)
        ));
    }
    lines.join("\n")
}

fn mebibytes(bytes: usize) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

fn name(stage: Stage) -> &'static str {
    match stage {
        Stage::Stem => "first convolution",
        Stage::Inputs => "3x3: transforms of inputs",
        Stage::Products => "3x3: matrix products",
        Stage::Results => "3x3: transforms of results",
        Stage::Points => "1x1 and matrices, heads",
        Stage::Attention => "attention",
        Stage::Pooling => "chain pooling",
        Stage::Others => "pooling, norms, others",
    }
}
