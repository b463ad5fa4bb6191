//! One game: the referee throws the dice and keeps the position.

use std::time::{Duration, Instant};

use anyhow::Context;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::conditions::{DiceConditions, DiceMoves, DiceOpening};
use super::player::DiceContestant;
use crate::arena::contest::{GameReport, ended_by};
use crate::arena::ending::Ending;
use crate::arena::terms::color_of;
use crate::games::dice_game::{DiceGame, Pair, Rolled, thrown};
use crate::go::{Color, PerColor};

/// Plays a game. A fault loses it; only a player that cannot start is an error.
pub(super) fn play<G: DiceGame>(
    conditions: &DiceConditions<G>,
    number: usize,
    opening: &DiceOpening,
    players: PerColor<&mut (dyn DiceContestant<G> + 'static)>,
) -> anyhow::Result<GameReport<DiceMoves<G>>> {
    let mut table = Table {
        position: conditions.initial.clone(),
        players,
        time_used: PerColor::default(),
        turns: Vec::new(),
    };
    for color in Color::BOTH {
        let player = &mut table.players[color];
        player
            .start(number)
            .with_context(|| format!("{} cannot start a game", player.name()))?;
    }
    let mut dice = Dice::new(conditions.seed, opening.pair);
    let ending = table.play(&mut dice, conditions.max_moves);
    let names = PerColor(Color::BOTH.map(|color| table.players[color].name().to_owned()));
    Ok(GameReport {
        names: names.clone(),
        moves: DiceMoves {
            start: conditions.initial.clone(),
            turns: table.turns,
            names,
        },
        opening_len: 0,
        time_used: table.time_used,
        ending,
    })
}

/// The dice of a game.
struct Dice {
    random: ChaCha8Rng,
    is_first: bool,
}

impl Dice {
    fn new(seed: u64, pair: u64) -> Dice {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(pair);
        Dice {
            random,
            is_first: true,
        }
    }

    /// The first roll of a game is no double: it decides who begins.
    fn throw(&mut self) -> Pair {
        loop {
            let pair = thrown(&mut self.random);
            if !self.is_first || pair[0] != pair[1] {
                self.is_first = false;
                return pair;
            }
        }
    }
}

struct Table<'p, G: DiceGame> {
    position: G,
    players: PerColor<&'p mut (dyn DiceContestant<G> + 'static)>,
    time_used: PerColor<Duration>,
    turns: Vec<Rolled<G::Play>>,
}

impl<G: DiceGame> Table<'_, G> {
    fn play(&mut self, dice: &mut Dice, max_moves: usize) -> Ending {
        loop {
            if let Some(result) = self.position.result() {
                return Ending::Won {
                    winner: color_of(result.winner),
                    by: result.by,
                };
            }
            if self.turns.len() >= max_moves {
                return Ending::Drawn {
                    by: "too many moves",
                };
            }
            let dice = self.position.dice().unwrap_or_else(|| dice.throw());
            let rolled = self.position.rolled(dice);
            let play = match self.choose(&rolled) {
                Ok(play) => play,
                Err(ending) => return ending,
            };
            self.position = rolled.after(&play);
            self.turns.push(Rolled { dice, play });
        }
    }

    /// Nobody is asked where nothing can be moved.
    fn choose(&mut self, rolled: &G) -> Result<G::Play, Ending> {
        let plays = rolled.plays();
        if let [only] = &plays[..]
            && G::is_pass(only)
        {
            return Ok(only.clone());
        }
        let loser = color_of(rolled.to_move());
        let begun = Instant::now();
        let choice = self.players[loser].choose(rolled);
        self.time_used[loser] += begun.elapsed();
        choice.map_err(|fault| ended_by(loser, fault, false))
    }
}
