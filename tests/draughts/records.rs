//! Positions, moves and game records as text.

use keima::games::board_game::BoardGame;
use keima::games::draughts::notation::parse_position;
use keima::games::draughts::pdn;
use keima::games::draughts::variant::VARIANTS;
use keima::games::draughts::{DraughtsMove, DraughtsPosition, Variant};
use keima::games::record::Details;
use keima::minimax::{Position, Wanted};
use keima::search::game::Side;
use rand::RngExt;
use rand::SeedableRng;

use super::position;

/// Plays at random until the game ends.
fn random_game(variant: &'static Variant, seed: u64) -> (Vec<DraughtsPosition>, Vec<DraughtsMove>) {
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let mut positions = vec![DraughtsPosition::start(variant)];
    let mut played = Vec::new();
    while played.len() < 150 {
        let mut position = positions.last().unwrap().clone();
        let mut moves = Vec::new();
        position.moves(Wanted::All, &mut moves);
        if moves.is_empty() {
            break;
        }
        let mv = moves[random.random_range(0..moves.len())];
        position.play(mv);
        played.push(mv);
        positions.push(position);
    }
    (positions, played)
}

/// A record without names.
fn written(start: &DraughtsPosition, moves: &[DraughtsMove], result: Option<f64>) -> String {
    DraughtsPosition::write_record("pdn", start, moves, result, &Details::default())
}

#[test]
fn positions_moves_and_records_read_back() {
    for (variant, seed) in VARIANTS
        .iter()
        .flat_map(|variant| (0..20).map(move |seed| (variant, seed)))
    {
        let (positions, played) = random_game(variant, seed);
        for (position, mv) in positions.iter().zip(&played) {
            let text = position.move_text(*mv);
            assert_eq!(
                position.read_move(&text).unwrap(),
                *mv,
                "{}: {text}",
                position.text()
            );
        }
        for position in &positions {
            let read = parse_position(variant, &position.text()).unwrap();
            assert_eq!(read.text(), position.text());
            assert_eq!(
                read.key(),
                position.key(),
                "the hash of {}",
                position.text()
            );
        }
        let record = written(&positions[0], &played, Some(0.5));
        let (start, read) = DraughtsPosition::read_record(&record).unwrap();
        assert_eq!(start, positions[0], "{record}");
        assert_eq!(read, played, "{record}");
    }
}

#[test]
fn positions_may_be_written_in_many_ways() {
    let variant = Variant::named(Some("international")).unwrap();
    let start = parse_position(variant, "W:W31-50:B1-20").unwrap();
    for text in [
        "W:B1-20:W31-50",
        "W:W31-50:B1-20.",
        "w:w31-50:b1-20:H0:F1",
        "\"W:W31-40,41-50:B1-20\"",
    ] {
        assert_eq!(parse_position(variant, text).unwrap(), start, "{text}");
    }
    let crowned = parse_position(variant, "W:W1,6:B20,50").unwrap();
    assert_eq!(crowned.text(), "W:WK1,6:B20,K50");
    assert_eq!(start.text(), DraughtsPosition::start(variant).text());
    for (text, reason) in [
        ("", "begins with W: or B:"),
        ("W:W31-50", "does not list the pieces of both sides"),
        ("W:W51:B1", "there is no square '51'"),
        ("W:W31:B31", "two pieces on a square"),
        ("W:W9-8:B20", "the range 9-8 is empty"),
        ("W:W31:W32:B1", "a second list of the same side"),
        ("W:X31:B1", "begins with neither W nor B"),
    ] {
        let error = format!("{:#}", parse_position(variant, text).unwrap_err());
        assert!(error.contains(reason), "{text}: {error}");
    }
}

#[test]
fn squares_are_numbered_as_game_types_say() {
    for (variant, game_type) in [
        ("international", "20,W,10,10,N2,0"),
        ("english", "21,B,8,8,N1,0"),
        ("italian", "22,W,8,8,N2,1"),
        ("spanish", "24,W,8,8,N1,1"),
    ] {
        let text = written(&position(variant, "start"), &[], None);
        let tag = format!("[GameType \"{game_type}\"]");
        assert!(text.contains(&tag), "{tag} in {text}");
    }
    // Spanish ones from White's right.
    let text = "[GameType \"24,W,8,8,N1,1\"]\n\n1. 10-14 23-19 2. 14x23 *\n";
    let (start, moves) = DraughtsPosition::read_record(text).unwrap();
    assert!(
        start.text().starts_with("W:W1,2,3,4,5,"),
        "{}",
        start.text()
    );
    assert_eq!(moves.len(), 3);
    let corners = position("spanish", "W:WK1:BK32").diagram(Side::First);
    assert!(corners.starts_with(" 32  B"), "{corners}");
    assert!(corners.ends_with("\n  4    .   .   .   W"), "{corners}");
    let turned = position("spanish", "W:WK1:BK32").diagram(Side::Second);
    assert!(turned.starts_with("  1  W   .   .   .\n"), "{turned}");
    assert!(turned.ends_with("   B"), "{turned}");
}

