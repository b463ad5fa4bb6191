//! The clock: budgets that fit every kind of time control, whatever numbers arrive, and searches
//! that keep to them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use keima::clock::{Clock, Reserve, TimeBudget, TimeControl, TimeParams};
use keima::search::{
    Evaluation, Evaluator, Game, Limits, MoveCode, Outcome, Pace, Request, Search, SearchParams,
    Side, TimeSource,
};

const AREA: usize = 361;

/// Without settings that vary the time between moves.
fn even() -> TimeParams {
    TimeParams {
        midgame: 1.0,
        ..TimeParams::default()
    }
}

fn budget(clock: &Clock, stones: usize) -> TimeBudget {
    let budget = clock.budget(AREA, stones, &even(), &Reserve::default());
    budget.expect("the time is limited")
}

fn seconds(budget: TimeBudget) -> f64 {
    budget.recommended.as_secs_f64()
}

fn all_kinds() -> Vec<TimeControl> {
    let mut kinds = Vec::new();
    for main in [0.0, 1.0, 10.0, 60.0, 600.0, 7200.0] {
        for step in [0.0, 0.1, 1.0, 5.0, 30.0] {
            kinds.push(TimeControl::Fischer {
                main,
                increment: step,
            });
            for count in [1, 2, 5, 25] {
                kinds.push(TimeControl::Canadian {
                    main,
                    period: step,
                    stones: count,
                });
                kinds.push(TimeControl::Japanese {
                    main,
                    period: step,
                    periods: count,
                });
            }
        }
    }
    kinds
}

/// Seconds a controller would still allow for the next move before the game is lost.
struct Referee {
    control: TimeControl,
    main: f64,
    left: f64,
    count: u32,
    in_overtime: bool,
}

impl Referee {
    fn new(control: TimeControl) -> Referee {
        let (main, left, count) = match control {
            TimeControl::Unlimited => (f64::INFINITY, 0.0, 0),
            TimeControl::Fischer { main, .. } => (main, 0.0, 0),
            TimeControl::Canadian {
                main,
                period,
                stones,
            } => (main, period, stones),
            TimeControl::Japanese {
                main,
                period,
                periods,
            } => (main, period, periods),
        };
        Referee {
            control,
            main,
            left,
            count,
            in_overtime: false,
        }
    }

    /// Whether a move that took this long was still in time.
    fn allows(&mut self, mut spent: f64) -> bool {
        if !self.in_overtime {
            self.main -= spent;
            if let TimeControl::Fischer { increment, .. } = self.control {
                self.main += increment;
                return self.main >= increment;
            }
            if self.main >= 0.0 {
                return true;
            }
            self.in_overtime = true;
            spent = -self.main;
        }
        match self.control {
            TimeControl::Canadian { period, stones, .. } => {
                self.left -= spent;
                self.count -= 1;
                let in_time = self.left >= 0.0;
                if self.count == 0 {
                    (self.left, self.count) = (period, stones);
                }
                in_time
            }
            TimeControl::Japanese { period, .. } => {
                let lost = (spent / period).ceil().max(1.0) as u32 - 1;
                let in_time = lost < self.count;
                self.count -= lost.min(self.count - 1);
                in_time
            }
            _ => true,
        }
    }
}

#[test]
fn budgets_of_long_games_stay_within_every_limit() {
    for control in all_kinds() {
        let mut clock = Clock::new(control);
        let mut referee = Referee::new(control);
        for turn in 0..300 {
            let TimeBudget {
                least,
                recommended,
                most,
            } = clock
                .budget(AREA, 2 * turn, &TimeParams::default(), &Reserve::default())
                .expect("the time is limited");
            assert!(
                least <= recommended && recommended <= most,
                "{control:?}, turn {turn}"
            );
            // Now and then all that is allowed; and the search overruns by a little, as long as
            // there is anything to overrun.
            let wanted = [recommended, recommended, recommended, most][turn % 4].as_secs_f64();
            let overrun = wanted.min(0.2) * (turn % 3) as f64 * 0.45;
            let spent = wanted + overrun;
            assert!(referee.allows(spent), "{control:?}, turn {turn}: {spent} s");
            clock.spend(Duration::from_secs_f64(spent));
        }
    }
}

