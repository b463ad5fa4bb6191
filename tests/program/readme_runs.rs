//! The commands of the README run, with figures that take seconds instead of hours.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

use flate2::Compression;
use flate2::write::GzEncoder;
use regex::Regex;

use crate::folders::folder;
use crate::readme::{README, blocks};
use crate::under_test::{self, PROGRAM};

const NET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets/s12.bin.gz");

/// Text of the README, and its replacement for the test. Each must occur.
const SMALLER: [(&str, &str); 22] = [
    ("target/release/keima", "keima"),
    // It would serve for ever.
    ("keima serve", "keima serve --help"),
    (" NET ", " s12.bin.gz "),
    (
        "/usr/games/gnugo --mode gtp --level 10 --chinese-rules\" --games 10",
        "keima --player random\" --games 2",
    ),
    ("--move 60", "--move 20"),
    (
        "--black keima --white \"gtp:gnugo --mode gtp\"",
        "--size 5 --black random --white \"gtp:keima gtp --player random\"",
    ),
    (
        "--out REVIEW\n",
        "--out REVIEW --visits 2 --model s12.bin.gz\n",
    ),
    ("--threads 1,2,4", "--threads 1"),
    (
        "net bench s12.bin.gz",
        "net bench s12.bin.gz --seconds 0.01",
    ),
    ("--arch b6c96 NEW", "--arch b1c16 NEW"),
    (
        "--count 1000000",
        "--count 60 --shard 20 --sizes 9:1 --held-out 0.4",
    ),
    (
        "--count 20000 --validation",
        "--count 20 --shard 20 --sizes 9:1 --held-out 0.4 --validation",
    ),
    (
        "--arch b4c64 --samples 5000000",
        "--arch b1c16 --batch 16 --micro-batch 4 --samples 64",
    ),
    ("--decay-over 1000000", "--decay-over 32"),
    (
        "--max-seconds 3000 --sizes 9:3,13:1",
        "--games 1 --sizes 5 --set visits=4",
    ),
    (
        "RUN/games LABELS --max-seconds 3000",
        "RUN/games LABELS --arch b1c16 --samples 128",
    ),
    ("seq 1 5", "seq 1 1"),
    (
        "--games 200 --threads 1 --set visits=100 --set fast_visits=24",
        "--games 4 --threads 1 --set visits=8 --set fast_visits=4",
    ),
    (
        "--arch b2c32 --samples $((24576 * (g + 1)))",
        "--arch b1c16 --samples $((64 * (g + 1)))",
    ),
    (
        "--sprt 0,60 --games 100 --seed $g",
        "--games 2 --visits 4 --seed $g || [ $? = 3 ]",
    ),
    ("--playouts 2000\" --games 40", "--playouts 20\" --games 2"),
    (
        "--sprt 0,30 --visits 64 --sizes 9,13,19",
        "--games 2 --visits 4 --sizes 5 || [ $? = 3 ]",
    ),
];

/// Beginnings of blocks that are not for this program; of GoGui's the engine's options are still
/// looked at.
const OTHERS: [&str; 3] = ["cargo run", "cargo build", "gogui-twogtp"];

/// A folder with the files that the README assumes: a network, records of games, a table of them.
fn workplace() -> PathBuf {
    let path = folder("readme");
    fs::copy(NET, path.join("s12.bin.gz")).unwrap();
    fs::write(path.join("openings.txt"), "C3 E5 D2\n").unwrap();
    let player = |seed: u32| format!("{PROGRAM} --player random --seed {seed}");
    let status = under_test::program()
        .current_dir(&path)
        .args(["match", "--size", "9", "--games", "20", "--sgf", "FOLDER"])
        .args(["--black", &player(1), "--white", &player(2)])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(status.unwrap().success());
    let moves = Regex::new(r";[BW]\[(\w*)\]").unwrap();
    let mut table = String::from("size\tmoves\n");
    // Half of them are in the table alone.
    for number in 1..=10 {
        let file = path.join(format!("FOLDER/game-{number:04}.sgf"));
        let record = fs::read_to_string(&file).unwrap();
        fs::remove_file(&file).unwrap();
        let played = moves.captures_iter(&record).map(|mv| match &mv[1] {
            "" => "--".to_owned(),
            point => point.to_owned(),
        });
        table += &format!("9\t{}\n", played.collect::<String>());
        fs::write(path.join("GAME.sgf"), record).unwrap();
    }
    let file = fs::File::create(path.join("games.tsv.gz")).unwrap();
    let mut file = GzEncoder::new(file, Compression::fast());
    file.write_all(table.as_bytes()).unwrap();
    file.finish().unwrap();
    path
}

#[test]
fn commands_of_the_readme_run() {
    let path = workplace();
    let program = path.join("bin");
    fs::create_dir(&program).unwrap();
    std::os::unix::fs::symlink(PROGRAM, program.join("keima")).unwrap();
    let folders = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut unused: Vec<&str> = SMALLER.map(|(said, _)| said).to_vec();
    for block in blocks(README) {
        let mut script = block.to_owned();
        for (said, run) in SMALLER {
            if script.contains(said) {
                script = script.replace(said, run);
                unused.retain(|it| *it != said);
            }
        }
        if OTHERS.iter().any(|other| block.starts_with(other)) {
            continue;
        }
        let output = under_test::configured("sh")
            .args(["-e", "-c", &script])
            .current_dir(&path)
            .env("PATH", &folders)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let (out, err) = (&output.stdout, &output.stderr);
        assert!(
            output.status.success(),
            "{}:\n{script}\n{}\n{}",
            output.status,
            String::from_utf8_lossy(out),
            String::from_utf8_lossy(err)
        );
    }
    assert!(unused.is_empty(), "not in the README any more: {unused:?}");
}
