//! Searches against those that KataGo recorded: with the same evaluations, the same moves must be
//! tried equally often and be worth the same.
//!
//! The recorded evaluations in `data/search` make the test stand alone. With the networks beside the
//! package all recorded searches are compared, evaluations included.

#![allow(clippy::unwrap_used)]

mod outside;

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use keima::games::go::decode;
use keima::go::{BoardSize, Color, Komi, Move, Position, Rules, Symmetry};
use keima::nn::backend::{Backend, Precision};
use keima::nn::cache::EvalCache;
use keima::nn::cpu::simd::Isa;
use keima::nn::evaluator::{NetEvaluator, NetSettings, SymmetryChoice};
use keima::nn::katago;
use keima::search::{
    Errors, Evaluation, Evaluator, Game, Limits, MoveCode, Report, Request, Search, SearchParams,
};
use outside::outside;
use serde::{Deserialize, Serialize};

const NETS: [&str; 2] = ["g170-b6c96-s175395328-d26788732", "b7c96h3tfrs-test5-cnorm"];
const FIXTURES: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/search/searches.jsonl.gz"
);
/// How many of a network's recorded searches are kept as fixtures, and which.
const CHOSEN: [usize; 6] = [0, 1, 13, 21, 32, 39];
/// Moves of each recorded policy, the most probable ones.
const KEPT_MOVES: usize = 24;

/// A search as recorded. Figures are texts, seen by the side to move.
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
    made: String,
    edge_visits: String,
    utility: String,
    winrate: String,
    score_mean: String,
    score_stdev: String,
    utility_lcb: String,
    lcb: String,
    weight: String,
    pv: Vec<String>,
}

/// A recorded search with all evaluations it needs.
#[derive(Deserialize, Serialize)]
struct Fixture {
    search: Recorded,
    evaluations: Vec<StoredEvaluation>,
}

/// What a network said of the position after `path`, for the side to move.
#[derive(Clone, Deserialize, Serialize)]
struct StoredEvaluation {
    path: String,
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
        for (color, made) in &self.moves {
            let color = color.parse::<Color>().unwrap();
            position
                .play_reported(color, made.parse().unwrap())
                .unwrap();
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
        search
            .run(
                evaluator,
                &Limits::visits(self.visits),
                &AtomicBool::new(false),
            )
            .unwrap();
        search.validate().unwrap();
        let played = search.choose(self.moves.len()).unwrap();
        (search.report().unwrap(), decode(played))
    }

    /// How far a search is from the record.
    fn differences(&self, evaluator: &dyn Evaluator<Position>) -> Differences {
        let (report, played) = self.search(evaluator);
        let mut differences = Differences::default();
        let number = |text: &str| text.parse::<f64>().unwrap();
        let expected: Vec<(String, u32)> = self
            .infos
            .iter()
            .map(|info| (info.made.to_uppercase(), info.edge_visits.parse().unwrap()))
            .collect();
        let found: Vec<(String, u32)> = report
            .moves
            .iter()
            .map(|made| (text(decode(made.code)), made.edge_visits))
            .collect();
        let sorted = |moves: &[(String, u32)]| {
            let mut moves = moves.to_vec();
            moves.retain(|(_, visits)| *visits > 0);
            moves.sort();
            moves
        };
        if sorted(&found) != sorted(&expected) {
            differences.visits = Some(format!("{found:?} instead of {expected:?}"));
            return differences;
        }
        if found.first() != expected.first() || text(played) != self.play.to_uppercase() {
            differences.choice = Some(format!(
                "{} instead of {}: {found:?}, {expected:?}",
                text(played),
                self.play
            ));
        }
        for info in self.infos.iter().filter(|info| info.edge_visits != "0") {
            let is_it = |made: &&keima::search::MoveReport| text(decode(made.code)) == info.made;
            let made = report.moves.iter().find(is_it).unwrap();
            let winrate = |win_loss: f64| 0.5 * (1.0 + win_loss);
            for (what, found, expected) in [
                ("utility", made.utility, &info.utility),
                ("winrate", winrate(made.win_loss), &info.winrate),
                ("bound", made.utility_bound, &info.utility_lcb),
                ("lcb", winrate(made.win_loss_bound), &info.lcb),
                ("score", made.lead, &info.score_mean),
                ("stdev", made.score_stdev, &info.score_stdev),
                ("weight", made.weight, &info.weight),
            ] {
                differences.note(what, found, number(expected));
            }
        }
        for (what, found) in [
            ("utility", report.utility),
            ("scoreLead", report.lead),
            ("scoreStdev", report.score_stdev),
            ("scoreSelfplay", report.score_mean),
        ] {
            differences.note(&format!("root {what}"), found, number(&self.root[what]));
        }
        differences
    }
}

#[derive(Debug, Default)]
struct Differences {
    /// Edge visits that differ.
    visits: Option<String>,
    /// A best move that differs.
    choice: Option<String>,
    /// The largest relative difference of each kind of figure.
    figures: HashMap<String, f64>,
}

impl Differences {
    fn note(&mut self, what: &str, found: f64, expected: f64) {
        let difference = (found - expected).abs() / expected.abs().max(1.0);
        let worst = self.figures.entry(what.to_owned()).or_default();
        *worst = worst.max(difference);
    }

    fn merge(&mut self, other: &Differences) {
        for (what, difference) in &other.figures {
            let worst = self.figures.entry(what.clone()).or_default();
            *worst = worst.max(*difference);
        }
    }
}

fn text(made: Move) -> String {
    made.to_string().to_uppercase()
}

fn lines<T: for<'a> Deserialize<'a>>(path: &Path) -> Vec<T> {
    let lines = BufReader::new(GzDecoder::new(File::open(path).unwrap())).lines();
    lines
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect()
}

/// A network as the recorded searches asked it: `plain` ones without optimism.
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

/// Answers transposed positions alike, by what was asked first, as KataGo's cache does.
struct Shared<E> {
    inner: E,
    known: Mutex<HashMap<String, Evaluation>>,
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
            let position = &request.position;
            let mut legal = Vec::new();
            Game::legal_moves(position, &mut legal);
            let key = format!(
                "{} {} {:?} {:?} {} {}",
                position.board().hash(),
                position.to_move(),
                position.ko(),
                legal,
                position.passes(),
                request.is_root
            );
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

fn recorded(net: &str) -> Option<Vec<Recorded>> {
    Some(lines(&outside(&format!("golden/search/{net}.jsonl.gz"))?))
}

#[test]
fn searches_are_those_recorded() {
    for net in NETS {
        for settings in ["plain", "default"] {
            let (Some(searches), Some(evaluator)) = (recorded(net), evaluator(net, settings))
            else {
                return;
            };
            let evaluator = EvalCache::new(evaluator, 1 << 28);
            let mut all = Differences::default();
            let mut different = 0;
            let searches: Vec<_> = searches.iter().enumerate().collect();
            let searches: Vec<_> = searches
                .into_iter()
                .filter(|(_, search)| search.settings == settings)
                .collect();
            for (index, search) in &searches {
                let differences = search.differences(&Shared::new(&evaluator));
                if let Some(visits) = differences.visits.as_ref().or(differences.choice.as_ref()) {
                    different += 1;
                    println!("{net} search {index}: {visits}");
                }
                all.merge(&differences);
            }
            let equal = searches.len() - different;
            println!(
                "{net} {settings}: {equal} of {}; {:?}",
                searches.len(),
                all.figures
            );
        }
    }
}
