//! The Hub protocol from the client's side.

use anyhow::Result;

use super::engine_contestant::{Dialect, Link, check_option, legal, no_answer};
use crate::arena::board::{Choice, GameStart, Pace, Turn};
use crate::arena::contestant::Fault;
use crate::clock::Clock;
use crate::games::board_game::BoardGame;
use crate::games::hub_line::HubLine;
use crate::minimax::Score;

/// The value of a parameter that engines have by default.
const NORMAL: &str = "normal";

/// An engine that speaks Hub.
pub struct Hub;

impl Dialect for Hub {
    fn introduce<G: BoardGame>(
        link: &mut Link,
        options: &[(String, String)],
        game: &GameStart<G>,
    ) -> Result<(Hub, String)> {
        let (mut name, mut offered) = (String::new(), Vec::new());
        let patience = link.patience.command;
        let introduced = link.ask("hub", patience, |line| {
            let line = HubLine::parse(line);
            match line.name.as_str() {
                "id" => {
                    let words = [line.get("name"), line.get("version")];
                    let words: Vec<&str> = words.into_iter().flatten().collect();
                    name = words.join(" ");
                }
                "param" => offered.push(line.get("name").unwrap_or_default().to_owned()),
                "wait" => return Some(Ok(())),
                "error" => return Some(Err(refused(&line))),
                _ => {}
            }
            None
        });
        let flat = introduced.and_then(|answer| answer);
        flat.map_err(|fault| no_answer(fault, "hub"))?;
        for (parameter, value) in game.start.engine_options() {
            let is_offered = check_option(parameter, &offered);
            if is_offered.is_ok() || value != NORMAL {
                is_offered?;
                set(link, parameter, &value)?;
            }
        }
        for (parameter, value) in options {
            check_option(parameter, &offered)?;
            set(link, parameter, value)?;
        }
        wait_for(link, "init", "ready")?;
        Ok((Hub, name))
    }

    fn begin<G: BoardGame>(&self, link: &mut Link, _game: &GameStart<G>) -> Result<()> {
        let lost = |fault| no_answer(fault, "new-game");
        link.tell("new-game").map_err(lost)?;
        wait_for(link, "ping", "pong")
    }

    fn choose<G: BoardGame>(
        &self,
        link: &mut Link,
        turn: &Turn<G>,
    ) -> Result<Choice<G::Move>, Fault> {
        let start = turn.start.engine_position();
        let moves = turn.engine_moves.join(" ");
        link.tell(&format!("pos pos={start} moves=\"{moves}\""))?;
        let conditions = turn.conditions;
        let clock = &turn.clocks[turn.color];
        link.tell(&level(conditions.depth, conditions.nodes, clock))?;
        let timeout = turn.limit.unwrap_or(link.patience.genmove);
        let (mut score, mut depth) = (None, None);
        let answer = link.ask("go think", timeout, |line| {
            let line = HubLine::parse(line);
            match line.name.as_str() {
                "done" => Some(Ok(line.get("move").unwrap_or_default().to_owned())),
                "error" => Some(Err(refused(&line))),
                "info" => {
                    score = line.get("score").and_then(hundredths).or(score);
                    depth = line
                        .get("depth")
                        .and_then(|text| text.parse().ok())
                        .or(depth);
                    None
                }
                _ => None,
            }
        })??;
        let mv = legal(turn, &answer)?;
        Ok(Choice { mv, score, depth })
    }
}

fn refused(line: &HubLine) -> Fault {
    Fault::Refused(line.get("message").unwrap_or_default().to_owned())
}

fn set(link: &mut Link, name: &str, value: &str) -> Result<()> {
    let quoted = match value.is_empty() || value.contains(char::is_whitespace) {
        true => format!("\"{value}\""),
        false => value.to_owned(),
    };
    let line = format!("set-param name={name} value={quoted}");
    link.tell(&line).map_err(|fault| no_answer(fault, &line))
}

/// Sends a line and waits for its answer.
fn wait_for(link: &mut Link, line: &str, answer: &str) -> Result<()> {
    let patience = link.patience.command;
    let answered = link.ask(line, patience, |text| {
        let text = HubLine::parse(text);
        match text.name.as_str() {
            "error" => Some(Err(refused(&text))),
            name => (name == answer).then_some(Ok(())),
        }
    });
    let flat = answered.and_then(|answer| answer);
    flat.map_err(|fault| no_answer(fault, line))
}

/// The command that tells how long an engine with this clock may think.
fn level(depth: Option<u32>, nodes: Option<u64>, clock: &Clock) -> String {
    let mut line = "level".to_owned();
    if let Some(depth) = depth {
        line += &format!(" depth={depth}");
    }
    if let Some(nodes) = nodes {
        line += &format!(" nodes={nodes}");
    }
    match Pace::of(clock) {
        Pace::Free => {}
        Pace::Move(time) => line += &format!(" move-time={:.3}", time.as_secs_f64()),
        Pace::Clock(clock) => {
            if let Some(moves) = clock.moves_to_go {
                line += &format!(" moves={moves}");
            }
            // Engines add the increment before each move, the clock has it after each.
            let left = clock.left.as_secs_f64() - clock.increment.as_secs_f64();
            line += &format!(" time={left:.3}");
            if !clock.increment.is_zero() {
                line += &format!(" inc={:.3}", clock.increment.as_secs_f64());
            }
        }
    }
    line
}

/// A score in men.
fn hundredths(text: &str) -> Option<Score> {
    let men = text.parse::<f64>().ok().filter(|men| men.is_finite())?;
    Some((100.0 * men).clamp(-29_000.0, 29_000.0) as Score)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn limits_and_time_are_sent_in_seconds() {
        for (depth, nodes, time, expected) in [
            // The increment comes before the move.
            (None, None, "10+0.1", "level time=8.500 inc=0.100"),
            (None, None, "0+60s/40", "level moves=39 time=58.500"),
            (None, None, "1m+30s/5", "level time=58.500"),
            (None, None, "2s/move", "level move-time=2.000"),
            (None, None, "none", "level"),
            (Some(7), Some(900), "none", "level depth=7 nodes=900"),
            (None, Some(900), "3s", "level nodes=900 time=1.500"),
        ] {
            let mut clock = Clock::new(time.parse().unwrap());
            clock.spend(Duration::from_millis(1500));
            assert_eq!(level(depth, nodes, &clock), expected, "{time}");
        }
    }
}
