//! Figures of a game: each player's losses, as a whole and by phase.

use serde::{Deserialize, Serialize};

use super::analysis::rounded;
use super::review::ReviewedPosition;
use super::settings::{Grade, Thresholds};

/// The last moves of opening and middle game on 19x19, by keima's convention.
const BORDERS: [f64; 2] = [60.0, 150.0];
/// The board that the borders are for, in points.
const AREA: f64 = 361.0;
/// What each point of average loss leaves of the accuracy, by keima's convention.
const KEPT_PER_POINT: f64 = 0.75;
/// Names of the phases.
pub const PHASES: [&str; 3] = ["opening", "middle game", "endgame"];

/// Figures of both players.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Numbers of the last moves of opening and middle game.
    pub borders: [usize; 2],
    /// Black's figures.
    pub black: PlayerFigures,
    /// White's figures.
    pub white: PlayerFigures,
}

/// Figures of a player.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlayerFigures {
    /// Of the whole game.
    pub all: Figures,
    /// Of the phases, see [`PHASES`].
    pub phases: [Figures; 3],
}

/// Figures of some moves; averages and shares are none without moves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Number of moves.
    pub moves: usize,
    /// Points lost on average; moves that gained count as 0.
    pub average_loss: Option<f64>,
    /// 100 times 0.75 to the power of the average loss: 100 if nothing was lost.
    pub accuracy: Option<f64>,
    /// Share of moves that are the search's first choice, from 0 to 1.
    pub first_choices: Option<f64>,
    /// Number of mistakes that are no blunders.
    pub mistakes: usize,
    /// Number of blunders.
    pub blunders: usize,
}

impl Summary {
    /// The figures of a game on a board of `area` points.
    pub fn of(positions: &[ReviewedPosition], area: usize, thresholds: Thresholds) -> Summary {
        let borders = borders(area);
        let player = |letter| {
            let moves = positions.iter().filter(|it| it.analysis.to_move == letter);
            let moves: Vec<&ReviewedPosition> = moves.collect();
            PlayerFigures {
                all: Figures::of(&moves, thresholds),
                phases: [0, 1, 2].map(|phase| {
                    let in_phase =
                        |it: &&ReviewedPosition| phase_of(it.analysis.turn + 1, borders) == phase;
                    let moves: Vec<_> = moves.iter().copied().filter(in_phase).collect();
                    Figures::of(&moves, thresholds)
                }),
            }
        };
        Summary {
            borders,
            black: player('B'),
            white: player('W'),
        }
    }
}

impl Figures {
    fn of(positions: &[&ReviewedPosition], thresholds: Thresholds) -> Figures {
        let lost: Vec<f64> = positions.iter().filter_map(|it| it.lost).collect();
        let count = |grade| {
            let grades = lost.iter().map(|&lost| thresholds.grade(lost));
            grades.filter(|&it| it == grade).count()
        };
        let first = positions.iter().filter(|it| it.rank == Some(1)).count();
        let average = |sum: f64| (!lost.is_empty()).then(|| sum / lost.len() as f64);
        let loss = average(lost.iter().map(|lost| lost.max(0.0)).sum());
        Figures {
            moves: lost.len(),
            average_loss: loss.map(|loss| rounded(loss, 3)),
            accuracy: loss.map(|loss| rounded(100.0 * KEPT_PER_POINT.powf(loss), 1)),
            first_choices: average(first as f64).map(|share| rounded(share, 3)),
            mistakes: count(Grade::Mistake),
            blunders: count(Grade::Blunder),
        }
    }
}

/// The last moves of opening and middle game on a board of so many points: the share of the board is the
/// same as on 19x19.
fn borders(area: usize) -> [usize; 2] {
    BORDERS.map(|border| (border * area as f64 / AREA).round() as usize)
}

/// The phase of a move, numbered from 1.
fn phase_of(number: usize, borders: [usize; 2]) -> usize {
    borders.iter().filter(|&&border| number > border).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_scale_with_the_board() {
        assert_eq!(borders(361), [60, 150]);
        assert_eq!(borders(169), [28, 70]);
        assert_eq!(borders(81), [13, 34]);
        let phases = [1, 13, 14, 34, 35].map(|number| phase_of(number, [13, 34]));
        assert_eq!(phases, [0, 0, 1, 1, 2]);
    }
}
