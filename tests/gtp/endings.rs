//! Passing and the end of games: the searching player neither throws won games away by passing or
//! by not passing, nor plays on for ever.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use keima::clock::{Clock, TimeControl};
use keima::games::anti_mirror::AntiMirror;
use keima::games::ending::Ending;
use keima::games::mirror::Mirroring;
use keima::games::rollout_evaluator::RolloutEvaluator;
use keima::go::score::settled;
use keima::go::{Answer, BoardSize, Color, Komi, Move, Position, Rules, diagram};
use keima::player::evaluators::Evaluators;
use keima::player::params::PlayerParams;
use keima::player::resignation::ResignParams;
use keima::player::root_params::RootParams;
use keima::player::search_player::SearchPlayer;
use keima::player::view::View;
use keima::player::{LastReport, Player, Watch};
use keima::search::{
    Detail, Evaluation, Evaluator, Report, Request, Restrictions, SearchParams, UniformEvaluator,
};

use crate::evaluators::{By, by_weights};

/// Thinks every position even and puts most of the policy on one move.
fn prefers(choice: fn(&Position) -> Move) -> impl Evaluator<Position> {
    By(move |position: &Position| {
        let (favorite, moves) = (choice(position), position.legal_moves().count());
        let rest = 0.1 / moves as f32;
        by_weights(position, |mv| if mv == favorite { 0.9 } else { rest })
    })
}

fn thinker(
    evaluator: Arc<dyn Evaluator<Position>>,
    params: SearchParams,
    visits: u64,
) -> SearchPlayer {
    let search = SearchParams { seed: 7, ..params };
    let params = PlayerParams {
        search,
        ..PlayerParams::default()
    };
    player_with(evaluator, params, visits)
}

fn player_with(
    evaluator: Arc<dyn Evaluator<Position>>,
    mut params: PlayerParams,
    visits: u64,
) -> SearchPlayer {
    params.limits.max_visits = Some(visits);
    let ownership = Arc::new(RolloutEvaluator::new(50, 1));
    let view = View::new(evaluator).with_ownership(ownership);
    SearchPlayer::new(params, Box::new(view))
}

/// Would rather pass, as a weak net may.
fn passer(visits: u64) -> SearchPlayer {
    let evaluator = Arc::new(prefers(|_| Move::Pass));
    thinker(evaluator, SearchParams::default(), visits)
}

fn rollouts(visits: u64) -> SearchPlayer {
    thinker(
        Arc::new(RolloutEvaluator::new(1, 3)),
        SearchParams::uct(),
        visits,
    )
}

/// Searches over rollouts, 60 visits a move.
fn resigning_by(resignation: ResignParams) -> SearchPlayer {
    let search = SearchParams {
        seed: 7,
        ..SearchParams::uct()
    };
    let params = PlayerParams {
        search,
        resignation,
        ..PlayerParams::default()
    };
    player_with(Arc::new(RolloutEvaluator::new(1, 3)), params, 60)
}

fn position(text: &str, to_move: Color, rules: Rules, komi: f64) -> Position {
    let board = diagram::parse(text).unwrap();
    Position::from_board(board, to_move, rules, Komi::from_points(komi).unwrap())
}

fn chosen(thinker: &mut SearchPlayer, position: &Position) -> Move {
    match thinker
        .choose(position, &Clock::new(TimeControl::Unlimited))
        .unwrap()
    {
        Answer::Move(mv) => mv,
        Answer::Resign => panic!("resigned"),
    }
}

/// The same after a pass of the opponent.
fn after_pass(text: &str, to_move: Color, rules: Rules, komi: f64) -> Position {
    let mut position = position(text, !to_move, rules, komi);
    position.play(Move::Pass);
    position
}

/// Both sides live; Black has 15 points, White 10.
const DIVIDED: &str = "..XO./XXXO./.XXOO/XXXO./.XXOO";

/// As before with a white stone in Black's living corner, which is dead but still there.
const WITH_DEAD_STONE: &str = "O.XO./XXXO./.XXOO/XXXO./.XXOO";

