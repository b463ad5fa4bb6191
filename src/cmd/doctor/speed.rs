//! How fast the configured network is.

use std::time::{Duration, Instant};

use anyhow::Result;

use super::Findings;
use crate::cmd::engine_config::EngineConfig;
use crate::cmd::players::load_networks;
use crate::console::counted;
use crate::go::{BoardSize, Position};
use crate::nn::evaluator::{NetEvaluator, NetSettings};
use crate::nn::sample_games;
use crate::threads::cores;
use crate::threads::for_each_on;

/// Multiply-adds of all evaluations of a measurement: those of the built-in network take a processor with AVX2
/// about half a second.
const MULTIPLY_ADDS: u64 = 30_000_000_000;

/// Bounds of the number of evaluations in each measurement.
const EVALUATIONS: [u64; 2] = [8, 512];

/// Gain of several cores over one below which something else must be running.
const LEAST_GAIN: f64 = 1.3;

/// Evaluations per second below which a move takes long.
const SLOW: f64 = 50.0;

/// Measures evaluations with one thread and with one for each core.
pub fn measure(findings: &mut Findings, config: &EngineConfig) {
    if let Err(error) = measured(findings, config) {
        findings.refuse(format!("the network cannot be evaluated: {error:#}"));
    }
}

fn measured(findings: &mut Findings, config: &EngineConfig) -> Result<()> {
    let device = config.device.open()?;
    let networks = load_networks(config.model.as_deref(), device.backend.clone())?;
    let size = BoardSize::square(19);
    let only = networks.default_network().only_size();
    let size = only.unwrap_or(size);
    let evaluator = networks.evaluator(size, NetSettings::default())?;
    let [least, most] = EVALUATIONS;
    let count = MULTIPLY_ADDS / networks.multiply_adds(size).max(1);
    let count = count.clamp(least, most) as usize;
    let positions = sample_games::positions(size, count);
    let positions = match positions.is_empty() {
        true => vec![Position::new(size, config.rules, config.rules.usual_komi())],
        false => positions,
    };
    let computing = device.describe(evaluator.computing());
    // What is made on first use is not what is measured.
    evaluator.output(&positions[0], false)?;
    let mut rates = Vec::new();
    for threads in [1, cores()] {
        if rates.len() < threads {
            let time = time_for(&evaluator, &positions, count, threads)?;
            let rate = count as f64 / time.as_secs_f64();
            let (seconds, threads) = (time.as_secs_f64(), counted(threads, "thread"));
            let fact = format!(
                "{rate:.0} evaluations/s on {size} with {threads} ({count} in {seconds:.2} s)"
            );
            findings.add("speed", fact);
            rates.push(rate);
        }
    }
    findings.add("speed", format!("by {computing}"));
    let best = rates.iter().copied().fold(0.0, f64::max);
    if best < SLOW {
        findings.advise(
            "evaluations are slow: a smaller network, --device cuda or a machine with more cores would help; \
             keima net bench measures more exactly",
        );
    }
    if rates.len() > 1 && rates[1] < LEAST_GAIN * rates[0] {
        findings
            .advise("all cores together are hardly faster than one: is something else running?");
    }
    Ok(())
}

/// The time of all evaluations, shared among threads.
fn time_for(
    evaluator: &NetEvaluator,
    positions: &[Position],
    count: usize,
    threads: usize,
) -> Result<Duration> {
    let evaluate = |number: usize| {
        let position = &positions[number % positions.len()];
        evaluator.output(position, false).map(drop)
    };
    let start = Instant::now();
    for result in for_each_on(threads, (0..count).collect(), "measuring", evaluate) {
        result?;
    }
    Ok(start.elapsed())
}
