//! A connection: games one after another.

use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::super::evaluate::Evaluation;
use super::super::position::{DraughtsMove, DraughtsPosition};
use super::message::{GameRequest, Message, legal_move};
use crate::games::board_game::outcome;
use crate::minimax::engine::{Engine, Task};
use crate::minimax::limits::ClockState;
use crate::minimax::{Control, Limits, Position, Verdict};

/// Time lost on each move on the way.
const OVERHEAD: Duration = Duration::from_millis(100);
/// Answers to a request: accepted; something in it is unknown here.
const ACCEPTED: u8 = 0;
const UNKNOWN: u8 = 9;
/// Answer to a wish to take moves back: not possible.
const NO_WAY_BACK: u8 = 1;
/// Reasons for the end of a game.
const UNCLEAR: u8 = 0;
const LOST: u8 = 1;
const DRAWN: u8 = 2;
const WON: u8 = 3;

/// A game that was played.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// The other program's name.
    pub opponent: String,
    /// Whether this program had White.
    pub is_white: bool,
    /// Where it began.
    pub start: DraughtsPosition,
    /// The moves.
    pub moves: Vec<DraughtsMove>,
    /// White's points, of one; none where the game broke off.
    pub result: Option<f64>,
}

/// What is worth telling people during games.
pub enum Told<'a> {
    /// A move, with the position before it, and whether it is ours.
    Move(&'a DraughtsPosition, DraughtsMove, bool),
    /// Words of the other program.
    Chat(&'a str),
}

/// One side of a connection.
pub struct Session<'a, R, W> {
    /// Where messages come from.
    pub input: R,
    /// Where messages go.
    pub output: W,
    /// The name to give.
    pub name: &'a str,
    /// Chooses the moves.
    pub engine: Engine<Evaluation>,
    /// Limits of each move, instead of the game's time.
    pub limits: Limits,
    /// Gets what happens.
    pub tell: &'a mut dyn FnMut(Told),
}

impl<R: BufRead, W: Write> Session<'_, R, W> {
    /// Asks for a game and plays it; whether the other program plays no more. `done` gets it, even if it breaks off.
    pub fn initiate(
        &mut self,
        request: &GameRequest,
        done: &mut dyn FnMut(&Played) -> Result<()>,
    ) -> Result<bool> {
        Message::Request(Box::new(request.clone())).send(&mut self.output)?;
        loop {
            match self.next()?.context("the other program has hung up")? {
                Message::Accept {
                    name,
                    code: ACCEPTED,
                } => {
                    return self.play(request, !request.follower_is_white, name, done);
                }
                Message::Accept { name, code } => bail!(
                    "{name} does not accept the game (code {code}): try other minutes, moves, color or position"
                ),
                Message::Chat(text) => (self.tell)(Told::Chat(&text)),
                other => bail!("'{}' is no answer to a request", other.text()),
            }
        }
    }

    /// Tells the other program that there will be no more.
    pub fn part(&mut self) -> Result<()> {
        let end = Message::End {
            reason: UNCLEAR,
            is_last: true,
        };
        end.send(&mut self.output)
    }

    /// Plays the games that the other program asks for, until it hangs up or says that there are no more; `done` gets
    /// each, even if it breaks off.
    pub fn follow(&mut self, done: &mut dyn FnMut(&Played) -> Result<()>) -> Result<()> {
        loop {
            let message = match Message::receive(&mut self.input) {
                Ok(Some(message)) => message,
                Ok(None) => return Ok(()),
                Err(error) => {
                    self.accept(UNKNOWN)?;
                    return Err(error);
                }
            };
            match message {
                Message::Request(request) => {
                    let has_time = request.minutes > 0 || self.limits != Limits::default();
                    if !has_time || !request.start.has_moves() {
                        self.accept(UNKNOWN)?;
                        continue;
                    }
                    self.accept(ACCEPTED)?;
                    let name = request.name.clone();
                    if self.play(&request, request.follower_is_white, name, done)? {
                        return Ok(());
                    }
                }
                Message::End { is_last: true, .. } => return Ok(()),
                Message::Chat(text) => (self.tell)(Told::Chat(&text)),
                Message::Back => Message::BackAnswer(NO_WAY_BACK).send(&mut self.output)?,
                _ => {}
            }
        }
    }

    fn accept(&mut self, code: u8) -> Result<()> {
        let name = self.name.to_owned();
        Message::Accept { name, code }.send(&mut self.output)
    }

    fn next(&mut self) -> Result<Option<Message>> {
        Message::receive(&mut self.input)
    }

    /// Plays a game; whether it is the last of this connection. What was played before an error reaches `done` as well.
    fn play(
        &mut self,
        request: &GameRequest,
        is_white: bool,
        opponent: String,
        done: &mut dyn FnMut(&Played) -> Result<()>,
    ) -> Result<bool> {
        self.engine.clear();
        let mut game = Game::new(request);
        let ended = self.play_on(&mut game, is_white);
        let agreed = ended.as_ref().ok().and_then(|(result, _)| *result);
        done(&Played {
            opponent,
            is_white,
            start: request.start.clone(),
            result: agreed.or_else(|| game.result()),
            moves: game.moves,
        })?;
        ended.map(|(_, is_last)| is_last)
    }

    /// Plays to the end: White's points that the programs have agreed on, if they have, and whether it was the last
    /// game.
    fn play_on(&mut self, game: &mut Game, is_white: bool) -> Result<(Option<f64>, bool)> {
        loop {
            let is_ours = game.position.white_moves() == is_white;
            if is_ours && let Some(verdict) = game.verdict() {
                return Ok((None, self.end_game(verdict)?));
            }
            if is_ours {
                self.move_ours(game)?;
                continue;
            }
            match self.next()? {
                // Some programs just hang up when they have lost.
                None => return Ok((None, false)),
                Some(Message::Move {
                    from, to, captured, ..
                }) => {
                    let Some(mv) = legal_move(&game.position, [from, to], &captured) else {
                        let problem = format!("the opponent played {from}-{to}, which is illegal");
                        self.part().with_context(|| problem.clone())?;
                        bail!(problem);
                    };
                    (self.tell)(Told::Move(&game.position, mv, false));
                    game.add(mv);
                }
                Some(Message::End { reason, is_last }) => {
                    let reason = mirrored(reason);
                    Message::End { reason, is_last }.send(&mut self.output)?;
                    return Ok((points(reason, is_white), is_last));
                }
                Some(Message::Chat(text)) => (self.tell)(Told::Chat(&text)),
                Some(Message::Back) => Message::BackAnswer(NO_WAY_BACK).send(&mut self.output)?,
                Some(_) => {}
            }
        }
    }

    /// Says how the game has ended for us, and waits until that is confirmed; whether it was the last game.
    fn end_game(&mut self, verdict: Verdict) -> Result<bool> {
        let reason = match verdict {
            Verdict::Lost => LOST,
            Verdict::Drawn => DRAWN,
        };
        let is_last = false;
        Message::End { reason, is_last }.send(&mut self.output)?;
        while let Some(message) = self.next()? {
            if let Message::End { is_last, .. } = message {
                return Ok(is_last);
            }
        }
        Ok(false)
    }

    fn move_ours(&mut self, game: &mut Game) -> Result<()> {
        let begin = Instant::now();
        let mut limits = self.limits.clone();
        if limits == Limits::default() {
            limits.time = game.clock().map(|clock| clock.move_time(OVERHEAD));
        }
        ensure!(
            limits != Limits::default(),
            "the game has no time, and no limit is set: say --nodes"
        );
        let task = Task {
            history: &game.history,
            ..Task::new(&game.position)
        };
        let found = self
            .engine
            .search(task, &limits, &Control::new(false), |_| ());
        let best = found.best.context("no move was found")?;
        let (mv, time) = (best.moves[0], begin.elapsed());
        let seconds = time.as_secs_f64().round() as u32;
        Message::of_move(&game.position, mv, seconds).send(&mut self.output)?;
        (self.tell)(Told::Move(&game.position, mv, true));
        game.spent += time;
        game.own_moves += 1;
        game.add(mv);
        Ok(())
    }
}

