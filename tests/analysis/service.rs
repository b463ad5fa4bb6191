//! A server within the test, and its answers.

use std::io::{BufRead, BufReader, PipeWriter, Write, pipe};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::Result;
use keima::analysis::engine::MakePlayer;
use keima::analysis::{End, Engine, ModelInfo, Server, ServerParams};
use keima::nn::arch::Arch;
use keima::nn::backend::{self, Backend, DeviceChoice, Precision};
use keima::nn::gpu::fake::FakeGpu;
use keima::nn::network::Network;
use keima::nn::network_set::NetworkSet;
use keima::nn::settings::NetParams;
use keima::player::analysis::Perspective;
use keima::player::evaluators::ownership_by_rollouts;
use keima::player::networks::Networks;
use keima::player::params::PlayerParams;
use keima::player::search_player::SearchPlayer;
use keima::player::view::View;
use keima::search::HashEvaluator;
use serde_json::{Value, json};

/// Folder of tiny networks.
const NETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets");
/// Timeout for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server at work.
pub struct Service {
    pub server: Server,
    input: Option<PipeWriter>,
    answers: Receiver<Value>,
    thread: JoinHandle<Result<()>>,
}

/// Parameters as `keima analysis` has them, but with few visits.
pub fn params() -> PlayerParams {
    let mut params = PlayerParams::default();
    params.limits.max_visits = Some(16);
    params.analysis.perspective = Perspective::Black;
    params.root.ignore_pre_root_history = true;
    params.search.wide_root_noise = 0.04;
    params
}

/// Players without a network, whose evaluations are arbitrary but always the same.
pub fn hashing() -> Engine {
    hashing_with(params())
}

/// The same with other parameters.
pub fn hashing_with(params: PlayerParams) -> Engine {
    let make = move || {
        let view = View::new(Arc::new(HashEvaluator)).with_ownership(ownership_by_rollouts());
        SearchPlayer::new(params, Box::new(view))
    };
    engine(Box::new(make))
}

/// The networks of a file.
pub fn networks(path: &Path) -> Networks {
    let network = Network::read_file(path).unwrap();
    let backend = backend::open(DeviceChoice::Cpu, Precision::F32).unwrap();
    let set = NetworkSet::new(network, backend.backend);
    Networks::new(Arc::new(set), NetParams::default(), 1 << 26)
}

/// Players with a tiny network.
pub fn with_network(file: &str) -> Engine {
    let networks = networks(&Path::new(NETS).join(file));
    let make = move || SearchPlayer::new(params(), Box::new(networks.clone()));
    engine(Box::new(make))
}

/// The same with a network of human play besides.
pub fn with_human_network(file: &str, human: &str) -> Engine {
    let [networks, human] = [file, human].map(|file| networks(&Path::new(NETS).join(file)));
    let make = move || {
        let player = SearchPlayer::new(params(), Box::new(networks.clone()));
        player.with_human(Some(Box::new(human.clone())))
    };
    let mut engine = engine(Box::new(make));
    engine.models[0].uses_human_sl_profile = true;
    engine
}

/// Players with a network on a device that computes nothing, which evaluates so many positions together.
pub fn on_fake_gpu(device: &FakeGpu, batch: usize, visits: u64) -> Engine {
    let net = Network::KataGo(Box::new(Arch::named("b2c32").unwrap().init(1)));
    let set = NetworkSet::new(net, Backend::Fake(device.clone())).in_batches(batch);
    let networks = Networks::new(Arc::new(set), NetParams::default(), 1 << 28);
    let mut params = params();
    params.limits.max_visits = Some(visits);
    engine(Box::new(move || {
        SearchPlayer::new(params, Box::new(networks.clone()))
    }))
}

fn engine(make_player: Box<MakePlayer>) -> Engine {
    Engine {
        make_player,
        models: vec![ModelInfo {
            name: "test.bin.gz".to_owned(),
            internal_name: "test".to_owned(),
            max_batch_size: 1,
            uses_human_sl_profile: false,
            version: 11,
            using_fp16: "false".to_owned(),
        }],
        version: "1.17.2".to_owned(),
        params: ServerParams::default(),
    }
}

impl Service {
    pub fn new(engine: Engine, workers: usize) -> Service {
        let server = Server::new(engine);
        let (from_test, input) = pipe().unwrap();
        let (output, to_test) = pipe().unwrap();
        let (sender, answers) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let answer = serde_json::from_str(&line.unwrap()).expect("JSON");
                sender.send(answer).unwrap_or_default();
            }
        });
        let serving = server.clone();
        let thread = thread::spawn(move || {
            let from_test = BufReader::new(from_test);
            serving.serve(workers, from_test, to_test, End::Waits, || false)
        });
        Service {
            server,
            input: Some(input),
            answers,
            thread,
        }
    }

    pub fn send(&mut self, line: &str) {
        let line = format!("{line}\n");
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).unwrap();
    }

    pub fn answer(&self) -> Value {
        self.answers
            .recv_timeout(PATIENCE)
            .expect("an answer in time")
    }

    /// Answers up to the first one of which something is true, which comes last.
    pub fn answers_until(&self, is_last: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut answers = Vec::new();
        loop {
            let answer = self.answer();
            let is_found = is_last(&answer);
            answers.push(answer);
            if is_found {
                return answers;
            }
        }
    }

    /// The answer to a line, if there is one answer.
    pub fn ask(&mut self, query: &Value) -> Value {
        self.send(&query.to_string());
        self.answer()
    }

    /// All answers that are left, after the end of the input; the server must end by itself.
    pub fn end(mut self) -> Vec<Value> {
        drop(self.input.take());
        self.thread.join().unwrap().unwrap();
        self.answers.iter().collect()
    }
}

/// A query about an empty board with changes.
pub fn query(changes: Value) -> Value {
    let mut query = json!({
        "id": "q", "rules": "tromp-taylor", "komi": 7.5, "boardXSize": 9, "boardYSize": 9, "moves": [],
    });
    let (object, changes) = (query.as_object_mut().unwrap(), changes);
    for (name, value) in changes.as_object().unwrap() {
        object.insert(name.clone(), value.clone());
    }
    query
}

/// Moves of alternating colors.
pub fn moves(text: &str) -> Value {
    let colors = ["B", "W"].into_iter().cycle();
    let pairs = colors.zip(text.split_whitespace());
    json!(
        pairs
            .map(|(color, mv)| json!([color, mv]))
            .collect::<Vec<_>>()
    )
}

/// A number of an answer, by its path.
pub fn number(answer: &Value, path: &str) -> f64 {
    let value = answer
        .pointer(path)
        .unwrap_or_else(|| panic!("no {path} in {answer}"));
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{path} is {value}"))
}
