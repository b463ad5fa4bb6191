//! Verifies every label of a folder: its position must be reachable and its policy must only have
//! legal moves. Also counts the labels.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use rayon::prelude::*;

use crate::files;
use crate::go::{KoRule, Position, Scoring};

use super::generations;
use super::label::Label;
use super::label_folder::{LabelFolder, number_of};
use super::records;
use super::shard::{self, LabelledLine, LineKind, Shard};

/// Contents of a folder.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Intact shards.
    pub shards: usize,
    /// Total size of their files in bytes.
    pub bytes: u64,
    /// Numbers missing before the last shard.
    pub missing: Vec<u32>,
    /// Errors, by file.
    pub faults: Vec<String>,
    /// Statistics over all labels.
    pub sums: Sums,
}

#[derive(Clone, Debug, Default)]
pub struct Sums {
    /// Labels by board size, as `(area, text)`.
    pub sizes: BTreeMap<(usize, String), usize>,
    /// Labels of recorded games, by source.
    pub games: BTreeMap<String, usize>,
    /// Labels of self-play games.
    pub networks: usize,
    /// Labels by ko rule and scoring.
    pub rules: BTreeMap<String, usize>,
    /// Labels of positions on side lines.
    pub side_positions: usize,
    /// Labels with a human move.
    pub human_moves: usize,
    /// Labels with integer komi.
    pub whole_komi: usize,
    pub labels: usize,
    /// Labels with a policy.
    taught: usize,
    /// Stored moves of policies.
    entries: usize,
    /// Sum of the policies' entropies, in nats.
    entropy: f64,
    /// Labels with an outcome.
    valued: usize,
    /// Sum of the probabilities of no result.
    no_result: f64,
    /// Sum of the absolute values of win less loss.
    decided: f64,
    /// Labels with a lead.
    scored: usize,
    /// Sum of squared leads.
    lead_square: f64,
}

/// Reads all shards of a folder. `progress` is called after each.
pub fn check(folder: &Path, progress: &(dyn Fn() + Sync)) -> Result<Report> {
    if let Ok([.., newest]) = generations::generations(folder).as_deref() {
        bail!(
            "{} holds generations of self-play: check one of them, such as {}",
            folder.display(),
            newest.display()
        );
    }
    let is_generation = generations::is_generation(folder);
    let is_numbered = !is_generation && !records::is_folder(folder);
    let settings = match is_generation {
        true => generations::digest(folder)?,
        false if records::is_folder(folder) => records::digest(folder)?,
        false => LabelFolder::open(folder)?.settings().digest()?,
    };
    let files = shard::in_folder(folder)?;
    let checked: Vec<_> = files
        .par_iter()
        .map(|path| {
            let checked = check_shard(path, settings, !is_numbered);
            progress();
            checked.with_context(|| path.display().to_string())
        })
        .collect();
    let mut report = Report::default();
    let mut next = 0;
    for (path, shard) in files.iter().zip(checked) {
        // Parts of a generation are numbered by their workers.
        if let Some(number) = number_of(path).filter(|_| is_numbered) {
            report.missing.extend(next..number);
            next = number + 1;
        }
        match shard {
            Ok((bytes, sums)) => {
                report.shards += 1;
                report.bytes += bytes;
                report.sums.add(sums);
            }
            Err(error) => report.faults.push(format!("{error:#}")),
        }
    }
    Ok(report)
}

fn check_shard(path: &Path, settings: [u8; 8], has_any_name: bool) -> Result<(u64, Sums)> {
    let bytes = files::read_regular(path, files::TRAINING_LIMIT)?;
    let shard = Shard::from_bytes(&bytes)?;
    ensure!(shard.settings == settings, "labels of another run");
    let name = format!("shard-{:06}.glb", shard.number);
    let is_named = has_any_name || path.ends_with(&name);
    ensure!(is_named, "the shard calls itself {name}");
    let mut sums = Sums::default();
    for (index, line) in shard.lines.iter().enumerate() {
        for label in &line.labels {
            let added = sums.add_label(&shard, line, label);
            added.with_context(|| format!("line {index}, after {} moves", label.ply))?;
        }
    }
    Ok((bytes.len() as u64, sums))
}

/// The position of a label.
pub fn position_of(line: &LabelledLine, label: &Label) -> Result<Position> {
    let ply = usize::from(label.ply);
    line.line
        .position(ply, &label.side_line, label.rules, label.komi)
}

/// Whether each move is legal, by number, the pass last.
pub fn legal_mask(position: &Position) -> Vec<bool> {
    let size = position.size();
    let mut legal = vec![false; size.area() + 1];
    for mv in position.legal_moves() {
        legal[size.move_index(mv)] = true;
    }
    legal
}

