//! Learning from games against itself: rounds of games and steps in turn.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Result, anyhow};
use rand::SeedableRng;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::learner::Learner;
use crate::console::{counted, tell};
use crate::data::board_games::{LearningGame, STORED, StoredGame, read_stored};
use crate::data::board_samples::places;
use crate::data::stream::mixed;
use crate::files;
use crate::games::board_game::BoardGame;
use crate::nn::board_evaluator::BoardEvaluator;
use crate::selfplay::board_games::BoardTable;
use crate::selfplay::params::BoardSelfplayParams;
use crate::threads::{self, locked, unlocked};
use crate::train::run::session::Ending;

/// Positions that must be there before steps are made.
const FIRST_POSITIONS: usize = 2_000;

/// How rounds are played.
pub struct Rounds<'a> {
    /// Where games are stored, a file for each round.
    pub folder: PathBuf,
    pub params: &'a BoardSelfplayParams,
    /// Variants with their shares.
    pub variants: &'a [(String, f64)],
    /// Games of a round.
    pub games: u32,
    /// How often each position is learned.
    pub reuse: f64,
    /// Newest positions that steps draw from.
    pub window: usize,
    pub threads: usize,
}

/// When the present `--reuse` began, so that a run which was killed makes up for missing steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Since {
    reuse: f64,
    /// Samples learned before.
    samples: u64,
    /// Positions played before.
    positions: u64,
}

impl Since {
    /// Samples that the run should have had once there are so many positions.
    fn due(&self, positions: u64) -> u64 {
        let new = positions.saturating_sub(self.positions);
        self.samples + (new as f64 * self.reuse) as u64
    }
}

/// Plays and learns until it is time to end.
pub fn learn<G: BoardGame>(learner: &mut Learner<G>, rounds: &Rounds) -> Result<Ending> {
    files::make_folder(&rounds.folder)?;
    let (mut round, mut positions, mut earlier) = (0, 0, 0);
    for number in rounds.stored()? {
        let games = rounds.read::<G>(number)?;
        positions += places(&games, 0).len();
        earlier += games.len();
        learner.games.extend(games);
        rounds.forget_old(&mut learner.games);
        round = number.saturating_add(1);
    }
    if round > 0 {
        tell(format_args!(
            "{} of earlier rounds",
            counted(earlier, "game")
        ));
    }
    let since = rounds.since(learner.stepwise.samples(), positions as u64)?;
    loop {
        rounds.forget_old(&mut learner.games);
        let window = places(&learner.games, 0);
        if window.len() >= FIRST_POSITIONS.min(rounds.window) {
            let ended = learner.steps(&window, since.due(positions as u64))?;
            learner.log()?;
            learner.stepwise.save()?;
            if let Some(ending) = ended {
                return Ok(ending);
            }
        }
        if let Some(ending) = learner.ending() {
            return Ok(ending);
        }
        let Some(stored) = rounds.play(learner, round)? else {
            return Ok(Ending::Stopped);
        };
        let before = learner.games.len();
        for game in &stored {
            learner.games.push(LearningGame::read(game.clone())?);
        }
        write(&rounds.file(round), &stored)?;
        round += 1;
        let new = places(&learner.games, before).len();
        positions += new;
        tell(format_args!(
            "round {round}: {} with {}",
            counted(stored.len(), "game"),
            counted(new, "position")
        ));
    }
}

impl Rounds<'_> {
    fn file(&self, round: u32) -> PathBuf {
        self.folder.join(format!("{round:06}.{STORED}"))
    }

    /// The numbers of stored rounds, in order. Some may be missing: damaged files are removed.
    fn stored(&self) -> Result<Vec<u32>> {
        let number = |path: &PathBuf| {
            let number: u32 = path.file_stem()?.to_str()?.parse().ok()?;
            (self.file(number) == *path).then_some(number)
        };
        let files = files::entries_with(&self.folder, STORED)?;
        let mut numbers: Vec<u32> = files.iter().filter_map(number).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// The games of a stored round.
    fn read<G: BoardGame>(&self, round: u32) -> Result<Vec<LearningGame<G>>> {
        let file = self.file(round);
        let name = file.display();
        read_stored(&file).map_err(|error| match error.root_cause().is::<io::Error>() {
            true => error,
            false => anyhow!("{name}: {error:#}: remove it; the run goes on without its games"),
        })
    }

    /// When the present `--reuse` began: now, unless it is noted.
    fn since(&self, samples: u64, positions: u64) -> Result<Since> {
        let path = self.folder.join("reuse.json");
        if files::exists(&path) {
            let known: Since = files::read_json(&path)?;
            if known.reuse == self.reuse {
                return Ok(known);
            }
        }
        let since = Since {
            reuse: self.reuse,
            samples,
            positions,
        };
        files::write_json(&path, &since, true)?;
        Ok(since)
    }

    /// The games of a round; none if they were abandoned.
    fn play<G: BoardGame>(
        &self,
        learner: &mut Learner<G>,
        round: u32,
    ) -> Result<Option<Vec<StoredGame>>> {
        let net = learner.stepwise.averaged_net()?;
        let evaluator = BoardEvaluator::new(&net, learner.inputs, &learner.backend)?;
        let shares = WeightedIndex::new(self.variants.iter().map(|(_, share)| share))?;
        let (next, played) = (AtomicU32::new(0), std::sync::Mutex::new(Vec::new()));
        let (seed, stop) = (mixed(learner.seed, round.into()), learner.stop);
        let work = || -> Result<()> {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= self.games {
                    return Ok(());
                }
                let mut random = ChaCha8Rng::seed_from_u64(mixed(seed, number.into()));
                let (variant, _) = &self.variants[shares.sample(&mut random)];
                let table = BoardTable {
                    evaluator: &evaluator,
                    params: self.params,
                    stop,
                };
                let Some(game) = table.play(variant, &mut random)? else {
                    return Ok(());
                };
                locked(&played).push((number, game));
            }
        };
        let ended = threads::together(self.threads, "self-play", work);
        ended.into_iter().collect::<Result<()>>()?;
        if learner.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let mut played = unlocked(played);
        played.sort_by_key(|(number, _)| *number);
        Ok(Some(played.into_iter().map(|(_, game)| game).collect()))
    }

    /// Forgets all games but those with the newest positions.
    fn forget_old<G: BoardGame>(&self, games: &mut Vec<LearningGame<G>>) {
        let mut positions = 0;
        let is_within = |game: &&LearningGame<G>| {
            let before = positions;
            positions += game.searches.len();
            before < self.window
        };
        let count = games.iter().rev().take_while(is_within).count();
        games.drain(..games.len() - count);
    }
}

fn write(path: &Path, games: &[StoredGame]) -> Result<()> {
    let lines = games
        .iter()
        .map(|game| Ok(serde_json::to_string(game)? + "\n"));
    let text: String = lines.collect::<Result<_>>()?;
    files::write_whole(path, text.as_bytes(), false)
}
