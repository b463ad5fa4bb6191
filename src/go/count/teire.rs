//! Points that an owner must fill once the dame are filled, because stones are lost otherwise.
//!
//! The opponent fills the dame where that costs nothing, and is answered where a dame was the last
//! liberty of a chain. What can be captured after that is read out with few liberties and few moves:
//! a move is only counted where the capture is proved and the move prevents it. It is not counted
//! where the owner could have taken a dame instead: after two passes the opponent would have to ask
//! for the game to go on, which gives the owner the first move (Japanese rules, article 9).

use super::Living;
use super::borders::Borders;
use super::groups::Groups;
use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::point::Point;
use crate::go::point_set::PointSet;
use crate::go::rows::Rows;

/// Moves of the attacker before the one that captures.
const DEPTH: usize = 3;

/// Chains with more liberties are not attacked.
const FEW_LIBERTIES: usize = 2;

/// Positions to look at for each chain.
const NODES: u32 = 2000;

/// More defensive moves than this are a sign that the stones are not settled.
const MOST_MOVES: usize = 12;

/// The points of its territory that `color` must fill.
pub(super) fn teire(living: &Living, borders: &Borders, groups: &Groups, color: Color) -> PointSet {
    let mut own_dame = groups.joints[color];
    let mut needed = Defense::new(living, borders, groups, color, own_dame);
    while !needed.filled.is_empty() {
        let others = borders.dame & living.stones[color].neighbors() & !own_dame;
        let better = others.iter().find_map(|dame| {
            let more = own_dame | Rows::from_iter([dame]);
            let defense = Defense::new(living, borders, groups, color, more);
            (defense.moves < needed.moves).then_some((more, defense))
        });
        match better {
            Some((more, defense)) => (own_dame, needed) = (more, defense),
            None => break,
        }
    }
    needed.filled
}

/// The moves that save a color's stones once the dame are filled.
struct Defense {
    /// Those in its territory.
    filled: PointSet,
    /// How many there are, elsewhere too.
    moves: usize,
}

impl Defense {
    /// `own_dame` are filled by the color itself.
    fn new(
        living: &Living,
        borders: &Borders,
        groups: &Groups,
        color: Color,
        own_dame: Rows,
    ) -> Defense {
        let seki = groups.seki_stones();
        let mut reader = Reader {
            color,
            board: living.board.clone(),
            guarded: living.stones[color] & !seki,
            attackers: living.stones[!color],
            nodes: 0,
        };
        reader.board.clear_ko();
        reader.fill(borders.dame & !seki.neighbors(), own_dame);
        let mut defense = Defense {
            filled: PointSet::EMPTY,
            moves: 0,
        };
        while defense.moves < MOST_MOVES
            && let Some(point) = reader.defend(&borders.room[color])
        {
            defense.moves += 1;
            if borders.room[color].contains(point) {
                defense.filled.insert(point);
            }
        }
        defense
    }
}

/// A board with its dame filled, and what is at stake for one color on it.
struct Reader {
    color: Color,
    board: Board,
    /// Living stones that may be attacked.
    guarded: Rows,
    /// Living stones of the other color.
    attackers: Rows,
    nodes: u32,
}

impl Reader {
    fn play(&mut self, point: Point, color: Color) {
        self.board.play(point, color, &mut Vec::new());
    }

    /// Fills dame with the attacker's stones, but for those of the owner.
    fn fill(&mut self, dame: Rows, own_dame: Rows) {
        for point in own_dame.iter() {
            if self.board.is_legal(point, self.color, false) {
                self.play(point, self.color);
            }
        }
        for point in (dame & !own_dame).iter() {
            if !self.board.is_empty(point) {
                continue;
            }
            let is_last = |stone: Point| {
                self.guarded.contains(stone)
                    && self.board.color_at(stone) == Some(self.color)
                    && self.board.liberties(stone) == 1
            };
            let owner = match self.board.neighbors(point).any(is_last) {
                true => self.color,
                false => !self.color,
            };
            if !self.board.is_legal(point, owner, false) {
                continue;
            }
            let before = self.board.clone();
            self.play(point, owner);
            if owner != self.color && self.board.liberties(point) == 1 {
                self.board = before;
            } else if owner != self.color {
                self.attackers.insert(point);
            }
            self.board.clear_ko();
        }
    }

