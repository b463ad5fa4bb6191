//! `keima rollout-policy` as users start it, and players with what it has learned.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::folders;
use crate::running::{done, refused, run};

/// Games in which every move is beside the last one.
const TABLE: &str = "size\tmoves\n\
    9\taabacadaeafagahaiaibhbgbfbebdbcb\n\
    9\teeedecebeafafbfcfdfefffgfhfigigh\n";

fn folder(name: &str) -> PathBuf {
    folders::folder(&format!("rollout-policy-{name}"))
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// A table of games and the policy learned from it.
fn learned(name: &str) -> (String, String) {
    let folder = folder(name);
    let (games, policy) = (folder.join("games.tsv"), folder.join("policy.json"));
    std::fs::write(&games, TABLE).unwrap();
    let (games, policy) = (text(&games), text(&policy));
    let printed = done(&[
        "rollout-policy",
        "train",
        &policy,
        "--data",
        &games,
        "--validate",
        &games,
        "--at-least",
        "1",
        "--moves",
        "32",
        "--rate",
        "1",
    ]);
    assert!(printed.contains("perplexity"), "{printed}");
    (games, policy)
}

#[test]
fn a_policy_learns_moves_beside_the_last_one() {
    let (games, policy) = learned("learns");
    let test = |policy: &[&str]| -> Value {
        let arguments = [
            &["rollout-policy", "test", "--data", &games, "--json"],
            policy,
        ]
        .concat();
        serde_json::from_str(&done(&arguments)).unwrap()
    };
    let own = test(&["--policy", &policy]);
    assert_eq!(own["moves"], 32);
    let nats = |it: &Value, name: &str| it[name].as_f64().unwrap();
    assert!(
        nats(&own, "cross_entropy") < 0.6 * nats(&own, "uniform_cross_entropy"),
        "{own}"
    );
    let built_in = test(&[]);
    assert_eq!(
        built_in["uniform_cross_entropy"],
        own["uniform_cross_entropy"]
    );
    assert_ne!(built_in["cross_entropy"], own["cross_entropy"]);
}

#[test]
fn a_policy_is_not_replaced_unless_it_is_said() {
    let (games, policy) = learned("replaces");
    let again = ["rollout-policy", "train", &policy, "--data", &games];
    assert!(refused(&again).contains("exists"));
    let forced = [
        &again[..],
        &["--validate", &games, "--moves", "5", "--force"],
    ]
    .concat();
    done(&forced);
}

#[test]
fn foreign_files_are_no_policies() {
    let path = text(&folder("foreign").join("weights.json"));
    std::fs::write(&path, "{\"win\":[1,2]}").unwrap();
    let gtp = [
        "gtp",
        "--config",
        "none",
        "--player",
        "rollout",
        "--rollout-weights",
        &path,
    ];
    let reason = refused(&gtp);
    assert!(
        reason.contains("weights.json") && reason.contains("no rollout policy"),
        "{reason}"
    );
    let useless = [
        "gtp",
        "--config",
        "none",
        "--player",
        "policy",
        "--rollout-weights",
        &path,
    ];
    assert!(refused(&useless).contains("does not search"));
}

#[test]
fn players_follow_the_policy_that_they_are_given() {
    let (_, policy) = learned("players");
    let play = |more: &[&str]| {
        let options = [
            "gtp",
            "--config",
            "none",
            "--player",
            "rollout",
            "--size",
            "9",
            "--visits",
            "60",
            "--seed",
            "1",
            "--threads",
            "1",
        ];
        let input = "play b c3\ngenmove w\ngenmove b\ngenmove w\nquit\n";
        let output = run(&[&options[..], more].concat(), input);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let built_in = play(&["--set", "rolloutPolicy=learned"]);
    let own = ["--rollout-weights", &policy];
    assert_ne!(built_in, play(&own));
    assert_ne!(built_in, play(&[]));
    assert_ne!(play(&own), play(&[]));
    let set = |value| play(&[&own[..], &["--set", value]].concat());
    assert_eq!(set("rolloutPolicy=learned"), play(&own));
    assert_eq!(set("rolloutPolicy=uniform"), play(&[]));
}
