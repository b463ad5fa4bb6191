//! Which groups are dead on a board that nobody plays on: judged with either side to move.
//!
//! A group is dead if it is lost even if its owner moves first. Where the ownership of both views
//! agrees and is close to certain, that decides; other groups are contested. Those that can be shown to
//! live whoever moves first are settled next, then the others are read out among them, within a number
//! of nodes. Only what stays open then is left to the mean ownership. Networks are
//! often sure of the wrong thing in seki: what looks dead must not be shown to live, and what then is
//! in seki is read out too.

use std::collections::VecDeque;
use std::time::Duration;

use super::CERTAIN;
use super::groups::groups;
use crate::go::count::Count;
use crate::go::{Board, PerColor, Point, PointSet, Position, Scoring, Tax};
use crate::solver::{Extras, Problem, Side, Solution, Status, solve};

/// Nodes to show that a group lives.
const LIFE_NODES: u64 = 500;

/// Nodes to show that a group lives that both views take for dead.
const CHECK_NODES: u64 = 1000;

/// Nodes to find out what becomes of a group.
const NODES: u64 = 10_000;

/// Nodes for all groups of a board.
const ALL_NODES: u64 = 60_000;

/// Nodes that the solver makes in a second at least; in a wide region one core of a server of 2023 made 112,000.
const NODES_PER_SECOND: f64 = 50_000.0;

/// Where more groups are contested, the game goes on, and nothing is read out.
const MOST_CONTESTED: usize = 12;

/// Positions that the solver remembers.
const MEMORY: usize = 1 << 15;

/// How many empty points in a row are followed from contested stones.
const REACH: usize = 4;

/// Larger regions are not read out.
const LARGEST_REGION: usize = 60;

/// The stones of all dead groups. `views` are the expected owners of each point, row by row from the
/// top left, +1 for Black, with each color to move. If the time is limited, less is read out.
pub(in super::super) fn dead_groups(
    position: &Position,
    views: &PerColor<Vec<f32>>,
    time: Option<Duration>,
) -> PointSet {
    let board = position.board();
    let affordable = time.map(|time| (time.as_secs_f64() * NODES_PER_SECOND) as u64);
    let mut judge = Judge {
        board,
        views,
        scoring: position.rules().scoring,
        alive: PointSet::EMPTY,
        seki: PointSet::EMPTY,
        dead: PointSet::EMPTY,
        nodes: affordable.map_or(ALL_NODES, |nodes| nodes.min(ALL_NODES)),
    };
    let (mut kept, mut lost, mut contested) = (Vec::new(), Vec::new(), Vec::new());
    for group in groups(board) {
        match judge.opinion(&group) {
            Some(true) => kept.push(group),
            Some(false) => lost.push(group),
            None => contested.push(group),
        }
    }
    judge.alive = kept.iter().flatten().copied().collect();
    if contested.len() > MOST_CONTESTED {
        judge.nodes = 0;
    }
    contested.sort_by_key(|group| std::cmp::Reverse(group.len()));
    contested.retain(|group| !judge.shows_life(group));
    let expected = contested
        .iter()
        .filter(|group| judge.expectation(group) < 0.0);
    judge.dead = lost.iter().chain(expected).flatten().copied().collect();
    contested.iter().for_each(|group| judge.settle(group));
    lost.iter().for_each(|group| judge.revive(group));
    let seki = seki_stones(board, &judge.dead);
    let doubtful = kept.iter().filter(|group| seki.contains(group[0]));
    doubtful.for_each(|group| judge.settle(group));
    judge.dead
}

fn seki_stones(board: &Board, dead: &PointSet) -> PointSet {
    Count::new(board, dead, Scoring::Area, Tax::Seki).seki
}

fn is_life(status: Status) -> bool {
    matches!(status, Status::Alive | Status::Seki)
}

struct Judge<'a> {
    board: &'a Board,
    views: &'a PerColor<Vec<f32>>,
    scoring: Scoring,
    /// Stones that live, as far as known.
    alive: PointSet,
    /// Stones that were read to live without two eyes.
    seki: PointSet,
    /// Stones that are dead, as far as known.
    dead: PointSet,
    /// Nodes left for the board.
    nodes: u64,
}

