//! Sampling of hidden cards, on a whist of two players with three cards each that is small enough to be solved exactly.

use keima::minimax::deals::{Hidden, choose};
use keima::minimax::{Position, Score, Verdict, Wanted};
use keima::search::Side;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Cards 0 to 3 are of one suit, 4 to 7 of the other; higher numbers win within a suit.
const CARDS: u8 = 8;

/// Two hands of three, as bits; who leads; the card that was led. Whoever takes more tricks wins.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Whist {
    hands: [u8; 2],
    turn: usize,
    led: Option<u8>,
    tricks: [u8; 2],
}

fn cards(hand: u8) -> impl Iterator<Item = u8> {
    (0..CARDS).filter(move |card| hand & 1 << card != 0)
}

fn suit(card: u8) -> u8 {
    0x0f << (card / 4 * 4)
}

impl Position for Whist {
    type Move = u8;
    const SHAPES: usize = CARDS as usize;

    fn to_move(&self) -> Side {
        [Side::First, Side::Second][self.turn]
    }

    fn key(&self) -> u64 {
        let parts = [
            self.hands[0],
            self.hands[1],
            self.turn as u8,
            self.led.map_or(0, |card| card + 1),
            self.tricks[0],
        ];
        parts
            .iter()
            .fold(0, |key, &part| key << 8 | u64::from(part))
    }

    /// Suit must be followed.
    fn moves(&self, _wanted: Wanted, list: &mut Vec<u8>) {
        let hand = self.hands[self.turn];
        let following = self.led.map_or(0, |led| hand & suit(led));
        list.extend(cards(if following == 0 { hand } else { following }));
    }

    fn play(&mut self, card: u8) {
        self.hands[self.turn] &= !(1 << card);
        match self.led.take() {
            None => {
                self.led = Some(card);
                self.turn = 1 - self.turn;
            }
            Some(led) => {
                if suit(led) != suit(card) || led > card {
                    self.turn = 1 - self.turn;
                }
                self.tricks[self.turn] += 1;
            }
        }
    }

    fn verdict(&self, is_stuck: bool) -> Option<Verdict> {
        if !is_stuck {
            return None;
        }
        // The winner of the last trick is to move.
        let [own, other] = [self.tricks[self.turn], self.tricks[1 - self.turn]];
        (own < other).then_some(Verdict::Lost)
    }

    fn is_settled(&self) -> bool {
        true
    }

    fn reversible(&self) -> u32 {
        0
    }

    fn code(&self, card: u8) -> u16 {
        card.into()
    }

    fn shape(&self, card: u8) -> usize {
        card.into()
    }
}

/// What the player to move knows: the own hand, what was led, the tricks.
struct Seen(Whist);

impl Seen {
    /// The hands that the other may hold.
    fn worlds(&self) -> Vec<Whist> {
        let own = self.0.hands[self.0.turn];
        let size = self.0.hands[1 - self.0.turn].count_ones();
        let led = self.0.led.map_or(0, |card| 1 << card);
        let may_be = |hand: &u8| hand & (own | led) == 0 && hand.count_ones() == size;
        let world = |hand: u8| {
            let mut world = self.0.clone();
            world.hands[1 - world.turn] = hand;
            world
        };
        (0..=u8::MAX).filter(may_be).map(world).collect()
    }
}

impl Hidden for Seen {
    type World = Whist;

    fn sample(&self, random: &mut dyn FnMut() -> u64) -> Whist {
        let worlds = self.worlds();
        worlds[random() as usize % worlds.len()].clone()
    }

    fn actions(&self) -> Vec<u8> {
        let mut list = Vec::new();
        self.0.moves(Wanted::All, &mut list);
        list
    }
}

/// Tricks that the side to move takes less those that it loses, all cards seen and best play, in hundredths.
fn solved(game: &Whist) -> Score {
    let mut list = Vec::new();
    game.moves(Wanted::All, &mut list);
    let value = |card: &u8| {
        let mut after = game.clone();
        after.play(*card);
        let value = solved(&after);
        if after.turn == game.turn {
            value
        } else {
            -value
        }
    };
    let [own, other] = [game.tricks[game.turn], game.tricks[1 - game.turn]];
    let ended = 100 * (Score::from(own) - Score::from(other));
    list.iter().map(value).max().unwrap_or(ended)
}

/// The mean value of each action over all worlds, in the order of the actions.
fn exact(seen: &Seen) -> Vec<f64> {
    let worlds = seen.worlds();
    let value = |world: &Whist, action: u8| {
        let mut after = world.clone();
        after.play(action);
        let value = f64::from(solved(&after));
        if after.turn == world.turn {
            value
        } else {
            -value
        }
    };
    let mean = |action: u8| {
        let sum: f64 = worlds.iter().map(|world| value(world, action)).sum();
        sum / worlds.len() as f64
    };
    seen.actions().into_iter().map(mean).collect()
}

fn deal(own: &[u8], other: &[u8]) -> Whist {
    let hand = |cards: &[u8]| cards.iter().fold(0, |hand, card| hand | 1 << card);
    Whist {
        hands: [hand(own), hand(other)],
        turn: 0,
        led: None,
        tricks: [0, 0],
    }
}

fn sampled(seen: &Seen, worlds: usize, seed: u64) -> Vec<(u8, f64)> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let averages = choose(seen, worlds, &mut || random.next_u64(), solved);
    averages
        .iter()
        .map(|average| (average.action, average.value))
        .collect()
}

#[test]
fn sampled_values_approach_those_of_all_deals() {
    let seen = Seen(deal(&[0, 3, 6], &[1, 2, 7]));
    assert_eq!(seen.worlds().len(), 10);
    let exact = exact(&seen);
    let found = sampled(&seen, 4_000, 1);
    for (action, expected) in seen.actions().into_iter().zip(&exact) {
        let (_, value) = found.iter().find(|(found, _)| *found == action).unwrap();
        assert!(
            (value - expected).abs() < 12.0,
            "{action}: {value}, {expected}"
        );
    }
}

#[test]
fn a_hundred_deals_choose_the_best_lead_of_every_hand() {
    let mut hands = 0;
    for own in (0..=u8::MAX).filter(|hand| hand.count_ones() == 3) {
        let own: Vec<u8> = cards(own).collect();
        let others: Vec<u8> = (0..CARDS)
            .filter(|card| !own.contains(card))
            .take(3)
            .collect();
        let seen = Seen(deal(&own, &others));
        let values = exact(&seen);
        let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (chosen, _) = sampled(&seen, 100, 7)[0];
        let place = seen
            .actions()
            .iter()
            .position(|card| *card == chosen)
            .unwrap();
        // Nearly equal leads may be confused.
        assert!(
            values[place] > best - 15.0,
            "{own:?}: {values:?}, chosen {chosen}"
        );
        hands += 1;
    }
    assert_eq!(hands, 56);
}

#[test]
fn same_seed_gives_the_same_values() {
    let seen = Seen(deal(&[1, 2, 5], &[0, 4, 7]));
    assert_eq!(sampled(&seen, 50, 3), sampled(&seen, 50, 3));
    assert_ne!(sampled(&seen, 50, 3), sampled(&seen, 50, 4));
}
