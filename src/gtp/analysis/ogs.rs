//! Evaluations of moves as gtp2ogs recognizes them on standard error: KataGo's form, with two decimals of the
//! win rate and one of the score.

use crate::games::go::decode;
use crate::go::Move;
use crate::player::analysis::{Perspective, shown_variation};
use crate::search::Report;

/// The line for a move that was chosen, without its end.
pub(in super::super) fn line(report: &Report, chosen: Move, perspective: Perspective) -> String {
    let seen = perspective.of(report.to_move);
    let mut moves = report.moves.iter();
    let mv = moves.find(|mv| decode(mv.code) == chosen);
    // A move that was not searched has none.
    let line = mv.map(shown_variation).filter(|line| !line.is_empty());
    let line = line.unwrap_or_else(|| vec![chosen]);
    let words: Vec<String> = line.iter().map(ToString::to_string).collect();
    format!(
        "MALKOVICH:Visits {} Winrate {:.2}% ScoreLead {:.1} ScoreStdev {:.1} PV {}",
        report.visits,
        100.0 * seen.winrate(report.win_loss),
        seen.value(report.lead),
        report.score_stdev,
        words.join(" ")
    )
}