/// A clock that only advances when told, in microseconds.
#[derive(Debug)]
struct FakeTime {
    begin: Instant,
    passed: AtomicU64,
}

impl FakeTime {
    fn new() -> Arc<FakeTime> {
        Arc::new(FakeTime {
            begin: Instant::now(),
            passed: AtomicU64::new(0),
        })
    }

    fn pass(&self, seconds: f64) {
        let micros = (seconds * 1e6) as u64;
        self.passed.fetch_add(micros, Ordering::SeqCst);
    }

    fn seconds(&self) -> f64 {
        self.passed.load(Ordering::SeqCst) as f64 / 1e6
    }
}

impl TimeSource for FakeTime {
    fn now(&self) -> Instant {
        self.begin + Duration::from_micros(self.passed.load(Ordering::SeqCst))
    }
}

/// A game without end in which there are always as many moves.
#[derive(Clone, Debug)]
struct Endless {
    turn: u64,
    path: u64,
}

impl Game for Endless {
    fn to_move(&self) -> Side {
        match self.turn % 2 {
            0 => Side::First,
            _ => Side::Second,
        }
    }

    fn legal_moves(&self, moves: &mut Vec<MoveCode>) {
        moves.clear();
        moves.extend((0..12).map(MoveCode));
    }

    fn play(&mut self, code: MoveCode) {
        self.turn += 1;
        self.path = (self.path ^ u64::from(code.0)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.path ^= self.path >> 29;
    }

    fn outcome(&self) -> Option<Outcome> {
        None
    }

    fn key(&self) -> u128 {
        u128::from(self.path)
    }
}

/// Takes its time, not always the same.
struct SlowEvaluator {
    time: Arc<FakeTime>,
    recommended: f64,
    /// Of every eighth evaluation.
    slowest: f64,
    asked: AtomicU64,
}

impl Evaluator<Endless> for SlowEvaluator {
    fn evaluate(&self, requests: &[Request<Endless>]) -> anyhow::Result<Vec<Evaluation>> {
        let answer = |request: &Request<Endless>| {
            let asked = self.asked.fetch_add(1, Ordering::SeqCst);
            let is_slow = asked % 8 == 7;
            self.time.pass(if is_slow {
                self.slowest
            } else {
                self.recommended
            });
            let path = request.position.path;
            Evaluation {
                policy: vec![1.0 / 12.0; 12],
                win_loss: (path % 1000) as f32 / 1000.0 - 0.5,
                ..Evaluation::default()
            }
        };
        Ok(requests.iter().map(answer).collect())
    }
}

/// Own turns of a game of 300 moves.
const TURNS: usize = 150;

/// Seconds that each move has at least, and all of them together.
fn seconds_of(control: TimeControl) -> (f64, f64) {
    let turns = TURNS as f64;
    let (main, each) = match control {
        TimeControl::Unlimited => (f64::INFINITY, f64::INFINITY),
        TimeControl::Fischer { main, increment } => (main, increment),
        TimeControl::Canadian {
            main,
            period,
            stones,
        } => (main, period / f64::from(stones)),
        TimeControl::Japanese { main, period, .. } => (main, period),
    };
    let is_fischer = matches!(control, TimeControl::Fischer { .. });
    let shortest = match is_fischer {
        true => each.max(main / turns).min(main),
        false => each.max(0.5 * main / turns),
    };
    (shortest, main + turns * each)
}

/// Plays a game by a control, with lag around each. Returns the seconds of all searches.
fn play_by(control: TimeControl, recommended: f64, slowest: f64, lag: f64) -> f64 {
    let time = FakeTime::new();
    let evaluator = SlowEvaluator {
        time: time.clone(),
        recommended,
        slowest,
        asked: AtomicU64::new(0),
    };
    let mut search: Search<Endless> = Search::new(SearchParams::default()).with_time(time.clone());
    let mut clock = Clock::new(control);
    let mut referee = Referee::new(control);
    let timing = TimeParams::default();
    let mut searched = 0.0;
    for turn in 0..TURNS {
        let path = turn as u64;
        search.set_root(Endless { turn: 0, path });
        let budget = clock.budget(AREA, (2 * turn).min(250), &timing, &Reserve::default());
        let TimeBudget {
            least,
            recommended,
            most,
        } = budget.expect("the time is limited");
        let pace = Pace {
            least,
            most: Some(most),
            obvious: timing.obvious,
            unclear: timing.unclear,
            futile: timing.early_stop,
        };
        let limits = Limits {
            pace,
            ..Limits::time(recommended)
        };
        let begin = time.seconds();
        let run = search.run(&evaluator, &limits, &AtomicBool::new(false));
        assert!(run.is_ok() && search.choose(turn).is_some());
        let spent = time.seconds() - begin;
        searched += spent;
        let spent = spent + lag * (turn % 3) as f64 / 2.0;
        assert!(
            referee.allows(spent),
            "{control:?}, budget of {recommended:?}, turn {turn}: {spent} s of {budget:?}, {:?}",
            clock.left()
        );
        clock.spend(Duration::from_secs_f64(spent));
    }
    searched
}

#[test]
fn searches_by_any_clock_are_in_time_and_use_it() {
    let mut played = 0;
    let kinds = [
        "3m",
        "10m",
        "1h",
        "10s+5s",
        "1m+10s",
        "10m+2s",
        "2s/move",
        "10s/move",
        "0s+30s/5",
        "1m+30s/10",
        "5m+5m/25",
        "10s+20s/1",
        "0s+5sx1",
        "1m+5sx1",
        "0s+10sx3",
        "5m+30sx5",
        "1m+10sx20",
    ];
    for kind in kinds {
        let control: TimeControl = kind.parse().expect("a time control");
        let (shortest, available) = seconds_of(control);
        let typical = available / TURNS as f64;
        // Evaluations of a fast machine, of a slow one, and of one that may halt.
        for (recommended, slowest, lag) in [
            (typical / 50.0, typical / 50.0, 0.0),
            (0.25, 0.25, 0.3),
            (0.1, 0.6, 0.8),
        ] {
            if shortest < 2.0 * (recommended + slowest + lag) {
                continue;
            }
            played += 1;
            let searched = play_by(control, recommended, slowest, lag);
            assert!(
                searched > 0.4 * available,
                "{kind}, evaluations of {recommended} s: {searched} of {available} s used"
            );
        }
    }
    assert!(played >= 30, "{played}");
}

#[test]
fn a_search_ends_when_nothing_can_change_and_not_before() {
    let time = FakeTime::new();
    let evaluator = SlowEvaluator {
        time: time.clone(),
        recommended: 0.001,
        slowest: 0.001,
        asked: AtomicU64::new(0),
    };
    let visits = |futile: f64, least: f64, limits: Limits| {
        let mut search: Search<Endless> =
            Search::new(SearchParams::plain()).with_time(time.clone());
        search.set_root(Endless { turn: 0, path: 5 });
        let least = Duration::from_secs_f64(least);
        let pace = Pace {
            futile,
            least,
            ..Pace::default()
        };
        let limits = Limits { pace, ..limits };
        let run = search.run(&evaluator, &limits, &AtomicBool::new(false));
        assert!(run.is_ok());
        let report = search.report().expect("a report");
        let others = report.moves.iter().skip(1).map(|mv| mv.visits).max();
        (report.visits, report.moves[0].visits, others.unwrap_or(0))
    };
    // Any other move could still become half as good: nothing ends early before the last visits.
    let (all, ..) = visits(0.0, 0.0, Limits::visits(2000));
    assert_eq!(all, 2000);
    let (mv, best, second) = visits(1.0, 0.0, Limits::visits(2000));
    assert!(mv < 2000, "{mv}");
    assert!(second + (2000 - mv) < best, "{mv}: {best} against {second}");
    // By time as well, but not before time that would be lost.
    let timed = Limits::time(Duration::from_secs(2));
    let (mv, ..) = visits(1.0, 0.0, timed);
    assert!((100..1990).contains(&mv), "{mv}");
    let (mv, ..) = visits(1.0, 1.9, timed);
    assert!(mv >= 1890, "{mv}");
}

/// Fails unless the budget is in order and within the clock's limit; it may only be missing where time is unlimited.
fn check_budget(clock: &Clock, area: usize, stones: usize) {
    let budget = clock.budget(area, stones, &even(), &Reserve::default());
    let is_sound = match budget {
        Some(budget) => {
            budget.least <= budget.recommended
                && budget.recommended <= budget.most
                && Some(budget.most) <= clock.limit()
        }
        None => clock.control() == TimeControl::Unlimited,
    };
    assert!(
        is_sound,
        "{clock:?}, {stones} stones on {area} points: {budget:?}"
    );
}

#[test]
fn absurd_numbers_do_no_harm() {
    let absurd = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        -1e300,
        1e300,
        -10.0,
        0.0,
        1e-300,
    ];
    for main in absurd {
        for step in absurd {
            for count in [0, 1, u32::MAX] {
                let controls = [
                    TimeControl::Fischer {
                        main,
                        increment: step,
                    },
                    TimeControl::Canadian {
                        main,
                        period: step,
                        stones: count,
                    },
                    TimeControl::Japanese {
                        main,
                        period: step,
                        periods: count,
                    },
                    TimeControl::from_gtp(main, step, count),
                ];
                for control in controls {
                    let mut clock = Clock::new(control);
                    for stones in [0, 361, usize::MAX] {
                        check_budget(&clock, AREA, stones);
                        clock.set_left(main, count);
                        check_budget(&clock, 0, stones);
                        clock.spend(Duration::MAX);
                        check_budget(&clock, stones, 0);
                    }
                }
            }
        }
    }
}

