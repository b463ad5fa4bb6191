//! What pages ask for, as JSON.

use anyhow::{Context, Result, anyhow, ensure};
use serde::Deserialize;
use serde_json::{Value, json};

use super::MOST_VISITS;
use super::client::Wish;
use super::failure::Failure;
use super::game::Game;
use super::hub::Hub;
use super::seat::Seat;
use super::start::Start;
use crate::go::{Color, Move, PerColor, Point};
use std::sync::Arc;

/// Least visits of an analysis.
const LEAST_VISITS: u64 = 10;

/// A request. Points are as in GTP: `D4`.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub enum Action {
    /// A new game.
    New {
        /// Columns and rows.
        size: [usize; 2],
        /// Name of a rule set, or JSON.
        rules: String,
        /// By default that of the rules.
        komi: Option<f64>,
        /// Handicap stones; 0 or at least 2.
        handicap: usize,
        /// Who plays Black.
        black: Seat,
        /// Who plays White.
        white: Seat,
        /// Time control as on the command line, such as `10m+30sx3`; none without limit.
        #[serde(default)]
        time: Option<String>,
    },
    /// A person's move in the position after `turn` moves.
    Play {
        /// The game.
        game: String,
        /// Moves before it.
        turn: usize,
        /// A point or `pass`.
        r#move: String,
        /// Moves of the line that the page shows: one at their end is refused if there are more by then.
        #[serde(default)]
        shown: Option<usize>,
    },
    /// Goes on with the variation that begins with a move in the position after `turn` moves.
    Branch {
        /// The game.
        game: String,
        /// Moves before it.
        turn: usize,
        /// A point or `pass`.
        r#move: String,
    },
    /// Ends the game if the time of the color to move is used up.
    Flag {
        /// The game.
        game: String,
    },
    /// Takes moves back until a person is to move, if there are `turn` moves.
    Undo {
        /// The game.
        game: String,
        /// Moves of the line that the page shows.
        turn: usize,
    },
    /// The person gives up.
    Resign {
        /// The game.
        game: String,
        /// `B` or `W`, the color that loses, if the page says which.
        #[serde(default)]
        color: Option<String>,
    },
    /// A chain is dead, or alive after all.
    Dead {
        /// The game.
        game: String,
        /// One of its stones.
        point: String,
    },
    /// Counts with the dead stones as they are marked.
    Accept {
        /// The game.
        game: String,
    },
    /// Plays on after two passes.
    Resume {
        /// The game.
        game: String,
    },
    /// Goes back to the game that was left for other moves.
    Back {
        /// The game.
        game: String,
    },
    /// Other players.
    Seats {
        /// The game.
        game: String,
        /// Who plays Black.
        black: Seat,
        /// Who plays White.
        white: Seat,
    },
    /// A position set up by hand.
    Setup {
        /// The game.
        game: String,
        /// Black stones.
        black: Vec<String>,
        /// White stones.
        white: Vec<String>,
        /// `B` or `W`.
        to_move: String,
    },
    /// Has a position analyzed for a page; without `visits` ends that.
    Analyze {
        /// The page.
        client: String,
        /// Moves before the position.
        turn: usize,
        /// Visits at most.
        visits: Option<u64>,
        /// Whether all positions get a short search.
        whole: bool,
    },
    /// Loads a record of the folder.
    Open {
        /// Its name.
        name: String,
    },
    /// Adds the game to the folder.
    Keep {
        /// The game.
        game: String,
        /// A name that is not there yet.
        name: String,
    },
}

impl Action {
    /// Does it; the answer is JSON for the page.
    pub fn perform(self, hub: &Arc<Hub>) -> Result<Value, Failure> {
        let done = |()| json!({});
        match self {
            Action::New {
                size,
                rules,
                komi,
                handicap,
                black,
                white,
                time,
            } => {
                let start = Start {
                    size,
                    rules,
                    komi,
                    handicap,
                    seats: PerColor([black, white]),
                    time,
                };
                let game = start.game()?;
                Ok(json!({ "game": hub.add(game)? }))
            }
            Action::Play {
                game,
                turn,
                r#move,
                shown,
            } => {
                let mv = read_move(&r#move)?;
                let turn = hub.change(&game, |game| game.play(turn, mv, shown))?;
                Ok(json!({ "turn": turn }))
            }
            Action::Branch { game, turn, r#move } => {
                let mv = read_move(&r#move)?;
                let chosen = hub.change(&game, |game| game.choose_branch(turn, mv));
                chosen.map(done)
            }
            Action::Flag { game } => {
                let is_late = hub.end_if_late(&game)?;
                Ok(json!({ "is_late": is_late }))
            }
            Action::Undo { game, turn } => hub.change(&game, |game| game.take_back(turn)).map(done),
            Action::Resign { game, color } => {
                let color = color.map(|color| color.parse::<Color>()).transpose();
                let color = color.context("'color' is B or W")?;
                hub.change(&game, |game| game.resign(color)).map(done)
            }
            Action::Accept { game } => hub.change(&game, Game::accept).map(done),
            Action::Resume { game } => hub.change(&game, Game::resume).map(done),
            Action::Back { game } => hub.change(&game, Game::go_back).map(done),
            Action::Dead { game, point } => {
                let point = read_point(&point)?;
                hub.change(&game, |game| game.change_dead(point)).map(done)
            }
            Action::Seats { game, black, white } => {
                hub.seat(&game, PerColor([black, white])).map(done)
            }
            Action::Setup {
                game,
                black,
                white,
                to_move,
            } => {
                let to_move: Color = to_move.parse().context("'to_move' is B or W")?;
                let stones = stones(&black, Color::Black).chain(stones(&white, Color::White));
                let stones = stones.collect::<Result<Vec<_>>>()?;
                hub.change(&game, |game| game.set_up(stones, to_move))
                    .map(done)
            }
            Action::Analyze {
                client,
                turn,
                visits,
                whole,
            } => {
                let is_allowed = |visits| (LEAST_VISITS..=MOST_VISITS).contains(&visits);
                if !visits.is_none_or(is_allowed) {
                    let message = format!("visits must be from {LEAST_VISITS} to {MOST_VISITS}");
                    return Err(anyhow!(message).into());
                }
                let wish = visits.map(|visits| Wish {
                    turn,
                    visits,
                    whole,
                });
                hub.analyze(&client, wish).map(done)
            }
            Action::Open { name } => {
                let bytes = hub.library()?.read(&name)?;
                let game = hub.load(&bytes).map_err(|failure| failure.about(&name))?;
                Ok(json!({ "game": game }))
            }
            Action::Keep { game, name } => {
                let text = hub.sgf(&game)?;
                hub.library()?.add(&name, &text).map(done)
            }
        }
    }
}

fn read_move(text: &str) -> Result<Move> {
    text.parse()
        .map_err(|_| anyhow!("'{}' is no move", text.escape_debug()))
}

fn read_point(text: &str) -> Result<Point> {
    text.parse()
        .map_err(|_| anyhow!("'{}' is no point", text.escape_debug()))
}

/// Stones of one color.
fn stones(points: &[String], color: Color) -> impl Iterator<Item = Result<(Point, Color)>> {
    points.iter().map(move |point| {
        ensure!(point.len() <= 3, "'{}' is no point", point.escape_debug());
        Ok((read_point(point)?, color))
    })
}
