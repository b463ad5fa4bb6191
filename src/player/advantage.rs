//! Playing on from far behind, as in games with a handicap: the network is told that the side that
//! is behind can think for longer, so that it hopes for mistakes that an equal does not make.
//! The scheme is KataGo's; it needs a network trained with such advantages.

use super::resignation::{EvaluationHistory, initial_advantage};
use crate::go::{Color, Position};

/// Doublings are a multiple of this.
const STEP: f64 = 0.125;

/// Networks have not seen more.
const MOST: f64 = 2.75;

/// On boards with shorter sides it is left alone.
const LEAST_SIDE: usize = 8;

/// Winning less losing probability that the side behind is to see.
const WANTED: std::ops::RangeInclusive<f64> = -0.9..=-0.5;

/// The advantage of the side that is behind, in doublings, adjusted as the game goes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Advantage(f64);

impl Advantage {
    /// Ends it; whether there was one.
    pub(super) fn take_back(&mut self) -> bool {
        std::mem::take(&mut self.0) != 0.0
    }

    /// The side behind at the start, and its doublings for the coming move; `None` in games that
    /// began about even. `per_lead` is the most that a point of the opponent's lead counts.
    pub(super) fn update(
        &mut self,
        position: &Position,
        history: &EvaluationHistory,
        per_lead: f64,
    ) -> Option<(Color, f64)> {
        let size = position.size();
        let scale = (361.0 / size.area() as f64).powf(0.75);
        let first = (4.0 / scale).max(2.0);
        let lead = initial_advantage(position);
        if lead.abs() < first || size.shorter_side() < LEAST_SIDE {
            return None;
        }
        let behind = if lead > 0.0 {
            Color::White
        } else {
            Color::Black
        };
        let most = (per_lead * (lead.abs() - first) * scale).min(MOST);
        let most = (most / STEP).round() * STEP;
        let seen = history.before(position).next();
        let seen = seen.map(|own| {
            if position.to_move() == behind {
                own
            } else {
                -own
            }
        });
        self.0 = match seen {
            None => most,
            Some(win_loss) if win_loss < *WANTED.start() => self.0 + STEP,
            Some(win_loss) if win_loss > *WANTED.end() => self.0 - STEP,
            Some(_) => self.0,
        };
        self.0 = self.0.clamp(0.0, most);
        Some((behind, self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{BoardSize, Komi, Move, Rules};

    #[test]
    fn a_handicap_is_met_by_doublings_that_follow_the_game() {
        let mut position = Position::new(
            BoardSize::square(19),
            Rules::TROMP_TAYLOR,
            Komi::from_points(0.5).expect("a komi"),
        );
        let mut history = EvaluationHistory::default();
        let mut advantage = Advantage::default();
        // Half a point of komi alone is hardly more than nothing.
        let small = advantage.update(&position, &history, 0.045);
        assert_eq!(small, Some((Color::White, 0.125)));
        for index in [60, 72, 288] {
            let mv = Move::Play(position.size().point_at(index));
            position
                .play_reported(Color::Black, mv)
                .expect("a legal move");
        }
        assert_eq!(position.handicap_stones(), 3);
        // 36.5 points ahead: 0.045 * 32.5 is 1.46.
        let mut seen = vec![advantage.update(&position, &history, 0.045)];
        for win_loss in [-0.95, -0.3, -0.3, -0.7] {
            history.note(&position, win_loss);
            position.play(Move::Pass);
            position.play(Move::Pass);
            position.resume();
            seen.push(advantage.update(&position, &history, 0.045));
        }
        let doublings = [1.5, 1.5, 1.375, 1.25, 1.25];
        assert_eq!(seen, doublings.map(|p| Some((Color::White, p))));
    }
}
