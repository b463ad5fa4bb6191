//! Views of networks: what a shared store of evaluations finds, and that searches with different networks and
//! settings never get each other's evaluations.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use keima::clock::{Clock, TimeControl};
use keima::go::{BoardSize, Color, Komi, Position, Rules};
use keima::nn::backend::Backend;
use keima::nn::cache::{EvalCache, EvalStore};
use keima::nn::evaluator::NetEvaluator;
use keima::nn::network::Network;
use keima::nn::network_set::NetworkSet;
use keima::nn::settings::NetParams;
use keima::params::Parameters;
use keima::player::evaluators::Evaluators;
use keima::player::networks::Networks;
use keima::player::params::PlayerParams;
use keima::player::search_player::SearchPlayer;
use keima::player::{LastReport, Player, Watch};
use keima::search::{Detail, Evaluation, Evaluator, MoveCode, Request, Restrictions};

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
            [false, true],
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
        (
            "rolloutMix=0.5",
            "rolloutMix=0.5 rolloutMixPolicy=learned",
            [false, false],
        ),
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
fn small_and_narrow_boards_may_have_a_network_of_their_own() {
    let (large, small) = (network("s8.bin.gz"), network("s10.bin.gz"));
    let [prints, small_prints] = [&large, &small].map(|net| fingerprints(&evaluator(net, "")));
    let asked = |networks: &NetworkSet, width, height| {
        let size = BoardSize::new(width, height).unwrap();
        let settings = params("").settings(Color::Black, false);
        fingerprints(&networks.evaluator(size, settings).unwrap())
    };
    let networks = NetworkSet::new(large.clone(), Backend::candle());
    assert_eq!(networks.names(), large.name());
    assert_eq!(asked(&networks, 9, 9), prints);

    let networks = networks.with_small(small.clone());
    let names = format!(
        "{} (up to 11x11 and on narrow boards {})",
        large.name(),
        small.name()
    );
    assert_eq!(networks.names(), names);
    assert_eq!(*networks.default_network(), large);
    for (width, height, is_small) in [
        (9, 9, true),
        (19, 19, false),
        (11, 11, true),
        (11, 12, false),
        (12, 7, true),
        (15, 8, false),
        (4, 25, false),
        (2, 2, true),
        (2, 19, true),
        (4, 19, true),
        (19, 3, true),
        (25, 25, false),
    ] {
        let expected = if is_small { small_prints } else { prints };
        assert_eq!(asked(&networks, width, height), expected);
    }

    let networks = networks.replaced_by(large.clone());
    assert_eq!(asked(&networks, 9, 9), prints);
}

/// Answers of one after the other, straight from the network.
fn alone(evaluator: &NetEvaluator, requests: &[Request<Position>]) -> Vec<Evaluation> {
    let one = |request| evaluator.evaluate(std::slice::from_ref(request)).unwrap();
    requests.iter().flat_map(one).collect()
}

#[test]
fn shared_store_finds_entries_of_same_network_and_settings() {
    let first = network("s8.bin.gz");
    let second = network("s10.bin.gz");
    let store = Arc::new(EvalStore::new(1 << 22));
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
        let cache = EvalCache::with_store(evaluator(net, changes), Arc::clone(&store));
        let before = store.hits_and_misses().0;
        let answers = cache.evaluate(&requests).unwrap();
        assert_eq!(answers, alone(&evaluator(net, changes), &requests));
        assert_eq!(store.hits_and_misses().0 - before, hits, "{changes:?}");
    }
    assert_eq!(store.len(), 12);
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
    let batcher = (*net).clone().in_batches(5);
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
    assert_eq!(cache.store().hits_and_misses(), (12, 12));
}

