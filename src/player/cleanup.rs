//! Taking dead stones of the opponent off the board, as servers ask for where players disagree about them.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::judgement::chains;
use super::session::{Chosen, GameSession};
use crate::go::area::{AreaParts, area};
use crate::go::{Answer, Board, Color, Move, Point, PointSet, Position};
use crate::solver::{Extras, Outcome, Problem, Side, Status, solve};

/// Nodes to find out how a chain is captured, and positions remembered meanwhile.
const NODES: u64 = 20_000;
const MEMORY: usize = 1 << 15;

impl GameSession {
    /// What the player answers on its clock, as [`GameSession::choose_in_time`], but instead of a pass it takes dead
    /// stones of the opponent off: what is known to be dead in any case, the rest as far as time is left.
    pub fn choose_cleanup(
        &mut self,
        color: Color,
        waited: Duration,
        stop: &AtomicBool,
    ) -> Result<Chosen> {
        let start = Instant::now();
        let chosen = self.choose_cleanup_or_pass(color, waited, stop);
        self.clocks.spend(color, waited + start.elapsed());
        chosen
    }

    fn choose_cleanup_or_pass(
        &mut self,
        color: Color,
        waited: Duration,
        stop: &AtomicBool,
    ) -> Result<Chosen> {
        let mut chosen = self.choose(color, waited, |player, position, clock| {
            player.choose_until(position, clock, stop)
        })?;
        if chosen.answer == Answer::Move(Move::Pass)
            && let Some(point) = self.cleanup_move(color, stop)?
        {
            chosen.answer = Answer::Move(Move::Play(point));
        }
        Ok(chosen)
    }

    /// The most sensible legal move on a liberty of a chain of the opponent's that is dead, or was called so;
    /// where there is none that is not taken at once, a sacrifice that is proved to kill such a chain.
    fn cleanup_move(&mut self, color: Color, stop: &AtomicBool) -> Result<Option<Point>> {
        let position = self.position_for(color);
        let board = position.board();
        let claimed = self.still_announced_dead();
        let dead = self.dead_stones_in_time(stop)?;
        let enemies = board.points().filter(|&stone| {
            let is_dead = claimed.contains(stone) || dead.contains(stone);
            is_dead && board.color_at(stone) == Some(!color)
        });
        let lost: PointSet = enemies.collect();
        let mut points: Vec<Point> = lost
            .iter()
            .flat_map(|stone| board.liberty_points(stone))
            .collect();
        points.retain(|&point| {
            position.is_legal(Move::Play(point))
                && !loses_itself(&position, point)
                && !gives_up_life(&position, point)
        });
        if points.is_empty() {
            return Ok(killing_move(&position, &lost, || self.has_time(stop)));
        }
        let policy = self.view()?.policy(&position)?;
        let weight = |point: &Point| policy.get(position.size().index(*point)).copied();
        let best = points.into_iter().max_by(|a, b| {
            weight(a)
                .unwrap_or(0.0)
                .total_cmp(&weight(b).unwrap_or(0.0))
        });
        Ok(best)
    }
}

/// A move after which one of the opponent's chains among `lost` is proved to be captured, whatever the move
/// costs; as long as there is time to look for one.
fn killing_move(
    position: &Position,
    lost: &PointSet,
    has_time: impl Fn() -> bool,
) -> Option<Point> {
    let all = chains(position.board());
    let targets = all.iter().filter(|chain| lost.contains(chain[0]));
    let mut targets = targets.take_while(|_| has_time());
    targets.find_map(|chain| {
        let outcome = outcome(position.board(), chain, Side::Attacker)?;
        if outcome.status != Status::Dead {
            return None;
        }
        if let Some(mv @ Move::Play(point)) = outcome.best {
            return position.is_legal(mv).then_some(point);
        }
        // It is dead as it stands.
        let mut liberties = position.board().liberty_points(chain[0]).into_iter();
        liberties.find(|&point| {
            position.is_legal(Move::Play(point)) && stays_dead(position, chain, point)
        })
    })
}

/// Whether a chain of the opponent's is captured, or still dead, after a move.
fn stays_dead(position: &Position, chain: &[Point], point: Point) -> bool {
    let mut after = position.clone();
    after.play_unchecked(Move::Play(point));
    let is_captured = after.board().is_empty(chain[0]);
    is_captured
        || outcome(after.board(), chain, Side::Defender)
            .is_some_and(|outcome| outcome.status == Status::Dead)
}

/// What becomes of a chain if a side moves first.
fn outcome(board: &Board, chain: &[Point], first: Side) -> Option<Outcome> {
    let problem = Problem {
        board,
        target: chain.iter().copied().collect(),
        region: None,
        nodes: NODES,
        memory: MEMORY,
    };
    let solution = solve(&problem, first, Extras::default()).ok()?;
    Some(solution.outcome)
}

/// Whether the opponent could take the chain of a stone at once that takes nothing itself.
fn loses_itself(position: &Position, point: Point) -> bool {
    let mut after = position.clone();
    after.play_unchecked(Move::Play(point));
    after.board().liberties(point) <= 1 && !position.board().is_capture(point, position.to_move())
}

/// Whether stones of the mover that nobody could take before, or that were in no danger of being taken at
/// once, are in such danger afterwards.
fn gives_up_life(position: &Position, point: Point) -> bool {
    let (mover, suicide) = (position.to_move(), position.rules().suicide);
    let mut after = position.clone();
    after.play_unchecked(Move::Play(point));
    let certain = |board: &Board| area(board, AreaParts::CERTAIN, suicide);
    let (before, then) = (certain(position.board()), certain(after.board()));
    position.board().stones_of(mover).iter().any(|stone| {
        let was_certain = before.owner(stone) == Some(mover);
        let is_certain = then.owner(stone) == Some(mover);
        let gets_into_atari =
            after.board().liberties(stone) == 1 && position.board().liberties(stone) > 1;
        !is_certain && (was_certain || gets_into_atari)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{Komi, Rules, diagram};

    #[test]
    fn a_stone_loses_itself_if_it_can_be_taken_and_takes_nothing() {
        let board = diagram::parse("..OX./OOX../...../...../.....").unwrap();
        let size = board.size();
        let position = Position::from_board(board, Color::Black, Rules::CHINESE, Komi::default());
        let lost = |index| loses_itself(&position, size.point_at(index));
        assert!(lost(0), "in the corner, with one liberty");
        assert!(!lost(1), "takes a stone");
        assert!(!lost(4), "joins a chain");
        assert!(!lost(20), "has two liberties");
    }
    #[test]
    fn eye_of_a_living_group_is_not_filled() {
        // Black's eyes are A5 and the corner of two with a dead stone.
        let board = diagram::parse(".XO../XXO../.XO../OXO../XXO..").unwrap();
        let size = board.size();
        let position = Position::from_board(board, Color::Black, Rules::CHINESE, Komi::default());
        assert!(gives_up_life(&position, size.point_at(0)), "an eye");
        assert!(
            !gives_up_life(&position, size.point_at(10)),
            "takes the stone"
        );
        assert!(!gives_up_life(&position, size.point_at(3)), "is elsewhere");
    }
}
