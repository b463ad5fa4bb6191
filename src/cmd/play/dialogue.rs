//! The dialogue of a game: lines are read while a person is to say something, engines move else.

use std::io::{self, BufRead};
use std::mem;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use super::arguments::GoArguments;
use super::commands::{Command, help};
use super::game::Game;
use super::go_commands::{GoCommand, USAGES};
use super::look::Look;
use super::moves;
use super::own_file::Saved;
use super::prompt::{Lines, PLAY_ON, listed};
use crate::console::{say, say_error};
use crate::go::{GameResult, Move, WonBy};
use crate::player::settlement::in_words;

const WELCOME: &str = "Type a move as D4, or pass, undo, hint, score; help lists all, quit ends";
const SETTLE: &str = "Type dead D4 to change a chain, ok to count, resume to play on";

/// Plays a game until it has ended, the input ends or says `quit`.
pub fn play(arguments: GoArguments, load: Option<&Path>, save: Option<&Path>) -> Result<()> {
    let mut game = Game::new(&arguments, save)?;
    if let Some(file) = load {
        game.load(file)?;
    }
    let finished = converse(&mut game, io::stdin().lock());
    // What was played is kept also where an engine has failed.
    game.keep().and(finished)
}

fn converse(game: &mut Game, input: impl BufRead) -> Result<()> {
    let mut lines = Lines::new(input);
    let (mut is_drawn, mut below) = (false, WELCOME);
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
            tell_state(game, mem::take(&mut below))?;
        }
        let Some(line) = lines.next(&game.prompt())? else {
            return Ok(());
        };
        is_drawn = match line.text().and_then(|line| obey(game, &line)) {
            Ok(Next::Quit) => return Ok(()),
            Ok(next) => next == Next::SameBoard,
            Err(error) => {
                say_error(&error)?;
                true
            }
        };
    }
}

/// The board with a line below it, and what may be done where that is not to move. A counted game was drawn with its
/// count.
fn tell_state(game: &Game, below: &str) -> Result<()> {
    if game.outcome.is_some() {
        return match below.is_empty() {
            true => Ok(()),
            false => say(format_args!("{below}")),
        };
    }
    game.show(below)?;
    match game.result_by_marks() {
        Some(result) => {
            let (marks, result) = (Look::of_stdout().dead_marks(), in_words(result));
            say(format_args!(
                "Dead stones are marked {marks}.\nBy these marks: {result}\n{SETTLE}"
            ))
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
    match GoCommand::read(line, &game.session.position)? {
        GoCommand::Common(command) => return obey_common(game, command),
        GoCommand::Move(mv) => move_of_person(game, mv)?,
        GoCommand::Dead(points) => game.toggle_dead(&points)?,
        GoCommand::Accept => game.accept()?,
        GoCommand::Resume => game.resume()?,
        GoCommand::Score => {
            game.tell_score()?;
            return Ok(Next::SameBoard);
        }
    }
    Ok(Next::NewBoard)
}

fn obey_common(game: &mut Game, command: Command) -> Result<Next> {
    match command {
        Command::Undo => game.undo()?,
        Command::Resign => resign(game)?,
        Command::Load(file) => {
            game.own_file().check_replaceable()?;
            game.load(&file)?;
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
        Command::Board => game.show(""),
        Command::Moves => list_moves(game),
        Command::Save { file, replaces } => game.save(file, replaces),
        _ => say(format_args!("{}", help(&USAGES))),
    }
}

/// A person gives the game up: the one to move, otherwise the other, as where an engine would be to move after two
/// passes.
fn resign(game: &mut Game) -> Result<()> {
    ensure!(game.outcome.is_none(), "the game is over");
    let to_move = game.to_move();
    let mut persons = [to_move, !to_move].into_iter();
    let loser = persons.find(|&color| game.is_person(color));
    let loser = loser.context("no person plays")?;
    game.dead = None;
    game.end(GameResult::Win(!loser, WonBy::Resignation))
}

fn move_of_person(game: &mut Game, mv: Move) -> Result<()> {
    if game.outcome.is_some() {
        bail!("the game is over; undo takes the last move back, quit leaves");
    }
    if game.dead.is_some() {
        bail!("both have passed; resume plays on, ok counts");
    }
    if game.is_closed && !game.is_person(game.to_move()) {
        bail!("the record has a result: {PLAY_ON}");
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
        false => say(format_args!("{}", listed(&moves))),
    }
}
