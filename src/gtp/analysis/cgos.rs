//! An analysis as the computer Go server stores it beside the move: one line of JSON (zakki/cgos,
//! "CGOS GTP Extension for Move Analysis"). All values are from the point of view of the side to move.

use serde::Serialize;

use crate::formats::ownership;
use crate::games::go::decode;
use crate::search::{MoveCode, MoveReport, Report};

/// Moves told of, the best ones: the server keeps the line with the game's record.
const MOST_MOVES: usize = 10;

#[derive(Serialize)]
struct Analysis {
    winrate: f64,
    score: f64,
    visits: u32,
    moves: Vec<Candidate>,
    /// From the opponent's to the mover's.
    #[serde(skip_serializing_if = "Option::is_none")]
    ownership: Option<String>,
}

#[derive(Serialize)]
struct Candidate {
    #[serde(rename = "move")]
    mv: String,
    winrate: f64,
    score: f64,
    prior: f64,
    visits: u32,
    /// What is expected to follow the move.
    pv: String,
}

/// A report as one line, without its end.
pub(super) fn line(report: &Report) -> String {
    // Of moves that are images of each other, the one that was searched.
    let is_searched = |mv: &&MoveReport| mv.edge_visits > 0 && mv.twin_of.is_none();
    let mut moves: Vec<Candidate> = report
        .moves
        .iter()
        .filter(is_searched)
        .take(MOST_MOVES)
        .map(candidate)
        .collect();
    if moves.is_empty() {
        moves.extend(report.best().map(candidate));
    }
    let analysis = Analysis {
        winrate: rounded(report.winrate()),
        score: rounded(report.lead),
        visits: report.visits,
        moves,
        ownership: report
            .ownership
            .as_ref()
            .map(|ownership| ownership::text(ownership.mean.iter().copied().map(f64::from))),
    };
    serde_json::to_string(&analysis).expect("plain values are JSON")
}

fn candidate(mv: &MoveReport) -> Candidate {
    let vertex = |&code: &MoveCode| decode(code).to_string();
    let following: Vec<String> = mv.pv.iter().skip(1).map(vertex).collect();
    Candidate {
        mv: vertex(&mv.code),
        winrate: rounded(0.5 * (1.0 + mv.win_loss)),
        score: rounded(mv.lead),
        prior: rounded(mv.prior.into()),
        visits: mv.visits,
        pv: following.join(" "),
    }
}

/// A figure with no more decimals than anybody reads.
fn rounded(figure: f64) -> f64 {
    (figure * 1e5).round() / 1e5
}
