//! The legal plays of a roll. A play is its resulting position: plays with equal results are one.
//!
//! As many dice as possible have to be played, and the larger one if only either can be. Doubles are played four
//! times. Men on the bar come in first. Men are borne off when all are in the home board; a die larger than the
//! rearmost man's point takes that man.

use super::board::{BAR, Board, rear};

/// The two dice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dice {
    /// The larger.
    pub high: u8,
    /// The smaller.
    pub low: u8,
}

impl Dice {
    /// Two dice, in any order.
    pub fn new(one: u8, other: u8) -> Dice {
        Dice {
            high: one.max(other),
            low: one.min(other),
        }
    }

    /// Whether both are equal.
    pub fn is_double(self) -> bool {
        self.high == self.low
    }

    /// The probability of the roll.
    pub fn probability(self) -> f64 {
        if self.is_double() {
            1.0 / 36.0
        } else {
            2.0 / 36.0
        }
    }
}

/// The 21 rolls, those that are not doubles first.
pub fn rolls() -> impl Iterator<Item = Dice> {
    let pairs = (1..=6).flat_map(|high| (1..high).map(move |low| Dice { high, low }));
    pairs.chain((1..=6).map(|die| Dice {
        high: die,
        low: die,
    }))
}

/// The movement of one man by one die, by indices of places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// From the bar or a point.
    pub from: u8,
    /// To a point; none off the board.
    pub to: Option<u8>,
    /// Whether it hits a blot.
    pub is_hit: bool,
}

/// A legal play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Play {
    /// The position after it, still seen from the side that played.
    pub after: Board,
    steps: [Step; 4],
    count: u8,
}

impl Play {
    const NO_STEP: Step = Step {
        from: 0,
        to: None,
        is_hit: false,
    };

    /// No movement.
    pub fn none(board: Board) -> Play {
        Play {
            after: board,
            steps: [Play::NO_STEP; 4],
            count: 0,
        }
    }

    /// The movements of men, in an order in which they are possible.
    pub fn steps(&self) -> &[Step] {
        &self.steps[..self.count.into()]
    }

    /// The play with another movement by a die, if that is legal.
    fn stepped(&self, from: usize, die: u8) -> Option<Play> {
        let board = &self.after;
        let to = target(board, from, die)?;
        let mut play = *self;
        let is_hit = play.after.step(from, to);
        play.steps[usize::from(self.count)] = Step {
            from: from as u8,
            to: to.map(|to| to as u8),
            is_hit,
        };
        play.count += 1;
        Some(play)
    }
}

/// Where a die takes a man: to a point, or off. None if it cannot be played.
fn target(board: &Board, from: usize, die: u8) -> Option<Option<usize>> {
    let die = usize::from(die);
    if board.own[from] == 0 || from != BAR && board.own[BAR] > 0 {
        return None;
    }
    if from >= die {
        let to = from - die;
        return (board.opposing(to) < 2).then_some(Some(to));
    }
    let rear = rear(&board.own);
    let is_borne_off = rear <= super::board::HOME && (from + 1 == die || from + 1 == rear);
    is_borne_off.then_some(None)
}

/// Appends all plays. If no man can be moved, the only play has no steps.
pub fn plays(board: &Board, dice: Dice, list: &mut Vec<Play>) {
    let start = list.len();
    let none = Play::none(*board);
    if dice.is_double() {
        let most = doubles(&none, dice.high, BAR, list, start, 0);
        let is_shorter = |play: &Play| play.count < most;
        while let Some(shorter) = list[start..].iter().position(is_shorter) {
            list.swap_remove(start + shorter);
        }
    } else {
        let both = two(&none, [dice.high, dice.low], list, start)
            | two(&none, [dice.low, dice.high], list, start);
        if !both {
            single(&none, dice.high, list);
            if list.len() == start {
                single(&none, dice.low, list);
            }
        }
    }
    if list.len() == start {
        list.push(none);
    }
}

/// The places that a man may be moved from, from the rear.
fn sources(play: &Play, last: usize) -> impl Iterator<Item = usize> + use<> {
    let own = play.after.own;
    let first = if own[BAR] > 0 { BAR } else { 0 };
    (first..=last).rev().filter(move |&from| own[from] > 0)
}

fn add(play: Play, list: &mut Vec<Play>, start: usize) {
    if !list[start..].iter().any(|known| known.after == play.after) {
        list.push(play);
    }
}

/// Plays of two different dice in this order; gives whether there is any.
fn two(none: &Play, [first, second]: [u8; 2], list: &mut Vec<Play>, start: usize) -> bool {
    let mut any = false;
    for from in sources(none, BAR) {
        let Some(half) = none.stepped(from, first) else {
            continue;
        };
        for from in sources(&half, BAR) {
            if let Some(play) = half.stepped(from, second) {
                any = true;
                add(play, list, start);
            }
        }
    }
    any
}

fn single(none: &Play, die: u8, list: &mut Vec<Play>) {
    list.extend(sources(none, BAR).filter_map(|from| none.stepped(from, die)));
}

/// Plays of a double, men from the rear first, since their order does not matter. Shorter ones are appended too
/// while none is longer. Gives the largest number of steps so far.
fn doubles(
    play: &Play,
    die: u8,
    last: usize,
    list: &mut Vec<Play>,
    start: usize,
    longest: u8,
) -> u8 {
    let mut longest = longest;
    let mut is_end = true;
    if play.count < 4 {
        for from in sources(play, last) {
            if let Some(next) = play.stepped(from, die) {
                is_end = false;
                longest = doubles(&next, die, from, list, start, longest);
            }
        }
    }
    if is_end && play.count > 0 && play.count >= longest {
        longest = play.count;
        add(*play, list, start);
    }
    longest
}
