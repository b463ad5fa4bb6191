//! What may be set about the server, by KataGo's names.

use crate::params::parameters;

parameters! {
    /// How many positions are analyzed at once, and how many may wait.
    ServerParams;

    /// Positions analyzed at once; empty for as many as there are cores for.
    positions as "numAnalysisThreads": Option<u32> = None, 1 => 16384;
    /// Search threads for each position. With one, equal queries get equal answers.
    threads as "numSearchThreadsPerAnalysisThread": u32 = 1, 1 => 1024;
    /// Whether fields of a query that mean nothing are answered with a warning.
    warn_unused_fields as "warnUnusedFields": bool = true, 0 => 0;
    /// Positions that may wait for their analysis before no more queries are read.
    max_waiting as "maxWaitingPositions": u32 = 10_000, 1 => 10_000_000;
}
