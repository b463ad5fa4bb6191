//! How games begin: by size, rules, komi and handicap, or from a record.

use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};

use super::game::Game;
use super::seat::Seat;
use super::timing::Timing;
use super::{MOST_MOVES, MOST_SGF_BYTES};
use crate::clock::TimeControl;
use crate::formats::rules_json;
use crate::formats::sgf::{self, Heading, ReadOptions};
use crate::go::{BoardSize, GameResult, Komi, PerColor, Setup};

/// Remarks on a record that are shown.
const MOST_REMARKS: usize = 10;

/// The start of a game as a page asks for it.
pub(super) struct Start {
    pub(super) size: [usize; 2],
    pub(super) rules: String,
    pub(super) komi: Option<f64>,
    pub(super) handicap: usize,
    pub(super) seats: PerColor<Seat>,
    pub(super) time: Option<String>,
}

impl Start {
    /// The game. Komi is that of the rules where none is given, with a handicap half a point.
    pub(super) fn game(self) -> Result<Game> {
        let [width, height] = self.size;
        let size = BoardSize::new(width, height).context("boards have 2 to 25 lines")?;
        let rules = rules_json::parse(&self.rules)?;
        let by_rules = match self.handicap {
            0 => rules.usual_komi(),
            _ => Komi::from_half(1),
        };
        let komi = match self.komi {
            Some(points) => Komi::exactly(points).context("komi is a multiple of 0.5")?,
            None => by_rules,
        };
        let mut setup = Setup::new(size, rules, komi);
        if self.handicap > 0 {
            ensure!(self.handicap > 1, "a handicap is at least 2 stones");
            setup = setup.with_handicap(self.handicap)?;
        }
        let position = setup.position();
        let position = position.map_err(|_| anyhow!("the handicap stones do not fit"))?;
        let control = match &self.time {
            Some(text) => text
                .parse()
                .with_context(|| format!("time '{}'", text.escape_debug()))?,
            None => TimeControl::Unlimited,
        };
        let mut game = Game::new(position, Heading::default(), self.seats);
        game.timing = Timing::new(control, Duration::ZERO);
        Ok(game)
    }
}

/// A record's first game with its variations, up to its first impossible move; both colors are persons'. If it is over
/// by passes, it has the result that the record states, or is counted.
pub(super) fn loaded(bytes: &[u8], options: &ReadOptions) -> Result<Game> {
    ensure!(
        bytes.len() <= MOST_SGF_BYTES,
        "a game record has at most {MOST_SGF_BYTES} bytes"
    );
    let mut game = read(bytes, options)?;
    if game.position().is_over() {
        match game.heading().result() {
            Some(result) if result != GameResult::Unknown => game.end(result),
            _ => game.set_stage_by_rules(),
        }
    }
    Ok(game)
}

/// The same without a limit of bytes, and as if it went on.
pub(super) fn read(bytes: &[u8], options: &ReadOptions) -> Result<Game> {
    let (reading, mut beside) = sgf::read_with_variations(bytes, options)?;
    let mut record = reading.record;
    check_length(record.moves.len())?;
    let remarks = reading.remarks.iter().map(ToString::to_string);
    let mut remarks: Vec<String> = remarks.take(MOST_REMARKS).collect();
    let fault = record.cut_at_impossible_move()?;
    // What is beside an impossible move would be the game, and its properties those of another move.
    let moves = record.moves.len();
    let turns = moves + usize::from(fault.is_none());
    beside.properties.retain(|(turn, _)| *turn <= moves);
    if let Some(error) = fault {
        remarks.push(format!("loaded up to an impossible move: {error}"));
    }
    let position = record.position()?;
    let comments = record.comments.clone();
    let heading = Heading {
        loaded: Some(record),
        info: reading.info,
        properties: beside.properties,
        ..Heading::default()
    };
    let mut game = Game::new(position, heading, PerColor([Seat::Person, Seat::Person]));
    for (turn, comment) in comments {
        if let Some(node) = game.tree.at_mut(turn) {
            node.comment = comment;
        }
    }
    let left_out = game.tree.add_variations(&beside.lines, turns);
    if left_out > 0 {
        remarks.push(format!("{} not loaded", counted(left_out)));
    }
    game.remarks = remarks;
    // Variations may repeat the game and say more of it, and go on where it ends.
    game.tree.go_to_game()?;
    check_length(game.position().turn())?;
    if let Some(record) = &mut game.heading.loaded {
        record.moves = game.tree.position().moves().collect();
        let comments = game.tree.line().map(|node| node.comment.clone());
        let comments = comments.enumerate().filter(|(_, text)| !text.is_empty());
        record.comments = comments.collect();
    }
    Ok(game)
}

fn check_length(moves: usize) -> Result<()> {
    ensure!(
        moves <= MOST_MOVES,
        "the record has {moves} moves; at most {MOST_MOVES} can be loaded"
    );
    Ok(())
}

fn counted(variations: usize) -> String {
    match variations {
        1 => "1 variation, or a part of it, is".to_owned(),
        count => format!("{count} variations, or parts of them, are"),
    }
}