#[test]
fn gtp_settings_mean_what_the_protocol_says() {
    let absolute = TimeControl::Fischer {
        main: 300.0,
        increment: 0.0,
    };
    assert_eq!(TimeControl::from_gtp(300.0, 0.0, 0), absolute);
    assert_eq!(
        TimeControl::from_gtp(300.0, 30.0, 0),
        TimeControl::Unlimited
    );
    let canadian = TimeControl::Canadian {
        main: 300.0,
        period: 30.0,
        stones: 5,
    };
    assert_eq!(TimeControl::from_gtp(300.0, 30.0, 5), canadian);
    assert_eq!(
        Clock::new(TimeControl::Unlimited).budget(AREA, 0, &even(), &Reserve::default()),
        None
    );
}

#[test]
fn budgets_follow_the_formulas() {
    // Sudden death, empty 19x19: own turns left 181.475 of 0.95 * 361 + 20 halved, of which most
    // games have little more than half.
    let clock = Clock::new(TimeControl::Fischer {
        main: 1816.0,
        increment: 0.0,
    });
    let expected = 1815.0 / (0.58 * 0.5 * (0.95 * 361.0 + 20.0));
    assert!((seconds(budget(&clock, 0)) - expected).abs() < 1e-9);
    // Canadian overtime: an even share, less the lag.
    let mut clock = Clock::new(TimeControl::Canadian {
        main: 0.0,
        period: 60.0,
        stones: 10,
    });
    assert!((seconds(budget(&clock, 0)) - 5.0).abs() < 1e-9);
    clock.set_left(8.0, 1);
    assert!(
        (seconds(budget(&clock, 0)) - 6.0).abs() < 1e-9,
        "twice the lag at the end"
    );
    // `time_left 0 0` comes when main time has just run out: overtime begins.
    clock.set_left(0.0, 0);
    assert!((seconds(budget(&clock, 0)) - 5.0).abs() < 1e-9);
}

