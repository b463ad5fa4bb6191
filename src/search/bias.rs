//! Learned correction of evaluation errors (KataGo's subtree value bias).
//!
//! Evaluators misjudge the same local pattern in the same way wherever it occurs. Each node with a
//! searched subtree adds the difference between its children's average and its own evaluation to
//! the entry of its pattern; the evaluations of all nodes with that pattern are corrected by the
//! entry. Utilities are from the first player's point of view.

use std::collections::HashMap;

use super::params::SearchParams;

/// Entries with less weight are ignored.
const LEAST_WEIGHT: f64 = 0.001;

/// Approximate memory of an entry with its place in the map, in bytes.
pub(super) const ENTRY_BYTES: usize = size_of::<Entry>() + 2 * size_of::<(u128, u32)>();

/// The parameters of the correction. Fixed during a search, like the tree's averages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct BiasRule {
    /// Fraction of the observed error by which evaluations are corrected; 0 is off.
    factor: f64,
    exponent: f64,
    free_share: f64,
}

impl BiasRule {
    pub fn new(params: &SearchParams) -> BiasRule {
        BiasRule {
            factor: params.bias_factor,
            exponent: params.bias_exponent,
            free_share: params.bias_free_share,
        }
    }

    /// A node's contribution: `total` weight and `average` utility of its children against its
    /// `own`.
    pub fn observation(&self, total: f64, average: f64, own: f64) -> Observation {
        let weight = total.powf(self.exponent);
        Observation {
            error: (average - own) * weight,
            weight,
        }
    }
}

/// A contribution to an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Observation {
    /// How much too low the evaluation was, times `weight`.
    pub error: f64,
    pub weight: f64,
}

/// A node's link to the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BiasLink {
    entry: u32,
    /// The contribution of this node.
    recorded: Observation,
}

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    sum: Observation,
    nodes: u32,
}

/// Entries by pattern.
#[derive(Debug, Default)]
pub(super) struct BiasTable {
    places: HashMap<u128, u32>,
    entries: Vec<Entry>,
}

impl BiasTable {
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// A link for a new node of this pattern.
    pub fn link(&mut self, pattern: u128) -> BiasLink {
        let next = u32::try_from(self.entries.len()).expect("there are fewer entries than nodes");
        let entry = *self.places.entry(pattern).or_insert(next);
        if entry == next {
            self.entries.push(Entry::default());
        }
        self.entries[entry as usize].nodes += 1;
        BiasLink {
            entry,
            recorded: Observation::default(),
        }
    }

    /// Replaces a node's contribution.
    pub fn record(&mut self, link: &mut BiasLink, observation: Observation) {
        let sum = &mut self.entries[link.entry as usize].sum;
        sum.error += observation.error - link.recorded.error;
        sum.weight += observation.weight - link.recorded.weight;
        link.recorded = observation;
    }

    /// Correction of the utility of a node's own evaluation.
    pub fn correction(&self, link: &BiasLink, rule: &BiasRule) -> f64 {
        let sum = &self.entries[link.entry as usize].sum;
        if sum.weight > LEAST_WEIGHT {
            rule.factor * sum.error / sum.weight
        } else {
            0.0
        }
    }

    /// Removes a node. Part of its contribution stays, as long as other nodes share the pattern.
    pub fn unlink(&mut self, link: &BiasLink, rule: &BiasRule) {
        let entry = &mut self.entries[link.entry as usize];
        entry.sum.error -= rule.free_share * link.recorded.error;
        entry.sum.weight -= rule.free_share * link.recorded.weight;
        entry.nodes -= 1;
    }

    /// Drops entries without nodes; `links` are all remaining ones.
    pub fn compact<'a>(&mut self, links: impl Iterator<Item = &'a mut BiasLink>) {
        let mut places = vec![0; self.entries.len()];
        let mut kept = Vec::new();
        for (old, entry) in self.entries.iter().enumerate() {
            places[old] = kept.len() as u32;
            if entry.nodes > 0 {
                kept.push(*entry);
            }
        }
        let entries = std::mem::replace(&mut self.entries, kept);
        self.places
            .retain(|_, entry| entries[*entry as usize].nodes > 0);
        for entry in self.places.values_mut() {
            *entry = places[*entry as usize];
        }
        for link in links {
            link.entry = places[link.entry as usize];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_of_a_pattern_share_what_they_learn() {
        let rule = BiasRule::new(&SearchParams::default());
        let mut table = BiasTable::default();
        let mut here = table.link(7);
        let there = table.link(7);
        let elsewhere = table.link(8);
        assert_eq!(table.correction(&there, &rule), 0.0);
        table.record(&mut here, rule.observation(10.0, 0.5, 0.1));
        let correction = table.correction(&there, &rule);
        assert!((correction - 0.45 * 0.4).abs() < 1e-12, "{correction}");
        assert_eq!(table.correction(&elsewhere, &rule), 0.0);
        // A new contribution replaces the old one.
        table.record(&mut here, rule.observation(20.0, 0.3, 0.1));
        assert!((table.correction(&there, &rule) - 0.45 * 0.2).abs() < 1e-12);
    }

    #[test]
    fn dropped_nodes_leave_a_fifth_behind() {
        let rule = BiasRule::new(&SearchParams::default());
        let mut table = BiasTable::default();
        let gone = table.link(1);
        let (mut here, mut there) = (table.link(2), table.link(2));
        table.record(&mut here, rule.observation(1.0, 0.4, 0.0));
        table.record(&mut there, rule.observation(1.0, -0.4, 0.0));
        table.unlink(&gone, &rule);
        table.unlink(&here, &rule);
        table.compact([&mut there].into_iter());
        assert_eq!(table.len(), 1);
        // 0.2 of +0.4 and all of -0.4, of weights 0.2 and 1.
        let correction = table.correction(&there, &rule);
        assert!(
            (correction + 0.45 * 0.32 / 1.2).abs() < 1e-12,
            "{correction}"
        );
        let again = table.link(2);
        assert_eq!(again.entry, there.entry);
    }
}
