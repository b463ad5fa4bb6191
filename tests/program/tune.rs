//! `keima tune`: genetic runs and Texel's method, interrupted and resumed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use crate::folders;
use crate::guarded::Guarded;
use crate::running::{self, done, refused};
use crate::under_test;

fn folder(name: &str) -> PathBuf {
    folders::vacant(&format!("tune-{name}"))
}

/// A small genetic run.
fn genetic<'a>(run: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let options = [
        "tune",
        "genetic",
        "draughts",
        run,
        "--variant",
        "dama8",
        "--evaluation",
        "simple",
        "--population",
        "6",
        "--games",
        "4",
        "--nodes",
        "60",
        "--judge-every",
        "2",
        "--judge-games",
        "4",
        "--mutate",
        "0.5",
    ];
    [&options[..], more].concat()
}

fn generations(run: &Path) -> String {
    fs::read_to_string(run.join("generations.jsonl")).unwrap()
}

#[test]
fn a_genetic_run_goes_on_as_if_never_interrupted() {
    let (whole, parts) = (folder("whole"), folder("parts"));
    let name = parts.to_str().unwrap();
    done(&genetic(name, &["--generations", "1"]));
    // Killed in a later generation, in the middle of a line or not, long before the end.
    let mut command = under_test::program();
    command.args(genetic(name, &["--generations", "100000"]));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = Guarded::spawn(&mut command);
    let complete = || generations(&parts).matches('\n').count();
    running::until("a second generation", Duration::from_secs(180), || {
        assert_eq!(child.try_wait().unwrap(), None, "it ended by itself");
        complete() >= 2
    });
    assert_eq!(child.try_wait().unwrap(), None, "it ended by itself");
    drop(child);
    let known = complete();
    let count = known + 2;
    let all = ["--generations", &count.to_string()];
    let text = done(&genetic(name, &all));
    let told = format!("{known} generations are there already");
    assert_eq!(text.lines().next(), Some(&*told), "{text}");

    let text = done(&genetic(
        whole.to_str().unwrap(),
        &[&all[..], &["--threads", "2"]].concat(),
    ));
    let last = format!("generation {count}: best");
    assert!(text.contains(&last), "{text}");
    let matches = text.matches("against the start").count();
    assert_eq!(matches, count / 2, "{text}");
    let lines = generations(&whole);
    assert_eq!(lines.lines().count(), count);
    for name in [
        "champion.json",
        "best.json",
        "settings.json",
        "matches/0002/games.jsonl",
    ] {
        assert!(whole.join(name).exists(), "{name}");
    }
    let page = fs::read_to_string(whole.join("report.html")).unwrap();
    for part in [
        "Champions against the start",
        "id=\"weights\"",
        "flying_king",
        &format!("{count} generations"),
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert_eq!(generations(&parts), lines);
    for name in ["champion.json", "best.json"] {
        let read = |run: &Path| fs::read_to_string(run.join(name)).unwrap();
        assert_eq!(read(&parts), read(&whole), "{name}");
    }
    // Less is asked for than there is: nothing gets worse.
    let best = fs::read_to_string(parts.join("best.json")).unwrap();
    done(&genetic(name, &["--generations", "1"]));
    assert_eq!(fs::read_to_string(parts.join("best.json")).unwrap(), best);
    assert_eq!(generations(&parts), lines);
    let error = refused(&genetic(name, &["--seed", "2"]));
    assert!(error.contains("a run with other settings"), "{error}");
    let error = refused(&["tune", "texel", "draughts", name]);
    assert!(error.contains("a run of another method"), "{error}");
    // A line that was taken out leaves a gap.
    let rest = lines.split_once('\n').unwrap().1;
    fs::write(parts.join("generations.jsonl"), rest).unwrap();
    let error = refused(&genetic(name, &["--generations", "5"]));
    assert!(error.contains("generations are missing"), "{error}");
}

#[test]
fn options_that_make_no_sense_together_are_refused() {
    let run = folder("senseless");
    let name = run.to_str().unwrap();
    for (more, message) in [
        (
            &["--judge-every", "0", "--stall", "2"][..],
            "no stall can be seen",
        ),
        (
            &["--start", "a.json", "--preset", "thesis", "--stall", "2"],
            "cannot be used with",
        ),
        (&["--judge-games", "3"], "give an even number"),
    ] {
        let genetic = ["tune", "genetic", "draughts", name];
        let output = running::run(&[&genetic[..], more].concat(), "");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(
            !output.status.success() && error.contains(message),
            "{error}"
        );
    }
}

#[test]
fn a_run_ends_when_champions_get_no_better() {
    let run = folder("stall");
    let more = [
        "--generations",
        "50",
        "--stall",
        "3",
        "--sigma",
        "0",
        "--population",
        "2",
    ];
    let options = [
        "tune",
        "genetic",
        "draughts",
        run.to_str().unwrap(),
        "--variant",
        "dama8",
        "--evaluation",
        "simple",
        "--games",
        "2",
        "--nodes",
        "20",
        "--judge-every",
        "1",
        "--judge-games",
        "2",
    ];
    done(&[&options[..], &more].concat());
    let count = generations(&run).lines().count();
    assert!((4..50).contains(&count), "{count} generations");
}

#[test]
fn finalists_of_a_knockout_have_children() {
    let run = folder("thesis");
    fs::create_dir_all(&run).unwrap();
    let weights = [300, 10, 200].map(|king| {
        let file = run.join(format!("king-{king}.json"));
        fs::write(
            &file,
            format!("{{\"flying_king\": {king}, \"advance\": {}}}", king / 100),
        )
        .unwrap();
        file.to_str().unwrap().to_owned()
    });
    let text = done(&[
        "tune",
        "genetic",
        "draughts",
        run.to_str().unwrap(),
        "--preset",
        "thesis",
        "--games",
        "4",
        "--nodes",
        "60",
        "--start",
        &weights[0],
        "--start",
        &weights[1],
        "--start",
        &weights[2],
    ]);
    assert!(
        text.contains("round 1:") && text.contains("round 2:"),
        "{text}"
    );
    for child in ["child-1.json", "child-2.json"] {
        let child = run.join(child);
        done(&[
            "match",
            "--game",
            "draughts",
            "--first",
            &format!("alphabeta nodes=20 weights={}", child.display()),
            "--second",
            "random",
            "--games",
            "1",
        ]);
    }
    let error = refused(&[
        "tune",
        "genetic",
        "draughts",
        run.to_str().unwrap(),
        "--preset",
        "thesis",
        "--start",
        &weights[0],
    ]);
    assert!(error.contains("at least two files"), "{error}");
    fs::write(&weights[0], "{\"queens\": 3}").unwrap();
    let error = refused(&["tune", "texel", "draughts", "none", "--start", &weights[0]]);
    assert!(
        error.contains("king-300.json") && error.contains("queens"),
        "{error}"
    );
}

#[test]
fn texel_lowers_the_error_and_goes_on() {
    let (run, other) = (folder("texel"), folder("texel-other"));
    let texel = |run: &Path, games: &str| {
        done(&[
            "tune",
            "texel",
            "chess",
            run.to_str().unwrap(),
            "--nodes",
            "100",
            "--games",
            games,
            "--epochs",
            "40",
            "--threads",
            "2",
        ])
    };
    texel(&run, "10");
    let text = texel(&run, "30");
    assert!(
        text.contains("10 games of 30") && text.contains("30 games of 30"),
        "{text}"
    );
    texel(&other, "30");
    for name in ["games.jsonl", "weights.json"] {
        let read = |run: &Path| fs::read_to_string(run.join(name)).unwrap();
        assert_eq!(read(&run), read(&other), "{name}");
    }
    let error = |epoch: &str| -> f64 {
        let line = text.lines().find(|line| line.starts_with(epoch)).unwrap();
        let number = line
            .split("error ")
            .nth(1)
            .unwrap()
            .split(',')
            .next()
            .unwrap();
        number.parse().unwrap()
    };
    assert!(error("epoch 40:") < error("epoch 20:"), "{text}");
    let page = fs::read_to_string(run.join("report.html")).unwrap();
    assert!(page.contains("held out") && page.contains("pawn_square"));
    let player = format!(
        "alphabeta nodes=50 weights={}",
        run.join("weights.json").display()
    );
    done(&[
        "match", "--game", "chess", "--first", &player, "--second", "random", "--games", "1",
    ]);
}
