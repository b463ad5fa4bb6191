//! The program from a user's point of view: outputs and exit.

use std::fs;
use std::io::{Read, Write, pipe};
use std::process::{Child, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::folders::folder;
use crate::leela_text::leela_zero;
use crate::nets::NETWORK;
use crate::running::{keima, results, run, text};
use keima::formats::sgf;
use keima::go::result::GameResult;

use crate::under_test::PROGRAM;

/// Time in which whatever ends has ended.
const PATIENCE: Duration = Duration::from_secs(300);
const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/gtp-scripts");

/// The only line on standard error, which no GUI may take for a response.
fn remark(output: &Output) -> &str {
    let errors = text(&output.stderr);
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert!(!errors.contains(" -> "), "{errors}");
    errors.strip_prefix("keima: ").expect(errors).trim_end()
}

/// The program and these arguments as one command line.
fn command_line(arguments: &str) -> String {
    format!("'{PROGRAM}' {arguments}")
}

/// The exit code, if the program ends by itself in time.
fn exit_code(mut child: Child) -> Option<i32> {
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    None
}

#[test]
fn default_command_speaks_gtp_and_names_network() {
    let input = "protocol_version\nname\nboardsize 3\ngenmove b\nlist_stones b\nquit\n";
    let output = run(&[], input);
    let results = results(&output);
    assert_eq!(results[..3], ["2", "keima", ""]);
    assert!(
        results[3] == "pass" || results[3] == results[4],
        "{results:?}"
    );
    assert!(remark(&output).contains("network"));
}

#[test]
fn the_end_of_the_input_and_quit_end_it() {
    assert_eq!(run(&[], "").status.code(), Some(0));
    let output = run(&[], "name\n\n# not answered\nversion");
    assert_eq!(results(&output).len(), 2);

    let mut child = keima(&[]).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"quit\n").unwrap();
    input.flush().unwrap();
    assert_eq!(exit_code(child), Some(0), "with the input still open");
}

#[test]
fn a_network_plays_with_and_without_batches() {
    let play = |player: &str, batch: &str| {
        let mut options = vec!["--model", NETWORK, "--player", player, "--batch", batch];
        options.extend(["--size", "5x4", "--seed", "1"]);
        if player == "puct" {
            options.extend(["--threads", "4", "--visits", "40"]);
        }
        let input = "genmove b\nlist_stones b\nfinal_score\nkata-raw-nn 0\n";
        let output = run(&options, input);
        let results = results(&output);
        assert!(
            results[0] == "pass" || results[0] == results[1],
            "{results:?}"
        );
        assert!(remark(&output).contains("network"));
        results[0].to_owned()
    };
    for player in ["policy", "value"] {
        assert_eq!(play(player, "1"), play(player, "4"), "{player}");
    }
    play("puct", "1");
    play("puct", "4");
}

#[test]
fn one_thread_with_a_seed_repeats_itself() {
    let game = || {
        let options = [
            "--model",
            NETWORK,
            "--threads",
            "1",
            "--seed",
            "5",
            "--visits",
            "60",
            "--size",
            "7",
        ];
        run(&options, "genmove b\ngenmove w\ngenmove b\nfinal_score\n").stdout
    };
    assert_eq!(text(&game()), text(&game()));
}

#[test]
fn device_is_reported() {
    for (device, precision, expected) in [
        ("cpu", "f32", "on CPU (f32"),
        ("cpu", "int16", "on CPU (int16"),
        ("candle", "f32", "by candle (f32)"),
    ] {
        let options = ["--device", device, "--precision", precision];
        let output = run(&[&["--model", NETWORK], &options[..]].concat(), "");
        assert!(remark(&output).contains(expected), "{output:?}");
    }
}