impl Judge<'_> {
    /// How far a group belongs to its owner on average, from -1 to 1.
    fn expectation(&self, group: &[Point]) -> f32 {
        let (first, second) = self.expectations(group);
        (first + second) / 2.0
    }

    /// How far a group belongs to its owner, from -1 to 1: if he moves first, and if the other does.
    fn expectations(&self, group: &[Point]) -> (f32, f32) {
        let Some(owner) = self.board.color_at(group[0]) else {
            return (0.0, 0.0);
        };
        let size = self.board.size();
        let mean = |view: &Vec<f32>| {
            let sum: f32 = group.iter().map(|&stone| view[size.index(stone)]).sum();
            f32::from(owner.sign()) * sum / group.len() as f32
        };
        (mean(&self.views[owner]), mean(&self.views[!owner]))
    }

    /// Whether a group lives, if both views are sure of that.
    fn opinion(&self, group: &[Point]) -> Option<bool> {
        let (first, second) = self.expectations(group);
        let is_sure = first.abs().min(second.abs()) >= CERTAIN && first * second > 0.0;
        is_sure.then_some(first > 0.0)
    }

    /// Notes that a group lives if that can be shown even if the other side moves first.
    fn shows_life(&mut self, group: &[Point]) -> bool {
        let lives = self.lives(group);
        if lives {
            self.alive.extend(group.iter().copied());
        }
        lives
    }

    /// Reads a group out, and notes what was found.
    fn settle(&mut self, group: &[Point]) {
        match self.read(group) {
            Some(true) if !self.is_within_seki(group) => self.dead.extend(group.iter().copied()),
            Some(_) => self.keep(group),
            None => {}
        }
    }

    /// Whether only stones in seki surround a group. Its capture would not give them two eyes, so that
    /// the captor dies of it (Japanese rules, article 7.1).
    fn is_within_seki(&self, group: &[Point]) -> bool {
        let owner = self.board.color_at(group[0]);
        let near = group.iter().flat_map(|&stone| self.board.neighbors(stone));
        let mut around = near
            .filter(|&point| !self.board.is_empty(point) && self.board.color_at(point) != owner)
            .peekable();
        around.peek().is_some() && around.all(|stone| self.seki.contains(stone))
    }

    /// Keeps a group that looks dead if it can be shown to live even if the other side moves first.
    fn revive(&mut self, group: &[Point]) {
        if self
            .status(group, Side::Attacker, CHECK_NODES)
            .is_some_and(is_life)
        {
            self.keep(group);
        }
    }

    fn keep(&mut self, group: &[Point]) {
        for stone in group {
            self.dead.remove(*stone);
        }
    }

    /// Whether it can be shown that a group lives even if the other side moves first.
    fn lives(&mut self, group: &[Point]) -> bool {
        let solution = self.solve(group, None, Side::Attacker, LIFE_NODES);
        solution.is_some_and(|solution| {
            solution.outcome.status == Status::Alive && self.is_supported(group, &solution)
        })
    }

    /// Whether the stones beside a region that the solver takes for alive are known to be: those of the
    /// group's color, and unless the group lives anyway those of its opponent.
    fn is_supported(&self, group: &[Point], solution: &Solution) -> bool {
        let owner = self.board.color_at(group[0]);
        let is_free = |color| is_life(solution.outcome.status) && color != owner;
        let is_known = |point: Point| {
            let color = self.board.color_at(point);
            color.is_none() || is_free(color) || self.alive.contains(point)
        };
        self.beside(&solution.region).all(is_known)
    }

    /// Whether a group is dead, if that can be read out: if it is even if its owner moves first.
    fn read(&mut self, group: &[Point]) -> Option<bool> {
        let second = self.status(group, Side::Attacker, NODES)?;
        if second == Status::Seki {
            self.seki.extend(group.iter().copied());
        }
        if is_life(second) {
            return Some(false);
        }
        match self.status(group, Side::Defender, NODES)? {
            Status::Dead => Some(true),
            // In the confirmation after the game a ko is retaken only after a pass for it: threats
            // elsewhere do not help.
            Status::Ko {
                first_threat: Some(Side::Defender),
            } if self.scoring == Scoring::Territory => Some(true),
            first if is_life(first) => Some(false),
            _ => None,
        }
    }

    /// What becomes of a group in its region, if that does not lean on stones that may be dead.
    fn status(&mut self, group: &[Point], first: Side, nodes: u64) -> Option<Status> {
        let region = self.region(group);
        let solution = self.solve(group, region, first, nodes)?;
        let is_known = region.is_some() || self.is_supported(group, &solution);
        is_known.then_some(solution.outcome.status)
    }

    fn solve(
        &mut self,
        group: &[Point],
        region: Option<PointSet>,
        first: Side,
        nodes: u64,
    ) -> Option<Solution> {
        if self.nodes < nodes {
            return None;
        }
        let problem = Problem {
            board: self.board,
            target: group.iter().copied().collect(),
            region,
            nodes,
            memory: MEMORY,
        };
        let solution = solve(&problem, first, Extras::default()).ok()?;
        self.nodes = self.nodes.saturating_sub(solution.outcome.nodes);
        Some(solution)
    }

    /// What lies around a group up to stones known to live, unless these have no liberties elsewhere or
    /// live in seki with it; none if it is large.
    fn region(&self, group: &[Point]) -> Option<PointSet> {
        let others = self.dead.iter().filter(|stone| !group.contains(stone));
        let seki = seki_stones(self.board, &others.collect());
        let walls = self.alive.iter().filter(|&stone| !seki.contains(stone));
        let walls: PointSet = walls.filter(|stone| !group.contains(stone)).collect();
        let mut region = PointSet::EMPTY;
        let mut joining: Vec<Point> = group.to_vec();
        while !joining.is_empty() {
            self.grow(&mut region, joining, &walls)?;
            let beside: PointSet = self.beside(&region).collect();
            let stones = beside.iter().filter(|&p| self.board.color_at(p).is_some());
            let is_enclosed = |stone: &Point| {
                let liberties = self.board.liberty_points(*stone);
                liberties.iter().all(|&liberty| region.contains(liberty))
            };
            let enclosed = stones.filter(is_enclosed);
            joining = enclosed.flat_map(|stone| self.board.chain(stone)).collect();
        }
        (region.len() <= LARGEST_REGION).then_some(region)
    }

    /// The points next to a region.
    fn beside<'b>(&'b self, region: &'b PointSet) -> impl Iterator<Item = Point> + 'b {
        let near = region.iter().flat_map(|point| self.board.neighbors(point));
        near.filter(|&point| !region.contains(point))
    }

    /// Adds stones and all that can be reached from them without crossing walls; none if that is far.
    fn grow(&self, region: &mut PointSet, stones: Vec<Point>, walls: &PointSet) -> Option<()> {
        region.extend(stones.iter().copied());
        let mut open: VecDeque<(Point, usize)> = stones.into_iter().map(|p| (p, 0)).collect();
        while let Some((point, distance)) = open.pop_front() {
            for near in self.board.neighbors(point) {
                if region.contains(near) || walls.contains(near) {
                    continue;
                }
                if !self.board.is_empty(near) {
                    let chain: Vec<Point> = self.board.chain(near).collect();
                    region.extend(chain.iter().copied());
                    chain
                        .into_iter()
                        .for_each(|stone| open.push_front((stone, 0)));
                } else if distance < REACH {
                    region.insert(near);
                    open.push_back((near, distance + 1));
                } else {
                    return None;
                }
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{Color, Komi, Rules, diagram};

    fn dead_on(picture: &str, rules: Rules, black: f32, white: f32) -> PointSet {
        dead_within(picture, rules, [black, white], None)
    }

    fn dead_within(
        picture: &str,
        rules: Rules,
        views: [f32; 2],
        time: Option<Duration>,
    ) -> PointSet {
        let board = diagram::parse(picture).unwrap();
        let points = board.size().area();
        let views = PerColor(views.map(|view| vec![view; points]));
        let position = Position::from_board(board, Color::Black, rules, Komi::default());
        dead_groups(&position, &views, time)
    }

    /// The points of a board that are dead if nobody has an opinion.
    fn read_on(picture: &str, rules: Rules) -> Vec<String> {
        let dead = dead_on(picture, rules, 0.0, 0.0);
        dead.iter().map(|point| point.to_string()).collect()
    }

    #[test]
    fn agreed_opinions_decide() {
        let picture = "O..XO.X/XX.XX.X/XXXXXXX/......./OOOOOOO/O.O.O.O";
        let dead = |black, white| dead_on(picture, Rules::CHINESE, black, white);
        let white: PointSet = ["A6", "E6"]
            .iter()
            .map(|name| name.parse().unwrap())
            .collect();
        assert_eq!(dead(0.9, 0.9), white);
        assert_eq!(dead(0.9, -0.9), white, "read out where they differ");
        let no_time = Some(Duration::ZERO);
        let unread = dead_within(picture, Rules::CHINESE, [0.9, -0.9], no_time);
        assert!(unread.is_empty(), "not read out without time");
    }

    #[test]
    fn group_that_lives_if_its_owner_moves_first_is_not_dead() {
        let picture = "......./......./......./......./OOOOO../XXXXO../...XO..";
        assert!(read_on(picture, Rules::CHINESE).is_empty());
    }

    #[test]
    fn group_that_its_owner_saves_from_a_ko_is_not_dead() {
        let picture = ".XO../XXOO./.XXO./XXXOO/OXOXO/OOOXX/.X.X.";
        let dead = dead_on(picture, Rules::CHINESE, 0.9, -0.8);
        assert!(!dead.contains("C7".parse().unwrap()), "{dead:?}");
    }

    #[test]
    fn bent_four_in_the_corner_is_dead_only_by_territory() {
        let picture = ".X.OX.XO./OXOOX.XO./.OOXX.XO./OOXX.XO../XOOX.XOOO/XXX.XXOXX/...XOOOX./...XOXXXO/...XOX.O.";
        let dead = read_on(picture, Rules::JAPANESE);
        assert_eq!(dead, ["F1", "F2", "G2", "H2", "H3", "H4", "J4"]);
        let area = dead_on(picture, Rules::CHINESE, 0.1, 0.1);
        assert!(area.iter().all(|stone| !dead.contains(&stone.to_string())));
    }

    #[test]
    fn stones_whose_capture_kills_the_captor_are_not_dead() {
        // White can take the three stones in its corner, which leaves four points in the shape of a T.
        let picture = ".XO.X.X.OO.X/.XOO.XOOOXXX/..XOOOOXXX.X/..XXXO.XX..X/XXXXXOXXXX.X/XXXXXXXXXXXX/............";
        assert!(read_on(picture, Rules::JAPANESE).is_empty());
    }

    #[test]
    fn stones_in_seki_are_not_dead() {
        for picture in [
            ".....OX../.....OXXX/.....OXX./.....OXX./......OX./......OX./OOOOOOOX./XXXXXXOX./.OOO.XOX.",
            ".OXX.OOX./.OXX.OOX./.OXXXOOX./.OOOOXXX./....OX...",
            "XXO.O.X.XOO/XXOOOOXXXOO/XXXXXXOOOOO/.X.XXXOO.O.",
        ] {
            assert!(read_on(picture, Rules::JAPANESE).is_empty(), "{picture}");
            // Not even if both views are sure that one side's stones there are.
            let board = diagram::parse(picture).unwrap();
            let seki = Count::new(&board, &PointSet::EMPTY, Scoring::Territory, Tax::Seki).seki;
            for lost in Color::BOTH {
                let owner = |point: Point| match board.color_at(point) {
                    Some(color) if color == lost && seki.contains(point) => !color,
                    Some(color) => color,
                    None => Color::Black,
                };
                let view: Vec<f32> = board
                    .points()
                    .map(|p| 0.9 * f32::from(owner(p).sign()))
                    .collect();
                let views = PerColor([view.clone(), view]);
                let position = Position::from_board(
                    board.clone(),
                    Color::Black,
                    Rules::JAPANESE,
                    Komi::default(),
                );
                let dead = dead_groups(&position, &views, None);
                assert!(dead.is_empty(), "{picture}: {dead:?}");
            }
        }
    }
}