const AREA_RULES: [Rules; 5] = [
    Rules::TROMP_TAYLOR,
    Rules::CHINESE,
    Rules::AGA,
    Rules::NEW_ZEALAND,
    Rules::AGA_BUTTON,
];

#[test]
fn winning_pass_is_played() {
    for rules in [Rules::TROMP_TAYLOR, Rules::CHINESE_SERVER] {
        for (color, komi) in [(Color::Black, 0.5), (Color::White, 7.5)] {
            let game = after_pass(DIVIDED, color, rules, komi);
            for visits in [1, 2, 50, 400] {
                let mv = chosen(&mut rollouts(visits), &game);
                assert_eq!(mv, Move::Pass, "{color} {rules:?} {visits} visits");
            }
        }
    }
}

#[test]
fn losing_pass_is_avoided_while_moves_are_open() {
    // Black is one stone short of White, who has left the lower half open.
    let open = "..XO./XXXO./..XO./...../.....";
    for rules in AREA_RULES {
        let game = after_pass(open, Color::Black, rules, 9.5);
        for visits in [1, 3, 30] {
            let mv = chosen(&mut passer(visits), &game);
            assert_ne!(mv, Move::Pass, "{rules:?} {visits} visits");
        }
        // Nor before the opponent has passed.
        let game = position(open, Color::Black, rules, 9.5);
        let mv = chosen(&mut passer(1), &game);
        assert_ne!(mv, Move::Pass, "{rules:?}");
    }
}

#[test]
fn losing_pass_is_played_when_nothing_is_open() {
    for rules in AREA_RULES {
        let game = after_pass(DIVIDED, Color::White, rules, 0.5);
        assert!(Ending::new(&game).passing_loses(false));
        assert_eq!(chosen(&mut passer(30), &game), Move::Pass, "{rules:?}");
    }
}

#[test]
fn dead_stones_are_taken_before_passing_where_all_stones_count() {
    // White's stone and the point beside it make a difference of three points.
    let game = position(WITH_DEAD_STONE, Color::Black, Rules::TROMP_TAYLOR, 3.5);
    let take = Move::Play(BoardSize::square(5).point_at(1));
    assert_eq!(Ending::new(&game).cleanup(), Some(take));
    assert_eq!(chosen(&mut passer(1), &game), take);
    let game = after_pass(WITH_DEAD_STONE, Color::Black, Rules::TROMP_TAYLOR, 3.5);
    assert_eq!(chosen(&mut passer(1), &game), take);
    // Players who agree on dead stones need not, and under territory rules it would cost a point.
    for rules in [Rules::CHINESE, Rules::JAPANESE] {
        let game = position(WITH_DEAD_STONE, Color::Black, rules, 3.5);
        assert_eq!(Ending::new(&game).cleanup(), None);
    }
}

#[test]
fn eyes_of_living_chains_are_never_filled() {
    let two_eyes = ".XO../XXO../.XO../XXOOO/.XO..";
    for rules in [Rules::TROMP_TAYLOR, Rules::JAPANESE] {
        let game = position(two_eyes, Color::Black, rules, 0.5);
        let eyes: Vec<Move> = [0, 10, 20]
            .map(|index| Move::Play(BoardSize::square(5).point_at(index)))
            .to_vec();
        assert_eq!(Ending::new(&game).pointless(), eyes);
        // Of equal moves the first is chosen, which is an eye.
        let uniform = Arc::new(UniformEvaluator);
        let mut player = thinker(uniform, SearchParams::default(), 1);
        let mv = chosen(&mut player, &game);
        assert!(!eyes.contains(&mv), "{mv}");
    }
}

/// Lets a player play both sides until the game is over; returns the position at the end.
fn played_out(player: &mut SearchPlayer, mut game: Position, most: usize) -> Position {
    for _ in 0..most {
        if game.is_over() {
            return game;
        }
        let mv = chosen(player, &game);
        game.try_play(mv).unwrap();
    }
    panic!(
        "no end after {most} moves:\n{}",
        diagram::compact(game.board())
    );
}