#[test]
fn an_unusable_network_is_a_plain_error() {
    let folder = folder("networks");
    let stored = fs::read(NETWORK).unwrap();
    let files: [(&str, &[u8], &str); 4] = [
        ("truncated.bin.gz", &stored[..stored.len() / 2], ""),
        ("empty.bin.gz", b"", ""),
        ("garbage.bin.gz", b"\x1f\x8b\x00\xff\xfe garbage", ""),
        ("future.txt", b"net\n99\n22\n19\n", "version 99"),
    ];
    for (name, bytes, reason) in files {
        let path = folder.join(name);
        fs::write(&path, bytes).unwrap();
        let output = run(&["--model", path.to_str().unwrap()], "name\n");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert_eq!(text(&output.stdout), "");
        let remark = remark(&output);
        assert!(remark.contains(name) && remark.contains(reason), "{remark}");
    }
    let output = run(&["--model", "no/such/file"], "name\n");
    assert_eq!(output.status.code(), Some(1));
    assert!(remark(&output).contains("no/such/file"));
}

/// The results of commands in order, those that failed after their `?`.
fn answers_of(output: &Output) -> Vec<&str> {
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let responses = text(&output.stdout).split_terminator("\n\n");
    responses
        .map(|response| response.strip_prefix("= ").unwrap_or(response))
        .collect()
}

fn network(file: &str) -> String {
    NETWORK.replace("s8.bin.gz", file)
}

const ONE_THREAD: [&str; 6] = ["--threads", "1", "--seed", "5", "--visits", "40"];

/// The engine's answers to lines, started with a network and more options.
fn session(model: &str, options: &[&str], lines: &str) -> Output {
    let mut arguments = vec!["--model", model];
    arguments.extend(ONE_THREAD);
    arguments.extend(options);
    run(&arguments, lines)
}

#[test]
fn load_model_changes_network_during_game() {
    let other = network("s10.bin.gz");
    let start = "boardsize 7\nkomi 5.5\nkata-set-rules japanese\nplay b c3\nplay w e5\n";
    let look = "kata-raw-nn 0\nkeima-ownership\nquery_boardsize\nget_komi\nkata-get-rules\n\
        move_history\nkata-get-param cpuctExploration\n";
    let lines = format!(
        "{start}kata-set-param cpuctExploration 1.25\n{look}reg_genmove b\nload_model {other}\n\
         {look}genmove b\nload_model {NETWORK}\nundo\n{look}genmove b\n"
    );
    let exchanged = session(NETWORK, &[], &lines);
    let exchanged = results(&exchanged);
    let fresh = |model: &str| {
        let lines = format!("{start}kata-set-param cpuctExploration 1.25\n{look}genmove b\n");
        let output = session(model, &[], &lines);
        results(&output)[6..].join("|")
    };
    let (first, second) = (fresh(NETWORK), fresh(&other));
    assert_ne!(first, second);
    assert_eq!(exchanged[6..14].join("|"), first);
    assert_eq!(exchanged[14], "synth-v10-s1");
    assert_eq!(exchanged[15..23].join("|"), second);
    assert_eq!(exchanged[25..].join("|"), first);
}

#[test]
fn built_in_networks_play_on_their_boards() {
    let sizes = [
        "9 9", "13 13", "11 11", "8 13", "11 7", "19 19", "2 19", "4 19", "19 3",
    ];
    let is_small = [true, false, true, false, true, false, true, true, true];
    let look = "play b b2\nkata-raw-nn 0\nkeima-ownership\ngenmove w\n";
    let line = |size: &&str| format!("rectangular_boardsize {size}\n{look}");
    let lines: String = sizes.iter().map(line).collect();
    let answers = |output: Output| -> Vec<String> {
        let results = results(&output);
        results.chunks(5).map(|answers| answers.join("|")).collect()
    };
    let alone = |name: &str| {
        let model = format!("{}/weights/{name}", env!("CARGO_MANIFEST_DIR"));
        answers(session(&model, &[], &lines))
    };
    let (large, small) = (alone("default.safetensors"), alone("small.bin.gz"));
    let built_in = answers(run(&ONE_THREAD, &lines));
    assert_eq!(built_in.len(), sizes.len());
    for (place, is_small) in is_small.into_iter().enumerate() {
        let [own, other] = if is_small {
            [&small, &large]
        } else {
            [&large, &small]
        };
        let size = sizes[place];
        assert_same(&built_in[place], &own[place], size);
        assert!(own[place] != other[place], "{size}: both answer the same");
    }
}

