//! What GUIs, referees and bridges send, in their order and spelling, and what they need of the
//! answers.

use crate::player::{Session, parse};
use keima::clock::{Clock, TimeControl};
use keima::go::Answer;
use keima::go::Move;

/// Sends a text in one piece, as clients that do not wait do; the raw responses.
fn pipelined(session: &mut Session, text: &str) -> Vec<String> {
    let lines = text.split_inclusive('\n');
    lines
        .filter_map(|line| session.engine.handle(line.as_bytes()))
        .collect()
}

/// The same, where everything must succeed; the texts of the results.
fn results(session: &mut Session, text: &str) -> Vec<String> {
    let responses = pipelined(session, text);
    let text = |framed: &String| {
        assert!(framed.starts_with('='), "{framed:?}");
        parse(framed).response.text().to_owned()
    };
    responses.iter().map(text).collect()
}

fn is_vertex(text: &str) -> bool {
    let (letter, row) = text.split_at(1);
    letter.chars().all(|c| ('A'..='T').contains(&c) && c != 'I') && row.parse::<u32>().is_ok()
}

#[test]
fn sabaki_starts_syncs_and_steps() {
    let mut session = Session::new(19);
    let start = results(
        &mut session,
        "name\nversion\nprotocol_version\nlist_commands\n",
    );
    assert_eq!(start[2], "2");
    let list: Vec<&str> = start[3].split('\n').collect();
    assert_eq!(list[0], "protocol_version");
    assert!(
        list.iter()
            .all(|name| name.trim() == *name && !name.is_empty())
    );
    for name in [
        "boardsize",
        "rectangular_boardsize",
        "komi",
        "undo",
        "set_free_handicap",
        "genmove",
    ] {
        assert!(list.contains(&name), "{name}");
    }
    results(&mut session, "komi 6.5\nboardsize 9\n");
    results(
        &mut session,
        "clear_board\nset_free_handicap C3 G7\nplay W E5\n",
    );
    assert_eq!(session.ok("get_komi"), "6.5");
    results(&mut session, "protocol_version\n");
    results(&mut session, "undo\nplay W E4\n");
    assert_eq!(session.ok("list_stones w"), "E4");
    assert_eq!(session.ok("list_stones b"), "G7 C3");
    results(
        &mut session,
        "komi 0\nrectangular_boardsize 9 7\nclear_board\nplay W pass\n",
    );
    assert_eq!(session.ok("query_boardsize"), "9 7");
    assert_eq!(session.ok("get_komi"), "0");
    assert!(is_vertex(&session.ok("genmove B")));
    session.ok("komi 375");
    assert_eq!(pipelined(&mut session, "quit\n"), ["= \n\n"]);
    assert!(session.engine.is_quit());
}

#[test]
fn sabaki_rebuilds_a_position_stone_by_stone() {
    let mut session = Session::new(19);
    let mut text = String::from("komi 0\nboardsize 9\nclear_board\n");
    for column in ["A", "B", "C", "D"] {
        for row in 1..=4 {
            text.push_str(&format!(
                "play {} {column}{row}\n",
                if column < "C" { "B" } else { "W" }
            ));
        }
    }
    results(&mut session, &text);
    assert_eq!(session.ok("list_stones b").split(' ').count(), 8);
    assert_eq!(session.ok("list_stones w").split(' ').count(), 8);
}

#[test]
fn lizzie_sends_ids_from_the_start() {
    let mut session = Session::new(19);
    let start = "1 name\n2 version\n3 boardsize 19\n4 komi 7.5\n5 clear_board\n6 komi 7.5\n";
    let responses = pipelined(&mut session, start);
    for (index, response) in responses.iter().enumerate() {
        assert!(
            response.starts_with(&format!("={} ", index + 1)),
            "{response:?}"
        );
    }
    let version = responses[1].trim_end().strip_prefix("=2 ").unwrap();
    assert!(
        version.split('.').count() == 3
            && version.split('.').all(|part| part.parse::<u32>().is_ok())
    );
    let moves = "8 play B D4\n9 genmove W\n10 undo\n11 undo\n12 name\n13 boardsize 9 7\n14 fixed_handicap 2\n";
    let responses = pipelined(&mut session, moves);
    assert!(responses[1].starts_with("=9 ") && is_vertex(responses[1][3..].trim_end()));
    assert_eq!(responses[2..4], ["=10 \n\n", "=11 \n\n"]);
    assert_eq!(responses[6], "=14 C3 G5\n\n");
    assert_eq!(
        pipelined(&mut session, "15 time_settings 0 8 1\n16 foo\n")[1],
        "?16 unknown command\n\n"
    );
}

