//! `keima net bench`: evaluations per second of a network by batch and number of threads.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::value_parser;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

use super::stored::read_net_for;
use super::workload::{Setting, Workload};
use crate::cmd::device::DeviceArguments;
use crate::cmd::settings;
use crate::console::{say, tell};
use crate::go::BoardSize;

/// Length of a round in seconds; settings alternate between rounds.
const ROUND: f64 = 0.25;
/// Minimum for a meaningful median.
const MIN_ROUNDS: usize = 3;

/// Measure how many positions a network evaluates per second
///
/// Each thread evaluates batches of its own, on a CPU with one core. Settings alternate in short
/// rounds, and the median over the rounds is shown. Run it on an otherwise idle machine.
#[derive(clap::Args)]
pub struct BenchArguments {
    /// Network: a KataGo file or a checkpoint, or a built-in one: default, as the engine chooses by the board, or small
    #[arg(value_name = "FILE", default_value = "default")]
    file: PathBuf,

    /// Board size: 19, or width and height as in 9x7
    #[arg(long, default_value = "19", value_parser = settings::board_size)]
    size: BoardSize,

    /// Time for each entry of the table
    #[arg(long, default_value = "5", value_parser = settings::positive_seconds, allow_negative_numbers = true)]
    seconds: f64,

    /// Batch sizes
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "1,2,4,8", value_parser = value_parser!(u16).range(1..=4096))]
    batch: Vec<u16>,

    /// Numbers of threads
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "1,2", value_parser = value_parser!(u16).range(1..=1024))]
    threads: Vec<u16>,

    /// Also show where the time of an evaluation goes, on a GPU that of the largest batch; only where
    /// own kernels compute it
    #[arg(long)]
    stages: bool,

    /// Device and number format.
    #[command(flatten)]
    device: DeviceArguments,
}

/// A line of the table, with the rates of all rounds so far.
struct Row {
    batch: usize,
    threads: usize,
    alone: Vec<f64>,
    with_features: Vec<f64>,
}

/// Measures and prints the table.
pub fn run(arguments: &BenchArguments) -> Result<()> {
    let net = read_net_for(&arguments.file, arguments.size)?;
    let device = arguments.device.open()?;
    let workload = Workload::new(&net, &device.backend, arguments.size)?;
    let rounds = ((arguments.seconds / ROUND).round() as usize).max(MIN_ROUNDS);
    let time = Duration::from_secs_f64(arguments.seconds / rounds as f64);
    let mut rows = rows(arguments);
    let round_ms = time.as_millis();
    say(format_args!(
        "{}, {}, {}: evaluations per second, medians of {rounds} rounds of {round_ms} ms\n",
        net.name,
        arguments.size,
        device.describe(workload.computing()),
    ))?;
    let expected = HumanDuration(expected(rows.len(), rounds, time));
    tell(format_args!("measuring for about {expected}"));
    measure(&workload, &mut rows, rounds, time)?;
    say(format_args!("{}", table(&rows)))?;
    let largest = arguments.batch.iter().max().copied().unwrap_or(1).into();
    let stages = arguments.stages.then(|| workload.stages(largest));
    if let Some(stages) = stages.transpose()? {
        let none = || "only own kernels know the stages".to_owned();
        say(format_args!("\n{}", stages.unwrap_or_else(none)))?;
    }
    Ok(())
}

fn rows(arguments: &BenchArguments) -> Vec<Row> {
    let row = |threads: u16, batch: u16| Row {
        batch: batch.into(),
        threads: threads.into(),
        alone: Vec::new(),
        with_features: Vec::new(),
    };
    let of_threads = |&threads| {
        arguments
            .batch
            .iter()
            .map(move |&batch| row(threads, batch))
    };
    arguments.threads.iter().flat_map(of_threads).collect()
}

/// How long [`measure`] takes where a batch takes less than a round; at least a second.
fn expected(rows: usize, rounds: usize, time: Duration) -> Duration {
    let measurements = 2 * rows * (rounds + 1);
    let whole = time.saturating_mul(measurements as u32);
    whole.max(Duration::from_secs(1))
}

/// Adds a rate to every entry in each round, after a warm-up round.
fn measure(workload: &Workload, rows: &mut [Row], rounds: usize, time: Duration) -> Result<()> {
    let style = ProgressStyle::with_template("{bar:40} {elapsed} / {duration}");
    let bar = ProgressBar::new(((rounds + 1) * rows.len()) as u64)
        .with_style(style.expect("the template is valid"));
    for round in 0..=rounds {
        for row in rows.iter_mut() {
            let rate = |features| {
                let setting = Setting {
                    batch: row.batch,
                    threads: row.threads,
                    features,
                };
                workload.rate(setting, time)
            };
            let (alone, with_features) = (rate(false)?, rate(true)?);
            if round > 0 {
                row.alone.push(alone);
                row.with_features.push(with_features);
            }
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(())
}

fn table(rows: &[Row]) -> String {
    let head = "threads  batch        net alone    with features".to_owned();
    let line = |row: &Row| {
        format!(
            "{:>7}  {:>5}  {}  {}",
            row.threads,
            row.batch,
            rate_text(&row.alone),
            rate_text(&row.with_features)
        )
    };
    let lines: Vec<String> = [head].into_iter().chain(rows.iter().map(line)).collect();
    lines.join("\n")
}

/// The median of rates and half their interquartile range, in percent of the median.
fn rate_text(rates: &[f64]) -> String {
    let mut sorted = rates.to_vec();
    sorted.sort_by(f64::total_cmp);
    let median = quantile(&sorted, 0.5);
    let spread = (quantile(&sorted, 0.75) - quantile(&sorted, 0.25)) / 2.0;
    format!("{median:>8.1} +- {:>2.0} %", 100.0 * spread / median)
}

/// Quantile of sorted values, at least one, with interpolation.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (
        sorted[place.floor() as usize],
        sorted[place.ceil() as usize],
    );
    below + (above - below) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warm_up_round_is_expected_too() {
        let quarter = Duration::from_millis(250);
        assert_eq!(expected(8, 20, quarter), Duration::from_secs(84));
        assert_eq!(expected(1, 3, Duration::ZERO), Duration::from_secs(1));
    }

    #[test]
    fn medians_and_quartiles() {
        let sorted = [1.0, 2.0, 3.0, 10.0, 20.0];
        assert_eq!(quantile(&sorted, 0.5), 3.0);
        assert_eq!(quantile(&sorted, 0.75), 10.0);
        assert_eq!(quantile(&sorted[..4], 0.5), 2.5);
        assert_eq!(quantile(&[7.0], 0.25), 7.0);
        assert_eq!(rate_text(&[110.0, 90.0, 100.0]), "   100.0 +-  5 %");
    }
}