/// Fails with the first words that differ, as answers can be as long as whole boards of numbers.
fn assert_same(found: &str, expected: &str, what: &str) {
    let mut words = found.split_whitespace().zip(expected.split_whitespace());
    let first = words.position(|(found, expected)| found != expected);
    assert!(
        found == expected,
        "{what}: differs from word {first:?} on: {:?} is not {:?}",
        first.and_then(|first| found.split_whitespace().nth(first)),
        first.and_then(|first| expected.split_whitespace().nth(first)),
    );
}

#[test]
fn judgement_is_independent_of_seed_and_threads() {
    let look = "play b e5\nplay w c3\nplay b g7\nkeima-ownership\nfinal_score\n\
                final_status_list dead\n";
    let lines = format!("boardsize 9\n{look}boardsize 13\n{look}");
    let judged = |seed: &str, threads: &str, model: Option<&str>| {
        let mut options = vec!["--threads", threads, "--seed", seed, "--batch", threads];
        if let Some(model) = model {
            options.extend(["--model", model]);
        }
        results(&run(&options, &lines)).join("|")
    };
    for model in [None, Some(NETWORK)] {
        let first = judged("1", "1", model);
        assert_same(&judged("2", "1", model), &first, "another seed");
        assert_same(&judged("1", "2", model), &first, "two threads");
    }
}

/// A finished game under Japanese rules: White is ahead if the black groups in the middle are dead.
/// Its listed score, W+97.5, is that of a regression test of GNU Go.
const LARGE_DEAD_GROUPS: &str = "
    .............O.OOX.
    ..XXOO...OOOOOOOX..
    O.XOXXOO.OXOXXOX.X.
    ..XO.X.OOOXXXXXXX..
    .OOOX.XOX.OOX......
    ...OOXXXO...OX..X..
    ....OX.XO.O.OXXX.X.
    ..OXX.X.XXXXOXOXXX.
    ..OOOX.XOOOOOOOOX..
    .OXX.XOXXXX.OXXXX..
    ..OXXXO..X.XOX..XO.
    ..OOXO..OOXO.OXX.X.
    ..OXXOOOOX.OO.OOXX.
    ...OXXXOXOOOOOOOXX.
    .OOOXOOOXOOXOXO.OXX
    OOXXOOXXXXOXXXOOOOX
    OXX.XXX.XOOX.XOXXOX
    X........XX.X.XXXOX
    .X...........X.XOOO
";

/// The command that puts the stones of a picture on the board.
fn set_position(picture: &str) -> String {
    let rows: Vec<&str> = picture.split_whitespace().collect();
    let mut command = "set_position".to_owned();
    for (row, text) in rows.iter().enumerate() {
        for (column, stone) in text.chars().enumerate().filter(|&(_, stone)| stone != '.') {
            let color = if stone == 'X' { 'b' } else { 'w' };
            let letter = "abcdefghjklmnopqrst".as_bytes()[column] as char;
            command += &format!(" {color} {letter}{}", rows.len() - row);
        }
    }
    command
}

#[test]
fn clean_up_sacrifices_stones_where_it_must() {
    // White's group on the left has one eye once it has taken the black stones inside; that on the right has one
    // of two points.
    let pictures = [
        (
            ".X....XXX X.XXXXX.X XX..XOOXX XXXXXXOOO OXXOXOOO. OOOOXOO.O XX.OXXXO. XXOOXXOOO .OOOOXXO.",
            ["a5", "d5", "c2", "e1"],
            "g4",
        ),
        (
            "...OXXXO. ..OOX.XO. ..OXXXOOO .OOOXOOOX OOXXXXOXX XOOOXXOOX XXOXX.XXX .XX.X..X. ...X.XX.X",
            ["h9", "j7", "f6", "h4"],
            "d6",
        ),
    ];
    for (picture, dead, alive) in pictures {
        takes_dead_stones(picture, &dead, alive);
    }
}

