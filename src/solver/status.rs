//! From answers to statuses.

use crate::go::{Board, Move, Point, PointSet};

use super::arena::{Arena, Bits, NOWHERE, Side, State};
use super::dfpn::{PASS, Search};
use super::question::{Goal, KoRule, Question};
use super::table::Table;

/// A target and the part of the board that matters for it.
pub struct Problem<'a> {
    /// All stones; the ko point, if any, may not be taken back by the side that moves first.
    pub board: &'a Board,
    /// Stones of one color, the defender's.
    pub target: PointSet,
    /// Points that both may play on. Chains that are partly in it count whole.
    pub region: PointSet,
    /// Nodes that may be spent, for each side that moves first.
    pub nodes: u64,
    /// Positions that are remembered at a time.
    pub memory: usize,
}

/// What becomes of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Lives with two eyes, or connected to stones that live.
    Alive,
    /// Is captured.
    Dead,
    /// Is not captured, but has no two eyes.
    Seki,
    /// Depends on a ko.
    Ko {
        /// Who needs a threat first.
        first_threat: Side,
    },
    /// Not found out with the nodes allowed.
    Unknown,
}

/// A status with what leads to it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The status.
    pub status: Status,
    /// A first move that gets it, unless it is unknown or any does.
    pub best: Option<Move>,
    /// Nodes spent.
    pub nodes: u64,
}

/// Why there is nothing to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemError {
    /// The target has no stones, or stones of both colors.
    Target,
    /// The region is too large: its rectangle must not have more than 128 points.
    TooLarge,
}

/// A problem made ready for searches.
pub struct Solver {
    arena: Arena,
    start: State,
    table: Table,
    nodes: u64,
}

impl Solver {
    /// Sets up a problem.
    pub fn new(problem: &Problem) -> Result<Solver, ProblemError> {
        let board = problem.board;
        let mut colors = problem.target.iter().map(|point| board.color_at(point));
        let owner = colors.next().flatten().ok_or(ProblemError::Target)?;
        if colors.any(|color| color != Some(owner)) {
            return Err(ProblemError::Target);
        }
        let mut region = problem.region;
        for point in problem.target.iter().chain(problem.region.iter()) {
            if board.color_at(point).is_some() {
                region.extend(board.chain(point));
            }
        }
        let mut arena = Arena::new(board.size(), &region).ok_or(ProblemError::TooLarge)?;
        let mut stones = [0, 0];
        let mut target: Bits = 0;
        for point in region.iter() {
            let Some(place) = arena.place(point) else { continue };
            let bit: Bits = 1 << place;
            match board.color_at(point) {
                Some(color) if color == owner => stones[Side::Defender as usize] |= bit,
                Some(_) => stones[Side::Attacker as usize] |= bit,
                None => {}
            }
            if board.color_at(point) == Some(owner) && board.chain(point).any(|p| problem.target.contains(p)) {
                target |= bit;
            }
            for neighbor in board.neighbors(point) {
                if region.contains(neighbor) {
                    continue;
                }
                match board.color_at(neighbor) {
                    Some(color) if color == owner => arena.friend |= bit,
                    _ => arena.wall |= bit,
                }
            }
        }
        let ko = board.ko().and_then(|point| arena.place(point)).unwrap_or(NOWHERE);
        let start = arena.state(stones, target, ko);
        Ok(Solver { arena, start, table: Table::new(problem.memory), nodes: problem.nodes })
    }

    /// The answer to a question and the nodes spent.
    pub(super) fn ask(&mut self, goal: Goal, ko: KoRule, first: Side, budget: u64) -> (Option<bool>, u64) {
        let question = Question::new(goal, ko);
        let mut start = self.start;
        if start.ko != NOWHERE && !question.binds(first) {
            start = self.arena.pass(&start);
        }
        let mut search = Search::new(&self.arena, question, &mut self.table, budget);
        let answer = search.run(&start, first);
        (answer, search.spent())
    }

    fn best(&self, goal: Goal, ko: KoRule, first: Side) -> Option<Move> {
        let question = Question::new(goal, ko);
        let mut start = self.start;
        if start.ko != NOWHERE && !question.binds(first) {
            start = self.arena.pass(&start);
        }
        let entry = self.table.get(start.key ^ question.key(first))?;
        match entry.best {
            PASS => Some(Move::Pass),
            place => self.arena.point(place).map(Move::Play),
        }
    }

