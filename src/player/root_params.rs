//! What a player does about the position it searches, besides searching.

use crate::games::root_bonus::{ENDING_POINTS, GoBonus};
use crate::params::parameters;

parameters! {
    /// How a searching player treats the position it is to move in. The names are KataGo's.
    RootParams;

    /// Whether only one of several symmetric moves is searched.
    symmetry_pruning as "rootSymmetryPruning": bool = true, 0 => 0;
    /// Variety of the first moves: the loss in utility that makes a move less probable by a factor of e, among
    /// moves that were searched enough; fades with a half-life of 16 turns. 0 leaves the choice to the
    /// temperature, as in KataGo; at temperature 0 there is none either.
    variety as "openingVariety": f64 = 0.04, 0 => 2;
    /// Whether the network is not told the moves before the position that is searched, as they might
    /// mislead it where they were bad. KataGo: in analysis, but not in games.
    ignore_pre_root_history as "ignorePreRootHistory": bool = false, 0 => 0;
    /// Whether keima stops playing inside certainly alive or dead groups once the opponent keeps
    /// passing.
    prune_useless as "rootPruneUselessMoves": bool = true, 0 => 0;
    /// Whether dame are filled before passing.
    fill_dame as "fillDameBeforePass": bool = true, 0 => 0;
    /// Whether the opponent's pass is answered by a pass where players agree on dead stones, if the
    /// count then wins, or nothing but the mover's own territory is left to play in.
    friendly_pass as "friendlyPass": bool = true, 0 => 0;
    /// Playout doublings that the side which was behind at the start is credited with at most, for each
    /// point of the opponent's lead; 0 is off. For networks trained with that. KataGo: 0.045.
    advantage_per_lead as "dynamicPlayoutDoublingAdvantageCapPerOppLead": f64 = 0.0, 0 => 0.5;
    /// Whether keima detects mirror Go and plays to break the symmetry; by default in games, but not in analysis.
    anti_mirror as "antiMirror": Option<bool> = None, 0 => 0;
    /// The same for games alone.
    move_anti_mirror as "genmoveAntiMirror": Option<bool> = None, 0 => 0;
    /// Score penalty for root moves inside settled areas, and for passing too early, in points. 0
    /// is off; without effect where nobody knows the ownership, or where the score does not count.
    /// KataGo: 0.5.
    ending_bonus as "rootEndingBonusPoints": f64 = ENDING_POINTS, -1 => 1;
    /// Utility penalty for root moves that repeat a position of the game, times the player's
    /// advantage (in [0, 1]); 0 is off. For rules without superko, under which
    /// an endless cycle has no result.
    avoid_repeating as "avoidRepeating": f64 = 0.0, 0 => 10;
    /// Visits of the two searches that judge dead stones and scores, one with either side to move; fewer
    /// for large networks; 0 uses the network's ownership alone.
    judging_visits as "judgingVisits": u64 = 400, 0 => 1e9;
}

impl RootParams {
    /// The bonuses of the root's moves.
    pub fn bonus(&self) -> GoBonus {
        GoBonus {
            ending_points: self.ending_bonus,
            avoid_repeating: self.avoid_repeating,
        }
    }
}
