//! Positions off a line: moves that nobody made there, chosen as a search chooses them. A search looks
//! for moves after which the network is content, and so finds the positions where it is wrong.

use anyhow::Result;
use rand::RngExt;

use crate::go::{Move, Position};

use super::super::label::Label;
use super::super::line::MoveCode;
use super::walk::{Answer, Walk, is_fit};

/// A line is left for so many moves at most, ...
const MOVES: usize = 6;
/// ... after the last of which the position is labelled, and after others this often.
const KEPT: f64 = 0.3;
/// How often a move is just any.
const ANY_MOVE: f64 = 0.15;
/// Others are drawn by the root of the policy, ...
const TEMPERATURE: f32 = 2.0;
/// ... so many of which the player compares ...
const COMPARED: usize = 3;
/// ... by chances, and by the lead, a point of which counts like this much of a win less a loss.
const POINT: f32 = 0.02;

impl Walk<'_> {
    /// Perhaps leaves the line after so many of its moves, at the position there and with what was said
    /// of it: the more open the game, the more often.
    pub(super) fn leave(
        &mut self,
        ply: usize,
        position: &Position,
        answer: &Answer,
        labels: &mut Vec<Label>,
    ) -> Result<()> {
        let win_loss = answer.output.win - answer.output.loss;
        let openness = f64::from(1.0 - win_loss * win_loss).max(0.0);
        let detours = self.episodes.settings.detours * openness;
        let another = self.chance(detours.fract());
        for _ in 0..detours as usize + usize::from(another) {
            self.detour(ply, position.clone(), answer.clone(), labels)?;
        }
        Ok(())
    }

    fn detour(
        &mut self,
        ply: usize,
        mut position: Position,
        mut answer: Answer,
        labels: &mut Vec<Label>,
    ) -> Result<()> {
        let lead_on_the_line = self.lead_black;
        let mut detour = Vec::new();
        for left in (0..self.rng.random_range(1..=MOVES)).rev() {
            let (made, known) = self.tried(&position, &answer)?;
            detour.push(MoveCode::new(position.size(), position.to_move(), made));
            position.play_unchecked(made);
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
            answer = self.ask(&position)?;
            labels.push(Label {
                detour: detour.clone(),
                ..self.label(ply, &position, &answer)
            });
        }
        self.lead_black = lead_on_the_line;
        Ok(())
    }

    /// A move, and what the player says of the position after it, if it was asked.
    fn tried(&mut self, position: &Position, answer: &Answer) -> Result<(Move, Option<Answer>)> {
        if self.chance(ANY_MOVE) {
            return Ok((self.any_move(position), None));
        }
        let first = self.draw(position, &answer.output.policy, TEMPERATURE);
        if !self.has_player() {
            return Ok((first, None));
        }
        let mut moves = vec![first];
        for _ in 1..COMPARED {
            let other = self.draw(position, &answer.output.policy, TEMPERATURE);
            moves.extend(Some(other).filter(|other| !moves.contains(other)));
        }
        let mut best: Option<(f32, Move, Answer)> = None;
        for made in moves {
            let mut after = position.clone();
            after.play_unchecked(made);
            if !is_fit(&after) {
                continue;
            }
            let answer = self.ask_player(&after)?;
            let output = &answer.output;
            let gain = output.loss - output.win - POINT * output.lead;
            if best.as_ref().is_none_or(|(most, ..)| gain > *most) {
                best = Some((gain, made, answer));
            }
        }
        Ok(best.map_or((first, None), |(_, made, answer)| (made, Some(answer))))
    }
}
