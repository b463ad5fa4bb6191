//! What a player does about the position it searches, besides searching.

use crate::params::parameters;

parameters! {
    /// How a searching player treats the position it is to move in. The names are KataGo's.
    RootParams;

    /// Whether only one of several symmetric moves is searched.
    symmetry_pruning as "rootSymmetryPruning": bool = true, 0 => 0;
    /// Whether keima stops playing inside certainly alive or dead groups once the opponent keeps
    /// passing.
    prune_useless as "rootPruneUselessMoves": bool = true, 0 => 0;
    /// Whether dame are filled before passing.
    fill_dame as "fillDameBeforePass": bool = true, 0 => 0;
    /// Playout doublings that the side which was behind at the start is credited with at most, for each
    /// point of the opponent's lead; 0 is off. For networks trained with that. KataGo: 0.045.
    advantage_per_lead as "dynamicPlayoutDoublingAdvantageCapPerOppLead": f64 = 0.0, 0 => 0.5;
    /// Whether keima detects mirror Go and plays to break the symmetry. KataGo: in games, but not
    /// in analysis.
    anti_mirror as "antiMirror": bool = false, 0 => 0;
    /// Visits of the search that judges dead stones and scores, fewer for large networks; 0 uses
    /// the network's ownership alone.
    judging_visits as "judgingVisits": u64 = 400, 0 => 1e9;
}
