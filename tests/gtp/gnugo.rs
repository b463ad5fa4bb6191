//! GNU Go as a reference for handicap, legality and captures. The program is `gnugo`, or the value
//! of the environment variable `GNUGO`.

use std::time::Duration;

use crate::player::Session;
use crate::skipped::skipped;
use keima::gtp::client::Client;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn gnugo() -> Option<Client> {
    let program = std::env::var("GNUGO").unwrap_or("gnugo".to_owned());
    let client = Client::spawn(&format!("{program} --mode gtp"), Duration::from_secs(20));
    let mut client = client.ok();
    let answers = |client: &mut Client| client.send("name").is_ok();
    client = client.take_if(answers);
    if client.is_none() {
        skipped("GNU Go does not start");
    }
    client
}

/// The same words in any order.
fn sorted(text: &str) -> Vec<String> {
    let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    words.sort();
    words
}

#[test]
fn fixed_handicap_is_the_same() {
    let Some(mut gnugo) = gnugo() else { return };
    let mut session = Session::new(19);
    // On 12x12, GNU Go alone has the stones on the fourth line.
    for size in (5..=19).filter(|&size| size != 12) {
        for stones in 0..=10 {
            for command in [format!("boardsize {size}"), "clear_board".to_owned()] {
                gnugo.send(&command).unwrap();
                session.ok(&command);
            }
            let command = format!("fixed_handicap {stones}");
            match gnugo.send(&command) {
                Ok(points) => assert_eq!(sorted(&session.ok(&command)), sorted(&points), "{size}"),
                Err(_) => assert_eq!(
                    session.fails(&command),
                    "invalid handicap",
                    "{size} {stones}"
                ),
            }
        }
    }
    assert!(gnugo.quit(Duration::from_secs(5)));
}

#[test]
fn random_moves_are_as_legal_and_capture_the_same() {
    let Some(mut gnugo) = gnugo() else { return };
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut session = Session::new(19);
    session.ok("kata-set-rules chinese");
    let (mut illegal, mut captured) = (0, 0);
    for game in 0..40 {
        let size = [5, 6, 7, 9][game % 4];
        for command in [format!("boardsize {size}"), "clear_board".to_owned()] {
            gnugo.send(&command).unwrap();
            session.ok(&command);
        }
        for number in 0..3 * size * size {
            let color = if number % 2 == 0 { "black" } else { "white" };
            let column = *"ABCDEFGHJ".as_bytes()[..size].choose(&mut rng).unwrap() as char;
            let vertex = format!("{column}{}", rng.random_range(1..=size));
            let is_legal = gnugo.send(&format!("play {color} {vertex}")).is_ok();
            let ours = session.ok(&format!("is_legal {color} {vertex}")) == "1";
            assert_eq!(
                ours,
                is_legal,
                "{color} {vertex}\n{}",
                session.ok("showboard")
            );
            if is_legal {
                session.ok(&format!("play {color} {vertex}"));
            } else {
                illegal += 1;
            }
        }
        for command in [
            "list_stones black",
            "list_stones white",
            "captures black",
            "captures white",
        ] {
            let theirs = gnugo.send(command).unwrap();
            assert_eq!(sorted(&session.ok(command)), sorted(&theirs), "{command}");
        }
        captured += session.ok("captures black").parse::<usize>().unwrap();
    }
    println!("{illegal} illegal moves, {captured} white stones captured");
    assert!(illegal > 100 && captured > 100);
    assert!(gnugo.quit(Duration::from_secs(5)));
}