#[test]
fn records_of_others_are_read() {
    let text = "[Event \"a {game}\"]\n[GameType \"20,W,10,10,N2,0\"]\n[Result \"2-0\"]\n\n\
        1. 32-28 {good} 18-23 (1... 19-23 2. 28x19) 2.28-22 17x28 $2 3. 33:22! 2-0\n";
    let (start, moves) = DraughtsPosition::read_record(text).unwrap();
    assert_eq!((start.variant().name, moves.len()), ("international", 5));
    let mut end = start;
    moves.into_iter().for_each(|mv| end.play(mv));
    assert_eq!(end, {
        let mut other = position("international", "start");
        for mv in ["32-28", "18-23", "28-22", "17x28", "33x22"] {
            let mv = other.read_move(mv).unwrap();
            other.play(mv);
        }
        other
    });
    let played = |text| DraughtsPosition::read_record(text).unwrap().1.len();
    let apart = "1. 32-28* ! 18-23+ 2. 28-22 0-0\n";
    assert_eq!(played(apart), 3);
    assert_eq!(played("1. 32-28 * 18-23"), 1);
    for (text, reason) in [
        (
            "[GameType \"99\"]\n\n*",
            "names a variant that is not known",
        ),
        ("1. 32-28 18-23 2. 28x20", "move 2"),
        ("[FEN \"W:W60:B1\"]\n\n*", "the tag FEN"),
    ] {
        let error = format!("{:#}", DraughtsPosition::read_record(text).unwrap_err());
        assert!(error.contains(reason), "{text}: {error}");
    }
}

#[test]
fn variants_of_other_programs_are_told_by_their_number() {
    let rows = [
        (
            "[GameType \"20\"]\n[Variant \"Standard (international) checkers\"]",
            "international",
        ),
        (
            "[GameType \"25\"]\n[Variant \"Russian draughts\"]",
            "russian",
        ),
        ("[Variant \"Russian\"]", "russian"),
        ("[GameType \"29\"]\n[Variant \"dama8\"]", "dama8"),
    ];
    for (tags, variant) in rows {
        let (start, _) = pdn::read(&VARIANTS[0], &format!("{tags}\n\n*\n")).unwrap();
        assert_eq!(start.variant().name, variant, "{tags}");
    }
    assert!(pdn::read(&VARIANTS[0], "[Variant \"Frisian\"]\n\n*\n").is_err());
}

#[test]
fn records_without_a_variant_are_of_the_one_being_played() {
    let english = position("english", "start");
    let (start, moves) = english.another_record("1. 11-15 23-19 *\n").unwrap();
    assert_eq!((start.variant().name, moves.len()), ("english", 2));
    let tagged = "[GameType \"25\"]\n\n1. 22-18 *\n";
    let (start, _) = english.another_record(tagged).unwrap();
    assert_eq!(start.variant().name, "russian");
}

#[test]
fn results_name_the_side_that_begins_first() {
    for (variant, points, result) in [
        ("english", 0.0, "1-0"),
        ("english", 1.0, "0-1"),
        ("english", 0.5, "1/2-1/2"),
        ("italian", 1.0, "1-0"),
        ("international", 0.0, "0-2"),
    ] {
        let start = position(variant, "start");
        let text = written(&start, &[], Some(points));
        let tag = format!("[Result \"{result}\"]");
        assert!(
            text.contains(&tag) && text.ends_with(&format!("{result}\n")),
            "{text}"
        );
        let heading = start.read_heading(&text);
        assert_eq!(heading.result, Some(points), "{text}");
    }
}

#[test]
fn habits_of_other_programs_are_understood() {
    let played = |text: &str| DraughtsPosition::read_record(text).unwrap().1.len();
    let tag = "[GameType \"21\"]\n";
    let padded = format!("{tag}\n1. 11-15 23-19 2.  8-11 22-17 3.4- 8 *\n");
    assert_eq!(played(&padded), 5);
    let padded = format!("{tag}[FEN \"W:W13,32:B9,12\"]\n\n1. 13x 6 12-16 *\n");
    assert_eq!(played(&padded), 2);
    // Left or right, two pieces each.
    let short = format!("{tag}[FEN \"W:W26:B14,15,22,23\"]\n\n1. 26x10 *\n");
    assert_eq!(played(&short), 1);
    let at = position("english", "W:W26:B14,15,22,23");
    let error = at.read_move("26x10").unwrap_err().to_string();
    assert!(error.contains("is ambiguous"), "{error}");
    assert_eq!(played("[Result \"4-6\"]\n\n1. 32-28 4-6\n"), 1);
    assert_eq!(played("1. 32-28 1/2 18-23\n"), 1);
}