/// Checks that Black takes the groups of some stones while White passes, and not that of another one.
fn takes_dead_stones(picture: &str, dead: &[&str], alive: &str) {
    let mut lines = format!(
        "boardsize 9\nkata-set-rules chinese\nkomi 6.5\n{}\nplay w pass\nplay b pass\nfinal_status_list dead\n",
        set_position(picture)
    );
    for _ in 0..12 {
        lines += "kgs-genmove_cleanup b\nplay w pass\n";
    }
    lines += "list_stones white\n";
    let output = run(&["--threads", "1", "--visits", "20"], &lines);
    let answers = results(&output);
    let white = answers.last().unwrap().to_lowercase();
    for stone in dead {
        assert!(!white.split_whitespace().any(|it| it == *stone), "{white}");
    }
    assert!(white.split_whitespace().any(|it| it == alive), "{white}");
}

#[test]
fn groups_die_that_make_no_difference_to_the_winner() {
    let stones = set_position(LARGE_DEAD_GROUPS);
    let lines = format!(
        "kata-set-rules japanese\nkomi 5.5\n{stones}\nplay w pass\nplay b pass\nfinal_status_list dead\n"
    );
    let output = run(&["--threads", "1"], &lines);
    let answers = results(&output);
    let dead: Vec<&str> = answers.last().unwrap().split_whitespace().collect();
    for stone in ["F14", "F16", "D12", "E8", "K10", "M9"] {
        assert!(dead.contains(&stone), "{stone} lives: {dead:?}");
    }
}

#[test]
fn load_model_failure_keeps_network() {
    let folder = folder("exchange");
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let leela = file("leela zero.txt", leela_zero(1, 1, "0").as_bytes());
    let garbage = file("garbage.bin.gz", b"\x1f\x8b\x00 garbage");
    let human = network("s15m.bin.gz");
    let lines = format!(
        "boardsize 9\nkata-raw-nn 0\nload_model no/such/file\nload_model {garbage}\n\
         load_model {leela}\nload_model {human}\nload_model\nkata-raw-nn 0\n\
         kata-set-param humanSLProfile rank_1d\nload_model {human}\nkata-set-param humanSLProfile\n\
         kata-get-param humanSLProfile\ngenmove b\nboardsize 19\nload_model {leela}\n\
         boardsize 9\nkata-raw-nn 0\ngenmove b\nfinal_score\nload_model {human}\nboardsize 9\n"
    );
    let output = session(NETWORK, &[], &lines);
    let answers = answers_of(&output);
    let (before, refused, after) = (answers[1], &answers[2..7], answers[7]);
    assert!(before.starts_with("symmetry 0"), "{before}");
    assert_eq!(before, after);
    let reasons = [
        "? cannot read no/such/file",
        "garbage.bin.gz is not a usable network",
        "? this network cannot play on boards of 9x9",
        "it needs a profile",
        "? syntax error",
    ];
    for (answer, reason) in refused.iter().zip(reasons) {
        assert!(
            answer.starts_with('?') && answer.contains(reason),
            "{answer}"
        );
    }
    assert_eq!(answers[8], "");
    assert_eq!(answers[9], "synth-v15-s1");
    assert!(answers[10].contains("needs a profile"), "{}", answers[10]);
    assert_eq!(answers[11], "rank_1d");
    assert!(!answers[12].starts_with('?'), "{}", answers[12]);
    assert!(answers[14].starts_with("leela-zero"), "{}", answers[14]);
    assert_eq!(answers[15], "? unacceptable size");
    assert_eq!(
        answers[16],
        "? only networks of KataGo's kind have these outputs"
    );
    assert!(
        answers[17..].iter().all(|answer| !answer.starts_with('?')),
        "{answers:?}"
    );
}