    /// What becomes of the target if a side moves first.
    pub fn outcome(&mut self, first: Side) -> Outcome {
        let eyes = (Goal::TwoEyes, KoRule::FavorsAttacker);
        let kill = (Goal::Capture, KoRule::FavorsDefender);
        let mut spent = 0;
        let mut budget = 1000;
        loop {
            let mut answers = [None, None];
            let order = if first == Side::Attacker { [1, 0] } else { [0, 1] };
            for which in order {
                let (goal, ko) = [eyes, kill][which];
                let allowed = budget.min(self.nodes - spent);
                let (answer, used) = self.ask(goal, ko, first, allowed);
                spent += used;
                answers[which] = answer;
                if answer == Some(true) {
                    let status = if which == 0 { Status::Alive } else { Status::Dead };
                    return Outcome { status, best: self.best(goal, ko, first), nodes: spent };
                }
            }
            if answers == [Some(false), Some(false)] {
                return self.neither(first, spent);
            }
            if spent >= self.nodes {
                return Outcome { status: Status::Unknown, best: None, nodes: spent };
            }
            budget *= 2;
        }
    }

    /// Neither two eyes nor an unconditional capture.
    fn neither(&mut self, first: Side, mut spent: u64) -> Outcome {
        let (answer, used) = self.ask(Goal::Capture, KoRule::FavorsAttacker, first, self.nodes - spent.min(self.nodes));
        spent += used;
        let status = match answer {
            None => Status::Unknown,
            Some(false) => Status::Seki,
            Some(true) => {
                let (answer, used) = self.ask(Goal::Capture, KoRule::Neutral, first, self.nodes - spent.min(self.nodes));
                spent += used;
                match answer {
                    None => Status::Unknown,
                    Some(true) => Status::Ko { first_threat: Side::Defender },
                    Some(false) => Status::Ko { first_threat: Side::Attacker },
                }
            }
        };
        let ko = if first == Side::Attacker { KoRule::FavorsAttacker } else { KoRule::FavorsDefender };
        Outcome { status, best: self.best(Goal::Capture, ko, first), nodes: spent }
    }

    /// For debugging.
    pub fn line(&mut self, first: Side, which: u8) -> String {
        let question = match which {
            0 => Question::new(Goal::TwoEyes, KoRule::FavorsAttacker),
            1 => Question::new(Goal::Capture, KoRule::FavorsDefender),
            2 => Question::new(Goal::Capture, KoRule::FavorsAttacker),
            _ => Question::new(Goal::Capture, KoRule::Neutral),
        };
        let mut state = self.start;
        let mut mover = first;
        let mut text = String::new();
        if let Ok(prefix) = std::env::var("PREFIX") {
            for name in prefix.split_whitespace() {
                let next = match name {
                    "pass" => Some(self.arena.pass(&state)),
                    name => self.arena.play(&state, mover, name.parse().ok().and_then(|p| self.arena.place(p)).unwrap_or(0), question.binds(!mover)),
                };
                let Some(next) = next else { break };
                text += &format!(" ({name})");
                state = next;
                mover = !mover;
            }
        }
        if std::env::var("DUMP").is_ok() {
            { let next = self.arena.pass(&state); text += &format!("\n  pass tt {:?}", self.table.get(next.key ^ question.key(!mover)).map(|e| (e.numbers.proof, e.numbers.disproof, e.work, e.zone.count_ones()))); }
            for place in super::arena::places(self.arena.empty(&state)) {
                if let Some(next) = self.arena.play(&state, mover, place, question.binds(!mover)) {
                    text += &format!("\n  {} end {:?} tt {:?}", self.arena.point(place).map(|p| p.to_string()).unwrap_or_default(), question.end(&self.arena, &next, !mover).map(|x| x.0), self.table.get(next.key ^ question.key(!mover)).map(|e| (e.numbers.proof, e.numbers.disproof, e.work, e.zone.count_ones())));
                }
            }
        }
        for _ in 0..40 {
            let Some(entry) = self.table.get(state.key ^ question.key(mover)) else { break };
            text += &format!(" [{}/{}]", entry.numbers.proof.min(999), entry.numbers.disproof.min(999));
            let next = match entry.best {
                PASS => { text += " pass"; Some(self.arena.pass(&state)) }
                NOWHERE => { text += " nowhere"; break }
                place => {
                    text += &format!(" {}", self.arena.point(place).map(|p| p.to_string()).unwrap_or_default());
                    self.arena.play(&state, mover, place, question.binds(!mover))
                }
            };
            let Some(next) = next else { break };
            state = next;
            mover = !mover;
        }
        text
    }

    /// The region's points.
    pub fn region(&self) -> Vec<Point> {
        self.arena.points_of(self.arena.region).collect()
    }
}
