//! Cache keys of positions: they include everything that a network can see and that may be played.

use keima::go::rules::{HandicapBonus, KoRule, Scoring};
use keima::go::{BoardSize, Color, Komi, Move, Position, Rules, Tax, diagram};

fn after(rules: Rules, komi_half: i32, moves: &str) -> Position {
    let komi = Komi::from_half(komi_half);
    let mut position = Position::new(BoardSize::square(9), rules, komi);
    play(&mut position, moves);
    position
}

fn play(position: &mut Position, moves: &str) {
    for mv in moves.split_whitespace() {
        position.play(mv.parse().unwrap());
    }
}

fn key(rules: Rules, komi_half: i32, moves: &str) -> u128 {
    after(rules, komi_half, moves).key()
}

const PLAIN: Rules = Rules::TROMP_TAYLOR;

#[test]
fn every_rule_changes_key() {
    let others = [
        Rules {
            ko: KoRule::Simple,
            ..PLAIN
        },
        Rules {
            ko: KoRule::Situational,
            ..PLAIN
        },
        Rules {
            scoring: Scoring::Territory,
            ..PLAIN
        },
        Rules {
            tax: Tax::Seki,
            ..PLAIN
        },
        Rules {
            tax: Tax::All,
            ..PLAIN
        },
        Rules {
            suicide: false,
            ..PLAIN
        },
        Rules {
            has_button: true,
            ..PLAIN
        },
        Rules {
            handicap_bonus: HandicapBonus::N,
            ..PLAIN
        },
        Rules {
            handicap_bonus: HandicapBonus::NMinusOne,
            ..PLAIN
        },
        Rules {
            friendly_pass_ok: true,
            ..PLAIN
        },
    ];
    let mut keys = vec![key(PLAIN, 13, "E5 C3")];
    keys.extend(others.map(|rules| key(rules, 13, "E5 C3")));
    keys.extend([12, 14, -13, 0].map(|komi| key(PLAIN, komi, "E5 C3")));
    let count = keys.len();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), count);
    assert_eq!(key(PLAIN, 13, "E5 C3"), key(PLAIN, 13, "E5 C3"));
}

/// The same stones by the same player to move; moves differ in their order.
#[test]
fn last_five_moves_change_key_and_earlier_ones_do_not() {
    let moves = "A1 J9 C1 G9 E1 E9 G1 C9 J1 A9";
    let swapped = |first: usize, second: usize| {
        let mut words: Vec<&str> = moves.split(' ').collect();
        words.swap(first, second);
        key(PLAIN, 13, &words.join(" "))
    };
    let plain = key(PLAIN, 13, moves);
    for age in 1..=5 {
        let place = 10 - age;
        assert_ne!(swapped(place, place % 2), plain, "{age} moves ago");
    }
    for (first, second) in [(0, 2), (1, 3), (0, 4), (2, 4)] {
        assert_eq!(swapped(first, second), plain, "moves {first} and {second}");
    }
    assert_ne!(key(PLAIN, 13, "A1 J9 pass"), key(PLAIN, 13, "A1 J9 C1"));
}

#[test]
fn ko_and_superko_bans_change_key() {
    let ko = ".XO../X.XO./.XO../...../.....";
    let send_two = "...../...../...../XXXOO/X.O.O";
    let cases = [
        (ko, Rules::CHINESE, "B4", "C4"),
        (send_two, Rules::TROMP_TAYLOR, "B1 D1", "C1"),
    ];
    for (start, rules, moves, banned) in cases {
        let from = |board| Position::from_board(board, Color::White, rules, Komi::default());
        let mut position = from(diagram::parse(start).unwrap());
        play(&mut position, moves);
        let mut free = from(position.board().clone());
        free.set_to_move(position.to_move());
        let banned = Move::Play(banned.parse().unwrap());
        assert!(!position.is_legal(banned) && free.is_legal(banned));
        assert_ne!(position.key(), free.key());
    }
}

/// After passes that ended the game and its resumption the moves before are not shown any more.
#[test]
fn superko_ban_beyond_shown_history_changes_key() {
    let start = "...../...../...../XXXOO/X.O.O";
    let board = diagram::parse(start).unwrap();
    let rules = Rules::TROMP_TAYLOR;
    let mut position = Position::from_board(board, Color::White, rules, Komi::default());
    play(&mut position, "B1 D1");
    let board = position.board().clone();
    let mut free = Position::from_board(board, Color::White, rules, Komi::default());
    for position in [&mut position, &mut free] {
        play(position, "pass pass");
        position.resume();
    }
    let banned = Move::Play("C1".parse().unwrap());
    assert!(!position.is_legal(banned) && free.is_legal(banned));
    assert_ne!(position.key(), free.key());
    // Elsewhere both may be played on alike.
    for position in [&mut position, &mut free] {
        play(position, "E5");
    }
    assert_eq!(position.superko_banned(), free.superko_banned());
    assert_eq!(position.key(), free.key());
}

#[test]
fn encore_state_changes_key() {
    let territory = Rules::JAPANESE;
    let encore = |allowed: bool, moves: &str| {
        let mut position = after(territory, 13, "");
        position.allow_encore(allowed);
        play(&mut position, moves);
        position
    };
    assert_ne!(encore(true, "").key(), encore(false, "").key());
    let moves = "E5 C3 pass pass";
    let first = encore(true, moves);
    assert_eq!(first.phase(), 1);
    let second = encore(true, &format!("{moves} pass pass"));
    assert_eq!(second.phase(), 2);
    let keys = [
        encore(true, "E5 C3").key(),
        encore(true, "E5 C3 pass").key(),
        first.key(),
        encore(true, &format!("{moves} pass")).key(),
        second.key(),
    ];
    for (place, key) in keys.iter().enumerate() {
        assert!(!keys[..place].contains(key), "{place}");
    }
    assert!(matches!(first.moves().last(), Some((_, Move::Pass))));
}