/// A search with little to do: its visits, moves and win rates.
fn searched(networks: Networks, side: usize, visits: u64) -> Vec<(MoveCode, u32, f64)> {
    let mut params = PlayerParams::default();
    params.search.threads = 1;
    params.search.seed = 3;
    params.limits.max_visits = Some(visits);
    let mut player = SearchPlayer::new(params, Box::new(networks));
    let mut last = LastReport::default();
    let watch = Watch {
        stop: &AtomicBool::new(false),
        restrictions: &Restrictions::default(),
        detail: Detail::default(),
        reports: None,
        observer: &mut last,
    };
    let position = request(side, "C3 E5").position;
    player
        .choose_watched(&position, &Clock::new(TimeControl::Unlimited), watch)
        .unwrap();
    let moves = last.0.unwrap().moves;
    moves
        .iter()
        .map(|mv| (mv.code, mv.edge_visits, mv.win_loss))
        .collect()
}

/// Ownership by a judgement's search.
fn judged(networks: Networks, side: usize) -> Vec<f32> {
    let mut player = SearchPlayer::new(PlayerParams::default(), Box::new(networks));
    let position = request(side, "C3 E5").position;
    let stop = AtomicBool::new(false);
    player.ownership(&position, None, &stop).unwrap().unwrap()
}

#[test]
fn searches_with_different_settings_run_at_once_as_if_alone() {
    let networks = |file: &str, changes: &str, batch| {
        let set = NetworkSet::new(network(file), Backend::candle()).in_batches(batch);
        Networks::new(Arc::new(set), params(changes), 1 << 22)
    };
    let strong = "playoutDoublingAdvantage=2.5 policyOptimism=0.3 symmetrySeed=9";
    let plain = "symmetries=3 ignoreAllHistory=true";
    for batch in [1, 4] {
        let alone = (
            searched(networks("s12.bin.gz", strong, 1), 7, 150),
            searched(networks("s12.bin.gz", plain, 1), 7, 150),
            judged(networks("s12.bin.gz", strong, 1), 7),
        );
        assert_ne!(alone.0, alone.1, "the settings make a difference");
        let shared = networks("s12.bin.gz", strong, batch);
        let mut other = shared.clone();
        other
            .set_parameter("playoutDoublingAdvantage", "0")
            .unwrap();
        for change in plain
            .split(' ')
            .chain(["policyOptimism=1", "symmetrySeed=0"])
        {
            let (name, value) = change.split_once('=').unwrap();
            other.set_parameter(name, value).unwrap();
        }
        let (first, second, third) = (shared.clone(), other, shared);
        let at_once = thread::scope(|scope| {
            let first = scope.spawn(|| searched(first, 7, 150));
            let second = scope.spawn(|| searched(second, 7, 150));
            let third = scope.spawn(|| judged(third, 7));
            (
                first.join().unwrap(),
                second.join().unwrap(),
                third.join().unwrap(),
            )
        });
        assert!(at_once == alone, "batches of {batch}");
    }
}

#[test]
fn loading_a_network_leaves_views_as_they_are() {
    let set = NetworkSet::new(network("s8.bin.gz"), Backend::candle());
    let mut networks = Networks::new(Arc::new(set), params("symmetries=0"), 1 << 20);
    let size = BoardSize::square(7);
    let before = networks.view(Color::Black, size).unwrap();
    let requests = [request(7, "C3")];
    let answer = before.evaluator.evaluate(&requests).unwrap();
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets"));
    networks
        .load_model(&folder.join("s10.bin.gz"), size)
        .unwrap();
    networks.clear_cache();
    assert_eq!(before.evaluator.evaluate(&requests).unwrap(), answer);
    let after = networks.view(Color::Black, size).unwrap();
    assert_ne!(after.evaluator.evaluate(&requests).unwrap(), answer);
    // What cannot be loaded changes nothing.
    assert!(networks.load_model(&folder.join("none"), size).is_err());
    let same = networks.view(Color::Black, size).unwrap();
    assert_eq!(
        same.evaluator.fingerprint(false),
        after.evaluator.fingerprint(false)
    );
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
