//! A game of Go in progress: the session with position, clocks and judgement, and who plays.

use std::collections::BTreeMap;
use std::mem;
use std::path::Path;
use std::time::Instant;

use anyhow::Result;

use super::arguments::GoArguments;
use super::engines::{Players, Seat, build};
use super::go_commands::RECORDS;
use super::look::Look;
use super::own_file::{OwnFile, Saved};
use super::picture::{Picture, width};
use super::prompt::{OVER, PLAY_ON};
use super::record::{Loaded, heading, read, still_fitting};
use super::status;
use crate::clock::Clock;
use crate::clock::game::Clocks;
use crate::cmd::terminal::Terminal;
use crate::console::{say, tell};
use crate::files;
use crate::formats::sgf::{Heading, SideLine};
use crate::go::{Color, GameEnd, GameResult, PerColor, PointSet, Setup};
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
    /// Whether the record that was loaded has a result, the board shows none, and nothing has been done since.
    pub is_closed: bool,
    /// What the record holds besides the moves.
    heading: Heading,
    /// Its variations.
    lines: Vec<SideLine>,
    /// File that gets the record.
    own: OwnFile,
    /// When the person to move saw the board.
    pub turn_began: Instant,
    /// The clocks at the beginnings of the turns, by number of moves, as far as they were played here.
    clocks_at: BTreeMap<usize, Clocks>,
}

impl Game {
    /// A game as the options describe it.
    pub fn new(arguments: &GoArguments, save_to: Option<&Path>) -> Result<Game> {
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
            is_closed: false,
            own: OwnFile::new(save_to),
            turn_began: Instant::now(),
            clocks_at: BTreeMap::new(),
        };
        game.begin_turn();
        Ok(game)
    }

    /// Whether a person takes part.
    pub fn has_person(&self) -> bool {
        Color::BOTH.into_iter().any(|color| self.is_person(color))
    }

    /// Whether a person has this color.
    pub fn is_person(&self, color: Color) -> bool {
        matches!(self.seats[color], Seat::Person)
    }

    /// Whether a person is to say something: to move, to settle dead stones, to play on, or to leave.
    pub fn is_persons_turn(&self) -> bool {
        let has_ended = self.dead.is_some() || self.outcome.is_some() || self.is_closed;
        has_ended || self.is_person(self.to_move())
    }

    /// The color to move.
    pub fn to_move(&self) -> Color {
        self.session.position.to_move()
    }

    /// Draws the board, with the stones that are being agreed on marked as dead, and a line below it.
    pub fn show(&self, below: &str) -> Result<()> {
        let position = &self.session.position;
        let last = position.moves().next_back().and_then(|(_, mv)| mv.point());
        let mut picture = Picture::of(position.board(), last);
        picture.dead = self.dead.unwrap_or(PointSet::EMPTY);
        self.draw(&picture, below)
    }

    /// Draws a picture of the board with the state of the game beside it, and a line below it, which may be empty.
    pub fn draw(&self, picture: &Picture, below: &str) -> Result<()> {
        let terminal = Terminal::of_stdout();
        let look = Look::of(terminal);
        let board = picture.lines(look);
        let width = width(picture.board.size());
        let clocks = PerColor(Color::BOTH.map(|color| *self.session.clocks.of(color)));
        let position = &self.session.position;
        let text = status::lines(position, &self.names, &clocks, &self.turn_text(), look);
        let lines = status::beside(board, width, text, terminal.columns);
        let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
        say(format_args!("\n{}\n{below}", lines.join("\n")))
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
        self.own.refuse_loss(file, lost)?;
        self.own.note_loaded(file);
        self.session.begin_with(position);
        self.lines = lines;
        self.session.player.begin_game();
        self.clocks_at.clear();
        (self.dead, self.outcome) = (None, None);
        self.heading = heading.or_names(&self.heading);
        self.is_closed = false;
        if let Some(result) = self.heading.result() {
            let is_decided = matches!(result, GameResult::Win(..) | GameResult::Draw);
            let is_open = self.session.position.end() == GameEnd::Ongoing;
            self.is_closed = is_decided && is_open && self.has_person();
            let next = match self.is_closed {
                true => PLAY_ON,
                false => "the game is open again",
            };
            say(format_args!("result of the record: {result}; {next}"))?;
        }
        self.begin_turn();
        self.see_end()?;
        if self.outcome.is_some() {
            self.own.note_more();
        }
        Ok(())
    }

    /// Takes the result of the record back where that alone has ended the game; returns whether it was so.
    pub fn reopen(&mut self) -> bool {
        let was_closed = mem::take(&mut self.is_closed);
        if was_closed && let Some(record) = &mut self.heading.loaded {
            record.result = None;
        }
        was_closed
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

impl Saved for Game {
    const RECORDS: &'static str = RECORDS;

    fn own_file(&mut self) -> &mut OwnFile {
        &mut self.own
    }

    fn write(&self, file: &Path) -> Result<()> {
        let position = &self.session.position;
        let lines = still_fitting(&self.heading, &self.lines, position);
        let text = self.heading.text(position, self.outcome, lines);
        files::write_whole(file, text.as_bytes(), true)
    }
}
