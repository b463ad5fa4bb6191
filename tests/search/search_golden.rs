//! Searches against those that KataGo recorded: with the same evaluations, the same moves must be
//! tried equally often and be worth the same.
//!
//! The recorded evaluations in `data/search` make the test stand alone. With the networks beside the
//! package all recorded searches are compared, evaluations included.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use crate::outside::outside;
use crate::skipped::skipped;
use anyhow::{Context, Result};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use keima::games::go::decode;
use keima::go::{BoardSize, Color, Komi, Move, Position, Rules, Symmetry};
use keima::nn::backend::{Backend, Precision};
use keima::nn::cache::EvalCache;
use keima::nn::cpu::simd::Isa;
use keima::nn::evaluator::{NetEvaluator, NetSettings};
use keima::nn::katago;
use keima::nn::symmetry_choice::SymmetryChoice;
use keima::search::{
    Errors, Evaluation, Evaluator, Limits, MoveReport, Report, Request, Search, SearchParams,
};
use serde::{Deserialize, Serialize};

const NETS: [&str; 2] = ["g170-b6c96-s175395328-d26788732", "b7c96h3tfrs-test5-cnorm"];
const FIXTURES: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/search/searches.jsonl.gz"
);
/// Which of each network's recorded searches are kept as fixtures.
const CHOSEN: [&[usize]; 2] = [&[1, 13, 20, 33, 39], &[0, 17, 21, 30, 33]];
/// Moves of each recorded policy, the most probable ones.
const KEPT_MOVES: usize = 24;
/// Tolerance of move values, relative where these are above 1. KataGo takes the
/// utility of scores from a table.
const MOVE_TOLERANCE: f64 = 2e-4;
/// The same for root values, to which moves contribute by whole visits.
const ROOT_TOLERANCE: f64 = 2e-3;
/// Share of searches with all of KataGo's features that must be the same in every visit where the
/// evaluations are our own: near ties fall otherwise by their rounding, which is not the same on
/// all machines.
const SAME_SEARCHES: f64 = 0.9;

/// A search as recorded. Values are texts, from the side to move's point of view.
#[derive(Clone, Deserialize, Serialize)]
struct Recorded {
    size: usize,
    rules: String,
    komi: f64,
    moves: Vec<(String, String)>,
    settings: String,
    visits: u64,
    root: HashMap<String, String>,
    infos: Vec<RecordedMove>,
    play: String,
}

#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct RecordedMove {
    #[serde(rename = "move")]
    mv: String,
    edge_visits: String,
    utility: String,
    winrate: String,
    score_lead: String,
    score_stdev: String,
    utility_lcb: String,
    lcb: String,
    weight: String,
}

/// A recorded search with all evaluations it needs.
#[derive(Deserialize, Serialize)]
struct Fixture {
    name: String,
    search: Recorded,
    evaluations: Vec<StoredEvaluation>,
}

/// A network's evaluation of the position after `path`, for the side to move.
#[derive(Clone, Deserialize, Serialize)]
struct StoredEvaluation {
    path: Vec<String>,
    win_loss: f32,
    score_mean: f32,
    score_stdev: f32,
    lead: f32,
    errors: Option<[f32; 2]>,
    /// Moves as text with their probabilities; all others had less.
    policy: Vec<(String, f32)>,
}

impl Recorded {
    fn position(&self) -> Position {
        let rules = Rules::named(&self.rules).unwrap();
        let komi = Komi::from_points(self.komi).unwrap();
        let mut position = Position::new(BoardSize::square(self.size), rules, komi);
        position.allow_encore(true);
        for (color, mv) in &self.moves {
            let color = color.parse::<Color>().unwrap();
            position.play_reported(color, mv.parse().unwrap()).unwrap();
        }
        position
    }

    fn params(&self) -> SearchParams {
        let preset = match self.settings.as_str() {
            "plain" => SearchParams::plain(),
            "default" => SearchParams::default(),
            other => panic!("{other}"),
        };
        SearchParams {
            score_scale: self.size as f64,
            temperature: 0.0,
            temperature_early: 0.0,
            ..preset
        }
    }

