//! Ladder reading: which chains with one or two liberties can be captured by keeping them in
//! atari move after move.
//!
//! A full search with KataGo's exact ladder rules, since its networks are given the results: the
//! defender runs or captures attackers in atari; the attacker fills one of two liberties; a ko the
//! attacker would have to fight counts as an escape.

use smallvec::SmallVec;

use super::board::Board;
use super::color::{Color, PerColor};
use super::point::Point;
use super::point_set::PointSet;

/// Maximal moves per ladder before the chain counts as escaped. Conclusions without playing are not
/// counted, so in extreme cases a little more is read than by KataGo.
const MAX_PLAYS: usize = 25_000;

/// Ladders of all chains of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ladders {
    /// Stones of chains that are caught: with one liberty, even if their owner moves; with two,
    /// if the opponent moves.
    pub caught: PointSet,
    /// By the color of the chains: the moves that catch a chain with two liberties.
    pub catching: PerColor<PointSet>,
}

impl Ladders {
    const NONE: Ladders = Ladders {
        caught: PointSet::EMPTY,
        catching: PerColor([PointSet::EMPTY; 2]),
    };
}

/// Reads every chain with one or two liberties.
pub fn ladders(board: &Board) -> Ladders {
    let mut answer = Ladders::NONE;
    let mut reader = Reader::new(board);
    for (head, color) in weak_chains(board) {
        reader.aim_at(head, color);
        let is_caught = if board.liberties(head) == 1 {
            reader.is_captured()
        } else {
            let working: SmallVec<[Point; 2]> = reader.catching_moves().collect();
            answer.catching[color].extend(working.iter().copied());
            !working.is_empty()
        };
        if is_caught {
            answer.caught.extend(board.chain(head));
        }
    }
    answer
}

/// [`Ladders::caught`] alone, which is less work.
pub fn caught_in_ladders(board: &Board) -> PointSet {
    let mut caught = PointSet::EMPTY;
    let mut reader = Reader::new(board);
    for (head, color) in weak_chains(board) {
        reader.aim_at(head, color);
        let is_caught = if board.liberties(head) == 1 {
            reader.is_captured()
        } else {
            reader.catching_moves().next().is_some()
        };
        if is_caught {
            caught.extend(board.chain(head));
        }
    }
    caught
}

/// The heads and colors of the chains with one or two liberties.
fn weak_chains(board: &Board) -> impl Iterator<Item = (Point, Color)> + '_ {
    board.points().filter_map(|point| {
        let color = board.color_at(point)?;
        let is_weak = board.liberties(point) <= 2 && board.chain_head(point) == point;
        is_weak.then_some((point, color))
    })
}

/// A scratch board for reading ladders. Every reading restores it.
struct Reader {
    board: Board,
    /// Stones captured by the moves of the reading.
    removed: Vec<Point>,
    /// A stone of the chain, and its color.
    target: Point,
    defender: Color,
    plays: usize,
    max_depth: usize,
}

impl Reader {
    fn new(board: &Board) -> Reader {
        Reader {
            board: board.clone(),
            removed: Vec::new(),
            target: board.size().point_at(0),
            defender: Color::Black,
            plays: 0,
            max_depth: 3 * board.size().area() / 2,
        }
    }

    fn aim_at(&mut self, target: Point, defender: Color) {
        self.target = target;
        self.defender = defender;
    }

