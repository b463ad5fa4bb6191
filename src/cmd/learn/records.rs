//! Learning from recorded games.

use std::path::PathBuf;

use anyhow::{Result, ensure};

use super::learner::Learner;
use crate::console::{counted, tell};
use crate::data::board_games::{LearningGame, read_games};
use crate::data::board_samples::{Place, opening_hash, places};
use crate::data::stream::mixed;
use crate::games::board_game::BoardGame;
use crate::train::run::session::Ending;

/// Samples between validations.
const VALIDATE_EVERY: u64 = 262_144;
/// Positions of a validation, at most.
const MOST_POSITIONS: usize = 20_000;
/// Lines about records that cannot be read.
const MOST_REMARKS: usize = 5;

/// Recorded games with the positions to learn from, and those held out.
pub struct Records<G: BoardGame> {
    games: Vec<LearningGame<G>>,
    lessons: Vec<Place>,
    held_out: Vec<Place>,
}

/// Reads records; their openings and a fraction of the games are left out.
pub fn read<G: BoardGame>(data: &[PathBuf], opening: usize, share: f64) -> Result<Records<G>> {
    let mut remarks = 0;
    let games = read_games(data, opening, &mut |text| {
        remarks += 1;
        if remarks <= MOST_REMARKS {
            tell(format_args!("{text}"));
        }
    })?;
    if remarks > MOST_REMARKS {
        tell(format_args!(
            "skipped {} in all",
            counted(remarks, "record")
        ));
    }
    ensure!(
        !games.is_empty(),
        "there are no games to learn from: --data names files (.{}, .games) or folders of them",
        G::RECORDS
    );
    let is_held_out: Vec<bool> = games
        .iter()
        .map(|game| held(game, opening, share))
        .collect::<Result<_>>()?;
    let (held_out, lessons): (Vec<Place>, Vec<Place>) = places(&games, 0)
        .into_iter()
        .partition(|place| is_held_out[place.game]);
    ensure!(
        !lessons.is_empty(),
        "no position is left to learn from: see --opening and --held-out"
    );
    let every = held_out.len().div_ceil(MOST_POSITIONS).max(1);
    let held_out: Vec<Place> = held_out.into_iter().step_by(every).collect();
    tell(format_args!(
        "{}, {} to learn from, {} held out",
        counted(games.len(), "game"),
        counted(lessons.len(), "position"),
        held_out.len()
    ));
    Ok(Records {
        games,
        lessons,
        held_out,
    })
}

/// Learns from records until it is time to end.
pub fn learn<G: BoardGame>(learner: &mut Learner<G>, records: Records<G>) -> Result<Ending> {
    let Records {
        games,
        lessons,
        held_out,
    } = records;
    learner.games = games;
    let ending = loop {
        let next = (learner.stepwise.samples() / VALIDATE_EVERY + 1) * VALIDATE_EVERY;
        let ended = learner.steps(&lessons, next)?;
        if !held_out.is_empty() && (ended.is_none() || ended == Some(Ending::Done)) {
            learner.validate(&held_out)?;
        }
        if let Some(ending) = ended {
            break ending;
        }
    };
    Ok(ending)
}

/// Whether a game is held out; its opening decides, so that games which begin alike go together. Without one all moves
/// do.
fn held<G: BoardGame>(game: &LearningGame<G>, opening: usize, share: f64) -> Result<bool> {
    let moves = match opening {
        0 => game.moves.len(),
        moves => moves,
    };
    let hash = mixed(opening_hash(game, moves)?, 0);
    Ok((hash >> 11) as f64 / ((1_u64 << 53) as f64) < share)
}
