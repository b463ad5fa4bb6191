//! Games that the teacher, or the separate player, plays by its policy alone until both sides pass.

use anyhow::Result;

use crate::go::BoardSize;

use super::super::line::MoveCode;
use super::super::shard::{LabelledLine, LineKind};
use super::super::variety;
use super::game_sampler::{GameSampler, set_moves, spacing};

/// Fraction of positions labelled if the teacher makes all moves and so evaluates each position
/// anyway.
const KEPT: f64 = 0.5;
/// With a separate player, labelled positions are this many spacings apart on average: nearby
/// positions have their groups, and which of them live, in common.
const SPACINGS: usize = 3;
/// Probability of changing komi.
const NEW_KOMI: f64 = 0.1;
/// The first moves, this fraction of the board's points, ...
const OPENING: usize = 12;
/// ... are drawn by the policy, later ones with less randomness.
const OPENING_TEMPERATURE: f32 = 1.0;
const TEMPERATURE: f32 = 0.3;

impl GameSampler<'_> {
    pub(super) fn teacher_game(&mut self, size: BoardSize) -> Result<LabelledLine> {
        let rules = variety::rules(&mut self.rng, None);
        let start = self.start(size, rules)?;
        let mut line = start.line;
        let nominal = variety::nominal_komi(start.komi, &rules);
        let mut position = line.position(line.moves.len(), &[], rules, nominal)?;
        let (mut labels, mut off) = (Vec::new(), Vec::new());
        let komi = self.komi(&position, nominal);
        position.set_komi(komi);
        let cap = line.moves.len() + size.area() * 3 / 2;
        let kept = match self.has_player() {
            true => 1.0 / (SPACINGS * spacing(size)) as f64,
            false => KEPT,
        };
        while !position.is_over() && line.moves.len() < cap {
            if self.chance(NEW_KOMI) {
                let komi = self.komi(&position, nominal);
                position.set_komi(komi);
            }
            let is_kept = self.chance(kept) && self.is_wanted(&position);
            let answer = match is_kept {
                true => self.evaluate(&position)?,
                false => self.ask_player(&position)?,
            };
            let (ply, to_move) = (line.moves.len(), position.to_move());
            let temperature = match ply < size.area() / OPENING {
                true => OPENING_TEMPERATURE,
                false => TEMPERATURE,
            };
            let mv = self.draw(&position, &answer.output.policy, temperature);
            if is_kept {
                labels.push((self.label(ply, &position, &answer), to_move));
                self.leave(ply, &position, &answer, &mut off)?;
            }
            line.moves.push(MoveCode::new(size, to_move, mv));
            position.play_unchecked(mv);
        }
        let complete = |(mut label, to_move)| {
            set_moves(&mut label, &line, to_move);
            label
        };
        Ok(LabelledLine {
            source: start.source,
            kind: LineKind::Teacher,
            winner: None,
            decided_for: None,
            labels: labels.into_iter().map(complete).chain(off).collect(),
            line,
        })
    }
}
