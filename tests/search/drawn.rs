//! A game written as a tree: `(AA(AB))`.
//!
//! A pair of parentheses is a position, its contents the positions its moves lead to, in order. `A`
//! is a win for the first player, `B` for the second, `D` a draw. The players move in turn; move
//! `i` goes to the i-th successor. Spaces do not matter.

use std::sync::Arc;

use keima::search::{Game, MoveCode, Outcome, Side};

/// A position in a drawn tree. Cheap to copy.
#[derive(Clone, Debug)]
pub struct Drawn {
    places: Arc<Vec<Place>>,
    here: usize,
    to_move: Side,
    /// Whether the players' roles are exchanged.
    is_swapped: bool,
}

#[derive(Clone, Debug)]
enum Place {
    Moves(Vec<usize>),
    /// +1, 0 or -1 for the player written as `A`.
    End(i8),
}

impl Drawn {
    /// Reads a tree.
    pub fn parse(text: &str) -> Drawn {
        let mut places: Vec<Place> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        for c in text.chars().filter(|c| !c.is_whitespace()) {
            assert!(places.is_empty() || !open.is_empty(), "more than a tree");
            if c == ')' {
                open.pop();
                continue;
            }
            let index = places.len();
            places.push(match c {
                '(' => Place::Moves(Vec::new()),
                'A' => Place::End(1),
                'B' => Place::End(-1),
                'D' => Place::End(0),
                _ => panic!("'{c}' has no place here"),
            });
            if let Some(Place::Moves(moves)) = open.last().map(|&parent| &mut places[parent]) {
                moves.push(index);
            }
            if c == '(' {
                open.push(index);
            }
        }
        assert!(open.is_empty() && !places.is_empty(), "an unfinished tree");
        Drawn {
            places: Arc::new(places),
            here: 0,
            to_move: Side::First,
            is_swapped: false,
        }
    }

    /// The same tree with the players' roles exchanged: the second one moves first, and wins where
    /// the first one did. Keys stay the same.
    pub fn swapped(&self) -> Drawn {
        Drawn {
            is_swapped: !self.is_swapped,
            to_move: !self.to_move,
            ..self.clone()
        }
    }

    /// The result of perfect play: +1, 0 or -1 for the first player.
    pub fn minimax(&self) -> f32 {
        if let Some(outcome) = self.outcome() {
            return outcome.win_loss;
        }
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        let sign = self.to_move.sign() as f32;
        let results = moves.iter().map(|&code| {
            let mut next = self.clone();
            next.play(code);
            sign * next.minimax()
        });
        sign * results.fold(f32::NEG_INFINITY, f32::max)
    }
}

impl Game for Drawn {
    fn to_move(&self) -> Side {
        self.to_move
    }

    fn legal_moves(&self, moves: &mut Vec<MoveCode>) {
        moves.clear();
        if let Place::Moves(next) = &self.places[self.here] {
            moves.extend((0..next.len()).map(|i| MoveCode(i as u16)));
        }
    }

    fn play(&mut self, code: MoveCode) {
        if let Place::Moves(next) = &self.places[self.here] {
            self.here = next[usize::from(code.0)];
            self.to_move = !self.to_move;
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        match self.places[self.here] {
            Place::Moves(_) => None,
            Place::End(result) => {
                let sign = if self.is_swapped { -1.0 } else { 1.0 };
                Some(Outcome {
                    win_loss: sign * f32::from(result),
                    ..Outcome::default()
                })
            }
        }
    }

    /// The number of the position in its tree; equal in different trees.
    fn key(&self) -> u128 {
        self.here as u128
    }
}
