//! Side positions: after moves that were not played in the game, chosen as a search would choose
//! them. A search prefers moves after which the network is content, and so finds positions where it
//! is wrong.

use anyhow::Result;
use rand::RngExt;

use crate::go::{Move, Position};

use super::super::label::Label;
use super::super::line::MoveCode;
use super::game_sampler::{Answer, GameSampler, is_fit};

/// Maximal length of a side line ...
const MOVES: usize = 6;
/// ... whose last position is labelled, and earlier ones with this probability.
const KEPT: f64 = 0.3;
/// Probability of a uniformly random move.
const ANY_MOVE: f64 = 0.15;
/// Other moves are drawn by this power of the policy, ...
const TEMPERATURE: f32 = 2.0;
/// ... this many of which the player compares ...
const COMPARED: usize = 3;
/// ... by win less loss, plus this for each point of lead.
const POINT: f32 = 0.02;

impl GameSampler<'_> {
    /// May leave the line after this many of its moves; `answer` is the evaluation of the position
    /// there. The more open the game, the more often it does.
    pub(super) fn leave(
        &mut self,
        ply: usize,
        position: &Position,
        answer: &Answer,
        labels: &mut Vec<Label>,
    ) -> Result<()> {
        let win_loss = answer.output.win - answer.output.loss;
        let openness = f64::from(1.0 - win_loss * win_loss).max(0.0);
        let side_positions = self.sampler.settings.side_positions * openness;
        let another = self.chance(side_positions.fract());
        for _ in 0..side_positions as usize + usize::from(another) {
            self.side_line(ply, position.clone(), answer.clone(), labels)?;
        }
        Ok(())
    }

    fn side_line(
        &mut self,
        ply: usize,
        mut position: Position,
        mut answer: Answer,
        labels: &mut Vec<Label>,
    ) -> Result<()> {
        let lead_on_the_line = self.lead_black;
        let siblings = self.sampler.settings.siblings;
        let mut side_line = Vec::new();
        for left in (0..self.rng.random_range(1..=MOVES)).rev() {
            if left == 0 && siblings > 1 {
                self.sibling_group(ply, (&position, &side_line), &answer, labels)?;
                break;
            }
            let (mv, known) = self.tried(&position, &answer)?;
            side_line.push(MoveCode::new(position.size(), position.to_move(), mv));
            position.play_unchecked(mv);
            if !is_fit(&position) {
                break;
            }
            if left > 0 && !self.chance(KEPT) {
                answer = match known {
                    Some(known) => known,
                    None => self.ask_player(&position)?,
                };
                continue;
            }
            answer = self.evaluate(&position)?;
            labels.push(Label {
                side_line: side_line.clone(),
                ..self.label(ply, &position, &answer)
            });
        }
        self.lead_black = lead_on_the_line;
        Ok(())
    }

    /// Labels the positions after several moves at the end of a side line, in a row: siblings,
    /// between which a search has to choose.
    fn sibling_group(
        &mut self,
        ply: usize,
        (parent, side_line): (&Position, &[MoveCode]),
        answer: &Answer,
        labels: &mut Vec<Label>,
    ) -> Result<()> {
        let siblings = self.sampler.settings.siblings;
        let mut moves = self.candidates(parent, answer, siblings);
        if moves.len() < siblings && self.chance(ANY_MOVE) {
            let other = self.any_move(parent);
            moves.extend(Some(other).filter(|other| !moves.contains(other)));
        }
        for mv in moves {
            let mut position = parent.clone();
            position.play_unchecked(mv);
            if !is_fit(&position) {
                continue;
            }
            let code = MoveCode::new(parent.size(), parent.to_move(), mv);
            let answer = self.evaluate(&position)?;
            labels.push(Label {
                side_line: [side_line, &[code]].concat(),
                ..self.label(ply, &position, &answer)
            });
        }
        Ok(())
    }

    /// Different moves: this many draws by a power of the policy.
    fn candidates(&mut self, position: &Position, answer: &Answer, draws: usize) -> Vec<Move> {
        let mut moves = Vec::new();
        for _ in 0..draws {
            let mv = self.draw(position, &answer.output.policy, TEMPERATURE);
            moves.extend(Some(mv).filter(|mv| !moves.contains(mv)));
        }
        moves
    }

    /// A move, and the player's evaluation of the position after it, if any.
    fn tried(&mut self, position: &Position, answer: &Answer) -> Result<(Move, Option<Answer>)> {
        if self.chance(ANY_MOVE) {
            return Ok((self.any_move(position), None));
        }
        if !self.has_player() {
            let mv = self.draw(position, &answer.output.policy, TEMPERATURE);
            return Ok((mv, None));
        }
        let moves = self.candidates(position, answer, COMPARED);
        let first = moves[0];
        let mut best: Option<(f32, Move, Answer)> = None;
        for mv in moves {
            let mut after = position.clone();
            after.play_unchecked(mv);
            if !is_fit(&after) {
                continue;
            }
            let answer = self.ask_player(&after)?;
            let output = &answer.output;
            let gain = output.loss - output.win - POINT * output.lead;
            if best.as_ref().is_none_or(|(most, ..)| gain > *most) {
                best = Some((gain, mv, answer));
            }
        }
        Ok(best.map_or((first, None), |(_, mv, answer)| (mv, Some(answer))))
    }
}