#[test]
fn more_time_means_a_larger_budget() {
    let recommended = |main, period| {
        let control = TimeControl::Japanese {
            main,
            period,
            periods: 5,
        };
        seconds(budget(&Clock::new(control), 40))
    };
    assert!(recommended(6000.0, 10.0) > recommended(60.0, 10.0));
    assert!(recommended(600.0, 30.0) > recommended(600.0, 10.0));
    assert!(
        recommended(60.0, 10.0) > 0.8 * 10.0,
        "overtime is never left unused"
    );
    let late = Clock::new(TimeControl::Fischer {
        main: 600.0,
        increment: 0.0,
    });
    assert!(
        budget(&late, 200).recommended > budget(&late, 0).recommended,
        "fewer moves are left"
    );
    let middle = late.budget(AREA, 130, &TimeParams::default(), &Reserve::default());
    assert!(middle.is_some_and(|middle| middle.recommended > budget(&late, 130).recommended));
}

#[test]
fn a_move_that_has_begun_has_less_time() {
    let left = |control, seconds| {
        let left = Clock::new(control)
            .after(Duration::from_secs_f64(seconds))
            .left();
        (left.seconds, left.count)
    };
    let canadian = TimeControl::Canadian {
        main: 10.0,
        period: 5.0,
        stones: 3,
    };
    assert_eq!(left(canadian, 4.0), (6.0, 0));
    assert_eq!(left(canadian, 11.0), (4.0, 3));
    let japanese = TimeControl::Japanese {
        main: 1.0,
        period: 2.0,
        periods: 3,
    };
    assert_eq!(left(japanese, 2.0), (1.0, 3));
    assert_eq!(left(japanese, 4.5), (0.5, 2));
    assert_eq!(left(japanese, 100.0), (0.0, 1));
    let fischer = TimeControl::Fischer {
        main: 10.0,
        increment: 3.0,
    };
    assert_eq!(left(fischer, 4.0), (6.0, 0));
    assert_eq!(left(fischer, 40.0), (0.0, 0));
    let unlimited = Clock::new(TimeControl::Unlimited);
    assert_eq!(unlimited.after(Duration::from_secs(9)), unlimited);
}

