//! The time of a batch on a GPU by operation.

use std::fmt::Write;

use crate::nn::gpu::executor::Time;

/// A line for each kind of operation, and the sum.
pub fn table(times: &[Time], boards: usize) -> String {
    let mut lines: Vec<(String, usize, Time)> = Vec::new();
    for time in times {
        let kind = kind(&time.operation);
        let same = lines
            .iter_mut()
            .find(|(name, _, of_kind)| *name == kind && of_kind.kernel == time.kernel);
        match same {
            Some((_, count, sum)) => {
                *count += 1;
                sum.seconds += time.seconds;
                sum.multiplications += time.multiplications;
                sum.bytes += time.bytes;
            }
            None => lines.push((kind, 1, time.clone())),
        }
    }
    lines.sort_by(|(_, _, a), (_, _, b)| b.seconds.total_cmp(&a.seconds));
    let all: f64 = times.iter().map(|time| time.seconds).sum();
    let mut text = format!(
        "{boards} boards: {:.0} us in kernels, {:.0} evaluations/s\n{:26} {:22} {:>5} {:>9} {:>6} {:>8} {:>8}\n",
        all * 1e6,
        boards as f64 / all,
        "operations",
        "kernel",
        "times",
        "us each",
        "share",
        "TFLOP/s",
        "GB/s"
    );
    for (kind, count, time) in lines {
        let _ = writeln!(
            text,
            "{kind:26} {:22} {count:>5} {:>9.1} {:>5.1}% {:>8.1} {:>8.0}",
            time.kernel,
            time.seconds * 1e6 / count as f64,
            100.0 * time.seconds / all,
            2.0 * time.multiplications as f64 / time.seconds / 1e12,
            time.bytes as f64 / time.seconds / 1e9,
        );
    }
    text
}

/// The operation without the numbers of blocks.
fn kind(operation: &str) -> String {
    let Some((place, part)) = operation
        .strip_prefix("block ")
        .and_then(|rest| rest.split_once(", "))
    else {
        return operation.to_owned();
    };
    match place.contains('.') {
        true => format!("inner block, {part}"),
        false => format!("block, {part}"),
    }
}
