//! Records written with remarks and variations.

use keima::formats::sgf::{
    self, Annotation, Beside, Info, ReadOptions, Reading, Variation, write_annotated,
};
use keima::go::{Color, GameRecord, Move, Point};

fn read(text: &str) -> Reading {
    sgf::read(text.as_bytes(), &ReadOptions::default()).unwrap()
}

fn variation(color: Color, point: Point, next: Vec<Variation>) -> Variation {
    Variation {
        color,
        mv: Move::Play(point),
        comment: "a [better] one \\ here".to_owned(),
        next,
    }
}

#[test]
fn annotations_stand_at_their_moves() {
    let game = read("(;SZ[9];B[cc]C[own];W[dd];B[ee])").record;
    let line = variation(
        Color::White,
        Point::new(0, 8),
        vec![variation(Color::Black, Point::new(1, 8), Vec::new())],
    );
    let annotations = [
        Annotation::default(),
        Annotation {
            properties: vec![("BM", "1".to_owned()), ("DO", String::new())],
            comment: "bad ]".to_owned(),
            variations: vec![line.clone(), line],
        },
    ];
    let text = write_annotated(&game, &[], &annotations, &Beside::default());
    let expected = "\n;B[cc]BM[1]DO[]C[own\nbad \\]]\n(;W[dd]\n;B[ee])\
        \n(;W[aa]C[a [better\\] one \\\\ here];B[ba]C[a [better\\] one \\\\ here])\
        \n(;W[aa]C[a [better\\] one \\\\ here];B[ba]C[a [better\\] one \\\\ here]))\n";
    assert!(text.ends_with(expected), "{text}");
    let again = read(&text);
    assert!(again.remarks.is_empty(), "{:?}", again.remarks);
    assert_eq!(again.record.comments[&1], "own\nbad ]");
    assert_eq!(again.record.moves, game.moves);
}

#[test]
fn escapes_of_properties_that_are_only_kept_stay() {
    let text = r"(;SZ[9]XX[a\:b:c][d\]];B[cc]LB[bb:a\:b];LB[cc:\\x\]](;W[dd])(;W[ee]GN[e\:f]))";
    let read = |text: &str| {
        let options = ReadOptions::default();
        sgf::read_with_variations(text.as_bytes(), &options).unwrap()
    };
    let (Reading { record, info, .. }, beside) = read(text);
    let written = write_annotated(&record, &info, &[], &beside);
    for kept in [
        r"XX[a\:b:c][d\]]",
        r"LB[bb:a\:b][cc:\\x\]]",
        r";W[ee]GN[e\:f]",
    ] {
        assert!(written.contains(kept), "{kept} in {written}");
    }
    assert_eq!(read(&written).1.lines, beside.lines);
}

/// Branches within branches are neither written nor read by recursion.
#[test]
fn games_may_branch_at_every_move() {
    let mut game = read("(;SZ[9]RE[B+R])").record;
    let count = 30_000;
    let colors = [Color::Black, Color::White].into_iter().cycle();
    game.moves = colors
        .take(count)
        .map(|color| (color, Move::Pass))
        .collect();
    let branch = |index: usize| {
        let color = game.moves.get(index).map_or(Color::Black, |mv| mv.0);
        Annotation {
            variations: vec![variation(color, Point::new(4, 4), Vec::new())],
            ..Annotation::default()
        }
    };
    let annotations: Vec<Annotation> = (0..=count).map(branch).collect();
    let text = write_annotated(&game, &[], &annotations, &Beside::default());
    // The variation after the last move continues the game.
    let again = read(&text).record;
    assert_eq!(again.moves.len(), count + 1);
    assert_eq!(again.moves[..count], game.moves);
    assert_eq!(text.matches('(').count(), 2 * count + 1);
    assert_eq!(text.matches(')').count(), 2 * count + 1);
}

#[test]
fn facts_about_the_game_are_kept() {
    let text = "(;SZ[9]PB[A]PC[Tokyo [old\\]]RO[1]TM[60]RE[who knows]PC[again]AP[X:1]US[me];B[cc]ON[late])";
    let Reading { record, info, .. } = read(text);
    let names = |info: &[Info]| -> Vec<String> {
        info.iter()
            .map(|it| format!("{} {}", it.name, it.value))
            .collect()
    };
    let expected = [
        "PC Tokyo [old]",
        "RO 1",
        "TM 60",
        "RE who knows",
        "US me",
        "ON late",
    ];
    assert_eq!(names(&info), expected);
    let written = write_annotated(&record, &info, &[], &Beside::default());
    let again = read(&written);
    assert_eq!(names(&again.info), expected);
    assert_eq!(
        GameRecord {
            comments: record.comments.clone(),
            ..again.record
        },
        record
    );
}
