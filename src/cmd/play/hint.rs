//! Help for a person: good moves, and an estimate of the score.

use std::sync::atomic::AtomicBool;

use anyhow::{Result, ensure};

use super::game::Game;
use super::look::Look;
use super::picture::Picture;
use crate::clock::{Clock, TimeControl};
use crate::console::{counted, say};
use crate::games::go::decode;
use crate::go::score::score;
use crate::go::{Color, GameResult, Move, WonBy};
use crate::player::analysis::shown_variation;
use crate::player::settlement::{in_words, name};
use crate::player::{LastReport, Watch};
use crate::review::annotated::lead_in_words;
use crate::search::{Detail, MoveReport, Restrictions};

/// Moves that a hint names.
const MOVES: usize = 3;

/// Moves of a variation that a hint shows.
const VARIATION: usize = 8;

/// From here on a point counts as somebody's in an estimate.
const LIKELY: f32 = 0.5;

impl Game {
    /// Tells the moves that the player would consider, best first.
    pub fn hint(&mut self) -> Result<()> {
        ensure!(
            self.dead.is_none() && self.outcome.is_none(),
            "the game is over; there is no move to look for"
        );
        let position = self.session.position.clone();
        let clock = Clock::new(TimeControl::Unlimited);
        let player = &mut self.session.player;
        if player.analysis().is_none() {
            let answer = player.choose(&position, &clock)?;
            return say(format_args!("hint: {answer}"));
        }
        let mut seen = LastReport::default();
        let watch = Watch {
            stop: &AtomicBool::new(false),
            restrictions: &Restrictions::default(),
            detail: Detail::default(),
            reports: None,
            observer: &mut seen,
        };
        let answer = player.choose_watched(&position, &clock, watch)?;
        let moves = seen.0.as_ref().map_or(&[][..], |report| &report.moves);
        let searched = moves
            .iter()
            .filter(|mv| mv.edge_visits > 0 && mv.twin_of.is_none());
        let lines: Vec<String> = searched
            .take(MOVES)
            .map(|mv| line(mv, moves, position.to_move()))
            .collect();
        match lines.is_empty() {
            true => say(format_args!("hint: {answer}")),
            false => say(format_args!("hint: {}", lines.join("\n      "))),
        }
    }

    /// Tells the score: of a counted game its result, while dead stones are being agreed on the count by the marks,
    /// otherwise an estimate.
    pub fn tell_score(&mut self) -> Result<()> {
        match (self.outcome, self.dead) {
            (Some(result), _) if is_counted(result) => say(format_args!("{}", in_words(result))),
            (None, Some(dead)) => self.explain(&dead, score(&self.session.position, &dead)),
            _ => self.estimate(),
        }
    }

    /// Estimates the score, and draws what is dead and whose the points are.
    fn estimate(&mut self) -> Result<()> {
        let (dead, ownership) = (self.session.dead_stones()?, self.session.ownership()?);
        let expected = self.session.judged_score()?;
        let position = &self.session.position;
        let size = position.size();
        let mut picture = Picture::of(position.board(), None);
        picture.dead = dead;
        picture.owner = Box::new(|point| {
            let owner = ownership[size.index(point)];
            let color = match owner > 0.0 {
                true => Color::Black,
                false => Color::White,
            };
            (owner.abs() >= LIKELY).then_some(color)
        });
        self.draw(&picture, "")?;
        say(format_args!("{}", Look::of_stdout().legend()))?;
        match expected == score(position, &dead) {
            true => say(format_args!("estimate, with komi: {expected}")),
            false => say(format_args!(
                "estimate, with komi: about {expected} (points without a mark count in part)"
            )),
        }
    }
}

/// Whether a result comes from a count.
fn is_counted(result: GameResult) -> bool {
    matches!(
        result,
        GameResult::Win(_, WonBy::Points(_)) | GameResult::Draw
    )
}

/// A move of a color, with those that are symmetric to it: the value, and what may follow.
fn line(mv: &MoveReport, moves: &[MoveReport], color: Color) -> String {
    let text = |mv: &MoveReport| decode(mv.code).to_string();
    let images = moves.iter().filter(|image| image.twin_of == Some(mv.code));
    let images: Vec<String> = images.map(text).collect();
    let names = match images.is_empty() {
        true => text(mv),
        false => format!("{} or {}", text(mv), images.join(", ")),
    };
    let winrate = 50.0 * (1.0 + mv.win_loss);
    let variation: Vec<String> = shown_variation(mv)
        .iter()
        .take(VARIATION)
        .map(Move::to_string)
        .collect();
    format!(
        "{names}: {} wins {winrate:.0} %, {}, {}: {}",
        name(color),
        lead_in_words(f64::from(color.sign()) * mv.lead),
        counted(mv.visits as usize, "visit"),
        variation.join(" ")
    )
}
