//! Positions whose status is known.

use super::{Extras, Problem, Side, Status, solve};
use crate::go::{Board, Point, PointSet, diagram};

const ALIVE: Status = Status::Alive;
const DEAD: Status = Status::Dead;
const SEKI: Status = Status::Seki;
/// A ko for which the attacker needs the first threat.
const KO_ATTACKER: Status = Status::Ko {
    first_threat: Some(Side::Attacker),
};
/// A ko for which the defender needs the first threat.
const KO_DEFENDER: Status = Status::Ko {
    first_threat: Some(Side::Defender),
};

/// A position: its name, rows from the top left corner, the status if the attacker moves first and if
/// the defender does, and the only good first move of each, if there is only one that matters. The
/// target is all of Black's stones.
struct Known {
    name: &'static str,
    rows: &'static str,
    statuses: [Status; 2],
    vital: &'static str,
}

const fn known(
    name: &'static str,
    rows: &'static str,
    statuses: [Status; 2],
    vital: &'static str,
) -> Known {
    Known {
        name,
        rows,
        statuses,
        vital,
    }
}

const UNSETTLED: [Status; 2] = [DEAD, ALIVE];
const LIVES: [Status; 2] = [ALIVE, ALIVE];
const DIES: [Status; 2] = [DEAD, DEAD];

const TABLE: &[Known] = &[
    // Eye spaces.
    known("two eyes", ".X.XO/XXXXO/OOOOO", LIVES, ""),
    known("one point", ".XO/XXO/OOO", DIES, ""),
    known("two points", "..XO/XXXO/OOOO", DIES, ""),
    known("straight three", "...XO/XXXXO/OOOOO", UNSETTLED, "B9"),
    known("bent three", "..XO/.XXO/XXOO/OOO", UNSETTLED, "A9"),
    known("straight four", "....XO/XXXXXO/OOOOOO", LIVES, ""),
    known(
        "bent four at the side",
        "OX...XO/OX.XXXO/OXXXOOO/OOOOO",
        LIVES,
        "",
    ),
    known("square four", "..XO/..XO/XXXO/OOOO", DIES, ""),
    known(
        "pyramid four",
        "OX...XO/OXX.XXO/OOXXXOO/.OOOOO.",
        UNSETTLED,
        "D9",
    ),
    known(
        "bulky five",
        "OX..XXO/OX...XO/OXXXXXO/OOOOOOO",
        UNSETTLED,
        "D8",
    ),
    known(
        "crossed five",
        "OXX.XXO/OX...XO/OXX.XXO/OOXXXOO/.OOOOO.",
        UNSETTLED,
        "D8",
    ),
    known("straight five", ".....XO/XXXXXXO/OOOOOOO", LIVES, ""),
    known(
        "rabbity six",
        "OX..XXO/OX...XO/OXX.XXO/OOXXXOO/.OOOOO.",
        UNSETTLED,
        "D8",
    ),
    known(
        "six points at the side",
        "OX...XO/OX...XO/OXXXXXO/OOOOOOO",
        LIVES,
        "",
    ),
    known(
        "six points in the corner, no liberties",
        "...XO/...XO/XXXXO/OOOOO",
        UNSETTLED,
        "",
    ),
    known(
        "six points in the corner, one liberty",
        "...XO/...XO/XXXX./OOOOO",
        [KO_ATTACKER, ALIVE],
        "",
    ),
    known(
        "six points in the corner, two liberties",
        "...XO/...XO/XXXX./OOOO./....O",
        LIVES,
        "",
    ),
    known(
        "three points, one taken",
        "..OXO/XXXXO/OOOOO",
        UNSETTLED,
        "B9",
    ),
    known("square four, one taken", "O.XO/..XO/XXXO/OOOO", DIES, ""),
    known(
        "bulky five, one taken",
        "OX..XXO/OX.O.XO/OXXXXXO/OOOOOOO",
        DIES,
        "",
    ),
    // Rows of stones on the second line; a first move at the edge of the row makes a ko.
    known(
        "four in the corner",
        "......../XXXXO.../OOOOO...",
        [DEAD, KO_DEFENDER],
        "",
    ),
    known(
        "five in the corner",
        "......../XXXXXO../OOOOOO..",
        [KO_DEFENDER, ALIVE],
        "",
    ),
    known(
        "six in the corner",
        "........./XXXXXXO../OOOOOOO..",
        LIVES,
        "",
    ),
    known(
        "six at the side",
        "............./..OXXXXXXO.../..OOOOOOOO...",
        [KO_DEFENDER; 2],
        "",
    ),
    known(
        "seven at the side",
        "............./..OXXXXXXXO../..OOOOOOOOO..",
        [KO_DEFENDER, ALIVE],
        "",
    ),
    known(
        "eight at the side",
        "............./.OXXXXXXXXO../.OOOOOOOOOO..",
        LIVES,
        "",
    ),
    // Corner groups.
    known(
        "L group",
        "....../..XO../XXXO../OOOO..",
        [DEAD, KO_DEFENDER],
        "",
    ),
    known("door group", "....../XX.XO./OOXXO./.OOOO.", UNSETTLED, ""),
    known("long L group", "....../...XO./XXXXO./OOOOO.", UNSETTLED, ""),
    // Kos.
    known(
        "a ko for the second eye",
        ".X.XO/XXXOO/OOOO.",
        [KO_DEFENDER; 2],
        "",
    ),
    known(
        "bent four in the corner",
        "OOO.XO/.XXXXO/XXOOOO/OOO",
        [KO_DEFENDER; 2],
        "",
    ),
    // Sekis.
    known(
        "three inside, two shared liberties",
        ".OOO.XO/XXXXXXO/OOOOOOO",
        [SEKI; 2],
        "",
    ),
    known(
        "three inside, a liberty outside",
        ".OOO.XO/XXXXXX./OOOOOO.",
        [SEKI, ALIVE],
        "",
    ),
    // Liberties.
    known(
        "captures two to live",
        ".XOO.O/XXXXXO/OOOOOO",
        [DEAD, ALIVE],
        "E9",
    ),
    known(
        "a false eye",
        ".X.OX.O/XXXXOXO/OOOOOOO",
        [DEAD, KO_DEFENDER],
        "",
    ),
];