impl Sums {
    fn add_label(&mut self, shard: &Shard, line: &LabelledLine, label: &Label) -> Result<()> {
        let position = position_of(line, label)?;
        let legal = legal_mask(&position);
        let values = &label.values;
        let all_legal = values
            .policy
            .iter()
            .all(|&(index, _)| legal[usize::from(index)]);
        ensure!(all_legal, "a policy with illegal moves");
        let size = (shard.size.area(), shard.size.to_string());
        *self.sizes.entry(size).or_default() += 1;
        match line.kind {
            LineKind::Game | LineKind::Record => {
                let source = shard.sources[usize::from(line.source)].clone();
                *self.games.entry(source).or_default() += 1;
            }
            LineKind::Teacher | LineKind::SelfPlay => self.networks += 1,
        }
        let ko = match label.rules.ko {
            KoRule::Simple => "simple ko",
            KoRule::Positional | KoRule::Situational => "superko",
        };
        let scoring = match label.rules.scoring {
            Scoring::Area => "area",
            Scoring::Territory => "territory",
        };
        *self.rules.entry(format!("{scoring}, {ko}")).or_default() += 1;
        self.side_positions += usize::from(!label.side_line.is_empty());
        self.human_moves += usize::from(label.is_human);
        self.whole_komi += usize::from(label.komi.is_integer());
        self.labels += 1;
        if values.knows_policy() {
            self.taught += 1;
            self.entries += values.policy.len();
            self.entropy += entropy(&values.policy(&legal));
        }
        if values.knows_outcome() {
            let [win, loss, no_result] = values.outcome().map(f64::from);
            self.valued += 1;
            self.no_result += no_result;
            self.decided += (win - loss).abs();
        }
        if values.knows_score() {
            self.scored += 1;
            self.lead_square += f64::from(values.lead()).powi(2);
        }
        Ok(())
    }

    fn add(&mut self, other: Sums) {
        add_counts(&mut self.sizes, other.sizes);
        add_counts(&mut self.games, other.games);
        add_counts(&mut self.rules, other.rules);
        for (sum, more) in [
            (&mut self.networks, other.networks),
            (&mut self.side_positions, other.side_positions),
            (&mut self.human_moves, other.human_moves),
            (&mut self.whole_komi, other.whole_komi),
            (&mut self.labels, other.labels),
            (&mut self.taught, other.taught),
            (&mut self.entries, other.entries),
            (&mut self.valued, other.valued),
            (&mut self.scored, other.scored),
        ] {
            *sum += more;
        }
        for (sum, more) in [
            (&mut self.entropy, other.entropy),
            (&mut self.no_result, other.no_result),
            (&mut self.decided, other.decided),
            (&mut self.lead_square, other.lead_square),
        ] {
            *sum += more;
        }
    }

    /// Means of what is known; what no label knows is left out.
    fn fmt_means(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mean = |sum: f64, labels: usize| sum / labels as f64;
        if self.taught > 0 {
            let entries = mean(self.entries as f64, self.taught);
            let entropy = mean(self.entropy, self.taught);
            writeln!(
                f,
                "policy: {entries:.1} moves kept, entropy {entropy:.2} nats"
            )?;
        }
        let mut values = Vec::new();
        if self.valued > 0 {
            let decided = mean(self.decided, self.valued);
            let no_result = mean(self.no_result, self.valued);
            values.push(format!(
                "mean |win - loss| {decided:.3}, no result {no_result:.4}"
            ));
        }
        if self.scored > 0 {
            let lead = mean(self.lead_square, self.scored).sqrt();
            values.push(format!("lead {lead:.1} points (root mean square)"));
        }
        match values.is_empty() {
            true => Ok(()),
            false => writeln!(f, "{}", values.join(", ")),
        }
    }
}

fn add_counts<K: Ord>(counts: &mut BTreeMap<K, usize>, more: BTreeMap<K, usize>) {
    for (key, count) in more {
        *counts.entry(key).or_default() += count;
    }
}

fn entropy(policy: &[f32]) -> f64 {
    let terms = policy.iter().filter(|&&p| p > 0.0).map(|&p| f64::from(p));
    terms.map(|p| -p * p.ln()).sum()
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sums = &self.sums;
        let labels = sums.labels;
        let mean = |sum: f64| sum / labels.max(1) as f64;
        let share = |count: usize| 100.0 * mean(count as f64);
        let bytes = mean(self.bytes as f64);
        writeln!(
            f,
            "{} shards, {labels} labels, {bytes:.1} bytes a label",
            self.shards
        )?;
        for ((_, size), count) in &sums.sizes {
            writeln!(f, "{count:>9}  {:>4.1} %  {size}", share(*count))?;
        }
        let networks = ("games of networks".to_owned(), sums.networks);
        let games = sums.games.iter();
        let games = games.map(|(source, count)| (format!("games of {source}"), *count));
        let rules = sums
            .rules
            .iter()
            .map(|(rules, count)| (rules.clone(), *count));
        let others = [
            (
                "after moves off the game's path".to_owned(),
                sums.side_positions,
            ),
            ("with a human move".to_owned(), sums.human_moves),
            ("with whole komi".to_owned(), sums.whole_komi),
        ];
        for (what, count) in games.chain([networks]).chain(rules).chain(others) {
            writeln!(f, "{count:>9}  {:>4.1} %  {what}", share(count))?;
        }
        sums.fmt_means(f)?;
        if !self.missing.is_empty() {
            writeln!(
                f,
                "missing shards: {}, the first {}",
                self.missing.len(),
                self.missing[0]
            )?;
        }
        for fault in &self.faults {
            writeln!(f, "damaged: {fault}")?;
        }
        write!(f, "{} damaged shards", self.faults.len())
    }
}
