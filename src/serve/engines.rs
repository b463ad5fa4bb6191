//! Players for the program's moves and for judging finished games: one for each color of a game, with the tree of
//! its last moves, as long as few games have one.

use std::sync::Mutex;

use anyhow::{Result, ensure};

use super::seat::Seat;
use crate::go::{Color, Position};
use crate::params::ParamEntry;
use crate::player::Player;
use crate::player::rank::Rank;
use crate::player::search_player::{HUMAN_PROFILE, SearchPlayer};
use crate::player::session::GameSession;
use crate::threads::locked;

/// Makes a player for one search. All players share networks and stored evaluations, but each has parameters of
/// its own.
pub type MakePlayer = dyn Fn() -> SearchPlayer + Send + Sync;

/// Whose player: the game, and the color.
pub(super) type Key = (String, Color);

/// The parameter that limits a move.
const VISITS: &str = "maxVisits";
/// The parameter that ranks change besides.
const OVERSIGHT: &str = "chosenMoveOversight";
/// Limits of the configuration that do not hold where a page asks for visits.
const OTHER_LIMITS: [&str; 2] = ["maxPlayouts", "maxTime"];

/// The players.
pub(super) struct Engines {
    make_player: Box<MakePlayer>,
    /// The latest last.
    kept: Mutex<Vec<(Key, GameSession)>>,
    most_kept: usize,
    /// Parameters as the program was started with.
    parameters: Vec<ParamEntry>,
    /// Whether there is a network that imitates people of a rank.
    imitates: bool,
}

impl Engines {
    /// Keeps the players of up to `most_kept` colors.
    pub(super) fn new(make_player: Box<MakePlayer>, most_kept: usize) -> Engines {
        let player = make_player();
        let takes_profile = |evaluators: &dyn crate::player::evaluators::Evaluators| {
            let models = evaluators.models();
            models.iter().any(|model| model.uses_human_sl_profile)
        };
        let imitates = player.human_evaluators().is_some_and(takes_profile)
            || takes_profile(player.evaluators());
        Engines {
            parameters: player.parameters(),
            imitates,
            make_player,
            kept: Mutex::default(),
            most_kept,
        }
    }

    /// The player of a color, brought to a position, with the strength of its seat.
    pub(super) fn take(&self, key: &Key, position: &Position, seat: &Seat) -> Result<GameSession> {
        let mut kept = locked(&self.kept);
        let known = kept.iter().position(|(of, _)| of == key);
        let known = known.map(|index| kept.remove(index).1);
        drop(kept);
        let mut session = known.unwrap_or_else(|| {
            let (size, rules) = (position.size(), *position.rules());
            GameSession::new(Box::new((self.make_player)()), size, rules, position.komi())
        });
        session.set_position(position.clone());
        self.set_strength(&mut *session.player, seat)?;
        Ok(session)
    }

    /// Keeps a player for the color's next move.
    pub(super) fn give_back(&self, key: Key, session: GameSession) {
        let mut kept = locked(&self.kept);
        kept.push((key, session));
        if kept.len() > self.most_kept {
            kept.remove(0);
        }
    }

    /// Drops the players of a game.
    pub(super) fn forget(&self, game: &str) {
        locked(&self.kept).retain(|((of, _), _)| of != game);
    }

    /// Refuses seats that no player can take.
    pub(super) fn check(&self, seat: &Seat, position: &Position) -> Result<()> {
        seat.check()?;
        if seat.is_person() {
            return Ok(());
        }
        let mut player = (self.make_player)();
        ensure!(
            player.evaluators().can_play_on(position.size()),
            "the network cannot play on boards of {}",
            position.size()
        );
        self.set_strength(&mut player, seat)
    }

    /// A player that searches a position up to so many visits.
    pub(super) fn analyst(&self, visits: u64) -> Result<SearchPlayer> {
        let mut player = (self.make_player)();
        for name in OTHER_LIMITS {
            player.set_parameter(name, "")?;
        }
        player.set_parameter(VISITS, &visits.to_string())?;
        Ok(player)
    }

    /// The ranks that a player may have, the weakest first.
    pub(super) fn ranks(&self) -> Vec<String> {
        match self.imitates {
            true => (1..=20)
                .rev()
                .map(|kyu| format!("{kyu}k"))
                .chain((1..=9).map(|dan| format!("{dan}d")))
                .collect(),
            false => Rank::all().map(|rank| rank.to_string()).collect(),
        }
    }

    fn set_strength(&self, player: &mut dyn Player, seat: &Seat) -> Result<()> {
        if let (Some(name), false) = (seat.rank(), self.imitates) {
            return name.parse::<Rank>()?.limit(player);
        }
        let started = |name: &str| {
            let entry = self.parameters.iter().find(|entry| entry.name == name);
            entry.map(|entry| entry.value.to_string())
        };
        if let Some(value) = started(OVERSIGHT) {
            player.set_parameter(OVERSIGHT, &value)?;
        }
        let visits = match seat {
            Seat::Engine {
                visits: Some(visits),
                ..
            } => Some(visits.to_string()),
            _ => None,
        };
        for name in OTHER_LIMITS {
            let value = match visits {
                Some(_) => Some(String::new()),
                None => started(name),
            };
            player.set_parameter(name, &value.unwrap_or_default())?;
        }
        let visits = visits.or_else(|| started(VISITS)).unwrap_or_default();
        player.set_parameter(VISITS, &visits)?;
        if let Some(value) = seat.profile().or_else(|| started(HUMAN_PROFILE)) {
            player.set_parameter(HUMAN_PROFILE, &value)?;
        }
        Ok(())
    }
}
