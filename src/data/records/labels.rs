//! Labels of one recorded game.

use anyhow::Result;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::data::collection::{Collection, Known, Part};
use crate::data::label::{Label, LabelValues};
use crate::data::line::{Line, MoveCode, is_legal_turn, play};
use crate::data::sampler::set_moves;
use crate::data::shard::{LabelledLine, LineKind};
use crate::data::stream::mixed;
use crate::data::variety;
use crate::go::result::WonBy;
use crate::go::{Color, GameResult, Position, Rules};
use crate::nn::features::MAX_HISTORY;

use super::Manifest;

/// The labels of a game: at most this many positions in which the player to move made the next move.
/// In training part of the history is sometimes hidden.
pub(super) fn of_game(
    games: &Collection,
    game: usize,
    positions: usize,
    manifest: &Manifest,
) -> Result<LabelledLine> {
    let (line, known) = (games.line(game), games.known(game));
    let mut rng = ChaCha8Rng::seed_from_u64(mixed(manifest.seed, games.id(game)));
    let not_imitated = &manifest.settings.not_imitated;
    let is_imitated = !not_imitated.contains(&games.sources()[usize::from(known.source)]);
    let rules = known.rules.unwrap_or(Rules::CHINESE);
    let komi = variety::nominal_komi(known.komi, &rules);
    let mut position = line.start(rules, komi)?;
    let mut labels = Vec::new();
    let plies = plies(line.moves.len(), positions, &mut rng);
    for (ply, &code) in line.moves.iter().enumerate() {
        if plies.contains(&ply) && is_legal_turn(&position, code) {
            let mut label = label(ply, &position, &known, code, is_imitated);
            label.history = match manifest.part {
                Part::Train => variety::history(&mut rng) as u8,
                Part::HeldOut => MAX_HISTORY as u8,
            };
            set_moves(&mut label, &line, position.to_move());
            label.reply = label.reply.filter(|_| is_imitated);
            labels.push(label);
        }
        play(&mut position, code)?;
    }
    Ok(LabelledLine {
        source: known.source,
        kind: LineKind::Record,
        winner: known.winner(),
        decided_for: None,
        line: shortened(line, &labels),
        labels,
    })
}

/// Without moves that no label needs.
fn shortened(mut line: Line, labels: &[Label]) -> Line {
    let last = labels.last().map_or(0, |label| usize::from(label.ply));
    line.moves.truncate(last + 2);
    line
}

/// One random place in each of this many equal parts of a game's moves.
fn plies(moves: usize, positions: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let count = positions.min(moves);
    let begin = |part: usize| part * moves / count;
    (0..count)
        .map(|part| rng.random_range(begin(part)..begin(part + 1)))
        .collect()
}

fn label(
    ply: usize,
    position: &Position,
    known: &Known,
    played: MoveCode,
    is_imitated: bool,
) -> Label {
    let to_move = position.to_move();
    let score = score_black(known, position).map(|score| f32::from(to_move.sign()) * score);
    let played = is_imitated.then_some(played.index() as u16);
    Label {
        ply: ply as u16,
        side_line: Vec::new(),
        rules: *position.rules(),
        komi: position.komi(),
        history: 0,
        next: None,
        reply: None,
        is_human: is_imitated,
        values: LabelValues::of_record(played, win(known.result, to_move), score),
    }
}

/// Win probability by a result. A game lost on time or by a forfeit tells little of its positions.
fn win(result: Option<GameResult>, to_move: Color) -> Option<f32> {
    match result? {
        GameResult::Win(_, WonBy::Time | WonBy::Forfeit) => None,
        result => result.points(to_move).map(|points| points as f32),
    }
}

/// Black's score, where the result is a count under the komi of the position.
fn score_black(known: &Known, position: &Position) -> Option<f32> {
    if known.komi? != position.komi() {
        return None;
    }
    let most = position.size().area() as f32 + position.komi().points().abs();
    let lead = known.result?.lead_black();
    lead.filter(|lead| lead.abs() <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_spread_over_a_game() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        assert_eq!(plies(5, 8, &mut rng), [0, 1, 2, 3, 4]);
        let four = plies(100, 4, &mut rng);
        let parts: Vec<usize> = four.iter().map(|ply| ply / 25).collect();
        assert_eq!(parts, [0, 1, 2, 3], "{four:?}");
        assert!(plies(0, 4, &mut rng).is_empty());
    }
}
