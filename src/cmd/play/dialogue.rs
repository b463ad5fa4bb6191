//! The dialogue of a game: lines are read while a person is to say something, engines move else.

use std::io::{self, BufRead, IsTerminal};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use super::arguments::GoArguments;
use super::commands::{Command, help};
use super::game::Game;
use super::{check_new, moves};
use crate::console::{ask, say};
use crate::go::{GameResult, Move, WonBy};
use crate::input_lines::{Line, next_line};
use crate::player::settlement::name;

const WELCOME: &str = "Type a move as D4, or pass, undo, hint, score; help lists all, quit ends";
const SETTLE: &str = "Type dead D4 to change a chain, ok to count, resume to play on";

/// Plays a game until it has ended, the input ends or says `quit`.
pub fn play(arguments: GoArguments, load: Option<&Path>, save: Option<&Path>) -> Result<()> {
    let mut game = Game::new(&arguments, save.map(Path::to_owned))?;
    if let Some(file) = load {
        game.load(file)?;
    }
    if game.has_person() {
        say(format_args!("{WELCOME}"))?;
    }
    let finished = converse(&mut game, &mut io::stdin().lock());
    // What was played is kept also where an engine has failed.
    game.keep().and(finished)
}

fn converse(game: &mut Game, input: &mut impl BufRead) -> Result<()> {
    let mut lines = Lines::new(input);
    let mut is_drawn = false;
    loop {
        if game.outcome.is_some() && !game.has_person() {
            return Ok(());
        }
        if !game.is_persons_turn() {
            game.let_engine_move()?;
            is_drawn = false;
            continue;
        }
        if !is_drawn {
            tell_state(game)?;
        }
        let Some(line) = lines.next(game)? else {
            return Ok(());
        };
        is_drawn = match line.text().and_then(|line| obey(game, &line)) {
            Ok(Next::Quit) => return Ok(()),
            Ok(next) => next == Next::SameBoard,
            Err(error) => {
                say(format_args!("{error:#}"))?;
                true
            }
        };
    }
}

/// The board, and what may be done where that is not to move. A counted game was drawn with its count.
fn tell_state(game: &Game) -> Result<()> {
    if game.outcome.is_some() {
        return Ok(());
    }
    game.show()?;
    match game.dead {
        Some(_) => {
            let marks = game.look().dead_marks();
            say(format_args!("Dead stones are marked {marks}. {SETTLE}"))
        }
        None => Ok(()),
    }
}

/// What follows a command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// The board has changed.
    NewBoard,
    SameBoard,
    Quit,
}

fn obey(game: &mut Game, line: &str) -> Result<Next> {
    if line.trim().is_empty() {
        return Ok(Next::SameBoard);
    }
    match Command::read(line, &game.session.position)? {
        Command::Move(mv) => move_of_person(game, mv)?,
        Command::Undo => game.undo()?,
        Command::Resign => {
            ensure!(game.outcome.is_none(), "the game is over");
            let loser = game.to_move();
            game.dead = None;
            game.end(GameResult::Win(!loser, WonBy::Resignation))?;
        }
        Command::Dead(points) => game.toggle_dead(&points)?,
        Command::Accept => game.accept()?,
        Command::Resume => game.resume()?,
        Command::Load(file) => game.load(&file)?,
        Command::Board => {
            game.show()?;
            return Ok(Next::SameBoard);
        }
        Command::Quit => return Ok(Next::Quit),
        other => {
            tell(game, other)?;
            return Ok(Next::SameBoard);
        }
    }
    Ok(Next::NewBoard)
}

/// What a person wants to know, or to keep.
fn tell(game: &mut Game, command: Command) -> Result<()> {
    match command {
        Command::Hint => game.hint(),
        Command::Score => game.estimate(),
        Command::Moves => list_moves(game),
        Command::Save { file, replaces } => {
            let file = file.or_else(|| game.save_to.clone());
            let file = file.context("save needs a file, as in: save game.sgf")?;
            let may_replace = replaces || game.save_to.as_ref() == Some(&file);
            save(game, &file, may_replace)
        }
        _ => say(format_args!("{}", help())),
    }
}

fn move_of_person(game: &mut Game, mv: Move) -> Result<()> {
    if game.outcome.is_some() {
        bail!("the game is over; undo takes the last move back, quit leaves");
    }
    if game.dead.is_some() {
        bail!("both have passed; resume plays on, ok counts");
    }
    moves::check(&game.session.position, mv)?;
    game.play(mv)
}

fn list_moves(game: &Game) -> Result<()> {
    let moves = game.session.position.moves().enumerate();
    let moves: Vec<String> = moves
        .map(|(index, (color, mv))| format!("{} {} {mv}", index + 1, color.letter()))
        .collect();
    match moves.is_empty() {
        true => say(format_args!("no moves yet")),
        false => say(format_args!("{}", moves.join(", "))),
    }
}

fn save(game: &Game, file: &Path, may_replace: bool) -> Result<()> {
    check_new(file, may_replace)?;
    game.save(file)?;
    say(format_args!("saved to {}", file.display()))
}

/// The lines that a person types, after a prompt at a terminal.
struct Lines<'a, I> {
    input: &'a mut I,
    has_prompt: bool,
}

impl<'a, I: BufRead> Lines<'a, I> {
    fn new(input: &'a mut I) -> Lines<'a, I> {
        Lines {
            input,
            has_prompt: io::stdin().is_terminal(),
        }
    }

    /// The next line; none at the end of the input.
    fn next(&mut self, game: &Game) -> Result<Option<Line>> {
        if self.has_prompt {
            let who = match (game.outcome, game.dead) {
                (Some(_), _) => "game over",
                (None, Some(_)) => "dead stones",
                (None, None) => name(game.to_move()),
            };
            ask(format_args!("{who}> "))?;
        }
        let line = next_line(self.input).context("cannot read the input")?;
        if line.is_none() && self.has_prompt {
            say(format_args!(""))?;
        }
        Ok(line)
    }
}
