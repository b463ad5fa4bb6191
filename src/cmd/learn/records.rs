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

/// Learns from records until it is time to end; their openings and a fraction of the games are left out.
pub fn learn<G: BoardGame>(
    learner: &mut Learner<G>,
    data: &[PathBuf],
    (opening, share): (usize, f64),
) -> Result<Ending> {
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
    learner.games = games;
    let (held_out, lessons): (Vec<Place>, Vec<Place>) = places(&learner.games, 0)
        .into_iter()
        .partition(|place| is_held_out[place.game]);
    ensure!(
        !lessons.is_empty(),
        "no position is left to learn from: see --held-out"
    );
    let every = held_out.len().div_ceil(MOST_POSITIONS).max(1);
    let held_out: Vec<Place> = held_out.into_iter().step_by(every).collect();
    tell(format_args!(
        "{}, {} to learn from, {} held out",
        counted(learner.games.len(), "game"),
        counted(lessons.len(), "position"),
        held_out.len()
    ));
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

/// Whether a game is held out; its opening decides, so that games which begin alike go together.
fn held<G: BoardGame>(game: &LearningGame<G>, opening: usize, share: f64) -> Result<bool> {
    let hash = mixed(opening_hash(game, opening)?, 0);
    Ok((hash >> 11) as f64 / ((1_u64 << 53) as f64) < share)
}
