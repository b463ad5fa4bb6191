//! The clock: budgets that fit every kind of time control, whatever numbers arrive.

use std::time::Duration;

use keima::search::{Clock, TimeControl};

const AREA: usize = 361;

fn seconds(budget: Option<Duration>) -> f64 {
    budget.expect("the time is limited").as_secs_f64()
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
fn long_games_stay_within_every_limit() {
    for control in all_kinds() {
        let mut clock = Clock::new(control);
        let mut referee = Referee::new(control);
        for turn in 0..300 {
            let budget = clock.budget(AREA, 2 * turn).expect("the time is limited");
            // The search overruns by a little, as long as there is anything to overrun.
            let overrun = budget.as_secs_f64().min(0.2) * (turn % 3) as f64 * 0.45;
            let spent = budget.as_secs_f64() + overrun;
            assert!(referee.allows(spent), "{control:?}, turn {turn}: {spent} s");
            clock.spend(Duration::from_secs_f64(spent));
        }
    }
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
                        let _ = clock.budget(AREA, stones);
                        clock.set_left(main, count);
                        let _ = clock.budget(0, stones);
                        clock.spend(Duration::MAX);
                        let _ = clock.budget(stones, 0);
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
    assert_eq!(Clock::new(TimeControl::Unlimited).budget(AREA, 0), None);
}

#[test]
fn budgets_follow_the_formulas() {
    // Sudden death, empty 19x19: own turns left 181.475 of 0.95 * 361 + 20 halved.
    let clock = Clock::new(TimeControl::Fischer {
        main: 1816.0,
        increment: 0.0,
    });
    let expected = 1815.0 / (0.5 * (0.95 * 361.0 + 20.0));
    assert!((seconds(clock.budget(AREA, 0)) - (expected - 1.0)).abs() < 1e-9);
    // Canadian overtime: an even share, less the lag.
    let mut clock = Clock::new(TimeControl::Canadian {
        main: 0.0,
        period: 60.0,
        stones: 10,
    });
    assert!((seconds(clock.budget(AREA, 0)) - 5.0).abs() < 1e-9);
    clock.set_left(8.0, 1);
    assert!(
        (seconds(clock.budget(AREA, 0)) - 6.0).abs() < 1e-9,
        "twice the lag at the end"
    );
    // `time_left 0 0` comes when main time has just run out: overtime begins.
    clock.set_left(0.0, 0);
    assert!((seconds(clock.budget(AREA, 0)) - 5.0).abs() < 1e-9);
}

#[test]
fn more_time_means_a_larger_budget() {
    let budget = |main, period| {
        seconds(
            Clock::new(TimeControl::Japanese {
                main,
                period,
                periods: 5,
            })
            .budget(AREA, 40),
        )
    };
    assert!(budget(6000.0, 10.0) > budget(60.0, 10.0));
    assert!(budget(600.0, 30.0) > budget(600.0, 10.0));
    assert!(
        budget(60.0, 10.0) > 0.8 * 10.0,
        "overtime is never left unused"
    );
    let late = Clock::new(TimeControl::Fischer {
        main: 600.0,
        increment: 0.0,
    });
    assert!(
        late.budget(AREA, 200) > late.budget(AREA, 0),
        "fewer moves are left"
    );
}
