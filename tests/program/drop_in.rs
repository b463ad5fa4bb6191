//! keima in the place of KataGo: its command line, its configuration files, its answers to clients.

use std::fs;
use std::path::Path;
use std::process::Output;

use clap::Parser;
use keima::cmd::{Cli, with_two_dashes};
use regex::Regex;

use crate::folders::folder;
use crate::nets::NETWORK;
use crate::running::{finish, keima, text};

/// Runs the program in a folder until the end of the input.
fn run(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut command = keima(arguments);
    command.current_dir(folder);
    command
        .env("KEIMA_CONFIG", "none")
        .env("KEIMA_MODELS", folder);
    finish(command, input)
}

/// The results of commands, with or without ids, that must all succeed.
fn results(output: &Output) -> Vec<&str> {
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let responses = text(&output.stdout).split_terminator("\n\n");
    responses
        .map(|response| response.split_once(' ').expect(response).1)
        .collect()
}

const KATAGO_CONFIG: &str = "# Of KataGo
logAllGTPCommunication = true
rules = japanese   # as at home
maxVisits = 500
numSearchThreads = 1
nnMaxBatchSize = 8
resignThreshold = -0.95
@include more.cfg
";

#[test]
fn katagos_command_line_and_configuration_start_keima() {
    let folder = folder("drop_in");
    fs::write(folder.join("gtp.cfg"), KATAGO_CONFIG).unwrap();
    fs::write(
        folder.join("more.cfg"),
        "maxTime = 20.0\nopenclDeviceToUse = 0\n",
    )
    .unwrap();
    let arguments = [
        "gtp",
        "-model",
        NETWORK,
        "-config",
        "gtp.cfg",
        "-override-config",
        "maxVisits=7,homeDataDir=x,allowResignation=false",
    ];
    let input = "kata-get-param maxVisits\nkata-get-param maxTime\nkata-get-param resignThreshold\n\
                 kata-get-param allowResignation\nkata-get-rules\nget_komi\nquit\n";
    let output = run(&folder, &arguments, input);
    let results = results(&output);
    assert_eq!(results[..4], ["7", "20", "-0.95", "false"]);
    assert!(results[4].contains("\"TERRITORY\""), "{results:?}");
    assert_eq!(results[5], "6.5");
    let remarks: Vec<&str> = text(&output.stderr).lines().collect();
    assert_eq!(
        remarks[..2],
        [
            "keima: gtp.cfg: keima does not use logAllGTPCommunication, nnMaxBatchSize, openclDeviceToUse",
            "keima: --override-config: keima does not use homeDataDir",
        ]
    );
    assert_eq!(remarks.len(), 3, "{remarks:?}");
}

#[test]
fn settings_of_human_play_are_no_error_for_other_networks() {
    let folder = folder("drop_in_human");
    fs::write(folder.join("human.cfg"), "humanSLProfile = rank_5k\n").unwrap();
    let arguments = ["-model", NETWORK, "-config", "human.cfg", "--visits", "4"];
    let output = run(&folder, &arguments, "genmove b\n");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(text(&output.stderr).contains("human.cfg:1: this network imitates nobody"));
}

/// A network with inputs for the rank of the players.
const HUMAN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets/s15m.bin.gz");