#[test]
fn rollout_games_end_under_all_rules() {
    let size = BoardSize::square(7);
    for (_, rules, _) in Rules::NAMED {
        let game = Position::new(size, rules, rules.usual_komi());
        played_out(&mut rollouts(30), game, 3 * size.area());
    }
}

#[test]
fn finished_games_end_soon_and_stay_won() {
    for rules in [Rules::TROMP_TAYLOR, Rules::AGA, Rules::JAPANESE] {
        for to_move in Color::BOTH {
            let game = position(DIVIDED, to_move, rules, 0.5);
            let end = played_out(&mut rollouts(200), game, 8);
            assert_eq!(settled(&end).winner(), Some(Color::Black), "{rules:?}");
        }
    }
}

/// A player that resigns after two hopeless turns.
fn resigning(params: ResignParams) -> SearchPlayer {
    let params = ResignParams {
        turns: 2,
        min_moves: 0.0,
        ..params
    };
    resigning_by(params)
}

/// What a player answers in its next turns, while its opponent passes.
fn answers(player: &mut SearchPlayer, mut game: Position, turns: usize) -> Vec<Answer> {
    let mut answers = Vec::new();
    for _ in 0..turns {
        let clock = Clock::new(TimeControl::Unlimited);
        let answer = player.choose(&game, &clock).unwrap();
        answers.push(answer);
        match answer {
            Answer::Move(mv) => game.try_play(mv).unwrap(),
            Answer::Resign => break,
        }
        game.resume();
        game.try_play(Move::Pass).unwrap();
        game.resume();
    }
    answers
}

#[test]
fn hopeless_games_are_resigned_if_enabled() {
    let allowed = ResignParams {
        allowed: true,
        ..ResignParams::default()
    };
    let lost = || position(DIVIDED, Color::Black, Rules::TROMP_TAYLOR, 7.5);
    let given = answers(&mut resigning(allowed), lost(), 3);
    assert!(
        matches!(given[..], [Answer::Move(_), Answer::Resign]),
        "{given:?}"
    );
    // Neither without leave, nor in close games if so set, nor early, nor when ahead.
    let modest = ResignParams {
        min_lead: 7.0,
        ..allowed
    };
    for params in [ResignParams::default(), modest] {
        let given = answers(&mut resigning(params), lost(), 3);
        assert!(!given.contains(&Answer::Resign), "{given:?}");
    }
    let early = ResignParams {
        turns: 1,
        min_moves: 0.17,
        ..allowed
    };
    let mut patient = resigning_by(early);
    assert!(!answers(&mut patient, lost(), 2).contains(&Answer::Resign));
    let won = position(DIVIDED, Color::White, Rules::TROMP_TAYLOR, 7.5);
    let given = answers(&mut resigning(allowed), won, 3);
    assert!(!given.contains(&Answer::Resign), "{given:?}");
}

#[test]
fn handicap_game_is_not_resigned_early() {
    let allowed = ResignParams {
        allowed: true,
        threshold: 0.0,
        ..ResignParams::default()
    };
    let stones =
        "........./........./..X...X../........./....X..../........./..X...X../........./.........";
    let handicap = position(stones, Color::White, Rules::CHINESE, 0.5);
    assert_eq!(handicap.handicap_stones(), 5);
    let given = answers(&mut resigning(allowed), handicap, 3);
    assert!(!given.contains(&Answer::Resign), "{given:?}");
    // With as many white stones there it is no handicap.
    let even = stones.replacen('.', "O", 1);
    let even = position(&even, Color::White, Rules::CHINESE, 7.5);
    let given = answers(&mut resigning(allowed), even, 3);
    assert!(given.contains(&Answer::Resign), "{given:?}");
}

#[test]
fn game_with_minimal_memory_completes() {
    let size = BoardSize::square(7);
    for params in [SearchParams::uct(), SearchParams::rave()] {
        let params = SearchParams {
            max_tree_bytes: 1 << 12,
            ..params
        };
        let evaluator = Arc::new(RolloutEvaluator::new(1, 3));
        let mut player = thinker(evaluator, params, 1_000_000);
        let game = Position::new(size, Rules::TROMP_TAYLOR, Komi::from_points(7.5).unwrap());
        played_out(&mut player, game, 3 * size.area());
    }
}

