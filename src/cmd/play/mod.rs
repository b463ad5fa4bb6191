//! `keima play`: a game in the terminal.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail, ensure};
use clap::Args;

use super::board_games::{GO, check_game, with_any_game};
use super::completed;
use crate::files;

mod arguments;
mod board_game;
mod commands;
mod count;
mod dialogue;
mod dice_game;
mod engines;
mod game;
mod go_commands;
mod hint;
mod look;
mod moves;
mod other_arguments;
mod other_dialogue;
mod own_file;
mod picture;
mod prompt;
mod record;
mod record_file;
mod seat;
mod status;
mod turns;

use arguments::GoArguments;
use board_game::Play;
use other_arguments::BoardGameArguments;

/// Play in the terminal
///
/// You type moves, and undo, resign, hint and others: help lists all. At Go moves are as D4, and by default you have
/// Black against keima on 19x19 under Chinese rules. With a handicap White gets half a point of komi.
#[derive(Args)]
pub struct PlayArguments {
    /// Game: go, chess, draughts, gomoku or backgammon
    #[arg(default_value = GO, value_parser = completed::game(), hide_possible_values = true)]
    pub game: String,

    /// Game record to go on with: SGF, for chess PGN, for draughts PDN, for gomoku Piskvork's (psq), SGF or moves,
    /// for backgammon .mat
    #[arg(long, value_name = "FILE")]
    pub load: Option<PathBuf>,

    /// File that gets the game record after each move; it must not exist unless --load names it
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
    let name = arguments.game.to_ascii_lowercase();
    check_game(&name)?;
    if let Some(file) = save {
        check_replaces(file, load)?;
    }
    if name == GO {
        if let Some(option) = arguments.board_game.given() {
            bail!(
                "{option} is not for Go, but for other games: keima play chess, keima play draughts, keima play gomoku, keima play backgammon"
            );
        }
        dialogue::play(arguments.go, load, save)?;
        return Ok(ExitCode::SUCCESS);
    }
    match arguments.go.given()?.as_deref() {
        None => {}
        Some("--size") => bail!(
            "--size is for Go alone: where a game has several boards, the variant names one, as in keima play gomoku --variant 19"
        ),
        Some(option) => bail!("{option} is for Go alone"),
    }
    let options = &arguments.board_game;
    let play = Play {
        options,
        load,
        save,
    };
    with_any_game(&name, &play)?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses to replace a file that is not the one that the game goes on from, and a place where no file can be.
fn check_replaces(file: &Path, own: Option<&Path>) -> Result<()> {
    let is_own = own.is_some_and(|own| files::is_same(own, file));
    ensure!(
        is_own || !files::exists(file),
        "--save would replace {0}, which exists already: choose another name, or go on with that game by --load {0}",
        file.display()
    );
    files::check_writable(file)
}
