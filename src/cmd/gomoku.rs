//! `keima gomoku`: what is known about positions of five in a row.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};

use super::board_games::{
    gomoku_converted, gomoku_forbidden, gomoku_fours, gomoku_summary, gomoku_threats,
};
use crate::cmd::net::new_file::refuse_existing;
use crate::console::{say, tell};
use crate::files;

/// Fours that are tried where nothing is said.
const FOURS: u64 = 1_000_000;
/// Positions that are searched for threats where nothing is said.
const THREATS: u64 = 20_000;

/// Solve positions of gomoku and renju, show forbidden points, convert and count records
#[derive(Args)]
pub struct GomokuArguments {
    #[command(subcommand)]
    command: GomokuCommand,
}

/// A game, and how it is read.
#[derive(Args)]
struct GameArguments {
    /// Moves from the empty board, as in h8i9g7, or a file with moves, a Piskvork record (psq) or SGF
    #[arg(long, value_name = "MOVES|FILE")]
    moves: String,

    /// Rule and size of the board of moves without a record, as renju, standard-19 or caro-20x15; freestyle-15
    /// where nothing is said
    #[arg(long, value_name = "NAME")]
    variant: Option<String>,
}

#[derive(Subcommand)]
enum GomokuCommand {
    /// Search for the win by continuous fours (VCF) with the fewest fours, or for one by threats (VCT)
    Solve {
        #[command(flatten)]
        game: GameArguments,

        /// Search for a win by threes and fours
        #[arg(long)]
        vct: bool,

        /// Fours that are tried at most, 1000000 by default; with --vct positions, 20000 by default
        #[arg(long, value_name = "N")]
        nodes: Option<u64>,

        /// Print a JSON object
        #[arg(long)]
        json: bool,
    },
    /// Show the points that renju forbids to Black
    Forbidden {
        #[command(flatten)]
        game: GameArguments,

        /// Print a JSON object
        #[arg(long)]
        json: bool,
    },
    /// Write a game in the format of the file's name: psq, sgf, or moves alone
    Convert {
        #[command(flatten)]
        game: GameArguments,

        /// File to write
        out: PathBuf,

        /// Replace the file if it exists
        #[arg(long)]
        force: bool,
    },
    /// Count recorded games: how many differ, who wins, how long they are
    Count {
        /// Records (psq), games of 'keima learn' (.games), or folders of them
        #[arg(required = true, value_name = "FILE|FOLDER")]
        records: Vec<PathBuf>,
    },
}

impl GameArguments {
    /// The moves or the record.
    fn text(&self) -> Result<String> {
        let path = Path::new(&self.moves);
        let is_file = path.exists() || self.moves.contains(['.', '/']);
        match is_file {
            true => files::read_text(path),
            false => Ok(self.moves.clone()),
        }
    }

    fn variant(&self) -> Option<&str> {
        self.variant.as_deref()
    }
}

/// Answers.
pub fn run(arguments: &GomokuArguments) -> Result<ExitCode> {
    match &arguments.command {
        GomokuCommand::Solve {
            game,
            vct,
            nodes,
            json,
        } => {
            let (variant, text) = (game.variant(), game.text()?);
            let answer = match vct {
                true => gomoku_threats(variant, &text, nodes.unwrap_or(THREATS), *json)?,
                false => gomoku_fours(variant, &text, nodes.unwrap_or(FOURS), *json)?,
            };
            say(format_args!("{answer}"))?;
        }
        GomokuCommand::Forbidden { game, json } => {
            let answer = gomoku_forbidden(game.variant(), &game.text()?, *json)?;
            say(format_args!("{answer}"))?;
        }
        GomokuCommand::Convert { game, out, force } => {
            refuse_existing(out, *force)?;
            let extension = out.extension().unwrap_or_default().to_string_lossy();
            let record = gomoku_converted(game.variant(), &game.text()?, &extension)?;
            files::write_whole(out, record.as_bytes(), *force)?;
        }
        GomokuCommand::Count { records } => {
            let summary = gomoku_summary(records, &mut |text| tell(format_args!("{text}")))?;
            say(format_args!("{summary}"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
