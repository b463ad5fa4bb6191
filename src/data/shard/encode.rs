//! Encoding of labels.

use anyhow::{Context, Result, ensure};

use crate::go::{Color, Rules, Scoring};

use super::super::label::{Label, LabelValues};
use super::super::line::MoveCode;
use super::{LabelledLine, LineKind, Shard};

/// Code for no move.
pub(super) const NO_MOVE: u16 = u16::MAX;

/// The body of a shard, before compression.
pub(super) fn body(shard: &Shard) -> Result<Vec<u8>> {
    let mut bytes = vec![u8::try_from(shard.sources.len()).context("too many sources")?];
    for source in &shard.sources {
        bytes.push(u8::try_from(source.len()).context("a source with a long name")?);
        bytes.extend(source.as_bytes());
    }
    for line in &shard.lines {
        write_line(line, &mut bytes)?;
        for label in &line.labels {
            let area = shard.size.area();
            let ownership = if shard.has_ownership { area } else { 0 };
            ensure!(label.values.ownership.len() == ownership, "unfit ownership");
            write_label(label, &mut bytes)?;
        }
    }
    Ok(bytes)
}

fn write_line(line: &LabelledLine, bytes: &mut Vec<u8>) -> Result<()> {
    bytes.push(line.source);
    bytes.push(match line.kind {
        LineKind::Game => 0,
        LineKind::Teacher => 1,
        LineKind::SelfPlay => 2,
        LineKind::Record => 3,
    });
    let winner = line.winner.map_or(2, |winner| winner as u8);
    let decided_for = line.decided_for.map_or(0, |color| 1 + color as u8);
    bytes.push(winner | decided_for << 2);
    bytes.push(u8::from(line.line.first == Color::White));
    let (stones, moves) = (&line.line.stones, &line.line.moves);
    for len in [stones.len(), moves.len(), line.labels.len()] {
        bytes.extend(u16::try_from(len).context("a line too long")?.to_le_bytes());
    }
    write_codes(stones, bytes);
    write_codes(moves, bytes);
    Ok(())
}

fn write_codes(codes: &[MoveCode], bytes: &mut Vec<u8>) {
    bytes.extend(codes.iter().flat_map(|code| code.0.to_le_bytes()));
}

fn write_label(label: &Label, bytes: &mut Vec<u8>) -> Result<()> {
    bytes.extend(label.ply.to_le_bytes());
    bytes.push(u8::try_from(label.side_line.len()).context("a side line too long")?);
    write_codes(&label.side_line, bytes);
    bytes.extend(rules_code(&label.rules).to_le_bytes());
    bytes.extend((label.komi.half() as i16).to_le_bytes());
    bytes.push(label.history | u8::from(label.is_human) << 7);
    for mv in [label.next, label.reply] {
        bytes.extend(mv.unwrap_or(NO_MOVE).to_le_bytes());
    }
    write_values(&label.values, bytes)
}

fn write_values(values: &LabelValues, bytes: &mut Vec<u8>) -> Result<()> {
    let [win, loss] = values.outcome;
    bytes.extend(win.to_le_bytes());
    bytes.extend(loss.to_le_bytes());
    bytes.extend(values.lead.to_le_bytes());
    bytes.extend(values.score_mean.to_le_bytes());
    bytes.extend(values.score_stdev.to_le_bytes());
    bytes.extend(values.errors);
    bytes.push(values.rest);
    bytes.push(u8::try_from(values.policy.len()).context("a policy too long")?);
    for &(index, code) in &values.policy {
        bytes.extend((index | u16::from(code) << 9).to_le_bytes());
    }
    let pairs = values.ownership.chunks(2);
    bytes.extend(pairs.map(|pair| pair[0] | pair.get(1).map_or(0, |second| second << 4)));
    Ok(())
}

fn rules_code(rules: &Rules) -> u16 {
    let fields = [
        (rules.ko as u16, 0),
        (u16::from(rules.scoring == Scoring::Territory), 2),
        (rules.tax as u16, 3),
        (u16::from(rules.suicide), 5),
        (u16::from(rules.has_button), 6),
        (rules.handicap_bonus as u16, 7),
        (u16::from(rules.friendly_pass_ok), 9),
    ];
    fields
        .iter()
        .fold(0, |code, (value, bit)| code | value << bit)
}