#[test]
fn a_deficit_of_main_time_is_taken_from_overtime() {
    let left = |control: &str, seconds: f64| {
        let mut clock = Clock::new(control.parse().unwrap());
        clock.set_left(seconds, 0);
        (clock.left().seconds, clock.left().count)
    };
    for zero in [0.0, -0.0] {
        assert_eq!(left("1m+30s/5", zero), (30.0, 5));
        assert_eq!(left("1m+10sx3", zero), (10.0, 3));
    }
    assert_eq!(left("1m+30s/5", -4.0), (26.0, 5));
    assert_eq!(left("1m+10sx3", -4.0), (6.0, 3));
    assert_eq!(left("1m+10sx3", -14.0), (6.0, 2));
    assert_eq!(left("1m+10sx3", -34.0), (-4.0, 1));
}

#[test]
fn no_part_of_a_japanese_period_is_left_unused() {
    for (control, left, factor, expected) in [
        ("0s+10sx20", (10.0, 20), 1.0, 19.0),
        ("0s+10sx20", (4.0, 20), 1.0, 23.0),
        // The most that is allowed, which is less than the end of the period.
        ("0s+10sx20", (4.0, 20), 2.4, 37.8),
        // Main time is kept for later moves, and runs out within others.
        ("30s+10sx5", (30.0, 0), 1.3, 18.893),
        ("16s+10sx5", (16.0, 0), 1.3, 25.0),
        ("16s+10sx1", (16.0, 0), 1.3, 24.0),
    ] {
        let mut clock = Clock::new(control.parse().unwrap());
        clock.set_left(left.0, left.1);
        let params = TimeParams {
            overallocate: factor,
            ..even()
        };
        let budget = clock.budget(AREA, 40, &params, &Reserve::default());
        let found = seconds(budget.unwrap());
        assert!(
            (found - expected).abs() < 1e-3,
            "{control}, {left:?}: {found}"
        );
    }
    // A search that ends early uses at least the period that has begun.
    let mut clock = Clock::new("0s+10sx20".parse().unwrap());
    clock.set_left(4.0, 20);
    assert_eq!(budget(&clock, 40).least, Duration::from_secs(3));
}

