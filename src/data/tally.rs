//! Counts of games read and skipped, with reasons.

use std::collections::BTreeMap;
use std::fmt;

/// How many games came from each source, and how many were skipped for each reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games kept, by source.
    pub kept: BTreeMap<String, usize>,
    /// Games skipped, by reason.
    pub skipped: BTreeMap<&'static str, usize>,
    /// First example of each reason: the file, and the line of a table.
    pub examples: BTreeMap<&'static str, String>,
    /// Records with anomalies, whether kept or skipped.
    pub remarked: usize,
    /// The first of these: file and anomaly.
    pub remark: Option<String>,
}

/// A reason to skip a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip {
    /// Category for counting.
    pub reason: &'static str,
    /// Place and details.
    pub detail: String,
}

impl Tally {
    pub fn keep(&mut self, source: &str) {
        match self.kept.get_mut(source) {
            Some(count) => *count += 1,
            None => drop(self.kept.insert(source.to_owned(), 1)),
        }
    }

    pub fn skip(&mut self, skip: Skip) {
        *self.skipped.entry(skip.reason).or_default() += 1;
        self.examples.entry(skip.reason).or_insert(skip.detail);
    }

    /// Counts a record with an anomaly, in addition to [`Tally::keep`] or [`Tally::skip`].
    pub fn remark(&mut self, place: &str, remark: &str) {
        self.remarked += 1;
        self.remark
            .get_or_insert_with(|| format!("{place}: {remark}"));
    }

    /// Games kept, from all sources.
    pub fn games(&self) -> usize {
        self.kept.values().sum()
    }
}

impl fmt::Display for Tally {
    /// A table: sources with games, then reasons with an example, then anomalies.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>9}  games kept", self.games())?;
        for (source, count) in &self.kept {
            write!(f, "\n{count:>9}    {source}")?;
        }
        let skipped: usize = self.skipped.values().sum();
        write!(f, "\n{skipped:>9}  records skipped")?;
        for (reason, count) in &self.skipped {
            let example = self.examples.get(reason).map_or("", String::as_str);
            write!(f, "\n{count:>9}    {reason} (first: {example})")?;
        }
        if let Some(remark) = &self.remark {
            let (remarked, records) = (self.remarked, self.games() + skipped);
            write!(
                f,
                "\nremarks on {remarked} of {records} records, e.g. {remark}"
            )?;
        }
        Ok(())
    }
}
