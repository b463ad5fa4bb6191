//! Common steps for all games: choose komi, evaluate, label, draw moves.

use anyhow::Result;
use rand::RngExt;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use crate::go::{BoardSize, Color, Komi, Move, Position, Rules, Scoring, Symmetry};
use crate::nn::evaluator::NetRequest;
use crate::nn::features::FeatureSettings;
use crate::nn::output::{NetOutput, PolicySettings};

use super::super::label::{Label, LabelValues};
use super::super::line::{Line, MoveCode};
use super::super::variety::{self, KomiBasis};
use super::Sampler;
use super::evaluators::Role;

/// A game whose positions are being labelled.
pub(super) struct GameSampler<'a> {
    pub(super) sampler: &'a Sampler<'a>,
    pub(super) rng: ChaCha8Rng,
    /// Black's lead without komi, by the last evaluation.
    pub(super) lead_black: Option<f32>,
    /// Evaluations by the teacher.
    pub(super) evaluations: usize,
}

/// An evaluation and the conditions given to the network.
#[derive(Clone)]
pub(super) struct Answer {
    pub(super) output: NetOutput,
    history: u8,
}

impl<'a> GameSampler<'a> {
    pub(super) fn new(sampler: &'a Sampler<'a>, rng: ChaCha8Rng) -> GameSampler<'a> {
        GameSampler {
            sampler,
            rng,
            lead_black: None,
            evaluations: 0,
        }
    }

    /// A random game of a non-empty list.
    pub(super) fn pick(&mut self, games: &[usize]) -> usize {
        *games.choose(&mut self.rng).expect("there are games")
    }

    /// True with a probability.
    pub(super) fn chance(&mut self, probability: f64) -> bool {
        self.rng.random_bool(probability)
    }

    /// Komi for a position, given the komi of its game.
    pub(super) fn komi(&mut self, position: &Position, nominal: Komi) -> Komi {
        let basis = KomiBasis {
            size: position.size(),
            nominal,
            lead_black: self.lead_black,
        };
        variety::komi(&mut self.rng, basis)
    }

    /// Whether a position can be labelled and passes the filters.
    pub(super) fn is_wanted(&self, position: &Position) -> bool {
        is_fit(position) && position.board().occupancy() >= self.sampler.settings.min_occupancy
    }

    /// Evaluates with the teacher.
    pub(super) fn evaluate(&mut self, position: &Position) -> Result<Answer> {
        self.evaluations += 1;
        self.ask_as(Role::Teacher, position)
    }

    /// Whether a separate player makes the moves.
    pub(super) fn has_player(&self) -> bool {
        self.sampler.evaluators.has_player()
    }

    /// Evaluates with the network that makes the moves where no label is kept.
    pub(super) fn ask_player(&mut self, position: &Position) -> Result<Answer> {
        match self.has_player() {
            true => self.ask_as(Role::Player, position),
            false => self.evaluate(position),
        }
    }

    /// Evaluates with a random length of history, under a random symmetry.
    fn ask_as(&mut self, role: Role, position: &Position) -> Result<Answer> {
        let history = variety::history(&mut self.rng);
        let symmetry = Symmetry::new(self.rng.random_range(0..8)).expect("below eight");
        let request = NetRequest {
            features: FeatureSettings {
                max_history: history,
                ..FeatureSettings::default()
            },
            policy: PolicySettings::default(),
            symmetry,
            wants_ownership: true,
        };
        let output = self.sampler.evaluators.evaluate(role, position, &request)?;
        let sign = f32::from(position.to_move().sign());
        self.lead_black = Some(sign * output.lead + position.komi().points());
        Ok(Answer {
            output,
            history: history as u8,
        })
    }

    /// The label from an evaluation of the position this many moves along the line.
    pub(super) fn label(&self, ply: usize, position: &Position, answer: &Answer) -> Label {
        Label {
            ply: ply as u16,
            side_line: Vec::new(),
            rules: *position.rules(),
            komi: position.komi(),
            history: answer.history,
            next: None,
            reply: None,
            is_human: false,
            values: LabelValues::of(&answer.output, self.sampler.settings.ownership),
        }
    }

    /// A legal move by its probability to the power of `1 / temperature`.
    pub(super) fn draw(&mut self, position: &Position, policy: &[f32], temperature: f32) -> Move {
        let best = policy
            .iter()
            .copied()
            .fold(0.0, f32::max)
            .max(f32::MIN_POSITIVE);
        let weight = |&p: &f32| {
            if p >= 0.0 {
                (p / best).powf(1.0 / temperature)
            } else {
                0.0
            }
        };
        let drawn = WeightedIndex::new(policy.iter().map(weight));
        let index = drawn.map_or(position.size().area(), |drawn| drawn.sample(&mut self.rng));
        position
            .size()
            .move_at(index)
            .expect("a policy covers the board and the pass")
    }

    /// A random legal move.
    pub(super) fn any_move(&mut self, position: &Position) -> Move {
        let moves: Vec<Move> = position.legal_moves().collect();
        moves[self.rng.random_range(0..moves.len())]
    }
}

/// Whether a position can be labelled: after a pass under territory scoring the result depends on
/// dead stones, which the net's outputs leave open.
pub fn is_fit(position: &Position) -> bool {
    let open = position.rules().scoring == Scoring::Area || position.passes() == 0;
    open && !position.is_over()
}

/// Distance in moves between labelled positions of a game: 10 on 19x19, 2 on 9x9.
pub(super) fn spacing(size: BoardSize) -> usize {
    (size.area() / 36).max(2)
}

/// The rules without features that exclude unfinished positions from labelling.
pub(super) fn by_area(rules: Rules) -> Rules {
    Rules {
        scoring: Scoring::Area,
        ..rules
    }
}

/// Fills in the moves played on the line, as far as colors alternate.
pub fn set_moves(label: &mut Label, line: &Line, to_move: Color) {
    let ply = usize::from(label.ply);
    let mv = |ahead: usize, color| {
        let code: &MoveCode = line.moves.get(ply + ahead)?;
        (code.color() == color).then_some(code.index() as u16)
    };
    label.next = mv(0, to_move);
    label.reply = label.next.and_then(|_| mv(1, !to_move));
}