    fn search(&self, evaluator: &dyn Evaluator<Position>) -> (Report, Move) {
        let mut search = Search::new(self.params());
        search.set_root(self.position());
        let limits = Limits::visits(self.visits);
        search
            .run(evaluator, &limits, &AtomicBool::new(false))
            .unwrap();
        search.validate().unwrap();
        let played = search.choose(self.moves.len()).unwrap();
        (search.report().unwrap(), decode(played))
    }

    /// Differences of a search from the record: visits of moves, or the choice.
    fn faults(&self, report: &Report, played: Move) -> Vec<String> {
        let expected = self.infos.iter();
        let expected = expected.map(|info| (info.mv.clone(), info.edge_visits.parse().unwrap()));
        let found = report.moves.iter();
        let found = found.map(|mv| (text(decode(mv.code)), mv.edge_visits));
        let sorted = |moves: Vec<(String, u32)>| {
            let mut moves: Vec<_> = moves
                .into_iter()
                .filter(|(_, visits)| *visits > 0)
                .collect();
            moves.sort();
            moves
        };
        let (found, expected) = (sorted(found.collect()), sorted(expected.collect()));
        let mut faults = Vec::new();
        if found != expected {
            faults.push(format!("{found:?} instead of {expected:?}"));
        }
        let best = report.best().map(|mv| text(decode(mv.code)));
        for choice in [text(played), best.unwrap_or_default()] {
            if choice != self.play {
                faults.push(format!("{choice} chosen instead of {}", self.play));
            }
        }
        faults
    }

    /// Largest differences of values between a search with the recorded visits and the record.
    fn distances(&self, report: &Report) -> Distances {
        let mut distances = Distances::default();
        let winrate = |win_loss: f64| 0.5 * (1.0 + win_loss);
        for info in self.infos.iter().filter(|info| info.edge_visits != "0") {
            let is_it = |mv: &&MoveReport| text(decode(mv.code)) == info.mv;
            let mv = report.moves.iter().find(is_it).unwrap();
            for (found, expected) in [
                (mv.utility, &info.utility),
                (mv.utility_lcb, &info.utility_lcb),
                (winrate(mv.win_loss), &info.winrate),
                (winrate(mv.win_loss_lcb), &info.lcb),
                (mv.lead, &info.score_lead),
                (mv.score_stdev, &info.score_stdev),
                (mv.weight, &info.weight),
            ] {
                distances.moves = distances.moves.max(distance(found, expected));
            }
        }
        for (found, expected) in [
            (report.utility, "utility"),
            (winrate(report.win_loss), "winrate"),
            (report.lead, "scoreLead"),
            (report.score_stdev, "scoreStdev"),
            (report.score_mean, "scoreSelfplay"),
        ] {
            distances.root = distances.root.max(distance(found, &self.root[expected]));
        }
        distances
    }

    /// Searches again and compares. True, with what differs printed, if the visits and figures are
    /// the same. Figures alone differ where a choice deeper in the tree fell otherwise.
    fn is_repeated(&self, name: &str, evaluator: &dyn Evaluator<Position>) -> bool {
        let (report, played) = self.search(evaluator);
        let faults = self.faults(&report, played);
        for fault in &faults {
            println!("{name}: {fault}");
        }
        if !faults.is_empty() {
            return false;
        }
        let Distances { moves, root } = self.distances(&report);
        println!("{name}: moves are off by {moves:.1e}, the root by {root:.1e}");
        moves < MOVE_TOLERANCE && root < ROOT_TOLERANCE
    }
}

/// Largest differences of values.
#[derive(Debug, Default)]
struct Distances {
    moves: f64,
    root: f64,
}

fn distance(found: f64, expected: &str) -> f64 {
    let expected: f64 = expected.parse().unwrap();
    (found - expected).abs() / expected.abs().max(1.0)
}

fn text(mv: Move) -> String {
    match mv {
        Move::Pass => "pass".to_string(),
        Move::Play(point) => point.to_string(),
    }
}