#[test]
fn moves_follow_the_human_network_and_searches_the_other() {
    let folder = folder("drop_in_human_model");
    fs::write(
        folder.join("human.cfg"),
        "humanSLProfile = preaz_5k\nhumanSLChosenMoveProp = 1.0\nhumanSLChosenMoveIgnorePass = false\n\
         humanSLRootExploreProbWeightless = 0.5\nchosenMoveTemperature = 0\nchosenMoveTemperatureEarly = 0\n\
         maxVisits = 8\nnumSearchThreads = 1\n",
    )
    .unwrap();
    let options = [
        "-model",
        NETWORK,
        "-human-model",
        HUMAN,
        "-config",
        "human.cfg",
        "--size",
        "7",
    ];
    let options = [&options[..], &["--seed", "1", "--symmetries", "none"]].concat();
    let input = "kata-get-models\nreg_genmove b\nkata-set-param humanSLProfile\nreg_genmove b\n\
                 kata-set-param humanSLProfile rank_9d\nkata-get-param humanSLProfile\nreg_genmove b\n";
    let output = run(&folder, &options, input);
    let results = results(&output);
    let models: serde_json::Value = serde_json::from_str(results[0]).unwrap();
    let uses: Vec<_> = (0..2)
        .map(|place| models[place]["usesHumanSLProfile"].as_bool())
        .collect();
    assert_eq!(uses, [Some(false), Some(true)]);
    // Alone the human network's first choice, by its policy.
    let human = [
        "--model",
        HUMAN,
        "--player",
        "policy",
        "--size",
        "7",
        "--symmetries",
        "none",
    ];
    let choice = |profile: &str| {
        let output = run(
            &folder,
            &[&human[..], &["--human-profile", profile]].concat(),
            "genmove b\n",
        );
        text(&output.stdout)
            .trim()
            .trim_start_matches("= ")
            .to_owned()
    };
    assert_eq!(results[1], choice("preaz_5k"));
    assert_ne!(results[3], results[1], "nobody is imitated");
    assert_eq!(results[5], "rank_9d");
    assert_eq!(results[6], choice("rank_9d"));
    let named = [&options[..4], &["--human-profile", "proyear_1990"]].concat();
    let input = "kata-get-param humanSLProfile\n";
    assert_eq!(
        self::results(&run(&folder, &named, input)),
        ["proyear_1990"]
    );
    // Most of its moves were not searched.
    let told = run(
        &folder,
        &[&options[..], &["--ogs-chat"]].concat(),
        "genmove b\ngenmove w\n",
    );
    let with_line = Regex::new(r"^MALKOVICH:Visits .* PV( \w+)+$").unwrap();
    let lines = text(&told.stderr)
        .lines()
        .filter(|line| with_line.is_match(line));
    assert_eq!(lines.count(), 2, "{told:?}");
    let wrong = run(&folder, &["--human-model", NETWORK], "");
    assert!(text(&wrong.stderr).contains("is not a network of human play"));
}

#[test]
fn the_network_of_human_play_tells_its_raw_outputs() {
    let folder = folder("drop_in_raw_human");
    let start = ["-model", NETWORK, "-human-model", HUMAN, "--size", "7"];
    let input = "kata-raw-human-nn 0\nkata-set-param humanSLProfile rank_5k\nkata-raw-human-nn 0\n\
                 kata-raw-human-nn w 0\nkata-raw-human-nn b 0 1\nkata-raw-nn 0\n";
    let output = run(&folder, &start, input);
    let answers: Vec<&str> = text(&output.stdout).split_terminator("\n\n").collect();
    assert!(
        answers[0].starts_with("? ") && answers[0].contains("set humanSLProfile"),
        "{}",
        answers[0]
    );
    let names = |answer: &str| -> Vec<String> {
        let names = answer
            .lines()
            .filter_map(|line| line.trim_start_matches("= ").split(' ').next());
        names.take(8).map(str::to_owned).collect()
    };
    let expected = "symmetry whiteWin whiteLoss noResult whiteScore whiteScoreSq shorttermWinlossError shorttermScoreError";
    assert_eq!(names(answers[2]).join(" "), expected);
    assert_ne!(answers[2], answers[3], "White to move");
    assert!(
        answers[4].starts_with("? "),
        "it has no optimism: {}",
        answers[4]
    );
    assert_eq!(names(answers[5])[4], "whiteLead");
    // It is that of the human network alone.
    let alone = [
        "--model",
        HUMAN,
        "--human-profile",
        "rank_5k",
        "--size",
        "7",
    ];
    let output = run(&folder, &alone, "kata-raw-nn 0\n");
    let grid = |answer: &str| {
        answer
            .split_once("policy\n")
            .map(|(_, grid)| grid.trim_end().to_owned())
    };
    assert_eq!(grid(answers[2]), grid(text(&output.stdout)));
}

