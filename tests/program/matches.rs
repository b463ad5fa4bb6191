//! Statistics of matches: pairs, sequential tests, the log of a match, its page, and gates.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use keima::arena::log::{Heading, MatchLog};
use keima::arena::pairs::Pairs;
use keima::arena::played::{Kind, PlayedGame};
use keima::arena::sprt::{Sprt, Verdict, expected_score};
use keima::arena::standing::Standing;
use keima::formats::sgf;
use regex::Regex;
use serde_json::Value;

use crate::folders;
use crate::leela_text::leela_zero;
use crate::running::{self, text};
use crate::under_test::PROGRAM;

fn sprt(elo0: f64, elo1: f64) -> Sprt {
    Sprt::new(elo0, elo1, 0.05, 0.05).unwrap()
}

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{found}, not {expected}"
    );
}

/// Computed by fishtest's `LLRcalc.LLR_logistic`.
#[test]
fn pair_ratios_equal_fishtest() {
    let known = [
        ([3, 20, 50, 22, 5], 0.0, 20.0, 0.040_320_372_416_706_79),
        ([3, 20, 50, 22, 5], 0.0, 5.0, 0.178_380_224_381_881_25),
        ([3, 20, 50, 22, 5], -10.0, 10.0, 0.934_472_911_388_982_9),
        ([0, 10, 30, 12, 0], 0.0, 20.0, -0.270_414_536_288_852_04),
        ([0, 10, 30, 12, 0], 0.0, 5.0, 0.085_226_848_211_516),
        ([12, 40, 60, 30, 8], 0.0, 20.0, -2.997_301_135_158_272_3),
        ([12, 40, 60, 30, 8], -10.0, 10.0, -2.057_973_200_426_021_6),
    ];
    for (counts, elo0, elo1, llr) in known {
        close(sprt(elo0, elo1).llr(&counts), llr, 1e-9);
    }
}

/// Two digits each, from the tests of fastchess.
#[test]
fn ratios_equal_fastchess() {
    close(sprt(0.5, 2.5).llr(&[21184, 40708, 21404]), -1.57, 0.01);
    close(sprt(0.0, 2.0).llr(&[57030, 106_593, 57433]), -2.59, 0.01);
    close(
        sprt(0.5, 2.5).llr(&[223, 9863, 21279, 10037, 246]),
        -3.07,
        0.01,
    );
    close(
        sprt(0.0, 2.0).llr(&[871, 26175, 55983, 26678, 821]),
        -4.98,
        0.01,
    );
}

