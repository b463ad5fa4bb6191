//! Matches between artificial players: the end of a game, its winner, and statistics of many games.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use anyhow::bail;
use keima::arena::contest::{Conditions, GameReport, play_game};
use keima::arena::contestant::{Contestant, Fault, Opinion};
use keima::arena::ending::Ending;
use keima::arena::openings::Opening;
use keima::arena::series::{Division, Series, SeriesGame};
use keima::arena::settle::{Basis, settle};
use keima::arena::tally::{Tally, elo_difference};
use keima::clock::{Clock, TimeControl, TimeLeft};
use keima::go::record::GameRecord;
use keima::go::result::GameResult;
use keima::go::{Answer, BoardSize, Color, Komi, Move, PerColor, Point, PointSet, Rules, Setup};

/// Answers from a list, then passes.
#[derive(Default)]
struct Actor {
    answers: Vec<Result<Answer, Fault>>,
    opinion: Opinion,
    delay: Duration,
    refuses: Option<Move>,
    cannot_start: bool,
    turn: usize,
    /// Messages received, for assertions.
    heard: Arc<Mutex<Vec<String>>>,
}

impl Actor {
    fn answering(answers: impl IntoIterator<Item = Result<Answer, Fault>>) -> Actor {
        Actor {
            answers: answers.into_iter().collect(),
            ..Actor::default()
        }
    }

    fn playing(vertices: &str) -> Actor {
        Actor::answering(
            vertices
                .split(' ')
                .map(|text| Ok(Answer::Move(text.parse().unwrap()))),
        )
    }

    fn thinking(delay_ms: u64) -> Actor {
        Actor {
            delay: Duration::from_millis(delay_ms),
            ..Actor::default()
        }
    }

    fn hear(&self, text: String) {
        self.heard.lock().unwrap().push(text);
    }
}

impl Contestant for Actor {
    fn name(&self) -> &str {
        "actor"
    }

    fn start(&mut self, conditions: &Conditions) -> anyhow::Result<()> {
        if self.cannot_start {
            bail!("no net");
        }
        self.turn = 0;
        self.hear(format!("start {} {}", conditions.size, conditions.komi));
        Ok(())
    }

    fn play(&mut self, color: Color, mv: Move) -> Result<(), Fault> {
        self.hear(format!("{} {mv}", color.letter()));
        if self.refuses == Some(mv) {
            Err(Fault::Refused("illegal move".into()))
        } else {
            Ok(())
        }
    }

    fn tell_time(&mut self, color: Color, left: TimeLeft) -> Result<(), Fault> {
        self.hear(format!(
            "{} has {:.0} s/{}",
            color.letter(),
            left.seconds,
            left.count
        ));
        Ok(())
    }

    fn genmove(&mut self, color: Color, limit: Option<Duration>) -> Result<Answer, Fault> {
        self.hear(format!("{} to move", color.letter()));
        if limit.is_some_and(|limit| limit < self.delay / 2) {
            return Err(Fault::Silent);
        }
        thread::sleep(self.delay);
        self.turn += 1;
        self.answers
            .get(self.turn - 1)
            .cloned()
            .unwrap_or(Ok(Answer::Move(Move::Pass)))
    }

    fn opinion(&mut self) -> Opinion {
        self.opinion.clone()
    }
}

fn conditions() -> Conditions {
    Conditions {
        size: BoardSize::square(5),
        komi: Komi::from_half(1),
        rules: Rules::CHINESE,
        time: TimeControl::Unlimited,
        visits: None,
        margin: Duration::ZERO,
        max_moves: 100,
    }
}

fn game(conditions: &Conditions, mut black: Actor, mut white: Actor) -> GameReport {
    play_game(
        conditions,
        &Opening::default(),
        PerColor([&mut black, &mut white]),
    )
    .unwrap()
}

fn set(vertices: &str) -> PointSet {
    vertices
        .split_whitespace()
        .map(|text| text.parse::<Point>().unwrap())
        .collect()
}

fn with_dead(vertices: &str) -> Opinion {
    Opinion {
        dead: Some(set(vertices)),
        lead_black: None,
    }
}

