//! Matches at chess and draughts: engines over UCI and Hub, players of the program, faults, openings, resuming,
//! statistics.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use keima::arena::pairs::Pairs;
use keima::arena::played::{Kind, PlayedGame};
use keima::arena::sprt::Sprt;
use keima::arena::standing::Standing;
use serde_json::Value;

use crate::folders;
use crate::guarded::Guarded;
use crate::running::done;
use crate::under_test::{self, PROGRAM};

fn folder(name: &str) -> PathBuf {
    folders::folder(&format!("board-matches-{name}"))
}

fn play(arguments: &[&str]) -> Output {
    let mut command = under_test::program();
    command.arg("match").args(arguments).output().unwrap()
}

/// The output of a match that succeeds.
fn played(arguments: &[&str]) -> String {
    done(&[&["match"][..], arguments].concat())
}

/// What a match that fails says.
fn refused(arguments: &[&str]) -> String {
    let output = play(arguments);
    assert_ne!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

fn engine(arguments: &str) -> String {
    format!("{} {arguments}", shlex::try_quote(PROGRAM).unwrap())
}

/// The games of a log.
fn games(folder: &Path) -> Vec<PlayedGame> {
    let log = fs::read_to_string(folder.join("games.jsonl")).unwrap();
    let games = log.lines().skip(1).map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        serde_json::from_value(line["game"].clone()).unwrap()
    });
    games.collect()
}

#[test]
fn players_of_the_program_play_chess() {
    let out = folder("players");
    let options = [
        "--game",
        "chess",
        "--first",
        "alphabeta nodes=400",
        "--second",
        "random seed=3",
        "--games",
        "4",
        "--out",
        out.to_str().unwrap(),
    ];
    let text = played(&options);
    assert!(
        text.contains("4 games, chess, openings: 8 random moves, seed 1"),
        "{text}"
    );
    assert!(text.contains("endings: 4 checkmate"), "{text}");
    let log = games(&out);
    assert_eq!(log.len(), 4);
    for game in &log {
        assert_eq!(
            game.first_is_black,
            game.number % 2 == 0,
            "White comes first"
        );
        assert_eq!((game.points, game.kind), (Some(1.0), Kind::Won));
        assert_eq!((game.opening_len, game.board.as_str()), (8, "chess"));
    }
    let opening = |number: usize| log[number].moves.split(' ').take(8).collect::<Vec<_>>();
    assert_eq!(
        opening(0),
        opening(1),
        "each opening is played with both colors"
    );
    assert_ne!(opening(0), opening(2));
    let record = fs::read_to_string(out.join("pgn/game-0002.pgn")).unwrap();
    for tag in [
        "[Date \"20",
        "[Round \"2\"]",
        "[White \"random seed=3\"]",
        "[Black \"alphabeta nodes=400\"]",
        "[Result \"0-1\"]",
        "[Termination \"checkmate\"]",
    ] {
        assert!(record.contains(tag), "{tag} in {record}");
    }
    let page = fs::read_to_string(out.join("match.html")).unwrap();
    assert!(
        page.contains("alphabeta nodes=400 v random seed=3") && page.contains("♔"),
        "{page}"
    );
    assert!(page.contains("href=\"pgn/game-0004.pgn\""));
    // Again: nothing is left to be played.
    assert!(played(&options).contains("4 games are played already"));
    assert_eq!(games(&out), log);
}

