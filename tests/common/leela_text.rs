//! Leela Zero's networks as text.

/// A network all of whose numbers are the same.
pub fn leela_zero(blocks: usize, channels: usize, number: &str) -> String {
    let conv = |inputs: usize, outputs: usize, side: usize| {
        [inputs * outputs * side * side, outputs, outputs, outputs]
    };
    let mut counts = conv(18, channels, 3).to_vec();
    (0..2 * blocks).for_each(|_| counts.extend(conv(channels, channels, 3)));
    counts.extend(conv(channels, 2, 1));
    counts.extend([722 * 362, 362]);
    counts.extend(conv(channels, 1, 1));
    counts.extend([361 * 256, 256, 256, 1]);
    let lines = counts.iter().map(|&count| vec![number; count].join(" "));
    format!("1\n{}\n", lines.collect::<Vec<_>>().join("\n"))
}