    /// Those of the chain's two liberties that catch it, read lazily.
    fn catching_moves(&mut self) -> impl Iterator<Item = Point> + '_ {
        let liberties = self.board.liberty_points(self.target);
        let [a, b] = liberties[..] else {
            unreachable!("the chain has two liberties");
        };
        let attacker = !self.defender;
        let catches = move |&(mv, left): &(Point, Point)| {
            !self.is_way_out(left, Some(mv))
                && self
                    .try_move(mv, attacker, Reader::is_captured)
                    .unwrap_or(false)
        };
        let choices = [(a, b), (b, a)].into_iter().filter(catches);
        choices.map(|(mv, _)| mv)
    }

    /// Whether the chain is captured if its owner moves first.
    fn is_captured(&mut self) -> bool {
        if self.liberties() > 1 {
            return false;
        }
        let ko = self.board.ko();
        self.board.clear_ko();
        self.plays = 0;
        let is_captured = self.is_captured_on_defence(0) && self.plays < MAX_PLAYS;
        self.board.set_ko(ko);
        is_captured
    }

    /// With the defender to move.
    fn is_captured_on_defence(&mut self, depth: usize) -> bool {
        if depth >= self.max_depth {
            return true;
        }
        if self.is_exhausted() || self.liberties() >= 2 || self.board.ko().is_some() {
            return false;
        }
        let own = self.board.liberty_points(self.target)[0];
        if depth + 1 < self.max_depth && self.is_way_out(own, None) {
            return false;
        }
        let defender = self.defender;
        let next = |reader: &mut Reader| reader.is_captured_on_attack(depth + 1);
        let moves = self.defences(own);
        moves
            .iter()
            .all(|&mv| self.is_dead_end(mv) || self.try_move(mv, defender, next).unwrap_or(true))
    }

    /// With the attacker to move.
    fn is_captured_on_attack(&mut self, depth: usize) -> bool {
        if depth >= self.max_depth || self.liberties() <= 1 {
            return true;
        }
        if self.is_exhausted() || self.liberties() >= 3 {
            return false;
        }
        let liberties = self.board.liberty_points(self.target);
        let [a, b] = liberties[..] else {
            unreachable!("the chain has two liberties");
        };
        if self.is_double_ko_death(a, b) {
            return true;
        }
        let attacker = !self.defender;
        let is_cut_short = depth + 2 >= self.max_depth;
        let next = |reader: &mut Reader| reader.is_captured_on_defence(depth + 1);
        self.attacks(a, b).iter().any(|&mv| {
            let left = if mv == a { b } else { a };
            (is_cut_short || !self.is_way_out(left, Some(mv)))
                && self.try_move(mv, attacker, next).unwrap_or(false)
        })
    }

    fn liberties(&self) -> usize {
        self.board.liberties(self.target)
    }

    fn is_exhausted(&self) -> bool {
        self.plays >= MAX_PLAYS
    }

    /// Whether the chain surely has three liberties if its owner fills `liberty`, its last one
    /// except `filled`, which the attacker fills before.
    fn is_way_out(&self, liberty: Point, filled: Option<Point>) -> bool {
        let (mut open, mut joined) = (0, 0);
        for neighbor in liberty.neighbors() {
            if self.board.is_empty(neighbor) {
                open += usize::from(Some(neighbor) != filled);
            } else if self.board.color_at(neighbor) == Some(self.defender) {
                joined = joined.max(self.board.liberties(neighbor));
            }
        }
        // Of a friendly chain's liberties this point does not count, nor perhaps the filled one.
        open >= 3 || joined >= 4 + usize::from(filled.is_some())
    }

    /// Whether the chain, which is in atari, surely stays so if its owner plays on `point`: nothing
    /// is captured, and there is no second liberty to gain.
    fn is_dead_end(&self, point: Point) -> bool {
        let mut gained = 0;
        for neighbor in point.neighbors() {
            match self.board.color_at(neighbor) {
                None => gained += usize::from(self.board.is_empty(neighbor)),
                Some(color) if color == self.defender => {
                    gained += self.board.liberties(neighbor) - 1;
                }
                Some(_) if self.board.liberties(neighbor) == 1 => return false,
                Some(_) => {}
            }
        }
        gained <= 1
    }

    /// The result of `then` after a move, which is undone; None if it is illegal.
    fn try_move<T>(
        &mut self,
        mv: Point,
        color: Color,
        then: impl FnOnce(&mut Reader) -> T,
    ) -> Option<T> {
        if !self.board.is_legal(mv, color, false) {
            return None;
        }
        let removed_before = self.removed.len();
        let played = self.board.play(mv, color, &mut self.removed);
        self.plays += 1;
        let answer = then(self);
        self.board.undo(&played, &self.removed[removed_before..]);
        self.removed.truncate(removed_before);
        Some(answer)
    }

    /// The defender's moves: captures of chains around the chain in question, then its liberty.
    fn defences(&self, own: Point) -> SmallVec<[Point; 4]> {
        let mut moves = SmallVec::new();
        for attacker in self.attackers_in_atari() {
            let liberty = self.board.liberty_points(attacker)[0];
            if !moves.contains(&liberty) {
                moves.push(liberty);
            }
        }
        if !moves.contains(&own) {
            moves.push(own);
        }
        moves
    }

    /// One stone of each attacking chain in atari that touches the chain in question.
    fn attackers_in_atari(&self) -> SmallVec<[Point; 4]> {
        let mut found: SmallVec<[Point; 4]> = SmallVec::new();
        for stone in self.board.chain(self.target) {
            for neighbor in stone.neighbors() {
                if self.board.color_at(neighbor) == Some(!self.defender)
                    && self.board.liberties(neighbor) == 1
                {
                    let head = self.board.chain_head(neighbor);
                    if !found.contains(&head) {
                        found.push(head);
                    }
                }
            }
        }
        found
    }

    /// The attacker's moves at the chain's two liberties, the more promising one first. A liberty
    /// with three empty neighbors not to be touched by the other move has to be filled.
    fn attacks(&self, a: Point, b: Point) -> SmallVec<[Point; 2]> {
        let exits = |p: Point| {
            p.neighbors()
                .iter()
                .filter(|&&n| self.board.is_empty(n))
                .count()
        };
        let (exits_a, exits_b) = (exits(a), exits(b));
        if !a.is_adjacent_to(b) {
            match (exits_a >= 3, exits_b >= 3) {
                (true, true) => return SmallVec::new(),
                (true, false) => return SmallVec::from_slice(&[a]),
                (false, true) => return SmallVec::from_slice(&[b]),
                (false, false) => {}
            }
        }
        let promise = |p: Point, exits: usize| 2 * exits + self.friends_near(p);
        if promise(a, exits_a) >= promise(b, exits_b) {
            SmallVec::from_slice(&[a, b])
        } else {
            SmallVec::from_slice(&[b, a])
        }
    }

    /// How much the defender gains by connecting at `point`.
    fn friends_near(&self, point: Point) -> usize {
        let gain = |&neighbor: &Point| {
            let is_friend = self.board.color_at(neighbor) == Some(self.defender);
            let liberties = if is_friend {
                self.board.liberties(neighbor)
            } else {
                0
            };
            if liberties > 1 { 2 * liberties - 3 } else { 0 }
        };
        point.neighbors().iter().map(gain).sum()
    }

    /// Whether both liberties are kos that the attacker takes in turn while the defender gains
    /// nothing by filling either.
    fn is_double_ko_death(&mut self, a: Point, b: Point) -> bool {
        let (defender, attacker) = (self.defender, !self.defender);
        let is_ko = |p: Point| self.board.ko_capture(p, attacker).is_some();
        if !is_ko(a) || !is_ko(b) || !self.attackers_in_atari().is_empty() {
            return false;
        }
        [a, b].into_iter().all(|filled| {
            let mut removed = Vec::new();
            let played = self.board.play(filled, defender, &mut removed);
            let liberties = self.liberties();
            self.board.undo(&played, &removed);
            liberties <= 2
        })
    }
}
