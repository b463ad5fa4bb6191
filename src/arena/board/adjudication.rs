//! Ending games whose result is clear to both players, by the scores that they report.

use std::fmt;

use crate::go::Color;
use crate::minimax::Score;

/// When games are ended early; by default never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Adjudication {
    /// When a game is won.
    pub resign: Option<ResignRule>,
    /// When a game is drawn.
    pub draw: Option<DrawRule>,
}

/// A game is won once both players have seen one of them ahead by `score` in each of their last `moves`
/// moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResignRule {
    /// Moves of each player.
    pub moves: usize,
    /// Hundredths of a pawn or man.
    pub score: Score,
}

/// A game is drawn once both players have seen neither ahead by more than `score` in each of their last
/// `moves` moves, but not before move `from`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawRule {
    /// Number of the first move of a game that may end so.
    pub from: usize,
    /// Moves of each player.
    pub moves: usize,
    /// Hundredths of a pawn or man.
    pub score: Score,
}

impl fmt::Display for Adjudication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(rule) = self.resign {
            write!(f, ", won after {} moves at {}", rule.moves, rule.score)?;
        }
        match self.draw {
            Some(rule) => write!(
                f,
                ", drawn after {} moves within {} from move {} on",
                rule.moves, rule.score, rule.from
            ),
            None => Ok(()),
        }
    }
}

/// Counts of moves in a row that fulfill the rules.
#[derive(Clone, Debug, Default)]
pub(super) struct Judge {
    white_ahead: usize,
    black_ahead: usize,
    level: usize,
}

impl Judge {
    /// Notes the score that the player of a move reports, from its own view. `ply` counts the moves of the
    /// game with this one. Gives the winner, or none of a draw, if the game ends here.
    pub(super) fn note(
        &mut self,
        rules: &Adjudication,
        color: Color,
        score: Option<Score>,
        ply: usize,
    ) -> Option<Option<Color>> {
        let white = score.map(|score| if color == Color::White { score } else { -score });
        let count = |count: &mut usize, is_so: bool| *count = if is_so { *count + 1 } else { 0 };
        let is = |test: &dyn Fn(Score) -> bool| white.is_some_and(test);
        if let Some(rule) = rules.resign {
            count(&mut self.white_ahead, is(&|white| white >= rule.score));
            count(&mut self.black_ahead, is(&|white| white <= -rule.score));
            for (ahead, winner) in [
                (self.white_ahead, Color::White),
                (self.black_ahead, Color::Black),
            ] {
                if ahead >= 2 * rule.moves {
                    return Some(Some(winner));
                }
            }
        }
        let rule = rules.draw?;
        count(&mut self.level, is(&|white| white.abs() <= rule.score));
        let is_late = ply.div_ceil(2) >= rule.from;
        (is_late && self.level >= 2 * rule.moves).then_some(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ply at which a game with these scores from White's view ends.
    fn end(rules: Adjudication, white: &[Option<Score>]) -> Option<(usize, Option<Color>)> {
        let mut judge = Judge::default();
        for (index, &score) in white.iter().enumerate() {
            let color = if index % 2 == 0 {
                Color::White
            } else {
                Color::Black
            };
            let own = score.map(|score| if color == Color::White { score } else { -score });
            if let Some(winner) = judge.note(&rules, color, own, index + 1) {
                return Some((index + 1, winner));
            }
        }
        None
    }

    #[test]
    fn both_players_have_to_agree() {
        let resign = Some(ResignRule {
            moves: 2,
            score: 500,
        });
        let rules = Adjudication { resign, draw: None };
        let won = [0, 600, 600, 600, 600, 600].map(Some);
        assert_eq!(end(rules, &won), Some((5, Some(Color::White))));
        let lost = won.map(|score| score.map(|score: Score| -score));
        assert_eq!(end(rules, &lost), Some((5, Some(Color::Black))));
        let only_white = [600, 100, 600, 100, 600, 100].map(Some);
        assert_eq!(end(rules, &only_white), None);
        assert_eq!(
            end(rules, &[Some(600), None, Some(600), None, Some(600)]),
            None
        );
        assert_eq!(end(Adjudication::default(), &won), None);
    }

    #[test]
    fn draws_come_late() {
        let draw = Some(DrawRule {
            from: 3,
            moves: 1,
            score: 10,
        });
        let rules = Adjudication { resign: None, draw };
        assert_eq!(end(rules, &[Some(5); 8]), Some((5, None)));
        assert_eq!(end(rules, &[Some(50); 8]), None);
    }
}
