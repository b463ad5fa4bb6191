//! The dialogue of games other than Go: commands that are the same at all of them.

use std::io;
use std::path::Path;

use anyhow::{Result, ensure};

use super::commands::{Command, Typed, Usage, help};
use super::own_file::Saved;
use super::prompt::{Lines, OVER, PLAY_ON};
use super::record_file::RecordFile;
use crate::console::{say, say_error};
use crate::search::game::Side;

const WELCOME: &str = "Type a move, or undo, hint, resign; help lists all, quit ends";
const IS_OVER: &str = "the game is over; type new or undo";

/// What these games have besides moves and the commands of all games.
const USAGES: [Usage; 5] = [
    ("eval", "what the evaluation says of the position"),
    ("moves", "list the legal moves"),
    (
        "position",
        "the position as --position takes it; at chess FEN",
    ),
    ("resume", "play on where a record has a result"),
    ("new", "begin a new game"),
];

/// A game other than Go at the terminal.
pub(super) trait OtherGame: Saved {
    /// Names of the sides.
    const SIDES: [&'static str; 2];
    /// How a move is typed.
    const MOVE: Usage;

    /// Its record, to be changed.
    fn record_mut(&mut self) -> &mut RecordFile;

    /// The side to move.
    fn to_move(&self) -> Side;

    /// The side that a person gives up for.
    fn persons_side(&self) -> Side;

    /// Whether a person may type a move or dice as the game stands. So it is wherever [`OtherGame::go_on`] ends.
    fn is_to_enter(&self) -> bool;

    /// Whether the game has ended, by the rules or by resignation.
    fn is_over(&self) -> bool;

    /// Lets the program move until a person is to type something, and draws the board.
    fn go_on(&mut self) -> Result<()>;

    /// Draws the board, with the result if the game is over.
    fn show(&self) -> Result<()>;

    /// Plays a move that a person typed.
    fn enter(&mut self, line: &str) -> Result<()>;

    /// Takes moves back until the person is to move again.
    fn undo(&mut self) -> Result<()>;

    /// Begins a new game.
    fn begin(&mut self);

    /// Tells good moves.
    fn hint(&mut self) -> Result<()>;

    /// Tells what the evaluation says.
    fn evaluate(&mut self) -> Result<()>;

    /// Lists the legal moves.
    fn list_moves(&self) -> Result<()>;

    /// The position in the game's notation.
    fn position_text(&self) -> String;

    /// Goes on with the game of a file.
    fn load(&mut self, file: &Path) -> Result<()>;
}

/// Plays until the input ends or says `quit`. Mistakes are told, and the game goes on.
pub(super) fn converse<G: OtherGame>(game: &mut G) -> Result<()> {
    say(format_args!("{WELCOME}"))?;
    go_on_unless_decided(game)?;
    let mut lines = Lines::new(io::stdin().lock());
    loop {
        let who = match game.is_over() {
            true => OVER,
            false => G::SIDES[game.to_move() as usize],
        };
        let Some(line) = lines.next(who)? else {
            break;
        };
        match line.text().and_then(|line| obey(game, &line)) {
            Ok(true) => break,
            Ok(false) => {}
            Err(error) => say_error(&error)?,
        }
    }
    game.keep()
}

/// Goes on with a new game, or one that was loaded, which waits where its record has a result.
fn go_on_unless_decided<G: OtherGame>(game: &mut G) -> Result<()> {
    let Some(points) = recorded(game) else {
        return game.go_on();
    };
    game.show()?;
    let result = in_words(G::SIDES, points, "");
    say(format_args!("result of the record: {result}; {PLAY_ON}"))
}

/// The result of the record that was loaded, as the point of the first side, if the board shows none and nothing has
/// been done since.
fn recorded<G: OtherGame>(game: &mut G) -> Option<f64> {
    let result = game.record_mut().heading().result;
    result.filter(|_| !game.is_over())
}

/// A result as a sentence, with `how` a win came about; `points` are those of the first side, of one.
pub(super) fn in_words(sides: [&str; 2], points: f64, how: &str) -> String {
    match points {
        1.0 => format!("{} has won{how}", sides[0]),
        0.0 => format!("{} has won{how}", sides[1]),
        _ => "the game is a draw".to_owned(),
    }
}

/// Does what a line says, and returns whether it was to leave.
fn obey<G: OtherGame>(game: &mut G, line: &str) -> Result<bool> {
    let typed = Typed::new(line);
    match Command::read(&typed, G::RECORDS)? {
        _ if typed.line.is_empty() => {}
        Some(Command::Quit) => return Ok(true),
        Some(command) => obey_common(game, command)?,
        None => obey_own(game, &typed)?,
    }
    Ok(false)
}

fn obey_common<G: OtherGame>(game: &mut G, command: Command) -> Result<()> {
    match command {
        Command::Undo => undo(game),
        Command::Resign => resign(game),
        Command::Hint => {
            ensure!(!game.is_over(), "the game is over");
            game.hint()
        }
        Command::Board => game.show(),
        Command::Moves => game.list_moves(),
        Command::Save { file, replaces } => game.save(file, replaces),
        Command::Load(file) => {
            game.own_file().check_replaceable()?;
            game.load(&file)?;
            go_on_unless_decided(game)
        }
        Command::Help | Command::Quit => {
            let own = [&[G::MOVE][..], &USAGES].concat();
            say(format_args!("{}", help(&own)))
        }
    }
}

fn obey_own<G: OtherGame>(game: &mut G, typed: &Typed) -> Result<()> {
    let word = &*typed.word;
    if matches!(word, "eval" | "position" | "fen" | "resume" | "new") {
        typed.check_alone()?;
    }
    match word {
        "eval" => game.evaluate(),
        "position" | "fen" => say(format_args!("{}", game.position_text())),
        "new" => {
            game.own_file().check_replaceable()?;
            game.record_mut().begin();
            game.begin();
            game.go_on()
        }
        "resume" => {
            ensure!(!game.is_over(), IS_OVER);
            ensure!(recorded(game).is_some(), "the game goes on");
            game.record_mut().change(usize::MAX);
            game.keep_or_tell()?;
            game.go_on()
        }
        _ => {
            ensure!(!game.is_over(), IS_OVER);
            ensure!(
                game.is_to_enter() || recorded(game).is_none(),
                "the record has a result: {PLAY_ON}"
            );
            game.enter(typed.line)?;
            game.keep_or_tell()?;
            game.go_on()
        }
    }
}

/// Of a game that was given up, takes only that back.
fn undo<G: OtherGame>(game: &mut G) -> Result<()> {
    if !game.record_mut().take_resignation_back() {
        game.undo()?;
    }
    game.keep_or_tell()?;
    game.go_on()
}

fn resign<G: OtherGame>(game: &mut G) -> Result<()> {
    ensure!(!game.is_over(), "the game is over");
    let side = game.persons_side();
    game.record_mut().resign(side);
    game.keep_or_tell()?;
    game.show()
}