/// The greatest log-likelihood of wins, draws and losses with this expected score, by trying all
/// shares of draws.
fn best_with_score(losses: f64, draws: f64, wins: f64, score: f64) -> f64 {
    let likelihood = |draw: f64| {
        let (win, loss) = (score - draw / 2.0, 1.0 - score - draw / 2.0);
        losses * loss.ln() + draws * draw.ln() + wins * win.ln()
    };
    let most = 2.0 * score.min(1.0 - score);
    let tried = (1..100_000).map(|step| likelihood(most * f64::from(step) / 100_000.0));
    tried.fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn ratios_equal_maximum_likelihood() {
    for ((losses, draws, wins), (elo0, elo1)) in [
        ((30, 5, 50), (0.0, 30.0)),
        ((80, 20, 60), (-20.0, 60.0)),
        ((1, 1, 1), (0.0, 200.0)),
    ] {
        let at = |elo| {
            let [losses, draws, wins] = [losses, draws, wins].map(f64::from);
            best_with_score(losses, draws, wins, expected_score(elo))
        };
        let llr = sprt(elo0, elo1).llr(&[losses, draws, wins]);
        close(llr, at(elo1) - at(elo0), 1e-5);
        // Pairs that all give 0, 1 or 2 points are the same three cells, but for empty ones.
        let pairs = sprt(elo0, elo1).llr(&[losses, 0, draws, 0, wins]);
        close(pairs, llr, 1e-3);
        // From the other side's point of view, the hypotheses are exchanged.
        let other = sprt(-elo1, -elo0).llr(&[wins, draws, losses]);
        close(other, -llr, 1e-9);
    }
}

#[test]
fn tests_end_at_wald_bounds() {
    let (lower, upper) = sprt(0.0, 30.0).bounds();
    close(lower, -(19f64.ln()), 1e-12);
    close(upper, 19f64.ln(), 1e-12);
    let (lower, upper) = Sprt::new(0.0, 10.0, 0.05, 0.1).unwrap().bounds();
    close(lower, -2.251, 1e-3);
    close(upper, 2.890, 1e-3);
    let test = sprt(0.0, 30.0);
    let cases = [
        (2.95, Some(Verdict::H1)),
        (2.94, None),
        (-2.94, None),
        (-2.95, Some(Verdict::H0)),
    ];
    for (llr, verdict) in cases {
        assert_eq!(test.verdict(llr), verdict, "{llr}");
    }
    assert_eq!(test.llr(&[0; 5]), 0.0);
    for (elo0, elo1, alpha, beta) in [
        (30.0, 0.0, 0.05, 0.05),
        (0.0, 0.0, 0.05, 0.05),
        (0.0, f64::NAN, 0.05, 0.05),
        (0.0, 1e6, 0.05, 0.05),
        (0.0, 30.0, 0.0, 0.05),
        (0.0, 30.0, 0.05, 0.7),
    ] {
        assert!(Sprt::new(elo0, elo1, alpha, beta).is_err());
    }
}

#[test]
fn pairs_have_scores_and_intervals() {
    let mut pairs = Pairs::default();
    assert_eq!((pairs.score(), pairs.interval()), (None, None));
    for points in [0.0, 0.5, 1.0, 1.5, 2.0, 2.0] {
        pairs.add(points);
    }
    assert_eq!(pairs, Pairs([1, 1, 1, 1, 2]));
    close(pairs.score().unwrap(), 7.0 / 12.0, 1e-12);
    // With many pairs: 1.96 standard deviations.
    let many = Pairs([100, 0, 500, 0, 400]);
    let interval = many.interval().unwrap();
    let deviation = (0.1 * 0.65f64.powi(2) + 0.5 * 0.15f64.powi(2) + 0.4 * 0.35f64.powi(2)).sqrt();
    let reach = 1.96 * deviation / 1000f64.sqrt();
    close(interval.low, 0.65 - reach, 1e-3);
    close(interval.high, 0.65 + reach, 1e-3);
    // Pairs that are all equal still leave doubt.
    let interval = Pairs([0, 0, 20, 0, 0]).interval().unwrap();
    assert!(interval.low < 0.49 && interval.high > 0.51, "{interval:?}");
    let interval = Pairs([0, 0, 0, 0, 20]).interval().unwrap();
    assert_eq!(interval.high, 1.0);
    close(interval.low, (-1.92f64 / 20.0).exp(), 0.01);
}

fn played(number: usize, points: Option<f64>) -> PlayedGame {
    PlayedGame {
        number,
        board: "9x9".to_owned(),
        opening: String::new(),
        first_is_black: number % 2 == 1,
        names: ["one".to_owned(), "two".to_owned()],
        points,
        kind: Kind::Counted,
        remark: None,
        result: "?".to_owned(),
        opening_len: 0,
        seconds: [1.0, 2.0],
        // Another game for each number.
        moves: format!("BD4 WE5 BC3 WA{number}"),
        start: None,
        repeats: None,
    }
}

#[test]
fn pairs_count_when_both_games_have_a_result() {
    let mut standing = Standing::new(Some(sprt(0.0, 400.0)));
    for (number, points) in [(3, 1.0), (1, 1.0), (2, 0.0), (7, 0.5), (8, 1.0)] {
        standing.add(played(number, Some(points)));
    }
    standing.add(played(5, None));
    standing.add(played(6, Some(1.0)));
    assert_eq!(standing.pairs(), Pairs([0, 0, 1, 1, 0]));
    assert_eq!(standing.course().len(), 2);
    let tally = standing.tally();
    assert_eq!(
        (tally.wins, tally.losses, tally.draws, tally.void),
        (4, 1, 1, 1)
    );
    assert_eq!(standing.verdict(), None);
    for number in 9..29 {
        standing.add(played(number, Some(1.0)));
    }
    assert_eq!(standing.verdict(), Some(Verdict::H1));
    // It stays, whatever the games after it.
    for number in 29..99 {
        standing.add(played(number, Some(0.0)));
    }
    assert_eq!(standing.verdict(), Some(Verdict::H1));
    assert!(standing.llr().unwrap() < -3.0);
}

#[test]
fn repeated_games_count_once() {
    let mut standing = Standing::new(None);
    for number in 1..=2 {
        standing.add(played(number, Some(1.0)));
    }
    let again = |number: usize, earlier: usize| PlayedGame {
        number,
        ..played(earlier, Some(1.0))
    };
    for game in [again(3, 1), again(4, 2), again(5, 1)] {
        standing.add(game);
    }
    standing.add(played(6, Some(1.0)));
    assert_eq!(standing.repeats(), 3);
    assert_eq!(standing.games()[3].repeats, Some(2));
    assert_eq!(standing.tally().wins, 3);
    assert_eq!(standing.pairs(), Pairs([0, 0, 0, 0, 1]));
    // The clock ends no two games alike, and other colors are another game.
    for number in [7, 9] {
        let kind = Kind::OutOfTime;
        standing.add(PlayedGame {
            kind,
            ..again(number, 1)
        });
    }
    let first_is_black = false;
    standing.add(PlayedGame {
        first_is_black,
        ..again(8, 1)
    });
    assert_eq!(standing.repeats(), 3);
}

fn folder(name: &str) -> PathBuf {
    folders::folder(&format!("matches-{name}"))
}

fn heading(engine: &str) -> Heading {
    Heading {
        format: 1,
        engines: [engine.to_owned(), "b".to_owned()],
        boards: Vec::new(),
    }
}

#[test]
fn match_log_resumes_after_truncated_line() {
    let path = folder("log").join("games.jsonl");
    let open = |engine| MatchLog::open(&path, &heading(engine));
    let games: Vec<PlayedGame> = (1..=3).map(|n| played(n, Some(1.0))).collect();
    let (mut log, found) = open("a").unwrap();
    assert!(found.is_empty());
    assert!(open("a").is_err(), "somebody else is at it");
    for game in &games {
        log.add(game).unwrap();
    }
    drop(log);
    // Whatever the last line was cut to, the others are there and the next follows.
    let whole = fs::read(&path).unwrap();
    let two = whole[..whole.len() - 1]
        .iter()
        .rposition(|&byte| byte == b'\n')
        .unwrap()
        + 1;
    for cut in [two, two + 1, two + 30, whole.len() - 1] {
        fs::write(&path, &whole[..cut]).unwrap();
        let (mut log, found) = open("a").unwrap();
        assert_eq!(found, games[..2], "cut to {cut}");
        log.add(&games[2]).unwrap();
        assert_eq!(fs::read(&path).unwrap(), whole);
    }
    assert_eq!(open("a").unwrap().1, games);
    let error = open("other").map(drop).unwrap_err().to_string();
    assert!(error.contains("another match: engines.0"), "{error}");
    let text = String::from_utf8(whole).unwrap();
    fs::write(&path, text.replacen("\"points\":1.0", "\"points\":x", 1)).unwrap();
    let error = open("a").map(drop).unwrap_err().to_string();
    assert!(error.contains("line 2"), "{error}");
    // Other files are unchanged.
    fs::write(&path, "(;FF[4])").unwrap();
    assert!(open("a").is_err());
    assert_eq!(fs::read(&path).unwrap(), b"(;FF[4])");
}

fn engine(arguments: &str) -> String {
    format!("{} {arguments}", shlex::try_quote(PROGRAM).unwrap())
}

const STRONG: &str = "--player rollout --visits 60 --threads 1 --seed 1";

/// A match that the first player wins, in a folder. No two pairs have the same opening: the engines
/// have fixed seeds.
fn one_sided(folder: &str, more: &[&str]) -> Output {
    let openings = [5, 7].map(|size| {
        let path = format!("{folder}/openings-{size}.txt");
        let columns = "ABCDEFG".chars().take(size);
        let vertices =
            columns.flat_map(|column| (1..=size).map(move |row| format!("{column}{row}\n")));
        fs::write(&path, vertices.collect::<String>()).unwrap();
        path
    });
    let (black, white) = (engine(STRONG), engine("--player random --seed 2"));
    let options = [
        "match",
        "--black",
        &black,
        "--white",
        &white,
        "--size",
        "5,7",
        "--komi",
        "0.5",
        "--rules",
        "tromp-taylor",
        "--openings",
        &openings[0],
        "--openings",
        &openings[1],
        "--out",
        folder,
    ];
    running::run(&[&options[..], more].concat(), "")
}

#[test]
fn a_match_ends_when_its_test_is_decided() {
    let folder = folder("sprt");
    let name = folder.to_str().unwrap();
    let more = ["--sprt", "0,600", "--games", "100"];
    let output = one_sided(name, &more);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let page = text(&output.stdout);
    assert!(page.contains("H1 accepted"), "{page}");
    let log = fs::read_to_string(folder.join("games.jsonl")).unwrap();
    let games = log.lines().count() - 1;
    assert!((4..60).contains(&games), "{games} games");
    let last: Value = serde_json::from_str(log.lines().last().unwrap()).unwrap();
    assert_eq!(last["game"]["number"], games);
    let record = fs::read(folder.join(format!("sgf/game-{games:04}.sgf"))).unwrap();
    let record = sgf::parse(&record).unwrap();
    let moves = last["game"]["moves"].as_str().unwrap();
    assert_eq!(record.moves.len(), moves.split(' ').count());

    // Again: nothing is left to be played.
    let output = one_sided(name, &more);
    assert!(text(&output.stdout).contains(&format!("{games} games are played already")));
    assert_eq!(fs::read_to_string(folder.join("games.jsonl")).unwrap(), log);
    // As if it had been killed after two games, in the middle of a line.
    let start: usize = log.split_inclusive('\n').take(3).map(str::len).sum();
    fs::write(folder.join("games.jsonl"), &log[..start + 40]).unwrap();
    let output = one_sided(name, &more);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(text(&output.stdout).contains("2 games are played already"));
    let again = fs::read_to_string(folder.join("games.jsonl")).unwrap();
    assert_eq!(again[..start], log[..start]);
    let output = one_sided(name, &["--visits", "10"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("another match: boards.0.visits"),
        "{output:?}"
    );
}

/// An engine behind a shell, which leaves a process behind; whether that still runs is looked up by
/// the file in which the shell has put its number.
#[cfg(unix)]
#[test]
fn an_interrupted_match_ends_its_engines() {
    use crate::guarded::Guarded;
    use crate::running::until;
    use crate::under_test;
    use rustix::process::{Pid, Signal, kill_process, test_kill_process};
    use std::process::Stdio;
    use std::time::Duration;
    const LIMIT: Duration = Duration::from_secs(120);
    let folder = folder("interrupted");
    let file = folder.join("pid");
    let shell = format!(
        "sh -c 'sleep 1000 & echo $! > {0}.new; mv {0}.new {0}; wait'",
        file.display()
    );
    let mut command = under_test::program();
    command.args(["match", "--black", &shell, "--white"]);
    command.arg(engine("--player random"));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut runner = Guarded::spawn(&mut command);
    until("the engine starts", LIMIT, || file.exists());
    let left_behind = fs::read_to_string(&file).unwrap().trim().parse().unwrap();
    let left_behind = Pid::from_raw(left_behind).unwrap();
    assert!(test_kill_process(left_behind).is_ok());
    kill_process(Pid::from_child(&runner), Signal::INT).unwrap();
    let mut status = None;
    until("the match ends", LIMIT, || {
        status = runner.try_wait().unwrap();
        status.is_some()
    });
    assert_eq!(status.unwrap().code(), Some(1));
    // The process that inherits it may take a moment to reap it.
    until("what the engine has left behind ends", LIMIT, || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", left_behind.as_raw_nonzero()));
        test_kill_process(left_behind).is_err() || stat.is_ok_and(|stat| stat.contains(") Z "))
    });
}

/// The elements of a page in order; panics where tags do not match.
fn elements(page: &str) -> Vec<String> {
    let (mut open, mut found) = (Vec::new(), Vec::new());
    let style = page.find("<style>").unwrap()..page.find("</style>").unwrap();
    for (place, _) in page.match_indices('<') {
        let tag = &page[place + 1..place + page[place..].find('>').unwrap()];
        if tag.starts_with(['!', '?']) || (style.start < place && place < style.end) {
            continue;
        }
        let name = tag.split_whitespace().next().unwrap().trim_end_matches('/');
        match name.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop().as_deref(), Some(name), "at {place}"),
            None => {
                found.push(name.to_owned());
                let is_void = ["meta", "br"].contains(&name) || tag.ends_with('/');
                open.extend((!is_void).then(|| name.to_owned()));
            }
        }
    }
    assert!(open.is_empty(), "{open:?}");
    found
}