#[test]
fn playout_advantage_changes_play_but_not_judgement() {
    let lines = "boardsize 7\nplay b c3\nkata-raw-nn 0\nkeima-ownership\n\
        kata-set-param playoutDoublingAdvantage 2\nclear_cache\nkata-raw-nn 0\n\
        keima-ownership\nkata-raw-nn 0\n";
    let output = session(NETWORK, &[], lines);
    let answers = answers_of(&output);
    let [raw, ownership, swayed_raw, swayed_owners, again] = [2, 3, 6, 7, 8].map(|i| answers[i]);
    assert_ne!(swayed_raw, raw);
    assert_eq!(swayed_owners, ownership);
    assert_eq!(again, swayed_raw);
}

#[test]
fn parameters_are_listed_read_and_set_while_it_plays() {
    let lines = "boardsize 7\nkata-list-params\nkata-get-param playoutDoublingAdvantage\n\
        kata-raw-nn 0\nkata-set-param playoutDoublingAdvantage 1.5\n\
        kata-get-param playoutDoublingAdvantage\nkata-raw-nn 0\ngenmove b\nundo\n\
        kata-set-param playoutDoublingAdvantagePla white\nkata-raw-nn 0\n\
        kata-set-param playoutDoublingAdvantage 0\nkata-raw-nn 0\n\
        kata-set-param symmetries average\nkata-get-param symmetries\ngenmove b\n\
        kata-set-param playoutDoublingAdvantage 4\nkata-set-param nonsense 1\n\
        kata-get-param nonsense\nkata-set-param numSearchThreads 0\nkata-get-param numSearchThreads\n";
    let output = session(NETWORK, &["--set", "policyOptimism=0.5"], lines);
    let answers = answers_of(&output);
    for name in [
        "cpuctExploration",
        "policyOptimism",
        "humanSLProfile",
        "symmetries",
    ] {
        assert!(answers[1].split(' ').any(|listed| listed == name), "{name}");
    }
    assert_eq!((answers[2], answers[5]), ("0", "1.5"));
    let (plain, ahead, behind) = (answers[3], answers[6], answers[10]);
    assert!(plain != ahead && ahead != behind && plain != behind);
    assert_eq!(answers[12], plain);
    assert_eq!(answers[14], "average");
    let refused = [
        "? '4' is no value for playoutDoublingAdvantage, a number from -3 to 3",
        "? no parameter is called 'nonsense'",
        "? no parameter is called 'nonsense'",
        "? '0' is no value for numSearchThreads, a whole number from 1 to 1024",
        "1",
    ];
    assert_eq!(answers[16..], refused);

    let lines = "kata-get-param maxVisits\nkata-set-param maxVisits 7\nkata-get-param maxVisits\n\
        kata-set-param maxVisits 0\nkata-set-param maxVisits\nkata-get-param maxVisits\n\
        kata-get-param maxPlayouts\n";
    let output = session(NETWORK, &["--set", "maxPlayouts=9"], lines);
    let answers = answers_of(&output);
    let refused = "? '0' is no value for maxVisits, a whole number from 1 to 1125899906842624";
    assert_eq!(answers, ["40", "", "7", refused, "", "", "9"]);

    let lines = "kata-list-params\nkata-set-param policyOptimism 1\nload_model x\n";
    let output = run(&["--player", "random"], lines);
    assert_eq!(
        text(&output.stdout),
        "= \n\n? no parameter is called 'policyOptimism'\n\n? the player has no network\n\n"
    );
}

