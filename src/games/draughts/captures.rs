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
    targets: Squares,
    /// Empty squares, with the one that the capturing piece leaves.
    empty: Squares,
    from: Squares,
    path: Path,
    found: Vec<(u64, DraughtsMove, Path)>,
    wants_paths: bool,
}

impl<'a> Captures<'a> {
    /// Nothing is found yet; with `wants_paths` each capture comes with its path.
    pub(super) fn new(position: &'a DraughtsPosition, wants_paths: bool) -> Captures<'a> {
        Captures {
            targets: position.others(),
            empty: 0,
            from: 0,
            path: Path::new(),
            found: Vec::new(),
            position,
            wants_paths,
        }
    }

    /// The captures that the rules allow, each once, with one of its paths.
    pub(super) fn allowed(mut self) -> Vec<(DraughtsMove, Path)> {
        for square in each(self.position.own()) {
            self.from = square;
            self.empty = self.position.empty() | square;
            let is_king = self.position.is_king(square);
            self.path.push(square);
            self.go_on(Step {
                at: square,
                is_king,
                captured: 0,
                kings: 0,
                count: 0,
            });
            self.path.pop();
        }
        let best = self.found.iter().map(|found| found.0).max().unwrap_or(0);
        let mut allowed: Vec<(DraughtsMove, Path)> = Vec::new();
        for (rank, mv, path) in self.found {
            if rank == best && allowed.iter().all(|(other, _)| *other != mv) {
                allowed.push((mv, path));
            }
        }
        allowed
    }

    /// Takes further pieces; whether there was one.
    fn go_on(&mut self, step: Step) -> bool {
        let mut goes_on = false;
        for direction in 0..DIRECTIONS {
            let Some((over, landings)) = self.jump(step, direction) else {
                continue;
            };
            goes_on = true;
            let is_king = u32::from(self.position.is_king(over));
            let next = Step {
                captured: step.captured | over,
                kings: step.kings | is_king << (31 - step.count),
                count: step.count + 1,
                ..step
            };
            let lands = |at: Squares| Step {
                at,
                is_king: step.is_king || self.crowns(at),
                ..next
            };
            let mut places: SmallVec<[Step; 8]> = each(landings).map(lands).collect();
            if !self.position.variant().leaves_at_once
                && places.iter().any(|place| self.can_go_on(*place))
            {
                places.retain(|place| self.can_go_on(*place));
            }
            for place in places {
                self.path.push(place.at);
                if !self.go_on(place) {
                    self.finish(place);
                }
                self.path.pop();
            }
        }
        goes_on
    }

    fn can_go_on(&self, step: Step) -> bool {
        (0..DIRECTIONS).any(|direction| self.jump(step, direction).is_some())
    }

    /// Whether a man that lands here goes on as a king.
    fn crowns(&self, at: Squares) -> bool {
        self.position.variant().crowned_at_once && at & self.position.last_row() != 0
    }

    /// The piece that can be taken in a direction, and where the capturing piece may land.
    fn jump(&self, step: Step, direction: usize) -> Option<(Squares, Squares)> {
        let (variant, layout) = (self.position.variant(), self.position.layout());
        let is_up = direction < DIRECTIONS / 2;
        if !step.is_king && !variant.men_capture_back && is_up != self.position.white_moves() {
            return None;
        }
        let mut empty = self.empty;
        if variant.leaves_at_once {
            empty |= step.captured;
        }
        let mut targets = self.targets & !step.captured;
        if !step.is_king && !variant.men_take_kings {
            targets &= !self.position.kings();
        }
        let is_flying = step.is_king && variant.flying;
        let mut over = layout.step(step.at, direction);
        while is_flying && over & empty != 0 {
            over = layout.step(over, direction);
        }
        over &= targets;
        let mut to = layout.step(over, direction) & empty;
        let mut landings = to;
        while is_flying && to != 0 {
            to = layout.step(to, direction) & empty;
            landings |= to;
        }
        (landings != 0).then_some((over, landings))
    }

    fn finish(&mut self, step: Step) {
        let was_king = self.position.is_king(self.from);
        let mv = DraughtsMove {
            from: self.from,
            to: step.at,
            captured: step.captured,
            promotes: !was_king && (step.is_king || step.at & self.position.last_row() != 0),
        };
        let path = match self.wants_paths {
            true => self.path.clone(),
            false => Path::new(),
        };
        let rank = self.rank(step, was_king);
        self.found.push((rank, mv, path));
    }

    /// Only the captures of the highest rank are allowed.
    fn rank(&self, step: Step, by_king: bool) -> u64 {
        let (count, by_king) = (u64::from(step.count), u64::from(by_king));
        let kings = u64::from(step.kings.count_ones());
        match self.position.variant().captures {
            CaptureRule::Any => 0,
            CaptureRule::KingFirst => by_king,
            CaptureRule::MostPieces => count,
            CaptureRule::MostPiecesThenKings => count << 8 | kings,
            CaptureRule::Italian => {
                count << 48 | by_king << 40 | kings << 32 | u64::from(step.kings)
            }
        }
    }
}
