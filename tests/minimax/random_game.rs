//! Random games with many transpositions, draws, losses and moves that keep the turn.

use keima::minimax::{Position, Score, StaticEval, Verdict, Wanted};
use keima::search::Side;

/// A position: everything about it is a hash of these fields. Few values of `state` make many
/// transpositions.
#[derive(Clone, Debug)]
pub struct RandomGame {
    pub seed: u64,
    pub level: u32,
    pub state: u64,
    pub to_move: Side,
}

fn mixed(mut number: u64) -> u64 {
    // The finalizer of SplitMix64.
    number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

impl RandomGame {
    pub fn new(seed: u64) -> RandomGame {
        RandomGame {
            seed,
            level: 0,
            state: 0,
            to_move: Side::First,
        }
    }

    fn hash(&self) -> u64 {
        let side = u64::from(self.to_move == Side::First);
        mixed(mixed(self.seed) ^ (u64::from(self.level) << 32 | self.state << 1 | side))
    }
}

impl Position for RandomGame {
    type Move = u16;
    const SHAPES: usize = 8;

    fn to_move(&self) -> Side {
        self.to_move
    }

    fn key(&self) -> u64 {
        self.hash()
    }

    fn moves(&self, wanted: Wanted, list: &mut Vec<u16>) {
        let count = (self.hash() % 6) as u16;
        list.extend((0..count).filter(|&mv| wanted == Wanted::All || self.gain(mv) > 0));
    }

    fn play(&mut self, mv: u16) {
        let hash = mixed(self.hash() ^ u64::from(mv) << 7);
        self.level += 1;
        self.state = hash % 20;
        if !hash.is_multiple_of(5) {
            self.to_move = !self.to_move;
        }
    }

    fn verdict(&self, is_stuck: bool) -> Option<Verdict> {
        let is_lost = (self.hash() >> 40).is_multiple_of(2);
        let ends = is_stuck || (self.hash() >> 20).is_multiple_of(30);
        let verdict = if is_lost {
            Verdict::Lost
        } else {
            Verdict::Drawn
        };
        (ends && self.level > 0).then_some(verdict)
    }

    fn is_settled(&self) -> bool {
        true
    }

    fn reversible(&self) -> u32 {
        0
    }

    fn gain(&self, mv: u16) -> Score {
        if mv.is_multiple_of(2) {
            0
        } else {
            50 * Score::from(mv)
        }
    }

    fn code(&self, mv: u16) -> u16 {
        mv + 1
    }

    fn shape(&self, mv: u16) -> usize {
        usize::from(mv)
    }
}

pub struct HashValue;

impl StaticEval<RandomGame> for HashValue {
    fn evaluate(&self, position: &RandomGame) -> Score {
        (position.hash() >> 8) as Score % 300
    }
}