#[test]
fn tree_searches_play_chess_and_draughts() {
    for (game, first, second) in [
        ("chess", "mcts visits=60 cpuctExploration=0.8", "random"),
        (
            "draughts",
            "mcts",
            "uct visits=20 playouts=2 ucb1Exploration=0.6",
        ),
    ] {
        let out = folder(&format!("trees-{game}"));
        let options = ["--game", game, "--first", first, "--second", second];
        let more = [
            "--games",
            "4",
            "--nodes",
            "40",
            "--out",
            out.to_str().unwrap(),
        ];
        played(&[&options[..], &more].concat());
        let points: f64 = games(&out).iter().filter_map(|game| game.points).sum();
        assert!(points > 2.0, "{first} v {second}: {points}");
    }
    let seed = "minimax depth=auto nodes=2000 evaluation=thesis";
    let options = ["--game", "chess", "--first", seed, "--second", "random"];
    let text = played(&[&options[..], &["--games", "2"]].concat());
    assert!(text.contains("endings: 2 checkmate"), "{text}");
    let error = refused(&[
        "--game",
        "draughts",
        "--first",
        "beam evaluation=best",
        "--second",
        "random",
    ]);
    assert!(
        error.contains("there are standard, simple, material, thesis"),
        "{error}"
    );
    let error = refused(&["--game", "chess", "--first", "mcts", "--second", "random"]);
    assert!(error.contains("nothing says how long"), "{error}");
    let error = refused(&[
        "--game",
        "chess",
        "--first",
        "mcts playouts=2",
        "--second",
        "random",
    ]);
    assert!(error.contains("'playouts=2'"), "{error}");
}

#[test]
fn engines_speak_uci_and_hub() {
    let (uci, hub) = (engine("uci"), format!("hub:{}", engine("hub")));
    let text = played(&[
        "--game",
        "chess",
        "--white",
        &uci,
        "--black",
        "alphabeta",
        "--first-option",
        "Hash=4",
        "--games",
        "1",
        "--nodes",
        "50",
    ]);
    assert!(text.contains("game 1: keima 0.1.0 - alphabeta"), "{text}");
    for (variant, result) in [
        ("international", "2-0"),
        ("russian", "1-0"),
        ("english", "0-1"),
    ] {
        let out = folder(variant);
        let text = played(&[
            "--game",
            "draughts",
            "--variant",
            variant,
            "--first",
            &hub,
            "--second",
            "random",
            "--games",
            "2",
            "--depth",
            "5",
            "--plies",
            "2",
            "--out",
            out.to_str().unwrap(),
        ]);
        assert!(
            text.contains("2 pairs") || text.contains("1 pair of games"),
            "{text}"
        );
        assert!(text.contains("endings: 2 no move left"), "{text}");
        let record = fs::read_to_string(out.join("pdn/game-0001.pdn")).unwrap();
        assert!(
            record.contains(&format!("[Result \"{result}\"]")),
            "{record}"
        );
    }
}

/// A UCI engine as a shell script, which answers `go` so.
#[cfg(unix)]
fn fake_uci(go: &str) -> String {
    let script = format!(
        "while read -r line; do case \"$line\" in uci) echo id name fake; echo \"option name Style type string\"; \
         echo uciok;; isready) echo readyok;; go*) {go};; quit) exit;; esac; done"
    );
    format!("sh -c {}", shlex::try_quote(&script).unwrap())
}

#[cfg(unix)]
#[test]
fn faults_lose_the_game_and_the_match_goes_on() {
    for (go, expected, ending) in [
        (
            "echo bestmove e2e5",
            "illegal move e2e5: e2e5 is not legal",
            "4 illegal move by fake",
        ),
        (
            "echo bestmove hello",
            "illegal move hello: 'hello' is not a move",
            "4 illegal move by fake",
        ),
        (
            "echo out of memory >&2; exit 3",
            "crash: the engine ended (exit status: 3): out of memory",
            "4 crash of fake",
        ),
        (
            "exec sleep 1000",
            "(time forfeit)",
            "4 lost on time by fake",
        ),
    ] {
        let engine = fake_uci(go);
        // On a busy machine an answer may take long.
        let is_late = go.contains("sleep");
        let time = if is_late { "0.3/move" } else { "100/move" };
        let out = folder(&format!("faults-{ending}-{}", go.len()));
        let text = played(&[
            "--game",
            "chess",
            "--first",
            &engine,
            "--second",
            "random",
            "--games",
            "4",
            "--plies",
            "2",
            "--time",
            time,
            "--out",
            out.to_str().unwrap(),
        ]);
        let record = fs::read_to_string(out.join("pgn/game-0001.pgn")).unwrap();
        assert!(
            !is_late || record.contains("[Termination \"time forfeit\"]"),
            "{record}"
        );
        assert!(text.contains(expected), "{expected} in {text}");
        assert!(text.contains(ending), "{ending} in {text}");
        assert!(
            text.contains("fake as white: 0-2\nfake as black: 0-2"),
            "{text}"
        );
    }
}

