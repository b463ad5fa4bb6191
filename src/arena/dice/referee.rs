//! One game: the referee throws the dice and keeps the position.

use std::time::Duration;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::conditions::{DiceConditions, DiceMoves, DiceOpening};
use super::player::DiceContestant;
use crate::arena::contest::GameReport;
use crate::arena::ending::Ending;
use crate::arena::referee::{Timed, start_both};
use crate::arena::terms::color_of;
use crate::clock::TimeControl;
use crate::games::dice_game::{DiceGame, Pair, Rolled, thrown};
use crate::go::PerColor;

/// Plays a game. A fault loses it; only a player that cannot start is an error.
pub(super) fn play<G: DiceGame>(
    conditions: &DiceConditions<G>,
    number: usize,
    opening: &DiceOpening,
    mut players: PerColor<&mut (dyn DiceContestant<G> + 'static)>,
) -> anyhow::Result<GameReport<DiceMoves<G>>> {
    let names = start_both(|color| {
        let player = &mut players[color];
        (player.start(number), player.name().to_owned())
    })?;
    let mut table = Table {
        position: conditions.initial.clone(),
        players,
        timed: Timed::new(TimeControl::Unlimited, Duration::ZERO),
        turns: Vec::new(),
    };
    let mut dice = Dice::new(conditions.seed, opening.pair);
    let ending = table.play(&mut dice, conditions.max_moves);
    Ok(GameReport {
        names,
        moves: DiceMoves {
            start: conditions.initial.clone(),
            turns: table.turns,
        },
        opening_len: 0,
        time_used: table.timed.used,
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
    timed: Timed,
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
        let color = color_of(rolled.to_move());
        let player = &mut self.players[color];
        self.timed.ask(color, |_, _| player.choose(rolled))
    }
}
