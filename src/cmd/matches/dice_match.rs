//! Matches at games with dice.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, ensure};

use super::board_match::{BoardMatch, engine_options, with_options};
use super::dice_contestant::{External, ExternalStart};
use super::run::{self, MatchPlan, MatchPlayer};
use crate::arena::dice::{DiceConditions, DiceContestant, DiceOpening, Local};
use crate::arena::series::{Division, Series};
use crate::clock::TimeControl;
use crate::cmd::board_games::{DiceTask, read_file};
use crate::files;
use crate::games::dice_game::DiceGame;
use crate::process::split_command_line;

/// Turns of both sides after which a game is a draw, where nothing else is said.
const MOST_MOVES: usize = 2_000;
/// Most pairs of games with dice of their own; then dice are used again.
const MOST_PAIRS: usize = 1_000_000;
/// What begins the address of an engine that is listening already.
const LISTENING: &str = "external:";

impl DiceTask for BoardMatch<'_> {
    fn run_with_dice<G: DiceGame>(&self) -> Result<()> {
        self.check_dice()?;
        self.standing.replace(run::play(&self.dice_plan::<G>()?)?);
        Ok(())
    }
}

impl BoardMatch<'_> {
    fn check_dice(&self) -> Result<()> {
        self.check()?;
        let (arguments, board) = (self.arguments, &self.arguments.board);
        let unknown = [
            (!arguments.openings.is_empty(), "--openings"),
            (board.plies.is_some(), "--plies"),
            (board.nodes.is_some(), "--nodes"),
            (board.resign.is_some(), "--resign"),
            (board.draw.is_some(), "--draw"),
            (arguments.time != TimeControl::Unlimited, "--time"),
        ];
        for (is_given, option) in unknown {
            ensure!(!is_given, "{option} is not for games with dice");
        }
        Ok(())
    }

    fn dice_plan<G: DiceGame>(&self) -> Result<MatchPlan<DiceConditions<G>>> {
        let (arguments, board) = (self.arguments, &self.arguments.board);
        let [first, second] = arguments.two_players::<DiceConditions<G>>()?;
        let games = arguments.most_games()?;
        let conditions = DiceConditions {
            initial: G::initial(board.variant.as_deref())?,
            seed: board.seed(),
            max_moves: arguments.max_moves.unwrap_or(MOST_MOVES),
        };
        let pairs = games.div_ceil(2).min(MOST_PAIRS) as u64;
        let openings = (0..pairs).map(DiceOpening::new).collect();
        Ok(MatchPlan {
            series: Series {
                games,
                parallel: arguments.parallel,
                divisions: vec![Division::new(conditions, openings)],
            },
            players: [
                self.dice_player::<G>(first, &board.first_option, "--first-option")?,
                self.dice_player::<G>(second, &board.second_option, "--second-option")?,
            ],
            sprt: arguments.sprt.test()?,
            files: arguments.files::<DiceConditions<G>>(),
            stop: Arc::clone(self.stop),
        })
    }

    /// A player by its description: one of this program, an address where an engine listens, or a command line.
    fn dice_player<G: DiceGame>(
        &self,
        text: &str,
        options: &[String],
        option_name: &str,
    ) -> Result<MatchPlayer<DiceConditions<G>>> {
        // The depth of the match is that of players without their own.
        let depth = self
            .arguments
            .board
            .depth
            .filter(|_| !text.contains("depth=") && !text.starts_with("random"));
        let described = match depth {
            Some(depth) => format!("{text} depth={depth}"),
            None => text.to_owned(),
        };
        if let Some(player) = G::player(&described, &read_file) {
            // A file that cannot be used is told before the match.
            player?;
            ensure!(
                options.is_empty(),
                "{option_name} is for other programs; settings of '{text}' follow its name, as in 'net depth=2'"
            );
            let mut identity = described.clone();
            for file in described
                .split_whitespace()
                .filter_map(|word| word.strip_prefix("weights="))
            {
                identity += &format!(", SHA-256 {}", files::sha256(&read_file(file.as_ref())?));
            }
            let description = described.clone();
            return Ok(MatchPlayer {
                description,
                identity,
                make: Box::new(move || -> Result<Box<dyn DiceContestant<G>>> {
                    let player = G::player(&described, &read_file).context("no such player")??;
                    Ok(Box::new(Local::new(described.clone(), player)))
                }),
            });
        }
        let patience = self.arguments.patience();
        let start = external_start::<G>(text, options, option_name, patience, self.stop)?;
        let identity = with_options(text, options);
        Ok(MatchPlayer {
            description: identity.clone(),
            identity,
            make: Box::new(move || -> Result<Box<dyn DiceContestant<G>>> {
                Ok(Box::new(External::new(start.clone())))
            }),
        })
    }
}

fn external_start<G: DiceGame>(
    text: &str,
    options: &[String],
    option_name: &str,
    patience: super::gtp_contestant::Patience,
    stop: &Arc<AtomicBool>,
) -> Result<ExternalStart> {
    let options = engine_options(options, option_name)?;
    let address = text.strip_prefix(LISTENING).map(str::trim);
    ensure!(
        address.is_none() || options.is_empty(),
        "{option_name} is for engines that this program starts"
    );
    if address.is_none() {
        // Wrong options are told before the match.
        G::listen_lines(0, &options)?;
        ensure!(
            split_command_line(text).is_some_and(|words| !words.is_empty()),
            "'{text}' is no player: those of this program are {}, others are command lines, or {LISTENING}HOST:PORT where an \
             engine listens",
            G::PLAYERS.join(", ")
        );
    }
    Ok(ExternalStart {
        name: text.to_owned(),
        address: address.map(str::to_owned),
        options,
        patience,
        stop: Arc::clone(stop),
    })
}