fn reported(player: &mut SearchPlayer, position: &Position) -> Report {
    let mut last = LastReport::default();
    let watch = Watch {
        stop: &AtomicBool::new(false),
        restrictions: &Restrictions::default(),
        detail: Detail {
            min_moves: 100,
            moves_ownership: true,
            ..Detail::default()
        },
        reports: None,
        observer: &mut last,
    };
    let clock = Clock::new(TimeControl::Unlimited);
    player.choose_watched(position, &clock, watch).unwrap();
    last.0.unwrap()
}

#[test]
fn symmetric_moves_are_searched_once_and_all_reported() {
    let rules = Rules::TROMP_TAYLOR;
    let symmetric = position("...../...../..X../...../.....", Color::White, rules, 0.5);
    let report = reported(&mut rollouts(200), &symmetric);
    let (symmetric_moves, searched): (Vec<_>, Vec<_>) =
        report.moves.iter().partition(|mv| mv.twin_of.is_some());
    // Besides the center a board of 5x5 has five kinds of points; and the pass.
    assert!(searched.len() <= 6, "{}", searched.len());
    assert_eq!(symmetric_moves.len() + searched.len(), 25);
    let edge_visits: u32 = searched.iter().map(|mv| mv.edge_visits).sum();
    assert_eq!(report.visits, edge_visits + 1);
    for twin in symmetric_moves {
        let told_by = searched.iter().find(|mv| Some(mv.code) == twin.twin_of);
        let told_by = told_by.unwrap();
        assert_ne!(twin.code, told_by.code);
        assert_eq!(twin.pv[0], twin.code);
        assert_eq!(
            (twin.visits, twin.utility),
            (told_by.visits, told_by.utility)
        );
    }
    for text in [
        "...../.X.../...../...../.....",
        "...../...../..X../...../O....",
    ] {
        let other = position(text, Color::White, rules, 0.5);
        // A diagonal is left, on which points are their own images.
        let report = reported(&mut rollouts(200), &other);
        let symmetric_moves = report.moves.iter().filter(|mv| mv.twin_of.is_some());
        assert_eq!(symmetric_moves.count(), (25 - 5) / 2, "{text}");
    }
    let lopsided = position("...../.XO../...../...../.....", Color::White, rules, 0.5);
    let report = reported(&mut rollouts(200), &lopsided);
    assert!(report.moves.iter().all(|mv| mv.twin_of.is_none()));
}

/// Prefers to pass, and to play on one point, with given weights.
fn undecided(share: f32) -> impl Evaluator<Position> {
    By(move |position: &Position| {
        let favorite = Move::Play(position.size().point_at(12));
        by_weights(position, |mv| match mv {
            Move::Pass => 1.0 - share,
            mv if mv == favorite => share,
            _ => 0.0,
        })
    })
}

#[test]
fn dame_are_filled_before_passing() {
    let neutral = ".X.O./.XXO./.X.O./.XOO./.X.O.";
    let choose = |share, fill_dame, visits| {
        let root_params = RootParams {
            fill_dame,
            ..RootParams::default()
        };
        let mut player = steady(Arc::new(undecided(share)), visits, root_params);
        let game = position(neutral, Color::Black, Rules::JAPANESE, 0.0);
        chosen(&mut player, &game)
    };
    let points = [2, 12, 22].map(|index| Move::Play(BoardSize::square(5).point_at(index)));
    assert_eq!(choose(0.4, true, 200), points[1]);
    // The search has no reason to try any of them, but the most probable is tried before passing.
    for visits in [8, 200] {
        assert_eq!(choose(1e-6, true, visits), points[1], "{visits} visits");
    }
    assert_eq!(choose(1e-6, true, 1), Move::Pass);
    for share in [0.4, 1e-6] {
        assert_eq!(choose(share, false, 200), Move::Pass);
    }
    // Under area scoring they are one point each.
    let game = position(neutral, Color::Black, Rules::CHINESE, 0.0);
    let ending = Ending::new(&game);
    let mut filling: Vec<Move> = game.legal_moves().collect();
    filling.retain(|&mv| ending.is_open(mv));
    assert_eq!(filling, points);
}

