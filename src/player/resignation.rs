//! When to give up: after several hopeless turns, and never while a handicap is still being caught
//! up with on schedule. The rules are KataGo's.

use crate::go::{Color, Position, Scoring};
use crate::params::parameters;
use crate::search::Report;

parameters! {
    /// When a searching player resigns. The names are KataGo's.
    ResignParams;

    /// Whether keima resigns.
    allowed as "allowResignation": bool = false, 0 => 0;
    /// Win probability minus loss probability below which a turn counts as hopeless.
    threshold as "resignThreshold": f64 = -0.90, -1 => 0;
    /// Hopeless turns in a row before keima resigns.
    turns as "resignConsecTurns": u32 = 3, 1 => 1000;
    /// Points keima must be behind.
    min_lead as "resignMinScoreDifference": f64 = 0.0, 0 => 1000;
    /// Moves before keima resigns, as a share of the board's area.
    min_moves as "resignMinMovesPerBoardArea": f64 = 0.17, 0 => 100;
}

/// Turns that are remembered.
const MEMORY: usize = 1000;

/// What a player thought of its own latest turns.
#[derive(Clone, Debug, Default)]
pub(super) struct EvaluationHistory {
    turns: Vec<OwnTurn>,
}

#[derive(Clone, Copy, Debug)]
struct OwnTurn {
    color: Color,
    turn: usize,
    /// The board's.
    hash: u128,
    win_loss: f64,
}

impl EvaluationHistory {
    /// Notes what a search found for the player to move.
    pub(super) fn note(&mut self, position: &Position, win_loss: f64) {
        let (color, turn) = (position.to_move(), position.turn());
        self.turns
            .retain(|own| own.turn < turn && own.turn + MEMORY > turn);
        self.turns.push(OwnTurn {
            color,
            turn,
            hash: position.board().hash(),
            win_loss,
        });
    }

    /// What it thought in its turns of this game before this position, the latest first, as long as
    /// it had every other turn.
    pub(super) fn before<'a>(&'a self, position: &'a Position) -> impl Iterator<Item = f64> + 'a {
        let (color, turn) = (position.to_move(), position.turn());
        let own = self.turns.iter().rev();
        let own = own.filter(move |own| own.color == color && own.turn < turn);
        own.zip(1..)
            .take_while(move |(own, back)| {
                let is_of_this_game = || position.earlier_board(2 * back).hash() == own.hash;
                own.turn + 2 * back == turn && is_of_this_game()
            })
            .map(|(own, _)| own.win_loss)
    }
}

impl ResignParams {
    /// Whether to resign in a position, which a search has found to be worth what `report` says.
    pub(super) fn gives_up(
        &self,
        position: &Position,
        report: &Report,
        history: &EvaluationHistory,
    ) -> bool {
        let earlier = history.before(position);
        let earlier = earlier.take_while(|win_loss| *win_loss < self.threshold);
        let earlier = earlier.count();
        let area = position.size().area() as f64;
        self.allowed
            && self.is_hopeless(report.win_loss, report.lead)
            && earlier + 1 >= self.turns as usize
            && position.turn() as f64 >= self.min_moves * area
            && !is_catching_up(position, report.lead)
    }

    /// Whether such values of the player to move are hopeless.
    pub(super) fn is_hopeless(&self, win_loss: f64, lead: f64) -> bool {
        win_loss < self.threshold && lead <= -self.min_lead
    }
}

/// Points that Black's handicap is worth at the start, komi included.
pub(super) fn initial_advantage(position: &Position) -> f64 {
    /// What a fair komi is about.
    const FAIR_KOMI: f64 = 7.0;
    let stone = match position.rules().scoring {
        Scoring::Area => 15.0,
        Scoring::Territory => 14.0,
    };
    let extra = position.handicap_stones().saturating_sub(1) as f64;
    let bonus = position.rules().handicap_points(position.handicap_stones());
    let komi = f64::from(position.komi().half() + 2 * bonus) / 2.0;
    stone * extra + FAIR_KOMI - komi
}

/// Whether White, who gave a handicap, is no more behind than is to be expected by now.
fn is_catching_up(position: &Position, lead: f64) -> bool {
    let advantage = initial_advantage(position);
    if position.to_move() != Color::White || advantage <= 0.9 {
        return false;
    }
    let area = position.size().area();
    let first = 1 + area / 5;
    let turns = (0.6 * area as f64 - first as f64).max(1.0);
    let spent = (position.turn() as f64 - first as f64).max(0.0).min(turns);
    let schedule = -advantage * (turns - spent) / turns;
    position.turn() < first || lead > schedule - 5.0 - 0.15 * advantage
}
