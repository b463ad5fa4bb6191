//! A board game other than Go against the engine in the terminal.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, ValueEnum, value_parser};

use super::record_file::RecordFile;
use super::{check_new, obey_lines};
use crate::cmd::board_games::{GameTask, has_network, position_or_initial};
use crate::cmd::network_chooser::NetworkChooser;
use crate::console::say;
use crate::files;
use crate::games::board_game::{BoardGame, outcome};
use crate::games::chooser::{Chooser, Chosen};
use crate::minimax::{Control, Engine, Limits, StaticEval, Wanted};
use crate::search::game::Side;

/// Size of the engine's table in MiB.
const TABLE_MIB: usize = 16;

/// Nodes of a search where nothing else is said.
const NODES: u64 = 300_000;
/// Visits of a network's search where nothing else is said.
const VISITS: u64 = 1_000;

const HELP: &str = "Type a move, or: undo, hint, eval, moves, board, new, save FILE (save! replaces another file), load FILE, quit";

/// Options of games other than Go.
#[derive(Args)]
pub struct BoardGameArguments {
    /// Variant of the game, such as czech draughts or renju-15
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,

    /// Your side; by default the first
    #[arg(long = "as", value_enum)]
    pub side: Option<Seat>,

    /// Position to begin with, in the game's notation (FEN)
    #[arg(long, value_name = "FEN", conflicts_with = "load")]
    pub position: Option<String>,

    /// Nodes the engine searches for a move, by default 300000; for a network visits, by default 1000
    #[arg(long, value_parser = value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,

    /// Who plays against you and gives hints: alphabeta, or in gomoku net (by default), as in 'net model=FILE'; in
    /// backgammon net, linear or random, with settings, by default 'net depth=2'
    #[arg(long, value_name = "PLAYER")]
    pub opponent: Option<String>,

    /// In games with dice, whether they are thrown, or entered by you
    #[arg(long, value_enum)]
    pub dice: Option<DiceChoice>,

    /// Seed of the dice; by default others in each game
    #[arg(long, value_name = "N")]
    pub dice_seed: Option<u64>,
}

/// Where dice come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DiceChoice {
    /// The program throws them
    Thrown,
    /// You type them, for both sides
    Entered,
}

impl BoardGameArguments {
    /// The first option that was given.
    pub fn given(&self) -> Option<&'static str> {
        [
            (self.variant.is_some(), "--variant"),
            (self.side.is_some(), "--as"),
            (self.position.is_some(), "--position"),
            (self.nodes.is_some(), "--nodes"),
            (self.opponent.is_some(), "--opponent"),
            (self.dice.is_some(), "--dice"),
            (self.dice_seed.is_some(), "--dice-seed"),
        ]
        .into_iter()
        .find_map(|(is_given, option)| is_given.then_some(option))
    }
}

/// Who a person plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Seat {
    /// The side that moves first
    First,
    /// The other side
    Second,
    /// White
    White,
    /// Black
    Black,
    /// Both sides
    Both,
}

impl Seat {
    /// Whether a side is the person's, where this one moves first.
    pub(super) fn has(self, side: Side, first: Side) -> bool {
        match self {
            Seat::First => side == first,
            Seat::Second => side != first,
            Seat::White => side == Side::First,
            Seat::Black => side == Side::Second,
            Seat::Both => true,
        }
    }
}

/// A game in the terminal: its options, and its files.
pub struct Play<'a> {
    /// Options.
    pub options: &'a BoardGameArguments,
    /// Game record to go on with.
    pub load: Option<&'a Path>,
    /// File that gets the game record when the game ends.
    pub save: Option<&'a Path>,
}

