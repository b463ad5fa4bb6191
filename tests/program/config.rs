//! The configuration file: where it is found, what it sets, what is said about mistakes.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::folders::folder;
use crate::running::{finish, keima, text};
use crate::under_test::PROGRAM;

/// Runs the program with this folder as the user's configuration folder.
fn run(home: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut command = keima(arguments);
    command
        .env("XDG_CONFIG_HOME", home)
        .env_remove("KEIMA_CONFIG");
    command.envs(variables.iter().copied());
    finish(command, "")
}

#[test]
fn file_ranks_below_environment_and_options() {
    let home = folder("config_ranks");
    fs::create_dir(home.join("keima")).unwrap();
    let file = home.join("keima/keima.toml");
    fs::write(
        &file,
        "visits = 10\nmaxPlayouts = 11\nmaxTime = 12\nsize = '9x7'\n",
    )
    .unwrap();
    let set = [("KEIMA_SET", "maxPlayouts=21,maxTime=22")];
    let output = run(&home, &set, &["config", "show", "--seconds", "32"]);
    let shown = text(&output.stdout);
    for line in [
        &format!("maxVisits = 10  # {}:1", file.display()),
        "maxPlayouts = 21  # KEIMA_SET",
        "maxTime = 32  # --seconds",
        &format!("size = \"9x7\"  # {}:4", file.display()),
        "rules = \"tromp-taylor\"  # default",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line}: {shown}");
    }
    let output = run(&home, &[], &["config", "show", "--config", "none"]);
    assert!(text(&output.stdout).contains("\nmaxVisits = \"\"  # default\n"));
}

