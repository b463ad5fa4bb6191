//! Captures: all ways in which a piece can take others, and which of them the rules allow.

use smallvec::SmallVec;

use super::board::{DIRECTIONS, Squares, each};
use super::position::{DraughtsMove, DraughtsPosition};
use super::variant::CaptureRule;

/// Squares on which a piece lands, with the one that it leaves.
pub type Path = SmallVec<[Squares; 8]>;

/// A capture under way.
#[derive(Clone, Copy)]
struct Step {
    at: Squares,
    is_king: bool,
    captured: Squares,
    /// One bit for each captured piece, the first being the highest: whether it is a king.
    kings: u32,
    count: u32,
}

/// Finds the captures of a position.
pub(super) struct Captures<'a> {
    position: &'a DraughtsPosition,
    /// Empty squares, with the one that the capturing piece leaves.
    empty: Squares,
    from: Squares,
    /// The allowed captures begin here in the list.
    start: usize,
    list: &'a mut Vec<DraughtsMove>,
    /// The highest rank so far; only captures of this rank are in the list.
    best: u64,
    path: Path,
    /// A path of each capture in the list, if wanted: one through `through` if there is one.
    paths: Option<Vec<Path>>,
    through: Squares,
}

/// Appends the captures that the rules allow, each once.
pub(super) fn append(position: &DraughtsPosition, list: &mut Vec<DraughtsMove>) {
    Captures::new(position, list, None).find();
}

/// The captures that the rules allow, each once, with one of its paths: one over all squares of
/// `through` if there is one.
pub(super) fn with_paths(
    position: &DraughtsPosition,
    through: Squares,
) -> Vec<(DraughtsMove, Path)> {
    let mut list = Vec::new();
    let mut captures = Captures::new(position, &mut list, Some(through));
    captures.find();
    let paths = captures.paths.unwrap_or_default();
    list.into_iter().zip(paths).collect()
}

