//! The moves of game records, with the boards before them.

use std::path::PathBuf;

use anyhow::{Result, ensure};

use crate::console::tell;
use crate::data::collection::{Collection, Part};
use crate::games::rollout_policy::Recent;
use crate::games::rollout_policy::learning::Example;
use crate::go::{Komi, Rules};

/// Games of records, each once.
pub(super) struct Games(Collection);

impl Games {
    /// Reads files and folders; what was read is told on stderr.
    pub(super) fn read(paths: &[PathBuf]) -> Result<Games> {
        let (games, tally) = Collection::read(paths, &|_| ())?;
        tell(format_args!("{tally}"));
        ensure!(!games.is_empty(), "there are no games to read");
        Ok(Games(games))
    }

    /// All games.
    pub(super) fn all(&self) -> Vec<usize> {
        (0..self.0.len()).collect()
    }

    /// The games of a part, `held_out` being the share that is held out.
    pub(super) fn part(&self, part: Part, held_out: f64) -> Vec<usize> {
        let by_size = self.0.part(part, held_out);
        let mut games: Vec<usize> = by_size.into_values().flatten().collect();
        games.sort_unstable();
        games
    }

    /// The longer side of a game's board.
    pub(super) fn side(&self, game: usize) -> usize {
        self.0.line(game).size.longer_side()
    }

    /// Moves of a game.
    pub(super) fn moves(&self, game: usize) -> u64 {
        self.0.line(game).moves.len() as u64
    }

    /// Shows the moves of a game with their numbers, passes left out.
    pub(super) fn replay(&self, game: usize, look: &mut dyn FnMut(usize, &Example<'_>)) {
        let line = self.0.line(game);
        let Ok(start) = line.start(Rules::CHINESE, Komi::default()) else {
            return;
        };
        let mut board = start.board().clone();
        let mut recent = Recent::default();
        let mut removed = Vec::new();
        for (number, code) in line.moves.iter().enumerate() {
            let mover = code.color();
            let point = code.decode(line.size).and_then(|mv| mv.point());
            let point = point.filter(|&point| board.is_empty(point));
            removed.clear();
            match point {
                Some(played) => {
                    look(
                        number,
                        &Example {
                            board: &board,
                            mover,
                            recent,
                            played,
                        },
                    );
                    board.play(played, mover, &mut removed);
                }
                None => board.clear_ko(),
            }
            recent = recent.after(point, &removed);
        }
    }
}
