//! State of a match: games so far, pairs in order of completion, and the test, if any.
//!
//! A game that repeats an earlier one move for move is not independent: counting it would make the
//! interval too narrow. Such a game and its pair are not counted.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::pairs::Pairs;
use super::played::PlayedGame;
use super::sprt::{Sprt, Verdict};
use super::tally::{Interval, Tally};

/// The games of a match so far.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    games: Vec<PlayedGame>,
    /// Indices of games by a hash of their moves.
    by_moves: HashMap<u64, Vec<usize>>,
    /// Number of games that repeat earlier ones.
    repeats: usize,
    /// All games.
    tally: Tally,
    sprt: Option<Sprt>,
    /// Points of games whose pair is incomplete.
    halves: BTreeMap<usize, Option<f64>>,
    /// All pairs after the completion of each.
    course: Vec<Pairs>,
    verdict: Option<Verdict>,
}

impl Standing {
    pub fn new(sprt: Option<Sprt>) -> Standing {
        Standing {
            sprt,
            ..Standing::default()
        }
    }

    /// Adds a game, marking it if it repeats an earlier one. The first verdict of the test is
    /// final.
    pub fn add(&mut self, mut game: PlayedGame) {
        game.repeats = self.repeated_by(&game);
        let pair = game.pair();
        let points = game.points.filter(|_| game.repeats.is_none());
        self.repeats += usize::from(game.repeats.is_some());
        self.tally = self.tally + game.tally();
        let same_moves = self.by_moves.entry(hash(&game.moves)).or_default();
        same_moves.push(self.games.len());
        self.games.push(game);
        let Some(other) = self.halves.remove(&pair) else {
            self.halves.insert(pair, points);
            return;
        };
        // Pairs with a void or repeated game are not counted.
        let (Some(points), Some(other)) = (points, other) else {
            return;
        };
        let mut pairs = self.pairs();
        pairs.add(points + other);
        self.course.push(pairs);
        if let (None, Some(sprt)) = (self.verdict, self.sprt) {
            self.verdict = sprt.verdict(sprt.llr(&pairs.0));
        }
    }

    /// Number of the game that this one would repeat.
    pub fn repeated_by(&self, game: &PlayedGame) -> Option<usize> {
        let same_moves = self.by_moves.get(&hash(&game.moves))?;
        let mut earlier = same_moves.iter().map(|&index| &self.games[index]);
        let first = earlier.find(|earlier| earlier.is_same_as(game))?;
        Some(first.number)
    }

    /// Number of games that repeat earlier ones.
    pub fn repeats(&self) -> usize {
        self.repeats
    }

    /// The games in order of completion.
    pub fn games(&self) -> &[PlayedGame] {
        &self.games
    }

    /// The test, if there is one.
    pub fn sprt(&self) -> Option<Sprt> {
        self.sprt
    }

    /// The verdict of the test, if any.
    pub fn verdict(&self) -> Option<Verdict> {
        self.verdict
    }

    /// The pairs so far.
    pub fn pairs(&self) -> Pairs {
        self.course.last().copied().unwrap_or_default()
    }

    /// All pairs after the completion of each.
    pub fn course(&self) -> &[Pairs] {
        &self.course
    }

    /// The log-likelihood ratio after the pairs so far.
    pub fn llr(&self) -> Option<f64> {
        self.sprt.map(|sprt| sprt.llr(&self.pairs().0))
    }

    /// All games, counted for the first player.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// The first player's points per game with their 95 % interval, by pairs if there are any, else by games; none
    /// without games.
    pub fn score_with_interval(&self) -> Option<(f64, Interval)> {
        let (pairs, tally) = (self.pairs(), self.tally);
        let by_pairs = pairs.score().zip(pairs.interval());
        by_pairs.or_else(|| tally.score().zip(tally.interval()))
    }

    /// A subset of the games, counted for the first player.
    pub fn tally_of(&self, wanted: impl Fn(&PlayedGame) -> bool) -> Tally {
        let wanted = self.games.iter().filter(|game| wanted(game));
        wanted.fold(Tally::default(), |sum, game| sum + game.tally())
    }

    /// The games by a property such as the opening, in order of first occurrence, counted for the first player.
    pub fn tallies_by<'a>(
        &'a self,
        property: impl Fn(&'a PlayedGame) -> &'a str,
    ) -> Vec<(&'a str, Tally)> {
        let mut places = HashMap::new();
        let mut tallies: Vec<(&str, Tally)> = Vec::new();
        for game in &self.games {
            let name = property(game);
            let place = *places.entry(name).or_insert(tallies.len());
            if place == tallies.len() {
                tallies.push((name, Tally::default()));
            }
            tallies[place].1 = tallies[place].1 + game.tally();
        }
        tallies
    }

    /// The players' names; empty without games.
    pub fn names(&self) -> [String; 2] {
        let last = self.games.last();
        last.map(|game| game.names.clone()).unwrap_or_default()
    }

    /// Average seconds per move of each player, without the opening.
    pub fn seconds_per_move(&self) -> [Option<f64>; 2] {
        [0, 1].map(|player| {
            let moves: usize = self.games.iter().map(|game| game.own_moves()[player]).sum();
            let seconds: f64 = self.games.iter().map(|game| game.seconds[player]).sum();
            (moves > 0).then(|| seconds / moves as f64)
        })
    }
}

fn hash(moves: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    moves.hash(&mut hasher);
    hasher.finish()
}
