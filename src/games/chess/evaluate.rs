//! The evaluation: weights times features, blended between middle game and end game.

use cozy_chess::{Board, Color, Piece, Square};

use super::exchange::piece_value;
use super::features::{Counts, count};
use super::position::ChessPosition;
use super::squares::few;
use super::weights::{self, Sum, Weights};
use crate::games::weighted::{Features, WeightGroup, Weighted};
use crate::minimax::{Score, StaticEval};

/// An evaluation with its weights.
#[derive(Clone, Debug, Default)]
pub struct Evaluation {
    /// The weights.
    pub weights: Weights,
}

/// Phase of the game with all pieces on the board.
const WHOLE: i32 = 24;

/// How far the game is from its end: knights and bishops count 1, rooks 2, queens 4.
fn phase(board: &Board) -> i32 {
    let minors = board.pieces(Piece::Knight) | board.pieces(Piece::Bishop);
    let (rooks, queens) = (board.pieces(Piece::Rook), board.pieces(Piece::Queen));
    let phase = few(minors) + 2 * few(rooks) + 4 * few(queens);
    phase.min(WHOLE)
}

/// Adds up weights.
struct Total<'a> {
    weights: &'a Weights,
    sum: Sum,
}

impl Counts for Total<'_> {
    #[inline(always)]
    fn add(&mut self, index: usize, count: i32) {
        self.sum.add(self.weights.get(index), count);
    }

    #[inline(always)]
    fn add_piece(&mut self, piece: Piece, relative: Square, count: i32) {
        self.sum.add(self.weights.piece(piece, relative), count);
    }
}

/// Counts as a list.
impl Counts for Vec<(usize, i32)> {
    fn add(&mut self, index: usize, count: i32) {
        self.push((index, count));
    }
}

impl Evaluation {
    fn total(&self) -> Total<'_> {
        Total {
            weights: &self.weights,
            sum: Sum::default(),
        }
    }

    /// Hundredths of a pawn from White's point of view.
    pub fn white(&self, board: &Board) -> Score {
        let mut total = self.total();
        count(board, &mut total);
        let (middle, end) = total.sum.parts();
        let phase = phase(board);
        let score = (middle * phase + end * (WHOLE - phase)) / WHOLE;
        let stronger = if score > 0 {
            Color::White
        } else {
            Color::Black
        };
        match is_hardly_winnable(board, stronger) {
            true => score / 8,
            false => score,
        }
    }

    /// The terms of an evaluation by group, from White's point of view: name, middle game, end
    /// game. Groups without features are left out.
    pub fn terms(&self, board: &Board) -> Vec<(&'static str, i32, i32)> {
        let mut counts = Vec::new();
        count(board, &mut counts);
        let mut terms = Vec::new();
        let mut start = 0;
        for (name, size) in weights::GROUPS {
            let own = counts
                .iter()
                .filter(|it| (start..start + size).contains(&it.0));
            let mut total = self.total();
            own.for_each(|&(index, count)| total.add(index, count));
            let (middle, end) = total.sum.parts();
            if (middle, end) != (0, 0) {
                terms.push((name, middle, end));
            }
            start += size;
        }
        terms
    }

    /// The terms as a table, with the evaluation below.
    pub fn table(&self, board: &Board) -> String {
        let mut text = String::from("White's view            middle game  end game\n");
        for (name, middle, end) in self.terms(board) {
            text += &format!("{name:<24} {middle:>10} {end:>9}\n");
        }
        let white = self.white(board);
        text + &format!("evaluation for White: {white} hundredths of a pawn")
    }
}

impl Weighted<ChessPosition> for Evaluation {
    fn groups(&self) -> Vec<WeightGroup> {
        // Middle game and end game.
        let group = |&(name, size): &weights::Group| WeightGroup::new(name, 2 * size);
        weights::GROUPS.iter().map(group).collect()
    }

    fn weights(&self) -> Vec<i32> {
        self.weights.numbers()
    }

    fn with_weights(&self, weights: &[i32]) -> Evaluation {
        let weights = Weights::of_numbers(weights);
        Evaluation { weights }
    }

    fn to_json(&self) -> String {
        self.weights.to_json()
    }

    fn from_json(text: &str) -> anyhow::Result<Evaluation> {
        let weights = Weights::from_json(text)?;
        Ok(Evaluation { weights })
    }