fn lines<T: for<'a> Deserialize<'a>>(path: &Path) -> Vec<T> {
    let lines = BufReader::new(GzDecoder::new(File::open(path).unwrap())).lines();
    lines
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect()
}

/// A network with the settings of the recorded searches: `plain` ones without optimism.
fn evaluator(net: &str, settings: &str) -> Option<NetEvaluator> {
    let path = outside(&format!("models/{net}.bin.gz"))?;
    let net = katago::read_file(&path).unwrap();
    let backend = Backend::Cpu {
        isa: Isa::chosen().unwrap(),
        precision: Precision::F32,
    };
    let mut how = NetSettings {
        symmetry: SymmetryChoice::Fixed(Symmetry::IDENTITY),
        ..NetSettings::default()
    };
    how.features.conservative_pass = false;
    how.features.hide_losing_pass = false;
    for policy in [&mut how.root_policy, &mut how.policy] {
        policy.bound_pass = false;
        if settings == "plain" {
            policy.optimism = 0.0;
        }
    }
    Some(NetEvaluator::new(&net, &backend, how).unwrap())
}

/// Gives transposed positions the evaluation of the first, as KataGo's cache does.
struct Shared<E> {
    inner: E,
    known: Mutex<HashMap<u128, Evaluation>>,
}

impl<E: Evaluator<Position>> Shared<E> {
    fn new(inner: E) -> Shared<E> {
        Shared {
            inner,
            known: Mutex::default(),
        }
    }
}

impl<E: Evaluator<Position>> Evaluator<Position> for Shared<E> {
    fn evaluate(&self, requests: &[Request<Position>]) -> Result<Vec<Evaluation>> {
        let answer = |request: &Request<Position>| {
            let key = request.position.state_key() ^ u128::from(request.is_root);
            if let Some(known) = self.known.lock().unwrap().get(&key) {
                return Ok(known.clone());
            }
            let answer = self
                .inner
                .evaluate(std::slice::from_ref(request))?
                .remove(0);
            self.known.lock().unwrap().insert(key, answer.clone());
            Ok(answer)
        };
        requests.iter().map(answer).collect()
    }
}

/// Caches another evaluator's evaluations, for positions below one root.
struct Recorder<E> {
    inner: E,
    root: Position,
    said: Mutex<Vec<StoredEvaluation>>,
}

impl<E: Evaluator<Position>> Evaluator<Position> for Recorder<E> {
    fn evaluate(&self, requests: &[Request<Position>]) -> Result<Vec<Evaluation>> {
        let answers = self.inner.evaluate(requests)?;
        for (request, answer) in requests.iter().zip(&answers) {
            let stored = StoredEvaluation::of(&self.root, &request.position, answer);
            self.said.lock().unwrap().push(stored);
        }
        Ok(answers)
    }
}

impl StoredEvaluation {
    fn of(root: &Position, position: &Position, evaluation: &Evaluation) -> StoredEvaluation {
        let moves = position.moves().skip(root.turn());
        let legal = position.legal_moves().map(text);
        let mut policy: Vec<(String, f32)> = legal.zip(evaluation.policy.clone()).collect();
        policy.sort_by(|a, b| b.1.total_cmp(&a.1));
        policy.truncate(KEPT_MOVES);
        StoredEvaluation {
            path: moves.map(|(_, mv)| text(mv)).collect(),
            win_loss: evaluation.win_loss,
            score_mean: evaluation.score_mean,
            score_stdev: evaluation.score_stdev,
            lead: evaluation.lead,
            errors: evaluation
                .errors
                .map(|errors| [errors.win_loss, errors.score]),
            policy,
        }
    }

