//! Laws that hold in every game, on random games over sizes and rule sets, against the naive
//! implementation of `naive`.

use std::collections::{HashSet, VecDeque};

use crate::cases::cases;
use crate::naive::{Grid, NaiveGame, Place, letter, other};
use keima::go::area::{AreaParts, SekiParts, area, independent_life};
use keima::go::count::Count;
use keima::go::score::{score, settled};
use keima::go::{
    Board, BoardSize, Color, GameEnd, HandicapBonus, KoRule, Komi, Ladders, Move, Point, PointSet,
    Position, Rules, Scoring, Symmetry, Tax, diagram, ladders, validate,
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn any_rules() -> impl Strategy<Value = Rules> {
    let ko = prop_oneof![
        Just(KoRule::Simple),
        Just(KoRule::Positional),
        Just(KoRule::Situational)
    ];
    let scoring = prop_oneof![3 => Just(Scoring::Area), 2 => Just(Scoring::Territory)];
    let tax = prop_oneof![Just(Tax::None), Just(Tax::Seki), Just(Tax::All)];
    let bonus = prop_oneof![
        Just(HandicapBonus::Zero),
        Just(HandicapBonus::N),
        Just(HandicapBonus::NMinusOne)
    ];
    (ko, scoring, tax, bonus, any::<[bool; 3]>()).prop_map(|(ko, scoring, tax, bonus, flags)| {
        Rules {
            ko,
            scoring,
            tax,
            suicide: flags[0],
            has_button: flags[1] && scoring == Scoring::Area,
            handicap_bonus: bonus,
            friendly_pass_ok: flags[2],
        }
    })
}

fn any_size(range: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = BoardSize> {
    (range.clone(), range)
        .prop_map(|(width, height)| BoardSize::new(width, height).expect("in range"))
}

/// A legal move at random; a pass with probability 1 in `pass_rarity`, or if there is no other.
fn random_move(position: &Position, rng: &mut ChaCha8Rng, pass_rarity: u32) -> Move {
    let moves: Vec<Move> = position.legal_moves().collect();
    if moves.len() == 1 || rng.random_range(0..pass_rarity) == 0 {
        return Move::Pass;
    }
    moves[rng.random_range(0..moves.len() - 1)]
}

/// A board that random play leads to.
fn random_board(size: BoardSize, seed: u64, moves: usize) -> Board {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut position = Position::new(size, Rules::TROMP_TAYLOR, Komi::default());
    for _ in 0..moves {
        let mv = random_move(&position, &mut rng, 1000);
        position.play(mv);
    }
    position.board().clone()
}

/// Everything a position shows.
#[derive(Debug, PartialEq)]
struct Snapshot {
    board: String,
    legal: Vec<Move>,
    keys: [u128; 3],
    captures: [u32; 2],
    ko: Option<Point>,
    banned: PointSet,
    encore: Option<keima::go::encore::Encore>,
    state: String,
}

fn snapshot(position: &Position) -> Snapshot {
    let board = position.board();
    Snapshot {
        board: diagram::compact(board),
        legal: position.legal_moves().collect(),
        keys: [position.key(), position.situation_key(), board.hash()],
        captures: Color::BOTH.map(|color| board.captures(color)),
        ko: position.ko(),
        banned: position.superko_banned(),
        encore: position.encore().cloned(),
        state: format!(
            "{:?}",
            (
                position.to_move(),
                position.passes(),
                position.phase(),
                position.end(),
                position.has_button(),
                (
                    position.turn(),
                    position.valid_turns(),
                    position.lawful_turns()
                ),
                position.handicap_stones(),
                position.bonus_half(),
                position.self_komi(),
                position.pass_would_end_phase(),
            )
        ),
    }
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn play_and_legality_agree_with_the_naive_game(
        size in any_size(2..=6), rules in any_rules(), seed: u64, moves in 20..150usize,
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut position = Position::new(size, rules, Komi::default());
        let mut naive = NaiveGame::new(position.board(), Color::Black, rules);
        for _ in 0..moves {
            let listed: HashSet<Move> = position.legal_moves().collect();
            for place in naive.grid.places() {
                let mv = Move::Play(naive.grid.point_of(place));
                prop_assert_eq!(listed.contains(&mv), naive.is_legal(place),
                    "{} {} at {}", mv, position.to_move(), naive.grid.text());
            }
            let mv = random_move(&position, &mut rng, 20);
            position.play(mv);
            naive.play(mv);
            prop_assert_eq!(diagram::compact(position.board()), naive.grid.text());
            prop_assert_eq!(position.ko().map(|p| naive.grid.place_of(p)), naive.ko);
            for color in Color::BOTH {
                let captures = position.board().captures(color) as usize;
                prop_assert_eq!(captures, naive.taken[color as usize]);
            }
            prop_assert_eq!(position.is_over().then(|| position.end() == GameEnd::NoResult), naive.over);
            if position.is_over() {
                break;
            }
        }
    }

    #[test]
    fn the_same_rules_again_change_nothing(
        size in any_size(2..=7), rules in any_rules(), seed: u64, moves in 1..100usize, encore: bool,
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut position = Position::new(size, rules, Komi::from_half(13));
        position.allow_encore(encore);
        for _ in 0..moves {
            if rng.random_range(0..20) == 0 {
                position.set_to_move(!position.to_move());
            }
            let mv = random_move(&position, &mut rng, 5);
            let is_turn = rng.random_range(0..10) > 0;
            let color = if is_turn { position.to_move() } else { !position.to_move() };
            // The other color may not have this move; then nothing happens.
            let _ = position.play_reported(color, mv);
        }
        if rng.random_range(0..4) == 0 {
            position.set_to_move(!position.to_move());
        }
        let again = position.with_rules(rules).expect("moves that were played");
        prop_assert_eq!(snapshot(&again), snapshot(&position));
    }

    #[test]
    fn undo_restores_everything(
        size in any_size(2..=7), rules in any_rules(), seed: u64, moves in 10..100usize,
        encore: bool, recorded: bool,
    ) {
        let play = if recorded { Position::play_recorded } else { Position::play_reported };
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut position = Position::new(size, rules, Komi::from_half(13));
        position.allow_encore(encore);
        let mut stages = Vec::new();
        let mut is_record_all = true;
        for _ in 0..moves {
            if rng.random_range(0..10) == 0 {
                position.set_to_move(!position.to_move());
                is_record_all = false;
            }
            if position.is_over() && rng.random_range(0..2) == 0 {
                position.resume();
                is_record_all = false;
            }
            stages.push(snapshot(&position));
            let mut mv = random_move(&position, &mut rng, 5);
            let mut color = position.to_move();
            if rng.random_range(0..10) == 0 {
                color = !color;
            }
            if play(&mut position, color, mv).is_err() {
                mv = Move::Pass;
                play(&mut position, color, mv).expect("a pass is always legal");
            }
            prop_assert_eq!(position.moves().next_back(), Some((color, mv)));
            validate::board(position.board()).map_err(TestCaseError::fail)?;
        }
        let last = snapshot(&position);
        let record: Vec<(Color, Move)> = position.moves().collect();
        while let Some(stage) = stages.pop() {
            prop_assert_eq!(position.undo(), Some(record[stages.len()]));
            prop_assert_eq!(snapshot(&position), stage);
            validate::board(position.board()).map_err(TestCaseError::fail)?;
        }
        prop_assert_eq!(position.undo(), None);
        if is_record_all {
            for (color, mv) in record {
                play(&mut position, color, mv).expect("played before");
            }
            prop_assert_eq!(snapshot(&position), last);
        }
    }

    #[test]
    fn earlier_boards_are_those_of_the_record(
        size in any_size(3..=6), rules in any_rules(), seed: u64, moves in 5..60usize,
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut position = Position::new(size, rules, Komi::default());
        let mut boards = VecDeque::new();
        for _ in 0..moves {
            boards.push_front(position.board().clone());
            let mv = random_move(&position, &mut rng, 20);
            position.play(mv);
        }
        boards.push_front(position.board().clone());
        for (back, board) in boards.iter().enumerate() {
            prop_assert!(position.earlier_board(back).is_same_as(board), "{} back", back);
        }
    }

    #[test]
    fn symmetry_commutes_with_play_and_counting(
        size in any_size(2..=7), rules in any_rules(), seed: u64, moves in 5..90usize,
        number in 0..8usize,
    ) {
        let symmetry = Symmetry::new(number).expect("below 8");
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut position = Position::new(size, rules, Komi::from_half(-3));
        let mut image = Position::new(symmetry.size(size), rules, Komi::from_half(-3));
        for _ in 0..moves {
            let mv = random_move(&position, &mut rng, 30);
            position.play(mv);
            image.play(symmetry.apply(size, mv));
            if position.is_over() {
                break;
            }
        }
        let board = position.board();
        prop_assert_eq!(image.board().hash(), symmetry.board(board).hash());
        let mapped: HashSet<Move> =
            position.legal_moves().map(|mv| symmetry.apply(size, mv)).collect();
        prop_assert_eq!(image.legal_moves().collect::<HashSet<_>>(), mapped);
        if rules.scoring == Scoring::Area || position.phase() == 2 {
            prop_assert_eq!(settled(&image), settled(&position));
        }
        // In the fights of random games it depends on the order of moves what must be filled.
        let count = |board: &Board| {
            let count = Count::new(board, &PointSet::EMPTY, rules.scoring, rules.tax);
            let kept = |color| count.area(color) + count.teire[color].len();
            (Color::BOTH.map(kept), count.seki.len(), count.lives)
        };
        prop_assert_eq!(count(image.board()), count(board));
        let map = |set: &PointSet| set.iter().map(|p| symmetry.point(size, p)).collect();
        let (read, image_read) = (ladders(board), ladders(image.board()));
        let expected = Ladders {
            caught: map(&read.caught),
            catching: keima::go::PerColor(Color::BOTH.map(|color| map(&read.catching[color]))),
        };
        prop_assert_eq!(image_read, expected);
    }

    #[test]
    fn area_with_dead_stones_is_that_of_a_naive_count(
        size in any_size(2..=9), seed: u64, moves in 0..120usize, komi in -20..20i32,
    ) {
        let board = random_board(size, seed, moves);
        let grid = Grid::of(&board);
        let mut rng = ChaCha8Rng::seed_from_u64(!seed);
        let mut dead = PointSet::EMPTY;
        for stone in board.points().filter(|&p| board.color_at(p).is_some()) {
            if board.chain_head(stone) == stone && rng.random_range(0..4) == 0 {
                dead = board.chain(stone).chain(dead.iter()).collect();
            }
        }
        let places: HashSet<Place> = dead.iter().map(|p| grid.place_of(p)).collect();
        let naive = Color::BOTH.map(|color| grid.area(letter(color), &places));
        let count = Count::new(&board, &dead, Scoring::Area, Tax::None);
        prop_assert_eq!(Color::BOTH.map(|color| count.area(color)), naive);
        let komi_points = Komi::from_half(komi);
        let position = Position::from_board(board, Color::Black, Rules::TROMP_TAYLOR, komi_points);
        prop_assert_eq!(score(&position, &dead).lead_half_for(Color::White),
            2 * (naive[1] as i32 - naive[0] as i32) + komi);
    }

    #[test]
    fn territory_and_area_differ_by_the_stones_played(
        size in any_size(3..=7), seed: u64, moves in 0..80usize,
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let rules = Rules { tax: Tax::None, ..Rules::JAPANESE };
        let mut position = Position::new(size, rules, Komi::from_half(13));
        let mut played = [0i32; 2];
        for _ in 0..moves {
            let mv = random_move(&position, &mut rng, 15);
            played[position.to_move() as usize] += i32::from(mv != Move::Pass);
            position.play(mv);
        }
        let dead = PointSet::EMPTY;
        let count = Count::new(position.board(), &dead, Scoring::Territory, Tax::None);
        let area = Color::BOTH.map(|color| count.area(color) as i32);
        let lead = score(&position, &dead).lead_half_for(Color::Black);
        prop_assert_eq!(lead, 2 * (area[0] - area[1] - played[0] + played[1]) - 13);
        let kept = Color::BOTH.map(|color| {
            count.territory[color] as i32 + position.board().captures(!color) as i32
        });
        prop_assert_eq!(lead, 2 * (kept[0] - kept[1]) - 13);
    }

    #[test]
    fn certain_area_is_part_of_the_area(
        size in any_size(2..=9), seed: u64, moves in 10..150usize, suicide: bool,
    ) {
        let board = random_board(size, seed, moves);
        let certain = area(&board, AreaParts::CERTAIN, suicide);
        let all = area(&board, AreaParts::ALL, suicide);
        let life = independent_life(&board, SekiParts { territories: true, stones: true }, suicide);
        for point in board.points() {
            if let Some(color) = certain.owner(point) {
                prop_assert_eq!(all.owner(point), Some(color));
            }
            prop_assert_eq!(life.map.owner(point), all.owner(point));
        }
    }
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn group_touching_dame_or_with_chain_in_atari_is_seki(
        size in any_size(2..=7), seed: u64, moves in 10..150usize, territories: bool, stones: bool,
    ) {
        let board = random_board(size, seed, moves);
        let basic = area(&board, AreaParts::ALL, false);
        let life = independent_life(&board, SekiParts { territories, stones }, false);
        let stones_grid = Grid::of(&board);
        let mut ownership = stones_grid.clone();
        for place in ownership.places() {
            let owner = basic.owner(ownership.point_of(place));
            ownership.set(place, owner.map_or('.', letter));
        }
        let mut lives = [HashSet::new(), HashSet::new()];
        for place in ownership.places() {
            let Some(color) = basic.owner(ownership.point_of(place)) else {
                prop_assert_eq!(life.map.owner(ownership.point_of(place)), None);
                continue;
            };
            let group = ownership.chain(place);
            let in_atari = |&p: &Place| {
                stones_grid.at(p) == letter(color) && stones_grid.liberties(p).len() == 1
            };
            let is_seki = group.iter().any(in_atari) || !ownership.touching(&group, '.').is_empty();
            let is_stone = stones_grid.at(place) == letter(color);
            let counts = !is_seki || if is_stone { stones } else { territories };
            prop_assert_eq!(life.map.owner(ownership.point_of(place)), counts.then_some(color));
            if !is_seki {
                lives[color as usize].insert(group.first().copied());
            }
        }
        prop_assert_eq!(life.lives.0, [lives[0].len(), lives[1].len()]);
    }
}

/// Whether the stone can ever be captured if its owner always passes.
fn can_be_captured(grid: &Grid, stone: Place, suicide: bool) -> bool {
    let attacker = other(grid.at(stone));
    let mut seen = HashSet::from([grid.clone()]);
    let mut open = vec![grid.clone()];
    while let Some(now) = open.pop() {
        for place in now.places() {
            if now.at(place) != '.' {
                continue;
            }
            let suicide_len = now.suicide_len(place, attacker);
            if suicide_len == 1 || suicide_len > 1 && !suicide {
                continue;
            }
            let (next, ..) = now.after(place, attacker);
            if next.at(stone) != grid.at(stone) {
                return true;
            }
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    false
}

proptest! {
    #![proptest_config(cases(3000))]

    #[test]
    fn pass_alive_stones_are_those_that_no_sequence_captures(
        size in any_size(2..=4), seed: u64, moves in 6..40usize, suicide: bool,
    ) {
        let board = random_board(size, seed, moves);
        let grid = Grid::of(&board);
        let certain = area(&board, AreaParts::CERTAIN, suicide);
        for stone in board.points() {
            let Some(color) = board.color_at(stone) else { continue };
            let is_alive = certain.owner(stone) == Some(color);
            let captured = can_be_captured(&grid, grid.place_of(stone), suicide);
            // Benson's theorem is about Go without suicide; with it, his condition suffices.
            if is_alive || !suicide {
                prop_assert_eq!(is_alive, !captured, "{} at {} {}", stone, grid.text(), suicide);
            }
        }
    }
}

/// Random games with the slow checks on; more of them on small boards, where kos abound.
#[test]
fn five_hundred_random_games_are_valid() {
    let mut rng = ChaCha8Rng::seed_from_u64(500);
    for game in 0..500 {
        let sides = match game % 50 {
            0 => [19, 19],
            1 => [25, 13],
            2..8 => [9, 9],
            _ => [0, 0].map(|_| rng.random_range(2..=8)),
        };
        let size = BoardSize::new(sides[0], sides[1]).expect("in range");
        let (name, rules, komi) = Rules::NAMED[game % Rules::NAMED.len()];
        let mut position = Position::new(size, rules, Komi::from_half(komi));
        position.allow_encore(game % 2 == 0);
        // The slow check plays every legal move: not at every turn of a large game.
        let every = 1 + size.area() / 4;
        while !position.is_over() && position.turn() < 3 * size.area() {
            if position.turn().is_multiple_of(every) {
                validate::position(&position).unwrap_or_else(|error| {
                    panic!(
                        "{name} {size}, game {game}, move {}: {error}",
                        position.turn()
                    )
                });
            }
            let mv = random_move(&position, &mut rng, 40);
            position.play(mv);
        }
        validate::position(&position).expect("the final position");
        settled(&position);
        while position.undo().is_some() {}
        assert_eq!(position.board().hash(), 0);
    }
}