#[test]
fn two_passes_end_the_game_and_the_board_is_counted() {
    let black = Actor {
        opinion: with_dead(""),
        ..Actor::playing("C3")
    };
    let white = Actor {
        opinion: with_dead(""),
        ..Actor::default()
    };
    let report = game(&conditions(), black, white);
    assert_eq!(
        report.ending,
        Ending::Counted {
            lead_black: 24.5,
            basis: Basis::Agreed
        }
    );
    assert_eq!(report.ending.to_string(), "B+24.5");
    let moves: Vec<String> = report
        .moves
        .iter()
        .map(|(c, m)| format!("{c} {m}"))
        .collect();
    assert_eq!(moves, ["black C3", "white pass", "black pass"]);
}

#[test]
fn each_move_is_sent_to_opponent_once() {
    let (black, white) = (Actor::playing("C3"), Actor::playing("D4 E5"));
    let heard = [Arc::clone(&black.heard), Arc::clone(&white.heard)];
    game(&conditions(), black, white);
    let heard = heard.map(|heard| heard.lock().unwrap().join(", "));
    assert_eq!(
        heard[0],
        "start 5x5 0.5, B to move, W D4, B to move, W E5, B to move, W pass"
    );
    assert_eq!(
        heard[1],
        "start 5x5 0.5, B C3, W to move, B pass, W to move, B pass, W to move"
    );
}

#[test]
fn illegal_moves_lose() {
    let cases = [
        (
            Ok(Answer::Move("C3".parse().unwrap())),
            "illegal move C3: point is occupied",
        ),
        (
            Ok(Answer::Move("T19".parse().unwrap())),
            "illegal move T19: not on the board",
        ),
        (
            Err(Fault::NotAMove("hello".into())),
            "illegal move 'hello': not a move",
        ),
        (Err(Fault::Refused("sorry".into())), "error: sorry"),
        (
            Err(Fault::Crashed("exit status: 3\nsorry".into())),
            "crash: exit status: 3 / sorry",
        ),
        (Err(Fault::Silent), "crash: no answer"),
    ];
    for (answer, expected) in cases {
        let report = game(
            &conditions(),
            Actor::playing("C3"),
            Actor::answering([answer]),
        );
        assert_eq!(report.ending.to_string(), format!("B+F ({expected})"));
        assert_eq!(
            report.moves.len(),
            1,
            "the bad move is not part of the game"
        );
    }
}

#[test]
fn a_ko_must_not_be_taken_back_at_once() {
    let opening = Opening::parse("ko", "C2 D2 B3 E3 C4 D4 D3").unwrap();
    let (mut black, mut white) = (Actor::default(), Actor::playing("C3 C3"));
    // White takes at C3, Black takes back.
    let mut retaking = Actor::playing("D3");
    let conditions = conditions();
    let report = play_game(&conditions, &opening, PerColor([&mut retaking, &mut white])).unwrap();
    assert_eq!(report.ending.to_string(), "W+F (illegal move D3: ko)");
    assert_eq!(report.opening_len, 7);
    // After another move it may be taken.
    let mut waiting = Actor::playing("A1 D3");
    white = Actor::playing("C3 pass");
    let report = play_game(&conditions, &opening, PerColor([&mut waiting, &mut white])).unwrap();
    assert_eq!(report.moves[10].1.to_string(), "D3", "{:?}", report.ending);
    // Who refuses a move the referee finds legal loses.
    black.refuses = Some("C3".parse().unwrap());
    white = Actor::playing("C3");
    let report = play_game(&conditions, &opening, PerColor([&mut black, &mut white])).unwrap();
    assert_eq!(report.ending.to_string(), "W+F (error: illegal move)");
}

#[test]
fn resignation() {
    let report = game(
        &conditions(),
        Actor::playing("C3"),
        Actor::answering([Ok(Answer::Resign)]),
    );
    assert_eq!(
        report.ending,
        Ending::Resigned {
            loser: Color::White
        }
    );
    assert_eq!(report.ending.to_string(), "B+R");
}

#[test]
fn too_many_moves_are_void() {
    let conditions = Conditions {
        max_moves: 3,
        ..conditions()
    };
    let report = game(
        &conditions,
        Actor::playing("A1 B1 C1"),
        Actor::playing("A5 B5 C5"),
    );
    assert_eq!(report.ending.to_string(), "Void (too many moves)");
    assert_eq!(
        (report.ending.result(), report.moves.len()),
        (GameResult::Void, 3)
    );
}