#[cfg(unix)]
#[test]
fn faults_of_hub_engines_lose_too() {
    let script = |go: &str| {
        let script = format!(
            "while read -r line; do case \"$line\" in hub) echo 'id name=fake version=1'; \
             echo 'param name=variant value=normal type=enum'; echo wait;; init) echo ready;; \
             ping) echo pong;; go*) {go};; quit) exit;; esac; done"
        );
        format!("sh -c {}", shlex::try_quote(&script).unwrap())
    };
    for (go, expected) in [
        (
            "echo 'done move=1-50'",
            "illegal move 1-50: '1-50' is illegal",
        ),
        ("echo 'error message=\"no idea\"'", "error: no idea"),
        ("exit 1", "crash: the engine ended (exit status: 1)"),
    ] {
        let text = played(&[
            "--game",
            "draughts",
            "--first",
            &script(go),
            "--second",
            "random",
            "--games",
            "2",
            "--nodes",
            "10",
        ]);
        assert_eq!(text.matches(expected).count(), 2, "{expected} in {text}");
    }
}

#[cfg(unix)]
#[test]
fn engines_that_cannot_start_are_named() {
    let chess = |first: &str, more: &[&str]| {
        let options = [
            "--game", "chess", "--first", first, "--second", "random", "--games", "2",
        ];
        refused(&[&options[..], more].concat())
    };
    let limit = ["--nodes", "10"];
    let error = chess("no-such-engine-anywhere", &limit);
    assert!(
        error.contains("cannot start the engine 'no-such-engine-anywhere'"),
        "{error}"
    );
    let error = chess("sh -c 'exit 7'", &limit);
    assert!(error.contains("exit status: 7"), "{error}");
    let fake = fake_uci("exit");
    let error = chess(&fake, &["--nodes", "10", "--first-option", "Hash=3"]);
    assert!(
        error.contains("has no option 'Hash'; it has Style"),
        "{error}"
    );
    let error = chess(&fake, &[]);
    assert!(error.contains("nothing says how long"), "{error}");
}

#[test]
fn mistakes_in_options_are_explained() {
    let both = ["--first", "random", "--second", "random"];
    let chess = |more: &[&str]| refused(&[&["--game", "chess"][..], &both, more].concat());
    for (more, expected) in [
        (&["--size", "9"][..], "--size is for Go alone"),
        (&["--variant", "russian"], "no variant 'russian' of chess"),
        (
            &["--white", "random"],
            "--white and --first are the same player",
        ),
        (&["--resign", "3"], "--resign is MOVES,SCORE"),
        (&["--draw", "3,4"], "--draw is FROM,MOVES,SCORE"),
        (&["--alpha", "0.1"], "--alpha and --beta belong to a test"),
        (&["--beta", "0.1"], "--alpha and --beta belong to a test"),
        (&["--shuffle"], "--openings"),
        (&["--time", "1+1x3"], "no Japanese overtime"),
        (&["--first-option", "Hash=3"], "for other programs"),
    ] {
        let error = chess(more);
        assert!(error.contains(expected), "{expected} in {error}");
    }
    let error = refused(&[
        "--game",
        "chess",
        "--first",
        "alphabeta speed=3",
        "--second",
        "random",
    ]);
    assert!(error.contains("'speed=3' of the player"), "{error}");
    let error = refused(&["--game", "chess", "--first", "random"]);
    assert!(error.contains("give --second or --black"), "{error}");
    let error = refused(&["--black", "a", "--white", "b", "--nodes", "3"]);
    assert!(
        error.contains("--nodes is for chess, draughts, gomoku and backgammon"),
        "{error}"
    );
    let error = refused(&[&["--game", "halma"][..], &both].concat());
    let listed = "there is no game 'halma'; there are go, chess, draughts, gomoku and backgammon";
    assert!(error.contains(listed), "{error}");
}

