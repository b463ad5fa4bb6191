//! UCI transcripts, with the program as a client sees it.

use std::io::Write;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use keima::games::chess::uci::{Host, serve};

use super::client;

struct Client(client::Client);

impl Client {
    fn new() -> Client {
        Client::with(&["uci"])
    }

    fn with(arguments: &[&str]) -> Client {
        Client(client::Client::new(arguments))
    }

    fn send(&mut self, lines: &str) {
        self.0.send(lines);
    }

    fn line(&self) -> String {
        self.0.line().trim_end().to_owned()
    }

    fn until(&self, start: &str) -> Vec<String> {
        self.0.until(start)
    }

    /// What the program says before it is ready again.
    fn talk(&mut self, lines: &str) -> Vec<String> {
        self.send(&format!("{lines}\nisready"));
        let mut said = self.until("readyok");
        said.pop();
        said
    }

    /// The answer to a search, and the last info line with a score.
    fn search(&mut self, lines: &str) -> (String, String) {
        self.send(lines);
        let lines = self.until("bestmove");
        let info = lines.iter().rfind(|line| line.contains(" score ")).unwrap();
        (lines.last().unwrap().clone(), info.clone())
    }

    fn quit(mut self) {
        self.send("quit");
        self.0.rest();
    }
}

#[test]
fn engine_introduces_itself() {
    let mut client = Client::new();
    client.send("uci");
    let lines = client.until("uciok");
    assert!(lines[0].starts_with("id name keima "));
    assert!(lines.contains(&"option name Hash type spin default 16 min 1 max 65536".to_string()));
    assert!(lines.contains(&"option name UCI_Chess960 type check default false".to_string()));
    client.quit();
}

#[test]
fn first_line_uci_starts_chess_without_arguments() {
    let mut client = Client::with(&[]);
    client.send("uci");
    assert!(client.until("uciok")[0].starts_with("id name keima "));
    client.search("position startpos\ngo depth 1");
    client.quit();
    // A line may come in pieces.
    let mut client = Client::with(&[]);
    client.0.send_part("uc");
    thread::sleep(Duration::from_millis(300));
    client.send("i");
    assert!(client.until("uciok")[0].starts_with("id name keima "));
    client.quit();
    let mut client = Client::with(&[]);
    client.send("protocol_version");
    assert_eq!(client.line(), "= 2");
    client.quit();
}

#[test]
fn search_to_a_depth_ends_with_a_move_and_its_variation() {
    let mut client = Client::new();
    client.send("position startpos moves e2e4 e7e5\ngo depth 6");
    let lines = client.until("bestmove");
    for depth in 1..=6 {
        let start = format!("info depth {depth} seldepth ");
        assert!(
            lines.iter().any(|line| line.starts_with(&start)),
            "{lines:?}"
        );
    }
    let words: Vec<&str> = lines[lines.len() - 2].split(' ').collect();
    for name in ["multipv", "score", "nodes", "nps", "hashfull", "time", "pv"] {
        assert!(words.contains(&name), "{words:?}");
    }
    let best = lines.last().unwrap().split(' ').nth(1).unwrap();
    let first = words
        .iter()
        .skip_while(|word| **word != "pv")
        .nth(1)
        .unwrap();
    assert_eq!(best, *first);
    assert!(lines.last().unwrap().contains(" ponder "));
    client.quit();
}

#[test]
fn every_answer_comes_after_its_variation() {
    let mut client = Client::new();
    for limit in ["nodes 1", "nodes 30", "nodes 5000", "movetime 1", "depth 1"] {
        let (best, info) = client.search(&format!("ucinewgame\ngo {limit}"));
        let first = info.split(" pv ").nth(1).unwrap().split(' ').next();
        assert_eq!(best.split(' ').nth(1), first, "{limit}: {info}");
    }
    client.quit();
}

#[test]
fn mates_are_announced_and_found() {
    let mut client = Client::new();
    let fen = "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1";
    let (best, info) = client.search(&format!("position fen {fen}\ngo mate 2"));
    assert!(best.starts_with("bestmove g3g6"), "{best}");
    assert!(info.contains("score mate 2 "), "{info}");
    client.quit();
}

#[test]
fn finished_games_have_no_move() {
    let mut client = Client::new();
    client.send("position startpos moves f2f3 e7e5 g2g4 d8h4\ngo depth 5");
    assert_eq!(
        client.until("bestmove"),
        ["info depth 0 score mate 0", "bestmove (none)"]
    );
    client.send("position fen 7k/5Q2/5K2/8/8/8/8/8 b - - 0 1\ngo movetime 10");
    assert_eq!(
        client.until("bestmove"),
        ["info depth 0 score cp 0", "bestmove (none)"]
    );
    client.quit();
}