#[test]
fn parameters_are_set_and_told_in_json() {
    let folder = folder("drop_in_json");
    let input = "kata-set-params {\"maxVisits\": 7, \"resignThreshold\": \"-0.5\", \"ponderingEnabled\": true}\n\
                 kata-get-params\nkata-set-params {\"maxVisits\": 9, \"no\": 1}\nkata-set-params {\"maxVisits\": 9, \
                 \"resignThreshold\": 5}\nkata-set-params maxVisits 8\nkata-get-param maxVisits\n";
    let output = run(&folder, &["--model", NETWORK], input);
    let answers: Vec<&str> = text(&output.stdout).split_terminator("\n\n").collect();
    let told: serde_json::Value = serde_json::from_str(&answers[1][2..]).unwrap();
    assert_eq!(told["maxVisits"], 7);
    assert_eq!(told["resignThreshold"], -0.5);
    assert_eq!(told["ponderingEnabled"], true);
    assert_eq!(told["maxPlayouts"], "");
    for place in [2, 3, 4] {
        assert!(answers[place].starts_with("? "), "{}", answers[place]);
    }
    assert_eq!(answers[5], "= 7", "all or none");
}

#[test]
fn models_are_listed_in_json() {
    let folder = folder("drop_in_models");
    let options = ["--model", NETWORK, "--batch", "4"];
    let output = run(&folder, &options, "kata-get-models\n");
    let models: serde_json::Value = serde_json::from_str(results(&output)[0]).unwrap();
    let model = &models[0];
    assert_eq!(model["maxBatchSize"], 4);
    assert_eq!(model["usesHumanSLProfile"], false);
    assert!(model["version"].as_u64().unwrap() >= 8, "{models}");
    assert!(model["internalName"].is_string() && model["name"].is_string());
    assert_eq!(model["usingFP16"], "false");
    let none = run(&folder, &["--player", "random"], "kata-get-models\n");
    assert_eq!(results(&none), ["[]"]);
}

#[test]
fn switches_of_katago_can_be_set_while_playing() {
    let folder = folder("drop_in_switches");
    let input = "kata-get-param uncertaintyCoeff\nkata-set-param useUncertainty false\n\
        kata-get-param uncertaintyCoeff\nkata-set-param useUncertainty true\n\
        kata-get-param uncertaintyCoeff\nkata-set-params {\"useNoisePruning\": false}\n\
        kata-get-param noisePruneUtilityScale\nkata-set-param useUncertainty 3\n\
        kata-set-params {\"useUncertainty\": false, \"zzz\": 1}\nkata-get-param useUncertainty\n\
        kata-get-param useNoisePruning\nkata-set-param uncertaintyCoeff 0.5\n\
        kata-set-param useUncertainty true\nkata-get-param uncertaintyCoeff\n";
    let output = run(&folder, &["--model", NETWORK], input);
    let answers = results(&output);
    assert_eq!((answers[2], answers[6]), ("0", "0"));
    assert_eq!((answers[0], answers[4]), ("0.25", "0.25"));
    assert!(answers[7].contains("true or false"), "{}", answers[7]);
    // All or none of several.
    assert!(answers[8].contains("zzz"), "{}", answers[8]);
    assert_eq!((answers[9], answers[10]), ("true", "false"));
    assert_eq!(answers[13], "0.5");
}

#[test]
fn advantages_do_not_matter_without_a_network() {
    let folder = folder("drop_in_advantage");
    let set = "dynamicPlayoutDoublingAdvantageCapPerOppLead=0.04";
    let options = [
        "--player", "rollout", "--visits", "5", "--size", "5", "--set", set,
    ];
    let output = run(
        &folder,
        &options,
        "genmove b\nfixed_handicap 2\nclear_board\ngenmove w\n",
    );
    let answers: Vec<&str> = text(&output.stdout).split_terminator("\n\n").collect();
    for place in [0, 3] {
        assert!(answers[place].starts_with("= "), "{answers:?}");
    }
}

