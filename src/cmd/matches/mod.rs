//! `keima match`: games between two engines.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use clap::value_parser;

use crate::arena::contest::Conditions;
use crate::arena::series::{Division, Series};
use crate::arena::standing::Standing;
use crate::arena::terms::Terms;
use crate::clock::TimeControl;
use crate::cmd::board_games::{GO, with_any_game};
use crate::cmd::{completed, settings};
use crate::go::{BoardSize, Color, Komi, Rules};

mod board_arguments;
mod board_match;
mod dice_contestant;
mod dice_match;
mod engine_contestant;
pub mod gtp_contestant;
mod hub_contestant;
pub mod local_engine;
pub(super) mod network_player;
mod openings;
mod page;
mod piskvork_contestant;
mod plot;
pub mod report;
mod round_robin;
pub mod run;
pub mod sprt;
mod uci_contestant;

use board_arguments::BoardMatchArguments;
use board_match::BoardMatch;
use gtp_contestant::{GtpContestant, Patience};
use run::{MatchFiles, MatchPlan, MatchPlayer};
use sprt::SprtArguments;

/// Play two engines against each other, at Go, chess, draughts, gomoku or backgammon
///
/// Engines speak GTP; at chess UCI, at draughts Hub, at gomoku Piskvork's protocol, at backgammon
/// GNU Backgammon's language for external players. Colors alternate, and each opening is played with both. An illegal
/// move, an error, a crash or a time forfeit loses the game. After two passes the board is counted as it stands under
/// Tromp-Taylor rules. Under other rules each engine lists the dead stones. If both lists give one score, it counts; all
/// other games are marked: if the lists only agree on the winner, the loser's counts; if one engine has none, the other's.
/// If they name different winners, or neither engine has a list, the board counts as it stands.
///
/// For a match at equal visits give --visits, for one at equal time --time 1s/move or the like. A
/// match with --out or --resume is resumed when the same command is given again.
#[derive(Clone, Debug, clap::Args)]
pub struct MatchArguments {
    /// Command line of the engine that has Black in the first game (no shell is used)
    #[arg(long, value_name = "COMMAND", required_unless_present_any = ["first", "game", "players"])]
    pub black: Option<String>,

    /// Command line of the engine that has White in the first game
    #[arg(long, value_name = "COMMAND", required_unless_present_any = ["second", "game", "players"])]
    pub white: Option<String>,

    /// The engine that results are counted for: the same as --black at Go and --white at other games,
    /// where it may also be a player of this program: random, minimax, beam, alphabeta,
    /// mcts or uct, with settings as in 'alphabeta nodes=10000'; at gomoku also net, policy or policy-games, as in
    /// 'net visits=400 model=FILE'; at backgammon net, linear or random, as in 'net depth=2'
    #[arg(long, value_name = "PLAYER")]
    pub first: Option<String>,

    /// The other engine or player
    #[arg(long, value_name = "PLAYER")]
    pub second: Option<String>,

    /// Round robin: every two players of this file, which has one on each line, play a match; --out is needed
    #[arg(long, value_name = "FILE", requires = "out", conflicts_with_all = ["black", "white", "first", "second", "first_option", "second_option", "resume", "sgf", "html"])]
    pub players: Option<PathBuf>,

    /// Options of games other than Go.
    #[command(flatten)]
    pub board: BoardMatchArguments,

    /// Number of games; the maximum if a test ends the match [default: 10, or 20000 with --sprt]
    #[arg(long, short, value_name = "N")]
    pub games: Option<usize>,

    /// Stopping rule.
    #[command(flatten)]
    pub sprt: SprtArguments,

    /// Board size: 19, or width and height as in 9x7; several, as in 9,13, are used in turn [default: 19]
    #[arg(long, short, value_delimiter = ',', value_parser = settings::board_size)]
    pub size: Vec<BoardSize>,

