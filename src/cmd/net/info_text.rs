//! The description of a network file as a table.

use std::collections::BTreeMap;

use super::info::NetInfo;

/// Score outputs per line.
const SCORES: usize = 4;

/// Rows of a label and a text; a row without label continues the one above.
pub fn table(info: &NetInfo) -> String {
    let mut rows = vec![("name", info.name.clone())];
    rows.extend(file_rows(info));
    rows.extend(architecture_rows(info));
    rows.extend(work_rows(info));
    let line = |(label, text): &(&str, String)| format!("{label:<12}{text}");
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn file_rows(info: &NetInfo) -> Vec<(&'static str, String)> {
    let stored = &info.stored;
    let compression = match stored.compression {
        "none" => String::new(),
        name => format!(", {name}"),
    };
    let bytes = grouped(stored.bytes);
    vec![
        ("file", info.file.clone()),
        ("", format!("{bytes} bytes, {}{compression}", stored.form)),
        ("SHA-256", stored.sha256.clone()),
    ]
}

fn architecture_rows(info: &NetInfo) -> Vec<(&'static str, String)> {
    let (inputs, channels) = (&info.inputs, &info.channels);
    let mut rows = vec![
        ("version", info.version.to_string()),
        ("blocks", kinds(&info.blocks)),
    ];
    if !info.inner_blocks.is_empty() {
        rows.push(("", format!("with {} inside", kinds(&info.inner_blocks))));
    }
    let stacks: Vec<String> = channels.stacks.iter().map(usize::to_string).collect();
    let widths = format!(
        "{} in the trunk, {} in the policy head, {} in the value head ({} hidden)",
        stacks.join(", "),
        channels.policy_head,
        channels.value_head,
        channels.value_hidden
    );
    rows.push(("channels", widths));
    let counts = format!(
        "{} planes, {} values of the whole position",
        inputs.planes, inputs.globals
    );
    let text = match (inputs.version, &inputs.game) {
        (_, Some(game)) => format!("{game}: {counts}"),
        (Some(version), None) => format!("version {version}: {counts}"),
        (None, None) => format!("{} planes of its own", inputs.planes),
    };
    rows.push(("inputs", text));
    if let Some(size) = &info.only_size {
        rows.push(("boards", format!("{size} only")));
    }
    if inputs.human_profile {
        rows.push(("", "and whom to play like (--human-profile)".to_owned()));
    }
    if info.pass_alive_under_suicide {
        rows.push(("", "pass-alive areas as if suicide were allowed".to_owned()));
    }
    rows.push(("policy", policy(info.policy_channels)));
    let value = match info.score_outputs.is_empty() {
        true => "win or loss",
        false => "win, loss, no result; ownership",
    };
    rows.push(("value", value.to_owned()));
    for (index, outputs) in info.score_outputs.chunks(SCORES).enumerate() {
        let label = if index == 0 { "score" } else { "" };
        rows.push((label, outputs.join(", ")));
    }
    rows
}

fn policy(channels: usize) -> String {
    let text = match channels {
        1 => "1 channel",
        2 => "2 channels: ordinary, optimistic",
        _ => "4 channels: ordinary, optimistic, two that are not move probabilities",
    };
    text.to_owned()
}

fn work_rows(info: &NetInfo) -> Vec<(&'static str, String)> {
    let megabytes = info.weight_bytes as f64 / f64::from(1 << 20);
    let parameters = grouped(info.parameters);
    let mut rows = vec![(
        "parameters",
        format!("{parameters}, in memory {megabytes:.1} MiB as f32"),
    )];
    let mut sizes: Vec<(&String, &f64)> = info.gflop.iter().collect();
    sizes.sort_by(|a, b| a.1.total_cmp(b.1));
    for (index, (size, gflop)) in sizes.into_iter().enumerate() {
        let label = if index == 0 { "work" } else { "" };
        let text = format!("{size:>5}  {} GFLOP an evaluation", three_digits(*gflop));
        rows.push((label, text));
    }
    rows
}

/// `6 (4 ordinary, 2 global pooling)`; the kind alone if there is only one.
fn kinds(counts: &BTreeMap<&'static str, usize>) -> String {
    let total: usize = counts.values().sum();
    let parts: Vec<String> = counts
        .iter()
        .rev()
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    match parts.as_slice() {
        [only] => only.clone(),
        _ => format!("{total} ({})", parts.join(", ")),
    }
}

/// A number with blanks between groups of three digits.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A positive number with about three significant digits.
fn three_digits(number: f64) -> String {
    let decimals = match number {
        ..0.001 => 6,
        ..0.01 => 5,
        ..0.1 => 4,
        ..1.0 => 3,
        ..10.0 => 2,
        ..100.0 => 1,
        _ => 0,
    };
    format!("{number:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(123_456), "123 456");
        assert_eq!(grouped(1_234_567), "1 234 567");
        assert_eq!(three_digits(0.0123), "0.0123");
        assert_eq!(three_digits(0.7249), "0.725");
        assert_eq!(three_digits(123.4), "123");
    }

    #[test]
    fn blocks_are_counted_by_kind() {
        let counts = BTreeMap::from([("ordinary", 4), ("global pooling", 2)]);
        assert_eq!(kinds(&counts), "6 (4 ordinary, 2 global pooling)");
        assert_eq!(kinds(&BTreeMap::from([("ordinary", 3)])), "3 ordinary");
    }
}
