//! A board game other than Go against the engine in the terminal.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use super::commands::Usage;
use super::other_arguments::{BoardGameArguments, Seat};
use super::other_dialogue::{OtherGame, converse, in_words};
use super::own_file::{OwnFile, Saved};
use super::record_file::RecordFile;
use crate::cmd::board_games::{GameTask, has_network, position_or_initial};
use crate::cmd::network_chooser::NetworkChooser;
use crate::console::say;
use crate::files;
use crate::formats::date;
use crate::games::board_game::{BoardGame, outcome};
use crate::games::chooser::{Chooser, Chosen};
use crate::games::record::{Details, filled};
use crate::minimax::{Control, Engine, Limits, StaticEval, Wanted};
use crate::search::game::Side;

/// The engine's name in records.
const NAME: &str = "keima";
/// Size of the engine's table in MiB.
const TABLE_MIB: usize = 16;

/// Nodes of a search where nothing else is said.
const NODES: u64 = 300_000;
/// Visits of a network's search where nothing else is said.
const VISITS: u64 = 1_000;

/// A game in the terminal: its options, and its files.
pub struct Play<'a> {
    /// Options.
    pub options: &'a BoardGameArguments,
    /// Game record to go on with.
    pub load: Option<&'a Path>,
    /// File that gets the game record after each move.
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
        converse(&mut game)
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
            _ if G::NETWORK_INPUTS.is_empty() => {
                bail!("at {} --opponent is alphabeta, not '{text}'", G::NAME)
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
    /// The day on which the game began, as PGN writes it; none of a game that was loaded.
    date: Option<String>,
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
            date: Some(date::today('.')),
        })
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
        while self.is_engines_turn() && !self.is_over() {
            let Some(best) = self.search()?.mv else {
                break;
            };
            say(format_args!(
                "keima plays {}",
                self.position.move_text(best)
            ))?;
            self.play(best);
            self.keep_or_tell()?;
        }
        Ok(())
    }

    /// How the game ended, as the point of the first side.
    fn result(&self) -> Option<f64> {
        if let Some(loser) = self.file.resigned() {
            return Some(f64::from(loser == Side::Second));
        }
        let (verdict, _) = outcome(&self.position, &self.history())?;
        Some(verdict.points(self.position.to_move()))
    }

    /// What the record tells besides moves and result. A person's name is not known.
    fn details(&self) -> Details {
        let mut details = self.file.heading().details.clone();
        let date = self.date.clone().map(|date| ("Date".to_owned(), date));
        details.more.extend(date);
        let sides = [
            (Side::First, &mut details.white),
            (Side::Second, &mut details.black),
        ];
        for (side, name) in sides {
            if name.is_empty() && !self.seat.has(side, self.initial.to_move()) {
                NAME.clone_into(name);
            }
        }
        details
    }

    fn ending(&self) -> Option<String> {
        let how = match self.file.resigned() {
            Some(_) => " by resignation",
            None => "",
        };
        Some(in_words(G::SIDES, self.result()?, how))
    }

    /// The side that a person who plays one alone has, otherwise the first; it is at the bottom of the board.
    fn lower_side(&self) -> Side {
        let has = |side| self.seat.has(side, self.initial.to_move());
        match has(Side::Second) && !has(Side::First) {
            true => Side::Second,
            false => Side::First,
        }
    }
}

impl<G: BoardGame> Saved for Game<G> {
    const RECORDS: &'static str = G::RECORDS;

    fn own_file(&mut self) -> &mut OwnFile {
        &mut self.file.own
    }

    fn write(&self, file: &Path) -> Result<()> {
        let extension = file.extension().unwrap_or_default().to_string_lossy();
        let result = self.result().or(self.file.heading().result);
        let details = self.details();
        let record = G::write_record(&extension, &self.start, &self.moves, result, &details);
        files::write_whole(file, record.as_bytes(), true)
    }
}

impl<G: BoardGame> OtherGame for Game<G> {
    const SIDES: [&'static str; 2] = G::SIDES;
    const MOVE: Usage = (
        "MOVE",
        "play it: as Nf3 or g1f3 at chess, 32-28 at draughts, h8 at gomoku",
    );

    fn record_mut(&mut self) -> &mut RecordFile {
        &mut self.file
    }

    fn to_move(&self) -> Side {
        self.position.to_move()
    }

    /// The engine may be to move in a game that its record calls over.
    fn persons_side(&self) -> Side {
        let side = self.to_move();
        match self.is_engines_turn() {
            true => !side,
            false => side,
        }
    }

    fn is_to_enter(&self) -> bool {
        !self.is_engines_turn()
    }

    fn is_over(&self) -> bool {
        self.result().is_some()
    }

    fn go_on(&mut self) -> Result<()> {
        self.let_engine_move()?;
        self.show()
    }

    fn show(&self) -> Result<()> {
        let below = self.ending().unwrap_or_else(|| self.position.turn());
        let board = self.position.diagram(self.lower_side());
        say(format_args!("{board}\n{below}"))
    }

    fn enter(&mut self, line: &str) -> Result<()> {
        let mv = self.position.read_move(line)?;
        self.play(mv);
        Ok(())
    }

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

    fn begin(&mut self) {
        self.date = Some(date::today('.'));
        self.restart(self.initial.clone());
    }

    fn hint(&mut self) -> Result<()> {
        let best = self.search()?.mv.context("there is no legal move")?;
        say(format_args!("{}", self.position.move_text(best)))
    }

    fn evaluate(&mut self) -> Result<()> {
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

    fn list_moves(&self) -> Result<()> {
        let mut list = Vec::new();
        self.position.moves(Wanted::All, &mut list);
        let texts: Vec<String> = list.iter().map(|mv| self.position.move_text(*mv)).collect();
        say(format_args!("{}", filled(&texts).trim_end()))
    }

    fn position_text(&self) -> String {
        self.position.text()
    }

    fn load(&mut self, file: &Path) -> Result<()> {
        let text = files::read_text(file)?;
        let read = self.initial.another_record(&text);
        let (start, moves) = read.with_context(|| file.display().to_string())?;
        let heading = start.read_heading(&text);
        self.file.load(file, &start.title(), heading)?;
        self.initial = start.start_of_variant();
        self.date = None;
        self.restart(start);
        moves.into_iter().for_each(|mv| self.make(mv));
        Ok(())
    }
}