    /// Komi [default: 7.5]
    #[arg(long, short, value_name = "POINTS", value_parser = settings::komi, allow_negative_numbers = true)]
    pub komi: Option<Komi>,

    /// Rule set: chinese, japanese, tromp-taylor, aga, ..., or KataGo's JSON [default: chinese]
    #[arg(long, short, value_parser = completed::rules(), hide_possible_values = true)]
    pub rules: Option<Rules>,

    /// Time for each player: none, 10m (sudden death), 5m+3s (increment), 5m+30s/10 (Canadian),
    /// 5m+30sx3 (Japanese), 2s/move; seconds where there is no unit, as in 10+0.1. At chess 0+60s/40 is a minute
    /// for each 40 moves
    #[arg(
        long,
        short,
        visible_alias = "tc",
        value_name = "SPEC",
        default_value = "none"
    )]
    pub time: TimeControl,

    /// Visits per move, for both engines, which must support kata-set-param
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    pub visits: Option<u32>,

    /// Tolerance per move for communication delays
    #[arg(long, value_name = "SECONDS", default_value_t = 0.2, value_parser = settings::seconds)]
    pub time_margin: f64,

    /// Openings: an SGF file, or a text file that has on each line vertices (D4 Q16 ...) or the
    /// name of an SGF file, possibly followed by the number of moves to take from it; once for each
    /// board size. At chess a PGN file, or positions (FEN, EPD) one a line; at draughts PDN, at gomoku a
    /// record of Piskvork or SGF, or moves as in h8i9g7 one a line
    #[arg(long, value_name = "FILE")]
    pub openings: Vec<PathBuf>,

    /// Folder for a record of each game: SGF; at chess PGN, at draughts PDN, at gomoku psq, at backgammon .mat
    #[arg(long, visible_alias = "records", value_name = "DIR")]
    pub sgf: Option<PathBuf>,

    /// File for each game as a line of JSON, which lets the match be resumed
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,

    /// File for an HTML page with the result, its course and all games
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Folder for all of these: games.jsonl, the records (sgf, pgn, pdn, psq or mat) and match.html
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Moves after which a game is void [default: four times the board's points]; at other games than Go a
    /// draw [default: 1000]
    #[arg(long, value_name = "MOVES")]
    pub max_moves: Option<usize>,

    /// Games played at the same time
    #[arg(long, short, value_name = "N", default_value_t = 1)]
    pub parallel: usize,

    /// Timeout for the start and for commands without a search
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = settings::positive_seconds)]
    pub timeout: f64,

    /// Timeout for a move without time control, and for scoring a game
    #[arg(long, value_name = "SECONDS", default_value_t = 600.0, value_parser = settings::positive_seconds)]
    pub move_timeout: f64,
}

impl MatchArguments {
    fn conditions(&self, size: BoardSize) -> Conditions {
        let rules = self.rules.unwrap_or(Rules::CHINESE);
        Conditions {
            size,
            komi: self.komi.unwrap_or(Komi::from_half(15)),
            rules,
            time: self.time,
            visits: self.visits,
            margin: Duration::from_secs_f64(self.time_margin),
            max_moves: self.max_moves.unwrap_or(4 * size.area()),
        }
    }

    fn division(&self, index: usize) -> anyhow::Result<Division> {
        let size = self.sizes()[index];
        let conditions = self.conditions(size);
        let openings = match self.openings.get(index) {
            Some(path) => openings::read(path, size)
                .with_context(|| format!("cannot use the openings {}", path.display()))?,
            None => Vec::new(),
        };
        for opening in &openings {
            opening
                .position(&conditions)
                .with_context(|| format!("opening {}", opening.name))?;
        }
        Ok(Division::new(conditions, openings))
    }

    fn sizes(&self) -> Vec<BoardSize> {
        match self.size.is_empty() {
            true => vec![BoardSize::square(19)],
            false => self.size.clone(),
        }
    }

