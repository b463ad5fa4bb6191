//! A solver that cannot be wrong, for tests: it looks at all positions that can arise.

use std::collections::HashMap;

use smallvec::SmallVec;

use super::arena::{Arena, NOWHERE, Side, State, places};
use super::dfpn::Search;
use super::question::{
    CAPTURE_AGAINST_KO, CAPTURE_BY_KO, CAPTURE_WITHOUT_THREATS, Goal, Question, TWO_EYES,
};
use super::table::Table;
use crate::go::{BoardSize, Point, PointSet};

/// Stones by place (0 none, 1 attacker, 2 defender), target, ko, mover: played without [`Arena::play`].
#[derive(Clone, PartialEq, Eq, Hash)]
struct Node {
    cells: Vec<u8>,
    target: Vec<bool>,
    ko: Option<usize>,
    mover: Side,
}

struct Naive {
    neighbors: Vec<Vec<usize>>,
    wall: Vec<bool>,
    friend: Vec<bool>,
    question: Question,
}

fn mark(side: Side) -> u8 {
    match side {
        Side::Attacker => 1,
        Side::Defender => 2,
    }
}

impl Naive {
    fn chain(&self, cells: &[u8], start: usize) -> (Vec<usize>, bool) {
        let mut chain = vec![start];
        let mut breathes = false;
        let mut next = 0;
        while next < chain.len() {
            let at = chain[next];
            next += 1;
            breathes |= match cells[start] {
                1 => self.wall[at],
                _ => self.friend[at],
            };
            for &neighbor in &self.neighbors[at] {
                breathes |= cells[neighbor] == 0;
                if cells[neighbor] == cells[start] && !chain.contains(&neighbor) {
                    chain.push(neighbor);
                }
            }
        }
        (chain, breathes)
    }

    fn play(&self, node: &Node, at: usize) -> Option<Node> {
        if node.cells[at] != 0 || node.ko == Some(at) {
            return None;
        }
        let mut next = node.clone();
        next.cells[at] = mark(node.mover);
        let mut captured = Vec::new();
        for &neighbor in &self.neighbors[at] {
            if next.cells[neighbor] == mark(!node.mover) {
                let (chain, breathes) = self.chain(&next.cells, neighbor);
                if !breathes {
                    for &stone in &chain {
                        next.cells[stone] = 0;
                        next.target[stone] = false;
                    }
                    captured.extend(chain);
                }
            }
        }
        let (own, breathes) = self.chain(&next.cells, at);
        if !breathes {
            return None;
        }
        let free = |&&n: &&usize| next.cells[n] == 0;
        let is_safe = match node.mover {
            Side::Attacker => self.wall[at],
            Side::Defender => self.friend[at],
        };
        let is_ko = captured.len() == 1
            && own.len() == 1
            && !is_safe
            && self.neighbors[at].iter().filter(free).count() == 1;
        let is_bound = self.question.binds(!node.mover);
        next.ko = captured.first().copied().filter(|_| is_ko && is_bound);
        next.mover = !node.mover;
        Some(next)
    }

    fn moves(&self, node: &Node) -> Vec<Node> {
        let mut moves: Vec<Node> = (0..node.cells.len())
            .filter_map(|at| self.play(node, at))
            .collect();
        if node.mover != self.question.prover() {
            let mut next = node.clone();
            next.ko = None;
            next.mover = !node.mover;
            moves.push(next);
        }
        moves
    }

    /// The least fixed point: a yes is what gets to an end in finitely many moves. None if there are
    /// more than `most` positions.
    fn answer(
        &self,
        start: &Node,
        most: usize,
        goal: impl Fn(&Node) -> Option<bool>,
    ) -> Option<bool> {
        let mut places: HashMap<Node, usize> = HashMap::from([(start.clone(), 0)]);
        let mut nodes = vec![start.clone()];
        let mut next: Vec<Vec<usize>> = Vec::new();
        let mut yes: Vec<bool> = Vec::new();
        while next.len() < nodes.len() {
            let node = nodes[next.len()].clone();
            let end = goal(&node);
            yes.push(end == Some(true));
            let mut successors = Vec::new();
            if end.is_none() {
                for successor in self.moves(&node) {
                    let place = *places.entry(successor.clone()).or_insert_with(|| {
                        nodes.push(successor);
                        nodes.len() - 1
                    });
                    successors.push(place);
                }
            }
            if nodes.len() > most {
                return None;
            }
            next.push(successors);
        }
        loop {
            let mut changed = false;
            for at in (0..nodes.len()).rev() {
                if yes[at] || next[at].is_empty() {
                    continue;
                }
                let answers = next[at].iter().map(|&n| yes[n]);
                let is_yes = match nodes[at].mover == self.question.prover() {
                    true => answers.into_iter().any(|yes| yes),
                    false => answers.into_iter().all(|yes| yes),
                };
                if is_yes {
                    yes[at] = true;
                    changed = true;
                }
            }
            if !changed {
                return Some(yes[0]);
            }
        }
    }
}

/// Positions to compare.
const POSITIONS: usize = 100;
/// The most positions that may arise from one; more take too long in a test.
const MOST: usize = 4000;

fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// A position with stones, walls and friends at random, all chains with liberties.
fn scene(state: &mut u64) -> Option<(Arena, State)> {
    let sizes = [
        (3, 3),
        (2, 4),
        (4, 3),
        (5, 2),
        (4, 2),
        (6, 2),
        (3, 2),
        (4, 4),
    ];
    let (width, height) = sizes[random(state) as usize % sizes.len()];
    let size = BoardSize::new(width, height)?;
    let all: PointSet = size.points().collect();
    let mut arena = Arena::new(size, &all)?;
    let wall_share = random(state) % 6;
    for place in places(arena.region) {
        if random(state) % 10 < wall_share {
            arena.wall |= 1 << place;
        } else if random(state).is_multiple_of(60) {
            arena.friend |= 1 << place;
        }
    }
    let mut stones = [0, 0];
    let fill = 3 + random(state) % 6;
    for place in places(arena.region) {
        let die = random(state) % 10;
        if die < fill {
            stones[usize::from(random(state) % 5 < 3)] |= 1 << place;
        }
    }
    for side in [Side::Attacker, Side::Defender] {
        let empty = arena.region & !(stones[0] | stones[1]);
        for chain in arena
            .parts(stones[side as usize], stones[side as usize])
            .collect::<SmallVec<[u128; 8]>>()
        {
            if arena.near(chain) & empty == 0 && chain & arena.haven(side) == 0 {
                stones[side as usize] &= !chain;
            }
        }
    }
    let chains: Vec<u128> = arena.parts(stones[1], stones[1]).collect();
    let target = match random(state) % 3 {
        0 => *chains.first()?,
        _ => stones[1],
    };
    (target != 0).then(|| {
        let state = arena.state(stones, target, NOWHERE);
        (arena, state)
    })
}

fn node(arena: &Arena, state: &State, mover: Side) -> (Node, Vec<u8>) {
    let order: Vec<u8> = places(arena.region).collect();
    let has = |set: u128, place: u8| set >> place & 1 != 0;
    let cell = |&place: &u8| {
        u8::from(has(state.stones[0], place)) + 2 * u8::from(has(state.stones[1], place))
    };
    let node = Node {
        cells: order.iter().map(cell).collect(),
        target: order.iter().map(|&p| has(state.target, p)).collect(),
        ko: None,
        mover,
    };
    (node, order)
}

fn naive(arena: &Arena, order: &[u8], question: Question) -> Naive {
    let point = |place: u8| arena.point(place).expect("a point");
    let near = |a: Point, b: Point| a.is_adjacent_to(b);
    Naive {
        neighbors: order
            .iter()
            .map(|&place| {
                (0..order.len())
                    .filter(|&other| near(point(place), point(order[other])))
                    .collect()
            })
            .collect(),
        wall: order.iter().map(|&p| arena.wall >> p & 1 != 0).collect(),
        friend: order.iter().map(|&p| arena.friend >> p & 1 != 0).collect(),
        question,
    }
}

/// The state of a node, to ask whether it has two eyes.
fn state_of(arena: &Arena, order: &[u8], node: &Node) -> State {
    let mut stones = [0, 0];
    let mut target = 0;
    for (at, &place) in order.iter().enumerate() {
        match node.cells[at] {
            1 => stones[0] |= 1 << place,
            2 => stones[1] |= 1 << place,
            _ => {}
        }
        target |= u128::from(node.target[at]) << place;
    }
    arena.state(stones, target, NOWHERE)
}

/// Compares the search with the naive solver on positions from a seed; returns how many answers were
/// compared and how many were a yes.
fn compare(seed: u64, positions: usize, most: usize) -> (usize, usize) {
    let mut random_state = seed;
    let (mut compared, mut yes) = (0, 0);
    let questions = [
        TWO_EYES,
        CAPTURE_AGAINST_KO,
        CAPTURE_BY_KO,
        CAPTURE_WITHOUT_THREATS,
    ];
    for _ in 0..positions {
        let Some((arena, state)) = scene(&mut random_state) else {
            continue;
        };
        for question in questions {
            for mover in [Side::Attacker, Side::Defender] {
                let (start, order) = node(&arena, &state, mover);
                let naive = naive(&arena, &order, question);
                let goal = |node: &Node| {
                    let captures = question.goal == Goal::Capture;
                    if node.target.iter().all(|&stone| !stone) {
                        return Some(captures);
                    }
                    let state = state_of(&arena, &order, node);
                    let lives = arena.living_target(&state).is_some();
                    (!captures && lives).then_some(true)
                };
                let Some(expected) = naive.answer(&start, most, goal) else {
                    continue;
                };
                let mut table = Table::new(1 << 12);
                let mut search = Search::new(&arena, question, &mut table, 1 << 40);
                let found = search.run(&state, mover);
                assert_eq!(
                    found,
                    Some(expected),
                    "{question:?} {mover:?} {:?} target {:?} wall {:?} friend {:?}",
                    start.cells,
                    start.target,
                    naive.wall,
                    naive.friend
                );
                compared += 1;
                yes += usize::from(expected);
            }
        }
    }
    (compared, yes)
}

#[test]
fn search_agrees_with_a_look_at_all_positions() {
    let (compared, yes) = compare(1, POSITIONS, MOST);
    assert!(compared > POSITIONS, "{compared}");
    assert!(yes > compared / 10 && yes < compared * 9 / 10, "{yes}");
}