#[test]
fn overtime_loses_whether_the_move_comes_late_or_never() {
    let conditions = Conditions {
        time: "3/move".parse().unwrap(),
        ..conditions()
    };
    let report = game(&conditions, Actor::default(), Actor::thinking(3_100));
    assert_eq!(report.ending.to_string(), "B+T");
    assert!(report.time_used[Color::White] >= Duration::from_millis(3_100));
    let report = game(&conditions, Actor::thinking(10_000), Actor::default());
    assert_eq!(report.ending.to_string(), "W+T");
    let lenient = Conditions {
        time: "0.3/move".parse().unwrap(),
        margin: Duration::from_secs(100),
        ..conditions
    };
    let report = game(&lenient, Actor::default(), Actor::thinking(700));
    assert!(matches!(report.ending, Ending::Counted { .. }));
}

#[test]
fn time_left_is_sent_to_players() {
    let time = "40+25/5".parse().unwrap();
    let white = Actor::default();
    let heard = Arc::clone(&white.heard);
    game(
        &Conditions {
            time,
            ..conditions()
        },
        Actor::playing("C3"),
        white,
    );
    assert_eq!(heard.lock().unwrap()[2], "W has 40 s/0");
}

#[test]
fn contestants_that_cannot_start_are_an_error() {
    let (mut black, mut white) = (Actor::default(), Actor::default());
    white.cannot_start = true;
    let players = PerColor::<&mut dyn Contestant>([&mut black, &mut white]);
    let error = play_game(&conditions(), &Opening::default(), players).unwrap_err();
    assert_eq!(format!("{error:#}"), "actor cannot start a game: no net");
}

#[test]
fn impossible_openings_are_an_error() {
    let opening = Opening::parse("twice", "C3 C3").unwrap();
    let error = opening.position(&conditions()).map(drop).unwrap_err();
    assert_eq!(format!("{error:#}"), "move 2, white C3: point is occupied");
    assert!(
        Opening::parse("over", "pass pass")
            .unwrap()
            .position(&conditions())
            .is_err()
    );
    assert!(Opening::parse("bad", "C3 I5").is_err());
}

#[test]
fn records_give_openings() {
    let size = BoardSize::square(5);
    let stone = |text: &str, color| (text.parse::<Point>().unwrap(), color);
    let mut record = GameRecord::new(Setup::new(size, Rules::AGA, Komi::from_half(13)));
    record.setup.stones = vec![
        stone("B2", Color::Black),
        stone("D4", Color::White),
        stone("B4", Color::Black),
    ];
    record.setup.to_move = Color::White;
    record.moves = vec![
        (Color::White, "C3".parse().unwrap()),
        (Color::Black, Move::Pass),
    ];
    let text = |opening: &Opening| -> String {
        let moves = opening.moves.iter();
        moves
            .map(|(color, mv)| format!("{}{mv} ", color.letter()))
            .collect()
    };
    let opening = Opening::of_record("x", &record, 1);
    assert_eq!(text(&opening), "WD4 BB2 BB4 WC3 ");
    assert_eq!(
        opening.position(&conditions()).unwrap().to_move(),
        Color::Black
    );
    let opening = Opening::of_record("x", &record, 0);
    assert_eq!(
        opening.position(&conditions()).unwrap().to_move(),
        Color::White
    );
    assert_eq!(
        text(&Opening::of_record("x", &record, 9)),
        "WD4 BB2 BB4 WC3 Bpass "
    );
}

#[test]
fn games_give_records() {
    let opening = Opening::parse("corner", "B2 D4").unwrap();
    let (mut black, mut white) = (Actor::playing("B4"), Actor::answering([Ok(Answer::Resign)]));
    let conditions = conditions();
    let report = play_game(&conditions, &opening, PerColor([&mut black, &mut white])).unwrap();
    let record = report.record(&conditions);
    assert_eq!(record.result.unwrap().to_string(), "B+R");
    assert_eq!(record.names[Color::White].as_deref(), Some("actor"));
    assert_eq!(
        (record.setup.size, record.setup.komi),
        (conditions.size, conditions.komi)
    );
    assert_eq!(record.position().unwrap().turn(), 3);
    let comments: Vec<usize> = record.comments.keys().copied().collect();
    assert_eq!(comments, [2, 3]);
}