#[test]
fn infinite_search_waits_for_stop_and_answers_isready() {
    let mut client = Client::new();
    // Mate in one: the search itself is over at once.
    client.send("position fen 7k/5Q2/5K2/8/8/8/8/8 w - - 0 1\ngo infinite\nisready");
    let lines = client.until("readyok");
    assert!(lines.iter().all(|line| !line.starts_with("bestmove")));
    client.send("stop");
    assert_eq!(client.until("bestmove").last().unwrap(), "bestmove f7g7");
    client.send("position startpos\ngo infinite\nisready");
    client.until("readyok");
    client.send("stop");
    client.until("bestmove");
    client.quit();
}

#[test]
fn pondering_waits_for_ponderhit() {
    let mut client = Client::new();
    client.send("position startpos moves e2e4\ngo ponder depth 2 wtime 100 btime 100\nisready");
    let lines = client.until("readyok");
    assert!(lines.iter().all(|line| !line.starts_with("bestmove")));
    client.send("ponderhit");
    client.until("bestmove");
    client.send("go ponder wtime 1000 btime 1000\nstop");
    client.until("bestmove");
    client.quit();
}

#[test]
fn one_answer_for_each_search() {
    let mut client = Client::new();
    client.send("go infinite\nposition startpos moves d2d4\ngo depth 2\nisready");
    let lines = client.until("readyok");
    let before = lines
        .iter()
        .filter(|line| line.starts_with("bestmove"))
        .count();
    let after = if before < 2 {
        client.until("bestmove").len()
    } else {
        1
    };
    assert!((1..=2).contains(&before) && after > 0);
    assert_eq!(client.talk("stop"), Vec::<String>::new());
    client.quit();
}

#[test]
fn malformed_lines_are_answered_and_the_session_goes_on() {
    let mut client = Client::new();
    for (line, complaint) in [
        ("hello", "info string unknown command: hello"),
        ("position", "position needs startpos or fen"),
        ("position startpos e2e4", "'e2e4' after startpos"),
        (
            "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
            "White has 0 kings instead of one; the position stays",
        ),
        ("position fen", "the position is empty"),
        (
            "position startpos moves e2e4 e2e4",
            "illegal move e2e4 (number 2): e2e4 is not legal: there is no piece on e2",
        ),
        (
            "position startpos moves e2e4 e7e5k",
            "illegal move e7e5k (number 2): 'e7e5k' is not a move like e2e4 or e7e8q",
        ),
        ("setoption", "setoption needs a name"),
        (
            "setoption name Hash value lots",
            "Hash is a whole number from 1 to 65536, not 'lots'",
        ),
        (
            "setoption name Threads value 0",
            "Threads is a whole number from 1 to 256",
        ),
        (
            "setoption name Colour value red",
            "there is no option 'Colour'",
        ),
        (
            "setoption name UCI_Chess960 value maybe",
            "true or false, not 'maybe'",
        ),
        (
            "setoption name Weights value /nowhere",
            "cannot read /nowhere",
        ),
    ] {
        let said = client.talk(line);
        assert_eq!(said.len(), 1, "{line}: {said:?}");
        assert!(
            said[0].starts_with("info string ") && said[0].contains(complaint),
            "{line}: {said:?}"
        );
    }
    // The legal part of the moves has been played.
    assert!(client.talk("d").join("\n").contains("/4P3/"));
    client.send("go depth two searchmoves e7e5 e2e4 nodes 500");
    let lines = client.until("bestmove");
    assert!(lines[0].contains("go depth needs a number"), "{lines:?}");
    assert!(lines[1].contains("not searched"), "{lines:?}");
    assert!(lines.last().unwrap().starts_with("bestmove e7e5"));
    client.send("go searchmoves e7e1 depth 2");
    let lines = client.until("bestmove");
    assert_eq!(lines.last().unwrap(), "bestmove (none)", "{lines:?}");
    let mut junk: Vec<u8> = (0..=255).filter(|byte| *byte != b'\n').collect();
    junk.push(b'\n');
    client.0.send_part(&junk);
    assert_eq!(client.talk("").len(), 1);
    client.quit();
}

#[test]
fn many_lines_of_junk_do_no_harm() {
    use rand::{RngExt, SeedableRng};
    let words = [
        "go",
        "position",
        "startpos",
        "fen",
        "moves",
        "e2e4",
        "setoption",
        "name",
        "value",
        "Hash",
        "-1",
        "depth",
        "1",
        "stop",
        "ponderhit",
        "w",
        "KQkq",
        "8/8/8/8/8/8/8/8",
        "a7a8q",
        "\t",
        "xyz",
        "searchmoves",
        "nodes",
        "mate",
        "wtime",
        "0000",
        "d",
        "99999999999999999999",
    ];
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(5);
    let mut client = Client::new();
    for _ in 0..20 {
        let line = |random: &mut rand_chacha::ChaCha8Rng| -> String {
            let count = random.random_range(0..8);
            let mut line = String::new();
            for _ in 0..count {
                line += words[random.random_range(0..words.len())];
                line.push(' ');
            }
            line
        };
        let lines: Vec<String> = (0..50).map(|_| line(&mut random)).collect();
        client.send(&lines.join("\n"));
        client.send("stop\nisready");
        client.until("readyok");
    }
    client.quit();
}

