//! The count with known dead stones, on boards: seki, false eyes, chains joined through dame, teire.
//!
//! Every board is counted in its eight orientations and with colors exchanged. Dead stones are in
//! lower case.

use keima::go::count::Count;
use keima::go::score::score;
use keima::go::{Board, Color, Komi, PointSet, Position, Rules, Scoring, Tax, diagram};

/// What a board comes to: Black's lead by territory, by area, and as it stands with no stone dead; the
/// number of stones in seki, and of points that Black and White must fill.
struct Case {
    name: &'static str,
    picture: &'static str,
    territory: i32,
    area: i32,
    as_it_stands: i32,
    seki: usize,
    teire: [usize; 2],
}

const CASES: &[Case] = &[
    Case {
        name: "one-eyed chain joined to a living group through two dame",
        picture: "........./........./..OOOOO../..OXXXO../OOOX.XO../XX.XXXO../.XX.OOO../XXXOO..../..XO.....",
        territory: -37,
        area: -39,
        as_it_stands: -39,
        seki: 0,
        teire: [0, 0],
    },
    Case {
        name: "the same with one of the dame filled by White, the other by Black",
        picture: "........./........./..OOOOO../..OXXXO../OOOX.XO../XXOXXXO../.XXXOOO../XXXOO..../..XO.....",
        territory: -37,
        area: -39,
        as_it_stands: -39,
        seki: 0,
        teire: [0, 0],
    },
    Case {
        name: "the same with one of the dame filled",
        picture: "........./........./..OOOOO../..OXXXO../OOOX.XO../XX.XXXO../.XXXOOO../XXXOO..../..XO.....",
        territory: -37,
        area: -38,
        as_it_stands: -38,
        seki: 0,
        teire: [0, 0],
    },
    Case {
        name: "one-eyed chain joined at any of three dame",
        picture: ".X.XO..../XXXXO..../O...O..../OXXXO..../OX.XO..../OXXXO..../OOOOO....",
        territory: -25,
        area: -26,
        as_it_stands: -26,
        seki: 0,
        teire: [0, 0],
    },
    Case {
        name: "seki without eyes",
        picture: ".OXX.OOX./.OXX.OOX./.OXXXOOX./.OOOOXXX./....OX...",
        territory: -1,
        area: -1,
        as_it_stands: -1,
        seki: 13,
        teire: [0, 0],
    },
    Case {
        name: "seki around three stones in the corner",
        picture: ".....OX../.....OXXX/.....OXX./.....OXX./......OX./......OX./OOOOOOOX./XXXXXXOX./.OOO.XOX.",
        territory: -23,
        area: -21,
        as_it_stands: -21,
        seki: 10,
        teire: [0, 0],
    },
    Case {
        name: "seki with an eye each",
        picture: "XXO.O.X.XOO/XXOOOOXXXOO/XXXXXXOOOOO/.X.XXXOO.O.",
        territory: 0,
        area: 1,
        as_it_stands: 1,
        seki: 11,
        teire: [0, 0],
    },
    Case {
        name: "seki with eyes of two points",
        picture: "XXO..O.X..XOO/XXOOOOOXXXXOO/XXXXXXXOOOOOO/.X.XXXXOO.O.O",
        territory: 0,
        area: 1,
        as_it_stands: 1,
        seki: 13,
        teire: [0, 0],
    },
    Case {
        name: "a dead stone in an eye of a seki stays where it is",
        picture: "XXO.xO.X..XOO/XXOOOOOXXXXOO/XXXXXXXOOOOOO/.X.XXXXOO.O.O",
        territory: 0,
        area: 1,
        as_it_stands: 4,
        seki: 13,
        teire: [0, 0],
    },
    Case {
        name: "seki inside a ring",
        picture: "OOOOOO.../OXXXXO.../OX.OXO.../OX.OXO.../OXOOXO.../OX.OXO.../OXXXXO.../OOOOOO...",
        territory: -24,
        area: -37,
        as_it_stands: -37,
        seki: 21,
        teire: [0, 0],
    },
    Case {
        name: "a false eye that need not be filled if its owner takes the dame beside it",
        picture: "XX.XO..../.XX.O..../XX.XO..../XXXXO..../OOOOO....",
        territory: -17,
        area: -14,
        as_it_stands: -14,
        seki: 0,
        teire: [0, 0],
    },
    Case {
        name: "the same eye once the opponent has the dame",
        picture: "XX.XO..../.XXOO..../XX.XO..../XXXXO..../OOOOO....",
        territory: -18,
        area: -15,
        as_it_stands: -15,
        seki: 0,
        teire: [1, 0],
    },
    Case {
        name: "a false eye on the edge, and a stone in atari",
        picture: ".X.XO..../XXXOO..../..XO...../XXXO...../OOOO.....",
        territory: -20,
        area: -19,
        as_it_stands: -19,
        seki: 0,
        teire: [1, 0],
    },
    Case {
        name: "a false eye on the edge beside a dame that connects",
        picture: ".X.X.O.../XXX.OO.../..XOO..../XXXO...../OOOO.....",
        territory: -16,
        area: -17,
        as_it_stands: -17,
        seki: 0,
        teire: [0, 0],
    },
    Case {
        name: "false eyes of a chain with other liberties are no less territory",
        picture: ".XO....../X.XO...../.XXO...../XXOO...../OOO......",
        territory: -23,
        area: -25,
        as_it_stands: -25,
        seki: 0,
        teire: [0, 1],
    },
    Case {
        name: "a half-point ko not yet connected, and a stone in atari",
        picture: ".XXXO..../.X.XOO.../XXX.XO.../..XXOO.../..XO.....",
        territory: -10,
        area: -5,
        as_it_stands: -5,
        seki: 0,
        teire: [1, 1],
    },
    Case {
        name: "two stones that are cut off and taken",
        picture: "...XO..../...XO..../..X.XO.../XXX.XO.../OOOXXO.../..OOOO...",
        territory: -11,
        area: -14,
        as_it_stands: -14,
        seki: 0,
        teire: [0, 1],
    },
    Case {
        name: "a wall with few liberties that loses nothing",
        picture: "..XO...../..XO...../.XXOO..../.X.XO..../XX.XO..../..XXO....",
        territory: -16,
        area: -12,
        as_it_stands: -12,
        seki: 0,
        teire: [0, 0],
    },
    Case {
        name: "prisoners in an eye, taken as they are",
        picture: ".XXXXO.../XooXXO.../Xo.X.O.../XXXXOO.../OOOOO....",
        territory: -8,
        area: -8,
        as_it_stands: -15,
        seki: 0,
        teire: [0, 0],
    },
    Case {
        name: "borders without dame",
        picture: ".X.O./.X.O./.X.O./.X.O./.X.O.",
        territory: 0,
        area: 0,
        as_it_stands: 0,
        seki: 0,
        teire: [0, 0],
    },
];