#[test]
fn openings_come_from_files() {
    let folder = folder("openings");
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let epd = "# two endings\n\
        4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"pawn\";\n\n\
        8/8/8/3k4/8/8/R7/K6R w - - 0 1\n";
    let text = played(&[
        "--game",
        "chess",
        "--first",
        "alphabeta nodes=300",
        "--second",
        "random",
        "--games",
        "4",
        "--openings",
        &file("endings.epd", epd),
        "--out",
        folder.join("epd").to_str().unwrap(),
    ]);
    assert!(
        text.contains("[pawn]") && text.contains("[line 4]"),
        "{text}"
    );
    let log = games(&folder.join("epd"));
    assert!(
        log[0]
            .start
            .as_deref()
            .unwrap()
            .starts_with("4k3/8/8/8/8/8/4P3/4K3 w")
    );
    let record = fs::read_to_string(folder.join("epd/pgn/game-0003.pgn")).unwrap();
    assert!(
        record.contains("[FEN \"8/8/8/3k4/8/8/R7/K6R w - - 0 1\"]"),
        "{record}"
    );

    // What is wrong in a position's own fields is no remark.
    for wrong in ["x KQkq - 0 1", "b KQkz - 0 1", "w KQkq e33 0 1"] {
        let position = format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR {wrong}\n");
        let error = refused(&[
            "--game",
            "chess",
            "--first",
            "random",
            "--second",
            "random",
            "--openings",
            &file("wrong.epd", &position),
        ]);
        assert!(error.contains("line 1: "), "{wrong}: {error}");
    }

    let pgn = "[Event \"a\"]\n[Opening \"Sicilian\"]\n\n1. e4 {best [by test]} c5 2. Nf3 *\n\n\
        [Event \"b\"]\n\n1. d4 d5 2. c4 1-0\n";
    let pgn = file("book.pgn", pgn);
    let chess = [
        "--game",
        "chess",
        "--first",
        "random",
        "--second",
        "random seed=2",
        "--games",
        "4",
        "--max-moves",
        "20",
        "--openings",
        &pgn,
    ];
    let out = folder.join("pgn");
    let text = played(
        &[
            &chess[..],
            &["--plies", "2", "--out", out.to_str().unwrap()],
        ]
        .concat(),
    );
    assert!(
        text.contains("[Sicilian]") && text.contains("[game 2]"),
        "{text}"
    );
    assert!(text.contains("endings: 4 too many moves"), "{text}");
    let log = games(&out);
    assert!(log[1].moves.starts_with("We4 Bc5 W"), "{}", log[1].moves);
    assert_eq!((log[3].opening_len, log[3].len()), (2, 20));
    // Other openings are another match.
    let error = refused(
        &[
            &chess[..],
            &["--plies", "3", "--out", out.to_str().unwrap()],
        ]
        .concat(),
    );
    assert!(
        error.contains("is of another match: boards.0.openings"),
        "{error}"
    );

    let pdn = "[GameType \"20\"]\n\n1. 32-28 19-23 2. 28x19 14x23 *\n";
    let text = played(&[
        "--game",
        "draughts",
        "--first",
        "alphabeta nodes=100",
        "--second",
        "random",
        "--games",
        "2",
        "--openings",
        &file("book.pdn", pdn),
    ]);
    assert!(text.contains("openings: 1 of book.pdn"), "{text}");
    let error = refused(&[
        "--game",
        "draughts",
        "--variant",
        "czech",
        "--first",
        "random",
        "--second",
        "random",
        "--openings",
        &file("other.pdn", pdn),
    ]);
    assert!(
        error.contains("is international draughts, not czech draughts"),
        "{error}"
    );
}

const DETERMINISTIC: [&str; 8] = [
    "--game",
    "draughts",
    "--variant",
    "czech",
    "--first",
    "alphabeta nodes=300",
    "--second",
    "minimax depth=1",
];

#[test]
fn sequential_test_is_reproduced_by_the_seed() {
    // The moves of the games up to the decision; games under way are finished after it.
    let run = |name: &str, seed: &str| {
        let out = folder(name);
        let options = [
            "--sprt",
            "0,400",
            "--games",
            "60",
            "--seed",
            seed,
            "--out",
            out.to_str().unwrap(),
        ];
        let text = played(&[&DETERMINISTIC[..], &options].concat());
        assert!(text.contains("H1 accepted"), "{text}");
        let mut standing = Standing::new(Some(Sprt::new(0.0, 400.0, 0.05, 0.05).unwrap()));
        let mut moves = Vec::new();
        for game in games(&out) {
            if standing.verdict().is_none() {
                moves.push(game.moves.clone());
                standing.add(game);
            }
        }
        moves
    };
    let moves = run("sprt-1", "5");
    assert!((4..60).contains(&moves.len()), "{} games", moves.len());
    assert_eq!(run("sprt-2", "5"), moves);
    assert_ne!(run("sprt-3", "6"), moves);
}