    /// Makes one necessary move and tells where it was; none if nothing can be captured, or no move
    /// prevents it.
    fn defend(&mut self, territory: &Rows) -> Option<Point> {
        for chain in self.weak_chains() {
            let board = self.board.clone();
            if !self.is_lost_on(&board, chain) {
                continue;
            }
            let mut moves = self.replies(&board, &[chain]);
            moves.retain(|&point| board.is_legal(point, self.color, false));
            moves.sort_by_key(|&point| territory.contains(point));
            for point in moves {
                self.play(point, self.color);
                self.board.clear_ko();
                let after = self.board.clone();
                if after.liberties(point) > 1 && !self.is_lost_on(&after, chain) {
                    return Some(point);
                }
                self.board = board.clone();
            }
        }
        None
    }

    /// One stone of each guarded chain with few liberties.
    fn weak_chains(&self) -> Vec<Point> {
        let mut heads = Vec::new();
        for stone in self.guarded.iter() {
            if self.board.color_at(stone) == Some(self.color)
                && self.board.liberties(stone) <= FEW_LIBERTIES
                && !heads.contains(&self.board.chain_head(stone))
            {
                heads.push(self.board.chain_head(stone));
            }
        }
        heads
    }

    fn is_lost_on(&mut self, board: &Board, chain: Point) -> bool {
        self.nodes = NODES;
        self.is_lost(board, &[chain], DEPTH)
    }

    /// Whether the attacker, who moves first, is sure to capture one of some chains.
    fn is_lost(&mut self, board: &Board, targets: &[Point], depth: usize) -> bool {
        if self.nodes == 0 {
            return false;
        }
        self.nodes -= 1;
        let mut attacks: Vec<Point> = Vec::new();
        for &stone in targets {
            if board.color_at(stone) != Some(self.color) {
                continue;
            }
            match board.liberty_points(stone)[..] {
                [last] if self.pays(board, last) => return true,
                [first, second] if depth > 0 => attacks.extend([first, second]),
                _ => {}
            }
        }
        attacks.sort_unstable();
        attacks.dedup();
        let mut attacks = attacks.into_iter();
        attacks.any(|point| self.forces(board, point, targets, depth))
    }

    /// Whether an attacking move leads to a capture whatever the answer, a pass included.
    fn forces(&mut self, board: &Board, point: Point, targets: &[Point], depth: usize) -> bool {
        if !board.is_legal(point, !self.color, false) {
            return false;
        }
        let mut after = board.clone();
        after.play(point, !self.color, &mut Vec::new());
        let in_atari = |stone: &Point| {
            self.guarded.contains(*stone)
                && after.color_at(*stone) == Some(self.color)
                && after.liberties(*stone) == 1
        };
        let near = after.neighbors(point).chain(targets.iter().copied());
        let threatened: Vec<Point> = near.filter(in_atari).collect();
        if threatened.is_empty() || !self.is_lost(&after, &threatened, depth - 1) {
            return false;
        }
        let replies = self.replies(&after, &threatened);
        replies.into_iter().all(|reply| {
            if !after.is_legal(reply, self.color, false) {
                return true;
            }
            let mut answered = after.clone();
            answered.play(reply, self.color, &mut Vec::new());
            self.is_lost(&answered, &threatened, depth - 1)
        })
    }

    /// Moves that may save chains: on their liberties, and captures of attackers around them.
    fn replies(&self, board: &Board, chains: &[Point]) -> Vec<Point> {
        let mut replies = Vec::new();
        for &chain in chains {
            replies.extend(board.liberty_points(chain));
            for stone in board.chain(chain) {
                for near in board.neighbors(stone) {
                    if board.color_at(near) == Some(!self.color) && board.liberties(near) == 1 {
                        replies.extend(board.liberty_points(near));
                    }
                }
            }
        }
        replies.sort_unstable();
        replies.dedup();
        replies
    }

    /// Whether the attacker gains by capturing with a stone there: living attackers are next to
    /// what is captured or to the stone, and the answer does not take more back.
    fn pays(&self, board: &Board, point: Point) -> bool {
        if !board.is_legal(point, !self.color, false) {
            return false;
        }
        let mut taken = Vec::new();
        let mut after = board.clone();
        after.play(point, !self.color, &mut taken);
        let lives = |p: Point| self.attackers.contains(p) && after.color_at(p) == Some(!self.color);
        let mut changed = taken.iter().copied().chain([point]);
        if taken.is_empty() || !changed.any(|p| board.neighbors(p).any(lives)) {
            return false;
        }
        let is_taken_back = after.liberties(point) == 1
            && after
                .liberty_points(point)
                .iter()
                .all(|&liberty| after.is_legal(liberty, self.color, false))
            && after.chain_len(point) > taken.len();
        !is_taken_back
    }
}