#[test]
fn views_of_dead_stones_determine_score() {
    // With the stones in the list dead Black leads by as many points.
    let score = |dead: &PointSet| {
        if dead.is_empty() {
            -1.0
        } else {
            dead.len() as f32
        }
    };
    let stated = |lead| Opinion {
        dead: None,
        lead_black: Some(lead),
    };
    let none = Opinion::default;
    let cases = [
        (with_dead("A1"), with_dead("A1"), 1.0, Basis::Agreed),
        (with_dead("A1 B1"), with_dead("C1 C2"), 2.0, Basis::Agreed),
        (with_dead(""), with_dead(""), -1.0, Basis::Agreed),
        (with_dead("A1"), stated(1.0), 1.0, Basis::Agreed),
        (
            with_dead("A1 B1"),
            with_dead("A1"),
            1.0,
            Basis::WinnerAgreed,
        ),
        (stated(-9.5), stated(-3.5), -9.5, Basis::WinnerAgreed),
        (
            with_dead("A1"),
            none(),
            1.0,
            Basis::OnlyViewOf(Color::Black),
        ),
        (none(), stated(3.5), 3.5, Basis::OnlyViewOf(Color::White)),
        (none(), none(), -1.0, Basis::NoViews),
        (with_dead("A1"), with_dead(""), -1.0, Basis::Disputed),
        (stated(0.0), stated(2.0), -1.0, Basis::Disputed),
    ];
    for (black, white, lead, basis) in cases {
        let views = PerColor([black, white]);
        assert_eq!(settle(&views, true, score), (lead, basis), "{views:?}");
        assert_eq!(settle(&views, false, score), (-1.0, Basis::Board));
    }
}

#[test]
fn dead_stones_are_taken_off_only_where_rules_let_players_agree() {
    let finish = |rules| {
        let conditions = Conditions {
            rules,
            ..conditions()
        };
        let black = Actor {
            opinion: with_dead("E5"),
            ..Actor::playing("C3")
        };
        let white = Actor {
            opinion: with_dead("E5"),
            ..Actor::playing("E5")
        };
        game(&conditions, black, white).ending.to_string()
    };
    assert_eq!(finish(Rules::CHINESE), "B+24.5");
    assert_eq!(finish(Rules::TROMP_TAYLOR), "W+0.5");
}

fn series(games: usize, parallel: usize, openings: &[&str]) -> Series {
    let parsed = openings
        .iter()
        .map(|text| Opening::parse(text, text).unwrap());
    Series {
        games,
        parallel,
        divisions: vec![Division::new(conditions(), parsed.collect())],
    }
}