    fn features(&self, position: &ChessPosition) -> Features {
        let board = &position.board;
        let mut counted = Vec::new();
        count(board, &mut counted);
        let middle = phase(board) as f32 / WHOLE as f32;
        let both = |(index, count): (usize, i32)| {
            let count = count as f32;
            [
                (2 * index, middle * count),
                (2 * index + 1, (1.0 - middle) * count),
            ]
        };
        let mut features = Features {
            counts: counted.into_iter().flat_map(both).collect(),
            constant: 0.0,
        };
        // The stronger side by material: the weights that are tuned do not say it.
        let white = Evaluation::default().white(board);
        let stronger = if white > 0 {
            Color::White
        } else {
            Color::Black
        };
        if is_hardly_winnable(board, stronger) {
            features
                .counts
                .iter_mut()
                .for_each(|(_, count)| *count /= 8.0);
        }
        features.counts.retain(|(_, count)| *count != 0.0);
        features
    }
}

/// Whether a side without pawns is not ahead by enough to mate: less than a rook more than the
/// other's pieces, or two knights.
fn is_hardly_winnable(board: &Board, stronger: Color) -> bool {
    if !board.colored_pieces(stronger, Piece::Pawn).is_empty() {
        return false;
    }
    let pieces = |color| -> Score {
        let kinds = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];
        let value = |piece| board.colored_pieces(color, piece).len() as Score * piece_value(piece);
        kinds.into_iter().map(value).sum()
    };
    let (own, other) = (pieces(stronger), pieces(!stronger));
    let knights = board.colored_pieces(stronger, Piece::Knight).len() as Score;
    let has_two_knights = knights == 2 && own == 2 * piece_value(Piece::Knight);
    own - other < piece_value(Piece::Rook) - 10 || has_two_knights
}

impl StaticEval<ChessPosition> for Evaluation {
    fn evaluate(&self, position: &ChessPosition) -> Score {
        let score = self.white(&position.board);
        match position.board.side_to_move() {
            Color::White => score,
            Color::Black => -score,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fen;
    use super::*;

    /// A position with colors exchanged.
    fn mirrored(fen: &str) -> String {
        let (placement, rest) = fen.split_once(' ').unwrap();
        let rows: Vec<&str> = placement.split('/').rev().collect();
        let swap = |text: &str| -> String {
            let swap = |letter: char| match letter.is_ascii_uppercase() {
                true => letter.to_ascii_lowercase(),
                false => letter.to_ascii_uppercase(),
            };
            text.chars().map(swap).collect()
        };
        let side = if rest.starts_with('w') { "b" } else { "w" };
        format!("{} {side} - - 0 1", swap(&rows.join("/")))
    }

    const POSITIONS: [&str; 5] = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        "8/8/8/3k4/8/8/R7/K6R w - - 0 1",
        "4k3/8/8/8/8/8/8/4KBN1 w - - 0 1",
    ];

    #[test]
    fn colors_are_treated_alike() {
        let evaluation = Evaluation::default();
        for fen in POSITIONS {
            let position = fen::parse(fen).unwrap();
            let other = fen::parse(&mirrored(fen)).unwrap();
            assert_eq!(
                evaluation.evaluate(&position),
                evaluation.evaluate(&other),
                "{fen}"
            );
        }
    }

    #[test]
    fn terms_add_up() {
        let evaluation = Evaluation::default();
        for fen in POSITIONS {
            let board = fen::parse(fen).unwrap().board;
            let terms = evaluation.terms(&board);
            let (middle, end) = terms
                .iter()
                .fold((0, 0), |sum, it| (sum.0 + it.1, sum.1 + it.2));
            let phase = phase(&board);
            assert_eq!(
                (middle * phase + end * (WHOLE - phase)) / WHOLE,
                evaluation.white(&board)
            );
        }
    }

    #[test]
    fn features_times_weights_are_the_evaluation() {
        let evaluation = Evaluation::default();
        let weights: Vec<f64> = Weighted::weights(&evaluation)
            .into_iter()
            .map(f64::from)
            .collect();
        let sizes = evaluation.groups().into_iter().map(|group| group.size);
        assert_eq!(weights.len(), sizes.sum::<usize>());
        for fen in POSITIONS {
            let position = fen::parse(fen).unwrap();
            let value = evaluation.features(&position).value(&weights);
            let white = f64::from(evaluation.white(&position.board));
            // Whole numbers are cut, twice where a side can hardly win.
            assert!((value - white).abs() < 1.2, "{fen}: {value}, not {white}");
        }
        let again = evaluation.with_weights(&Weighted::weights(&evaluation));
        assert_eq!(again.weights, evaluation.weights);
    }

    #[test]
    fn minor_piece_alone_wins_little() {
        let lone = fen::parse("4k3/8/8/8/8/8/8/4KBN1 w - - 0 1").unwrap();
        let drawn = fen::parse("4k1n1/8/8/8/8/8/8/4KBN1 w - - 0 1").unwrap();
        let evaluation = Evaluation::default();
        assert!(evaluation.evaluate(&lone) > 400);
        assert!(evaluation.evaluate(&drawn) < 100);
    }
}
