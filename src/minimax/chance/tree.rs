//! Expectiminimax, Star1 and Star2 to a fixed depth, with counts of leaves.
//!
//! Depth counts the choices of players; rolls between them are free. A roll has the window
//! (alpha, beta) of the search. An outcome of probability p is searched with the window in which
//! its value v can still matter: with the sum s of values times probabilities of the outcomes
//! before it, and all outcomes after it at the greatest value G, it has to exceed
//! (alpha - s - G * rest) / p, or the roll stays at or below alpha whatever comes; likewise for
//! beta with the least value. Star2 first looks at a single choice behind each outcome: the
//! player there reaches at least that, which is a better bound than G or the least value.

use super::table::ValueTable;
use super::{Bounds, Chance, ExpectedValue, Node};

/// An algorithm. All of them return the same value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Everything is searched.
    Expectiminimax,
    /// Alpha-beta, and windows for outcomes of chance.
    Star1,
    /// The same after a probe of one choice behind each outcome.
    Star2,
}

/// A search.
pub struct Tree<'a, E> {
    /// Evaluates leaves.
    pub evaluator: &'a E,
    /// The algorithm.
    pub method: Method,
    /// Whether choices above the lowest level are tried in the order of their evaluations. Otherwise they
    /// come in the game's order.
    pub is_ordered: bool,
    /// Results of earlier searches with the same evaluator, if any are to be used; not by expectiminimax.
    pub table: Option<ValueTable>,
    /// Positions evaluated, or with the game over, as leaves of the tree.
    pub leaves: u64,
    /// Positions evaluated for the order of choices.
    pub ordered: u64,
}

impl<'a, E> Tree<'a, E> {
    /// A search in the game's order and without table.
    pub fn new(evaluator: &'a E, method: Method) -> Tree<'a, E> {
        Tree {
            evaluator,
            method,
            is_ordered: false,
            table: None,
            leaves: 0,
            ordered: 0,
        }
    }

    /// With choices in the order of their evaluations and a table of 2^bits entries.
    pub fn with_order_and_table(mut self, bits: u32) -> Tree<'a, E> {
        self.is_ordered = true;
        self.table = Some(ValueTable::new(bits));
        self
    }

    /// The value of a position, seen from the first side.
    pub fn value<P: Chance>(&mut self, position: &P, depth: u32) -> f64
    where
        E: ExpectedValue<P>,
    {
        let Bounds { least, greatest } = self.evaluator.bounds();
        self.search(position, depth, least, greatest)
    }

    /// The value if it lies between alpha and beta; otherwise a bound on the same side of the window.
    pub fn search<P: Chance>(&mut self, position: &P, depth: u32, alpha: f64, beta: f64) -> f64
    where
        E: ExpectedValue<P>,
    {
        let node = position.node();
        if let Node::Over(result) = node {
            self.leaves += 1;
            return result;
        }
        if depth == 0 {
            self.leaves += 1;
            return self.evaluator.value(position);
        }
        if self.method == Method::Expectiminimax {
            return self.everything(position, node, depth);
        }
        let (mut alpha, mut beta) = (alpha, beta);
        // Positions above leaves are too many and too cheap for the table.
        let key = (self.table.is_some() && depth > 1).then(|| position.key());
        if let (Some(table), Some(key)) = (&self.table, key)
            && let Some(known) = table.find(key, depth)
        {
            if known.low >= beta || known.low >= known.high {
                return known.low;
            }
            if known.high <= alpha {
                return known.high;
            }
            alpha = alpha.max(known.low);
            beta = beta.min(known.high);
        }
        let value = match node {
            Node::Roll => self.roll(position, depth, alpha, beta),
            _ => self.choice(position, node == Node::Max, depth, alpha, beta),
        };
        if let (Some(table), Some(key)) = (&mut self.table, key) {
            let low = if value > alpha {
                value
            } else {
                f64::NEG_INFINITY
            };
            let high = if value < beta { value } else { f64::INFINITY };
            table.store(key, depth, low, high);
        }
        value
    }

    /// Expectiminimax.
    fn everything<P: Chance>(&mut self, position: &P, node: Node, depth: u32) -> f64
    where
        E: ExpectedValue<P>,
    {
        let widest = (f64::NEG_INFINITY, f64::INFINITY);
        if node == Node::Roll {
            let outcomes = outcomes_of(position);
            let part = |(p, after): &(f64, P)| p * self.search(after, depth, widest.0, widest.1);
            return outcomes.iter().map(part).sum();
        }
        let mut choices = Vec::new();
        position.choices(&mut choices);
        let values = choices
            .iter()
            .map(|after| self.search(after, depth - 1, widest.0, widest.1));
        match node {
            Node::Max => values.fold(f64::NEG_INFINITY, f64::max),
            _ => values.fold(f64::INFINITY, f64::min),
        }
    }

    /// Alpha-beta where a side decides.
    fn choice<P: Chance>(
        &mut self,
        position: &P,
        is_max: bool,
        depth: u32,
        alpha: f64,
        beta: f64,
    ) -> f64
    where
        E: ExpectedValue<P>,
    {
        let (mut alpha, mut beta) = (alpha, beta);
        let mut best = if is_max {
            f64::NEG_INFINITY
        } else {
            f64::INFINITY
        };
        for after in self.choices(position, is_max, depth) {
            let value = self.search(&after, depth - 1, alpha, beta);
            // Only the best value counts for the cut: windows of rolls may be empty.
            if is_max {
                best = best.max(value);
                if best >= beta {
                    break;
                }
                alpha = alpha.max(best);
            } else {
                best = best.min(value);
                if best <= alpha {
                    break;
                }
                beta = beta.min(best);
            }
        }
        best
    }