#[test]
fn parameters_that_clients_set_while_playing_are_known() {
    let folder = folder("drop_in_params");
    let mut input = String::new();
    for (name, value) in [
        ("playoutDoublingAdvantage", "0.5"),
        ("analysisWideRootNoise", "0.1"),
        ("numSearchThreads", "3"),
        ("maxVisits", "100"),
        ("maxPlayouts", "100"),
        ("maxTime", "5.0"),
        ("ponderingEnabled", "false"),
        ("resignThreshold", "-0.9"),
    ] {
        input += &format!("kata-set-param {name} {value}\nkata-get-param {name}\n");
    }
    let output = run(&folder, &["--model", NETWORK], &input);
    let results = results(&output);
    assert_eq!(results[5], "3");
    assert_eq!(results.len(), 16);
    let wrong = run(
        &folder,
        &["--model", NETWORK],
        "kata-set-param maxVisit 3\n",
    );
    let message = "? no parameter is called 'maxVisit'; did you mean maxVisits?\n\n";
    assert_eq!(text(&wrong.stdout), message);
}

/// The first commands of clients, and whether they choose their dialect by the name.
const STARTS: [(&str, &str, bool); 8] = [
    (
        "Lizzie",
        "1 name\n2 version\n3 boardsize 19\n4 komi 7.5\n",
        true,
    ),
    (
        "LizzieYzy",
        "name\nversion\nlist_commands\nkomi 7.5\nboardsize 19\n",
        true,
    ),
    (
        "Sabaki",
        "name\nversion\nprotocol_version\nlist_commands\n",
        true,
    ),
    ("LizGoban", "1 name\n2 kata-get-models\n3 version\n", true),
    ("Ogatak", "1 list_commands\n2 version\n3 name\n", false),
    (
        "twogtp",
        "protocol_version\nname\nversion\nlist_commands\n",
        false,
    ),
    ("gtp2ogs", "list_commands\r\nname\r\nversion\r\n", false),
    ("a script", "7 name\nversion\n", false),
];

#[test]
fn clients_that_go_by_the_name_get_the_rich_dialect() {
    let folder = folder("drop_in_name");
    for (client, input, is_gui) in STARTS {
        let output = run(&folder, &["--model", NETWORK], input);
        let results = results(&output);
        let names: Vec<&str> = input.lines().map(str::trim).collect();
        let answer = |command: &str| {
            let place = names.iter().position(|line| line.ends_with(command));
            results[place.unwrap()]
        };
        let version: Vec<u32> = answer("version")
            .split('.')
            .map(|part| part.parse().unwrap())
            .collect();
        if is_gui {
            // Lizzie: the name begins with KataGo; LizzieYzy: its first word begins with kata, and
            // the version is above 1.10.
            assert!(answer("name").starts_with("KataGo"), "{client}");
            assert!(version[0] > 1 || version[1] > 10, "{client}: {version:?}");
        } else {
            assert_eq!(answer("name"), "keima", "{client}");
        }
        if names.contains(&"list_commands") {
            assert!(
                answer("list_commands").contains("\nkata-analyze\n"),
                "{client}"
            );
        }
    }
    let named = ["--model", NETWORK, "--gtp-name", "Shusaku"];
    assert_eq!(results(&run(&folder, &named, "name\n")), ["Shusaku"]);
}

/// Line forms of gtp2ogs: the line that names the engine, then one for each move.
#[test]
fn evaluations_for_gtp2ogs_have_the_form_it_recognizes() {
    let folder = folder("drop_in_ogs");
    let options = [
        "--model",
        NETWORK,
        "--ogs-chat",
        "--size",
        "5",
        "--visits",
        "20",
    ];
    let output = run(&folder, &options, "genmove black\ngenmove white\n");
    let lines: Vec<&str> = text(&output.stderr).lines().collect();
    let first = lines
        .iter()
        .position(|line| line.contains("KataGo"))
        .unwrap();
    let form = Regex::new(
        r"^MALKOVICH:Visits \d+ Winrate \d+\.\d\d% ScoreLead -?\d+\.\d ScoreStdev \d+\.\d PV( [A-E][1-5]| pass)+$",
    );
    let form = form.unwrap();
    let moves = lines[first + 1..].iter();
    assert_eq!(
        moves.filter(|line| form.is_match(line)).count(),
        2,
        "{lines:?}"
    );
    let silent = [&options[..2], &options[3..]].concat();
    let silent = run(&folder, &silent, "genmove black\n");
    assert!(!text(&silent.stderr).contains("MALKOVICH"));
}