    /// Number of games, the most that a test may take.
    fn most_games(&self) -> anyhow::Result<usize> {
        let default = if self.sprt.sprt.is_some() { 20_000 } else { 10 };
        let games = self.games.unwrap_or(default);
        ensure!(games > 0, "no games to play");
        Ok(games)
    }

    fn series(&self) -> anyhow::Result<Series> {
        let games = self.most_games()?;
        let sizes = 0..self.sizes().len();
        ensure!(
            self.openings.is_empty() || self.openings.len() == sizes.len(),
            "give --openings once for each board size"
        );
        Ok(Series {
            games,
            parallel: self.parallel,
            divisions: sizes
                .map(|index| self.division(index))
                .collect::<anyhow::Result<_>>()?,
        })
    }

    fn plan(&self, stop: &Arc<AtomicBool>) -> anyhow::Result<MatchPlan> {
        if let Some(option) = self.board.given() {
            bail!("{option} is for chess, draughts, gomoku and backgammon: give --game");
        }
        let players = self.two_players::<Conditions>()?;
        Ok(MatchPlan {
            series: self.series()?,
            players: players.map(|command| self.player(command)),
            sprt: self.sprt.test()?,
            files: self.files::<Conditions>(),
            stop: Arc::clone(stop),
        })
    }

    /// What is said about the first player and the second.
    fn two_players<C: Terms>(&self) -> anyhow::Result<[&str; 2]> {
        let (black, white) = (self.black.as_deref(), self.white.as_deref());
        let [mine, other] = match C::FIRST {
            Color::Black => [(black, "--black"), (white, "--white")],
            Color::White => [(white, "--white"), (black, "--black")],
        };
        Ok([
            the_player(mine, (self.first.as_deref(), "--first"))?,
            the_player(other, (self.second.as_deref(), "--second"))?,
        ])
    }

    fn files<C: Terms>(&self) -> MatchFiles {
        let in_folder = self.out.as_deref().map(MatchFiles::in_folder::<C>);
        let default = in_folder.unwrap_or_default();
        MatchFiles {
            log: self.resume.clone().or(default.log),
            records: self.sgf.clone().or(default.records),
            page: self.html.clone().or(default.page),
        }
    }

    fn player(&self, command_line: &str) -> MatchPlayer {
        let (command, patience) = (command_line.to_owned(), self.patience());
        MatchPlayer {
            description: command_line.to_owned(),
            identity: command_line.to_owned(),
            make: Box::new(move || Ok(Box::new(GtpContestant::new(&command, patience)?))),
        }
    }

    fn patience(&self) -> Patience {
        Patience {
            command: Duration::from_secs_f64(self.timeout),
            genmove: Duration::from_secs_f64(self.move_timeout),
        }
    }
}

/// A player that is given by one of two options.
fn the_player<'a>(
    (by_color, color): (Option<&'a str>, &str),
    (by_place, place): (Option<&'a str>, &str),
) -> anyhow::Result<&'a str> {
    ensure!(
        by_color.is_none() || by_place.is_none(),
        "{color} and {place} are the same player: give one"
    );
    let found = by_color.or(by_place);
    found.with_context(|| format!("there is no player: give {place} or {color}"))
}

/// Plays the match, or the matches of a round robin.
pub fn run(arguments: &MatchArguments) -> anyhow::Result<ExitCode> {
    let stop = run::interrupted()?;
    match &arguments.players {
        Some(file) => round_robin::play(arguments, file, &stop)?,
        None => drop(play(arguments, &stop)?),
    }
    Ok(ExitCode::SUCCESS)
}

/// Plays a match of two players.
fn play(arguments: &MatchArguments, stop: &Arc<AtomicBool>) -> anyhow::Result<Standing> {
    match arguments.board.game.as_deref() {
        None | Some(GO) => run::play(&arguments.plan(stop)?),
        Some(game) => {
            let task = BoardMatch::new(arguments, stop);
            with_any_game(game, &task)?;
            Ok(task.standing.into_inner())
        }
    }
}