#[test]
fn concurrent_games_are_the_same_games() {
    let run = |name: &str, parallel: &str| {
        let out = folder(name);
        let options = [
            "--games",
            "8",
            "--parallel",
            parallel,
            "--out",
            out.to_str().unwrap(),
        ];
        let random = [
            "--game",
            "chess",
            "--first",
            "random seed=1",
            "--second",
            "alphabeta nodes=50",
        ];
        played(&[&random[..], &options].concat());
        let mut games = games(&out);
        games.sort_by_key(|game| game.number);
        games.into_iter().map(|game| game.moves).collect::<Vec<_>>()
    };
    assert_eq!(run("parallel-1", "1"), run("parallel-3", "3"));
}

#[test]
fn a_killed_match_goes_on() {
    let whole = folder("whole");
    let options = |out: &Path| {
        let more = ["--games", "12", "--out", out.to_str().unwrap()];
        [&DETERMINISTIC[..], &more]
            .concat()
            .iter()
            .map(|word| (*word).to_owned())
            .collect::<Vec<_>>()
    };
    let arguments = options(&whole);
    played(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let expected: Vec<String> = games(&whole).into_iter().map(|game| game.moves).collect();
    let killed = folder("killed");
    let mut command = under_test::program();
    command.arg("match").args(options(&killed));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = Guarded::spawn(&mut command);
    let log = killed.join("games.jsonl");
    let lines = || fs::read_to_string(&log).map_or(0, |text| text.lines().count());
    while lines() < 3 && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    drop(child);
    let text = played(
        &options(&killed)
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>(),
    );
    assert!(text.contains("games are played already"), "{text}");
    let found: Vec<String> = games(&killed).into_iter().map(|game| game.moves).collect();
    assert_eq!(found, expected);
}

/// The same results at Go and at chess are the same statistics.
#[test]
fn statistics_do_not_depend_on_the_game() {
    let out = folder("statistics");
    let options = [
        "--games",
        "16",
        "--seed",
        "9",
        "--out",
        out.to_str().unwrap(),
    ];
    let equal = [
        "--game",
        "chess",
        "--first",
        "alphabeta nodes=60",
        "--second",
        "alphabeta nodes=40",
    ];
    let text = played(&[&equal[..], &options].concat());
    let sprt = Sprt::new(-50.0, 50.0, 0.05, 0.05).unwrap();
    let (mut chess, mut go) = (Standing::new(Some(sprt)), Standing::new(Some(sprt)));
    for game in games(&out) {
        go.add(PlayedGame {
            board: "9x9".to_owned(),
            first_is_black: game.number % 2 == 1,
            kind: Kind::Counted,
            moves: format!("BD4 WE5 BC3 WA{}", game.number),
            start: None,
            ..game.clone()
        });
        chess.add(game);
    }
    assert_eq!(chess.tally(), go.tally());
    assert_eq!((chess.pairs(), chess.llr()), (go.pairs(), go.llr()));
    assert_ne!(chess.pairs(), Pairs::default());
    let tally = go.tally();
    let row = format!(
        "{:5} {:5} {:5} {:5}",
        tally.len(),
        tally.wins,
        tally.losses,
        tally.draws
    );
    assert!(text.contains(&row), "{row} in {text}");
}

#[test]
fn clear_games_are_adjudicated() {
    let text = played(&[
        "--game",
        "chess",
        "--first",
        "alphabeta nodes=300",
        "--second",
        "minimax depth=1",
        "--games",
        "2",
        "--resign",
        "2,300",
    ]);
    assert!(text.contains("won after 2 moves at 300"), "{text}");
    assert!(text.contains("endings: 2 adjudicated"), "{text}");
}

#[test]
fn engines_speak_piskvork() {
    let out = folder("gomoku");
    let piskvork = format!(
        "piskvork:{}",
        engine("piskvork --player alphabeta --nodes 300")
    );
    let options = [
        "--game",
        "gomoku",
        "--variant",
        "renju-13",
        "--first",
        &piskvork,
        "--second",
        "random seed=2",
        "--games",
        "2",
        "--nodes",
        "300",
        "--plies",
        "3",
        "--out",
        out.to_str().unwrap(),
    ];
    let text = played(&options);
    assert!(
        text.contains("game 1: keima 0.1.0 - random seed=2  1-0 (five in a row)"),
        "{text}"
    );
    assert!(text.contains("endings: 2 five in a row"), "{text}");
    let record = fs::read_to_string(out.join("psq/game-0001.psq")).unwrap();
    assert!(
        record.starts_with("Piskvorky 13x13, 11:11, 0\n"),
        "{record}"
    );
    assert!(
        record.ends_with("\nrandom seed=2\nkeima 0.1.0\n-1\n2,4\n"),
        "{record}"
    );
    // Positions as openings: their stones are told, too.
    let openings = out.join("openings.txt");
    fs::write(&openings, "h8h9i8i9j8\n").unwrap();
    let text = played(&[
        "--game",
        "gomoku",
        "--first",
        "alphabeta",
        "--second",
        &piskvork,
        "--games",
        "2",
        "--nodes",
        "300",
        "--openings",
        openings.to_str().unwrap(),
    ]);
    assert!(text.contains("endings: 2 five in a row"), "{text}");
    // Records in SGF have the opening's moves, of each game of the file.
    let sgf = out.join("openings.sgf");
    let games =
        "(;GM[4]SZ[15]\nRU[freestyle];B[hh];W[ii];B[jj])\n(;GM[4]SZ[15];B[aa](;W[bb])(;W[cc]))";
    fs::write(&sgf, games).unwrap();
    let options = "--game gomoku --first random --second random --games 4 --plies 2 --openings";
    let mut options: Vec<&str> = options.split(' ').collect();
    options.push(sgf.to_str().unwrap());
    let text = played(&options);
    assert!(
        text.contains("openings: 2 of openings.sgf") && text.contains("[game 2]"),
        "{text}"
    );
    fs::write(&openings, "h8 i9 z99\n").unwrap();
    *options.last_mut().unwrap() = openings.to_str().unwrap();
    options.retain(|option| !["--plies", "2"].contains(option));
    let error = refused(&options);
    assert!(error.contains("z99 is beyond the board"), "{error}");
    let error = refused(&[
        "--game", "gomoku", "--first", "random", "--second", "uci:x", "--nodes", "9",
    ]);
    assert!(
        error.contains("engines for gomoku speak another protocol: give piskvork:COMMAND"),
        "{error}"
    );
}

/// A program that answers every command by the same move.
#[cfg(unix)]
#[test]
fn illegal_moves_over_piskvork_lose() {
    let script = "while read -r line; do case \"$line\" in ABOUT*) echo 'name=\"fake\", version=\"1\"';; \
                  START*) echo MESSAGE hello; echo OK;; DONE*|TURN*|BEGIN*) echo DEBUG thinking; echo 7,7;; END*) exit;; esac; done";
    let fake = format!("sh -c {}", shlex::try_quote(script).unwrap());
    let text = played(&[
        "--game", "gomoku", "--first", &fake, "--second", "random", "--games", "2", "--nodes", "9",
        "--plies", "0",
    ]);
    assert!(text.contains("fake 1"), "{text}");
    assert!(text.contains("h8 is occupied"), "{text}");
}

/// Some programs lose a line that comes right after their answer.
#[cfg(target_os = "linux")]
#[test]
fn engines_of_piskvork_have_a_pause_after_their_answers() {
    let out = folder("pause");
    let times = out.join("times");
    // Notes how many milliseconds after it began to answer the next line comes.
    let script = format!(
        "now() {{ date +%s%3N; }}; answer() {{ t=$(now); echo 7,$1; }}; row=0; t=; while read -r line; do \
         test -n \"$t\" && echo $(($(now) - t)) >> {}; t=; case \"$line\" in ABOUT*) echo 'name=\"fake\"';; \
         START*) echo OK;; DONE*|TURN*|BEGIN*) answer $row; row=$((row + 1));; END*) exit;; esac; done",
        times.display()
    );
    let fake = format!("sh -c {}", shlex::try_quote(&script).unwrap());
    played(&[
        "--game", "gomoku", "--first", &fake, "--second", "random", "--games", "1", "--nodes", "9",
        "--plies", "0",
    ]);
    let times = fs::read_to_string(&times).unwrap();
    let pauses = times.lines().map(|line| line.parse::<u64>().unwrap());
    let within = pauses.filter(|&time| time < 45).count();
    // After the last answer the game is over.
    assert!(times.lines().count() > 2 && within <= 1, "{times}");
}

#[test]
fn round_robins_end_with_a_table_and_go_on() {
    let out = folder("round-robin");
    let players = out.join("players.txt");
    fs::write(
        &players,
        "# by strength\nalphabeta\nrandom\n\nminimax depth=1\n",
    )
    .unwrap();
    let options = [
        "--game",
        "draughts",
        "--variant",
        "dama8",
        "--players",
        players.to_str().unwrap(),
        "--games",
        "4",
        "--nodes",
        "200",
        "--out",
        out.to_str().unwrap(),
    ];
    let text = played(&options);
    let table = |text: &str| text.rsplit("\n\n").next().unwrap().to_owned();
    assert!(table(&text).contains("1  alphabeta"), "{text}");
    assert!(table(&text).contains("% of 8 games"), "{text}");
    for pair in ["1-2", "1-3", "2-3"] {
        assert_eq!(games(&out.join(pair)).len(), 4);
    }
    fs::remove_dir_all(out.join("2-3")).unwrap();
    let again = played(&options);
    assert_eq!(
        again.matches("4 games are played already").count(),
        2,
        "{again}"
    );
    assert_eq!(table(&again), table(&text));

    let error = refused(&[
        "--game",
        "chess",
        "--players",
        "x",
        "--first",
        "random",
        "--out",
        "y",
    ]);
    assert!(error.contains("cannot be used with"), "{error}");
    let error = refused(&["--game", "chess", "--players", "x"]);
    assert!(error.contains("--out"), "{error}");
}

/// Two players of the program at short games of chess.
const SHORT: [&str; 8] = [
    "--game",
    "chess",
    "--first",
    "random",
    "--second",
    "random seed=2",
    "--max-moves",
    "12",
];

#[test]
fn a_match_goes_on_in_the_file_that_is_named() {
    let file = folder("resume").join("games.jsonl");
    let game_lines = |games: &str| {
        let more = ["--games", games, "--resume", file.to_str().unwrap()];
        let text = played(&[&SHORT[..], &more].concat());
        let log = fs::read_to_string(&file).unwrap();
        let lines: Vec<String> = log.lines().skip(1).map(str::to_owned).collect();
        (text, lines)
    };
    let (text, first) = game_lines("2");
    assert!(!text.contains("played already"), "{text}");
    assert_eq!(first.len(), 2);
    let (text, all) = game_lines("6");
    assert!(text.contains("2 games are played already"), "{text}");
    assert_eq!((&all[..2], all.len()), (&first[..], 6));
    let other = ["--plies", "3", "--resume", file.to_str().unwrap()];
    let error = refused(&[&SHORT[..], &other].concat());
    assert!(error.contains("of another match"), "{error}");
}

#[test]
fn openings_are_shuffled_by_the_seed() {
    let folder = folder("shuffled");
    let epd = folder.join("pawns.epd");
    let pawns = ["P7", "1P6", "2P5", "3P4", "4P3", "5P2", "6P1", "7P"];
    let lines = pawns.map(|pawn| format!("4k3/8/8/8/8/8/{pawn}/4K3 w - - 0 1\n"));
    fs::write(&epd, lines.concat()).unwrap();
    let starts = |out: &str, more: &[&str]| -> Vec<String> {
        let out = folder.join(out);
        let files = [
            "--openings",
            epd.to_str().unwrap(),
            "--out",
            out.to_str().unwrap(),
        ];
        played(&[&SHORT[..], &["--games", "16"], &files, more].concat());
        let mut games = games(&out);
        games.sort_by_key(|game| game.number);
        let pairs = games.chunks(2).map(|pair| {
            assert_eq!(pair[0].start, pair[1].start);
            pair[0].start.clone().unwrap()
        });
        pairs.collect()
    };
    let in_order = starts("plain", &[]);
    let shuffled = starts("one", &["--shuffle", "--seed", "5"]);
    assert_ne!(shuffled, in_order);
    assert_eq!(starts("again", &["--shuffle", "--seed", "5"]), shuffled);
    assert_ne!(starts("other", &["--shuffle", "--seed", "6"]), shuffled);
    let mut sorted = [in_order, shuffled];
    sorted.iter_mut().for_each(|starts| starts.sort());
    assert_eq!(sorted[0], sorted[1], "each is used once");
}

#[cfg(unix)]
#[test]
fn each_engine_gets_its_own_options() {
    let folder = folder("engine-options");
    let told = |name: &str| folder.join(name);
    let engine = |name: &str| {
        let note = format!("echo \"$line\" >> '{}'", told(name).display());
        fake_uci("echo bestmove 0000")
            .replace("quit) exit", &format!("setoption*) {note};; quit) exit"))
    };
    let options = [
        "--game",
        "chess",
        "--first",
        &engine("first"),
        "--second",
        &engine("second"),
        "--games",
        "1",
        "--nodes",
        "10",
    ];
    let more = [
        "--first-option",
        "Style=calm",
        "--second-option",
        "Style=wild",
    ];
    played(&[&options[..], &more].concat());
    for (name, style) in [("first", "calm"), ("second", "wild")] {
        let text = fs::read_to_string(told(name)).unwrap();
        assert_eq!(
            text.lines().next(),
            Some(&*format!("setoption name Style value {style}"))
        );
        assert_eq!(text.lines().count(), 1, "{text}");
    }
    let error = refused(&[&options[..], &["--second-option", "Hash=3"]].concat());
    assert!(
        error.contains("has no option 'Hash'; it has Style"),
        "{error}"
    );
}

#[cfg(unix)]
#[test]
fn an_engine_that_never_moves_loses_without_a_clock() {
    let text = played(&[
        "--game",
        "chess",
        "--first",
        &fake_uci("exec sleep 1000"),
        "--second",
        "random",
        "--games",
        "2",
        "--nodes",
        "10",
        "--move-timeout",
        "0.3",
    ]);
    assert!(text.contains("crash: no answer"), "{text}");
    assert!(text.contains("endings: 2 crash of fake"), "{text}");
}

#[cfg(unix)]
#[test]
fn late_moves_count_within_the_margin() {
    let late = fake_uci("sleep 0.6; echo bestmove 0000");
    let ending = |margin: &str| {
        let options = ["--game", "chess", "--first", &late, "--second", "random"];
        let times = ["--time", "0.3/move", "--time-margin", margin];
        played(&[&options[..], &times, &["--games", "2"]].concat())
    };
    let text = ending("100");
    assert!(text.contains("endings: 2 illegal move by fake"), "{text}");
    let text = ending("0");
    assert!(text.contains("endings: 2 lost on time by fake"), "{text}");
}

#[cfg(unix)]
#[test]
fn engines_must_start_in_time() {
    let options = ["--game", "chess", "--first", "sleep 1000", "--second"];
    let limits = ["random", "--nodes", "10", "--timeout", "0.3"];
    let error = refused(&[&options[..], &limits].concat());
    assert!(error.contains("no answer to 'uci'"), "{error}");
}

#[test]
fn even_games_are_adjudicated_as_draws() {
    let options = ["--game", "chess", "--first", "alphabeta nodes=50"];
    let more = [
        "--second",
        "minimax depth=1",
        "--games",
        "2",
        "--max-moves",
        "40",
    ];
    let text = played(&[&options[..], &more, &["--draw", "10,2,30000"]].concat());
    assert!(text.contains("endings: 2 adjudicated"), "{text}");
    assert_eq!(text.matches("1/2-1/2 (adjudicated)").count(), 2, "{text}");
}
