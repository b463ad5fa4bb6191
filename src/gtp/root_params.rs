//! What a player does about the position it searches, besides searching.

use crate::params::parameters;

parameters! {
    /// How a searching player treats the position it is to move in. The names are KataGo's.
    RootParams;

    /// Whether of moves that are images of each other, in a symmetric position, one is searched.
    symmetry_pruning as "rootSymmetryPruning": bool = true, 0 => 0;
    /// Whether it leaves what is alive or dead for certain alone once the opponent has passed again
    /// and again.
    prune_useless as "rootPruneUselessMoves": bool = true, 0 => 0;
    /// Whether neutral points are filled before passing.
    fill_dame as "fillDameBeforePass": bool = true, 0 => 0;
    /// Playout doublings that the side which was behind at the start is credited with at most, for each
    /// point of the opponent's lead; 0 is off. For networks trained with that. KataGo: 0.045.
    advantage_per_lead as "dynamicPlayoutDoublingAdvantageCapPerOppLead": f64 = 0.0, 0 => 0.5;
    /// Whether it looks out for an opponent who mirrors its moves, and then plays to break the
    /// symmetry. KataGo: in games, but not in analysis.
    anti_mirror as "antiMirror": bool = false, 0 => 0;
    /// Visits of the search that tells who owns which points when dead stones and scores are asked
    /// for, fewer for large networks; 0 for the network's own opinion.
    judging_visits: u64 = 400, 0 => 1e9;
}
