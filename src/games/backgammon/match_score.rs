//! Matches to several points: how likely a side is to win one, and whether it takes a double.
//!
//! Match equities are those of equal players, by the recursion over scores that tables of them are computed by: a game
//! gives its winner 1, 2 or 4 points, in shares that depend on whether the Crawford game is over. With the shares here
//! they are within two hundredths of Kit Woolsey's table for matches to 15 points.

use std::collections::HashMap;

use super::outcome::Outcome;
use crate::search::game::Side;

/// Longest match, in points; what says it is longer is no match (FIBS has 9999 where there is no end).
const LONGEST: i32 = 64;

/// Points of a game's winner, each with its share of the games, as long as both sides need several points.
const BEFORE: &[(i32, f64)] = &[(1, 0.40), (2, 0.35), (4, 0.25)];
/// The same of the Crawford game, the first one in which a side needs one point: nobody may double.
const CRAWFORD: &[(i32, f64)] = &[(1, 0.74), (2, 0.26)];
/// The same of the games after it: the side that is behind doubles at once.
const AFTER: &[(i32, f64)] = &[(2, 0.74), (4, 0.26)];

/// The score of a match in which a game is being played, and the doubling cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchScore {
    /// Points that the first side and the other one need, from 1 on.
    needs: [i32; 2],
    /// What the game counts so far.
    cube: i32,
}

impl MatchScore {
    /// Of a match to `length` points, of which the first side and the other one have so many. None where the match is
    /// over, or longer than any.
    pub fn new(length: i32, points: [i32; 2], cube: i32) -> Option<MatchScore> {
        let needs = points.map(|points| length.saturating_sub(points));
        let is_match = needs.iter().all(|needed| (1..=LONGEST).contains(needed));
        is_match.then_some(MatchScore {
            needs,
            cube: cube.clamp(1, LONGEST),
        })
    }

    /// Whether any win ends the match, so that gammons do not count: both sides need no more than the cube shows, as
    /// at double match point.
    pub fn is_last_game(&self) -> bool {
        self.needs.iter().all(|needed| *needed <= self.cube)
    }

    /// Whether a side that is offered a double wins the match at least as often if it takes it. `outcome` is that of
    /// this side, which is assumed not to double again.
    pub fn is_take(&self, taker: Side, outcome: &Outcome) -> bool {
        let [first, second] = self.needs;
        let [own, other] = match taker {
            Side::First => [first, second],
            Side::Second => [second, first],
        };
        // Nobody may double in the Crawford game.
        let is_after_crawford = self.needs.contains(&1);
        let mut equities = MatchEquities::default();
        let mut after =
            |won: i32, lost: i32| equities.of([own - won, other - lost], is_after_crawford);
        let mut taken = 0.0;
        let by_kind = wins(outcome).into_iter().zip(wins(&outcome.turned()));
        for (kind, (won, lost)) in (1..).zip(by_kind) {
            let points = 2 * self.cube * kind;
            taken += f64::from(won) * after(points, 0) + f64::from(lost) * after(0, points);
        }
        taken >= after(0, self.cube)
    }
}

/// The probabilities of winning a single game, a gammon, a backgammon.
fn wins(outcome: &Outcome) -> [f32; 3] {
    [
        outcome.win - outcome.win_gammon,
        outcome.win_gammon - outcome.win_backgammon,
        outcome.win_backgammon,
    ]
}

/// Probabilities of winning a match, as far as they have been computed.
#[derive(Default)]
struct MatchEquities(HashMap<([i32; 2], bool), f64>);

impl MatchEquities {
    /// Of a side that needs the first number of points, against one that needs the second.
    fn of(&mut self, needs: [i32; 2], is_after_crawford: bool) -> f64 {
        let [own, other] = needs;
        if own <= 0 {
            return 1.0;
        }
        if other <= 0 {
            return 0.0;
        }
        if let Some(known) = self.0.get(&(needs, is_after_crawford)) {
            return *known;
        }
        let is_match_point = needs.contains(&1);
        let games = match (is_match_point, is_after_crawford) {
            (_, true) => AFTER,
            (true, false) => CRAWFORD,
            (false, false) => BEFORE,
        };
        let mut equity = 0.0;
        for &(points, share) in games {
            let won = self.of([own - points, other], is_match_point);
            let lost = self.of([own, other - points], is_match_point);
            equity += share * (won + lost) / 2.0;
        }
        self.0.insert((needs, is_after_crawford), equity);
        equity
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the first side takes at a score with this probability of winning, without gammons of its own.
    fn takes(needs: [i32; 2], cube: i32, win: f32, lose_gammon: f32) -> bool {
        let outcome = Outcome {
            win,
            lose_gammon,
            ..Outcome::default()
        };
        let score = MatchScore::new(15, needs.map(|needed| 15 - needed), cube);
        score.unwrap().is_take(Side::First, &outcome)
    }

    #[test]
    fn match_equities_are_near_those_of_woolsey_s_table() {
        let table = [
            ([1, 2], 0.70),
            ([1, 3], 0.75),
            ([2, 3], 0.60),
            ([2, 4], 0.68),
            ([3, 5], 0.66),
            ([5, 9], 0.73),
            ([15, 2], 0.02),
            ([7, 7], 0.50),
        ];
        for (needs, expected) in table {
            let found = MatchEquities::default().of(needs, false);
            assert!((found - expected).abs() < 0.02, "{needs:?}: {found}");
        }
        let after = MatchEquities::default().of([2, 1], true);
        assert!((after - 0.5).abs() < 1e-9, "{after}");
    }

    #[test]
    fn what_a_take_needs_depends_on_the_score() {
        // Both need two points: the doubled cube decides the match, and a drop leaves 31.5 %.
        assert!(!takes([2, 2], 1, 0.31, 0.0) && takes([2, 2], 1, 0.33, 0.0));
        // At match point against a side that needs two, a drop leaves an equity of one half.
        assert!(!takes([1, 2], 1, 0.49, 0.0) && takes([1, 2], 1, 0.51, 0.0));
        // Far from the end it is much as in a game for money.
        assert!(!takes([15, 15], 1, 0.22, 0.0) && takes([15, 15], 1, 0.32, 0.0));
        assert!(!takes([15, 15], 1, 0.32, 0.3));
    }

    #[test]
    fn a_drop_that_loses_the_match_is_never_chosen() {
        assert!(takes([7, 2], 2, 0.0, 1.0));
        assert!(!takes([7, 2], 1, 0.0, 1.0));
    }

    #[test]
    fn scores_that_no_match_has_are_none() {
        assert_eq!(MatchScore::new(7, [7, 0], 1), None);
        assert_eq!(MatchScore::new(9999, [0, 0], 1), None);
        assert_eq!(MatchScore::new(i32::MIN, [i32::MAX, 0], 1), None);
        let last = |points, cube| MatchScore::new(7, points, cube).unwrap().is_last_game();
        assert!(last([6, 6], 1) && last([5, 5], 2));
        assert!(!last([6, 5], 1) && !last([4, 5], 2));
    }
}
