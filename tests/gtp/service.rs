//! Evaluations while the network and its settings change: cache entries belong to one network and
//! settings.

use std::path::PathBuf;
use std::sync::Arc;

use keima::go::{BoardSize, Color, Komi, Position, Rules};
use keima::nn::backend::Backend;
use keima::nn::batcher::Batcher;
use keima::nn::cache::EvalCache;
use keima::nn::evaluator::NetEvaluator;
use keima::nn::network::Network;
use keima::nn::network_set::NetworkSet;
use keima::nn::settings::NetParams;
use keima::nn::shared::SharedNet;
use keima::params::Parameters;
use keima::search::{Evaluation, Evaluator, Game, Request};

fn network(file: &str) -> Network {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets"));
    Network::read_file(&folder.join(file)).unwrap()
}

/// Parameters that differ from the defaults by `name=value` words.
fn params(changes: &str) -> NetParams {
    let mut params = NetParams::default();
    for change in changes.split_whitespace() {
        let (name, value) = change.split_once('=').unwrap();
        params.set(name, value).unwrap();
    }
    params
}

fn evaluator(network: &Network, changes: &str) -> NetEvaluator {
    let settings = params(changes).settings(Color::Black, network.takes_profile());
    network.evaluator(&Backend::candle(), settings).unwrap()
}

/// For inner positions and for roots.
fn fingerprints(evaluator: &impl Evaluator<Position>) -> [u64; 2] {
    [false, true].map(|is_root| evaluator.fingerprint(is_root))
}

/// The request for a position after some moves.
fn request(side: usize, moves: &str) -> Request<Position> {
    let komi = Komi::from_half(13);
    let mut position = Position::new(BoardSize::square(side), Rules::TROMP_TAYLOR, komi);
    for mv in moves.split_whitespace() {
        position.play(mv.parse().unwrap());
    }
    Request::inner(position)
}

/// Whether fingerprints of inner positions and of roots differ with the changes from those
/// without.
fn changed(network: &Network, from: &str, to: &str) -> [bool; 2] {
    let before = fingerprints(&evaluator(network, from));
    let after = fingerprints(&evaluator(network, to));
    [before[0] != after[0], before[1] != after[1]]
}

#[test]
fn fingerprint_changes_exactly_with_outputs() {
    let net = network("s12.bin.gz");
    let cases = [
        ("", "", [false, false]),
        ("", "playoutDoublingAdvantage=1", [true, true]),
        ("", "playoutDoublingAdvantage=-0", [false, false]),
        ("", "playoutDoublingAdvantagePla=white", [false, false]),
        (
            "playoutDoublingAdvantage=1",
            "playoutDoublingAdvantage=1 playoutDoublingAdvantagePla=black",
            [false, false],
        ),
        (
            "playoutDoublingAdvantage=1",
            "playoutDoublingAdvantage=1 playoutDoublingAdvantagePla=white",
            [true, true],
        ),
        (
            "playoutDoublingAdvantage=1",
            "playoutDoublingAdvantage=-1 playoutDoublingAdvantagePla=white",
            [false, false],
        ),
        ("", "policyOptimism=0.5", [true, false]),
        ("", "rootPolicyOptimism=0.5", [false, true]),
        ("", "nnPolicyTemperature=1.5", [true, true]),
        ("", "conservativePass=false", [false, true]),
        ("", "enablePassingHacks=false", [true, true]),
        ("", "ignoreAllHistory=true", [true, true]),
        ("", "drawEquivalentWinsForWhite=0.4", [true, true]),
        ("", "symmetries=average", [true, true]),
        ("", "symmetries=none", [true, true]),
        ("symmetries=none", "symmetries=0", [false, false]),
        ("symmetries=1", "symmetries=2", [true, true]),
        ("", "rootNumSymmetriesToSample=8", [false, true]),
        (
            "symmetries=none",
            "symmetries=none rootNumSymmetriesToSample=8",
            [false, false],
        ),
        ("", "symmetrySeed=1", [true, true]),
        (
            "symmetries=average",
            "symmetries=average symmetrySeed=1",
            [false, false],
        ),
        ("", "humanSLProfile=rank_5k", [false, false]),
        // Mixed in beyond what is kept.
        ("", "rolloutMix=0.5", [false, false]),
    ];
    let names: Vec<&str> = params("").list().iter().map(|entry| entry.name).collect();
    for (from, to, expected) in cases {
        assert_eq!(changed(&net, from, to), expected, "{from:?} to {to:?}");
    }
    for name in names {
        let is_tried = |to: &str| to.contains(&format!("{name}="));
        assert!(cases.iter().any(|case| is_tried(case.1)), "{name}");
    }
    let human = network("s15m.bin.gz");
    let (low, high) = ("humanSLProfile=rank_5k", "humanSLProfile=rank_4k");
    assert_eq!(changed(&human, low, high), [true, true]);
    let optimistic = format!("{low} policyOptimism=0 rootPolicyOptimism=1");
    assert_eq!(changed(&human, low, &optimistic), [false, false]);
}

