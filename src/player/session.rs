//! A game in which a player takes part: the position, the clocks, the player, and how it judges the position.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::judgement::{AnnouncedDead, Judgement};
use super::player::Player;
use super::view::View;
use crate::clock::Clock;
use crate::clock::game::Clocks;
use crate::go::{
    Answer, BoardSize, Color, GameEnd, GameResult, Komi, Move, Position, Rules, Setup, WonBy,
};

/// A game, its clocks, and a player.
pub struct GameSession {
    /// Chooses moves and evaluates positions.
    pub player: Box<dyn Player>,
    /// The game as it stands.
    pub position: Position,
    /// Of both colors.
    pub clocks: Clocks,
    /// Moves are being played, so that there is something to ponder.
    is_playing: bool,
    /// The color for which the player has chosen a move since then.
    own_color: Option<Color>,
    /// The latest judgement: dead stones and score must come from the same one.
    pub(super) judged: Option<Judgement>,
    /// Who resigned, and the key of the position.
    resigned: Option<(Color, u128)>,
    /// Stones called dead, which are to be taken off if the opponent does not agree.
    pub(super) announced: Option<AnnouncedDead>,
}

/// A chosen move, with the reason if a pass stands for a move that is illegal.
pub struct Chosen {
    /// What the player answers.
    pub answer: Answer,
    /// For display.
    pub remark: Option<String>,
}

/// Takes time off a clock.
pub type Charge = fn(&mut Clocks, Color, Duration);

impl GameSession {
    /// A game on an empty board without time limits.
    pub fn new(player: Box<dyn Player>, size: BoardSize, rules: Rules, komi: Komi) -> GameSession {
        GameSession {
            player,
            position: Position::new(size, rules, komi),
            clocks: Clocks::unlimited(),
            is_playing: false,
            own_color: None,
            judged: None,
            announced: None,
            resigned: None,
        }
    }

    /// What evaluates the position.
    pub fn view(&self) -> Result<View> {
        let (mover, size) = (self.position.to_move(), self.position.size());
        self.player.evaluators().view(mover, size)
    }

    /// A new game on an empty board, with the same rules and komi.
    pub fn start_on(&mut self, size: BoardSize) {
        let (rules, komi) = (*self.position.rules(), self.position.komi());
        self.begin_with(Position::new(size, rules, komi));
        self.player.begin_game();
    }

    /// Starts from a setup. After an error, which names all that is wrong with it, everything is as before.
    pub fn start_with(&mut self, setup: &Setup) -> Result<()> {
        self.begin_with(setup.position()?);
        Ok(())
    }

    /// Another game, which goes on from this position; the clocks are full again.
    pub fn begin_with(&mut self, position: Position) {
        self.clocks.restart();
        self.set_position(position);
    }

    /// Goes on from another position, in which no moves are being played.
    pub fn set_position(&mut self, position: Position) {
        self.position = position;
        self.stop_playing();
        self.resigned = None;
    }

    /// No moves are being played for now.
    pub fn stop_playing(&mut self) {
        self.is_playing = false;
        self.own_color = None;
    }

    /// Plays a reported move, see [`Position::play_reported`].
    pub fn play(&mut self, color: Color, mv: Move) -> Result<()> {
        self.play_all(&[(color, mv)])
    }

    /// Plays reported moves: all of them, or none if one is illegal.
    pub fn play_all(&mut self, moves: &[(Color, Move)]) -> Result<()> {
        let mut position = self.position.clone();
        for &(color, mv) in moves {
            play_reported(&mut position, color, mv)?;
        }
        self.position = position;
        for &(color, _) in moves {
            self.clocks.complete(color);
        }
        self.is_playing = true;
        self.resigned = None;
        Ok(())
    }

    /// Takes moves back, or none if there are fewer.
    pub fn undo(&mut self, moves: usize) -> Result<()> {
        if moves > self.position.turn() {
            bail!("cannot undo");
        }
        for _ in 0..moves {
            self.position.undo();
        }
        self.stop_playing();
        self.resigned = None;
        Ok(())
    }

    /// The position with the turn given to a color.
    pub fn position_for(&self, color: Color) -> Position {
        let mut position = self.position.clone();
        position.set_to_move(color);
        position
    }