/// Seconds that moves of a game on a board take where each is `late` by a time that varies, or the
/// turn in which the clock ran out.
fn play_late(control: TimeControl, area: usize, turns: usize, late: f64) -> Result<f64, usize> {
    let (mut clock, mut referee) = (Clock::new(control), Referee::new(control));
    let (mut reserve, mut used) = (Reserve::default(), 0.0);
    for turn in 0..turns {
        let budget = clock.budget(area, 2 * turn, &TimeParams::default(), &reserve);
        let TimeBudget {
            recommended, most, ..
        } = budget.expect("the time is limited");
        // Some searches are cut short, some go on for longer.
        let factor = [0.6, 0.3, 1.0, 1.75, 0.6, 0.3][turn % 6];
        let due = recommended.mul_f64(factor).min(most);
        // Longest after some moves, so that there has been something to learn from.
        let delay = Duration::from_secs_f64(late * [0.5, 0.7, 0.2, 1.0, 0.4][turn % 5]);
        reserve.note(delay);
        let spent = due + delay;
        if !referee.allows(spent.as_secs_f64()) {
            return Err(turn);
        }
        used += spent.as_secs_f64();
        clock.spend(spent);
    }
    Ok(used)
}

#[test]
fn late_answers_shrink_the_planned_and_the_latest_time() {
    for control in ["30s", "5s+1s", "0s+1sx1", "0s+5s/5", "20s+2sx3"] {
        let clock = Clock::new(control.parse().expect("a time control"));
        let mut reserve = Reserve::default();
        let budget = |reserve: &Reserve| {
            let budget = clock.budget(81, 20, &TimeParams::default(), reserve);
            budget.expect("the time is limited")
        };
        let before = budget(&reserve);
        (0..20).for_each(|_| reserve.note(Duration::from_millis(600)));
        let after = budget(&reserve);
        assert!(after.recommended < before.recommended, "{control}");
        let limit = clock.limit().expect("the time is limited");
        assert!(after.most + Duration::from_millis(600) < limit, "{control}");
    }
}

#[test]
fn late_answers_do_not_lose_blitz_games() {
    for (control, late) in [
        ("3s", 0.06),
        ("0.5s+0.1s", 0.09),
        ("0s+1sx1", 0.45),
        ("0s+5s/5", 0.8),
        ("1m", 1.5),
    ] {
        let control: TimeControl = control.parse().expect("a time control");
        let played = play_late(control, 81, 50, late);
        assert!(played.is_ok(), "{control}: lost in turn {played:?}");
    }
}

#[test]
fn absolute_time_is_used_by_the_end_of_a_game() {
    // Own turns of typical games.
    for (area, turns) in [(81, 30), (169, 70), (361, 120)] {
        for seconds in [3.0, 60.0, 1800.0] {
            let control = TimeControl::sudden_death(seconds);
            let used = play_late(control, area, turns, 0.0).expect("not late") / seconds;
            assert!(
                (0.7..0.9).contains(&used),
                "{area} points, {seconds} s: {used}"
            );
        }
    }
}
