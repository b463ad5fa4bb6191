//! The players at the board: persons, players of this program, other GTP engines.

use std::time::Duration;

use anyhow::{Result, bail, ensure};

use super::arguments::GoArguments;
use super::seat::SeatChoice;
use crate::arena::contest::Conditions;
use crate::arena::contestant::{Contestant, Fault};
use crate::clock::{Clock, TimeControl};
use crate::cmd::engine_config::EngineConfig;
use crate::cmd::matches::gtp_contestant::{GtpContestant, Patience};
use crate::cmd::player_arguments::PlayerKind;
use crate::cmd::players::{self, Builder};
use crate::go::record::stones;
use crate::go::{Answer, Color, Move, PerColor, Position};
use crate::player::Player;

/// Timeouts of other engines.
const PATIENCE: Patience = Patience {
    command: Duration::from_secs(60),
    genmove: Duration::from_secs(600),
};

/// Delay of pipes that no player loses on time by.
pub const MARGIN: Duration = Duration::from_millis(200);

/// Who plays a color.
pub enum Seat {
    /// Somebody at the terminal.
    Person,
    /// The player of the session, which also gives hints and judges dead stones.
    Judge,
    /// Another player of this program.
    Player(Box<dyn Player>),
    /// An engine in another process.
    Gtp(Box<GtpSeat>),
}

/// The players of a game.
pub struct Players {
    /// By color.
    pub seats: PerColor<Seat>,
    /// Names for display and for the record.
    pub names: PerColor<String>,
    /// The player that gives hints and judges dead stones.
    pub judge: Box<dyn Player>,
    /// What it plays with, for display.
    pub description: String,
    /// The configuration of that player.
    pub config: EngineConfig,
}

/// Builds the players of a game.
pub fn build(arguments: &GoArguments) -> Result<Players> {
    let choices = arguments.seats();
    let default = arguments.config(None)?;
    let default_kind = default.kind;
    let kind_of = |choice: &SeatChoice| match choice {
        SeatChoice::Engine(kind) => Some(kind.unwrap_or(default_kind)),
        SeatChoice::Person | SeatChoice::Gtp(_) => None,
    };
    let kinds: Vec<PlayerKind> = choices.0.iter().filter_map(kind_of).collect();
    ensure!(
        arguments.rank.is_none() || kinds.contains(&PlayerKind::Puct),
        "--rank is for the player that searches with a network: give it a color, as in --white keima"
    );
    let has_person = choices.0.contains(&SeatChoice::Person);
    let judge = judge_kind(&kinds, has_person, default_kind);
    let config = match judge == default_kind {
        true => default,
        false => arguments.config(Some(judge))?,
    };
    let builder = Builder::new(config.clone())?;
    let built = builder.player();
    let rank = arguments.rank_by_oversights(&config)?;
    let seat = |choice: &SeatChoice| -> Result<Seat> {
        match (choice, kind_of(choice), rank) {
            (SeatChoice::Gtp(command), ..) => Ok(Seat::Gtp(Box::new(GtpSeat::new(command)?))),
            (_, Some(PlayerKind::Puct), Some(rank)) => {
                // Hints and judgements are not of that rank.
                let mut player = match judge {
                    PlayerKind::Puct => builder.player().player,
                    _ => players::build(&arguments.config(Some(PlayerKind::Puct))?)?.player,
                };
                rank.limit(&mut *player)?;
                Ok(Seat::Player(player))
            }
            (_, Some(kind), _) if kind == judge => Ok(Seat::Judge),
            (_, Some(kind), _) => {
                let config = arguments.config(Some(kind))?;
                Ok(Seat::Player(players::build(&config)?.player))
            }
            _ => Ok(Seat::Person),
        }
    };
    let [black, white] = &choices.0;
    let seats = PerColor([seat(black)?, seat(white)?]);
    let names = PerColor(Color::BOTH.map(|color| match &seats[color] {
        Seat::Gtp(engine) => engine.contestant.name().to_owned(),
        _ => match (arguments.rank_name(), kind_of(&choices[color])) {
            (Some(rank), Some(PlayerKind::Puct)) => format!("keima ({rank})"),
            _ => choices[color].to_string(),
        },
    }));
    Ok(Players {
        seats,
        names,
        judge: built.player,
        description: built.description,
        config,
    })
}

