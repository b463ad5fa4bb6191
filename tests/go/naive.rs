//! Go once more, as plainly as it can be written: a grid of characters, everything recomputed by
//! flood fills, history as a list of grids. What the fast code is compared with.

use std::collections::{BTreeSet, HashSet};

use keima::go::{Board, Color, KoRule, Move, Point, Rules, diagram};

/// A point as (row from the top, column).
pub type Place = (usize, usize);

/// Rows of `X`, `O` and `.`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Grid(pub Vec<Vec<char>>);

pub fn letter(color: Color) -> char {
    match color {
        Color::Black => 'X',
        Color::White => 'O',
    }
}

pub fn other(stone: char) -> char {
    if stone == 'X' { 'O' } else { 'X' }
}

impl Grid {
    pub fn of(board: &Board) -> Grid {
        let text = diagram::compact(board);
        Grid(text.split('/').map(|row| row.chars().collect()).collect())
    }

    pub fn text(&self) -> String {
        let rows: Vec<String> = self.0.iter().map(|row| row.iter().collect()).collect();
        rows.join("/")
    }

    pub fn height(&self) -> usize {
        self.0.len()
    }

    pub fn width(&self) -> usize {
        self.0[0].len()
    }

    pub fn at(&self, (y, x): Place) -> char {
        self.0[y][x]
    }

    pub fn set(&mut self, (y, x): Place, stone: char) {
        self.0[y][x] = stone;
    }

    pub fn places(&self) -> Vec<Place> {
        let width = self.width();
        (0..self.height() * width)
            .map(|i| (i / width, i % width))
            .collect()
    }

    pub fn place_of(&self, point: Point) -> Place {
        (self.height() - 1 - point.row(), point.column())
    }

    pub fn point_of(&self, (y, x): Place) -> Point {
        Point::new(x, self.height() - 1 - y)
    }

    pub fn around(&self, (y, x): Place) -> Vec<Place> {
        let mut places = Vec::new();
        if y > 0 {
            places.push((y - 1, x));
        }
        if x > 0 {
            places.push((y, x - 1));
        }
        if y + 1 < self.height() {
            places.push((y + 1, x));
        }
        if x + 1 < self.width() {
            places.push((y, x + 1));
        }
        places
    }

    /// The connected places from `start` whose character is in `of`.
    pub fn flood(&self, start: Place, of: &[char]) -> BTreeSet<Place> {
        let mut found = BTreeSet::from([start]);
        let mut open = vec![start];
        while let Some(place) = open.pop() {
            for next in self.around(place) {
                if of.contains(&self.at(next)) && found.insert(next) {
                    open.push(next);
                }
            }
        }
        found
    }

    pub fn chain(&self, stone: Place) -> BTreeSet<Place> {
        self.flood(stone, &[self.at(stone)])
    }

    /// Points next to a set that hold `what`.
    pub fn touching(&self, set: &BTreeSet<Place>, what: char) -> BTreeSet<Place> {
        let around = set.iter().flat_map(|&place| self.around(place));
        around.filter(|&place| self.at(place) == what).collect()
    }

    pub fn liberties(&self, stone: Place) -> BTreeSet<Place> {
        self.touching(&self.chain(stone), '.')
    }

    fn take(&mut self, set: &BTreeSet<Place>) {
        for &place in set {
            self.set(place, '.');
        }
    }

    /// The grid after a move, the stones taken, and the point of a simple ko. Suicide takes the
    /// mover's chain.
    pub fn after(&self, place: Place, stone: char) -> (Grid, BTreeSet<Place>, Option<Place>) {
        let mut grid = self.clone();
        grid.set(place, stone);
        let mut taken = BTreeSet::new();
        for next in grid.around(place) {
            if grid.at(next) == other(stone) && grid.liberties(next).is_empty() {
                let chain = grid.chain(next);
                grid.take(&chain);
                taken.extend(chain);
            }
        }
        if grid.liberties(place).is_empty() {
            taken = grid.chain(place);
            grid.take(&taken);
            return (grid, taken, None);
        }
        let is_ko =
            taken.len() == 1 && grid.chain(place).len() == 1 && grid.liberties(place).len() == 1;
        let ko = taken.first().copied().filter(|_| is_ko);
        (grid, taken, ko)
    }

