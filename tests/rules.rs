//! The rules of Go on diagrams: captures, ko, superko, suicide, the end of the game, scores.

use keima::go::area::{AreaMap, AreaParts, SekiParts, area, independent_life};
use keima::go::{Board, Color, diagram};

fn board(text: &str) -> Board {
    diagram::parse(text).expect("a diagram")
}

fn picture(board: &Board, map: &AreaMap) -> String {
    diagram::rows(board.size(), |point| match map.owner(point) {
        Some(Color::Black) => 'X',
        Some(Color::White) => 'O',
        None => '.',
    })
}

#[test]
fn pass_alive_chains_depend_on_suicide() {
    let corner = board(".OO/OO./X.X");
    for (parts, suicide, expected) in [
        (AreaParts::ALL, true, "OOO/OO./X.X"),
        (AreaParts::ALL, false, "OOO/OOO/OOO"),
        (AreaParts::CERTAIN, true, ".../.../..."),
        (AreaParts::CERTAIN, false, "OOO/OOO/OOO"),
    ] {
        let map = area(&corner, parts, suicide);
        assert_eq!(picture(&corner, &map), expected, "{parts:?} {suicide}");
    }
}

#[test]
fn seki_is_left_out_of_independent_life() {
    let seki = board(".X.XO.O/XX.XO.O/X.XXOOO/XXXOOXX/OOOO.X.");
    let all = area(&seki, AreaParts::ALL, true);
    assert_eq!(
        picture(&seki, &all),
        "XXXXOOO/XXXXOOO/XXXXOOO/XXXOOXX/OOOO.XX"
    );
    let safe = AreaParts {
        stones: false,
        safe_big: true,
        unsafe_big: false,
    };
    let map = area(&seki, safe, true);
    assert_eq!(
        picture(&seki, &map),
        "XXXX.../XXXX.../XXXX.../XXX..../......."
    );
    for (territories, stones, expected) in [
        (false, false, "XXXX.../XXXX.../XXXX.../XXX..../......."),
        (false, true, "XXXXO.O/XXXXO.O/XXXXOOO/XXXOOXX/OOOO.X."),
        (true, false, "XXXX.O./XXXX.O./XXXX.../XXX..../......X"),
    ] {
        let life = independent_life(
            &seki,
            SekiParts {
                territories,
                stones,
            },
            true,
        );
        assert_eq!(picture(&seki, &life.map), expected);
        assert_eq!(
            life.lives[Color::White] as i32 - life.lives[Color::Black] as i32,
            -1
        );
    }
}
