//! A review as a game record with remarks, for programs that show SGF.

use super::analysis::{Candidate, PositionAnalysis};
use super::game::Game;
use super::review::{GameReview, ReviewedPosition};
use super::settings::{Grade, Thresholds};
use crate::formats::sgf::{self, Annotation, Variation};
use crate::go::{Color, Move};

/// Win rates from which a position is good for somebody (`GB[1]`, `GW[1]`), and from which very good.
const GOOD: [f64; 2] = [0.75, 0.95];
/// Largest difference of a win rate from one half in an even position (`DM[1]`).
const EVEN: f64 = 0.05;
/// A good move that the network gives less than this probability is a tesuji (`TE[1]`), if nothing else is
/// nearly as good.
const SURPRISING: f64 = 0.1;

/// Properties of a node that a review writes, and those that must not stand beside them.
pub(super) const PROPERTIES: [&str; 9] = ["V", "GB", "GW", "DM", "BM", "DO", "TE", "UC", "IT"];

/// The record with a comment on each move, properties such as `BM`, and the best variation next to each move that is at
/// least a mistake. The record's own variations and other properties stay.
pub fn text(game: &Game, review: &GameReview) -> String {
    let thresholds = review.head.thresholds;
    let positions = &review.positions;
    let annotations: Vec<Annotation> = positions
        .iter()
        .enumerate()
        .map(|(turn, position)| {
            let before = turn.checked_sub(1).and_then(|turn| positions.get(turn));
            let mut annotation = annotation(before, position, thresholds);
            if turn + 1 == positions.len()
                && let Some(fault) = &game.fault
            {
                annotation.comment +=
                    &format!("\nThe record goes on with an impossible move: {fault}");
            }
            annotation
        })
        .collect();
    sgf::write_annotated(&game.record, &game.info, &annotations, &game.beside)
}

/// What is said after a move; `before` is the position in which it was played.
fn annotation(
    before: Option<&ReviewedPosition>,
    after: &ReviewedPosition,
    thresholds: Thresholds,
) -> Annotation {
    let mut properties = vec![("V", number(after.analysis.lead))];
    properties.extend(standing(after.analysis.winrate));
    properties.extend(before.and_then(|before| quality(before, thresholds)));
    Annotation {
        properties,
        comment: comment(before, after, thresholds),
        variations: better(after, thresholds).into_iter().collect(),
    }
}

/// For whom a position is good.
fn standing(winrate: f64) -> Option<(&'static str, String)> {
    let degree = |winrate: f64| GOOD.iter().filter(|&&good| winrate >= good).count();
    match (degree(winrate), degree(1.0 - winrate)) {
        (0, 0) if (winrate - 0.5).abs() <= EVEN => Some(("DM", "1".to_owned())),
        (0, 0) => None,
        (0, white) => Some(("GW", white.to_string())),
        (black, _) => Some(("GB", black.to_string())),
    }
}

/// How good a move is.
fn quality(before: &ReviewedPosition, thresholds: Thresholds) -> Option<(&'static str, String)> {
    match thresholds.grade(before.lost?) {
        Grade::Blunder => Some(("BM", "2".to_owned())),
        Grade::Mistake => Some(("BM", "1".to_owned())),
        Grade::Doubtful => Some(("DO", String::new())),
        Grade::Fine => is_tesuji(before, thresholds).then(|| ("TE", "1".to_owned())),
    }
}

/// Whether the best move was played, which was hard to see and without a good alternative.
fn is_tesuji(before: &ReviewedPosition, thresholds: Thresholds) -> bool {
    let moves = &before.analysis.moves;
    let mut distinct = moves.iter().filter(|mv| mv.symmetric_to.is_none());
    let (Some(best), Some(second)) = (distinct.next(), distinct.next()) else {
        return false;
    };
    let gap = before.analysis.for_mover(best.lead - second.lead);
    before.rank == Some(1) && best.prior < SURPRISING && gap >= thresholds.mistake / 2.0
}

fn comment(
    before: Option<&ReviewedPosition>,
    after: &ReviewedPosition,
    thresholds: Thresholds,
) -> String {
    let mut lines = vec![standing_in_words(&after.analysis)];
    if let Some(before) = before
        && let Some(lost) = before.lost
    {
        lines.push(match thresholds.grade(lost) {
            Grade::Blunder => format!("Blunder: loses {lost:.1} points."),
            Grade::Mistake => format!("Mistake: loses {lost:.1} points."),
            _ if lost >= 0.05 => format!("Loses {lost:.1} points."),
            _ => "Loses nothing.".to_owned(),
        });
        lines.extend(choice(before, thresholds.grade(lost)));
    }
    lines.join("\n")
}

/// What the search would have played.
fn choice(before: &ReviewedPosition, grade: Grade) -> Option<String> {
    if before.rank == Some(1) {
        return Some("The first choice of the search.".to_owned());
    }
    let best = before.analysis.best()?;
    let word = match grade {
        Grade::Fine => "First choice of the search",
        _ => "Better",
    };
    Some(format!(
        "{word}: {} ({}).",
        best.mv,
        lead_in_words(best.lead)
    ))
}

fn standing_in_words(analysis: &PositionAnalysis) -> String {
    let percent = 100.0 * analysis.winrate;
    let lead = lead_in_words(analysis.lead);
    format!(
        "Black wins {percent:.1} %, {lead}, {} visits.",
        analysis.visits
    )
}

/// A lead of Black, as `B+2.5`.
pub fn lead_in_words(black: f64) -> String {
    match black {
        _ if black.abs() < 0.05 => "even".to_owned(),
        black if black > 0.0 => format!("B+{black:.1}"),
        black => format!("W+{:.1}", -black),
    }
}

/// The best variation, where the move played is at least a mistake and another one is better.
fn better(position: &ReviewedPosition, thresholds: Thresholds) -> Option<Variation> {
    let grade = thresholds.grade(position.lost?);
    let best = position.analysis.best()?;
    let is_shown = matches!(grade, Grade::Mistake | Grade::Blunder) && position.rank != Some(1);
    is_shown
        .then(|| variation(&position.analysis, best))
        .flatten()
}

/// A candidate's variation; none if a move cannot be read.
fn variation(analysis: &PositionAnalysis, best: &Candidate) -> Option<Variation> {
    let first: Color = analysis.to_move.to_string().parse().ok()?;
    let mut next: Option<Variation> = None;
    for (index, text) in best.pv.iter().enumerate().rev() {
        let mv: Move = text.parse().ok()?;
        let comment = match index {
            0 => format!(
                "The best line: Black wins {:.1} %, {}, {} visits.",
                100.0 * best.winrate,
                lead_in_words(best.lead),
                best.visits
            ),
            _ => String::new(),
        };
        next = Some(Variation {
            color: if index % 2 == 0 { first } else { !first },
            mv,
            comment,
            next: next.into_iter().collect(),
        });
    }
    next
}

/// A number as SGF has it.
fn number(value: f64) -> String {
    format!("{value:.2}")
}
