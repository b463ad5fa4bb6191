//! Collections of positions that are not part of the project: `forbidden.jsonl` and `vcf.jsonl` in the folder of the variable
//! `KEIMA_GOMOKU_GOLDENS`.

use std::path::PathBuf;
use std::{env, fs};

use keima::games::gomoku::board::{Board, Point};
use keima::games::gomoku::forbidden::{Forbidden, forbidden};
use keima::games::gomoku::notation::point_at;
use keima::games::gomoku::vcf::{Vcf, solve};
use keima::games::gomoku::{Color, GomokuPosition, Variant};
use serde_json::Value;

use super::variant;
use crate::skipped::skipped;

/// The rows of a collection; None, said plainly, where there is no such file.
fn rows(name: &str) -> Option<Vec<Value>> {
    let Some(folder) = env::var_os("KEIMA_GOMOKU_GOLDENS") else {
        skipped("KEIMA_GOMOKU_GOLDENS names no folder");
        return None;
    };
    let path = PathBuf::from(folder).join(name);
    if !path.exists() {
        skipped(&format!("{} is not there", path.display()));
        return None;
    }
    let text = fs::read_to_string(path).unwrap();
    let rows = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let rows: Vec<Value> = rows.collect();
    assert!(!rows.is_empty());
    Some(rows)
}

/// A list of points, each with what may follow its coordinates.
fn points(variant: Variant, list: &Value) -> Vec<(Point, Option<u64>)> {
    let point = |numbers: &Value| {
        let [x, y] = [0, 1].map(|at| numbers[at].as_u64().unwrap() as usize);
        (point_at(variant, x, y).unwrap(), numbers[2].as_u64())
    };
    list.as_array().unwrap().iter().map(point).collect()
}

#[test]
#[ignore = "needs a collection of positions"]
fn all_forbidden_points_of_a_collection() {
    let Some(rows) = rows("forbidden.jsonl") else {
        return;
    };
    let renju = variant("renju");
    for row in rows {
        // The numbers of stones of both colors need not fit.
        let mut board = Board::new(renju);
        for (name, color) in [("black", Color::Black), ("white", Color::White)] {
            for (point, _) in points(renju, &row[name]) {
                board.place(point, color);
            }
        }
        let number = |why| match why {
            Forbidden::DoubleThree => 1,
            Forbidden::DoubleFour => 2,
            Forbidden::Overline => 3,
        };
        let empty = board.points().filter(|&point| board.at(point).is_none());
        let found = empty
            .filter_map(|point| Some((point, forbidden(&board, point, Color::Black).map(number)?)));
        let found: Vec<(Point, Option<u64>)> =
            found.map(|(point, why)| (point, Some(why))).collect();
        let mut expected = points(renju, &row["forbidden"]);
        expected.sort_unstable();
        assert_eq!(found, expected, "{row}");
    }
}

#[test]
#[ignore = "needs a collection of positions"]
fn all_wins_by_fours_of_a_collection() {
    let Some(rows) = rows("vcf.jsonl") else {
        return;
    };
    let mut sum = 0;
    for row in rows {
        let name = format!("{}-{}", row["rule"].as_str().unwrap(), row["size"]);
        let colors = Color::BOTH.into_iter().cycle();
        let moves = points(variant(&name), &row["moves"]).into_iter();
        let stones: Vec<(Point, Color)> = moves.map(|(point, _)| point).zip(colors).collect();
        let position = GomokuPosition::with_stones(variant(&name), &stones).unwrap();
        let (color, mut board) = (position.color(), position.board().clone());
        let solved = solve(&mut board, color, 100_000);
        let fours = solved.fours(&board, color).map(|fours| fours as u64);
        assert_eq!(fours, row["fours"].as_u64(), "{row}");
        match solved.answer {
            Vcf::Won(_) => {
                assert!(solved.nodes <= 10_000, "{row}");
                sum += solved.nodes;
            }
            answer => assert_eq!(answer, Vcf::Refuted, "{row}"),
        }
    }
    assert!(sum <= 50_000, "{sum}");
}