#[test]
fn networks_differ_by_their_contents() {
    let files = ["s8.bin.gz", "s10.bin.gz", "s12.bin.gz", "s17.bin.gz"];
    let prints: Vec<[u64; 2]> = files
        .iter()
        .map(|file| fingerprints(&evaluator(&network(file), "")))
        .collect();
    for (place, print) in prints.iter().enumerate() {
        assert!(!prints[..place].contains(print), "{}", files[place]);
        assert_ne!(print[0], print[1]);
    }
    assert_eq!(fingerprints(&evaluator(&network(files[0]), "")), prints[0]);

    let Network::KataGo(mut net) = network(files[0]) else {
        panic!("a net of KataGo's");
    };
    let before = net.identity();
    net.trunk.initial_conv.weights[7] += 1e-3;
    assert_ne!(net.identity(), before);
}

#[test]
fn small_boards_may_have_a_network_of_their_own() {
    let (usual, small) = (network("s8.bin.gz"), network("s10.bin.gz"));
    let [prints, small_prints] = [&usual, &small].map(|net| fingerprints(&evaluator(net, "")));
    let asked = |networks: &NetworkSet, width, height| {
        let size = BoardSize::new(width, height).unwrap();
        let settings = params("").settings(Color::Black, false);
        fingerprints(&networks.evaluator(size, settings).unwrap())
    };
    let networks = NetworkSet::new(usual.clone(), Backend::candle());
    assert_eq!(networks.names(), usual.name());
    assert_eq!(asked(&networks, 9, 9), prints);

    let networks = networks.with_small(small.clone(), 11);
    let names = format!("{} (up to 11x11 {})", usual.name(), small.name());
    assert_eq!(networks.names(), names);
    assert_eq!(*networks.default_network(), usual);
    for (width, height, is_small) in [
        (9, 9, true),
        (19, 19, false),
        (11, 11, true),
        (11, 12, false),
        (12, 7, false),
        (2, 2, true),
    ] {
        let expected = if is_small { small_prints } else { prints };
        assert_eq!(asked(&networks, width, height), expected);
    }

    let networks = networks.replaced_by(usual.clone());
    assert_eq!(asked(&networks, 9, 9), prints);
}

/// Answers of one after the other, straight from the network.
fn alone(evaluator: &NetEvaluator, requests: &[Request<Position>]) -> Vec<Evaluation> {
    let one = |request| evaluator.evaluate(std::slice::from_ref(request)).unwrap();
    requests.iter().flat_map(one).collect()
}

#[test]
fn changed_back_settings_hit_cache() {
    let first = network("s8.bin.gz");
    let second = network("s10.bin.gz");
    let shared = Arc::new(SharedNet::new(evaluator(&first, "")));
    let cache = EvalCache::new(Arc::clone(&shared), 1 << 22);
    let requests = ["", "E5", "E5 C3"].map(|moves| request(7, moves));
    let steps = [
        (&first, "", 0),
        (&first, "playoutDoublingAdvantage=2", 0),
        (&first, "", 3),
        (&second, "", 0),
        (&first, "playoutDoublingAdvantage=2", 3),
        (&first, "rootPolicyOptimism=1", 3),
        (&second, "", 3),
        (&second, "symmetries=3", 0),
    ];
    for (net, changes, hits) in steps {
        shared.exchange(evaluator(net, changes));
        let before = cache.hits_and_misses().0;
        let answers = cache.evaluate(&requests).unwrap();
        assert_eq!(answers, alone(&evaluator(net, changes), &requests));
        assert_eq!(cache.hits_and_misses().0 - before, hits, "{changes:?}");
    }
    assert_eq!(cache.len(), 12);
}