    /// Whether the move leaves its own chain without liberties.
    pub fn suicide_len(&self, place: Place, stone: char) -> usize {
        let (grid, taken, _) = self.after(place, stone);
        if grid.at(place) == '.' {
            taken.len()
        } else {
            0
        }
    }

    /// Stones and surrounded places of a side, after taking off `dead`.
    pub fn area(&self, stone: char, dead: &HashSet<Place>) -> usize {
        let mut grid = self.clone();
        for &place in dead {
            grid.set(place, '.');
        }
        let is_its = |place: Place| {
            if grid.at(place) != '.' {
                return grid.at(place) == stone;
            }
            let region = grid.flood(place, &['.']);
            let touches = |what| !grid.touching(&region, what).is_empty();
            touches(stone) && !touches(other(stone))
        };
        grid.places()
            .into_iter()
            .filter(|&place| is_its(place))
            .count()
    }
}

/// The game proper (no encore): board, turn and all state for superko.
pub struct NaiveGame {
    pub rules: Rules,
    pub grid: Grid,
    pub to_move: Color,
    pub ko: Option<Place>,
    pub taken: [usize; 2],
    /// Whether the game is over, and whether without result.
    pub over: Option<bool>,
    button: bool,
    passes: usize,
    seen: Vec<(Grid, Color)>,
    passed_at: Vec<(Grid, Color)>,
}

impl NaiveGame {
    pub fn new(board: &Board, to_move: Color, rules: Rules) -> NaiveGame {
        let grid = Grid::of(board);
        NaiveGame {
            rules,
            seen: vec![(grid.clone(), to_move)],
            grid,
            to_move,
            ko: None,
            taken: [0; 2],
            over: None,
            button: rules.has_button,
            passes: 0,
            passed_at: Vec::new(),
        }
    }

    fn repeats(&self, grid: &Grid) -> bool {
        self.seen
            .iter()
            .any(|(earlier, to_move)| match self.rules.ko {
                KoRule::Simple => false,
                KoRule::Positional => earlier == grid,
                KoRule::Situational => earlier == grid && *to_move == !self.to_move,
            })
    }

    pub fn is_legal(&self, place: Place) -> bool {
        let stone = letter(self.to_move);
        if self.grid.at(place) != '.' || self.ko == Some(place) {
            return false;
        }
        let suicide_len = self.grid.suicide_len(place, stone);
        if suicide_len == 1 || suicide_len > 1 && !self.rules.suicide {
            return false;
        }
        !self.repeats(&self.grid.after(place, stone).0)
    }

    pub fn play(&mut self, mv: Move) {
        let simple = self.rules.ko == KoRule::Simple;
        let mut ends = false;
        match mv {
            Move::Pass if std::mem::take(&mut self.button) => {
                (self.ko, self.passes) = (None, 0);
                self.seen.clear();
                self.passed_at.clear();
            }
            Move::Pass => {
                (self.ko, self.passes) = (None, self.passes + 1);
                let here = (self.grid.clone(), self.to_move);
                ends = self.passes >= 2 || simple && self.passed_at.contains(&here);
                self.passed_at.push(here);
                if simple {
                    self.seen.clear();
                }
            }
            Move::Play(point) => {
                self.passes = 0;
                self.put(point);
            }
        }
        self.to_move = !self.to_move;
        let now = (self.grid.clone(), self.to_move);
        self.seen.push(now.clone());
        let times = self.seen.iter().filter(|&earlier| *earlier == now).count();
        let cycles = simple && mv != Move::Pass && times >= 3;
        self.over = (ends || cycles).then_some(cycles);
    }

    fn put(&mut self, point: Point) {
        let place = self.grid.place_of(point);
        let (grid, taken, ko) = self.grid.after(place, letter(self.to_move));
        let owner = if grid.at(place) == '.' {
            self.to_move
        } else {
            !self.to_move
        };
        self.taken[owner as usize] += taken.len();
        (self.grid, self.ko) = (grid, ko);
    }
}
