//! `keima perft`: leaf counts of the game tree.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, ensure};
use clap::Args;

use super::board_games::{
    DiceTask, GO, GameTask, check_game, dice_position_or_initial, position_or_initial,
    with_any_game,
};
use super::{completed, settings};
use crate::console::say;
use crate::games::board_game::BoardGame;
use crate::games::dice_game::DiceGame;
use crate::go::perft::perft;
use crate::go::{BoardSize, Komi, Position, Rules};
use crate::minimax::perft::{divide, perft as leaves_of};

/// Side of the board of Go where nothing else is said.
const SIDE: usize = 5;

#[derive(Args)]
pub struct PerftArguments {
    /// Length of the move sequences
    #[arg(long, value_name = "MOVES", default_value_t = 4)]
    pub depth: u32,

    /// Board size: 5, the default, or width and height as in 3x4
    #[arg(long, value_parser = settings::board_size)]
    pub size: Option<BoardSize>,

    /// Rule set: tromp-taylor, the default, chinese, japanese, aga, ..., or KataGo's JSON
    #[arg(long, value_parser = completed::rules(), hide_possible_values = true)]
    pub rules: Option<Rules>,

    /// Game: go, the default, chess, draughts, gomoku; backgammon, for which every roll counts once, and with its
    /// weight among 36
    #[arg(long, value_name = "NAME", value_parser = completed::game(), hide_possible_values = true)]
    pub game: Option<String>,

    /// Variant of another game than Go, such as czech draughts or renju-15
    #[arg(long, value_name = "NAME", value_parser = completed::variant(), hide_possible_values = true, requires = "game")]
    pub variant: Option<String>,

    /// Position in the notation of another game than Go (FEN)
    #[arg(long, value_name = "FEN", requires = "game")]
    pub position: Option<String>,

    /// Print the count for each first move
    #[arg(long, requires = "game")]
    pub divide: bool,
}

/// Prints a line for each depth, or for each move.
pub fn run(arguments: &PerftArguments) -> Result<ExitCode> {
    match arguments.game.as_deref() {
        None | Some(GO) => arguments.count_go()?,
        Some(game) => {
            check_game(game)?;
            ensure!(
                arguments.size.is_none() && arguments.rules.is_none(),
                "--size and --rules are for Go alone"
            );
            with_any_game(game, arguments)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl PerftArguments {
    fn count_go(&self) -> Result<()> {
        ensure!(
            self.variant.is_none() && self.position.is_none() && !self.divide,
            "--variant, --position and --divide are for games other than Go"
        );
        let size = self.size.unwrap_or(BoardSize::square(SIDE));
        let rules = self.rules.unwrap_or(Rules::TROMP_TAYLOR);
        let mut position = Position::new(size, rules, Komi::default());
        for depth in 0..=self.depth {
            let start = Instant::now();
            print_count(depth, perft(&mut position, depth), start)?;
        }
        Ok(())
    }
}

fn print_count(depth: u32, leaves: u64, start: Instant) -> Result<()> {
    let seconds = start.elapsed().as_secs_f64();
    say(format_args!("{depth} {leaves} ({seconds:.2} s)"))
}

impl GameTask for PerftArguments {
    fn run<G: BoardGame>(&self) -> Result<()> {
        let position: G = position_or_initial(self.variant.as_deref(), self.position.as_deref())?;
        if self.divide && self.depth > 0 {
            for (mv, leaves) in divide(&position, self.depth) {
                say(format_args!("{} {leaves}", position.move_text(mv)))?;
            }
            return Ok(());
        }
        for depth in 0..=self.depth {
            let start = Instant::now();
            print_count(depth, leaves_of(&position, depth), start)?;
        }
        Ok(())
    }
}

impl DiceTask for PerftArguments {
    fn run_with_dice<G: DiceGame>(&self) -> Result<()> {
        ensure!(!self.divide, "--divide is not for games with dice");
        let variant = self.variant.as_deref();
        let position: G = dice_position_or_initial(variant, self.position.as_deref())?;
        for depth in 0..=self.depth {
            let start = Instant::now();
            let counts = position.perft(depth);
            let seconds = start.elapsed().as_secs_f64();
            say(format_args!("{depth} {counts} ({seconds:.2} s)"))?;
        }
        Ok(())
    }
}