#[test]
fn several_variations_are_reported_and_options_apply() {
    let mut client = Client::new();
    client.send("setoption name multipv value 3\nsetoption name Hash value 2\nsetoption name Threads value 2");
    client.send("go depth 4");
    let lines = client.until("bestmove");
    let ranks: Vec<&String> = lines
        .iter()
        .filter(|line| line.starts_with("info depth 4 "))
        .collect();
    assert_eq!(ranks.len(), 3, "{lines:?}");
    assert!(ranks[2].contains(" multipv 3 "));
    client.quit();
}

/// What a session has written.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_limited_strength_searches_fewer_nodes() {
    let mut client = Client::new();
    let mut nodes = |options: &str| {
        let (_, info) = client.search(&format!(
            "{options}\nucinewgame\nposition startpos\ngo depth 9"
        ));
        let (_, nodes) = info.split_once(" nodes ").unwrap();
        let nodes = nodes.split(' ').next().unwrap();
        nodes.parse::<u64>().unwrap()
    };
    let full = nodes("setoption name UCI_Elo value 1500");
    let on = "setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value";
    let (weak, strong) = (nodes(&format!("{on} 1200")), nodes(&format!("{on} 1600")));
    assert!(weak < strong && strong < full, "{weak}, {strong}, {full}");
    let off = nodes("setoption name UCI_LimitStrength value false");
    assert_eq!(off, full);
    let said = client.talk("setoption name UCI_Elo value 100");
    assert!(said[0].contains("is a whole number from"), "{said:?}");
    client.quit();
}

#[test]
fn table_larger_than_memory_is_refused() {
    let written = Written::default();
    let host = Host {
        name: "test".to_string(),
        memory: 2,
        read_text: |_| unreachable!("no file is named"),
    };
    let input = &b"setoption name Hash value 50\nsetoption name Hash value 1\nisready"[..];
    serve(input, written.clone(), host).unwrap();
    let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
    assert_eq!(
        text,
        "info string only 2 MiB are available for Hash\nreadyok\n"
    );
}

#[test]
fn castling_is_written_as_the_client_wants_it() {
    let mut client = Client::new();
    let fen = "position fen 5k2/8/8/8/8/8/8/4K2R w K - 0 1";
    let (best, _) = client.search(&format!("{fen}\ngo depth 1 searchmoves e1g1"));
    assert!(best.starts_with("bestmove e1g1"), "{best}");
    client.send("setoption name UCI_Chess960 value true");
    let (best, _) = client.search(&format!("{fen}\ngo depth 1 searchmoves e1h1"));
    assert!(best.starts_with("bestmove e1h1"), "{best}");
    client.quit();
}

#[test]
fn castling_rights_of_a_moved_rook_are_dropped() {
    let mut client = Client::new();
    let fen = "position fen 5k2/8/8/8/8/8/8/4K1R1 w K - 0 1";
    let lines = client.talk(&format!("{fen}\ngo perft 1"));
    assert!(
        !lines.iter().any(|line| line.starts_with("e1g1")),
        "{lines:?}"
    );
    client.send("setoption name UCI_Chess960 value true");
    let lines = client.talk(&format!("{fen}\ngo perft 1"));
    assert!(
        lines.iter().any(|line| line.starts_with("e1g1")),
        "{lines:?}"
    );
    client.quit();
}

#[test]
fn interrupted_variations_begin_with_different_moves() {
    let mut client = Client::new();
    client.send("setoption name multipv value 3");
    for nodes in (1_000..8_000).step_by(500) {
        client.send(&format!("ucinewgame\ngo nodes {nodes}"));
        let lines = client.until("bestmove");
        let first = |rank: usize| {
            let rank = format!(" multipv {rank} ");
            let last = lines.iter().rfind(|line| line.contains(&rank));
            let words = last.and_then(|line| line.split_once(" pv ")).map(|it| it.1);
            words
                .and_then(|words| words.split(' ').next())
                .map(str::to_owned)
        };
        let firsts = [first(1), first(2), first(3)];
        let is_clear = firsts[0] != firsts[1] && firsts[1] != firsts[2] && firsts[0] != firsts[2];
        assert!(is_clear, "{nodes} nodes: {firsts:?}");
    }
    client.quit();
}