impl<'a> Captures<'a> {
    fn new(
        position: &'a DraughtsPosition,
        list: &'a mut Vec<DraughtsMove>,
        paths_through: Option<Squares>,
    ) -> Captures<'a> {
        Captures {
            position,
            empty: 0,
            from: 0,
            start: list.len(),
            list,
            best: 0,
            path: Path::new(),
            paths: paths_through.map(|_| Vec::new()),
            through: paths_through.unwrap_or_default(),
        }
    }

    fn find(&mut self) {
        for square in each(self.position.capturing()) {
            self.from = square;
            self.empty = self.position.empty() | square;
            let is_king = self.position.is_king(square);
            self.go_on(Step {
                at: square,
                is_king,
                captured: 0,
                kings: 0,
                count: 0,
            });
        }
    }

    /// Takes further pieces; whether there was one.
    fn go_on(&mut self, step: Step) -> bool {
        if self.paths.is_some() {
            self.path.push(step.at);
        }
        let goes_on = match step.is_king && self.position.variant().flying {
            true => self.fly_on(step),
            false => self.step_on(step),
        };
        if self.paths.is_some() {
            self.path.pop();
        }
        goes_on
    }

    /// Of a piece that takes what stands beside it.
    fn step_on(&mut self, step: Step) -> bool {
        let (variant, layout) = (self.position.variant(), self.position.layout());
        let directions = match step.is_king || variant.men_capture_back {
            true => 0..DIRECTIONS,
            false if self.position.white_moves() => 0..DIRECTIONS / 2,
            false => DIRECTIONS / 2..DIRECTIONS,
        };
        let mut targets = self.targets(&step);
        if !step.is_king && !variant.men_take_kings {
            targets &= !self.position.kings();
        }
        let empty = self.empty_after(&step);
        let mut goes_on = false;
        for direction in directions {
            let over = layout.step(step.at, direction) & targets;
            let to = layout.step(over, direction) & empty;
            if to == 0 {
                continue;
            }
            goes_on = true;
            let place = self.landed(&step, over, to);
            if !self.go_on(place) {
                self.finish(place);
            }
        }
        goes_on
    }

    /// Of a king that moves over any distance.
    fn fly_on(&mut self, step: Step) -> bool {
        let layout = self.position.layout();
        let (targets, empty) = (self.targets(&step), self.empty_after(&step));
        let mut goes_on = false;
        for direction in 0..DIRECTIONS {
            let mut over = layout.step(step.at, direction);
            while over & empty != 0 {
                over = layout.step(over, direction);
            }
            over &= targets;
            let mut to = layout.step(over, direction) & empty;
            let mut landings = to;
            while to != 0 {
                to = layout.step(to, direction) & empty;
                landings |= to;
            }
            if landings != 0 {
                goes_on = true;
                self.land(&step, over, landings);
            }
        }
        goes_on
    }

    /// Lands on each of some squares, but only where the king can go on if it can anywhere, unless captured
    /// pieces leave at once.
    fn land(&mut self, step: &Step, over: Squares, landings: Squares) {
        if self.position.variant().leaves_at_once {
            for to in each(landings) {
                let place = self.landed(step, over, to);
                if !self.go_on(place) {
                    self.finish(place);
                }
            }
            return;
        }
        let mut goes_on = false;
        for to in each(landings) {
            goes_on |= self.go_on(self.landed(step, over, to));
        }
        if !goes_on {
            each(landings).for_each(|to| self.finish(self.landed(step, over, to)));
        }
    }

    /// After taking a piece.
    fn landed(&self, step: &Step, over: Squares, to: Squares) -> Step {
        let is_king = u32::from(self.position.is_king(over));
        Step {
            at: to,
            is_king: step.is_king || self.crowns(to),
            captured: step.captured | over,
            kings: step.kings | is_king << (31 - step.count),
            count: step.count + 1,
        }
    }

    fn targets(&self, step: &Step) -> Squares {
        self.position.others() & !step.captured
    }

    fn empty_after(&self, step: &Step) -> Squares {
        match self.position.variant().leaves_at_once {
            true => self.empty | step.captured,
            false => self.empty,
        }
    }

    /// Whether a man that lands here goes on as a king.
    fn crowns(&self, at: Squares) -> bool {
        self.position.variant().crowned_at_once && at & self.position.last_row() != 0
    }

    /// Keeps a capture if none so far has a higher rank.
    fn finish(&mut self, step: Step) {
        let was_king = self.position.is_king(self.from);
        let rank = self.rank(step, was_king);
        if rank < self.best {
            return;
        }
        let mv = DraughtsMove {
            from: self.from,
            to: step.at,
            captured: step.captured,
            promotes: !was_king && (step.is_king || step.at & self.position.last_row() != 0),
        };
        if rank > self.best {
            self.best = rank;
            self.list.truncate(self.start);
            self.paths.iter_mut().for_each(Vec::clear);
        }
        let known = self.list[self.start..].iter().position(|it| *it == mv);
        if known.is_none() {
            self.list.push(mv);
        }
        let Some(paths) = &mut self.paths else {
            return;
        };
        let mut path = self.path.clone();
        path.push(step.at);
        match known {
            None => paths.push(path),
            Some(known) if goes_over(&path, self.through) => paths[known] = path,
            Some(_) => {}
        }
    }

    /// Only the captures of the highest rank are allowed.
    fn rank(&self, step: Step, by_king: bool) -> u64 {
        let (count, by_king) = (u64::from(step.count), u64::from(by_king));
        let kings = || u64::from(step.kings.count_ones());
        match self.position.variant().captures {
            CaptureRule::Any => 0,
            CaptureRule::KingFirst => by_king,
            CaptureRule::MostPieces => count,
            CaptureRule::MostPiecesThenKings => count << 8 | kings(),
            CaptureRule::Italian => {
                count << 48 | by_king << 40 | kings() << 32 | u64::from(step.kings)
            }
        }
    }
}

/// Whether a path goes over all of these squares.
pub(super) fn goes_over(path: &Path, squares: Squares) -> bool {
    squares & !path.iter().fold(0, |all, at| all | at) == 0
}
