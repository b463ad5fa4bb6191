//! A match of new weights against those of the start, which can be resumed. Scores within a generation are too
//! noisy to tell progress; this is what does.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, ensure};

use super::duel::{PLIES, conditions, player};
use super::genome::{Genome, weights};
use crate::arena::board::openings::Book;
use crate::arena::board::{BoardConditions, BoardPlayer};
use crate::arena::log::{Heading, MatchLog};
use crate::arena::played::PlayedGame;
use crate::arena::series::{Division, Maker, Series};
use crate::arena::standing::Standing;
use crate::files;
use crate::games::board_game::BoardGame;
use crate::games::weighted::Weighted;

/// How the match is played.
pub struct Judgement<'a, G: BoardGame> {
    /// Where openings begin.
    pub initial: &'a G,
    /// The evaluation whose weights are meant.
    pub evaluation: &'a G::Evaluation,
    /// Nodes per move.
    pub nodes: u64,
    /// Number of games.
    pub games: usize,
    /// Of the openings.
    pub seed: u64,
    /// Concurrent games.
    pub threads: usize,
    /// Ends the games.
    pub stop: &'a Arc<AtomicBool>,
}

impl<G: BoardGame> Judgement<'_, G> {
    /// Plays what the log in this folder does not have yet.
    pub fn play(&self, folder: &Path, [first, second]: [&Genome; 2]) -> Result<Standing> {
        files::make_folder(folder)?;
        let book = Book::random(self.initial, PLIES, self.games.div_ceil(2), self.seed)?;
        let series = Series {
            games: self.games,
            parallel: self.threads,
            divisions: vec![Division::new(
                conditions(self.initial, self.nodes, book.source),
                book.openings,
            )],
        };
        let names = ["tuned", "start"].map(str::to_owned);
        let heading = Heading::new(&names, &series);
        let (mut log, played) = MatchLog::open(&folder.join("games.jsonl"), &heading)?;
        let done = played.iter().map(|game| game.number - 1).collect();
        let mut standing = Standing::new(None);
        played.into_iter().for_each(|game| standing.add(game));
        let maker = |name: &'static str, genome: &Genome| {
            let evaluation = self.evaluation.with_weights(&weights(genome));
            let stop = Arc::clone(self.stop);
            move || -> Result<Box<dyn BoardPlayer<G>>> {
                Ok(player(name, evaluation.clone(), &stop))
            }
        };
        let (first, second) = (maker("tuned", first), maker("start", second));
        let makers: [&Maker<BoardConditions<G>>; 2] = [&first, &second];
        series.run(makers, &done, |game| {
            self.check()?;
            let game = PlayedGame::new(&game, &series);
            log.add(&game)?;
            standing.add(game);
            Ok(ControlFlow::Continue(()))
        })?;
        self.check()?;
        Ok(standing)
    }

    /// Games that were given up because of an interrupt do not count.
    fn check(&self) -> Result<()> {
        ensure!(!self.stop.load(Ordering::Relaxed), "interrupted");
        Ok(())
    }
}
