//! Backgammon: rules, notation, records, evaluations and search, the external player's language, commands.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod commands;
#[path = "../common/mod.rs"]
mod common;
mod external;
mod notation;
mod rules;
mod search;

use keima::games::backgammon::board::Board;
use keima::games::backgammon::{BackgammonPosition, Dice, Stakes, notation as text};

use common::{client, folders, guarded, under_test};

/// Men on points, counted by their own side from 1; 25 is the bar.
fn men(points: &[(usize, u8)]) -> [u8; 25] {
    let mut men = [0; 25];
    points
        .iter()
        .for_each(|&(point, count)| men[point - 1] = count);
    men
}

/// A position of the first side with dice.
fn position(own: &[(usize, u8)], other: &[(usize, u8)], dice: [u8; 2]) -> BackgammonPosition {
    let board = Board::new(men(own), men(other));
    let start = BackgammonPosition::start(Stakes::Points);
    BackgammonPosition { board, ..start }.rolled(Dice::new(dice[0], dice[1]))
}

/// All plays as text, in alphabetical order.
fn plays(position: &BackgammonPosition) -> Vec<String> {
    let mut plays: Vec<String> = position.plays().iter().map(text::play_text).collect();
    plays.sort();
    plays
}