#[test]
fn stones_in_atari_are_open_if_saving_is_free() {
    // Black's fourth stone of the first line has one liberty, which only Black's stones touch.
    let stones = ".X.XO/.XXOO/..X.O/..XOO/..XO.";
    let open = |rules, mover| -> Vec<usize> {
        let game = position(stones, mover, rules, 0.0);
        let moves = Ending::new(&game).open().into_iter();
        let points = moves.filter_map(|mv| mv.point());
        points.map(|point| game.size().index(point)).collect()
    };
    for mover in Color::BOTH {
        assert_eq!(open(Rules::JAPANESE, mover), [13]);
        assert_eq!(open(Rules::CHINESE, mover), [2, 13]);
    }
}

/// A search player with a certain policy and this many visits.
fn steady(
    evaluator: Arc<dyn Evaluator<Position>>,
    visits: u64,
    root_params: RootParams,
) -> SearchPlayer {
    let search = SearchParams {
        temperature: 0.0,
        temperature_early: 0.0,
        seed: 7,
        ..SearchParams::default()
    };
    let params = PlayerParams {
        search,
        root: root_params,
        ..PlayerParams::default()
    };
    player_with(evaluator, params, visits)
}

/// Likes one point above all.
fn fond(index: usize) -> impl Evaluator<Position> {
    By(move |position: &Position| {
        let favorite = Move::Play(position.size().point_at(index));
        by_weights(position, |mv| if mv == favorite { 0.9 } else { 0.01 })
    })
}

#[test]
fn settled_areas_are_left_alone_after_repeated_passes() {
    // White lives; its eye on the left has room for a stone.
    let living = "..O.OX./OOOOOX./XXXXXX./......./......./......./.......";
    let choose = |prune_useless, passes| {
        // Black is behind, so that passing would not win.
        let mut game = position(living, Color::Black, Rules::TROMP_TAYLOR, 60.5);
        let size = game.size();
        for index in (0..passes).map(|turn| 28 + 2 * turn) {
            game.try_play(Move::Play(size.point_at(index))).unwrap();
            game.try_play(Move::Pass).unwrap();
        }
        let root_params = RootParams {
            prune_useless,
            ..RootParams::default()
        };
        chosen(&mut steady(Arc::new(fond(0)), 50, root_params), &game)
    };
    let inside = Move::Play(BoardSize::square(7).point_at(0));
    assert_eq!(choose(true, 3), inside);
    assert_ne!(choose(true, 4), inside);
    assert_eq!(choose(false, 4), inside);
}

/// Would rather play the first legal move.
fn filler(params: PlayerParams) -> SearchPlayer {
    let evaluator = prefers(|position| position.legal_moves().next().unwrap());
    player_with(Arc::new(evaluator), params, 2)
}

#[test]
fn own_territory_is_not_filled_after_a_pass() {
    let after = after_pass(DIVIDED, Color::Black, Rules::JAPANESE, 0.5);
    let with = |friendly_pass: bool| {
        let params = PlayerParams {
            root: RootParams {
                friendly_pass,
                ending_bonus: 0.0,
                ..RootParams::default()
            },
            ..PlayerParams::default()
        };
        chosen(&mut filler(params), &after)
    };
    assert_eq!(with(true), Move::Pass);
    assert_ne!(with(false), Move::Pass, "what the search prefers");
}

#[test]
fn pass_is_not_returned_while_borders_are_open() {
    let after = after_pass(
        "...../.X.O./...../.X.O./.....",
        Color::Black,
        Rules::JAPANESE,
        -20.0,
    );
    let mv = chosen(&mut filler(PlayerParams::default()), &after);
    assert_ne!(mv, Move::Pass);
}

