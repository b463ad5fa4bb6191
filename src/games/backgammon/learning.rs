//! Learning from games against itself by TD(lambda), from random weights.
//!
//! Both sides play what looks best; the dice see to variety. After a game each of its positions gets a target: a mean of
//! the evaluations of later positions and the result, in which what comes a roll later weighs lambda times as much. The
//! weights then take a step towards the targets. With equal settings all results are the same.

use anyhow::{Context, Result, ensure};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::board::{Board, men_left};
use super::linear::Linear;
use super::model::{Model, known};
use super::net::Net;
use super::outcome::Outcome;
use super::plays::{Dice, plays};
use super::position::Stakes;
use crate::games::dice_game::thrown;

/// Plies after which a game is broken off. Ordinary games have about 60.
const MOST_PLIES: usize = 1_000;

/// First line of a stored run, before its settings.
const HEADER: &str = "keima backgammon run 1 ";

/// Settings of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearningSettings {
    /// Hidden units of the network; none for the linear evaluation.
    pub hidden: Option<usize>,
    /// Games in all.
    pub games: u64,
    /// Weight of later evaluations in targets.
    pub lambda: f32,
    /// Size of the first steps.
    pub first_rate: f32,
    /// Size of the last steps; in between it falls exponentially.
    pub last_rate: f32,
    /// Seed of all random numbers.
    pub seed: u64,
}

/// A run in progress.
#[derive(Clone, Debug)]
pub struct Learning {
    /// Settings.
    pub settings: LearningSettings,
    /// The weights now.
    pub model: Model,
    /// Games played.
    pub games: u64,
}

/// What some games were like.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// Games.
    pub games: u64,
    /// Plies.
    pub plies: u64,
    /// Games that ended by at least a gammon.
    pub gammons: u64,
    /// Sum of squared differences between targets and evaluations of the probability to win.
    pub error: f64,
}

impl Learning {
    /// A new run, with random weights.
    pub fn new(settings: LearningSettings) -> Learning {
        let mut random = ChaCha8Rng::seed_from_u64(settings.seed);
        Learning {
            settings,
            model: match settings.hidden {
                Some(hidden) => Model::Net(Net::random(hidden, &mut random)),
                None => Model::Linear(Linear::blank()),
            },
            games: 0,
        }
    }

    /// The run with its weights bit for bit, to go on later.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let head = serde_json::to_string(&(&self.settings, self.games))?;
        let mut bytes = format!("{HEADER}{head}\n").into_bytes();
        let numbers = self.model.numbers();
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        Ok(bytes)
    }

    /// Reads what [`Learning::to_bytes`] writes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Learning> {
        let end = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(0);
        let head = String::from_utf8_lossy(&bytes[..end]);
        let head = head
            .strip_prefix(HEADER)
            .context("this is no run of keima backgammon train")?;
        let (settings, games): (LearningSettings, u64) = serde_json::from_str(head)?;
        ensure!(
            settings
                .hidden
                .is_none_or(|hidden| (1..=4096).contains(&hidden)),
            "the run is damaged"
        );
        let mut learning = Learning::new(settings);
        let weights = bytes[end + 1..].chunks_exact(4);
        let numbers: Vec<f32> = weights
            .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]))
            .collect();
        learning
            .model
            .set_numbers(&numbers)
            .context("the run is damaged")?;
        learning.games = games;
        Ok(learning)
    }

    /// The share of games that this run's evaluation wins against another, for one point and without search; the
    /// two games of a pair have the same dice. `games` is even.
    pub fn score(&self, opponent: &Model, games: u64) -> f64 {
        let mut won = 0;
        for game in 0..games {
            let mut random = ChaCha8Rng::seed_from_u64(!self.settings.seed);
            random.set_stream(game / 2);
            let models = match game % 2 {
                0 => [&self.model, opponent],
                _ => [opponent, &self.model],
            };
            let winner = winner(models, &mut random);
            won += u64::from(winner == (game % 2) as usize);
        }
        won as f64 / games.max(1) as f64
    }

    /// Plays this many games more, or to the end of the run, and learns from them.
    pub fn go_on(&mut self, games: u64) -> Figures {
        let mut figures = Figures::default();
        for _ in 0..games.min(self.settings.games - self.games.min(self.settings.games)) {
            self.games += 1;
            let mut random = ChaCha8Rng::seed_from_u64(self.settings.seed);
            random.set_stream(self.games);
            let played = play(&self.model, &mut random);
            figures.games += 1;
            figures.plies += played.boards.len() as u64;
            figures.gammons += u64::from(played.end.win_gammon + played.end.lose_gammon > 0.5);
            let rate = self.rate();
            figures.error += self.learn(&played, rate);
        }
        figures
    }

    /// The size of steps now.
    pub fn rate(&self) -> f32 {
        let settings = &self.settings;
        let part = self.games as f32 / settings.games.max(1) as f32;
        settings.first_rate * (settings.last_rate / settings.first_rate).powf(part)
    }

    fn learn(&mut self, played: &Played, rate: f32) -> f64 {
        let mut error = 0.0;
        let mut target = played.end;
        for (board, guess) in played.boards.iter().zip(&played.guesses).rev() {
            // Both are for the side to roll in the position before now.
            error += f64::from(target.win - guess.win).powi(2);
            self.model.learn(board, &target, rate);
            target = target.mixed(self.settings.lambda, guess).turned();
        }
        error
    }
}

