//! Positions of games that a network plays against itself by drawing from its policy; and finished
//! boards.

use anyhow::Result;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::games::go::decode;
use crate::games::rollout::Rollout;
use crate::go::area::{AreaParts, area};
use crate::go::{BoardSize, Color, Komi, Move, Position, Rules};
use crate::nn::evaluator::NetEvaluator;
use crate::search::players::PolicyPlayer;

/// Policy temperature: at 1, weak nets play unrealistic games.
const TEMPERATURE: f64 = 0.6;
/// About this many positions per game.
const PER_GAME: usize = 8;
/// Maximal moves of a game, as a multiple of the board's points.
const LONGEST: f64 = 1.2;
/// Moves after which the game is completed at random for a finished board, as a multiple of the
/// points.
const LATE: f64 = 0.5;

/// A test position.
#[derive(Default)]
pub struct Positions {
    /// Moves of a game up to a position, on a board of this size.
    pub lines: Vec<(BoardSize, Vec<Move>)>,
    /// A board on which all points are pass-alive or territory of pass-alive stones.
    pub finished: Vec<Position>,
}

/// The position under other rules and komi; none if a move is illegal under them.
pub fn replayed(size: BoardSize, moves: &[Move], rules: Rules, komi: Komi) -> Option<Position> {
    let mut position = Position::new(size, rules, komi);
    for &mv in moves {
        position.try_play(mv).ok()?;
    }
    Some(position)
}

/// This many positions, and a finished board for each game that got far; reproducible by the seed.
pub fn of(
    evaluator: &NetEvaluator,
    sizes: &[BoardSize],
    count: usize,
    seed: u64,
) -> Result<Positions> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut player = PolicyPlayer::new(TEMPERATURE, random.random());
    let mut found = Positions::default();
    for &size in sizes.iter().cycle() {
        if found.lines.len() >= count {
            break;
        }
        let moves = game(evaluator, &mut player, size)?;
        if moves.is_empty() {
            // Even a net that passes at once gets a position.
            found.lines.push((size, moves));
            continue;
        }
        for _ in 0..PER_GAME.min(count - found.lines.len()) {
            let len = random.random_range(0..=moves.len());
            found.lines.push((size, moves[..len].to_vec()));
        }
        found.finished.extend(finished(size, &moves, &mut random));
    }
    Ok(found)
}

/// The moves before the first pass.
fn game(evaluator: &NetEvaluator, player: &mut PolicyPlayer, size: BoardSize) -> Result<Vec<Move>> {
    let komi = Rules::CHINESE.usual_komi();
    let mut position = Position::new(size, Rules::CHINESE, komi);
    let mut moves = Vec::new();
    while moves.len() < (size.area() as f64 * LONGEST) as usize {
        let mv = decode(player.choose(evaluator, &position)?);
        if mv == Move::Pass {
            break;
        }
        position.play_unchecked(mv);
        moves.push(mv);
    }
    Ok(moves)
}

/// A game completed at random, if that settles all points.
fn finished(size: BoardSize, moves: &[Move], random: &mut ChaCha8Rng) -> Option<Position> {
    let komi = Rules::CHINESE.usual_komi();
    let late = (size.area() as f64 * LATE) as usize;
    let kept = &moves[..moves.len().min(late)];
    let position = replayed(size, kept, Rules::CHINESE, komi)?;
    let mut rollout = Rollout::new(position.board(), position.to_move());
    rollout.finish(random);
    let board = rollout.board().clone();
    let certain = area(&board, AreaParts::CERTAIN, false);
    let is_settled = board.points().all(|point| certain.owner(point).is_some());
    is_settled.then(|| Position::from_board(board, Color::Black, Rules::CHINESE, komi))
}