#[test]
fn repeated_pass_is_answered_by_pass() {
    // Black gives two stones, gets one back, and White passes.
    let sending = ".X.X../OOXX../OOX.../....../....../......";
    for rules in [Rules::JAPANESE, Rules::CHINESE] {
        let mut game = position(sending, Color::Black, rules, 6.5);
        let corner = Move::Play(game.size().point_at(0));
        for is_over in [false, true] {
            for text in ["A6", "C6", "B6", "pass"] {
                game.try_play(text.parse().unwrap()).unwrap();
            }
            assert_eq!(game.is_over_by_one_pass(), is_over);
            let params = RootParams {
                friendly_pass: false,
                ..RootParams::default()
            };
            let mut player = steady(Arc::new(fond(0)), 50, params);
            let expected = if is_over { Move::Pass } else { corner };
            assert_eq!(chosen(&mut player, &game), expected, "{rules:?}");
        }
    }
}

/// Gives one side an advantage, but in neutral views.
struct Biased {
    fairly: f32,
}

impl Evaluators for Biased {
    fn view(&self, _: Color, _: BoardSize) -> anyhow::Result<View> {
        Ok(View::new(Arc::new(swayed(true, self.fairly))))
    }

    fn neutral_view(&self, _: Color, _: BoardSize) -> anyhow::Result<View> {
        Ok(View::new(Arc::new(swayed(false, self.fairly))))
    }

    fn has_advantage(&self) -> bool {
        true
    }
}

/// Gives Black all points in the game's first position, and White all later on. Takes the mover
/// for lost while told of an advantage, and otherwise for what it is told to.
fn swayed(is_biased: bool, fairly: f32) -> impl Evaluator<Position> {
    By(move |position: &Position| {
        let blacks = match position.turn() {
            _ if is_biased => 0.0,
            0 => 1.0,
            _ => -1.0,
        };
        let sign = f32::from(position.to_move().sign());
        // Black is the player of these tests.
        let win_loss = if is_biased { -0.99 } else { fairly };
        Evaluation {
            win_loss: sign * win_loss,
            lead: sign * 20.0 * win_loss,
            ownership: vec![sign * blacks; position.size().area()],
            ..even(position)
        }
    })
}

/// Both sides and all moves are equal.
fn even(position: &Position) -> Evaluation {
    let share = 1.0 / position.legal_moves().count() as f32;
    by_weights(position, |_| share)
}

fn biased(fairly: f32, resignation: ResignParams, root_params: RootParams) -> SearchPlayer {
    let mut params = PlayerParams {
        resignation,
        root: root_params,
        ..PlayerParams::default()
    };
    params.limits.max_visits = Some(20);
    SearchPlayer::new(params, Box::new(Biased { fairly }))
}

#[test]
fn judgement_searches_without_playout_advantage() {
    let game = Position::new(
        BoardSize::square(5),
        Rules::CHINESE,
        Komi::from_points(7.5).unwrap(),
    );
    let judged = |judging_visits| {
        let root_params = RootParams {
            judging_visits,
            ..RootParams::default()
        };
        let mut player = biased(0.0, ResignParams::default(), root_params);
        let stop = AtomicBool::new(false);
        player.ownership(&game, None, &stop).unwrap()
    };
    assert_eq!(judged(0), None);
    assert_eq!(judged(1), Some(vec![1.0; 25]));
    let searched = judged(60).unwrap();
    assert!(
        searched.iter().all(|owner| (-1.0..-0.8).contains(owner)),
        "{searched:?}"
    );
}

#[test]
fn playout_advantage_does_not_cause_resignation() {
    let resignation = ResignParams {
        allowed: true,
        turns: 2,
        min_moves: 0.0,
        ..ResignParams::default()
    };
    let given = |fairly| {
        let mut player = biased(fairly, resignation, RootParams::default());
        let game = Position::new(
            BoardSize::square(7),
            Rules::CHINESE,
            Komi::from_points(7.5).unwrap(),
        );
        answers(&mut player, game, 4)
    };
    assert!(!given(-0.5).contains(&Answer::Resign));
    assert!(matches!(
        given(-0.95)[..],
        [Answer::Move(_), Answer::Resign]
    ));
}

