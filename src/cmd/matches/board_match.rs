//! Matches at games other than Go.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use super::MatchArguments;
use super::engine_contestant::{EngineContestant, EngineStart};
use super::hub_contestant::Hub;
use super::network_player::{self, NetworkPlayer};
use super::piskvork_contestant::Piskvork;
use super::run::{self, MatchPlan, MatchPlayer};
use super::uci_contestant::Uci;
use crate::arena::board::builtin::{Builtin, KINDS};
use crate::arena::board::openings::Book;
use crate::arena::board::{BoardConditions, BoardPlayer};
use crate::arena::series::{Division, Series};
use crate::arena::standing::Standing;
use crate::clock::TimeControl;
use crate::cmd::board_games::GameTask;
use crate::files;
use crate::games::board_game::{BoardGame, Protocol};
use crate::process::split_command_line;

/// Moves of both sides after which a game is a draw, where nothing else is said.
const MOST_MOVES: usize = 1_000;

/// A match at any of these games.
pub struct BoardMatch<'a> {
    pub(super) arguments: &'a MatchArguments,
    /// Set by an interrupt.
    pub(super) stop: &'a Arc<AtomicBool>,
    /// How it stands at the end.
    pub(super) standing: RefCell<Standing>,
}

impl GameTask for BoardMatch<'_> {
    fn run<G: BoardGame>(&self) -> Result<()> {
        self.check()?;
        self.standing.replace(run::play(&self.plan::<G>()?)?);
        Ok(())
    }
}