#[test]
fn a_match_has_a_page() {
    let folder = folder("page");
    let output = one_sided(
        folder.to_str().unwrap(),
        &["--sprt", "0,100", "--games", "4", "--visits", "40"],
    );
    assert_eq!(
        output.status.code(),
        Some(1),
        "a random player counts no visits: {output:?}"
    );
    let (black, white) = (
        engine(STRONG),
        engine("--player rollout --threads 1 --seed 3"),
    );
    let page = folder.join("a page.html");
    let sgf = folder.join("games");
    let openings = folder.join("openings.txt");
    // The third pair is the first again: with fixed seeds the engines play the same games.
    fs::write(&openings, "C3\nB2\n").unwrap();
    let options = [
        "match",
        "--black",
        &black,
        "--white",
        &white,
        "--size",
        "5",
        "--komi",
        "0.5",
        "--openings",
        openings.to_str().unwrap(),
        "--games",
        "6",
        "--sprt",
        "0,100",
        "--visits",
        "40",
        "--rules",
        "tromp-taylor",
        "--html",
        page.to_str().unwrap(),
        "--sgf",
        sgf.to_str().unwrap(),
    ];
    fs::write(&page, "a letter").unwrap();
    let refused = running::run(&options, "");
    assert!(
        text(&refused.stderr).contains("is no page in HTML"),
        "{refused:?}"
    );
    assert_eq!(fs::read(&page).unwrap(), b"a letter");
    fs::remove_file(&page).unwrap();
    let output = running::run(&options, "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let table = text(&output.stdout);
    assert!(
        table.contains("2 pairs of games, points of the first engine: ")
            && table.contains(", 40 visits")
            && table.contains("2 of 6 games repeat an earlier one"),
        "{table}"
    );
    let again = running::run(&options, "");
    assert_eq!(again.status.code(), Some(1), "{again:?}");
    let told = text(&again.stderr);
    assert!(told.contains("is the record of another match"), "{told}");
    let page = fs::read_to_string(page).unwrap();
    let elements = elements(&page);
    let count = |name: &str| elements.iter().filter(|element| *element == name).count();
    // Two curves, and a board for each game that repeats none.
    assert_eq!((count("html"), count("svg"), count("script")), (1, 6, 0));
    assert!(count("table") >= 6, "{elements:?}");
    for expected in [
        concat!("v keima ", env!("CARGO_PKG_VERSION"), " #2</title>"),
        "color-scheme: light dark",
        "Elo +0 against +100",
        "[-2.94, 2.94]",
        "undecided",
        "href=\"games/game-0004.sgf\"",
        "lost on time",
        "5x5, komi 0.5, tromp-taylor rules, time none, 40 visits",
        "--seed 3",
        "2 of 6 games repeat an earlier one move for move",
        "(repeats game 2)",
    ] {
        assert!(page.contains(expected), "{expected} is missing in {page}");
    }
    // The pairs in the table are those of the page.
    let counts = table.split("points of the first engine: ").nth(1).unwrap();
    let counts: Vec<&str> = counts.split("  ").next().unwrap().split(", ").collect();
    let count = |points: &str| {
        let words = counts.iter().filter_map(|count| count.split_once(" in "));
        let mut found = words.filter(|(of_pair, _)| *of_pair == points);
        found
            .next()
            .map_or("0", |(_, pairs)| pairs.split(' ').next().unwrap())
    };
    let points = ["0", "½", "1", "1½", "2"];
    let row = points.map(|points| format!("<td>{}</td>", count(points)));
    let row = row.concat();
    assert!(page.contains(&row), "{row}");
}

#[test]
fn records_tell_engines_of_one_name_apart() {
    let folder = folder("one_name");
    let engine = engine("--player random --seed 2");
    let games = folder.to_str().unwrap();
    let options = ["match", "--size", "5", "--games", "2", "--sgf", games];
    let players = ["--black", &engine, "--white", &engine];
    let output = running::run(&[&options[..], &players].concat(), "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let date = Regex::new(r"DT\[20\d\d-\d\d-\d\d\]").unwrap();
    for (number, [black, white]) in [(1, ["#1", "#2"]), (2, ["#2", "#1"])] {
        let record = fs::read_to_string(folder.join(format!("game-{number:04}.sgf"))).unwrap();
        let version = env!("CARGO_PKG_VERSION");
        let names = format!("PB[keima {version} {black}]PW[keima {version} {white}]");
        assert!(record.contains(&names), "{record}");
        assert!(date.is_match(&record), "{record}");
    }
}

/// Of these nets of the tests the first wins nearly all games against the others.
const STRONGER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets/s12.bin.gz");
const WEAKER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets/s16.bin.gz");
const THIRD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets/s5.bin");

fn gate(run: &str, more: &[&str]) -> Output {
    let options = [
        "gate",
        run,
        "--sizes",
        "5",
        "--visits",
        "4",
        "--komi",
        "0.5",
        "--sprt",
        "-200,200",
        "--games",
        "200",
        "--parallel",
        "1",
        "--device",
        "cpu",
    ];
    running::run(&[&options[..], more].concat(), "")
}

fn json(path: PathBuf) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn gate_admits_stronger_net() {
    let folder = folder("gate");
    let run = folder.to_str().unwrap();
    let refused = gate(run, &["--candidate", WEAKER, "--against", STRONGER]);
    assert_eq!(refused.status.code(), Some(3), "{refused:?}");
    let verdict = json(folder.join("gates/0001.json"));
    assert_eq!(
        (&verdict["verdict"], &verdict["reason"]),
        (&"refused".into(), &"H0 accepted".into())
    );
    assert!(
        verdict["losses"].as_u64() > verdict["wins"].as_u64(),
        "{verdict}"
    );
    assert!(verdict["llr"].as_f64() < Some(-2.94), "{verdict}");
    assert!(!folder.join("nets").exists());
    // Finished games are not played again.
    let again = gate(run, &["--candidate", WEAKER, "--against", STRONGER]);
    assert_eq!(again.status.code(), Some(3));
    assert!(!text(&again.stdout).contains("game 1"), "{again:?}");
    assert!(!folder.join("gates/0002").exists());

    let admitting = ["--candidate", STRONGER, "--against", WEAKER];
    let admitted = gate(run, &admitting);
    assert_eq!(admitted.status.code(), Some(0), "{admitted:?}");
    let current = json(folder.join("nets/current.json"));
    assert_eq!(current["id"], 2);
    assert_eq!(current["elo"], 0.0, "of the first network");
    let file = current["file"].as_str().unwrap();
    let digits = &current["sha256"].as_str().unwrap()[..12];
    assert_eq!(file, format!("nets/0002-{digits}.bin.gz"));
    assert_eq!(
        fs::read(folder.join(file)).unwrap(),
        fs::read(STRONGER).unwrap()
    );
    for name in [
        "games.jsonl",
        "match.html",
        "sgf/game-0001.sgf",
        "candidate.bin.gz",
    ] {
        assert!(folder.join("gates/0002").join(name).exists(), "{name}");
    }

    // Killed in the middle: it goes on, and comes to the same.
    let log = folder.join("gates/0002/games.jsonl");
    let lines = fs::read_to_string(&log).unwrap();
    let half: usize = lines.split_inclusive('\n').take(4).map(str::len).sum();
    fs::write(&log, &lines[..half + 9]).unwrap();
    fs::remove_file(folder.join("gates/0002.json")).unwrap();
    fs::remove_file(folder.join("nets/current.json")).unwrap();
    let resumed = gate(run, &admitting);
    assert_eq!(resumed.status.code(), Some(0), "{resumed:?}");
    assert!(text(&resumed.stdout).contains("3 games are played already"));
    assert_eq!(
        json(folder.join("nets/current.json"))["sha256"],
        current["sha256"]
    );

    // It is now the reference for candidates.
    let in_use = gate(run, &["--candidate", STRONGER]);
    assert_eq!(in_use.status.code(), Some(0));
    assert!(
        text(&in_use.stdout).contains("in use already"),
        "{in_use:?}"
    );
    let refused = gate(run, &["--candidate", THIRD]);
    assert_eq!(refused.status.code(), Some(3), "{refused:?}");
    let verdict = json(folder.join("gates/0003.json"));
    assert_eq!(verdict["opponent"]["sha256"], current["sha256"]);
    assert_eq!(json(folder.join("nets/current.json"))["id"], 2);
    // A gate that was broken off is no use when others are to be judged by something else.
    fs::remove_file(folder.join("gates/0003.json")).unwrap();
    let other = gate(run, &["--candidate", THIRD, "--against", WEAKER]);
    assert!(matches!(other.status.code(), Some(0 | 3)), "{other:?}");
    let verdict = json(folder.join("gates/0004.json"));
    assert_ne!(verdict["opponent"]["sha256"], current["sha256"]);
    assert!(!folder.join("gates/0003.json").exists());
}

#[test]
fn a_gate_refuses_what_cannot_play_for_the_run() {
    const HUMAN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets/s15m.bin.gz");
    const GOMOKU: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/weights/gomoku.safetensors.gz");
    let folder = folder("gate-unfit");
    let (run, leela) = (folder.to_str().unwrap(), folder.join("leela.txt"));
    fs::write(&leela, leela_zero(0, 1, "0")).unwrap();
    for (candidate, opponent, reason) in [
        (leela.to_str().unwrap(), WEAKER, "Leela Zero's"),
        (GOMOKU, WEAKER, "is for another game"),
        (HUMAN, WEAKER, "it needs a profile"),
        (WEAKER, HUMAN, "it needs a profile"),
    ] {
        let output = gate(run, &["--candidate", candidate, "--against", opponent]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let said = text(&output.stderr);
        assert!(said.contains(reason), "{said}");
        assert!(!folder.join("gates").exists(), "{reason}");
    }
}

/// Nothing is left of the program's file that another process could be started from.
#[cfg(unix)]
#[test]
fn a_gate_plays_in_its_own_process() {
    use std::process::{Command, Stdio};
    let folder = folder("gate-in-process");
    let program = folder.join("keima");
    fs::copy(PROGRAM, &program).unwrap();
    let options = "--sizes 5 --visits 2 --komi 0.5 --games 2 --parallel 1 --device cpu";
    let child = Command::new(&program)
        .args(["gate", folder.to_str().unwrap()])
        .args(["--candidate", WEAKER, "--against", STRONGER])
        .args(options.split(' '))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    fs::remove_file(&program).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(
        matches!(output.status.code(), Some(0 | 3)),
        "{}",
        text(&output.stderr)
    );
    let verdict = json(folder.join("gates/0001.json"));
    assert_eq!(verdict["games"], 2);
    let log = fs::read_to_string(folder.join("gates/0001/games.jsonl")).unwrap();
    let name = format!("\"candidate {}\"", env!("CARGO_PKG_VERSION"));
    assert!(log.contains(&name), "{log}");
}

#[test]
fn gate_without_net_plays_rollouts() {
    let folder = folder("first-gate");
    let run = folder.to_str().unwrap();
    let output = gate(run, &["--candidate", WEAKER, "--games", "2"]);
    assert_eq!(
        output.status.code(),
        Some(2),
        "an option given twice: {output:?}"
    );
    let options = [
        "--sizes", "5", "--visits", "2", "--komi", "0.5", "--games", "2", "--device", "cpu",
    ];
    let first = [&["gate", run, "--candidate", WEAKER][..], &options[..]].concat();
    let output = running::run(&first, "");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    // Resumed, it plays the openings that were drawn, whatever would be drawn now.
    let gate_folder = folder.join("gates/0001");
    for done in [
        gate_folder.with_extension("json"),
        gate_folder.join("games.jsonl"),
    ] {
        fs::remove_file(done).unwrap();
    }
    fs::remove_dir_all(gate_folder.join("sgf")).unwrap();
    fs::write(gate_folder.join("openings.json"), r#"[["A1 B2"]]"#).unwrap();
    let output = running::run(&first, "");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let log = fs::read_to_string(gate_folder.join("games.jsonl")).unwrap();
    assert!(log.contains("BA1 WB2"), "{log}");
    let verdict = json(folder.join("gates/0001.json"));
    assert_eq!(verdict["reason"], "undecided after 2 games");
    assert_eq!(verdict["opponent"], Value::Null);
    assert_eq!(verdict["settings"]["sprt"]["elo1"], 30.0);
    for (run, candidate) in [("no/such/run", WEAKER), (run, file!())] {
        let output = gate(run, &["--candidate", candidate]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
    }
}

#[test]
fn bench_tune_recommends_settings() {
    let options = [
        "--tune",
        "--size",
        "9",
        "--visits",
        "4",
        "--seconds",
        "1",
        "--device",
        "cpu",
    ];
    let output = running::run(
        &[&["bench", "--model", STRONGER][..], &options[..]].concat(),
        "",
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let page = text(&output.stdout);
    let table = page
        .lines()
        .skip_while(|line| !line.starts_with("threads"))
        .skip(1);
    let rows: Vec<Vec<f64>> = table
        .take_while(|line| !line.is_empty())
        .map(|line| {
            line.split_whitespace()
                .map(|word| word.parse().unwrap())
                .collect()
        })
        .collect();
    assert!(rows.len() >= 2, "{page}");
    assert_eq!((rows[0][0], rows[0][1], rows[0][4]), (1.0, 1.0, 0.0));
    let best = rows.iter().max_by(|a, b| a[4].total_cmp(&b[4])).unwrap();
    let recommended = format!(
        "recommended for 1 s a move: --threads {} --batch 1 ",
        best[0]
    );
    assert!(page.contains(&recommended), "{page}");
}
