//! The rules, by counts of plays and corner cases.

use keima::games::backgammon::board::Board;
use keima::games::backgammon::plays::{Dice, plays as generate, rolls};
use keima::games::backgammon::position::{Counts, perft};
use keima::games::backgammon::{BackgammonPosition, Stakes};
use keima::minimax::chance::{Chance, Node};
use keima::search::Side;

use super::{plays, position};

#[test]
fn counts_from_the_start_are_known() {
    let start = Board::start();
    let counts = |distinct, weighted| Counts { distinct, weighted };
    assert_eq!(perft(&start, 1), counts(447, 637));
    assert_eq!(perft(&start, 2), counts(202_782, 419_783));
}

#[test]
#[ignore = "takes some seconds"]
fn counts_of_three_rolls_are_known() {
    let found = perft(&Board::start(), 3);
    let expected = Counts {
        distinct: 116_154_993,
        weighted: 346_692_108,
    };
    assert_eq!(found, expected);
}

#[test]
fn plays_of_each_opening_roll_are_known() {
    let known = "21:15 31:16 41:14 51:8 61:10 32:17 42:18 52:8 62:14 43:17 53:9 63:14 54:9 64:14 65:7 11:42 22:75 33:73 \
                 44:52 55:4 66:11";
    for word in known.split(' ') {
        let (dice, count) = word.split_once(':').unwrap();
        let dice: Vec<u8> = dice.bytes().map(|digit| digit - b'0').collect();
        let mut list = Vec::new();
        generate(&Board::start(), Dice::new(dice[0], dice[1]), &mut list);
        assert_eq!(list.len().to_string(), count, "{word}");
    }
}

#[test]
fn probabilities_of_rolls_sum_up_to_1() {
    let sum: f64 = rolls().map(Dice::probability).sum();
    assert_eq!(rolls().count(), 21);
    assert!((sum - 1.0).abs() < 1e-12);
}

#[test]
fn a_race_begins_when_the_rear_men_have_passed_each_other() {
    let board = |own, other| position(&[(own, 1)], &[(other, 1)], [2, 1]).board;
    // On neighboring points; 25 in all is the same point.
    for own in [1, 12, 13, 23] {
        assert!(board(own, 24 - own).is_race(), "{own}");
        assert!(!board(own, 26 - own).is_race(), "{own}");
    }
    assert!(!board(25, 1).is_race() && !board(1, 25).is_race());
}

#[test]
fn both_dice_are_played_if_that_is_possible() {
    // 3/1 would leave no 5.
    let both = position(&[(13, 1), (3, 1)], &[(17, 2)], [5, 2]);
    assert_eq!(plays(&both), ["13/6"]);
}

#[test]
fn larger_die_is_played_if_only_one_can_be() {
    // Either die alone can be played from 24, neither after the other.
    let either = position(&[(24, 1)], &[(12, 2)], [6, 5]);
    assert_eq!(plays(&either), ["24/18"]);
    let smaller = position(&[(24, 1)], &[(12, 2), (7, 2)], [6, 5]);
    assert_eq!(plays(&smaller), ["24/19"]);
}

#[test]
fn men_on_the_bar_come_in_first() {
    let closed: Vec<(usize, u8)> = (1..=6).map(|point| (point, 2)).collect();
    let shut_out = position(&[(25, 1), (6, 3)], &closed, [6, 3]);
    assert_eq!(plays(&shut_out), ["pass"]);
    let one = position(&[(25, 2), (6, 3)], &closed[1..], [6, 1]);
    assert_eq!(plays(&one), ["bar/24"]);
    let free = position(&[(25, 1), (6, 1)], &[(12, 2)], [2, 1]);
    assert_eq!(plays(&free), ["bar/22", "bar/23 6/5", "bar/24 6/4"]);
}

#[test]
fn men_are_borne_off_by_larger_dice_from_the_rear_only() {
    let home = position(&[(4, 1), (2, 1)], &[(1, 1)], [6, 1]);
    assert_eq!(plays(&home), ["4/off", "4/off 2/1"]);
    let exact = position(&[(5, 1), (3, 1)], &[(1, 1)], [3, 1]);
    assert_eq!(plays(&exact), ["5/1", "5/2 3/2", "5/4 3/off"]);
    let outside = position(&[(7, 1), (1, 2)], &[(1, 1)], [2, 1]);
    // With a man outside the home board nothing is borne off, until it is in.
    assert_eq!(plays(&outside), ["7/4", "7/5 1/off"]);
}

#[test]
fn doubles_are_played_four_times() {
    let four = position(&[(24, 4)], &[(1, 1)], [2, 2]);
    assert_eq!(
        plays(&four),
        [
            "24/16",
            "24/18 24/22",
            "24/20 24/22(2)",
            "24/20(2)",
            "24/22(4)"
        ]
    );
    let stopped = position(&[(24, 1)], &[(9, 2)], [4, 4]);
    assert_eq!(plays(&stopped), ["24/20"]);
}

#[test]
fn gammons_and_backgammons_count_more() {
    let won = |other: &[(usize, u8)], stakes| {
        let last = position(&[(1, 1)], other, [6, 5]);
        let last = BackgammonPosition { stakes, ..last };
        let after = last.after(&last.plays()[0]);
        (after.points_won().unwrap(), after.node())
    };
    let points = |other: &[(usize, u8)]| won(other, Stakes::Points);
    assert_eq!(points(&[(1, 14)]), (1, Node::Over(1.0)));
    assert_eq!(points(&[(1, 15)]), (2, Node::Over(2.0)));
    assert_eq!(points(&[(1, 14), (19, 1)]), (3, Node::Over(3.0)));
    assert_eq!(points(&[(1, 14), (25, 1)]), (3, Node::Over(3.0)));
    assert_eq!(points(&[(1, 14), (18, 1)]), (2, Node::Over(2.0)));
    assert_eq!(won(&[(1, 15)], Stakes::OnePoint), (2, Node::Over(1.0)));
}

#[test]
fn equal_results_are_one_play() {
    let start = BackgammonPosition::start(Stakes::OnePoint);
    for dice in rolls() {
        let plays = start.rolled(dice).plays();
        for (index, play) in plays.iter().enumerate() {
            assert!(plays[..index].iter().all(|other| other.after != play.after));
        }
    }
}

#[test]
fn keys_tell_positions_sides_and_dice_apart() {
    let start = BackgammonPosition::start(Stakes::OnePoint);
    let other = BackgammonPosition {
        turn: Side::Second,
        ..start
    };
    let mut positions: Vec<_> = rolls().map(|dice| start.rolled(dice)).collect();
    positions.extend([start, other]);
    for dice in rolls() {
        let rolled = start.rolled(dice);
        positions.extend(rolled.plays().iter().map(|play| rolled.after(play)));
    }
    assert!(positions.len() > 200, "{} positions", positions.len());
    for (index, one) in positions.iter().enumerate() {
        for another in &positions[..index] {
            // Some plays of different rolls lead to the same position.
            let same = one == another;
            assert_eq!(one.key() == another.key(), same, "{one:?}, {another:?}");
        }
    }
}
