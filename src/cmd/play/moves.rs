//! Moves as a person types them, and why one is refused.

use anyhow::{Result, bail};

use crate::go::{IllegalMove, KoRule, Move, Point, Position};

/// The point that a text names, on the board of a position.
pub fn point(text: &str, position: &Position) -> Result<Point> {
    let size = position.size();
    let Ok(point) = text.parse::<Point>() else {
        // Of one letter and a number, this is the only letter that boards lack.
        if text.starts_with(['i', 'I']) {
            bail!("there is no column I: it is left out after H, as on all boards");
        }
        bail!("{text} is not a point of the board, as D4 is");
    };
    if !size.contains(point) {
        bail!("{point} is off the board, which is {size}");
    }
    Ok(point)
}

/// Whether a text has the form of a point, on the board or not: a letter and a number.
pub fn looks_like_point(text: &str) -> bool {
    let mut characters = text.chars();
    let is_letter = characters.next().is_some_and(|it| it.is_ascii_alphabetic());
    let rest = characters.as_str();
    is_letter && !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit())
}

/// Refuses a move of the player to move that is illegal, naming the rule.
pub fn check(position: &Position, mv: Move) -> Result<()> {
    let Err(reason) = position.check(mv) else {
        return Ok(());
    };
    match reason {
        IllegalMove::OffBoard => bail!("{mv} is off the board, which is {}", position.size()),
        IllegalMove::Occupied => bail!("{mv} is occupied: there is a stone already"),
        IllegalMove::Ko => bail!("{mv} takes the ko back at once: play elsewhere first (ko rule)"),
        IllegalMove::Suicide => bail!(
            "{mv} leaves its own stones without liberties: suicide is not allowed under these rules"
        ),
        IllegalMove::Superko => bail!(
            "{mv} repeats an earlier position of the game ({} superko)",
            match position.rules().ko {
                KoRule::Situational => "situational",
                KoRule::Simple | KoRule::Positional => "positional",
            }
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{Color, Komi, Rules, diagram};

    fn refusal(board: &str, rules: Rules, text: &str) -> String {
        let board = diagram::parse(board).unwrap();
        let position = Position::from_board(board, Color::Black, rules, Komi::default());
        let refused = point(text, &position).and_then(|p| check(&position, Move::Play(p)));
        refused.unwrap_err().to_string()
    }

    #[test]
    fn refusals_name_the_rule() {
        let board = ".O.../O..../...../...../X....";
        assert!(refusal(board, Rules::CHINESE, "a1").contains("A1 is occupied"));
        assert!(refusal(board, Rules::CHINESE, "a5").contains("suicide"));
        assert!(refusal(board, Rules::CHINESE, "t19").contains("off the board, which is 5x5"));
        assert!(refusal(board, Rules::CHINESE, "i3").contains("no column I"));
    }

    #[test]
    fn ko_and_superko_are_told_apart() {
        let refusal = |rules| {
            let board = diagram::parse(".XO../X.XO./.XO../...../.....").unwrap();
            let komi = Komi::default();
            let mut position = Position::from_board(board, Color::White, rules, komi);
            position.play(Move::Play("B4".parse().unwrap()));
            check(&position, Move::Play("C4".parse().unwrap()))
                .unwrap_err()
                .to_string()
        };
        assert!(refusal(Rules::CHINESE).contains("ko rule"));
        assert!(refusal(Rules::TROMP_TAYLOR).contains("ko rule"));
    }

    #[test]
    fn a_repeated_position_is_superko() {
        // Both stones die, and the board is that of the start.
        let board = diagram::parse(".O.../.O.../O..../...../.....").unwrap();
        let rules = Rules::TROMP_TAYLOR;
        let mut position = Position::from_board(board, Color::Black, rules, Komi::default());
        position.play(Move::Play("A5".parse().unwrap()));
        position.play(Move::Pass);
        let refused = check(&position, Move::Play("A4".parse().unwrap()));
        let told = refused.unwrap_err().to_string();
        assert!(told.contains("positional superko"), "{told}");
    }

    #[test]
    fn points_have_a_letter_and_a_number() {
        assert!(["d4", "Z99", "i5"].into_iter().all(looks_like_point));
        assert!(
            !["dd", "4", "d", "d4x", ""]
                .into_iter()
                .any(looks_like_point)
        );
    }
}
