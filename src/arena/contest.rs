//! One game between two contestants, with a referee that keeps the position and the clocks.
//!
//! A contestant's fault (an illegal move, an error, a crash, too much time) loses the game; only a
//! contestant that cannot start a game is an error here.

use std::time::Duration;

use anyhow::Context;

use super::contestant::{Contestant, Fault};
use super::ending::Ending;
use super::openings::Opening;
use super::referee::{Timed, ended_by, start_both};
use super::settle::settle;
use crate::clock::TimeControl;
use crate::formats::date;
use crate::go::record::GameRecord;
use crate::go::score::score;
use crate::go::{
    Answer, BoardSize, Color, GameEnd, Komi, Move, PerColor, PointSet, Position, Rules, Setup,
};

/// Conditions of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Conditions {
    /// Width and height.
    pub size: BoardSize,
    /// Komi.
    pub komi: Komi,
    /// Rule set the referee applies.
    pub rules: Rules,
    /// Both players' time.
    pub time: TimeControl,
    /// Visits per move for both players, if fixed.
    pub visits: Option<u32>,
    /// Tolerance per move for delays of pipes and the operating system.
    pub margin: Duration,
    /// Number of moves, with passes and the opening, after which a game is void.
    pub max_moves: usize,
}

/// A finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameReport<M = Vec<(Color, Move)>> {
    /// The players; in a series they have different names.
    pub names: PerColor<String>,
    /// All moves, those of the opening first.
    pub moves: M,
    /// Number of opening moves.
    pub opening_len: usize,
    /// Time used by each player.
    pub time_used: PerColor<Duration>,
    /// How the game ended.
    pub ending: Ending,
}

impl<M> GameReport<M> {
    /// Numbers players of one name, as `keima #1` and `keima #2`: #1 is the first player, which had this color.
    pub(super) fn tell_apart(&mut self, first: Color) {
        if self.names[Color::Black] == self.names[Color::White] {
            self.names[first] += " #1";
            self.names[!first] += " #2";
        }
    }
}

impl GameReport {
    /// The game, which has ended today, as SGF, with comments on the end of the opening and on the result.
    pub fn record(&self, conditions: &Conditions) -> GameRecord {
        let setup = Setup::new(conditions.size, conditions.rules, conditions.komi);
        let mut record = GameRecord::new(setup);
        record.moves = self.moves.clone();
        record.names = PerColor(Color::BOTH.map(|color| Some(self.names[color].clone())));
        record.date = Some(date::today('-'));
        record.result = Some(self.ending.result());
        if self.opening_len > 0 {
            record
                .comments
                .insert(self.opening_len, "end of the opening".to_owned());
        }
        record
            .comments
            .insert(self.moves.len(), self.ending.to_string());
        record
    }
}

/// Plays a game. Fails if the opening does not fit the conditions or a contestant cannot start.
pub fn play_game(
    conditions: &Conditions,
    opening: &Opening,
    mut contestants: PerColor<&mut dyn Contestant>,
) -> anyhow::Result<GameReport> {
    let position = opening
        .position(conditions)
        .with_context(|| format!("the opening {} is impossible", opening.name))?;
    let names = start_both(|color| {
        let contestant = &mut contestants[color];
        (contestant.start(conditions), contestant.name().to_owned())
    })?;
    let mut table = Table {
        conditions,
        position,
        contestants,
        timed: Timed::new(conditions.time, conditions.margin),
        moves: opening.moves.clone(),
    };
    let ending = table.play().unwrap_or_else(|ending| ending);
    Ok(GameReport {
        names,
        moves: table.moves,
        opening_len: opening.moves.len(),
        time_used: table.timed.used,
        ending,
    })
}

/// A game in progress.
struct Table<'a, 'p> {
    conditions: &'a Conditions,
    position: Position,
    contestants: PerColor<&'p mut dyn Contestant>,
    timed: Timed,
    moves: Vec<(Color, Move)>,
}

impl Table<'_, '_> {
    /// Both variants of the result are endings; the error means that the game could not start.
    fn play(&mut self) -> Result<Ending, Ending> {
        for (color, mv) in self.moves.clone() {
            for player in Color::BOTH {
                self.show(player, color, mv)?;
            }
        }
        while !self.position.is_over() {
            if self.moves.len() >= self.conditions.max_moves {
                return Err(Ending::TooLong);
            }
            let color = self.position.to_move();
            let mv = self.next_move(color)?;
            self.position.play_unchecked(mv);
            self.moves.push((color, mv));
            self.show(!color, color, mv)?;
        }
        if self.position.end() == GameEnd::NoResult {
            return Err(Ending::NoResult);
        }
        Ok(self.count())
    }

    fn show(&mut self, player: Color, color: Color, mv: Move) -> Result<(), Ending> {
        self.contestants[player]
            .play(color, mv)
            .map_err(|fault| self.lost_by(player, fault))
    }

    /// A legal move within the time limit.
    fn next_move(&mut self, color: Color) -> Result<Move, Ending> {
        let (clock, contestant) = (&self.timed.clocks[color], &mut self.contestants[color]);
        if clock.limit().is_some() {
            contestant
                .tell_time(color, clock.left())
                .map_err(|fault| ended_by(color, fault, false))?;
        }
        let answer = self
            .timed
            .ask(color, |_, limit| contestant.genmove(color, limit))?;
        self.checked(color, answer)
    }

    fn checked(&self, color: Color, answer: Answer) -> Result<Move, Ending> {
        match answer {
            Answer::Resign => Err(Ending::Resigned { loser: color }),
            Answer::Move(mv) => match self.position.check(mv) {
                Ok(()) => Ok(mv),
                Err(reason) => Err(Ending::IllegalMove {
                    loser: color,
                    answer: mv.to_string(),
                    reason: reason.to_string(),
                }),
            },
        }
    }

    fn lost_by(&self, loser: Color, fault: Fault) -> Ending {
        ended_by(loser, fault, self.conditions.time != TimeControl::Unlimited)
    }

    fn count(&mut self) -> Ending {
        let views = PerColor([
            self.contestants[Color::Black].opinion(),
            self.contestants[Color::White].opinion(),
        ]);
        let has_agreement = self.conditions.rules.has_agreement();
        let lead = |dead: &PointSet| score(&self.position, dead).lead_black();
        let (lead_black, basis) = settle(&views, has_agreement, lead);
        Ending::Counted { lead_black, basis }
    }
}