impl GameTask for Play<'_> {
    fn run<G: BoardGame>(&self) -> Result<()> {
        let of_dice = [
            (self.options.dice.is_some(), "--dice"),
            (self.options.dice_seed.is_some(), "--dice-seed"),
        ];
        for (is_given, option) in of_dice {
            ensure!(!is_given, "{option} is for games with dice");
        }
        let mut game = Game::<G>::new(self)?;
        if let Some(file) = self.load {
            game.load(file)?;
        }
        say(format_args!("{HELP}"))?;
        game.let_engine_move()?;
        game.show()?;
        obey_lines(|line| game.obey(line))?;
        match game.file.unsaved() {
            Some(file) => game.save(file),
            None => Ok(()),
        }
    }
}

impl Play<'_> {
    /// Who plays against the person, with the nodes of a search where nothing else is said.
    fn chooser<G: BoardGame>(&self) -> Result<(Box<dyn Chooser<G>>, u64)> {
        let default = if has_network::<G>() {
            "net"
        } else {
            "alphabeta"
        };
        let text = self.options.opponent.as_deref().unwrap_or(default);
        match text.split_once(' ').unwrap_or((text, "")) {
            ("alphabeta", "") => Ok((
                Box::new(Engine::<G::Evaluation>::new(
                    G::Evaluation::default(),
                    TABLE_MIB,
                )),
                NODES,
            )),
            ("net", setting) => {
                let model = setting.strip_prefix("model=").map(Path::new);
                ensure!(
                    setting.is_empty() || model.is_some(),
                    "'{setting}' is no setting of a network: name it as in 'net model=FILE'"
                );
                Ok((Box::new(NetworkChooser::open(model, 1)?), VISITS))
            }
            _ => bail!("--opponent is alphabeta, net or 'net model=FILE', not '{text}'"),
        }
    }
}

/// A game in progress.
struct Game<G: BoardGame> {
    chooser: Box<dyn Chooser<G>>,
    limits: Limits,
    seat: Seat,
    file: RecordFile,
    /// Where games of this variant begin.
    initial: G,
    start: G,
    position: G,
    moves: Vec<G::Move>,
    /// Positions before each move.
    before: Vec<G>,
}

impl<G: BoardGame> Game<G> {
    /// A game as the options describe it.
    fn new(play: &Play) -> Result<Game<G>> {
        let options = play.options;
        let variant = options.variant.as_deref();
        let start: G = position_or_initial(variant, options.position.as_deref())?;
        let (chooser, nodes) = play.chooser::<G>()?;
        Ok(Game {
            chooser,
            limits: Limits {
                nodes: Some(options.nodes.unwrap_or(nodes)),
                ..Limits::default()
            },
            seat: options.side.unwrap_or(Seat::First),
            file: RecordFile::new(play.save, variant.map(|_| start.title())),
            initial: start.start_of_variant(),
            position: start.clone(),
            start,
            moves: Vec::new(),
            before: Vec::new(),
        })
    }