#[test]
fn symmetries_are_chosen_on_the_command_line() {
    let play = |how: &str| {
        let options = ["--player", "policy", "--model", NETWORK, "--seed", "1"];
        let options = [options.as_slice(), &["--symmetries", how]].concat();
        let lines = "boardsize 7\nkata-get-param symmetries\nkeima-policy\n";
        let output = run(&options, lines);
        let results = results(&output);
        assert_eq!(results[1], if how == "0" { "none" } else { how });
        results[2].to_owned()
    };
    assert_eq!(play("none"), play("0"));
    assert_ne!(play("none"), play("1"));
    assert_ne!(play("average"), play("none"));
    assert_eq!(play("random"), play("random"));
    let output = run(&["--symmetries", "8"], "");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn wrong_options_are_refused() {
    let wrong: [&[&str]; 15] = [
        &["--size", "30"],
        &["--size", "1"],
        &["--size", "9x"],
        &["--rules", "nonsense"],
        &["--komi", "nan"],
        &["--seconds", "-1"],
        &["--threads", "0"],
        &["--visits", "-5"],
        &["--player", "nobody"],
        &["--preset", "strong"],
        &["--cache-mb", "99999999999"],
        &["--device", "gpu"],
        &["--precision", "f64"],
        &["--nonsense"],
        &["nonsense"],
    ];
    for arguments in wrong {
        let output = run(arguments, "name\n");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(text(&output.stdout), "");
        assert!(text(&output.stderr).starts_with("error: "), "{output:?}");
    }
    let useless: [&[&str]; 14] = [
        &["--set", "nonsense=1"],
        &["--set", "cpuctExploration"],
        &["--set", "cpuctExploration=much"],
        &["--set", "nnPolicyTemperature=0"],
        &["--player", "random", "--set", "cpuctExploration=1"],
        &[
            "--player",
            "policy",
            "--model",
            NETWORK,
            "--set",
            "cpuctExploration=1",
        ],
        &["--player", "random", "--model", NETWORK],
        &["--device", "cpu", "--precision", "f16", "--model", NETWORK],
        &["--player", "rollout", "--symmetries", "average"],
        &["--player", "random", "--visits", "10"],
        &["--player", "random", "--preset", "plain"],
        &["--player", "policy", "--model", NETWORK, "--playouts", "9"],
        &["--player", "value", "--model", NETWORK, "--seconds", "1"],
        &["--model", NETWORK, "--human-profile", "rank_5k"],
    ];
    for arguments in useless {
        let output = run(arguments, "name\n");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(!remark(&output).is_empty());
        let option = arguments[arguments.len() - 2];
        if ["--visits", "--symmetries"].contains(&option) {
            assert!(remark(&output).contains(option), "{output:?}");
        }
    }
}

/// The path of a script for `keima regress`, in a folder of its own.
fn script(name: &str, lines: &str) -> String {
    let path = folder(name).join("script.gtp");
    fs::write(&path, lines).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn regress_exit_code_shows_failures() {
    let failing = script("scripts", "boardsize 5\nname\n#? [nobody]\n");
    let engine = command_line("--player rollout --visits 50");
    let regress = |file: &str| {
        let options = ["regress", "--engine", &engine, "--timeout", "300", file];
        run(&options, "")
    };

    let output = regress(SCRIPTS);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    let output = regress(&failing);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("FAIL, line 2: name"));
    assert_eq!(regress("no/such/script.gtp").status.code(), Some(2));
}

#[test]
fn regress_gives_up_engines_that_do_not_answer() {
    let script = script("silent_engine", "name\n#? [keima]\n");
    let options = ["--engine", "sleep 1000", "--timeout", "0.2", &script];
    let output = run(&[&["regress"][..], &options].concat(), "");
    assert_eq!(output.status.code(), Some(2));
    let told = text(&output.stdout);
    assert!(told.contains("'name': no answer in 0.2 s"), "{told}");
}

#[test]
fn regress_shows_what_passes_when_asked() {
    let script = script("verbose_scripts", "name\n#? [keima]\n");
    let engine = command_line("--player random --gtp-name keima");
    let told = |more: &[&str]| {
        let output = run(
            &[&["regress", "--engine", &engine, &script], more].concat(),
            "",
        );
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        text(&output.stdout).to_owned()
    };
    assert!(told(&["--verbose"]).contains("pass, line 1: name"));
    assert!(!told(&[]).contains("pass, line"));
}

#[test]
fn a_match_prints_a_table_and_writes_its_games() {
    let folder = folder("games");
    let black = command_line("--player rollout --playouts 100 --threads 1 --seed 1");
    let white = command_line("--player random --seed 2");
    let options = [
        "match",
        "--black",
        &black,
        "--white",
        &white,
        "--games",
        "2",
        "--size",
        "5",
        "--komi",
        "0.5",
        "--rules",
        "tromp-taylor",
        "--sgf",
        folder.to_str().unwrap(),
    ];
    let output = run(&options, "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let table = text(&output.stdout);
    assert!(table.ends_with("endings: 2 counted\n"), "{table}");
    for number in 1..=2 {
        let bytes = fs::read(folder.join(format!("game-000{number}.sgf"))).unwrap();
        let record = sgf::parse(&bytes).unwrap();
        assert!(record.position().unwrap().is_over());
        assert!(matches!(record.result, Some(GameResult::Win(..))));
    }
    let output = run(
        &["match", "--black", "no-such-program", "--white", &white],
        "",
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(remark(&output).contains("no-such-program"));
}

#[test]
fn bench_prints_one_number_always_the_same() {
    let numbers = [(); 2].map(|()| run(&["bench"], "").stdout);
    assert!(text(&numbers[0]).trim_end().parse::<u64>().is_ok());
    assert_eq!(numbers[0], numbers[1]);
}

#[test]
fn closed_stdout_does_not_panic() {
    let closed = || {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        Stdio::from(writer)
    };
    let commands: [&[&str]; 4] = [
        &["gtp"],
        &["perft", "--depth", "2"],
        &["regress", "--engine", PROGRAM, SCRIPTS],
        &["--size", "30"],
    ];
    for arguments in commands {
        let is_wrong = arguments[0] == "--size";
        for (output, errors, code) in [
            (closed(), Stdio::null(), 1),
            (Stdio::null(), closed(), 0),
            (closed(), closed(), 1),
        ] {
            let code = if is_wrong { 2 } else { code };
            let mut child = keima(arguments)
                .stdout(output)
                .stderr(errors)
                .spawn()
                .unwrap();
            let written = child.stdin.take().unwrap().write_all(b"name\n");
            written.unwrap_or_default();
            assert_eq!(exit_code(child), Some(code), "{arguments:?}");
        }
    }
}

#[test]
fn completions_may_be_read_in_part() {
    let (reader, writer) = pipe().unwrap();
    drop(reader);
    let mut command = keima(&["completions", "bash"]);
    let output = command.stdout(writer).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
}

#[test]
fn version_is_a_command_too() {
    let [option, command] = ["--version", "version"].map(|word| run(&[word], "").stdout);
    assert!(option.starts_with(b"keima "));
    assert_eq!(option, command);
}

/// Instructions that there are not, or that this machine does not have.
#[test]
fn instructions_are_forced_by_the_environment() {
    let with = |isa| {
        let mut command = keima(&["--model", NETWORK]);
        command.env("KEIMA_ISA", isa).stdin(Stdio::null());
        let output = command.output().unwrap();
        (output.status.code(), text(&output.stderr).to_owned())
    };
    let (code, words) = with("portable");
    assert_eq!(code, Some(0));
    assert!(words.contains(", portable)"), "{words}");
    let (code, words) = with("altivec");
    assert_eq!(code, Some(1));
    assert!(words.contains("KEIMA_ISA is 'altivec'"), "{words}");
}

#[test]
fn searches_with_a_network_are_measured() {
    let options = ["--size", "9", "--visits", "3", "--threads", "1,2"];
    let output = run(
        &[&["bench", "--model", NETWORK][..], &options[..]].concat(),
        "",
    );
    let page = text(&output.stdout);
    let rows: Vec<Vec<f64>> = page
        .lines()
        .skip_while(|line| !line.starts_with("threads"))
        .skip(1)
        .map(|line| {
            line.split_whitespace()
                .map(|word| word.parse().unwrap())
                .collect()
        })
        .collect();
    assert_eq!(rows.len(), 2, "{page}");
    assert_eq!([rows[0][0], rows[1][0]], [1.0, 2.0]);
    assert!(
        rows.iter()
            .all(|row| row[1] > 0.0 && row[2] > 0.0 && row[2] <= row[1]),
        "{page}"
    );
    assert!(text(&output.stderr).contains("recommended: --threads "));
    let other = run(&["bench", "--model", NETWORK, "--size", "12"], "");
    assert_eq!(other.status.code(), Some(1));
    assert!(text(&other.stderr).contains("no stored game on 12x12"));
}

#[test]
fn analysis_ends_when_its_reader_is_gone() {
    for command in ["kata-analyze b 1", "lz-genmove_analyze b 1"] {
        let options = ["--model", NETWORK, "--size", "9", "--seconds", "60"];
        let mut child = keima(&options).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(format!("{command}\n").as_bytes()).unwrap();
        let mut output = child.stdout.take().unwrap();
        output.read_exact(&mut [0; 20]).unwrap();
        drop(output);
        assert!(exit_code(child).is_some(), "{command}");
        drop(input);
    }
}

/// Without its reader a search is of no use; without more input it is.
#[test]
fn a_search_ends_when_both_pipes_are_closed() {
    let options = ["--model", NETWORK, "--size", "9", "--visits", "1000000000"];
    let mut child = keima(&options).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"name\ngenmove b\n").unwrap();
    drop(input);
    let mut output = child.stdout.take().unwrap();
    output.read_exact(&mut [0; 9]).unwrap();
    thread::sleep(Duration::from_millis(300));
    assert_eq!(child.try_wait().unwrap(), None, "it thinks on");
    drop(output);
    assert_eq!(exit_code(child), Some(1));
}

/// The moves of `count` games of one process.
fn games(options: &[&str], count: usize) -> Vec<String> {
    let common = ["--size", "7", "--threads", "1", "--visits", "20"];
    let common = [
        &common[..],
        &["--set", "chosenMoveTemperatureEarly=2"],
        options,
    ]
    .concat();
    let game = "clear_board\ngenmove b\ngenmove w\ngenmove b\ngenmove w\n";
    let output = run(&common, &game.repeat(count));
    let games = results(&output);
    games.chunks(5).map(|moves| moves.join(" ")).collect()
}

#[test]
fn games_differ_without_seed() {
    // Few moves are played at all, and a pair of games is the same in nearly every second case.
    let free = games(&[], 60);
    assert!(free.iter().any(|game| *game != free[0]), "{free:?}");
    for options in [["--seed", "5"], ["--set", "seed=5"]] {
        let seeded = games(&options, 6);
        assert!(seeded.iter().all(|game| *game == seeded[0]), "{seeded:?}");
    }
}

#[test]
fn refusals_name_alternatives() {
    for (arguments, expected) in [
        (&["--visits", "abc"][..], "not a whole number from 1 to"),
        (&["--threads", "4096"], "not a whole number from 1 to 1024"),
        (&["game.sgf"], "keima play --load game.sgf"),
        (&["net.bin.gz"], "--model"),
    ] {
        let output = run(arguments, "");
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(text(&output.stderr).contains(expected), "{output:?}");
        assert!(!text(&output.stderr).contains("similar"), "{output:?}");
    }
    let help = run(&["gtp", "--help"], "");
    for shown in ["allowResignation=true", "seed=(random)"] {
        assert!(text(&help.stdout).contains(shown), "{shown}");
    }
    assert!(!text(&help.stdout).contains("numSearchThreads=1:"));
}

#[test]
fn the_help_names_the_limit_of_the_tree() {
    let help = run(&["gtp", "--help"], "");
    let words: Vec<&str> = text(&help.stdout).split_whitespace().collect();
    let words = words.join(" ");
    for shown in [
        "a quarter of the memory available",
        "answers with what it has found",
    ] {
        assert!(words.contains(shown), "{words}");
    }
}