/// The first player plays a stone and passes, the second resigns at once.
fn run(series: &Series) -> Vec<SeriesGame> {
    let mut games = Vec::new();
    let first = || -> anyhow::Result<Box<dyn Contestant>> {
        Ok(Box::new(Actor {
            opinion: with_dead(""),
            ..Actor::playing("C3")
        }))
    };
    let second = || -> anyhow::Result<Box<dyn Contestant>> {
        Ok(Box::new(Actor::answering([Ok(Answer::Resign)])))
    };
    series
        .run([&first, &second], &BTreeSet::new(), |game| {
            games.push(game);
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    games.sort_by_key(|game| game.pairing.game_index);
    games
}

#[test]
fn colors_alternate_and_each_opening_is_played_with_both() {
    let openings = ["A1", "B1", "D1"];
    let games = run(&series(8, 1, &openings));
    let played: Vec<(Color, String)> = games
        .iter()
        .map(|game| (game.pairing.first_color, game.report.moves[0].1.to_string()))
        .collect();
    let expected = ["A1", "A1", "B1", "B1", "D1", "D1", "A1", "A1"];
    for (index, (color, vertex)) in played.iter().enumerate() {
        assert_eq!(*color, Color::BOTH[index % 2]);
        assert_eq!(vertex, expected[index]);
    }
    for game in &games {
        assert_eq!(
            game.report.ending,
            Ending::Resigned {
                loser: !game.pairing.first_color
            }
        );
        let result = game.report.ending.result();
        assert_eq!(result.points(game.pairing.first_color), Some(1.0));
    }
}

#[test]
fn players_of_one_name_have_numbers_in_records() {
    for game in run(&series(2, 1, &[])) {
        let names = game.report.record(&conditions()).names;
        let first = game.pairing.first_color;
        assert_eq!(names[first].as_deref(), Some("actor #1"));
        assert_eq!(names[!first].as_deref(), Some("actor #2"));
    }
}

#[test]
fn parallel_games_are_the_same_games() {
    assert_eq!(run(&series(0, 4, &[])).len(), 0);
    let strip = |games: Vec<SeriesGame>| -> Vec<_> {
        games
            .into_iter()
            .map(|game| (game.pairing, game.report.moves))
            .collect()
    };
    let openings = ["A1", "B1"];
    assert_eq!(
        strip(run(&series(9, 3, &openings))),
        strip(run(&series(9, 1, &openings)))
    );
}

#[test]
fn an_error_stops_the_series() {
    let created = AtomicUsize::new(0);
    let fine = || -> anyhow::Result<Box<dyn Contestant>> { Ok(Box::new(Actor::default())) };
    let broken = || -> anyhow::Result<Box<dyn Contestant>> {
        created.fetch_add(1, Ordering::Relaxed);
        bail!("no such file")
    };
    let error = series(100, 2, &[])
        .run([&fine, &broken], &BTreeSet::new(), |_| {
            Ok(ControlFlow::Continue(()))
        })
        .unwrap_err();
    assert_eq!(error.to_string(), "no such file");
    assert!(created.load(Ordering::Relaxed) <= 2);
    let mut games = 0;
    let error = series(100, 1, &[]).run([&fine, &fine], &BTreeSet::new(), |_| {
        games += 1;
        bail!("disk full")
    });
    assert_eq!(error.unwrap_err().to_string(), "disk full");
    assert!(games <= 100);
}

#[test]
fn time_controls_are_read_and_written() {
    let cases = [
        ("none", TimeControl::Unlimited, "none"),
        ("90", TimeControl::sudden_death(90.0), "90s"),
        ("10m", TimeControl::sudden_death(600.0), "600s"),
        (
            "1h+0.5s",
            TimeControl::Fischer {
                main: 3600.0,
                increment: 0.5,
            },
            "3600s+0.5s",
        ),
        (
            "1m+10s/5",
            TimeControl::Canadian {
                main: 60.0,
                period: 10.0,
                stones: 5,
            },
            "60s+10s/5",
        ),
        (
            "1m+10sx5",
            TimeControl::Japanese {
                main: 60.0,
                period: 10.0,
                periods: 5,
            },
            "60s+10sx5",
        ),
        (
            "2/move",
            TimeControl::Canadian {
                main: 0.0,
                period: 2.0,
                stones: 1,
            },
            "2s/move",
        ),
    ];
    for (text, expected, printed) in cases {
        let control: TimeControl = text.parse().unwrap();
        assert_eq!((control, control.to_string().as_str()), (expected, printed));
    }
    for text in [
        "", "x", "-3", "5+", "+5", "5/3", "1+1/0", "1+1/x", "1+1x0", "1+1x", "inf", "nan", "1e99",
        "é", "m",
    ] {
        assert!(text.parse::<TimeControl>().is_err(), "{text}");
    }
}

/// Readings of a clock after each of these moves, in seconds; stops at a loss.
fn clock_history(control: &str, moves: &[u64]) -> Vec<(u32, u32)> {
    let mut clock = Clock::new(control.parse().unwrap());
    let mut history = vec![clock.left()];
    for &seconds in moves {
        let time = Duration::from_secs(seconds);
        if clock.limit().unwrap() < time {
            break;
        }
        clock.spend(time);
        history.push(clock.left());
    }
    history
        .iter()
        .map(|left| (left.seconds as u32, left.count))
        .collect()
}

#[test]
fn clocks_run() {
    assert_eq!(
        clock_history("10", &[3, 7, 0, 1]),
        [(10, 0), (7, 0), (0, 0), (0, 0)]
    );
    assert_eq!(
        clock_history("10+2", &[3, 9, 2, 3]),
        [(10, 0), (9, 0), (2, 0), (2, 0)]
    );
    assert_eq!(
        clock_history("3/move", &[3, 1, 4]),
        [(3, 1), (3, 1), (3, 1)]
    );
    // Main time ends within the second move, which is the first of the period.
    assert_eq!(
        clock_history("10+6/2", &[4, 8, 1, 5, 2]),
        [(10, 0), (6, 0), (4, 1), (6, 2), (1, 1)]
    );
    assert_eq!(
        clock_history("0+6/3", &[1, 2, 3, 6, 1]),
        [(6, 3), (5, 2), (3, 1), (6, 3), (0, 2)]
    );
    assert_eq!(clock_history("10+6/2", &[16, 1]), [(10, 0), (0, 1)]);
    assert_eq!(clock_history("10+6/2", &[17]), [(10, 0)]);
    assert_eq!(
        clock_history("10+6x3", &[11, 6, 7, 6, 1, 7]),
        [(10, 0), (6, 3), (6, 3), (6, 2), (6, 2), (6, 2), (6, 1)]
    );
    assert_eq!(clock_history("0+6x3", &[18, 7]), [(6, 3), (6, 1)]);
    assert_eq!(clock_history("10+6x3", &[28, 7]), [(10, 0), (6, 1)]);
    assert_eq!(clock_history("10+6x3", &[29]), [(10, 0)]);
    assert_eq!(Clock::new(TimeControl::Unlimited).limit(), None);
    // The tolerance is not subtracted.
    let mut clock = Clock::new("10+2".parse().unwrap());
    clock.spend(Duration::from_secs(11));
    assert_eq!(clock.left().seconds, 2.0);
}

fn tally(wins: u32, draws: u32, losses: u32) -> Tally {
    Tally {
        wins,
        draws,
        losses,
        void: 0,
    }
}

#[test]
fn interval_without_draws_is_wilson() {
    // Wilson 95 %, as any statistics package gives them.
    let known = [
        ((10, 10), (0.7225, 1.0)),
        ((0, 10), (0.0, 0.2775)),
        ((9, 10), (0.5958, 0.9821)),
        ((5, 10), (0.2366, 0.7634)),
        ((50, 100), (0.4038, 0.5962)),
        ((1, 1), (0.2065, 1.0)),
    ];
    for ((wins, games), (low, high)) in known {
        let interval = tally(wins, 0, games - wins).interval().unwrap();
        assert!(
            (interval.low - low).abs() < 1e-4,
            "{wins}/{games}: {interval:?}"
        );
        assert!(
            (interval.high - high).abs() < 1e-4,
            "{wins}/{games}: {interval:?}"
        );
    }
    assert_eq!(tally(0, 0, 0).interval(), None);
    assert_eq!(tally(0, 0, 0).score(), None);
}

#[test]
fn draws_narrow_the_interval() {
    let width = |tally: Tally| {
        let interval = tally.interval().unwrap();
        interval.high - interval.low
    };
    assert_eq!(tally(3, 4, 3).score(), Some(0.5));
    assert!(width(tally(3, 4, 3)) < width(tally(5, 0, 5)));
    // Draws alone still leave doubt, the less the more there are.
    assert!(width(tally(0, 10, 0)) > 0.2);
    assert!(width(tally(0, 1000, 0)) < 0.01);
    // For many games the interval is that of the normal approximation.
    let many = tally(4000, 4000, 2000).interval().unwrap();
    let deviation = (0.6f64 * 0.4 - 0.4 / 4.0).sqrt() / 100.0;
    assert!((many.low - (0.6 - 1.96 * deviation)).abs() < 1e-3);
    assert!((many.high - (0.6 + 1.96 * deviation)).abs() < 1e-3);
}

#[test]
fn intervals_hold_the_score_and_mirror() {
    for (wins, draws, losses) in [(7, 2, 1), (0, 3, 4), (12, 0, 1), (1, 1, 0), (0, 1, 0)] {
        let tally = tally(wins, draws, losses);
        let (interval, score) = (tally.interval().unwrap(), tally.score().unwrap());
        assert!(interval.low <= score && score <= interval.high);
        let mirrored = tally.reversed().interval().unwrap();
        assert!((interval.low + mirrored.high - 1.0).abs() < 1e-12);
    }
}

#[test]
fn elo() {
    assert_eq!(elo_difference(0.5), 0.0);
    assert!((elo_difference(10.0 / 11.0) - 400.0).abs() < 1e-9);
    assert!((elo_difference(0.75) - 190.85).abs() < 0.01);
    assert_eq!(elo_difference(1.0), f64::INFINITY);
    assert_eq!(elo_difference(0.0), f64::NEG_INFINITY);
}