/// Which player gives hints and judges dead stones: one of the game that searches. A person needs one
/// even against a player that does not.
fn judge_kind(kinds: &[PlayerKind], has_person: bool, default: PlayerKind) -> PlayerKind {
    let by_strength = [
        PlayerKind::Puct,
        PlayerKind::Rollout,
        PlayerKind::Value,
        PlayerKind::Policy,
        PlayerKind::Random,
    ];
    let mut fitting = by_strength
        .into_iter()
        .filter(|kind| kind.searches() || !has_person);
    let best = fitting.find(|kind| kinds.contains(kind));
    best.unwrap_or(default)
}

/// Another engine, and what it has been told of the game.
pub struct GtpSeat {
    contestant: GtpContestant,
    /// The start and the moves it knows; none before the first game.
    told: Option<Position>,
}

impl GtpSeat {
    fn new(command: &str) -> Result<GtpSeat> {
        Ok(GtpSeat {
            contestant: GtpContestant::new(command, PATIENCE)?,
            told: None,
        })
    }

    /// Chooses a move for a color.
    pub fn choose(&mut self, position: &Position, clock: &Clock) -> Result<Answer> {
        let color = position.to_move();
        self.bring_to(position, clock.control())?;
        let limit = clock.limit().map(|limit| limit + MARGIN);
        if limit.is_some() {
            let told = self.contestant.tell_time(color, clock.left());
            self.check(told)?;
        }
        let answer = self.contestant.genmove(color, limit);
        let answer = self.check(answer)?;
        if let Answer::Move(mv) = answer {
            if let Err(reason) = position.check(mv) {
                self.told = None;
                bail!("{} plays {mv}: {reason}", self.contestant.name());
            }
            let mut told = position.clone();
            told.play_unchecked(mv);
            self.told = Some(told);
        }
        Ok(answer)
    }

    /// Tells it the moves it does not know yet, or the whole game if that went on otherwise.
    fn bring_to(&mut self, position: &Position, time: TimeControl) -> Result<()> {
        let known = self.told.take().filter(|told| is_before(told, position));
        let moves: Vec<(Color, Move)> = position.moves().collect();
        let from = match known {
            Some(told) => told.turn(),
            None => {
                self.contestant.start(&conditions(position, time))?;
                for (point, color) in stones(&position.earlier_board(moves.len())) {
                    let played = self.contestant.play(color, Move::Play(point));
                    self.check(played)?;
                }
                0
            }
        };
        for &(color, mv) in &moves[from..] {
            let played = self.contestant.play(color, mv);
            self.check(played)?;
        }
        Ok(())
    }

    fn check<T>(&self, result: Result<T, Fault>) -> Result<T> {
        let name = self.contestant.name();
        match result {
            Ok(value) => Ok(value),
            Err(Fault::Refused(message)) => bail!("{name}: {message}"),
            Err(Fault::Crashed(details)) => bail!("{name} has ended: {details}"),
            Err(Fault::Silent) => bail!("{name} does not answer"),
            Err(Fault::AgainstRule { answer, reason }) => {
                bail!("{name} answers {answer}: {reason}")
            }
            Err(Fault::NotAMove(text)) => bail!("{name} answers '{text}', which is no move"),
        }
    }
}

/// Whether a game led from one position to the other, from the same start.
fn is_before(earlier: &Position, later: &Position) -> bool {
    let is_same_game = earlier.size() == later.size()
        && earlier.rules() == later.rules()
        && earlier.komi() == later.komi()
        && earlier.turn() <= later.turn();
    is_same_game
        && earlier.moves().zip(later.moves()).all(|(a, b)| a == b)
        && earlier
            .earlier_board(earlier.turn())
            .is_same_as(&later.earlier_board(later.turn()))
}

fn conditions(position: &Position, time: TimeControl) -> Conditions {
    Conditions {
        size: position.size(),
        komi: position.komi(),
        rules: *position.rules(),
        time,
        visits: None,
        margin: MARGIN,
        max_moves: usize::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judge_searches_where_a_person_plays() {
        use PlayerKind::{Policy, Puct, Random, Rollout};
        assert_eq!(judge_kind(&[Random], true, Puct), Puct);
        assert_eq!(judge_kind(&[Random, Rollout], false, Puct), Rollout);
        assert_eq!(judge_kind(&[Random, Random], false, Puct), Random);
        assert_eq!(judge_kind(&[Policy], true, Rollout), Rollout);
        assert_eq!(judge_kind(&[], true, Rollout), Rollout);
    }
}