#[test]
fn lizzieyzy_counts_responses() {
    let mut session = Session::new(19);
    let text = "name\nversion\nlist_commands\nkomi 7.5\nboardsize 19\nkata-get-param playoutDoublingAdvantage\n\
        kata-get-rules\nstop\nkata-time_settings fischer 600 5\ntime_left b 12.34 0\n\
        kata-set-rules {\"ko\":\"SIMPLE\",\"scoring\":\"TERRITORY\",\"tax\":\"SEKI\",\"suicide\":false}\nclear_cache\n";
    let responses = pipelined(&mut session, text);
    assert_eq!(responses.len(), 12);
    for response in &responses {
        let heads = response
            .lines()
            .filter(|line| line.starts_with(['=', '?']))
            .count();
        assert_eq!(heads, 1, "{response:?}");
    }
    assert!(responses[2].starts_with("= protocol_version\n"));
    assert!(
        responses[5].starts_with("? "),
        "an unknown command is no success"
    );
    assert!(responses[6].starts_with("= {") && responses[6].trim_end().ends_with('}'));
    assert!(!responses[6].trim_end().contains('\n'));
    assert!(session.ok("kata-get-rules").contains("TERRITORY"));
}

#[test]
fn gtp2ogs_ends_lines_with_cr_lf() {
    let mut session = Session::new(19);
    let text = "list_commands\nkata-list_time_settings\nboardsize 19\nclear_board\nkomi 7.5\nplay black d4\n\
        play white q16\ntime_settings 3840 60 1\ntime_left black 3832 0\ntime_left white 3840 0\ngenmove black\n";
    let answers = results(&mut session, &text.replace('\n', "\r\n"));
    assert!(answers[1].contains("fischer-capped"));
    assert!(answers[0].lines().any(|name| name == "kgs-time_settings"));
    assert!(is_vertex(&answers[10]), "{}", answers[10]);
    let mut clock = Clock::new(TimeControl::Canadian {
        main: 3840.0,
        period: 60.0,
        stones: 1,
    });
    clock.set_left(3832.0, 0);
    assert_eq!(session.player.wires.lock().unwrap().clocks, [clock]);
    let handicap = "boardsize 9\r\nclear_board\r\nkomi 0.5\r\nplace_free_handicap 4\r\n";
    let placed = results(&mut session, handicap)[3].clone();
    assert_eq!(placed.split(' ').count(), 4);
    let handicap =
        "boardsize 9 7\r\nclear_board\r\nset_free_handicap c3 g5 c5 g3\r\ngenmove white\r\n";
    assert!(is_vertex(&results(&mut session, handicap)[3]));
    assert_eq!(pipelined(&mut session, "quit\r\n"), ["= \n\n"]);
}

#[test]
fn gtp2ogs_asks_for_exactly_so_many_handicap_stones() {
    let mut session = Session::new(19);
    for size in [9, 13, 19] {
        for stones in 2..=9 {
            let text =
                format!("boardsize {size}\r\nclear_board\r\nplace_free_handicap {stones}\r\n");
            assert_eq!(
                results(&mut session, &text)[2].split(' ').count(),
                stones,
                "{size}"
            );
        }
    }
}

#[test]
fn twogtp_plays_two_games() {
    let mut session = Session::new(19);
    let start = "protocol_version\nname\nversion\nlist_commands\nboardsize 9\nclear_board\nkomi 6.5\ncputime\n";
    let answers = results(&mut session, start);
    let first: f64 = answers[7].parse().unwrap();
    for game in 0..2 {
        results(&mut session, "boardsize 9\nclear_board\n");
        if game == 0 {
            results(&mut session, "time_settings 60 10 5\n");
        }
        for number in 0..6 {
            assert!(is_vertex(&session.ok("genmove b")));
            session.ok(&format!(
                "play W {}",
                ["PASS", "PASS", "J9", "PASS", "J1", "PASS"][number]
            ));
        }
        session.will_answer(Answer::Move(Move::Pass));
        assert_eq!(session.ok("genmove b"), "pass");
        let score = session.ok("final_score");
        let points: f64 = score.strip_prefix(['B', 'W']).unwrap().parse().unwrap();
        assert!(points.fract() == 0.5, "{score}: the komi was sent once");
        assert!(session.ok("cputime").parse::<f64>().unwrap() >= first);
    }
    results(
        &mut session,
        "boardsize 9\nclear_board\nset_free_handicap C3 G7 C7\n",
    );
    assert!(is_vertex(&session.ok("genmove w")));
    session.ok("quit");
}