#[test]
fn log_holds_commands_and_responses() {
    let folder = folder("drop_in_log");
    let options = [
        "--model",
        NETWORK,
        "--log",
        "logs/k.log",
        "--gtp-name",
        "me",
    ];
    let output = run(&folder, &options, "name\nfoo\n");
    assert_eq!(output.status.code(), Some(0));
    let log = fs::read_to_string(folder.join("logs/k.log")).unwrap();
    let lines: Vec<&str> = log
        .lines()
        .map(|line| line.split("] ").nth(1).unwrap())
        .collect();
    assert!(lines[0].starts_with("! version "), "{log}");
    for line in ["> name", "< = me", "> foo", "< ? unknown command"] {
        assert!(lines.contains(&line), "{line}: {log}");
    }
    // Only remarks, and under another version.
    let few = ["--log", "logs/few.log", "--log-level", "remarks"];
    let output = run(
        &folder,
        &[&few[..], &["--gtp-version", "7.7"]].concat(),
        "version\n",
    );
    assert_eq!(results(&output), ["7.7"]);
    let log = fs::read_to_string(folder.join("logs/few.log")).unwrap();
    assert!(log.contains("] ! ") && !log.contains("7.7"), "{log}");
    fs::write(folder.join("file"), "").unwrap();
    let output = run(&folder, &["--log", "file/k.log"], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("cannot make file"),
        "{output:?}"
    );
}

#[test]
fn networks_are_found_by_name_in_their_folder() {
    let folder = folder("drop_in_networks");
    fs::copy(NETWORK, folder.join("tiny-s8.bin.gz")).unwrap();
    let info = run(&folder, &["net", "info", "tiny-s8", "--json"], "");
    assert_eq!(info.status.code(), Some(0), "{info:?}");
    let output = run(
        &folder,
        &["--model", "tiny"],
        "protocol_version\nload_model tiny-s8\n",
    );
    assert_eq!(results(&output).len(), 2);
    let wrong = run(&folder, &["--model", "tinny-s8"], "");
    assert_eq!(wrong.status.code(), Some(1));
    let message = text(&wrong.stderr);
    assert!(
        message.contains("no such file or network; did you mean tiny-s8?"),
        "{message}"
    );
    let both = run(&folder, &["--model", "default"], "");
    let usual = run(&folder, &[], "");
    assert_eq!(
        both.stderr, usual.stderr,
        "the name means what is used without a name"
    );
}

/// The page about clients, as it is shipped.
const PAGE: &str = include_str!("../../docs/clients.md");

#[test]
fn command_lines_of_the_page_about_clients_are_understood() {
    let of_page = Regex::new(r"(?m)(?:^|`|/path/to/)(keima [^`\n]*)").unwrap();
    let mut lines: Vec<&str> = of_page
        .captures_iter(PAGE)
        .map(|it| it.get(1).unwrap().as_str())
        .collect();
    // Where it stands for any client.
    lines.retain(|line| !line.contains("CLIENT"));
    assert!(lines.len() >= 8, "{lines:?}");
    for line in lines {
        let words = shlex::split(line).unwrap().into_iter().map(Into::into);
        if let Err(error) = Cli::try_parse_from(with_two_dashes(words)) {
            panic!("{line}: {error}");
        }
    }
}

#[test]
fn katagos_benchmark_measures_the_network_of_the_configuration() {
    let folder = folder("drop_in_bench");
    fs::write(folder.join("gtp.cfg"), "logDir = logs\n").unwrap();
    fs::write(folder.join("own.toml"), format!("model = '{NETWORK}'\n")).unwrap();
    for network in [
        vec!["-model", NETWORK, "-config", "gtp.cfg"],
        vec!["-config", "own.toml"],
    ] {
        let limits = ["-visits", "3", "-threads", "1", "--size", "9"];
        let output = run(
            &folder,
            &[&["benchmark"], &network[..], &limits].concat(),
            "",
        );
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert!(text(&output.stdout).contains("10 positions, 3 visits each"));
    }
}
