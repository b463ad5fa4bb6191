//! Positions, moves and game records as text.

use keima::games::board_game::BoardGame;
use keima::games::draughts::notation::parse_position;
use keima::games::draughts::pdn;
use keima::games::draughts::variant::VARIANTS;
use keima::games::draughts::{DraughtsPosition, Variant};
use keima::games::record::Details;
use keima::minimax::{Position, Wanted};
use keima::search::game::Side;
use rand::RngExt;
use rand::SeedableRng;

use super::position;

/// Plays at random until the game ends.
fn random_game(
    variant: &'static Variant,
    seed: u64,
) -> (
    Vec<DraughtsPosition>,
    Vec<keima::games::draughts::DraughtsMove>,
) {
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
        let record =
            DraughtsPosition::write_record(&positions[0], &played, Some(0.5), &Details::default());
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
    assert_eq!(start.text(), DraughtsPosition::start(variant).text());
    for (text, reason) in [
        ("", "begins with W: or B:"),
        ("W:W31-50", "does not list the pieces of both sides"),
        ("W:W51:B1", "there is no square '51'"),
        ("W:W31:B31", "two pieces on a square"),
        ("W:W1:B20", "a man on its last row"),
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
        let details = Details::default();
        let text = DraughtsPosition::write_record(&position(variant, "start"), &[], None, &details);
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
        let (start, _) = pdn::read(&format!("{tags}\n\n*\n")).unwrap();
        assert_eq!(start.variant().name, variant, "{tags}");
    }
    assert!(pdn::read("[Variant \"Frisian\"]\n\n*\n").is_err());
}