/// A game on 9x9 in which White answers this many of Black's moves by their images.
fn mirrored(turns: usize) -> Position {
    let size = BoardSize::square(9);
    let mut game = Position::new(size, Rules::CHINESE, Komi::from_points(7.5).unwrap());
    for index in (0..40).step_by(2).take(turns) {
        for index in [index, 80 - index] {
            game.try_play(Move::Play(size.point_at(index))).unwrap();
        }
    }
    game
}

#[test]
fn mirror_go_is_detected() {
    assert_eq!(Mirroring::of(&mirrored(13)), None);
    let game = mirrored(14);
    assert!(Mirroring::of(&game).is_some());
    // Not so once White plays elsewhere, and not from White's point of view.
    let size = game.size();
    let mut elsewhere = game.clone();
    for index in [1, 77] {
        elsewhere
            .try_play(Move::Play(size.point_at(index)))
            .unwrap();
    }
    assert_eq!(Mirroring::of(&elsewhere), None);
    let mut whites = game;
    whites.try_play(Move::Play(size.point_at(1))).unwrap();
    assert_eq!(Mirroring::of(&whites), None);
}

#[test]
fn anti_mirror_breaks_symmetry_at_center() {
    let game = mirrored(15);
    let size = game.size();
    let center = Move::Play(size.point_at(40));
    let mirroring = Mirroring::of(&game).unwrap();
    let evaluator = AntiMirror::new(UniformEvaluator, mirroring);
    let best = |position: &Position| {
        let request = Request::root(position.clone());
        let answer = evaluator.evaluate(&[request]).unwrap().remove(0);
        let policy = answer.policy.into_iter();
        let best = position
            .legal_moves()
            .zip(policy)
            .max_by(|a, b| a.1.total_cmp(&b.1));
        best.unwrap().0
    };
    assert_eq!(best(&game), center);
    let mut answered = game.clone();
    answered.try_play(Move::Play(size.point_at(3))).unwrap();
    assert_eq!(best(&answered), Move::Play(size.point_at(77)));
    let choose = |anti_mirror| {
        let (in_general, in_games) = anti_mirror;
        let root_params = RootParams {
            anti_mirror: in_general,
            move_anti_mirror: in_games,
            ..RootParams::default()
        };
        let mut player = steady(Arc::new(UniformEvaluator), 30, root_params);
        [&game, &mirrored(5)].map(|game| chosen(&mut player, game) == center)
    };
    for is_on in [(None, None), (Some(true), None), (Some(false), Some(true))] {
        assert_eq!(choose(is_on), [true, false], "{is_on:?}");
    }
    for is_off in [(Some(false), None), (Some(true), Some(false))] {
        assert_eq!(choose(is_off), [false, false], "{is_off:?}");
    }
}

/// Knows ownership, and takes all positions for even.
fn owned(owner: f32) -> impl Evaluator<Position> {
    By(move |position: &Position| Evaluation {
        ownership: vec![owner; position.size().area()],
        ..even(position)
    })
}

#[test]
fn center_owner_changes_values_in_mirror_go() {
    // White, who mirrors, has the center first and Black the first move after it.
    let size = BoardSize::square(9);
    let mut game = Position::new(size, Rules::CHINESE, Komi::from_points(7.5).unwrap());
    game.play_reported(Color::White, Move::Play(size.point_at(40)))
        .unwrap();
    for index in (0..30).step_by(2) {
        for (color, index) in [(Color::Black, index), (Color::White, 80 - index)] {
            let mv = Move::Play(size.point_at(index));
            game.play_reported(color, mv).unwrap();
        }
    }
    let mirroring = Mirroring::of(&game).unwrap();
    let value = |owner| {
        let evaluator = AntiMirror::new(owned(owner), mirroring);
        let answer = evaluator.evaluate(&[Request::inner(game.clone())]).unwrap();
        assert!(answer[0].ownership.is_empty());
        answer[0].win_loss
    };
    assert!((value(-0.5) + 0.35_f32.tanh()).abs() < 1e-6);
    assert!((value(0.5) - 0.35_f32.tanh()).abs() < 1e-6);
}