#[test]
fn gogui_regress_sends_tabs_after_ids() {
    for blank in [" ", "\t"] {
        let mut session = Session::new(19);
        let text = "name\nversion\ncputime\n10 boardsize 9\n11 komi 5.5\n13 play black d4\n20 reg_genmove white\n";
        let text = text
            .replace("0 b", &format!("0{blank}b"))
            .replace("0 r", &format!("0{blank}r"));
        let responses = pipelined(&mut session, &text);
        assert_eq!(responses[3..6], ["=10 \n\n", "=11 \n\n", "=13 \n\n"]);
        assert!(is_vertex(
            responses[6].strip_prefix("=20 ").unwrap().trim_end()
        ));
        assert_eq!(session.ok("move_history"), "black D4");
    }
}

#[test]
fn gogui_takes_text_after_the_first_blank_of_the_response() {
    let mut session = Session::new(19);
    let start = "name\nprotocol_version\nversion\nlist_commands\ngogui-analyze_commands\nboardsize 9\nclear_board\n\
        komi 6.5\nplay B D4\nplay W PASS\ngogui-play_sequence B E5 W F6\ngg-undo 2\nfinal_status_list dead\n";
    for response in pipelined(&mut session, start) {
        let (head, _) = response.split_once(' ').unwrap();
        assert_eq!(head, "=", "{response:?}");
    }
    assert_eq!(session.ok("move_history"), "white pass\nblack D4");
}

#[test]
fn kgs_negotiates_and_ends_a_game() {
    let mut session = Session::new(19);
    let challenge = "list_commands\nboardsize 19\nboardsize 9\nkgs-rules chinese\n\
        kgs-time_settings byoyomi 600 30 5\nboardsize 19\n";
    results(&mut session, challenge);
    let refused = pipelined(&mut session, "boardsize 37\n");
    assert_eq!(refused, ["? unacceptable size\n\n"]);
    assert_eq!(session.ok("query_boardsize"), "19");
    results(
        &mut session,
        "boardsize 9\nclear_board\nkomi 6.5\nset_free_handicap C3 G7\nplay w e5\n",
    );
    results(&mut session, "time_left b 0 3\n");
    assert!(is_vertex(&session.ok("genmove b")));
    session.will_answer(Answer::Move(Move::Pass));
    let end =
        "play w pass\ngenmove b\nfinal_status_list dead\nkgs-genmove_cleanup b\nkgs-game_over\n";
    let answers = results(&mut session, end);
    assert_eq!(answers[1], "pass");
    assert!(answers[3] == "pass" || is_vertex(&answers[3]));
    assert!(
        pipelined(&mut session, "kgs-chat game someone hello there\n")[0].starts_with("= keima")
    );
}

#[test]
fn cgos_reads_two_lines_per_command() {
    let mut session = Session::new(19);
    results(&mut session, "list_commands\n");
    let text = "boardsize 9\nclear_board\nkomi 7\ntime_settings 300 0 0\ntime_left b 299 0\ngenmove b\nplay w E5\n\
        cgos-opponent_name x\ncgos-opponent_rating 1800?\ntime_left b 298 0\ngenmove b\ncgos-gameover B+Resign\n";
    for response in pipelined(&mut session, text) {
        assert_eq!(response.lines().count(), 2, "{response:?}");
        assert!(
            response.starts_with("= ") && response.ends_with("\n\n"),
            "{response:?}"
        );
    }
    let clocks = session.player.wires.lock().unwrap().clocks.clone();
    assert!(clocks.iter().all(|clock| clock.limit().is_some()));
    let left: Vec<f64> = clocks.iter().map(|clock| clock.left().seconds).collect();
    assert_eq!(left, [299.0, 298.0]);
}

#[test]
fn ogatak_sets_rules_by_the_words_of_game_records() {
    let mut session = Session::new(19);
    let text = "1 list_commands\n2 version\n3 boardsize 19\n4 kata-set-rules Chinese\n6 komi 7.5\n7 clear_board\n\
        8 play B D4\n10 name\n";
    results(&mut session, text);
    assert!(
        session
            .ok("11 kata-get-rules")
            .contains("\"whiteHandicapBonus\":\"N\"")
    );
    assert_eq!(session.ok("12 get_komi"), "7.5");
    session.fails("5 kata-set-param analysisWideRootNoise 0");
    session.fails("13 kata-set-rules Ponnuki");
}