/// The rows of a picture.
fn rows(picture: &str) -> Vec<Vec<char>> {
    picture
        .split('/')
        .map(|row| row.chars().collect())
        .collect()
}

fn transposed(rows: &[Vec<char>]) -> Vec<Vec<char>> {
    let column = |x: usize| rows.iter().map(|row| row[x]).collect();
    (0..rows[0].len()).map(column).collect()
}

/// The eight orientations of a picture.
fn orientations(picture: &str) -> Vec<Vec<Vec<char>>> {
    let mut all = Vec::new();
    let mut turned = rows(picture);
    for _ in 0..4 {
        turned = transposed(&turned);
        all.push(turned.clone());
        turned.reverse();
        all.push(turned.clone());
    }
    all
}

fn exchanged(symbol: char) -> char {
    match symbol {
        'X' => 'O',
        'O' => 'X',
        'x' => 'o',
        'o' => 'x',
        other => other,
    }
}

/// A board and its dead stones.
fn board_of(rows: &[Vec<char>]) -> (Board, PointSet) {
    let lines = rows.iter().map(|row| row.iter().collect::<String>());
    let board = diagram::parse(&lines.collect::<Vec<_>>().join("/")).unwrap();
    let symbols = board.points().zip(rows.iter().flatten());
    let dead = symbols.filter(|(_, symbol)| matches!(symbol, 'x' | 'o'));
    let dead = dead.map(|(point, _)| point).collect();
    (board, dead)
}

fn check(case: &Case, rows: &[Vec<char>], sign: i32) {
    let (board, dead) = board_of(rows);
    let name = case.name;
    let lead = |rules: Rules, dead: &PointSet| {
        let position = Position::from_board(board.clone(), Color::Black, rules, Komi::default());
        sign * score(&position, dead).lead_half_for(Color::Black)
    };
    // Japanese and Korean rules are one set, and so are Chinese ones, AGA's and Ing's where no handicap is given.
    for (rules, expected) in [
        ("japanese", case.territory),
        ("korean", case.territory),
        ("chinese", case.area),
        ("aga", case.area),
        ("ing", case.area),
    ] {
        let rules = Rules::named(rules).unwrap();
        assert_eq!(lead(rules, &dead), 2 * expected, "{name}: {rules:?}");
    }
    let as_it_stands = lead(Rules::TROMP_TAYLOR, &PointSet::EMPTY);
    assert_eq!(as_it_stands, 2 * case.as_it_stands, "{name}");
    let count = Count::new(&board, &dead, Scoring::Territory, Tax::Seki);
    assert_eq!(count.seki.len(), case.seki, "{name}: {:?}", count.seki);
    let mut teire = Color::BOTH.map(|color| count.teire[color].len());
    if sign < 0 {
        teire.reverse();
    }
    assert_eq!(teire, case.teire, "{name}: {:?}", count.teire);
}

#[test]
fn boards_count_as_the_rule_texts_have_it() {
    for case in CASES {
        for rows in orientations(case.picture) {
            check(case, &rows, 1);
            let swapped: Vec<Vec<char>> = rows
                .iter()
                .map(|row| row.iter().copied().map(exchanged).collect())
                .collect();
            check(case, &swapped, -1);
        }
    }
}

#[test]
fn gap_in_a_border_costs_no_more_than_its_answer() {
    let open = "...XO..../...XO..../....O..../...XO..../...XO....";
    let (board, dead) = board_of(&rows(open));
    let area = Count::new(&board, &dead, Scoring::Area, Tax::None);
    assert_eq!(
        area.territory[Color::Black],
        0,
        "an area count takes the board as it is"
    );
    let count = Count::new(&board, &dead, Scoring::Territory, Tax::Seki);
    let answers = count.teire[Color::Black].len();
    assert_eq!(count.territory[Color::Black] + answers, 15);
}

#[test]
fn unplayed_boards_have_no_seki() {
    for picture in [
        "...../.X.../...../...O./.....",
        "......./..X.X../......./..O.O../.......",
    ] {
        let (board, dead) = board_of(&rows(picture));
        let count = Count::new(&board, &dead, Scoring::Territory, Tax::Seki);
        assert!(count.seki.is_empty(), "{picture}");
    }
}