    /// The position it is of, and the evaluation.
    fn replayed(&self, root: &Position) -> (u128, Evaluation) {
        let mut position = root.clone();
        for mv in &self.path {
            position.try_play(mv.parse().unwrap()).unwrap();
        }
        let stored: HashMap<&str, f32> = self
            .policy
            .iter()
            .map(|(mv, prior)| (mv.as_str(), *prior))
            .collect();
        let prior = |mv: Move| stored.get(text(mv).as_str()).copied().unwrap_or(0.0);
        let evaluation = Evaluation {
            policy: position.legal_moves().map(prior).collect(),
            win_loss: self.win_loss,
            score_mean: self.score_mean,
            score_stdev: self.score_stdev,
            lead: self.lead,
            errors: self.errors.map(|[win_loss, score]| Errors {
                win_loss,
                score,
                time_left: 0.0,
            }),
            ..Evaluation::default()
        };
        (position.key(), evaluation)
    }
}

/// Knows the evaluations of a fixture and no others.
struct Stored(HashMap<u128, Evaluation>);

impl Evaluator<Position> for Stored {
    fn evaluate(&self, requests: &[Request<Position>]) -> Result<Vec<Evaluation>> {
        let answer = |request: &Request<Position>| {
            let known = self.0.get(&request.position.key()).cloned();
            known.context("the recorded search did not meet this position")
        };
        requests.iter().map(answer).collect()
    }
}

fn recorded(net: &str) -> Option<Vec<Recorded>> {
    Some(lines(&outside(&format!("golden/search/{net}.jsonl.gz"))?))
}

#[test]
fn stored_searches_are_repeated_visit_by_visit() {
    let fixtures: Vec<Fixture> = lines(Path::new(FIXTURES));
    assert_eq!(fixtures.len(), 10);
    for fixture in fixtures {
        let root = fixture.search.position();
        let stored = fixture.evaluations.iter();
        let stored = Stored(stored.map(|stored| stored.replayed(&root)).collect());
        assert!(fixture.search.is_repeated(&fixture.name, &stored));
    }
}

#[test]
fn all_recorded_searches_are_repeated_with_the_networks() {
    std::thread::scope(|scope| {
        for net in NETS {
            for settings in ["plain", "default"] {
                scope.spawn(move || repeat_all(net, settings));
            }
        }
    });
}

/// Repeats all searches recorded with these settings, as far as the files are there.
fn repeat_all(net: &str, settings: &str) {
    let (Some(searches), Some(evaluator)) = (recorded(net), evaluator(net, settings)) else {
        return;
    };
    // The shorter searches are part of the longer ones.
    let evaluator = EvalCache::new(evaluator, 1 << 28);
    let searches: Vec<_> = searches.iter().enumerate().collect();
    let searches = searches.iter().filter(|(_, s)| s.settings == settings);
    let (mut count, mut same) = (0, 0);
    for (index, search) in searches {
        let name = format!("{net}, search {index}");
        count += 1;
        same += u32::from(search.is_repeated(&name, &Shared::new(&evaluator)));
    }
    println!("{net}, {settings}: {same} of {count} the same");
    assert_eq!(count, 20);
    let needed = match settings {
        "plain" => 1.0,
        _ => SAME_SEARCHES,
    };
    assert!(
        f64::from(same) >= needed * f64::from(count),
        "{net}, {settings}"
    );
}

#[test]
#[ignore = "writes the fixtures anew, where KEIMA_WRITE_FIXTURES is set"]
fn write_fixtures() {
    if std::env::var_os("KEIMA_WRITE_FIXTURES").is_none() {
        skipped("KEIMA_WRITE_FIXTURES is not set");
        return;
    }
    let mut file = GzEncoder::new(Vec::new(), Compression::best());
    for (net, chosen) in NETS.into_iter().zip(CHOSEN) {
        for &index in chosen {
            let search = recorded(net).unwrap().swap_remove(index);
            let recorder = Recorder {
                inner: Shared::new(evaluator(net, &search.settings).unwrap()),
                root: search.position(),
                said: Mutex::default(),
            };
            search.search(&recorder);
            let fixture = Fixture {
                name: format!("{net}, search {index}"),
                search,
                evaluations: recorder.said.into_inner().unwrap(),
            };
            let line = serde_json::to_string(&fixture).unwrap();
            writeln!(file, "{line}").unwrap();
        }
    }
    std::fs::write(FIXTURES, file.finish().unwrap()).unwrap();
}
