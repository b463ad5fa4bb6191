//! Groups of living stones, their eyes, and which of them are in seki.
//!
//! A group is what its stones and its surrounded points connect. Its eyes are counted as if all dame
//! were the opponent's stones: a chain that has a single liberty then must connect there, which is
//! what makes an eye false. A group that comes to less than two eyes may first take dame that join
//! its chains to others. If that is not enough either and it shares a dame with such a group of the
//! other color, both are in seki.

use super::Living;
use super::borders::Borders;
use crate::go::color::{Color, PerColor};
use crate::go::point::Point;
use crate::go::rows::Rows;

/// Dame that are connected to more others than this and touch no stone are not yet played out.
const MOST_OPEN_DAME: usize = 6;

/// Eyes that a group needs.
const ENOUGH_EYES: usize = 2;

/// The groups of both colors.
pub(super) struct Groups {
    /// Stones in seki and the points they surround.
    pub(super) seki_area: PerColor<Rows>,
    /// Dame that groups take to live.
    pub(super) joints: PerColor<Rows>,
    /// Groups that are not in seki.
    pub(super) lives: PerColor<usize>,
    stones: Rows,
}

impl Groups {
    pub(super) fn new(living: &Living, borders: &Borders) -> Groups {
        let mut groups = Groups {
            seki_area: PerColor([Rows::EMPTY; 2]),
            joints: PerColor([Rows::EMPTY; 2]),
            lives: PerColor([0; 2]),
            stones: living.stones[Color::Black] | living.stones[Color::White],
        };
        let mut all = PerColor([Vec::new(), Vec::new()]);
        for color in Color::BOTH {
            let side = Side::new(living, borders, color);
            groups.joints[color] = side.joints();
            all[color] = side.with(groups.joints[color]).groups();
        }
        for color in Color::BOTH {
            groups.seki_area[color] = poor_area(&all[color]);
        }
        groups.keep_shared(living, borders);
        for color in Color::BOTH {
            let is_free = |group: &&Group| (group.area & groups.seki_area[color]).is_empty();
            groups.lives[color] = all[color].iter().filter(is_free).count();
        }
        groups
    }

    /// Living stones in seki.
    pub(super) fn seki_stones(&self) -> Rows {
        (self.seki_area[Color::Black] | self.seki_area[Color::White]) & self.stones
    }

    /// Drops groups that share no dame with a poor group of the other color, until all do.
    fn keep_shared(&mut self, living: &Living, borders: &Borders) {
        let mut shared = Rows::EMPTY;
        let touched = self.stones.neighbors();
        for dame in borders.dame.areas() {
            if dame.len() <= MOST_OPEN_DAME || dame.is_within(&touched) {
                shared = shared | dame;
            }
        }
        loop {
            let before = self.seki_area;
            for color in Color::BOTH {
                let reach = |c: Color| (self.seki_area[c] & living.stones[c]).neighbors();
                let meeting = shared & reach(Color::Black) & reach(Color::White);
                let near = meeting.neighbors();
                let kept = self.seki_area[color]
                    .areas()
                    .filter(|group| !(*group & near).is_empty());
                self.seki_area[color] = kept.fold(Rows::EMPTY, |all, group| all | group);
            }
            if self.seki_area == before {
                return;
            }
        }
    }
}

/// The areas of all groups with too few eyes.
fn poor_area(groups: &[Group]) -> Rows {
    let poor = groups.iter().filter(|group| group.eyes < ENOUGH_EYES);
    poor.fold(Rows::EMPTY, |all, group| all | group.area)
}

/// Connected stones and surrounded points.
struct Group {
    area: Rows,
    eyes: usize,
}

/// The stones and surrounded points of a color.
struct Side<'a> {
    living: &'a Living<'a>,
    color: Color,
    stones: Rows,
    room: Rows,
    dame: Rows,
}

impl<'a> Side<'a> {
    fn new(living: &'a Living<'a>, borders: &Borders, color: Color) -> Side<'a> {
        Side {
            living,
            color,
            stones: living.stones[color],
            room: borders.room[color],
            dame: borders.dame,
        }
    }

    /// With stones on some more points.
    fn with(&self, joints: Rows) -> Side<'a> {
        Side {
            stones: self.stones | joints,
            ..*self
        }
    }

    fn groups(&self) -> Vec<Group> {
        let room = self.room_once_connected();
        let eyes = |area: Rows| -> usize { (room & area).areas().map(|eye| self.eyes(eye)).sum() };
        let areas = (self.stones | self.room).areas();
        areas
            .map(|area| Group {
                area,
                eyes: eyes(area),
            })
            .collect()
    }

    /// The surrounded points that are left after all forced connections.
    fn room_once_connected(&self) -> Rows {
        let (mut stones, mut room) = (self.stones, self.room);
        let forced = |stones: Rows, room: Rows| {
            stones.areas().find_map(|chain| {
                let liberties = chain.neighbors() & room;
                let only = liberties.iter().next().filter(|_| liberties.len() == 1)?;
                let joined = Rows::from_iter([only]).neighbors() & stones & !chain;
                (!joined.is_empty()).then_some(only)
            })
        };
        while let Some(point) = forced(stones, room) {
            stones.insert(point);
            room = room & !Rows::from_iter([point]);
        }
        room
    }

    /// How many eyes a surrounded region makes, at most two. Shapes in which the opponent's dead
    /// stones hold the vital point, and the square of four, make one.
    fn eyes(&self, region: Rows) -> usize {
        let held = region & self.living.dead[!self.color];
        let most_neighbors = |point: &Point| (Rows::from_iter([*point]).neighbors() & region).len();
        let widest = region.iter().map(|point| most_neighbors(&point)).max();
        let is_held = |degree: usize| {
            let vital = region.iter().filter(|p| most_neighbors(p) == degree);
            vital.count() == 1 && held.iter().any(|point| most_neighbors(&point) == degree)
        };
        match (region.len(), widest) {
            (0, _) => 0,
            (1 | 2, _) => 1,
            (3, _) if held.len() >= 2 || is_held(2) => 1,
            (4, Some(2)) if region.iter().all(|p| most_neighbors(&p) == 2) => 1,
            (4, Some(3)) if is_held(3) => 1,
            _ => 2,
        }
    }

    /// The dame at which poor groups can safely connect to other chains, if that helps them.
    fn joints(&self) -> Rows {
        let poor = poor_area(&self.groups());
        let stones = poor & self.stones;
        let near = self.dame & stones.neighbors();
        let is_joint = |point: &Point| self.joins_safely(*point);
        let all: Rows = near.iter().filter(is_joint).collect();
        let still_poor = poor_area(&self.with(all).groups());
        all & !still_poor
    }

    /// Whether a stone there joins chains and is not in atari afterwards.
    fn joins_safely(&self, point: Point) -> bool {
        let board = self.living.board;
        let own = |p: &Point| self.stones.contains(*p);
        let mut chains = board
            .neighbors(point)
            .filter(own)
            .map(|p| board.chain_head(p));
        let Some(first) = chains.next() else {
            return false;
        };
        if !board.is_empty(point) || chains.all(|head| head == first) {
            return false;
        }
        if board.is_suicide(point, self.color, false) {
            return false;
        }
        let mut after = board.clone();
        after.play(point, self.color, &mut Vec::new());
        after.liberties(point) >= 2
    }
}
