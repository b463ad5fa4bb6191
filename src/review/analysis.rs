//! What a search found about a position, as it is stored.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::game::Game;
use crate::formats::ownership;
use crate::games::go::{decode, side};
use crate::go::{Color, Move};
use crate::player::analysis::{Perspective, PointOfView, shown_variation};
use crate::player::search_player::SearchPlayer;
use crate::player::{Nobody, Watch};
use crate::search::{Detail, MoveReport, Report, Restrictions};

/// Moves that are kept of each position, besides the one that was played; symmetric moves count as one.
const MOST_MOVES: usize = 8;
/// Length of variations in moves.
const LONGEST: usize = 12;

/// What reports must contain to be stored as an analysis.
pub fn detail() -> Detail {
    Detail {
        pv_length: LONGEST,
        ownership: true,
        ..Detail::default()
    }
}

/// A position with its best moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PositionAnalysis {
    /// Moves played before it.
    pub turn: usize,
    /// Who is to move: `B` or `W`.
    pub to_move: char,
    /// Visits of the search.
    pub visits: u32,
    /// Black's win rate from 0 to 1, a draw counting half.
    pub winrate: f64,
    /// Black's score lead in points.
    pub lead: f64,
    /// The best moves and the one that was played, the best first, each with those that are symmetric to it.
    pub moves: Vec<Candidate>,
    /// Expected ownership of the points as [`ownership::text`] has them, where the network estimates them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ownership: Option<String>,
}

/// A move that was searched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// As GTP has it: `Q16` or `pass`.
    #[serde(rename = "move")]
    pub mv: String,
    /// Its place among all moves that were searched, from 1; symmetric moves share a place.
    pub order: usize,
    /// Visits of the move.
    pub visits: u32,
    /// The network's probability of it.
    pub prior: f64,
    /// Black's win rate after it.
    pub winrate: f64,
    /// Black's score lead after it.
    pub lead: f64,
    /// The variation that begins with it.
    pub pv: Vec<String>,
    /// The searched move that it is the image of under a symmetry of the position: its values are that one's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symmetric_to: Option<String>,
}

impl PositionAnalysis {
    /// Searches the position of a game after `turn` moves up to the player's limits. None if the search was
    /// stopped before that.
    pub fn search(
        game: &Game,
        turn: usize,
        player: &mut SearchPlayer,
        stop: &AtomicBool,
    ) -> Result<Option<PositionAnalysis>> {
        let watch = Watch {
            stop,
            restrictions: &Restrictions::default(),
            detail: detail(),
            reports: None,
            observer: &mut Nobody,
        };
        let position = game.position(turn)?;
        let report = player.analyze_within_limits(&position, watch)?;
        let is_whole = !stop.load(Ordering::SeqCst);
        let report = report.filter(|_| is_whole);
        Ok(report.map(|report| {
            let played = game.played(turn);
            PositionAnalysis::of(turn, position.to_move(), played, &report)
        }))
    }

    /// What a report says of the position after `turn` moves, in which `color` is to move and, in the game,
    /// plays `played`.
    pub fn of(
        turn: usize,
        color: Color,
        played: Option<Move>,
        report: &Report,
    ) -> PositionAnalysis {
        let black = Perspective::Black.of(side(color));
        let searched = report.moves.iter().filter(|mv| mv.edge_visits > 0);
        // Images stand right behind the move that they are images of.
        let numbered = searched.scan(0_usize, |order, mv| {
            *order += usize::from(mv.twin_of.is_none());
            Some((*order, mv))
        });
        let numbered: Vec<(usize, &MoveReport)> = numbered.collect();
        let is_played = |mv: &MoveReport| Some(decode(mv.code)) == played;
        let of_played = numbered.iter().find(|it| is_played(it.1));
        let of_played = of_played.map(|it| it.0);
        let is_kept = |order: usize| order <= MOST_MOVES || Some(order) == of_played;
        let kept = numbered.iter().filter(|it| is_kept(it.0));
        let moves = kept.map(|&(order, mv)| Candidate::of(mv, order, black));
        let ownership = report.ownership.as_ref().map(|ownership| {
            let black = ownership.mean.iter().map(|&value| black.value(value));
            ownership::text(black)
        });
        PositionAnalysis {
            turn,
            to_move: color.letter(),
            visits: report.visits,
            winrate: rounded(black.winrate(report.win_loss), 4),
            lead: rounded(black.value(report.lead), 2),
            moves: moves.collect(),
            ownership,
        }
    }

    /// The best move, unless none was searched.
    pub fn best(&self) -> Option<&Candidate> {
        self.moves.first()
    }

    /// [`Candidate::order`] of a move; none if it is not among those kept.
    pub fn place(&self, mv: &str) -> Option<usize> {
        let found = self.moves.iter().find(|it| it.mv == mv);
        found.map(|it| it.order)
    }

    /// A value for Black as one for whoever is to move.
    pub fn for_mover(&self, black: f64) -> f64 {
        match self.to_move {
            'W' => -black,
            _ => black,
        }
    }
}

impl Candidate {
    fn of(mv: &MoveReport, order: usize, black: PointOfView) -> Candidate {
        let variation = shown_variation(mv);
        Candidate {
            mv: decode(mv.code).to_string(),
            order,
            visits: mv.edge_visits,
            prior: rounded(mv.prior.into(), 4),
            winrate: rounded(black.winrate(mv.win_loss), 4),
            lead: rounded(black.value(mv.lead), 2),
            pv: variation.iter().map(Move::to_string).collect(),
            symmetric_to: mv.twin_of.map(|searched| decode(searched).to_string()),
        }
    }
}

/// A number to so many decimal places; 0 instead of what is no number, which JSON cannot say.
pub(super) fn rounded(number: f64, places: i32) -> f64 {
    let scale = 10f64.powi(places);
    match number.is_finite() {
        true => (number * scale).round() / scale + 0.0,
        false => 0.0,
    }
}
