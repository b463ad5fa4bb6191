//! Labels of a recorded game: some positions, well apart, and side positions near them.

use anyhow::Result;
use rand::RngExt;

use crate::go::{Komi, Position, Rules};

use super::super::collection::Known;
use super::super::label::Label;
use super::super::line::Line;
use super::super::shard::{LabelledLine, LineKind};
use super::super::variety;
use super::game_sampler::{GameSampler, by_area, is_fit, set_moves, spacing};

/// Maximal positions per game.
const VISITS: usize = 8;
/// The first moves, after which positions are similar in all games, ...
const OPENING: usize = 6;
/// ... are mostly skipped.
const OPENING_SHARE: f64 = 0.1;
/// Probability of labelling a position again under other rules.
const CONTRAST: f64 = 0.2;

impl GameSampler<'_> {
    /// Labels of a game as it was played.
    pub(super) fn game(&mut self, game: usize) -> Result<LabelledLine> {
        let collection = self.sampler.collection;
        let (line, known) = (collection.line(game), collection.known(game));
        let name = &collection.sources()[usize::from(known.source)];
        let is_human = !self.sampler.settings.not_imitated.contains(name);
        let mut labels = Vec::new();
        for ply in self.plies(&line) {
            let first = labels.len();
            self.visit(&line, ply, &known, &mut labels)?;
            for label in &mut labels[first..] {
                label.is_human = is_human && label.next.is_some();
                label.reply = label.reply.filter(|_| is_human);
            }
        }
        Ok(LabelledLine {
            source: known.source,
            kind: LineKind::Game,
            winner: known.winner(),
            decided_for: None,
            line,
            labels,
        })
    }

    /// Positions of the line, at least [`spacing`] moves apart and otherwise uniform.
    fn plies(&mut self, line: &Line) -> Vec<usize> {
        let (places, spacing) = (line.moves.len() + 1, spacing(line.size));
        let count = VISITS.min(places / spacing).max(1);
        let slack = places - count * spacing.min(places);
        let mut offsets: Vec<usize> = (0..count)
            .map(|_| self.rng.random_range(0..=slack))
            .collect();
        offsets.sort_unstable();
        let plies = offsets.into_iter().enumerate();
        let plies: Vec<usize> = plies
            .map(|(index, offset)| offset + index * spacing)
            .collect();
        let kept = plies.into_iter().filter(|&ply| ply < places);
        kept.filter(|&ply| ply >= OPENING || self.chance(OPENING_SHARE))
            .collect()
    }

    pub(super) fn visit(
        &mut self,
        line: &Line,
        ply: usize,
        known: &Known,
        labels: &mut Vec<Label>,
    ) -> Result<()> {
        let evaluations = if self.chance(CONTRAST) { 2 } else { 1 };
        let mut last = None;
        for _ in 0..evaluations {
            let rules = variety::rules(&mut self.rng, known.rules);
            let Some(position) = self.position(line, ply, rules, known.komi)? else {
                return Ok(());
            };
            let answer = self.evaluate(&position)?;
            let mut label = self.label(ply, &position, &answer);
            set_moves(&mut label, line, position.to_move());
            labels.push(label);
            last = Some((position, answer));
        }
        match last {
            Some((position, answer)) => self.leave(ply, &position, &answer, labels),
            None => Ok(()),
        }
    }

    /// The position under these rules, or under area scoring where territory scoring cannot be
    /// labelled; none if the game is over there.
    fn position(
        &mut self,
        line: &Line,
        ply: usize,
        rules: Rules,
        stated: Option<Komi>,
    ) -> Result<Option<Position>> {
        let nominal = variety::nominal_komi(stated, &rules);
        let mut position = line.position(ply, &[], rules, nominal)?;
        if !is_fit(&position) {
            position = line.position(ply, &[], by_area(rules), nominal)?;
        }
        let komi = self.komi(&position, nominal);
        position.set_komi(komi);
        Ok(Some(position).filter(|position| self.is_wanted(position)))
    }
}
