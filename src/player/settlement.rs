//! The end of a game between people, or a person and a program: stones that are called dead, the count
//! explained, the result as a sentence.

use anyhow::{Result, ensure};

use crate::go::count::Count;
use crate::go::score::Score;
use crate::go::{Board, Color, GameResult, Point, PointSet, Position, Scoring, WonBy};

/// A color at the beginning of a sentence.
pub fn name(color: Color) -> &'static str {
    match color {
        Color::Black => "Black",
        Color::White => "White",
    }
}

/// The dead stones after the chains of these stones have been called dead, or alive if they were dead.
pub fn with_changed_chains(board: &Board, dead: &PointSet, points: &[Point]) -> Result<PointSet> {
    let mut dead = *dead;
    for &point in points {
        let is_stone = board.contains(point) && board.color_at(point).is_some();
        ensure!(is_stone, "there is no stone on {point}");
        let was_dead = dead.contains(point);
        for stone in board.chain(point) {
            match was_dead {
                true => dead.remove(stone),
                false => dead.insert(stone),
            };
        }
    }
    Ok(dead)
}

/// How a color's points come about. What the rules add or take off besides makes up the rest.
pub fn account(position: &Position, count: &Count, total: Score, color: Color) -> String {
    let mut parts = match position.rules().scoring {
        Scoring::Area => vec![
            (count.stones[color] as f32, "stones"),
            (count.territory[color] as f32, "surrounded"),
        ],
        Scoring::Territory => vec![
            (count.territory[color] as f32, "territory"),
            (position.board().captures(!color) as f32, "prisoners"),
            (count.dead[!color] as f32, "dead stones taken"),
        ],
    };
    if color == Color::White {
        parts.push((position.komi().points(), "komi"));
    }
    let total = total.half(color) as f32 / 2.0;
    let rest = total - parts.iter().map(|part| part.0).sum::<f32>();
    if rest != 0.0 {
        parts.push((rest, "by the rules for handicap, groups or button"));
    }
    let parts: Vec<String> = parts
        .iter()
        .map(|(points, what)| format!("{points} ({what})"))
        .collect();
    format!("{}: {} = {total}", name(color), parts.join(" + "))
}

/// A result as a sentence.
pub fn in_words(result: GameResult) -> String {
    let how = |by| match by {
        WonBy::Points(1.0) => " by 1 point".to_owned(),
        WonBy::Points(points) => format!(" by {points} points"),
        WonBy::Resignation => " by resignation".to_owned(),
        WonBy::Time => " on time".to_owned(),
        WonBy::Forfeit => " by forfeit".to_owned(),
        WonBy::Unstated => String::new(),
    };
    match result {
        GameResult::Win(winner, by) => format!("{} wins{} ({result})", name(winner), how(by)),
        GameResult::Draw => "the game is a draw (0)".to_owned(),
        GameResult::Void => "the game has no result: the position repeats itself".to_owned(),
        GameResult::Unknown => "the result is not known".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::score::score;
    use crate::go::{Komi, Rules, diagram};

    fn accounts(rules: Rules, dead: &[&str]) -> Vec<String> {
        let board = diagram::parse(".X.O./.X.O./XXXOO/OX.O./.X.OX").unwrap();
        let komi = Komi::from_points(0.5).unwrap();
        let position = Position::from_board(board, Color::Black, rules, komi);
        let dead: PointSet = dead
            .iter()
            .map(|name| name.parse::<Point>().unwrap())
            .collect();
        let (count, total) = (Count::of(&position, &dead), score(&position, &dead));
        Color::BOTH
            .map(|color| account(&position, &count, total, color))
            .to_vec()
    }

    #[test]
    fn area_is_stones_and_surrounded_points() {
        let told = accounts(Rules::CHINESE, &["A2", "E1"]);
        assert_eq!(told[0], "Black: 7 (stones) + 4 (surrounded) = 11");
        assert_eq!(
            told[1],
            "White: 6 (stones) + 4 (surrounded) + 0.5 (komi) = 10.5"
        );
    }

    #[test]
    fn territory_counts_dead_stones_twice() {
        let told = accounts(Rules::JAPANESE, &["A2", "E1"]);
        let black = "4 (territory) + 0 (prisoners) + 1 (dead stones taken) = 5";
        assert!(told[0].starts_with(&format!("Black: {black}")), "{told:?}");
    }

    #[test]
    fn results_are_told_in_words() {
        let told = |lead| in_words(GameResult::from_lead(lead));
        assert_eq!(told(-3.5), "White wins by 3.5 points (W+3.5)");
        assert_eq!(told(1.0), "Black wins by 1 point (B+1)");
        assert_eq!(told(0.0), "the game is a draw (0)");
    }
}