impl<'a> BoardMatch<'a> {
    /// A match that has not begun.
    pub fn new(arguments: &'a MatchArguments, stop: &'a Arc<AtomicBool>) -> BoardMatch<'a> {
        BoardMatch {
            arguments,
            stop,
            standing: RefCell::default(),
        }
    }

    pub(super) fn check(&self) -> Result<()> {
        let only_go = [
            (!self.arguments.size.is_empty(), "--size"),
            (self.arguments.komi.is_some(), "--komi"),
            (self.arguments.rules.is_some(), "--rules"),
            (self.arguments.visits.is_some(), "--visits"),
        ];
        for (is_given, option) in only_go {
            ensure!(!is_given, "{option} is for Go alone");
        }
        ensure!(self.arguments.openings.len() < 2, "give --openings once");
        let is_understood = !matches!(self.arguments.time, TimeControl::Japanese { .. });
        ensure!(
            is_understood,
            "engines of this game know no Japanese overtime"
        );
        Ok(())
    }

    fn plan<G: BoardGame>(&self) -> Result<MatchPlan<BoardConditions<G>>> {
        let arguments = self.arguments;
        let [first, second] = arguments.two_players::<BoardConditions<G>>()?;
        let options = [
            &arguments.board.first_option,
            &arguments.board.second_option,
        ];
        Ok(MatchPlan {
            series: self.series::<G>()?,
            players: [
                self.player::<G>(first, options[0], "--first-option")?,
                self.player::<G>(second, options[1], "--second-option")?,
            ],
            sprt: arguments.sprt.test()?,
            files: arguments.files::<BoardConditions<G>>(),
            stop: Arc::clone(self.stop),
        })
    }

    fn series<G: BoardGame>(&self) -> Result<Series<BoardConditions<G>>> {
        let (arguments, board) = (self.arguments, &self.arguments.board);
        let games = arguments.most_games()?;
        let initial = G::initial(board.variant.as_deref())?;
        let book = match arguments.openings.first() {
            Some(path) => {
                let shuffle = board.shuffle.then(|| board.seed());
                Book::read(path, &initial, board.plies, shuffle)
                    .with_context(|| format!("cannot use the openings {}", path.display()))?
            }
            None => Book::random(
                &initial,
                board.drawn_plies(),
                games.div_ceil(2),
                board.seed(),
            )?,
        };
        let conditions = BoardConditions {
            initial,
            time: arguments.time,
            nodes: board.nodes,
            depth: board.depth,
            margin: Duration::from_secs_f64(arguments.time_margin),
            max_moves: arguments.max_moves.unwrap_or(MOST_MOVES),
            adjudication: board.adjudication()?,
            openings: book.source,
        };
        Ok(Series {
            games,
            parallel: arguments.parallel,
            divisions: vec![Division::new(conditions, book.openings)],
        })
    }

    /// A player by its description: one of this program, or a command line.
    fn player<G: BoardGame>(
        &self,
        text: &str,
        options: &[String],
        option_name: &str,
    ) -> Result<MatchPlayer<BoardConditions<G>>> {
        if let Some(builtin) = Builtin::parse(text) {
            ensure!(
                options.is_empty(),
                "{option_name} is for other programs; settings of '{text}' follow its name, as in \
                 'alphabeta nodes=10000'"
            );
            return self.builtin_player(text, builtin?);
        }
        if let Some(player) = NetworkPlayer::parse(text) {
            ensure!(
                options.is_empty(),
                "{option_name} is for other programs; settings of '{text}' follow its name"
            );
            return self.network_player(text, player?);
        }
        ensure!(self.has_limits(), NO_LIMITS);
        let start = self.engine::<G>(text, options, option_name)?;
        let identity = with_options(text, options);
        Ok(MatchPlayer {
            description: identity.clone(),
            identity,
            make: Box::new(move || -> Result<Box<dyn BoardPlayer<G>>> {
                Ok(match G::PROTOCOL {
                    Protocol::Uci => Box::new(EngineContestant::<Uci>::new(start.clone())),
                    Protocol::Hub => Box::new(EngineContestant::<Hub>::new(start.clone())),
                    Protocol::Piskvork => {
                        Box::new(EngineContestant::<Piskvork>::new(start.clone()))
                    }
                })
            }),
        })
    }

    fn builtin_player<G: BoardGame>(
        &self,
        text: &str,
        builtin: Builtin,
    ) -> Result<MatchPlayer<BoardConditions<G>>> {
        ensure!(builtin.has_limits() || self.has_limits(), NO_LIMITS);
        let (name, stop) = (text.to_owned(), Arc::clone(self.stop));
        // A file that cannot be used is told before the match.
        builtin.make::<G>(&name, &stop)?;
        let mut identity = name.clone();
        if let Some(file) = builtin.weights() {
            let digest = files::sha256(files::read_text(file)?.as_bytes());
            identity += &format!(", SHA-256 {digest}");
        }
        Ok(MatchPlayer {
            description: name.clone(),
            identity,
            make: Box::new(move || builtin.make(&name, &stop)),
        })
    }

    fn network_player<G: BoardGame>(
        &self,
        text: &str,
        player: NetworkPlayer,
    ) -> Result<MatchPlayer<BoardConditions<G>>> {
        ensure!(player.has_limits() || self.has_limits(), NO_LIMITS);
        let (name, stop) = (text.to_owned(), Arc::clone(self.stop));
        let (evaluator, checksum) = player.evaluator::<G>()?;
        Ok(MatchPlayer {
            description: name.clone(),
            identity: format!("{name}, SHA-256 {checksum}"),
            make: Box::new(move || Ok(player.make(&name, &evaluator, &stop))),
        })
    }

    /// Whether the match says how long players think.
    fn has_limits(&self) -> bool {
        let board = &self.arguments.board;
        board.nodes.is_some()
            || board.depth.is_some()
            || self.arguments.time != TimeControl::Unlimited
    }

    fn engine<G: BoardGame>(
        &self,
        text: &str,
        options: &[String],
        option_name: &str,
    ) -> Result<EngineStart> {
        let prefix = match G::PROTOCOL {
            Protocol::Uci => "uci:",
            Protocol::Hub => "hub:",
            Protocol::Piskvork => "piskvork:",
        };
        let prefixes = ["uci:", "hub:", "piskvork:", "gtp:"];
        if prefixes
            .iter()
            .any(|its| *its != prefix && text.starts_with(its))
        {
            bail!(
                "engines for {} speak another protocol: give {prefix}COMMAND",
                G::NAME
            );
        }
        let command = text.strip_prefix(prefix).unwrap_or(text).trim();
        ensure!(
            split_command_line(command).is_some_and(|words| !words.is_empty()),
            "'{text}' is no player: those of this program are {}, others are command lines",
            [&KINDS[..], &network_player::KINDS].concat().join(", ")
        );
        Ok(EngineStart {
            command_line: command.to_owned(),
            options: engine_options(options, option_name)?,
            patience: self.arguments.patience(),
        })
    }
}

/// Options of another program, each NAME=VALUE, as the option `option_name` gives them.
pub(super) fn engine_options(
    options: &[String],
    option_name: &str,
) -> Result<Vec<(String, String)>> {
    let option = |text: &String| {
        let (name, value) = text
            .split_once('=')
            .with_context(|| format!("{option_name} {text}: an option is NAME=VALUE"))?;
        Ok((name.trim().to_owned(), value.trim().to_owned()))
    };
    options.iter().map(option).collect()
}

/// How reports call another program with its options.
pub(super) fn with_options(text: &str, options: &[String]) -> String {
    match options.is_empty() {
        true => text.to_owned(),
        false => format!("{text} with {}", options.join(", ")),
    }
}

const NO_LIMITS: &str = "nothing says how long players may think: give --time 10+0.1, --time 1s/move, --nodes 10000 or \
                         --depth 6, or settings of a player as in 'alphabeta nodes=10000'";