    fn obey(&mut self, line: &str) -> Result<()> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let file = PathBuf::from(rest.trim());
        match word {
            "" => return Ok(()),
            "help" => return say(format_args!("{HELP}")),
            "board" => {}
            "undo" => self.undo()?,
            "hint" => {
                ensure!(self.ending().is_none(), "the game is over");
                let best = self.search()?.mv.context("there is no legal move")?;
                return say(format_args!("{}", self.position.move_text(best)));
            }
            "eval" => return self.tell_evaluation(),
            "moves" => return self.tell_moves(),
            "new" => {
                self.file.begin();
                self.restart(self.initial.clone());
            }
            "save" | "save!" | "load" if rest.trim().is_empty() => {
                bail!("{word} needs a file: {word} game.{}", G::RECORDS)
            }
            "save" | "save!" => {
                check_new(&file, word == "save!")?;
                return self.save(&file);
            }
            "load" => self.load(&file)?,
            _ => {
                ensure!(
                    self.ending().is_none(),
                    "the game is over; type new or undo"
                );
                let mv = self.position.read_move(line)?;
                self.play(mv);
            }
        }
        if word != "board" {
            self.let_engine_move()?;
        }
        self.show()
    }

    /// The board, and the result if the game is over.
    fn show(&self) -> Result<()> {
        say(format_args!("{}", self.position.diagram()))?;
        match self.ending() {
            Some(ending) => say(format_args!("{ending}")),
            None => Ok(()),
        }
    }

    fn restart(&mut self, start: G) {
        self.chooser.forget();
        self.position = start.clone();
        self.start = start;
        self.moves.clear();
        self.before.clear();
    }

    fn play(&mut self, mv: G::Move) {
        self.file.change(self.moves.len());
        self.make(mv);
    }

    fn make(&mut self, mv: G::Move) {
        self.before.push(self.position.clone());
        self.moves.push(mv);
        self.position.play(mv);
    }

    /// Takes moves back until the person is to move again.
    fn undo(&mut self) -> Result<()> {
        ensure!(!self.moves.is_empty(), "there is no move to take back");
        while let Some(position) = self.before.pop() {
            self.position = position;
            self.moves.pop();
            if !self.is_engines_turn() {
                break;
            }
        }
        self.file.change(self.moves.len());
        Ok(())
    }

    fn is_engines_turn(&self) -> bool {
        let first = self.initial.to_move();
        !self.seat.has(self.position.to_move(), first)
    }

    fn history(&self) -> Vec<u64> {
        self.before.iter().map(|position| position.key()).collect()
    }

    fn search(&mut self) -> Result<Chosen<G::Move>> {
        let (history, control) = (self.history(), Control::new(false));
        self.chooser
            .choose(&self.position, &history, &self.limits, &control)
    }

    /// Plays the engine's moves while it is its turn.
    fn let_engine_move(&mut self) -> Result<()> {
        while self.is_engines_turn() && self.ending().is_none() {
            let Some(best) = self.search()?.mv else {
                break;
            };
            say(format_args!(
                "keima plays {}",
                self.position.move_text(best)
            ))?;
            self.play(best);
        }
        Ok(())
    }

    /// How the game ended, as the point of the first side.
    fn result(&self) -> Option<f64> {
        let (verdict, _) = outcome(&self.position, &self.history())?;
        Some(verdict.points(self.position.to_move()))
    }

    fn ending(&self) -> Option<String> {
        Some(match self.result()? {
            1.0 => format!("{} has won", G::SIDES[0]),
            0.0 => format!("{} has won", G::SIDES[1]),
            _ => "the game is a draw".to_string(),
        })
    }

    fn tell_evaluation(&mut self) -> Result<()> {
        let still = G::Evaluation::default().evaluate(&self.position);
        say(format_args!(
            "without search: {still:+} hundredths for the side to move"
        ))?;
        let chosen = self.search()?;
        match chosen.mv {
            Some(_) => say(format_args!("{}", chosen.remark)),
            None => Ok(()),
        }
    }

    fn tell_moves(&self) -> Result<()> {
        let mut list = Vec::new();
        self.position.moves(Wanted::All, &mut list);
        let texts: Vec<String> = list.iter().map(|mv| self.position.move_text(*mv)).collect();
        say(format_args!("{}", texts.join(" ")))
    }

    fn save(&self, file: &Path) -> Result<()> {
        let extension = file.extension().unwrap_or_default().to_string_lossy();
        let heading = self.file.heading();
        let result = self.result().or(heading.result);
        let record = G::write_record_as(
            &extension,
            &self.start,
            &self.moves,
            result,
            &heading.details,
        );
        files::write_whole(file, record.as_bytes(), true)
    }

    fn load(&mut self, file: &Path) -> Result<()> {
        let text = files::read_text(file)?;
        let read = self.initial.another_record(&text);
        let (start, moves) = read.with_context(|| file.display().to_string())?;
        let heading = G::read_heading(&text);
        self.file.load(file, &start.title(), heading)?;
        self.initial = start.start_of_variant();
        self.restart(start);
        moves.into_iter().for_each(|mv| self.make(mv));
        Ok(())
    }
}
