//! A game of Go in progress: the session with position, clocks and judgement, and who plays.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;

use super::arguments::GoArguments;
use super::engines::{Players, Seat, build};
use super::look::Look;
use super::picture::{Picture, width};
use super::prompt::OVER;
use super::record::{Loaded, heading, read, still_fitting};
use super::{refuse_loss, status};
use crate::clock::Clock;
use crate::clock::game::Clocks;
use crate::cmd::terminal::Terminal;
use crate::console::{say, tell};
use crate::files;
use crate::formats::sgf::{Heading, SideLine};
use crate::go::{Color, GameResult, PerColor, PointSet, Setup};
use crate::player::session::GameSession;
use crate::player::settlement::name;

/// A game at the terminal.
pub struct Game {
    /// Position, clocks, and the player that gives hints and judges.
    pub session: GameSession,
    /// Who plays.
    pub seats: PerColor<Seat>,
    names: PerColor<String>,
    /// Dead stones as long as they are being agreed on.
    pub dead: Option<PointSet>,
    /// The result once the game has ended.
    pub outcome: Option<GameResult>,
    /// What the record holds besides the moves.
    heading: Heading,
    /// Its variations.
    lines: Vec<SideLine>,
    /// File that gets the record.
    pub save_to: Option<PathBuf>,
    terminal: Terminal,
    /// When the person to move saw the board.
    pub turn_began: Instant,
    /// The clocks at the beginnings of the turns, by number of moves, as far as they were played here.
    clocks_at: BTreeMap<usize, Clocks>,
}

impl Game {
    /// A game as the options describe it.
    pub fn new(arguments: &GoArguments, save_to: Option<PathBuf>) -> Result<Game> {
        let Players {
            seats,
            names,
            judge,
            description,
            config,
        } = build(arguments)?;
        tell(format_args!("{description}"));
        let komi = arguments.start_komi(&config);
        let mut session = GameSession::new(judge, config.size, config.rules, komi);
        if let Some(stones) = arguments.handicap {
            let setup = Setup::new(config.size, config.rules, komi);
            session.start_with(&setup.with_handicap(stones as usize)?)?;
        }
        if let Some(control) = arguments.time {
            session.clocks.set(Clock::new(control));
        }
        let mut game = Game {
            session,
            heading: heading(&seats, &names),
            lines: Vec::new(),
            seats,
            names,
            dead: None,
            outcome: None,
            save_to,
            terminal: Terminal::of_stdout(),
            turn_began: Instant::now(),
            clocks_at: BTreeMap::new(),
        };
        game.begin_turn();
        Ok(game)
    }

    /// Whether a person takes part.
    pub fn has_person(&self) -> bool {
        self.seats.0.iter().any(|seat| matches!(seat, Seat::Person))
    }

    /// Whether a person is to say something: to move, to settle dead stones, or to leave.
    pub fn is_persons_turn(&self) -> bool {
        let is_persons = matches!(self.seats[self.to_move()], Seat::Person);
        is_persons || self.dead.is_some() || self.outcome.is_some()
    }

    /// The color to move.
    pub fn to_move(&self) -> Color {
        self.session.position.to_move()
    }

    /// How the board is drawn.
    pub fn look(&self) -> Look {
        Look::of(self.terminal)
    }

    /// Draws the board, with the stones that are being agreed on marked as dead.
    pub fn show(&self) -> Result<()> {
        let position = &self.session.position;
        let last = position.moves().next_back().and_then(|(_, mv)| mv.point());
        let mut picture = Picture::of(position.board(), last);
        picture.dead = self.dead.unwrap_or(PointSet::EMPTY);
        self.draw(&picture)
    }

    /// Draws a picture of the board with the state of the game beside it.
    pub fn draw(&self, picture: &Picture) -> Result<()> {
        let look = self.look();
        let board = picture.lines(look);
        let width = width(picture.board.size());
        let clocks = PerColor(Color::BOTH.map(|color| *self.session.clocks.of(color)));
        let position = &self.session.position;
        let text = status::lines(position, &self.names, &clocks, &self.turn_text(), look);
        let lines = status::beside(board, width, text, self.terminal.columns);
        let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
        say(format_args!("\n{}\n", lines.join("\n")))
    }

    /// What stands before the prompt's mark: who is to move, and the time left.
    pub fn prompt(&self) -> String {
        match (self.outcome, self.dead) {
            (Some(_), _) => OVER.to_owned(),
            (None, Some(_)) => "dead stones".to_owned(),
            (None, None) => {
                let color = self.to_move();
                let clock = self.session.clocks.of(color);
                status::turn(color, &clock.after(self.turn_began.elapsed()))
            }
        }
    }

    fn turn_text(&self) -> String {
        match (self.outcome, &self.dead) {
            (Some(result), _) => format!("the game is over: {result}"),
            (None, Some(_)) => "both have passed".to_owned(),
            (None, None) => format!("{} to move", name(self.to_move())),
        }
    }

    /// Goes on from the end of a game record.
    pub fn load(&mut self, file: &Path) -> Result<()> {
        let position = &self.session.position;
        let Loaded {
            heading,
            lines,
            position,
            is_whole,
        } = read(file, position.rules(), position.komi())?;
        let lost = (!is_whole).then_some("more than is read of it");
        refuse_loss(file, self.save_to.as_deref(), lost)?;
        self.session.begin_with(position);
        self.lines = lines;
        self.session.player.begin_game();
        self.clocks_at.clear();
        (self.dead, self.outcome) = (None, None);
        self.heading = heading.or_names(&self.heading);
        if let Some(result) = self.heading.result() {
            say(format_args!(
                "result of the record: {result}; the game is open again"
            ))?;
        }
        self.begin_turn();
        match self.session.position.is_over() {
            true => self.after_move(),
            false => Ok(()),
        }
    }

    /// Writes the game record to a file.
    pub fn save(&self, file: &Path) -> Result<()> {
        let position = &self.session.position;
        let lines = still_fitting(&self.heading, &self.lines, position);
        let text = self.heading.text(position, self.outcome, lines);
        files::write_whole(file, text.as_bytes(), true)
    }

    /// Writes the record to the file of the command line, if there is one.
    pub fn keep(&self) -> Result<()> {
        self.save_to
            .as_deref()
            .map_or(Ok(()), |file| self.save(file))
    }

    /// Starts the clock of the player to move.
    pub fn begin_turn(&mut self) {
        self.turn_began = Instant::now();
        let turn = self.session.position.turn();
        self.clocks_at.insert(turn, self.session.clocks.clone());
    }

    /// Gives back the time that was used since the turn began that is on now; all of it where that is not known.
    pub fn restore_clocks(&mut self) {
        match self.clocks_at.get(&self.session.position.turn()) {
            Some(clocks) => self.session.clocks = clocks.clone(),
            None => self.session.clocks.restart(),
        }
    }
}
