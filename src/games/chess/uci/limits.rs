//! What a `go` allows a search.

use std::time::Duration;

use super::command::GoRequest;
use crate::minimax::Limits;
use crate::minimax::limits::{ClockState, MoveTime};
use crate::search::game::Side;

/// Time for a move where a limit was sent that cannot be read.
const UNREADABLE: Duration = Duration::from_secs(1);

/// The limits of a search for the side to move; `overhead` is the time lost on each move between client and engine.
pub fn limits(request: &GoRequest, to_move: Side, overhead: Duration) -> Limits {
    let own = to_move as usize;
    // A client that sends one clock only means both.
    let left = request.time[own].or(request.time[1 - own]);
    let millis = Duration::from_millis;
    let clock = left.map(|left| ClockState {
        left: millis(left),
        increment: millis(request.increment[own].unwrap_or(0)),
        moves_to_go: request.moves_to_go.map(|moves| moves.min(1000) as u32),
    });
    let by_clock = clock.map(|clock| clock.move_time(overhead));
    let fixed = request.move_time.map(millis);
    let fixed = fixed.map(|time| MoveTime::fixed(time, overhead));
    let small = |number: u64| number.min(10_000) as u32;
    let mut limits = Limits {
        depth: request.depth.map(|depth| small(depth).max(1)),
        nodes: request.nodes.map(|nodes| nodes.max(1)),
        win_within: request
            .mate
            .map(|moves| (2 * small(moves)).saturating_sub(1)),
        time: fixed.or(by_clock),
    };
    let has_unreadable = !request.problems.is_empty();
    if has_unreadable && limits == Limits::default() {
        limits.time = Some(MoveTime::fixed(UNREADABLE, Duration::ZERO));
    }
    if request.is_infinite {
        limits.time = None;
    }
    limits
}

#[cfg(test)]
mod tests {
    use super::super::command::Command;
    use super::*;

    /// The limits of a line, with so many milliseconds of overhead.
    fn read(line: &str, to_move: Side, overhead: u64) -> Limits {
        let Command::Go(request) = Command::parse(line) else {
            panic!("not a search");
        };
        limits(&request, to_move, Duration::from_millis(overhead))
    }

    /// Soft and hard time in microseconds.
    fn times(limits: &Limits) -> (Option<u128>, u128) {
        let time = limits.time.unwrap();
        let micros = |time: Duration| time.as_micros();
        (time.soft.map(micros), micros(time.hard))
    }

    #[test]
    fn time_is_that_of_the_side_to_move() {
        let uneven = "go wtime 60000 btime 1000";
        let added = "go btime 60000 wtime 60000 winc 2000 binc 400";
        let periods = "go wtime 60000 btime 1000 movestogo 10";
        let last = "go wtime 60000 btime 1000 movestogo 1";
        for (line, white, black) in [
            (uneven, (2_399_600, 9_598_400), (39_600, 158_400)),
            (added, (3_899_600, 15_598_400), (2_699_600, 10_798_400)),
            (periods, (5_999_000, 23_996_000), (99_000, 396_000)),
            (last, (53_991_000, 53_991_000), (891_000, 891_000)),
            // One clock is that of both.
            ("go wtime 1000", (39_600, 158_400), (39_600, 158_400)),
            ("go btime 1000", (39_600, 158_400), (39_600, 158_400)),
        ] {
            for (to_move, (soft, hard)) in [(Side::First, white), (Side::Second, black)] {
                let found = times(&read(line, to_move, 10));
                assert_eq!(found, (Some(soft), hard), "{line}, {to_move:?}");
            }
        }
    }

    #[test]
    fn overhead_is_subtracted_from_the_clock() {
        let line = "go wtime 60000 btime 1000";
        for (overhead, soft, hard) in [
            (0, 40_000, 160_000),
            (500, 20_000, 80_000),
            (2_000, 1_000, 1_000),
        ] {
            let found = times(&read(line, Side::Second, overhead));
            assert_eq!(found, (Some(soft), hard), "{overhead} ms");
        }
    }

    #[test]
    fn a_fixed_time_goes_before_the_clock() {
        let fixed = |line: &str| times(&read(line, Side::First, 10));
        assert_eq!(fixed("go movetime 500"), (None, 490_000));
        let both = "go wtime 60000 btime 60000 movetime 500";
        assert_eq!(fixed(both), (None, 490_000));
    }

    #[test]
    fn a_limit_that_cannot_be_read_is_a_second() {
        let found = read("go movetime soon", Side::First, 10);
        assert_eq!(times(&found), (None, 1_000_000));
        let found = read("go movetime soon depth 3", Side::First, 10);
        assert_eq!((found.time, found.depth), (None, Some(3)));
    }

    #[test]
    fn limits_without_time_are_kept_in_bounds() {
        let line = "go depth 0 nodes 0 mate 2 wtime 1000 infinite";
        let expected = Limits {
            depth: Some(1),
            nodes: Some(1),
            win_within: Some(3),
            time: None,
        };
        assert_eq!(read(line, Side::First, 10), expected);
        let deepest = read("go depth 99999", Side::First, 10).depth;
        assert_eq!(deepest, Some(10_000));
    }
}