#[test]
fn lizgoban_probes_commands() {
    let mut session = Session::new(19);
    let probes = "1 name\n2 lz-setoption name visits value 0\n4 kata-set-rules chinese\n5 set_free_handicap A1\n\
        6 set_position\n7 foo\n9 kata-raw-nn 0\n12 clear_cache\n13 clear_board\n14 komi 7.5\n";
    let signs: String = pipelined(&mut session, probes)
        .iter()
        .map(|response| &response[..1])
        .collect();
    assert_eq!(signs, "=?=?=?====");
}

#[test]
fn q5go_compares_strings() {
    let mut session = Session::new(19);
    let text = "1 protocol_version\n2 boardsize 19\n3 clear_board\n4 komi 6.5\n5 known_command final_score\n\
        7 known_command known_command\n8 known_command kata-set-rules\n9  time_settings 1 1 0\n\
        10 kata-set-rules { \"ko\": \"SITUATIONAL\", \"scoring\": \"AREA\" }\n11 play black D4\n12 genmove white\n\
        13 final_score\n14 rectangular_boardsize 13 11\n";
    let answers = results(&mut session, text);
    assert_eq!(answers[0], "2");
    assert_eq!(answers[4..7], ["true", "true", "true"]);
    assert!(is_vertex(&answers[10]));
    let unlimited = Clock::new(TimeControl::Unlimited);
    assert_eq!(session.player.wires.lock().unwrap().clocks, [unlimited]);
}

#[test]
fn game_goes_on_for_clients_after_two_passes() {
    let mut session = Session::new(9);
    results(
        &mut session,
        "kata-set-rules japanese\nplay b d4\nplay w pass\nplay b pass\n",
    );
    results(
        &mut session,
        "final_score\nfinal_status_list dead\nfinal_status_list alive\nfinal_status_list seki\n",
    );
    assert!(is_vertex(&session.ok("genmove w")));
    results(&mut session, "play b e5\nundo\nundo\nundo\ngenmove b\n");
    session.will_answer(Answer::Resign);
    assert_eq!(session.ok("genmove w"), "resign");
    results(&mut session, "play w a1\nplay b a2\n");
}

/// Everything above in one session, as by a user who tries one GUI after another.
const ALL_IN_ONE: &str = "\
name\nversion\nprotocol_version\nlist_commands\nkomi 6.5\nboardsize 9\nclear_board
set_free_handicap C3 G7\nplay W E5\nprotocol_version\nundo\nplay W E4\nkomi 0
rectangular_boardsize 9 7\nclear_board\nplay W pass
1 name\n2 version\n3 boardsize 19\n4 komi 7.5\n5 clear_board\n6 komi 7.5\n8 play B D4\n10 undo
12 name\nlist_commands\r\nkata-list_time_settings\r\nboardsize 19\r\nclear_board\r\nkomi 7.5\r
play black d4\r\nplay white q16\r\ntime_settings 3840 60 1\r\ntime_left black 3832 0\r
time_left white 3840 0\r\ngenmove black\r\nboardsize 9\r\nclear_board\r\nkomi 0.5\r
place_free_handicap 4\r\ngenmove white\r\nboardsize 9\nclear_board\nkomi 6.5\ncputime
time_settings 60 10 5\ngenmove b\nplay W C4\ngenmove b\nplay W PASS\nfinal_score\ncputime
10\tboardsize 9\n11 komi 5.5\n13 play black d4\n20 reg_genmove white\nkgs-rules chinese
kgs-time_settings byoyomi 600 30 5\ntime_left b 0 3\ngenmove b\nplay w pass
final_status_list dead\nkgs-genmove_cleanup b\nkgs-game_over\nkomi 7\ntime_settings 300 0 0
cgos-opponent_name x\ncgos-opponent_rating 1800?\nclear_board\ntime_left b 300 0\ngenmove b
play w e5\ncgos-gameover B+Resign\n4 kata-set-rules Chinese\n7 clear_board\n8 play B D4
5 known_command kata-set-rules\n7 known_command known_command\nquit\n";

#[test]
fn one_session_serves_all_clients() {
    let mut session = Session::new(19);
    let answers = results(&mut session, ALL_IN_ONE);
    assert!(answers.len() >= 60, "{} commands", answers.len());
    assert_eq!(answers.len(), ALL_IN_ONE.lines().count());
    assert!(session.engine.is_quit());
    println!("{} commands", answers.len());
}