/// The board of 13 by 13 with the rows at its top left; or of 9 by 9, if they fit.
fn board(rows: &str) -> Board {
    let lines: Vec<&str> = rows.split('/').collect();
    let longest = lines.iter().map(|line| line.len()).max().unwrap_or(0);
    let size = if longest.max(lines.len()) > 9 { 13 } else { 9 };
    let mut text = String::new();
    for row in 0..size {
        let line = lines.get(row).copied().unwrap_or("");
        text.push_str(&format!("{line:.<size$}/"));
    }
    diagram::parse(&text).expect("a diagram")
}

fn stones(board: &Board) -> PointSet {
    board.stones_of(crate::go::Color::Black)
}

#[test]
fn known_positions_have_their_status() {
    let mut wrong = Vec::new();
    for known in TABLE {
        let board = board(known.rows);
        for (first, expected) in [Side::Attacker, Side::Defender]
            .into_iter()
            .zip(known.statuses)
        {
            let problem = Problem {
                board: &board,
                target: stones(&board),
                region: None,
                nodes: 1_000_000,
                memory: 1 << 18,
            };
            let solution = solve(&problem, first, Extras::default()).expect("a problem");
            let outcome = solution.outcome;
            let best = outcome.best.and_then(|best| best.point());
            let vital: Option<Point> = known.vital.parse().ok();
            if outcome.status != expected || vital.is_some() && best != vital {
                wrong.push(format!(
                    "{}, {first:?} first: {outcome:?} instead of {expected:?} {vital:?}",
                    known.name
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
