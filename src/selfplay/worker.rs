//! A self-play process: plays games on several threads.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use anyhow::Result;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

use crate::data::plan::SizeMix;
use crate::files;
use crate::go::BoardSize;
use crate::threads::{locked, together, unlocked};

use super::game::{Played, Table};
use super::human_games::HumanGames;
use super::nets::{Generation, Nets};
use super::params::SelfplayParams;
use super::parts::{Manifest, PartLimits, Parts};
use super::start::{Start, Starter};
use super::targets;

/// Settings of a process.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// Folder of the run.
    pub run: &'a Path,
    /// Name, unique among the processes of the run.
    pub worker: &'a str,
    /// Settings of the games.
    pub params: &'a SelfplayParams,
    /// Board sizes.
    pub sizes: &'a SizeMix,
    /// Human games to start from.
    pub human_games: &'a HumanGames,
    /// Random seed.
    pub seed: u64,
    /// Concurrent games.
    pub threads: usize,
    /// Maximal number of games.
    pub games: Option<u64>,
    /// No games are started after this time.
    pub until: Option<Instant>,
    /// When games are joined into parts.
    pub parts: PartLimits,
    /// Set from outside to abandon games.
    pub stop: &'a AtomicBool,
}

/// Totals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Finished games.
    pub games: u64,
    pub moves: u64,
    pub labels: u64,
}

/// Plays until a limit is reached. `progress` is called after each game with the totals.
pub fn work(job: &Job, nets: &dyn Nets, progress: &(dyn Fn(Done) + Sync)) -> Result<Done> {
    let bench = Bench {
        job,
        nets,
        progress,
        parts: Mutex::new(Parts::open(job.run, job.worker, job.parts)?),
        begun: AtomicU64::new(0),
        has_failed: AtomicBool::new(false),
        done: Mutex::new(Done::default()),
    };
    let played = together(job.threads, "self-play", || bench.play_games());
    let played = played.into_iter().collect::<Result<()>>();
    let parts = unlocked(bench.parts);
    parts.finish()?;
    played?;
    Ok(unlocked(bench.done))
}

/// State shared by the threads.
struct Bench<'a> {
    job: &'a Job<'a>,
    nets: &'a dyn Nets,
    progress: &'a (dyn Fn(Done) + Sync),
    parts: Mutex<Parts>,
    begun: AtomicU64,
    has_failed: AtomicBool,
    done: Mutex<Done>,
}

impl Bench<'_> {
    fn play_games(&self) -> Result<()> {
        let mut earlier = Vec::new();
        while let Some(number) = self.next_number() {
            let played = self.play_game(number, &mut earlier);
            // Stops the other threads.
            played.inspect_err(|_| self.has_failed.store(true, Ordering::Relaxed))?;
        }
        Ok(())
    }

    fn next_number(&self) -> Option<u64> {
        let is_late = self.job.until.is_some_and(|until| Instant::now() >= until);
        let ends = self.job.stop.load(Ordering::Relaxed) || self.has_failed.load(Ordering::Relaxed);
        if is_late || ends {
            return None;
        }
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        self.job
            .games
            .is_none_or(|games| number < games)
            .then_some(number)
    }

    /// Plays a game. `earlier` holds the last game of this thread on each board size.
    fn play_game(&self, number: u64, earlier: &mut Vec<Start>) -> Result<()> {
        let generation = self.nets.newest()?;
        let job = self.job;
        let manifest = Manifest::new(&generation.player, job.sizes, job.params, job.seed);
        let session = self.lock_parts().session(&manifest)?;
        let mut rng = self.rng(&generation, session, number);
        let size = job.sizes.size_of(number as u32, self.mixed_seed(session));
        let Some(played) = self.play(&generation, size, earlier, &mut rng)? else {
            return Ok(());
        };
        let line = targets::labelled(&played, job.params, &mut rng);
        let labels = line.labels.len() as u64;
        self.lock_parts().add(&manifest, &played, line)?;
        remember(earlier, &played);
        let mut done = locked(&self.done);
        done.games += 1;
        done.moves += played.turns.len() as u64;
        done.labels += labels;
        (self.progress)(*done);
        Ok(())
    }

    fn play(
        &self,
        generation: &Generation,
        size: BoardSize,
        earlier: &[Start],
        rng: &mut ChaCha8Rng,
    ) -> Result<Option<Played>> {
        let evaluator = &*generation.evaluator;
        let _present = evaluator.attend();
        let params = self.job.params;
        let starter = Starter { evaluator, params };
        let forked = earlier.iter().find(|start| start.line.size == size);
        let forked = forked.filter(|_| rng.random_bool(params.fork));
        let human_game = match rng.random_bool(params.people) {
            true => self.job.human_games.draw(size, rng),
            false => None,
        };
        let start = match (forked, human_game) {
            (Some(earlier), _) => starter.fork(earlier, rng)?,
            (None, Some(line)) => starter.at_game(line, rng)?,
            (None, None) => starter.begin(size, rng)?,
        };
        let table = Table {
            evaluator,
            params,
            stop: self.job.stop,
        };
        table.play(start, rng)
    }

    fn lock_parts(&self) -> std::sync::MutexGuard<'_, Parts> {
        locked(&self.parts)
    }

    /// Seed of a game, unique in the run.
    fn rng(&self, generation: &Generation, session: u32, number: u64) -> ChaCha8Rng {
        let digest = Sha256::new()
            .chain_update(self.job.seed.to_le_bytes())
            .chain_update(session.to_le_bytes())
            .chain_update(number.to_le_bytes())
            .chain_update(generation.player.digest())
            .chain_update(self.job.worker)
            .finalize();
        ChaCha8Rng::from_seed(digest.into())
    }

    fn mixed_seed(&self, session: u32) -> u64 {
        let (seed, session) = (self.job.seed.to_le_bytes(), session.to_le_bytes());
        u64::from_le_bytes(files::sha256_prefix(&[
            &seed,
            &session,
            self.job.worker.as_bytes(),
        ]))
    }
}

/// Keeps a game for forks, in place of the last one on that board size.
fn remember(earlier: &mut Vec<Start>, played: &Played) {
    let mut start = played.start.clone();
    start.line = played.line.clone();
    // Without the final passes.
    start.line.moves.truncate(played.proper.saturating_sub(2));
    earlier.retain(|start| start.line.size != played.line.size);
    earlier.push(start);
}