/// The reason as the other side says it.
fn mirrored(reason: u8) -> u8 {
    match reason {
        LOST => WON,
        WON => LOST,
        other => other,
    }
}

/// White's points when this program, with this color, gives this reason.
fn points(reason: u8, is_white: bool) -> Option<f64> {
    match reason {
        LOST => Some(f64::from(u8::from(!is_white))),
        DRAWN => Some(0.5),
        WON => Some(f64::from(u8::from(is_white))),
        _ => None,
    }
}

/// A game in progress.
struct Game<'a> {
    request: &'a GameRequest,
    position: DraughtsPosition,
    history: Vec<u64>,
    moves: Vec<DraughtsMove>,
    /// Of this program.
    own_moves: u32,
    spent: Duration,
}

impl<'a> Game<'a> {
    fn new(request: &'a GameRequest) -> Game<'a> {
        Game {
            request,
            position: request.start.clone(),
            history: Vec::new(),
            moves: Vec::new(),
            own_moves: 0,
            spent: Duration::ZERO,
        }
    }

    fn add(&mut self, mv: DraughtsMove) {
        self.history.push(self.position.key());
        self.position.play(mv);
        self.moves.push(mv);
    }

    /// White's points, if the game is over on the board.
    fn result(&self) -> Option<f64> {
        let verdict = self.verdict()?;
        Some(verdict.points(self.position.to_move()))
    }

    /// How the game has ended for the side to move.
    fn verdict(&self) -> Option<Verdict> {
        outcome(&self.position, &self.history).map(|(verdict, _)| verdict)
    }

    /// The time left for moves up to the end of the period; after it the next begins.
    fn clock(&self) -> Option<ClockState> {
        let period = Duration::from_secs(60) * self.request.minutes.into();
        let moves = u32::from(self.request.moves);
        if period.is_zero() {
            return None;
        }
        let periods = match moves {
            0 => 1,
            moves => 1 + self.own_moves / moves,
        };
        Some(ClockState {
            left: (period * periods).saturating_sub(self.spent),
            increment: Duration::ZERO,
            moves_to_go: (moves > 0).then(|| moves - self.own_moves % moves),
        })
    }
}
