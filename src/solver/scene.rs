//! A target with its region, made ready for searches.

use crate::go::{Board, Move, Point, PointSet};

use super::ProblemError;
use super::arena::{Arena, Bits, NOWHERE, Side, State, places};
use super::dfpn::{PASS, Search};
use super::question::Question;
use super::table::{Entry, Table};

/// The arena, the position in it, and what the searches have found out.
pub(super) struct Scene {
    pub(super) arena: Arena,
    start: State,
    pub(super) table: Table,
}

impl Scene {
    /// Chains that are partly in the region count whole. Outside it, the defender's stones are taken
    /// to live and everything else to be the attacker's; so each chain of the target needs a liberty inside.
    pub(super) fn new(
        board: &Board,
        target: &PointSet,
        region: &PointSet,
        memory: usize,
    ) -> Result<Scene, ProblemError> {
        let mut colors = target.iter().map(|point| board.color_at(point));
        let owner = colors.next().flatten().ok_or(ProblemError::Target)?;
        if colors.any(|color| color != Some(owner)) {
            return Err(ProblemError::Target);
        }
        let region = with_whole_chains(board, &[target, region]);
        let target = with_whole_chains(board, &[target]);
        for stone in target.iter() {
            let liberties = board.liberty_points(stone);
            let is_outside = |&liberty: &Point| !region.contains(liberty);
            if let Some(&liberty) = liberties.first()
                && liberties.iter().all(is_outside)
            {
                return Err(ProblemError::NoLiberty(liberty));
            }
        }
        let mut arena = Arena::new(board.size(), &region).ok_or(ProblemError::TooLarge)?;
        let mut stones = [0, 0];
        let mut aims: Bits = 0;
        for point in region.iter() {
            let Some(place) = arena.place(point) else {
                return Err(ProblemError::TooLarge);
            };
            let bit: Bits = 1 << place;
            if let Some(color) = board.color_at(point) {
                let side = if color == owner {
                    Side::Defender
                } else {
                    Side::Attacker
                };
                stones[side as usize] |= bit;
            }
            if target.contains(point) {
                aims |= bit;
            }
            for outside in board.neighbors(point).filter(|&p| !region.contains(p)) {
                match board.color_at(outside) {
                    Some(color) if color == owner => arena.friend |= bit,
                    _ => arena.wall |= bit,
                }
            }
        }
        let ko = board.ko().and_then(|point| arena.place(point));
        let start = arena.state(stones, aims, ko.unwrap_or(NOWHERE));
        Ok(Scene {
            arena,
            start,
            table: Table::new(memory),
        })
    }

    /// The position as a question sees it: a ko that may be taken back anyway is none.
    pub(super) fn start(&self, question: Question, first: Side) -> State {
        match question.binds(first) {
            true => self.start,
            false => self.arena.pass(&self.start),
        }
    }

    /// The answer to a question, if the budget is enough, and the nodes spent.
    pub(super) fn ask(
        &mut self,
        question: Question,
        first: Side,
        budget: u64,
    ) -> (Option<bool>, u64) {
        let start = self.start(question, first);
        self.ask_at(&start, question, first, budget)
    }

    /// The same for another position of the arena.
    pub(super) fn ask_at(
        &mut self,
        state: &State,
        question: Question,
        mover: Side,
        budget: u64,
    ) -> (Option<bool>, u64) {
        let mut search = Search::new(&self.arena, question, &mut self.table, budget);
        let answer = search.run(state, mover);
        (answer, search.spent())
    }

    /// What the table has on a position.
    pub(super) fn entry(&self, state: &State, question: Question, mover: Side) -> Option<&Entry> {
        self.table.get(state.key ^ question.key(mover))
    }

    /// The move that answers a question at the start, if the side that moves there has the choice.
    pub(super) fn best_move(&self, question: Question, first: Side) -> Option<Move> {
        let start = self.start(question, first);
        let entry = self.entry(&start, question, first)?;
        self.move_at(entry.best)
    }

    /// All moves at the start after which the answer to a question is as given, as far as the budget goes,
    /// and the nodes spent.
    pub(super) fn moves_that_answer(
        &mut self,
        question: Question,
        answer: bool,
        first: Side,
        budget: u64,
    ) -> (Vec<Move>, u64) {
        let start = self.start(question, first);
        let (mut found, mut spent) = (Vec::new(), 0);
        for place in places(self.arena.empty(&start)).filter(|&place| place != start.ko) {
            let has_ko_rule = question.binds(!first);
            let Some(next) = self.arena.play(&start, first, place, has_ko_rule) else {
                continue;
            };
            let left = budget.saturating_sub(spent);
            let (reply, used) = self.ask_at(&next, question, !first, left);
            spent += used;
            if reply == Some(answer) {
                found.extend(self.move_at(place));
            }
        }
        (found, spent)
    }

    /// The move of a place of the arena.
    pub(super) fn move_at(&self, place: u8) -> Option<Move> {
        match place {
            PASS => Some(Move::Pass),
            place => self.arena.point(place).map(Move::Play),
        }
    }
}

fn with_whole_chains(board: &Board, sets: &[&PointSet]) -> PointSet {
    let mut whole = PointSet::EMPTY;
    for point in sets.iter().flat_map(|set| set.iter()) {
        match board.color_at(point) {
            Some(_) => whole.extend(board.chain(point)),
            None => whole.extend([point] as [Point; 1]),
        }
    }
    whole
}
