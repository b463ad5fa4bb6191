//! `keima play`: a game in the terminal.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;

use super::board_games::with_game;

mod arguments;
mod board_game;
mod commands;
mod count;
mod dialogue;
mod engines;
mod game;
mod hint;
mod look;
mod moves;
mod picture;
mod record;
mod seat;
mod status;
mod turns;

use arguments::GoArguments;
use board_game::{BoardGameArguments, Play};

/// The game where none is named.
const GO: &str = "go";

/// Play in the terminal
///
/// In Go you type moves as D4, and pass, undo, resign, hint, score; help lists all. By default you have
/// Black against keima on 19x19 under Chinese rules. With a handicap White gets half a point of komi.
#[derive(Args)]
pub struct PlayArguments {
    /// Game: go, chess, draughts or gomoku
    #[arg(default_value = GO)]
    pub game: String,

    /// Game record to go on with: SGF, for chess PGN, for draughts PDN, for gomoku Piskvork's (psq), SGF or moves
    #[arg(long, value_name = "FILE")]
    pub load: Option<PathBuf>,

    /// File that gets the game record; in Go after each move, else when the game ends
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,

    /// Of Go.
    #[command(flatten)]
    pub go: GoArguments,

    /// Of other games.
    #[command(flatten, next_help_heading = "Games other than Go")]
    pub board_game: BoardGameArguments,
}

/// Plays until the game ends, the input ends or says `quit`.
pub fn run(arguments: PlayArguments) -> Result<ExitCode> {
    let (load, save) = (arguments.load.as_deref(), arguments.save.as_deref());
    if arguments.game == GO {
        if let Some(option) = arguments.board_game.given() {
            bail!(
                "{option} is not for Go, but for other games: keima play chess, keima play draughts, keima play gomoku"
            );
        }
        dialogue::play(arguments.go, load, save)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(option) = arguments.go.given()? {
        bail!("{option} is for Go alone");
    }
    let options = &arguments.board_game;
    let play = Play {
        options,
        load,
        save,
    };
    with_game(&arguments.game, &play)?;
    Ok(ExitCode::SUCCESS)
}
