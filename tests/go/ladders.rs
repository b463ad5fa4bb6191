//! The ladder reader against known shapes.

use std::collections::BTreeSet;

use crate::naive::{Grid, Place, letter, other};
use keima::go::{
    Board, BoardSize, Color, Komi, Ladders, Point, Position, Rules, caught_in_ladders, diagram,
    ladders,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn board(text: &str) -> Board {
    diagram::parse(text).expect("a diagram")
}

fn catching(read: &Ladders, point: Point) -> bool {
    Color::BOTH
        .iter()
        .any(|&color| read.catching[color].contains(point))
}

/// `#` for caught stones, `*` for moves that catch, small letters for other stones.
fn picture(board: &Board, read: &Ladders) -> String {
    diagram::rows(board.size(), |point| match board.color_at(point) {
        Some(_) if read.caught.contains(point) => '#',
        Some(Color::Black) => 'x',
        Some(Color::White) => 'o',
        None if catching(read, point) => '*',
        None => '.',
    })
}

fn check(shape: &str, expected: &str) {
    let board = board(shape);
    let read = ladders(&board);
    assert_eq!(picture(&board, &read), expected, "{shape}");
    assert_eq!(caught_in_ladders(&board), read.caught, "{shape}");
}

const LONG_LADDER: &str = "\
........./........./...X...../...OX..../..X....../........./........./........./.........";

#[test]
fn a_ladder_runs_to_the_edge() {
    check(
        LONG_LADDER,
        "........./........./...x...../..*#x..../..x*...../........./........./........./.........",
    );
}

#[test]
fn a_breaker_leaves_one_working_move() {
    check(
        "........./........./...X...../...OX..../..X....../........./......O../........./.........",
        "........./........./...x...../...#x..../..x*...../........./......o../........./.........",
    );
}

#[test]
fn kos_count_as_escape_and_blocks_are_dropped() {
    check(
        ".XO../X.XO./OXO../.O.../.....",
        ".#o../#*xo./oxo../.o.../.....",
    );
}

#[test]
fn kos_in_a_corner_do_not_save_the_chains_around_them() {
    check(
        "OXX../O.OX./OOXX./.XX../.....",
        "#xx../#*#x./##xx./*xx../.....",
    );
}

#[test]
fn every_ladder_breaker_is_found() {
    let counts = "222222222/211122222/111X02222/110OX1222/21X011122/221111112/222111112/\
                  222211112/222221122";
    let shape: Vec<char> = LONG_LADDER.replace('/', "").chars().collect();
    for (place, count) in counts.replace('/', "").chars().enumerate() {
        let Some(count) = count.to_digit(10) else {
            continue;
        };
        let mut with_breaker = shape.clone();
        with_breaker[place] = 'O';
        let rows: Vec<String> = with_breaker
            .chunks(9)
            .map(|row| row.iter().collect())
            .collect();
        let board = board(&rows.join("/"));
        let read = ladders(&board);
        let target = board.size().point_at(3 * 9 + 3);
        let working = read.catching[Color::White]
            .iter()
            .filter(|&p| board.liberty_points(target).contains(&p));
        assert_eq!(working.count() as u32, count, "breaker at {place}");
        assert_eq!(
            read.caught.contains(target),
            count > 0,
            "breaker at {place}"
        );
    }
}

/// The ladder rules without any shortcut, ordering or limit but one on the number of moves.
struct NaiveReader {
    target: Place,
    plays: usize,
}

impl NaiveReader {
    const MAX_PLAYS: usize = 3000;

    /// None if the move is against the rules of ladder reading.
    fn played(
        grid: &Grid,
        ko: Option<Place>,
        place: Place,
        stone: char,
    ) -> Option<(Grid, Option<Place>)> {
        if grid.at(place) != '.' || ko == Some(place) || grid.suicide_len(place, stone) > 0 {
            return None;
        }
        let (after, _, ko) = grid.after(place, stone);
        Some((after, ko))
    }

    fn attackers_in_atari(&self, grid: &Grid) -> BTreeSet<Place> {
        let attacker = other(grid.at(self.target));
        let near = grid.touching(&grid.chain(self.target), attacker);
        near.into_iter()
            .filter(|&stone| grid.liberties(stone).len() == 1)
            .collect()
    }

    fn is_captured_on_defence(&mut self, grid: &Grid, ko: Option<Place>) -> bool {
        self.plays += 1;
        let liberties = grid.liberties(self.target);
        if liberties.len() >= 2 || ko.is_some() || self.plays > Self::MAX_PLAYS {
            return false;
        }
        let mut moves = liberties;
        for stone in self.attackers_in_atari(grid) {
            moves.extend(grid.liberties(stone));
        }
        let defender = grid.at(self.target);
        !moves.into_iter().any(|place| {
            Self::played(grid, ko, place, defender)
                .is_some_and(|(after, ko)| !self.is_captured_on_attack(&after, ko))
        })
    }

    fn is_captured_on_attack(&mut self, grid: &Grid, ko: Option<Place>) -> bool {
        self.plays += 1;
        let liberties = grid.liberties(self.target);
        if liberties.len() >= 3 || self.plays > Self::MAX_PLAYS {
            return false;
        }
        if liberties.len() <= 1 || self.is_double_ko_death(grid, &liberties) {
            return true;
        }
        let attacker = other(grid.at(self.target));
        liberties.into_iter().any(|place| {
            Self::played(grid, ko, place, attacker)
                .is_some_and(|(after, ko)| self.is_captured_on_defence(&after, ko))
        })
    }

    fn is_double_ko_death(&self, grid: &Grid, liberties: &BTreeSet<Place>) -> bool {
        let defender = grid.at(self.target);
        let all = |holds: &dyn Fn(Place) -> bool| liberties.iter().all(|&place| holds(place));
        let is_ko = |place: Place| {
            let around = grid.around(place);
            let weak: Vec<_> = around
                .iter()
                .filter(|&&n| grid.liberties(n).len() == 1)
                .collect();
            around.iter().all(|&n| grid.at(n) == defender)
                && weak.len() == 1
                && grid.chain(*weak[0]).len() == 1
        };
        let gains = |place: Place| {
            let (after, ..) = grid.after(place, defender);
            after.liberties(self.target).len()
        };
        all(&|place| grid.touching(&BTreeSet::from([place]), '.').is_empty())
            && all(&is_ko)
            && all(&|place| gains(place) <= 2)
            && self.attackers_in_atari(grid).is_empty()
    }
}

/// Whether the stone is caught and by which moves; None if reading it takes too long.
fn naive_answer(grid: &Grid, ko: Option<Place>, target: Place) -> Option<(bool, Vec<Place>)> {
    let liberties = grid.liberties(target);
    let mut reader = NaiveReader { target, plays: 0 };
    let attacker = other(grid.at(target));
    let mut working = Vec::new();
    let mut is_caught = false;
    match liberties.len() {
        1 => is_caught = reader.is_captured_on_defence(grid, None),
        2 => {
            for place in liberties {
                let after = NaiveReader::played(grid, ko, place, attacker);
                if after.is_some_and(|(after, _)| {
                    after.liberties(target).len() == 1
                        && reader.is_captured_on_defence(&after, None)
                }) {
                    working.push(place);
                }
            }
            is_caught = !working.is_empty();
        }
        _ => {}
    }
    (reader.plays <= NaiveReader::MAX_PLAYS).then_some((is_caught, working))
}

#[test]
fn random_boards_are_read_as_by_the_naive_reader() {
    let mut rng = ChaCha8Rng::seed_from_u64(14);
    let (mut caught, mut escaped, mut with_ko) = (0, 0, 0);
    for round in 0..3000 {
        let sides = [0, 0].map(|_| rng.random_range(3..=8));
        let size = BoardSize::new(sides[0], sides[1]).expect("in range");
        let mut position = Position::new(size, Rules::TROMP_TAYLOR, Komi::default());
        let least = rng.random_range(size.area() / 3..2 * size.area());
        // Every other board is one with a ko.
        while position.turn() < least
            || round % 2 == 0 && position.ko().is_none() && position.turn() < 10 * size.area()
        {
            let moves: Vec<_> = position.legal_moves().collect();
            position.play(moves[rng.random_range(0..moves.len().max(2) - 1)]);
        }
        let board = position.board();
        let grid = Grid::of(board);
        let ko = board.ko().map(|point| grid.place_of(point));
        let read = ladders(board);
        assert_eq!(caught_in_ladders(board), read.caught);
        with_ko += usize::from(ko.is_some());
        let mut catching = BTreeSet::new();
        let mut is_complete = true;
        for stone in board.points().filter(|&p| board.color_at(p).is_some()) {
            let color = board.color_at(stone).expect("a stone");
            let Some((expected, moves)) = naive_answer(&grid, ko, grid.place_of(stone)) else {
                is_complete = false;
                continue;
            };
            assert_eq!(
                read.caught.contains(stone),
                expected,
                "{stone} at {}",
                grid.text()
            );
            let liberties = board.liberties(stone);
            caught += usize::from(expected);
            escaped += usize::from(!expected && liberties <= 2);
            catching.extend(
                moves
                    .iter()
                    .map(|&place| (letter(color), grid.point_of(place))),
            );
        }
        for color in Color::BOTH {
            for mv in read.catching[color].iter().filter(|_| is_complete) {
                assert!(
                    catching.remove(&(letter(color), mv)),
                    "{mv} at {}",
                    grid.text()
                );
            }
        }
        assert!(
            !is_complete || catching.is_empty(),
            "{catching:?} at {}",
            grid.text()
        );
    }
    println!("{caught} stones caught, {escaped} not, {with_ko} boards with a ko");
    assert!(caught > 5000 && escaped > 5000 && with_ko > 500);
}