#[test]
fn favorite_moves_are_overlooked_as_often_as_said() {
    let position = Position::new(BoardSize::square(9), Rules::CHINESE, Komi::default());
    let favorite = BoardSize::square(9).point_at(40);
    let overlooked = |probability: f64, visits: u64| {
        let seen = |seed: u64| {
            let mut params = PlayerParams::default();
            params.search.seed = seed;
            params.oversight.probability = probability;
            let mut player = player_with(Arc::new(fond(40)), params, visits);
            chosen(&mut player, &position) == Move::Play(favorite)
        };
        (0..200).filter(|&seed| !seen(seed)).count()
    };
    assert_eq!(overlooked(0.0, 1), 0);
    for visits in [1, 8] {
        let half = overlooked(0.5, visits);
        assert!((75..=125).contains(&half), "{half} of 200, {visits} visits");
        let most = overlooked(0.9, visits);
        assert!((165..200).contains(&most), "{most} of 200, {visits} visits");
    }
}

#[test]
fn a_pass_for_a_handicap_is_not_answered_by_a_pass() {
    let ends = |rules: Rules| {
        let mut game = Position::new(BoardSize::square(9), rules, Komi::from_half(1));
        game.play_unchecked(Move::Play("E5".parse().unwrap()));
        game.play_unchecked(Move::Pass);
        Ending::new(&game).pass_wins(true)
    };
    assert!(!ends(Rules::named("chinese-ogs").unwrap()));
    assert!(!ends(Rules::TROMP_TAYLOR));
}

#[test]
fn a_pass_in_the_opening_is_not_answered_by_a_pass() {
    let mut game = Position::new(BoardSize::square(9), Rules::CHINESE, Komi::from_half(15));
    for mv in ["C3", "G7", "G3", "C7"] {
        game.play_unchecked(Move::Play(mv.parse().unwrap()));
    }
    game.play_unchecked(Move::Pass);
    assert!(!Ending::new(&game).pass_wins(true));
}

/// The game after a stone and passes, left open after so many moves.
fn passed(rules: Rules, passes: usize, left_open_after: Option<usize>) -> Position {
    let mut game = Position::new(BoardSize::square(9), rules, Komi::from_half(1));
    let stone = Move::Play("E5".parse().unwrap());
    let moves = std::iter::once(stone).chain(std::iter::repeat_n(Move::Pass, passes));
    for (turn, mv) in moves.enumerate() {
        if left_open_after == Some(turn) {
            game.leave_open();
        }
        game.play_unchecked(mv);
    }
    game
}

#[test]
fn a_search_does_not_count_what_has_to_be_agreed_on() {
    assert!(!passed(Rules::CHINESE, 2, Some(0)).is_over());
    assert!(passed(Rules::CHINESE, 3, Some(0)).is_over());
    assert!(passed(Rules::CHINESE, 2, None).is_over());
    assert!(passed(Rules::TROMP_TAYLOR, 2, Some(0)).is_over());
}

#[test]
fn a_pass_in_the_position_searched_does_not_end_the_game() {
    for rules in [Rules::TROMP_TAYLOR, Rules::CHINESE] {
        assert!(!passed(rules, 2, Some(2)).is_over());
        assert!(passed(rules, 3, Some(2)).is_over());
    }
    // Under simple ko this pass repeats one in the same position.
    let mut game = passed(Rules::CHINESE, 2, None);
    game.go_on();
    game.leave_open();
    assert!(game.pass_leaves_open());
    game.play_unchecked(Move::Pass);
    assert!(!game.is_over());
    assert!(passed(Rules::JAPANESE, 2, Some(2)).is_over());
}

#[test]
fn networks_see_one_pass_where_two_left_the_game_open() {
    let open = passed(Rules::CHINESE, 2, Some(0));
    let mut resumed = passed(Rules::CHINESE, 2, None);
    resumed.go_on();
    assert_eq!((open.valid_turns(), open.lawful_turns()), (1, 1));
    assert_eq!(open.valid_turns(), resumed.valid_turns());
}