#[test]
fn perft_has_the_form_of_other_engines() {
    let mut client = Client::new();
    let lines = client.talk("position startpos\ngo perft 3");
    assert!(lines.contains(&"e2e4: 600".to_string()));
    assert!(lines.contains(&"Nodes searched: 8902".to_string()));
    client.quit();
}

#[test]
fn a_clock_ends_the_search_of_the_side_to_move() {
    let mut client = Client::new();
    for clock in [
        "wtime 300 btime 300",
        "wtime 1 btime 1 winc 0",
        "movetime 50",
        "wtime -20",
        "btime 200 movestogo 1",
        "movetime 2e1",
        "movetime soon",
        "wtime 99999999999999999999 depth 1",
    ] {
        // Without its clock the search would not end.
        client.search(&format!("position startpos\ngo {clock}"));
    }
    // With the opponent's clock it would take days.
    for lines in [
        "position startpos\ngo wtime 200 btime 99999999999",
        "position startpos moves e2e4\ngo wtime 99999999999 btime 200",
    ] {
        client.search(lines);
    }
    client.quit();
}

#[test]
fn weights_are_those_of_the_standard_evaluation() {
    let file = format!("{}/weights.json", env!("CARGO_TARGET_TMPDIR"));
    let mut client = Client::new();
    let mut set = |file: &str| client.talk(&format!("setoption name Weights value {file}"));
    std::fs::write(&file, "{\"tempo\": [[20, 10]]}").unwrap();
    assert_eq!(set(&file), [""; 0]);
    std::fs::write(&file, "{\"king_room\": [5]}").unwrap();
    let said = set(&file);
    assert!(
        said[0].contains("those of the standard evaluation"),
        "{said:?}"
    );
    let said = set("/dev/null");
    assert!(
        said[0].contains("/dev/null: not a regular file"),
        "{said:?}"
    );
    client.quit();
}

#[test]
fn end_of_input_ends_the_program() {
    let mut client = Client::new();
    client.send("go infinite");
    client.0.close();
    let rest = client.0.rest().join("\n");
    assert!(rest.contains("bestmove "), "{rest}");
}

/// The last line before each answer.
fn last_lines(said: &[String]) -> Vec<&String> {
    let searches = said.split(|line| line.starts_with("bestmove "));
    searches.filter_map(<[String]>::last).collect()
}

#[test]
fn searches_with_limits_are_finished_first() {
    let mut client = Client::new();
    client.send("position startpos moves e2e4\ngo depth 4\nsetoption name Hash value 2\nd");
    client.send("ucinewgame\nposition startpos moves d2d4\ngo depth 5\neval\ngo nodes 3000");
    client.send("go movetime 60\ngo depth 3");
    client.0.close();
    let said = client.0.rest();
    assert!(said.last().unwrap().starts_with("bestmove "), "{said:?}");
    let last = last_lines(&said);
    assert_eq!(last.len(), 5, "{said:?}");
    for (index, depth) in [(0, 4), (1, 5), (4, 3)] {
        let start = format!("info depth {depth} ");
        assert!(last[index].starts_with(&start), "{last:?}");
    }
}

#[test]
fn a_search_for_a_mate_does_not_block_what_comes_next() {
    let mut client = Client::new();
    client.send("position startpos\ngo mate 1\nposition startpos moves e2e4\ngo depth 2");
    client.until("bestmove ");
    client.until("bestmove ");
    client.send("go mate 1");
    client.0.close();
    let said = client.0.rest();
    assert!(said.last().unwrap().starts_with("bestmove "), "{said:?}");
}

#[test]
fn a_search_is_finished_after_the_expected_move() {
    let mut client = Client::new();
    client.send("position startpos\ngo ponder depth 5\nponderhit\nposition startpos");
    client.0.close();
    let said = client.0.rest();
    let last = last_lines(&said);
    assert!(last[0].starts_with("info depth 5 "), "{said:?}");
}

#[test]
fn what_waits_for_a_search_is_stopped_with_it() {
    let mut client = Client::new();
    let searches = "go depth 80\nposition startpos moves e2e4\ngo depth 80";
    let before = client.talk(searches);
    let is_answer = |line: &&String| line.starts_with("bestmove ");
    assert_eq!(before.iter().find(is_answer), None);
    client.send("stop");
    client.until("bestmove ");
    client.until("bestmove ");
    assert_eq!(client.talk("stop"), [""; 0]);
    client.send(searches);
    client.send("quit");
    let rest = client.0.rest();
    assert_eq!(rest.iter().filter(is_answer).count(), 1, "{rest:?}");
}

#[test]
fn a_line_beyond_all_measure_is_refused() {
    let mut client = Client::new();
    client.send(&"x".repeat(17 << 20));
    assert_eq!(client.line(), "info string the line is too long");
    client.send("isready");
    assert_eq!(client.line(), "readyok");
    client.quit();
}
