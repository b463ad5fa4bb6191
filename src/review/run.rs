//! Reviewing many games: threads take one position after the other, of the next game as soon as all of one are
//! taken.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use anyhow::{Context, Result};

use super::analysis::PositionAnalysis;
use super::annotated;
use super::folder::{Claim, Claimed, Folder};
use super::game::Game;
use super::review::GameReview;
use super::settings::{MadeOf, Thresholds};
use crate::player::search_player::SearchPlayer;
use crate::threads::{locked, together};

/// What is to be done.
pub struct Job<'a> {
    /// Where the reviews go.
    pub folder: &'a Folder,
    /// The games.
    pub games: &'a [Game],
    /// What the analysis of a game is made of.
    pub made_of: &'a (dyn Fn(&Game) -> MadeOf + Sync),
    /// From when on moves count as mistakes.
    pub thresholds: Thresholds,
    /// Makes a player for one search, within whose limits it searches. All share evaluations.
    pub make_player: &'a (dyn Fn() -> SearchPlayer + Sync),
    /// Positions searched at once.
    pub threads: usize,
    /// Ends the work: searches in progress are given up.
    pub stop: &'a AtomicBool,
    /// The page of a game.
    pub page: &'a (dyn Fn(&GameReview) -> Result<String> + Sync),
    /// Told of progress.
    pub watch: &'a (dyn Fn(Event) + Sync),
}

/// Progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// So many positions need no search here: they were searched before, or another process does it.
    Spared(usize),
    /// A position has been searched.
    Searched,
}

/// What has been done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Games whose outputs were written.
    pub written: usize,
    /// Games whose outputs were complete.
    pub complete: usize,
    /// Games that other processes work on.
    pub elsewhere: usize,
    /// Positions searched.
    pub searched: usize,
}

/// A game that is being worked on.
struct OpenGame<'a> {
    game: &'a Game,
    made_of: MadeOf,
    /// None once the outputs are written.
    claim: Mutex<Option<Claim>>,
}

/// Games and positions that wait.
struct Queue<'a> {
    games: std::slice::Iter<'a, Game>,
    /// Positions of one game by their turns.
    positions: VecDeque<(Arc<OpenGame<'a>>, usize)>,
}

/// The work of all threads.
struct Work<'a> {
    job: &'a Job<'a>,
    queue: Mutex<Queue<'a>>,
    outcome: Mutex<Outcome>,
    /// Set by an error, which ends the work of all threads.
    failed: AtomicBool,
}

/// Reviews all games that are not complete and that no other process works on, until it is stopped.
pub fn run(job: &Job) -> Result<Outcome> {
    let work = Work {
        job,
        queue: Mutex::new(Queue {
            games: job.games.iter(),
            positions: VecDeque::new(),
        }),
        outcome: Mutex::default(),
        failed: AtomicBool::new(false),
    };
    let results = together(job.threads, "reviewing", || {
        let result = work.go_on();
        result.inspect_err(|_| work.failed.store(true, Ordering::SeqCst))
    });
    results.into_iter().collect::<Result<()>>()?;
    let outcome = *locked(&work.outcome);
    Ok(outcome)
}

impl<'a> Work<'a> {
    /// Takes positions until there are none.
    fn go_on(&self) -> Result<()> {
        while let Some((open, turn)) = self.take()? {
            let mut player = (self.job.make_player)();
            let searched = PositionAnalysis::search(open.game, turn, &mut player, self.job.stop);
            let of_position = || format!("{}, after move {turn}", open.game.file);
            let Some(analysis) = searched.with_context(of_position)? else {
                continue;
            };
            let mut claim = locked(&open.claim);
            if let Some(claim) = claim.as_mut() {
                claim.add(analysis)?;
                locked(&self.outcome).searched += 1;
                (self.job.watch)(Event::Searched);
            }
            let is_whole = |claim: &Claim| claim.analyses.len() >= open.game.positions();
            if claim.as_ref().is_some_and(is_whole)
                && let Some(claim) = claim.take()
            {
                self.finish(&open, claim)?;
            }
        }
        Ok(())
    }

    /// The next position.
    fn take(&self) -> Result<Option<(Arc<OpenGame<'a>>, usize)>> {
        let mut queue = locked(&self.queue);
        loop {
            let ends = [self.job.stop, &self.failed];
            if ends.iter().any(|flag| flag.load(Ordering::SeqCst)) {
                return Ok(None);
            }
            if let Some(position) = queue.positions.pop_front() {
                return Ok(Some(position));
            }
            let Some(game) = queue.games.next() else {
                return Ok(None);
            };
            queue.positions = self.open(game)?;
        }
    }

    /// The positions of a game that are to be searched here.
    fn open(&self, game: &'a Game) -> Result<VecDeque<(Arc<OpenGame<'a>>, usize)>> {
        let job = self.job;
        let made_of = (job.made_of)(game);
        let mut claim = match job.folder.claim(game, &made_of, job.thresholds)? {
            Claimed::Here(claim) => claim,
            other => {
                let mut outcome = locked(&self.outcome);
                match other {
                    Claimed::Elsewhere => outcome.elsewhere += 1,
                    _ => outcome.complete += 1,
                }
                (job.watch)(Event::Spared(game.positions()));
                return Ok(VecDeque::new());
            }
        };
        claim.analyses.retain(|&turn, _| turn < game.positions());
        (job.watch)(Event::Spared(claim.analyses.len()));
        let missing = (0..game.positions()).filter(|turn| !claim.analyses.contains_key(turn));
        let missing: Vec<usize> = missing.collect();
        let open = OpenGame {
            game,
            made_of,
            claim: Mutex::new(None),
        };
        if missing.is_empty() {
            self.finish(&open, *claim)?;
            return Ok(VecDeque::new());
        }
        *locked(&open.claim) = Some(*claim);
        let open = Arc::new(open);
        let position = |turn| (Arc::clone(&open), turn);
        Ok(missing.into_iter().map(position).collect())
    }

    /// Writes the outputs of a game.
    fn finish(&self, open: &OpenGame, claim: Claim) -> Result<()> {
        let (job, game) = (self.job, open.game);
        let made_of = open.made_of.clone();
        let review = GameReview::new(game, made_of, job.thresholds, &claim.analyses);
        let review = review.with_context(|| format!("{}: a position is missing", game.file))?;
        let sgf = annotated::text(game, &review);
        let page = (job.page)(&review)?;
        job.folder.finish(claim, &review, &sgf, &page)?;
        locked(&self.outcome).written += 1;
        Ok(())
    }
}