/// A game of the evaluation against itself.
struct Played {
    /// Positions before rolls, seen from the side to roll.
    boards: Vec<Board>,
    /// Their evaluations.
    guesses: Vec<Outcome>,
    /// The result for the side to roll in the last position, exact or expected.
    end: Outcome,
}

/// Plays a game for one point or, as often, for points, until the end is known.
fn play(model: &Model, random: &mut ChaCha8Rng) -> Played {
    let stakes = if random.random() {
        Stakes::OnePoint
    } else {
        Stakes::Points
    };
    let mut board = Board::start();
    let mut played = Played {
        boards: Vec::new(),
        guesses: Vec::new(),
        end: Outcome::default(),
    };
    let mut guess = model.guess(&board);
    let mut list = Vec::new();
    loop {
        played.boards.push(board);
        played.guesses.push(guess);
        let [one, other] = thrown(random);
        let dice = Dice::new(one, other);
        list.clear();
        plays(&board, dice, &mut list);
        let mut best = (f64::NEG_INFINITY, board, guess);
        for play in &list {
            let after = play.after.turned();
            let found = known(&after, Stakes::Points).unwrap_or_else(|| model.guess(&after));
            let value = -found.equity(stakes);
            if value > best.0 {
                best = (value, after, found);
            }
        }
        (_, board, guess) = best;
        if let Some(end) = known(&board, Stakes::Points) {
            played.end = end.turned();
            return played;
        }
        if played.boards.len() >= MOST_PLIES {
            played.end = guess.turned();
            return played;
        }
    }
}

/// Plays a game for one point; gives the index of the winner.
fn winner(models: [&Model; 2], random: &mut ChaCha8Rng) -> usize {
    let mut board = Board::start();
    let mut list = Vec::new();
    let mut turn = 0;
    loop {
        let [one, other] = thrown(random);
        let dice = Dice::new(one, other);
        list.clear();
        plays(&board, dice, &mut list);
        let value = |board: &Board| models[turn].outcome(board, Stakes::OnePoint).turned().win;
        let boards = list.iter().map(|play| play.after.turned());
        let best = boards.max_by(|one, other| value(one).total_cmp(&value(other)));
        board = best.unwrap_or_else(|| board.turned());
        if men_left(&board.other) == 0 {
            return turn;
        }
        turn = 1 - turn;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(hidden: Option<usize>, games: u64) -> LearningSettings {
        LearningSettings {
            hidden,
            games,
            lambda: 0.7,
            first_rate: 0.05,
            last_rate: 0.01,
            seed: 3,
        }
    }

    #[test]
    fn runs_in_parts_are_the_same_as_whole_ones() {
        for hidden in [None, Some(5)] {
            let mut whole = Learning::new(settings(hidden, 6));
            let figures = whole.go_on(100);
            assert_eq!((figures.games, whole.games), (6, 6));
            let mut parts = Learning::new(settings(hidden, 6));
            parts.go_on(2);
            let stored = parts.to_bytes().expect("plain settings");
            let mut parts = Learning::from_bytes(&stored).expect("a run");
            assert!(Learning::from_bytes(&stored[..stored.len() - 4]).is_err());
            parts.go_on(4);
            assert_eq!(parts.model, whole.model);
        }
    }

    #[test]
    fn games_get_shorter_by_learning() {
        let mut learning = Learning::new(settings(Some(10), 1_500));
        let plies = |figures: Figures| figures.plies as f64 / figures.games as f64;
        let first = plies(learning.go_on(50));
        learning.go_on(1_400);
        let last = plies(learning.go_on(50));
        assert!(last < 0.8 * first, "{last} after {first} plies");
    }
}
