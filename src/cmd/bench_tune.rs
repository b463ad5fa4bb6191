//! `keima bench --tune`: the number of threads and the batch size that play best on this machine.
//! More of both make searches faster, but worse at equal visits, since leaves in flight are
//! selected without each other's values.

use anyhow::Result;

use super::bench_search::{Bench, BenchSetting, enough_visits};
use crate::console::say;
use crate::threads::cores;

/// Largest batch and number of threads tried on a GPU.
const LARGEST_BATCH: u32 = 256;
/// Search for larger settings ends after this many consecutive ones that are worse than the best.
const PATIENCE: usize = 3;

/// Result of a setting.
struct Row {
    setting: BenchSetting,
    visits_per_second: f64,
    evaluations_per_second: f64,
    elo: f64,
}

/// Measures settings from small to large, prints a table and recommends the best.
pub(super) fn run(bench: &Bench, visits: u32, seconds: f64) -> Result<()> {
    say(format_args!(
        "threads  batch  visits/s  evaluations/s    Elo"
    ))?;
    let mut rows: Vec<Row> = Vec::new();
    for (threads, batch) in settings(bench.prefers_batches()) {
        let visits = enough_visits(visits, threads);
        let row = measured(
            bench,
            BenchSetting {
                threads,
                batch,
                visits,
            },
            seconds,
        )?;
        let elo = row.elo - rows.first().map_or(row.elo, |first| first.elo);
        say(format_args!(
            "{threads:7} {batch:6} {:9.1} {:14.1} {elo:+6.0}",
            row.visits_per_second, row.evaluations_per_second
        ))?;
        rows.push(row);
        if is_past_best(&rows) {
            break;
        }
    }
    let Some(best) = best(&rows) else {
        return Ok(());
    };
    let Row { setting, elo, .. } = &rows[best];
    say(format_args!(
        "\nrecommended for {seconds} s a move: --threads {} --batch {} ({:.0} visits/s, {:+.0} Elo \
         against --threads {} --batch {})",
        setting.threads,
        setting.batch,
        rows[best].visits_per_second,
        elo - rows[0].elo,
        rows[0].setting.threads,
        rows[0].setting.batch,
    ))
}

/// Combinations of threads and batch size, those with the least loss at equal visits first.
fn settings(prefers_batches: bool) -> Vec<(u32, u32)> {
    let doubled = |last: u32| {
        (0..)
            .map(|power| 1 << power)
            .take_while(move |&n| n <= last)
    };
    if prefers_batches {
        // Twice as many threads as batch places keep the GPU busy while trees are updated.
        let both = |batch| [(batch, batch), (2 * batch, batch)];
        return doubled(LARGEST_BATCH).flat_map(both).collect();
    }
    let cores = cores() as u32;
    let mut threads: Vec<u32> = doubled(2 * cores).chain([cores]).collect();
    threads.sort_unstable();
    threads.dedup();
    threads.into_iter().map(|threads| (threads, 1)).collect()
}

fn measured(bench: &Bench, setting: BenchSetting, seconds: f64) -> Result<Row> {
    let totals = bench.measure(setting)?;
    let visits_per_second = totals.per_second(totals.visits);
    Ok(Row {
        setting,
        visits_per_second,
        evaluations_per_second: totals.per_second(totals.evaluations),
        elo: elo(visits_per_second, setting.threads, seconds),
    })
}

/// Playing strength up to a constant: 250 Elo per doubling of speed, less the loss by leaves in
/// flight (fitted to self-play by KataGo's author; `benchmark.cpp`).
fn elo(visits_per_second: f64, threads: u32, seconds: f64) -> f64 {
    let visits = visits_per_second * seconds;
    let cost = 7.0 * (1600.0 / (800.0 + visits)).powf(0.85);
    250.0 * visits_per_second.max(1e-9).log2() - cost * f64::from(threads)
}

fn best(rows: &[Row]) -> Option<usize> {
    (0..rows.len()).max_by(|&a, &b| rows[a].elo.total_cmp(&rows[b].elo))
}

fn is_past_best(rows: &[Row]) -> bool {
    best(rows).is_some_and(|best| rows.len() - best > PATIENCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speed_is_weighed_against_leaves_in_flight() {
        // The loss by one leaf at these numbers of visits is known.
        for (visits, cost) in [(100.0, 11.4), (800.0, 7.0), (2000.0, 4.4)] {
            let found = elo(visits, 1, 1.0) - elo(visits, 2, 1.0);
            assert!((found - cost).abs() < 0.1, "{visits}: {found}");
        }
        let doubled = elo(2000.0, 1, 1e9) - elo(1000.0, 1, 1e9);
        assert!((doubled - 250.0).abs() < 0.01, "{doubled}");
        // A tenth more speed outweighs 8 more leaves in flight only at many visits.
        assert!(elo(110.0, 16, 1.0) < elo(100.0, 8, 1.0));
        assert!(elo(110.0, 16, 1000.0) > elo(100.0, 8, 1000.0));
    }

    #[test]
    fn settings_begin_with_the_smallest() {
        for prefers_batches in [false, true] {
            let settings = settings(prefers_batches);
            assert_eq!(settings[0], (1, 1));
            let is_sorted = settings.windows(2).all(|two| two[0].1 <= two[1].1);
            assert!(is_sorted, "{settings:?}");
        }
        assert!(settings(true).contains(&(64, 32)));
        assert!(settings(false).iter().all(|setting| setting.1 == 1));
    }
}
