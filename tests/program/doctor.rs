//! `keima doctor`, and what shells and `man` want to know.

use std::fs;
use std::process::Output;

use regex::Regex;

use crate::folders::folder;
use crate::running::{finish, keima, text};
use crate::under_test::PROGRAM;

fn run(variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut command = keima(arguments);
    command.env("KEIMA_CONFIG", "none");
    command.envs(variables.iter().copied());
    finish(command, "")
}

#[test]
fn doctor_names_machine_networks_configuration_and_speed() {
    let output = run(&[], &["doctor"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let page = text(&output.stdout);
    for fact in [
        "keima",
        "processor",
        "instructions",
        "memory",
        "GPU",
        "threads",
        "configuration",
    ] {
        assert!(
            page.lines()
                .any(|line| line.starts_with(&format!("{fact:<14} "))),
            "{fact}: {page}"
        );
    }
    assert!(
        page.contains("default: ") && page.contains("small: "),
        "{page}"
    );
    let speed = Regex::new(r"\d+ evaluations/s on 19x19 with 1 thread \(\d+ in \d+\.\d\d s\)");
    assert!(speed.unwrap().is_match(page), "{page}");
}

#[test]
fn doctor_says_what_is_wrong() {
    let folder = folder("doctor");
    let file = folder.join("k.toml");
    fs::write(&file, "visitors = 3\n").unwrap();
    let file = file.to_str().unwrap();
    let page = run(&[("KEIMA_CONFIG", file)], &["doctor"]);
    assert_eq!(page.status.code(), Some(1));
    let page = text(&page.stdout);
    assert!(
        page.contains(&format!("- {file}:1: no parameter is called 'visitors'")),
        "{page}"
    );
    assert!(page.contains("- keima does not start: "), "{page}");
    let missing = run(&[], &["doctor", "--model", "no/such/net.bin.gz"]);
    assert_eq!(missing.status.code(), Some(1), "{missing:?}");
    let page = run(
        &[("KEIMA_ISA", "altivec")],
        &["doctor", "--threads", "1000"],
    );
    let page = text(&page.stdout);
    assert!(page.contains("unset KEIMA_ISA"), "{page}");
    assert!(
        page.contains("which makes it weaker: set numSearchThreads to "),
        "{page}"
    );
}

#[test]
fn entries_of_clients_have_the_path_of_the_program() {
    let path = fs::canonicalize(PROGRAM).unwrap();
    let path = path.to_str().unwrap();
    let output = run(&[], &["doctor", "sabaki", "--visits", "400"]);
    let entry = text(&output.stdout);
    assert!(
        entry.contains(path) && entry.contains("gtp --visits 400"),
        "{entry}"
    );
    // Clients start programs in folders of their own.
    for option in [&["--model", "README.md"][..], &["--model=README.md"]] {
        let output = run(&[], &[&["doctor", "sabaki"], option].concat());
        let entry = text(&output.stdout);
        assert!(entry.contains(env!("CARGO_MANIFEST_DIR")), "{entry}");
    }
    let all = run(&[], &["doctor", "all"]);
    let all = text(&all.stdout);
    for client in [
        "Sabaki",
        "Lizzie",
        "LizzieYzy",
        "KaTrain",
        "GoGui",
        "Ogatak",
        "LizGoban",
        "q5Go",
        "gtp2ogs",
        "kgsGtp",
        "CGOS",
    ] {
        assert!(
            all.lines().any(|line| line.starts_with(client)),
            "{client}: {all}"
        );
    }
    let wrong = run(&[], &["doctor", "sabbaki"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("sabaki"));
}

#[test]
fn completions_and_manual_pages_cover_all_commands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = run(&[], &["completions", shell]);
        assert_eq!(script.status.code(), Some(0));
        assert!(text(&script.stdout).contains("human-profile"), "{shell}");
    }
    let script = run(&[], &["completions", "bash"]);
    for values in [
        "go chess draughts gomoku backgammon",
        "-W \"tromp-taylor chinese ",
        "-W \"person keima ",
        "-W \"international english ",
    ] {
        assert!(text(&script.stdout).contains(values), "{values}");
    }
    let page = run(&[], &["man"]);
    assert!(text(&page.stdout).contains(".TH keima 1"), "{page:?}");
    let folder = folder("man");
    let output = run(&[], &["man", folder.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    for name in [
        "keima",
        "keima-gtp",
        "keima-net-info",
        "keima-config-init",
        "keima-doctor",
    ] {
        let page = fs::read_to_string(folder.join(format!("{name}.1"))).unwrap();
        assert!(page.contains(&format!(".TH {name} 1")), "{name}");
    }
}
