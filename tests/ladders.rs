//! The ladder reader against known shapes.

use keima::go::{Board, Color, Ladders, Point, diagram, ladders};

fn board(text: &str) -> Board {
    diagram::parse(text).expect("a diagram")
}

fn catching(read: &Ladders, point: Point) -> bool {
    Color::BOTH
        .iter()
        .any(|&color| read.catching[color].contains(point))
}

/// `#` for caught stones, `*` for moves that catch, small letters for other stones.
fn picture(board: &Board, read: &Ladders) -> String {
    diagram::rows(board.size(), |point| match board.color_at(point) {
        Some(_) if read.caught.contains(point) => '#',
        Some(Color::Black) => 'x',
        Some(Color::White) => 'o',
        None if catching(read, point) => '*',
        None => '.',
    })
}

fn check(shape: &str, expected: &str) {
    let board = board(shape);
    assert_eq!(picture(&board, &ladders(&board)), expected, "{shape}");
}

const LONG_LADDER: &str = "\
........./........./...X...../...OX..../..X....../........./........./........./.........";

#[test]
fn a_ladder_runs_to_the_edge() {
    check(
        LONG_LADDER,
        "........./........./...x...../..*#x..../..x*...../........./........./........./.........",
    );
}

#[test]
fn a_breaker_leaves_one_working_move() {
    check(
        "........./........./...X...../...OX..../..X....../........./......O../........./.........",
        "........./........./...x...../...#x..../..x*...../........./......o../........./.........",
    );
}

#[test]
fn kos_count_as_escape_and_blocks_are_dropped() {
    check(
        ".XO../X.XO./OXO../.O.../.....",
        ".#o../#*xo./oxo../.o.../.....",
    );
}

#[test]
fn a_double_ko_is_death() {
    check(
        "OXX../O.OX./OOXX./.XX../.....",
        "#xx../#*#x./##xx./*xx../.....",
    );
}

#[test]
fn every_breaker_is_seen() {
    let counts = "222222222/211122222/111X02222/110OX1222/21X011122/221111112/222111112/\
                  222211112/222221122";
    let shape: Vec<char> = LONG_LADDER.replace('/', "").chars().collect();
    for (place, count) in counts.replace('/', "").chars().enumerate() {
        let Some(count) = count.to_digit(10) else {
            continue;
        };
        let mut with_breaker = shape.clone();
        with_breaker[place] = 'O';
        let rows: Vec<String> = with_breaker
            .chunks(9)
            .map(|row| row.iter().collect())
            .collect();
        let board = board(&rows.join("/"));
        let read = ladders(&board);
        let target = board.size().point_at(3 * 9 + 3);
        let working = read.catching[Color::White]
            .iter()
            .filter(|&p| board.liberty_points(target).contains(&p));
        assert_eq!(working.count() as u32, count, "breaker at {place}");
        assert_eq!(
            read.caught.contains(target),
            count > 0,
            "breaker at {place}"
        );
    }
}
