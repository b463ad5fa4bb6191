//! What has been found out about positions, by the key of their least image.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::proof::Needs;
use crate::solver::table::Numbers;

/// Hashes keys that are numbers by one product.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, key: u64) {
        let mixed = (self.0 ^ key).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ mixed >> 32;
    }
}

/// A proof about a score, of which only what it relies on is kept.
#[derive(Clone, Debug)]
struct Proven {
    goal: i32,
    needs: Needs,
}

/// What is known of a position.
#[derive(Clone, Debug)]
struct Known {
    /// Numbers for this goal.
    goal: i32,
    numbers: Numbers,
    /// Black gets at least the goal of this proof.
    at_least: Option<Box<Proven>>,
    /// Black gets less than the goal of this proof.
    less_than: Option<Box<Proven>>,
}

/// Positions with what is known of them, as many as there is room for.
pub(super) struct Memory {
    known: HashMap<u64, Known, BuildHasherDefault<KeyHasher>>,
    room: usize,
}

impl Memory {
    pub(super) fn new(room: usize) -> Memory {
        Memory {
            known: HashMap::default(),
            room,
        }
    }

    /// The numbers of a position for a goal.
    pub(super) fn numbers(&self, key: u64, goal: i32) -> Numbers {
        let known = self.known.get(&key).filter(|known| known.goal == goal);
        known.map_or(Numbers::UNKNOWN, |known| known.numbers)
    }

    /// What a proof in some game relies on that Black gets at least the goal (true) or less, on the image.
    pub(super) fn proven(&self, key: u64, goal: i32) -> Option<(bool, &Needs)> {
        let known = self.known.get(&key)?;
        let at_least = known.at_least.as_deref().filter(|it| it.goal >= goal);
        let less_than = known.less_than.as_deref().filter(|it| it.goal <= goal);
        let yes = at_least.map(|proven| (true, &proven.needs));
        yes.or(less_than.map(|proven| (false, &proven.needs)))
    }

    pub(super) fn set_numbers(&mut self, key: u64, goal: i32, numbers: Numbers) {
        if let Some(known) = self.entry(key) {
            known.goal = goal;
            known.numbers = numbers;
        }
    }

    pub(super) fn set_proven(&mut self, key: u64, goal: i32, answer: bool, needs: Needs) {
        if let Some(known) = self.entry(key) {
            let side = match answer {
                true => &mut known.at_least,
                false => &mut known.less_than,
            };
            *side = Some(Box::new(Proven { goal, needs }));
        }
    }

    /// The entry of a position; none if it is new and there is no room.
    fn entry(&mut self, key: u64) -> Option<&mut Known> {
        if self.known.len() >= self.room && !self.known.contains_key(&key) {
            return None;
        }
        let unknown = || Known {
            goal: 0,
            numbers: Numbers::UNKNOWN,
            at_least: None,
            less_than: None,
        };
        Some(self.known.entry(key).or_insert_with(unknown))
    }
}
