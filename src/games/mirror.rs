//! Mirror Go: an opponent who answers each move with its image under rotation by 180 degrees.
//! Detection, and the moves that matter then; constants are KataGo's (1.17, searchmirror.cpp).

use crate::go::{Color, Move, Point, Position, Scoring};

/// Minimal excess of mirrored moves over half of all moves, for an opponent who mirrors.
const LEAST_IMAGES: f64 = 7.0;

/// Minimal fraction of mirrored recent moves, and the weight of each relative to the next.
const RECENT_SHARE: f64 = 0.45;
const FADING: f64 = 0.75;

/// An opponent who loses the mirrored game by up to this many points is still dangerous with a
/// stone on the center.
const DANGEROUS: f64 = -0.5;

/// The center's owner decides the game if this distance around it is unchanged.
const CENTER_RADIUS: usize = 3;

/// Analysis of the opponent at the root, from the moves of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mirroring {
    opponent: Color,
    /// Moves before the root.
    pub(super) root_turn: usize,
    /// Points by which the opponent wins if all is mirrored to the end.
    advantage: f64,
    /// Whether the player's stones around the center all have images.
    pub(super) has_whole_center: bool,
    /// Whether the opponent's stone is on the center.
    has_taken_center: bool,
}

impl Mirroring {
    /// Whether the opponent of the player to move mirrors: most of the time, recently, and in the
    /// last move.
    pub fn of(position: &Position) -> Option<Mirroring> {
        let mover = position.to_move();
        let moves: Vec<(Color, Move)> = position.moves().collect();
        let (mut images, mut all, mut recent_images, mut recent_all) = (0.0, 0.0, 0.0, 0.0);
        let mut is_last_one = false;
        for pair in moves.windows(2) {
            if pair[1].0 == mover {
                continue;
            }
            is_last_one = pair[1].1 == image(position, pair[0].1);
            let one = f64::from(u8::from(is_last_one));
            images += one;
            all += 1.0;
            recent_images = FADING * (recent_images + one);
            recent_all = FADING * (recent_all + 1.0);
        }
        let is_mirroring = is_last_one
            && images >= LEAST_IMAGES + 0.5 * all
            && recent_images >= RECENT_SHARE * recent_all;
        let center = center(position);
        is_mirroring.then(|| Mirroring {
            opponent: !mover,
            root_turn: position.turn(),
            advantage: advantage(position, !mover),
            has_whole_center: has_whole_center(position),
            has_taken_center: center
                .is_some_and(|center| position.board().color_at(center) == Some(!mover)),
        })
    }

    /// Whether the opponent has mirrored all moves since the root, except those of the latest
    /// `skipped` turns.
    pub(super) fn goes_on(&self, position: &Position, skipped: usize) -> bool {
        let moves: Vec<Move> = position
            .moves()
            .skip(self.root_turn)
            .map(|(_, mv)| mv)
            .collect();
        let looked_at = moves.len().saturating_sub(skipped);
        let mut pairs = moves[..looked_at].chunks_exact(2);
        pairs.all(|pair| pair[1] == image(position, pair[0]))
    }

    /// The fraction of the remaining probability mass to add to a move.
    pub(super) fn share(&self, position: &Position, mv: Move) -> f64 {
        let depth = position.turn().saturating_sub(self.root_turn) as f64;
        let share = match position.to_move() == self.opponent {
            true => self.share_of_image(position, mv),
            false => mv
                .point()
                .map_or(0.0, |point| self.share_at_center(position, point)),
        };
        (share / (1.0 + depth.sqrt())).min(1.0)
    }

    fn share_of_image(&self, position: &Position, mv: Move) -> f64 {
        let last = position.moves().next_back().map(|(_, mv)| mv);
        let Some(Move::Play(_)) = last else {
            return 0.0;
        };
        let expected = last.map(|last| image(position, last));
        let expected = expected.filter(|&image| position.is_legal(image));
        match mv == expected.unwrap_or(Move::Pass) {
            true if self.is_dangerous(position) => 3.0,
            true => 1.0,
            false => 0.0,
        }
    }

    fn share_at_center(&self, position: &Position, point: Point) -> f64 {
        let [across, up] = from_center(position, point);
        if across.max(up) <= 1 {
            return 0.3;
        }
        let near = if across.max(up) <= 3 { 0.05 } else { 0.0 };
        let taken = center(position).filter(|_| self.has_taken_center);
        let Some(center) = taken else {
            return near;
        };
        let board = position.board();
        let attacks = !board.is_empty(center)
            && board
                .neighbors(point)
                .any(|p| !board.is_empty(p) && board.chain_head(p) == board.chain_head(center));
        // Distances are doubled.
        match (across * across + up * up) / 4 {
            _ if attacks => 0.05,
            0..=2 => 0.05,
            3..=4 => 0.03,
            _ => near,
        }
    }

    /// Whether the opponent holds the center and does not lose by mirroring.
    pub(super) fn is_dangerous(&self, position: &Position) -> bool {
        let owner = center(position).and_then(|center| position.board().color_at(center));
        owner == Some(self.opponent) && self.advantage >= DANGEROUS
    }
}

/// The image of a move under rotation by 180 degrees.
fn image(position: &Position, mv: Move) -> Move {
    let size = position.size();
    mv.point().map_or(Move::Pass, |point| {
        Move::Play(size.point_at(size.area() - 1 - size.index(point)))
    })
}

/// The center point, if there is one.
pub(super) fn center(position: &Position) -> Option<Point> {
    let size = position.size();
    let has_one = size.width() % 2 == 1 && size.height() % 2 == 1;
    has_one.then(|| size.point_at(size.area() / 2))
}

/// Twice the distances of a point from the center of the board, in columns and rows.
fn from_center(position: &Position, point: Point) -> [usize; 2] {
    let size = position.size();
    [
        (2 * point.column()).abs_diff(size.width() - 1),
        (2 * point.row()).abs_diff(size.height() - 1),
    ]
}

/// Points by which a color wins if all of the opponent's moves have images.
fn advantage(position: &Position, color: Color) -> f64 {
    let (size, stones) = (position.size(), position.handicap_stones());
    let mut black = -f64::from(position.rules().handicap_points(stones));
    if position.rules().scoring == Scoring::Area {
        black += stones.saturating_sub(1) as f64;
        let has_center = size.width() % 2 == 1 && size.height() % 2 == 1;
        if has_center == (stones == 0 || stones % 2 == 1) {
            // Black gets the last point.
            black += 1.0;
        }
    }
    let black = black - f64::from(position.komi().half()) / 2.0;
    match color {
        Color::Black => black,
        Color::White => -black,
    }
}

/// Whether each of the mover's stones near the center has its image; false on small boards.
fn has_whole_center(position: &Position) -> bool {
    let (size, board, mover) = (position.size(), position.board(), position.to_move());
    let has_image = |point: Point| match image(position, Move::Play(point)) {
        Move::Play(image) => image == point || board.color_at(image) == Some(!mover),
        Move::Pass => true,
    };
    let is_near = |point: &Point| {
        let distances = from_center(position, *point);
        distances
            .iter()
            .all(|&distance| distance <= 2 * CENTER_RADIUS)
    };
    let mut stones = size.points().filter(is_near);
    size.shorter_side() > 2 * CENTER_RADIUS
        && stones.all(|point| board.color_at(point) != Some(mover) || has_image(point))
}
