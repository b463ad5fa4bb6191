//! Games of bare policies, without a search: moves are drawn from the policy of the network whose
//! turn it is. All games of a set go on at the same time, so that positions are evaluated together.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, ensure};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::data::label::{Label, LabelValues};
use crate::data::line::{Line, MoveCode};
use crate::data::sampler::set_moves;
use crate::data::shard::{LabelledLine, LineKind};
use crate::games::go::outcome_as_it_stands;
use crate::go::{BoardSize, Color, GameResult, Komi, Position, Rules};
use crate::search::evaluator::{Evaluator, Request};

use super::start::drawn;

/// Previous moves that networks are shown: all that they take.
const HISTORY: u8 = 5;

/// Two policies and the terms of their games.
pub struct PolicyMatch<'a> {
    /// The network that is to learn.
    pub learner: &'a dyn Evaluator<Position>,
    /// Its opponent.
    pub opponent: &'a dyn Evaluator<Position>,
    pub size: BoardSize,
    pub rules: Rules,
    pub komi: Komi,
    /// Moves are drawn by the policy to the power of one over this.
    pub temperature: f32,
    /// Moves, as a multiple of the board's points, after which a game is scored as it stands.
    pub longest: f64,
    /// Set from outside to abandon the games.
    pub stop: &'a AtomicBool,
}

/// A finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyGame {
    pub line: Line,
    pub rules: Rules,
    pub komi: Komi,
    /// The color of the learner.
    pub learner: Color,
    /// Its turns: moves before them, and the value of the position by the learner, win less loss
    /// probability for the player to move.
    pub turns: Vec<(usize, f32)>,
    /// The count of the final position; none without a result.
    pub result: Option<GameResult>,
}

/// A game in progress.
struct Board {
    position: Position,
    game: PolicyGame,
    rng: ChaCha8Rng,
}

impl PolicyMatch<'_> {
    /// Plays this many games, of which the learner has Black in every other one. None if the games
    /// were abandoned.
    pub fn play(&self, games: usize, rng: &mut ChaCha8Rng) -> Result<Option<Vec<PolicyGame>>> {
        let mut boards: Vec<Board> = (0..games)
            .map(|number| self.board(Color::BOTH[number % 2], rng))
            .collect();
        let longest = (self.size.area() as f64 * self.longest) as usize;
        loop {
            let is_open = |board: &Board| {
                !board.position.is_over() && board.game.line.moves.len() < longest.max(1)
            };
            let mut open: Vec<&mut Board> =
                boards.iter_mut().filter(|board| is_open(board)).collect();
            if open.is_empty() {
                break;
            }
            if self.stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let turns = [(true, self.learner), (false, self.opponent)];
            for (is_learner, evaluator) in turns {
                let is_due = |board: &&mut Board| {
                    (board.position.to_move() == board.game.learner) == is_learner
                };
                let (due, others): (Vec<_>, Vec<_>) = open.into_iter().partition(is_due);
                open = others;
                self.turn(evaluator, is_learner, due)?;
            }
        }
        let ended = boards.into_iter().map(|mut board| {
            board.game.result = result(&board.position);
            board.game
        });
        Ok(Some(ended.collect()))
    }

    fn board(&self, learner: Color, rng: &mut ChaCha8Rng) -> Board {
        Board {
            position: Position::new(self.size, self.rules, self.komi),
            game: PolicyGame {
                line: Line::new(self.size),
                rules: self.rules,
                komi: self.komi,
                learner,
                turns: Vec::new(),
                result: None,
            },
            rng: ChaCha8Rng::seed_from_u64(rng.random()),
        }
    }

    /// Makes one move on each of these boards.
    fn turn(
        &self,
        evaluator: &dyn Evaluator<Position>,
        is_learner: bool,
        boards: Vec<&mut Board>,
    ) -> Result<()> {
        if boards.is_empty() {
            return Ok(());
        }
        let request = |board: &&mut Board| Request::inner(board.position.clone());
        let requests: Vec<_> = boards.iter().map(request).collect();
        let answers = evaluator.evaluate(&requests)?;
        ensure!(
            answers.len() == boards.len(),
            "the network left positions unanswered"
        );
        for (board, answer) in boards.into_iter().zip(answers) {
            let mv = drawn(
                &board.position,
                &answer.policy,
                self.temperature,
                &mut board.rng,
            )?;
            let line = &mut board.game.line;
            if is_learner {
                board.game.turns.push((line.moves.len(), answer.win_loss));
            }
            line.moves
                .push(MoveCode::new(self.size, board.position.to_move(), mv));
            board.position.play_unchecked(mv);
        }
        Ok(())
    }
}

fn result(position: &Position) -> Option<GameResult> {
    let outcome = outcome_as_it_stands(position);
    (!outcome.no_result).then(|| GameResult::from_lead(outcome.score))
}

impl PolicyGame {
    /// The learner's result: 1 for a win, 0 for a draw or no result, -1 for a loss.
    pub fn outcome(&self) -> f32 {
        match self.result.and_then(GameResult::winner) {
            Some(winner) if winner == self.learner => 1.0,
            Some(_) => -1.0,
            None => 0.0,
        }
    }

    /// The learner's positions with its moves and the result, and for each what its move counts: the
    /// result less this share of the value that the learner expected (the baseline of REINFORCE).
    pub fn labelled(&self, baseline: f32) -> (LabelledLine, Vec<f32>) {
        let sign = f32::from(self.learner.sign());
        let win = self.result.map(|_| (self.outcome() + 1.0) / 2.0);
        let lead = self.result.and_then(GameResult::lead_black);
        let label = |&(ply, _): &(usize, f32)| {
            let played = self.line.moves[ply].index() as u16;
            let mut label = Label {
                ply: ply as u16,
                side_line: Vec::new(),
                rules: self.rules,
                komi: self.komi,
                history: HISTORY,
                next: None,
                reply: None,
                is_human: false,
                values: LabelValues::of_record(Some(played), win, lead.map(|lead| sign * lead)),
            };
            set_moves(&mut label, &self.line, self.learner);
            label
        };
        let line = LabelledLine {
            source: 0,
            kind: LineKind::Record,
            winner: self.result.and_then(GameResult::winner),
            decided_for: None,
            labels: self.turns.iter().map(label).collect(),
            line: self.line.clone(),
        };
        let counts = self.turns.iter();
        let counts = counts.map(|(_, value)| self.outcome() - baseline * value);
        (line, counts.collect())
    }
}
