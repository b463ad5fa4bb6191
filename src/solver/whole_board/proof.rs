//! Proofs that a side gets what it wants, and in which other games they hold.
//!
//! Under superko the value of a position depends on those before it. A proof is a tree: one move of the prover
//! in each position, all of the other side. With another history before it holds all the same if none of the
//! positions that the prover's moves make has been there, if no move of the other side was left out because it was
//! forbidden, and if nothing was in the regions that the prover relies on (see [`super::sure`]).

use smallvec::SmallVec;

use super::board::Points;

/// Words of a filter.
const WORDS: usize = 8;

/// A set of positions as a Bloom filter: it may seem to hold more than it does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Filter([u64; WORDS]);

impl Filter {
    fn place(id: u64) -> (usize, u64) {
        // Knuth's multiplier for 64 bits.
        let hash = id.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (
            (hash >> 61) as usize % WORDS,
            1 << (hash >> 55 & 63) | 1 << (hash >> 49 & 63),
        )
    }

    fn insert(&mut self, id: u64) {
        let (word, bits) = Filter::place(id);
        self.0[word] |= bits;
    }

    fn may_hold(&self, id: u64) -> bool {
        let (word, bits) = Filter::place(id);
        self.0[word] & bits == bits
    }
}

/// A position of the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Past {
    /// The position, with the side to move if that counts.
    pub(super) id: u64,
    /// The same of the least of its images.
    pub(super) least: u64,
    /// Number of stones.
    pub(super) stones: u32,
}

/// What a proof relies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Needs {
    /// Images of positions that the prover's moves make.
    pub(super) made: Filter,
    /// The fewest stones of these.
    pub(super) fewest: u32,
    /// Points where the prover must not have had stones.
    pub(super) filled: Points,
}

impl Default for Needs {
    fn default() -> Needs {
        Needs {
            made: Filter::default(),
            fewest: u32::MAX,
            filled: 0,
        }
    }
}

impl Needs {
    /// No stone of the prover at these points.
    pub(super) fn filled(filled: Points) -> Needs {
        Needs {
            filled,
            ..Needs::default()
        }
    }

    /// The prover makes this position.
    pub(super) fn make(&mut self, position: Past) {
        self.made.insert(position.least);
        self.fewest = self.fewest.min(position.stones);
    }

    /// Whether no position of a history stands in the way.
    pub(super) fn allow(&self, history: &[Past]) -> bool {
        let clashes = |past: &Past| past.stones >= self.fewest && self.made.may_hold(past.least);
        !history.iter().any(clashes)
    }

    fn add(&mut self, other: &Needs) {
        let words = self.made.0.iter_mut().zip(other.made.0);
        words.for_each(|(word, more)| *word |= more);
        self.fewest = self.fewest.min(other.fewest);
        self.filled |= other.filled;
    }
}

/// A proof in a game.
#[derive(Clone, Debug, Default)]
pub(super) struct Proof {
    pub(super) needs: Needs,
    /// Positions of the history that forbade moves of the other side.
    pub(super) blocked: SmallVec<[u64; 4]>,
}

impl Proof {
    /// A proof that needs only this.
    pub(super) fn of(needs: Needs) -> Proof {
        Proof {
            needs,
            blocked: SmallVec::new(),
        }
    }

    /// A move was left out because it would repeat this position.
    pub(super) fn block(&mut self, id: u64) {
        if !self.blocked.contains(&id) {
            self.blocked.push(id);
        }
    }

    /// Both together.
    pub(super) fn add(&mut self, other: &Proof) {
        self.needs.add(&other.needs);
        other.blocked.iter().for_each(|&id| self.block(id));
    }
}
