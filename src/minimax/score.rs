//! Scores: hundredths of a pawn or man, and distances to the end of the game.

/// Hundredths of a pawn or man, from the side to move. Scores beyond [`LONGEST_MATE`] are won or
/// lost games.
pub type Score = i32;

/// Score of a game that is won at once; `MATE - n` if it takes n plies.
pub const MATE: Score = 30_000;
/// Smallest score of a won game.
pub const LONGEST_MATE: Score = MATE - 1_000;
const LONGEST_LOSS: Score = -LONGEST_MATE;
/// Above every score.
pub const INFINITE: Score = 32_000;
/// Largest evaluation.
pub const MAX_EVAL: Score = LONGEST_MATE - 1;

/// Score of a game that is lost `ply` plies after the root.
pub fn lost_at(ply: usize) -> Score {
    ply as Score - MATE
}

/// Score of a game that is won `ply` plies after the root.
pub fn won_at(ply: usize) -> Score {
    -lost_at(ply)
}

/// Plies to the end of the game: positive if the side to move wins, negative if it loses, `None` if
/// the score is an evaluation. A game that is lost already has distance -0, which is 0.
pub fn plies_to_end(score: Score) -> Option<Score> {
    match score {
        LONGEST_MATE.. => Some(MATE - score),
        ..=LONGEST_LOSS => Some(-MATE - score),
        _ => None,
    }
}

/// A score counted from the root as the transposition table stores it: distances to the end of the
/// game from the node, which is `ply` plies below.
pub(super) fn to_table(score: Score, ply: usize) -> Score {
    match score {
        LONGEST_MATE.. => score + ply as Score,
        ..=LONGEST_LOSS => score - ply as Score,
        _ => score,
    }
}

/// Inverse of [`to_table`].
pub(super) fn from_table(score: Score, ply: usize) -> Score {
    match score {
        LONGEST_MATE.. => score - ply as Score,
        ..=LONGEST_LOSS => score + ply as Score,
        _ => score,
    }
}

/// An evaluation within the permitted range.
pub(super) fn clamped(evaluation: Score) -> Score {
    evaluation.clamp(-MAX_EVAL, MAX_EVAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_scores_count_from_the_node() {
        let score = won_at(7);
        assert_eq!(to_table(score, 4), won_at(3));
        for score in [won_at(9), lost_at(8), 120, -28_000] {
            assert_eq!(from_table(to_table(score, 5), 5), score);
        }
    }

    #[test]
    fn distance_to_the_end() {
        assert_eq!(plies_to_end(won_at(3)), Some(3));
        assert_eq!(plies_to_end(lost_at(4)), Some(-4));
        assert_eq!(plies_to_end(MAX_EVAL), None);
    }
}