    /// What the player answers, or a pass instead of an illegal move, without playing it. `waited` is gone
    /// from the clock already.
    pub fn choose(
        &mut self,
        color: Color,
        waited: Duration,
        think: impl FnOnce(&mut dyn Player, &Position, &Clock) -> Result<Answer>,
    ) -> Result<Chosen> {
        let position = self.position_for(color);
        let clock = self.clocks.of(color).after(waited);
        let clock = clock.with_lag(*self.clocks.lag());
        let answer = think(&mut *self.player, &position, &clock)?;
        if let Answer::Move(mv) = answer
            && let Err(reason) = position.check(mv)
        {
            return Ok(Chosen {
                answer: Answer::Move(Move::Pass),
                remark: Some(format!(
                    "passing, as the chosen move {mv} is illegal ({reason})"
                )),
            });
        }
        Ok(Chosen {
            answer,
            remark: None,
        })
    }

    /// As [`GameSession::choose`], with the time taken off the clock by `charge`: [`Clocks::spend`] if the move is to
    /// be played, else [`Clocks::run`].
    pub fn choose_in_time(
        &mut self,
        color: Color,
        waited: Duration,
        charge: Charge,
        think: impl FnOnce(&mut dyn Player, &Position, &Clock) -> Result<Answer>,
    ) -> Result<Chosen> {
        let start = Instant::now();
        let chosen = self.choose(color, waited, think);
        charge(&mut self.clocks, color, waited + start.elapsed());
        chosen
    }

    /// Plays an answer, unless it is to resign.
    pub fn play_answer(&mut self, color: Color, answer: Answer) -> Result<()> {
        if let Answer::Move(mv) = answer {
            self.play(color, mv)?;
        }
        self.own_color = Some(color);
        if answer == Answer::Resign {
            self.stop_playing();
            self.resigned = Some((color, self.position.key()));
        }
        Ok(())
    }

    /// Whether there is something to think about on the opponent's time, and a player that does so.
    pub fn is_to_ponder(&self) -> bool {
        self.is_playing && !self.position.is_over() && self.player.ponders()
    }

    /// Thinks about the position until `stop` is set, as for the color for which the player moves: the one that is
    /// not to move, as long as it has not chosen a move.
    pub fn ponder(&mut self, stop: &AtomicBool) -> Result<()> {
        let own_color = self.own_color.unwrap_or(!self.position.to_move());
        let pondered = self.player.ponder(&self.position, own_color, stop);
        if pondered.is_err() {
            self.stop_playing();
        }
        pondered
    }

    /// How the game ended: by the last answer, if that was to resign, or by passes; none if it goes on.
    pub fn result(&mut self) -> Result<Option<GameResult>> {
        let key = self.position.key();
        if let Some((loser, _)) = self.resigned.filter(|(_, position)| *position == key) {
            return Ok(Some(GameResult::Win(!loser, WonBy::Resignation)));
        }
        match self.position.end() {
            GameEnd::Ongoing => Ok(None),
            GameEnd::NoResult => Ok(Some(GameResult::Void)),
            GameEnd::Passed | GameEnd::Scored => {
                let lead = self.judged_score()?.lead_black();
                Ok(Some(GameResult::from_lead(lead)))
            }
        }
    }

    /// Sets one of the player's parameters by name. After an error everything is as before.
    pub fn set_parameter(&mut self, name: &str, text: &str) -> Result<()> {
        self.player.set_parameter(name, text)?;
        self.judged = None;
        Ok(())
    }

    /// Forgets evaluations, judgements and what the player keeps from move to move.
    pub fn clear_cache(&mut self) {
        self.judged = None;
        self.player.forget();
        self.player.evaluators_mut().clear_cache();
    }

    /// Plays on with the network of a file; its name. Game, settings and clocks stay.
    pub fn load_model(&mut self, file: &Path) -> Result<String> {
        let size = self.position.size();
        let name = self.player.evaluators_mut().load_model(file, size)?;
        self.judged = None;
        Ok(name)
    }
}

fn play_reported(position: &mut Position, color: Color, mv: Move) -> Result<()> {
    let played = position.play_reported(color, mv);
    played.ok().context("illegal move")?;
    Ok(())
}
