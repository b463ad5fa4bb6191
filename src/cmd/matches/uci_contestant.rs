//! UCI from the client's side.

use anyhow::Result;

use super::engine_contestant::{Dialect, Link, check_option, legal, no_answer};
use crate::arena::board::{Choice, GameStart, Pace, Turn};
use crate::arena::contestant::Fault;
use crate::clock::Clock;
use crate::games::board_game::BoardGame;
use crate::go::{Color, PerColor};
use crate::minimax::Score;
use crate::minimax::score::{lost_at, won_at};

/// An engine that speaks UCI.
pub struct Uci {
    /// Names of its options.
    offered: Vec<String>,
}

impl Dialect for Uci {
    fn introduce<G: BoardGame>(
        link: &mut Link,
        options: &[(String, String)],
        _game: &GameStart<G>,
    ) -> Result<(Uci, String)> {
        let (mut name, mut offered) = (String::new(), Vec::new());
        let patience = link.patience.command;
        let introduced = link.ask("uci", patience, |line| {
            if let Some(text) = line.strip_prefix("id name ") {
                name = text.trim().to_owned();
            } else if let Some(text) = line.strip_prefix("option name ") {
                let its_name = text.split(" type ").next().unwrap_or_default();
                offered.push(its_name.trim().to_owned());
            }
            (line == "uciok").then_some(())
        });
        introduced.map_err(|fault| no_answer(fault, "uci"))?;
        for (option, value) in options {
            check_option(option, &offered)?;
            set(link, option, value)?;
        }
        Ok((Uci { offered }, name))
    }

    fn begin<G: BoardGame>(&self, link: &mut Link, game: &GameStart<G>) -> Result<()> {
        for (option, value) in game.start.engine_options() {
            let is_offered = check_option(option, &self.offered);
            // What is off need not be known.
            if is_offered.is_ok() || value != "false" {
                is_offered?;
                set(link, option, &value)?;
            }
        }
        let lost = |fault| no_answer(fault, "isready");
        link.tell("ucinewgame").map_err(lost)?;
        let patience = link.patience.command;
        let is_ready = |line: &str| (line == "readyok").then_some(());
        link.ask("isready", patience, is_ready).map_err(lost)
    }

    fn choose<G: BoardGame>(
        &self,
        link: &mut Link,
        turn: &Turn<G>,
    ) -> Result<Choice<G::Move>, Fault> {
        link.tell(&position(turn))?;
        let timeout = turn.limit.unwrap_or(link.patience.genmove);
        let mut seen = Seen::default();
        let conditions = turn.conditions;
        let command = go(conditions.depth, conditions.nodes, turn.clocks, turn.color);
        let answer = link.ask(&command, timeout, |line| {
            let mut words = line.split_whitespace();
            match words.next() {
                Some("bestmove") => Some(words.next().unwrap_or_default().to_owned()),
                Some("info") => {
                    seen.note(line);
                    None
                }
                _ => None,
            }
        })?;
        let mv = legal(turn, &answer)?;
        let Seen { score, depth } = seen;
        Ok(Choice { mv, score, depth })
    }
}

fn set(link: &mut Link, option: &str, value: &str) -> Result<()> {
    let line = format!("setoption name {option} value {value}");
    link.tell(&line).map_err(|fault| no_answer(fault, &line))
}

/// The position by its start and the moves, so that the engine knows of repetitions.
fn position<G: BoardGame>(turn: &Turn<G>) -> String {
    let is_initial = *turn.start == turn.conditions.initial;
    let start = match is_initial {
        true => "startpos".to_owned(),
        false => format!("fen {}", turn.start.engine_position()),
    };
    match turn.engine_moves {
        [] => format!("position {start}"),
        moves => format!("position {start} moves {}", moves.join(" ")),
    }
}