#[test]
fn engine_starts_with_the_settings_of_the_file() {
    let home = folder("config_engine");
    let file = home.join("other.toml");
    fs::write(&file, "rules = 'japanese'\nkomi = 5.5\nvisits = 7\n").unwrap();
    let file = file.to_str().unwrap();
    let script = home.join("script.gtp");
    fs::write(
        &script,
        "get_komi\n#? [5.5]\nkata-get-param maxVisits\n#? [7]\n",
    )
    .unwrap();
    let engine = format!("'{PROGRAM}' --config '{file}'");
    let output = run(
        &home,
        &[],
        &["regress", "--engine", &engine, script.to_str().unwrap()],
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn faults_of_the_file_stop_the_program_and_name_the_line() {
    let home = folder("config_faults");
    let file = home.join("k.toml");
    fs::write(&file, "visits = 10\n\nmaxPlayout = 5\nplayer = 'go'\n").unwrap();
    let file = file.to_str().unwrap();
    let place = |line: usize| format!("{file}:{line}: ");
    let output = run(&home, &[], &["--config", file]);
    assert_eq!(output.status.code(), Some(1));
    let message = text(&output.stderr);
    assert!(message.contains(&(place(3) + "no parameter is called 'maxPlayout'")));
    assert!(message.contains("did you mean maxPlayouts?"), "{message}");
    let output = run(&home, &[], &["config", "check", file]);
    assert_eq!(output.status.code(), Some(1));
    let faults = text(&output.stdout);
    assert_eq!(faults.lines().count(), 3, "{faults}");
    assert!(faults.contains(&place(4)) && faults.ends_with("2 faults\n"));
    let named = run(&home, &[], &["config", "check", "--config", file]);
    assert_eq!(named.status.code(), Some(1));
    assert_eq!(text(&named.stdout), faults);
    let none = run(&home, &[], &["config", "check", "--config", "none"]);
    assert!(text(&none.stderr).contains("there is no configuration file"));
    let missing = run(&home, &[], &["--config", "no-such-file.toml"]);
    assert!(text(&missing.stderr).contains("cannot read no-such-file.toml"));
}

#[test]
fn refused_values_of_katagos_files_are_told_and_ignored() {
    let home = folder("config_katago");
    let file = home.join("z.cfg");
    fs::write(&file, "maxVisits = abc\nmaxTime = 3\nnoKey = 1\n").unwrap();
    let file = file.to_str().unwrap();
    let fault = format!("{file}:1: 'abc' is no value for maxVisits, a whole number from 1 to ");
    let output = run(&home, &[], &["config", "check", file]);
    assert_eq!(output.status.code(), Some(1));
    let checked = text(&output.stdout);
    assert!(checked.starts_with(&fault), "{checked}");
    let rest = format!("\n{file}: keima does not use noKey\n1 fault\n");
    assert!(checked.ends_with(&rest), "{checked}");
    let output = run(&home, &[], &["config", "show", "--config", file]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let first = text(&output.stderr).lines().next().unwrap();
    assert!(first.starts_with(&format!("keima: {fault}")), "{first}");
    assert!(first.ends_with("; ignored"), "{first}");
    let shown = text(&output.stdout);
    assert!(shown.contains("\nmaxVisits = \"\"  # default\n"), "{shown}");
    fs::write(home.join("a.cfg"), "@include z.cfg\n@include none.cfg\n").unwrap();
    let file = home.join("a.cfg");
    let output = run(&home, &[], &["--config", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let message = text(&output.stderr);
    assert!(message.contains("a.cfg:2: cannot use"), "{message}");
}

#[test]
fn katagos_files_count_where_none_of_their_lines_holds() {
    let home = folder("config_katago_lines");
    let file = home.join("m.cfg");
    fs::write(&file, "maxVisits = 5\n").unwrap();
    let file = file.to_str().unwrap();
    for more in [["--visits", "7"], ["--override-config", "maxVisits="]] {
        let arguments = [&["config", "show", "--config", file], &more[..]].concat();
        let output = run(&home, &[], &arguments);
        let shown = text(&output.stdout);
        let expected = "\nhumanSLChosenMoveProp = 0  # default\n";
        assert!(shown.contains(expected), "{shown}");
    }
}

#[test]
fn overrides_take_back_what_file_and_environment_say() {
    let home = folder("config_overrides");
    let file = home.join("z.cfg");
    let lines = "useLcbForSelection = false\nnnRandomize = false\nmaxVisits = 7\nmaxTime = 3.0\n\
                 koRule = SIMPLE\nscoringRule = TERRITORY\n";
    fs::write(&file, lines).unwrap();
    let file = file.to_str().unwrap();
    let told = |overrides: &str, expected: &[&str]| {
        let options = ["--config", file, "--override-config", overrides];
        let arguments = [&["config", "show"], &options[..]].concat();
        let output = run(&home, &[("KEIMA_SET", "maxPlayouts=9")], &arguments);
        let shown = text(&output.stdout);
        for line in expected {
            assert!(shown.lines().any(|shown| shown == *line), "{line}: {shown}");
        }
        text(&output.stderr).to_owned()
    };
    let time = format!("maxTime = 3  # {file}:4");
    let remark = told(
        "useLcbForSelection=true,nnRandomize=,maxVisits=,maxPlayouts=,rules=,noKey=",
        &[
            "lcbStdevs = 5  # default",
            "symmetries = \"random\"  # default",
            "maxVisits = \"\"  # default",
            "maxPlayouts = \"\"  # default",
            "rules = \"tromp-taylor\"  # default",
            time.as_str(),
        ],
    );
    let unused = "keima: --override-config: keima does not use noKey\n";
    assert_eq!(remark, unused);
    let kept = [
        format!("lcbStdevs = 0  # {file}:1"),
        format!("symmetries = \"none\"  # {file}:2"),
        format!("maxVisits = 7  # {file}:3"),
    ];
    let kept = kept.each_ref().map(String::as_str);
    assert_eq!(told("maxTime=", &kept), "");
}

#[test]
fn file_of_init_is_commented_out_and_passes_the_check() {
    let home = folder("config_init");
    let output = run(&home, &[], &["config", "init"]);
    let file = home.join("keima/keima.toml");
    assert_eq!(text(&output.stdout).trim_end(), file.to_str().unwrap());
    let written = fs::read_to_string(&file).unwrap();
    let is_comment = |line: &str| line.is_empty() || line.starts_with('#');
    assert!(written.lines().all(is_comment));
    assert!(written.contains("\n# cpuctExploration = 1\n"), "{written}");
    let output = run(&home, &[], &["config", "check"]);
    assert!(text(&output.stdout).contains("nothing is wrong"));
    let again = run(&home, &[], &["config", "init"]);
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains("exists already"));
    assert!(
        run(&home, &[], &["config", "init", "--force"])
            .status
            .success()
    );
}

#[test]
fn file_may_say_what_only_other_players_use() {
    let home = folder("config_players");
    let file = home.join("k.toml");
    fs::write(
        &file,
        "device = 'cpu'\npolicyOptimism = 0.5\nrollouts = 3\n",
    )
    .unwrap();
    let file = file.to_str().unwrap();
    let output = run(&home, &[], &["--config", file, "--player", "random"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let options = ["--device", "cpu", "--player", "random"];
    let output = run(&home, &[], &options);
    assert!(text(&output.stderr).contains("leave --device out"));
}

/// Runs `keima genconfig` in a folder with these answers.
fn genconfig(home: &Path, arguments: &[&str], answers: &str) -> Output {
    let mut command = keima(&[&["genconfig"], arguments].concat());
    command
        .env("XDG_CONFIG_HOME", home)
        .env_remove("KEIMA_CONFIG")
        .current_dir(home);
    finish(command, answers)
}

/// A setting as `keima config show` prints it.
fn shown(home: &Path, file: &str, name: &str) -> String {
    let output = run(home, &[], &["config", "show", "--config", file]);
    let shown = text(&output.stdout).to_owned();
    let line = shown
        .lines()
        .find(|line| line.starts_with(&format!("{name} =")));
    let value = line.and_then(|line| line.split("  # ").next());
    value.unwrap_or_default().to_owned()
}

#[test]
fn answers_to_genconfig_become_a_file() {
    let home = folder("config_genconfig");
    let answers = "chess\njapanese\nperhaps\nvisits\n0\n50\ny\n20\n3\n";
    let output = genconfig(&home, &["-output", "mine.toml"], answers);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let file = home.join("mine.toml");
    let file = file.to_str().unwrap();
    assert_eq!(shown(&home, file, "maxVisits"), "maxVisits = 50");
    assert_eq!(shown(&home, file, "rules"), "rules = \"japanese\"");
    assert_eq!(
        shown(&home, file, "ponderingEnabled"),
        "ponderingEnabled = true"
    );
    assert_eq!(
        shown(&home, file, "maxTimePondering"),
        "maxTimePondering = 20"
    );
    assert_eq!(
        shown(&home, file, "numSearchThreads"),
        "numSearchThreads = 3"
    );
    // As KataGo writes it, and with the answers that stand for an empty line.
    let output = genconfig(&home, &["--output", "gtp.cfg"], "\nseconds\n\ny\n\n\n");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let cfg = fs::read_to_string(home.join("gtp.cfg")).unwrap();
    let lines: Vec<&str> = cfg.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines, ["maxTime = 10", "ponderingEnabled = true"]);
}

#[test]
fn genconfig_replaces_no_file_without_being_told() {
    let home = folder("config_genconfig_kept");
    let file = home.join("gtp.cfg");
    fs::write(&file, "maxVisits = 7\n").unwrap();
    let kept = |answers: &str, code: i32| {
        let output = genconfig(&home, &["-output", "gtp.cfg"], answers);
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "maxVisits = 7\n");
    };
    kept("n\n", 0);
    kept("y\nchinese\n", 1);
    let output = genconfig(&home, &["-output", "gtp.cfg"], "y\nchinese\n\n\n\n");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(
        fs::read_to_string(&file)
            .unwrap()
            .contains("rules = chinese")
    );
    let output = genconfig(&home, &["-model", "none.bin.gz", "-output", "x.toml"], "");
    assert_eq!(output.status.code(), Some(1));
}