    /// The choices of a side, in the order in which they are tried.
    fn choices<P: Chance>(&mut self, position: &P, is_max: bool, depth: u32) -> Vec<P>
    where
        E: ExpectedValue<P>,
    {
        let mut choices = Vec::new();
        position.choices(&mut choices);
        if !self.is_ordered || depth < 2 || choices.len() < 2 {
            return choices;
        }
        self.ordered += choices.len() as u64;
        let sign = if is_max { -1.0 } else { 1.0 };
        let value = |after: &P| match after.node() {
            Node::Over(result) => sign * result,
            _ => sign * self.evaluator.value(after),
        };
        let mut rated: Vec<(f64, P)> = choices
            .into_iter()
            .map(|after| (value(&after), after))
            .collect();
        rated.sort_by(|one, other| one.0.total_cmp(&other.0));
        rated.into_iter().map(|(_, after)| after).collect()
    }

    /// Star1 and Star2.
    fn roll<P: Chance>(&mut self, position: &P, depth: u32, alpha: f64, beta: f64) -> f64
    where
        E: ExpectedValue<P>,
    {
        let Bounds { least, greatest } = self.evaluator.bounds();
        let outcomes = outcomes_of(position);
        // For each outcome the range in which its value is known to lie.
        let mut ranges = vec![(least, greatest); outcomes.len()];
        if self.method == Method::Star2
            && let Some(bound) = self.probe(&outcomes, &mut ranges, depth, alpha, beta)
        {
            return bound;
        }
        self.outcomes_in_turn(&outcomes, &ranges, depth, alpha, beta)
    }

    /// Star1: searches outcomes in turn until their sum is settled.
    fn outcomes_in_turn<P: Chance>(
        &mut self,
        outcomes: &[(f64, P)],
        ranges: &[(f64, f64)],
        depth: u32,
        alpha: f64,
        beta: f64,
    ) -> f64
    where
        E: ExpectedValue<P>,
    {
        let mut sum = 0.0;
        for (index, (p, after)) in outcomes.iter().enumerate() {
            let (least, greatest) = ranges[index];
            let (least_rest, greatest_rest) = rest_of(outcomes, ranges, index + 1);
            let lower = (alpha - sum - greatest_rest) / p;
            let upper = (beta - sum - least_rest) / p;
            let value = self.search(after, depth, lower.max(least), upper.min(greatest));
            sum += p * value;
            if value <= lower {
                return sum + greatest_rest;
            }
            if value >= upper {
                return sum + least_rest;
            }
        }
        sum
    }

    /// Star2's first part: the value of one choice behind each outcome narrows its range. Gives a bound of the
    /// roll's value if that alone is outside the window.
    fn probe<P: Chance>(
        &mut self,
        outcomes: &[(f64, P)],
        ranges: &mut [(f64, f64)],
        depth: u32,
        alpha: f64,
        beta: f64,
    ) -> Option<f64>
    where
        E: ExpectedValue<P>,
    {
        for index in 0..outcomes.len() {
            let (p, after) = &outcomes[index];
            let node = after.node();
            if let Node::Over(result) = node {
                ranges[index] = (result, result);
            } else if node != Node::Roll {
                let is_max = node == Node::Max;
                let Some(first) = self.first_choice(after, is_max, depth) else {
                    continue;
                };
                let others = |bound: &dyn Fn(&(f64, f64)) -> f64| -> f64 {
                    let all = outcomes.iter().zip(ranges.iter()).enumerate();
                    let others = all.filter(|(other, _)| *other != index);
                    others.map(|(_, ((p, _), range))| p * bound(range)).sum()
                };
                let (least, greatest) = ranges[index];
                // A Max player reaches at least the value; how much above what settles the roll is of no interest.
                if is_max {
                    let enough = (beta - others(&|range| range.0)) / p;
                    let value = self.search(&first, depth - 1, least, enough.min(greatest));
                    ranges[index].0 = value.max(least);
                } else {
                    let enough = (alpha - others(&|range| range.1)) / p;
                    let value = self.search(&first, depth - 1, enough.max(least), greatest);
                    ranges[index].1 = value.min(greatest);
                }
            }
            let (low, high) = rest_of(outcomes, ranges, 0);
            if low >= beta {
                return Some(low);
            }
            if high <= alpha {
                return Some(high);
            }
        }
        None
    }

    /// The choice that is probed.
    fn first_choice<P: Chance>(&mut self, position: &P, is_max: bool, depth: u32) -> Option<P>
    where
        E: ExpectedValue<P>,
    {
        self.choices(position, is_max, depth).into_iter().next()
    }
}

fn outcomes_of<P: Chance>(position: &P) -> Vec<(f64, P)> {
    let mut outcomes = Vec::new();
    position.outcomes(&mut outcomes);
    outcomes
}

/// What the outcomes from an index on add to the value, at least and at most.
fn rest_of<P>(outcomes: &[(f64, P)], ranges: &[(f64, f64)], from: usize) -> (f64, f64) {
    let parts = outcomes[from..].iter().zip(&ranges[from..]);
    parts.fold((0.0, 0.0), |(low, high), ((p, _), range)| {
        (low + p * range.0, high + p * range.1)
    })
}