/// The command that asks `color` for a move within these limits.
fn go(depth: Option<u32>, nodes: Option<u64>, clocks: &PerColor<Clock>, color: Color) -> String {
    let mut line = "go".to_owned();
    if let Some(depth) = depth {
        line += &format!(" depth {depth}");
    }
    if let Some(nodes) = nodes {
        line += &format!(" nodes {nodes}");
    }
    if let Pace::Move(time) = Pace::of(&clocks[color]) {
        return line + &format!(" movetime {}", time.as_millis().max(1));
    }
    for (side, letter) in [(Color::White, 'w'), (Color::Black, 'b')] {
        line += &clock_words(&clocks[side], letter);
    }
    if let Pace::Clock(clock) = Pace::of(&clocks[color])
        && let Some(moves) = clock.moves_to_go
    {
        line += &format!(" movestogo {moves}");
    }
    line
}

fn clock_words(clock: &Clock, letter: char) -> String {
    match Pace::of(clock) {
        Pace::Free => String::new(),
        Pace::Move(time) => format!(" {letter}time {}", time.as_millis()),
        Pace::Clock(clock) => {
            let mut words = format!(" {letter}time {}", clock.left.as_millis());
            if !clock.increment.is_zero() {
                words += &format!(" {letter}inc {}", clock.increment.as_millis());
            }
            words
        }
    }
}

/// What an engine said last about its best move.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    score: Option<Score>,
    depth: Option<u32>,
}

impl Seen {
    fn note(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let after = |name: &str| {
            let place = words.iter().position(|word| *word == name)?;
            words.get(place + 1).copied()
        };
        if after("multipv").is_some_and(|rank| rank != "1") {
            return;
        }
        let number = |name: &str| after(name).and_then(|word| word.parse::<i32>().ok());
        let mate = number("mate").map(|moves| match moves {
            1.. => won_at((2 * moves.min(1_000) - 1) as usize),
            _ => lost_at((2 * moves.max(-1_000).unsigned_abs()) as usize),
        });
        let Some(score) = number("cp").or(mate) else {
            return;
        };
        self.score = Some(score);
        self.depth = number("depth").map(i32::unsigned_abs);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn both_clocks_are_sent_in_milliseconds() {
        let line = |time: &str, color| {
            let mut clocks = PerColor([Clock::new(time.parse().unwrap()); 2]);
            clocks[Color::White].spend(Duration::from_millis(1500));
            clocks[Color::Black].spend(Duration::from_millis(250));
            clocks[Color::Black].spend(Duration::from_millis(250));
            go(None, None, &clocks, color)
        };
        let (white, black) = (Color::White, Color::Black);
        let with_increments = "go wtime 8600 winc 100 btime 9700 binc 100";
        assert_eq!(line("10+0.1", white), with_increments);
        assert_eq!(line("10+0.1", black), with_increments);
        let times = "go wtime 58500 btime 59500";
        assert_eq!(line("0+60s/40", white), format!("{times} movestogo 39"));
        assert_eq!(line("0+60s/40", black), format!("{times} movestogo 38"));
        // Overtime that has not begun is not told.
        assert_eq!(line("1m+30s/5", white), times);
        assert_eq!(line("2s/move", black), "go movetime 2000");
        assert_eq!(line("none", black), "go");
    }

    #[test]
    fn depth_and_nodes_are_sent_before_the_clocks() {
        let clocks = |time: &str| PerColor([Clock::new(time.parse().unwrap()); 2]);
        for (depth, nodes, time, expected) in [
            (Some(7), Some(900), "none", "go depth 7 nodes 900"),
            (None, Some(900), "3s", "go nodes 900 wtime 3000 btime 3000"),
            (Some(7), None, "2s/move", "go depth 7 movetime 2000"),
        ] {
            let line = go(depth, nodes, &clocks(time), Color::White);
            assert_eq!(line, expected);
        }
    }

    #[test]
    fn last_line_about_the_best_move_counts() {
        let mut seen = Seen::default();
        seen.note("info depth 5 seldepth 7 multipv 1 score cp -31 nodes 20 pv e2e4");
        seen.note("info depth 6 multipv 2 score cp 500 pv d2d4");
        seen.note("info depth 7 currmove e2e4 currmovenumber 1");
        seen.note("info string depth 9 of nothing");
        assert_eq!((seen.score, seen.depth), (Some(-31), Some(5)));
        seen.note("info depth 8 score mate 2");
        assert_eq!(seen.score, Some(won_at(3)));
        seen.note("info depth 8 score mate -1");
        assert_eq!(seen.score, Some(lost_at(2)));
    }
}