/// Its fingerprint changes with each evaluation, as when another thread changes the network
/// meanwhile.
struct Restless(std::sync::atomic::AtomicU64);

impl<G: Game> Evaluator<G> for Restless {
    fn evaluate(&self, requests: &[Request<G>]) -> anyhow::Result<Vec<Evaluation>> {
        self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Ok(requests.iter().map(|_| Evaluation::default()).collect())
    }

    fn fingerprint(&self, _: bool) -> u64 {
        self.0.load(std::sync::atomic::Ordering::SeqCst)
    }
}

#[test]
fn evaluations_during_network_change_are_not_cached() {
    let cache = EvalCache::new(Restless(0.into()), 1 << 20);
    assert_eq!(cache.evaluate(&[request(9, "")]).unwrap().len(), 1);
    assert!(cache.is_empty());
}

#[test]
fn a_batch_may_mix_board_sizes() {
    let net = Arc::new(evaluator(&network("s8.bin.gz"), ""));
    let mut requests = Vec::new();
    for side in [9, 19, 9, 13, 19, 7] {
        for moves in ["", "C3 E5"] {
            requests.push(request(side, moves));
        }
    }
    requests[2].wants_ownership = true;
    requests[5].is_root = true;
    let expected = alone(&net, &requests);
    let batcher = Batcher::new(Arc::clone(&net), 5);
    let close = |got: &[Evaluation]| {
        assert_eq!(got.len(), expected.len());
        for (got, expected) in got.iter().zip(&expected) {
            assert_eq!(got.policy.len(), expected.policy.len());
            assert_eq!(got.ownership.len(), expected.ownership.len());
            assert!((got.win_loss - expected.win_loss).abs() < 1e-5);
            assert!((got.lead - expected.lead).abs() < 1e-4);
            let pairs = got.policy.iter().zip(&expected.policy);
            assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-5));
        }
    };
    close(&batcher.evaluate(&requests).unwrap());
    let cache = EvalCache::new(batcher, 1 << 24);
    close(&cache.evaluate(&requests).unwrap());
    close(&cache.evaluate(&requests).unwrap());
    assert_eq!(cache.hits_and_misses(), (12, 12));
}

/// The default of the play parameters is the default of a search's settings.
#[test]
fn defaults_agree() {
    let settings = NetParams::default().settings(Color::White, false);
    assert_eq!(settings, keima::nn::evaluator::NetSettings::default());
}

#[test]
fn parameters_read_what_they_write_and_refuse_the_rest() {
    let mut set = NetParams::default();
    let words = "playoutDoublingAdvantage=-1.5 playoutDoublingAdvantagePla=W policyOptimism=0.25 \
        symmetries=5 humanSLProfile=rank_3d ignoreAllHistory=true";
    let changed = params(words);
    for entry in changed.list() {
        assert!(!entry.meaning.is_empty());
        set.set(entry.name, &entry.value).unwrap();
    }
    assert_eq!(set, changed);
    assert_eq!(changed.playout_doubling_advantage_side, Some(Color::White));
    for name in ["playoutDoublingAdvantagePla", "humanSLProfile"] {
        set.set(name, "").unwrap();
    }
    assert_eq!(set.human_profile, None);
    let refused = [
        ("playoutDoublingAdvantage", "3.5"),
        ("playoutDoublingAdvantage", "nan"),
        ("playoutDoublingAdvantagePla", "both"),
        ("policyOptimism", "-0.1"),
        ("nnPolicyTemperature", "0"),
        ("symmetries", "8"),
        ("symmetries", ""),
        ("humanSLProfile", "rank_10d"),
        ("conservativePass", "1"),
        ("policy_optimism", "1"),
    ];
    let before = set;
    for (name, value) in refused {
        assert!(set.set(name, value).is_err(), "{name}={value}");
    }
    assert_eq!(set, before);
}

#[test]
fn playout_advantage_is_for_named_side_or_mover() {
    let seen_by_black = |changes: &str, mover| params(changes).advantage_of_black(mover);
    let unnamed = "playoutDoublingAdvantage=2";
    assert_eq!(seen_by_black(unnamed, Color::Black), 2.0);
    assert_eq!(seen_by_black(unnamed, Color::White), -2.0);
    let named = "playoutDoublingAdvantage=2 playoutDoublingAdvantagePla=white";
    for mover in Color::BOTH {
        assert_eq!(seen_by_black(named, mover), -2.0);
    }
}
