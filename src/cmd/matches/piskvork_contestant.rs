//! The protocol of Piskvork and Gomocup from the manager's side.

use std::cell::Cell;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::engine_contestant::{Dialect, Link, legal, no_answer};
use crate::arena::board::{Choice, GameStart, Pace, Turn};
use crate::arena::contestant::Fault;
use crate::clock::Clock;
use crate::games::board_game::BoardGame;

/// What engines get for a time without end, and in place of a memory limit.
const ENDLESS: u64 = i32::MAX as u64;
/// Pause after an answer of the engine: some lose a line that comes right then.
const PAUSE: Duration = Duration::from_millis(50);

/// An engine that speaks this protocol.
pub struct Piskvork {
    /// Settings of the user.
    options: Vec<(String, String)>,
    /// Moves on the engine's board after its last answer, and when that came; none before the game's first move.
    known: Cell<Option<(usize, Instant)>>,
}

impl Dialect for Piskvork {
    const LAST_LINE: &'static str = "END";

    fn introduce<G: BoardGame>(
        link: &mut Link,
        options: &[(String, String)],
        _game: &GameStart<G>,
    ) -> Result<(Piskvork, String)> {
        let patience = link.patience.command;
        let about = link.ask("ABOUT", patience, |line| {
            is_answer(line).then(|| line.to_owned())
        });
        let about = about.map_err(|fault| no_answer(fault, "ABOUT"))?;
        let engine = Piskvork {
            options: options.to_vec(),
            known: Cell::new(None),
        };
        Ok((engine, name(&about).unwrap_or_default()))
    }

    /// The board is made anew, since the rule or the size may be others.
    fn begin<G: BoardGame>(&self, link: &mut Link, game: &GameStart<G>) -> Result<()> {
        self.known.set(None);
        let position = game.start.engine_position();
        let line = position.lines().next().unwrap_or_default();
        let answer = link.ask(line, link.patience.command, |line| {
            is_answer(line).then(|| line.trim().to_owned())
        });
        match answer.map_err(|fault| no_answer(fault, line))?.as_str() {
            "OK" => {}
            other => bail!("the engine answers '{other}' to {line}"),
        }
        let rules = game.start.engine_options().into_iter();
        let rules = rules.map(|(name, value)| (name.to_owned(), value));
        let limits = [
            ("timeout_match", "0"),
            ("max_memory", "0"),
            ("game_type", "1"),
        ];
        let limits = limits.map(|(name, value)| (name.to_owned(), value.to_owned()));
        for (name, value) in limits
            .into_iter()
            .chain(rules)
            .chain(self.options.iter().cloned())
        {
            inform(link, &name, &value).map_err(|fault| no_answer(fault, "INFO"))?;
        }
        Ok(())
    }

    fn rest(&self) {
        if let Some((_, answered)) = self.known.get() {
            thread::sleep(PAUSE.saturating_sub(answered.elapsed()));
        }
    }

    fn choose<G: BoardGame>(
        &self,
        link: &mut Link,
        turn: &Turn<G>,
    ) -> Result<Choice<G::Move>, Fault> {
        let (per_move, left) = times(&turn.clocks[turn.color], link.patience.genmove);
        inform(link, "timeout_turn", &per_move.to_string())?;
        inform(link, "time_left", &left.to_string())?;
        let timeout = turn.limit.unwrap_or(link.patience.genmove);
        let moves = turn.engine_moves;
        let command = match (self.known.get(), moves.last()) {
            (Some((known, _)), Some(last)) if known + 1 == moves.len() => format!("TURN {last}"),
            _ => board(turn),
        };
        let answer = link.ask(&command, timeout, |line| {
            let line = line.trim();
            match line.to_ascii_uppercase() {
                upper if upper.starts_with("ERROR") || upper.starts_with("UNKNOWN") => {
                    Some(Err(Fault::Refused(line.to_owned())))
                }
                _ => is_pair(line).then(|| Ok(line.to_owned())),
            }
        })??;
        let mv = legal(turn, &answer)?;
        self.known.set(Some((moves.len() + 1, Instant::now())));
        Ok(Choice {
            mv,
            score: None,
            depth: None,
        })
    }
}

/// Whether a line answers, rather than being empty or a remark.
fn is_answer(line: &str) -> bool {
    let upper = line.trim().to_ascii_uppercase();
    !upper.is_empty() && !upper.starts_with("MESSAGE") && !upper.starts_with("DEBUG")
}

fn is_pair(line: &str) -> bool {
    let numbers = line.split_once(',');
    numbers.is_some_and(|(x, y)| [x, y].iter().all(|word| word.trim().parse::<u32>().is_ok()))
}

/// The name in an answer to `ABOUT`.
fn name(about: &str) -> Option<String> {
    let (_, rest) = about.split_once("name=\"")?;
    let (name, rest) = rest.split_once('"')?;
    let version = rest
        .split_once("version=\"")
        .and_then(|(_, rest)| rest.split_once('"'));
    match version {
        Some((version, _)) => Some(format!("{name} {version}")),
        None => Some(name.to_owned()),
    }
}

fn inform(link: &mut Link, name: &str, value: &str) -> Result<(), Fault> {
    link.tell(&format!("INFO {name} {value}"))
}

/// The command that tells all stones, or that there are none; the engine is to move.
fn board<G: BoardGame>(turn: &Turn<G>) -> String {
    let start = turn.start.engine_position();
    let before = start.lines().skip(1);
    let moves: Vec<&str> = before
        .chain(turn.engine_moves.iter().map(String::as_str))
        .collect();
    if moves.is_empty() {
        return "BEGIN".to_owned();
    }
    let own = |index: usize| {
        if (moves.len() - index).is_multiple_of(2) {
            1
        } else {
            2
        }
    };
    let stones = moves
        .iter()
        .enumerate()
        .map(|(index, mv)| format!("{mv},{}\n", own(index)));
    format!("BOARD\n{}DONE", stones.collect::<String>())
}

/// Milliseconds for the move, and for the rest of the game; `patience` where there is no clock.
fn times(clock: &Clock, patience: Duration) -> (u64, u64) {
    let whole = |time: Duration| (time.as_millis() as u64).min(ENDLESS);
    match Pace::of(clock) {
        Pace::Free => (whole(patience).min(30_000), ENDLESS),
        Pace::Move(time) => (whole(time), ENDLESS),
        Pace::Clock(clock) => (whole(clock.left), whole(clock.left)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_clock() {
        for (time, patience, expected) in [
            ("10+0.1", 60, (8_600, 8_600)),
            ("3m", 60, (178_500, 178_500)),
            ("2s/move", 60, (2_000, 2_147_483_647)),
            ("none", 60, (30_000, 2_147_483_647)),
            ("none", 7, (7_000, 2_147_483_647)),
        ] {
            let mut clock = Clock::new(time.parse().unwrap());
            clock.spend(Duration::from_millis(1500));
            let found = times(&clock, Duration::from_secs(patience));
            assert_eq!(found, expected, "{time}");
        }
    }
}
