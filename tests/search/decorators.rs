//! Cache and batcher: the same answers, fewer or larger questions.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::batcher::Batcher;
use crate::tictactoe::TicTacToe;
use anyhow::{Result, bail};
use keima::nn::cache::EvalCache;
use keima::search::{
    Evaluation, Evaluator, Game, HashEvaluator, Limits, MoveCode, Request, Search, SearchParams,
};

/// Answers as [`HashEvaluator`] does, with ownership where wanted, and keeps the batch sizes.
#[derive(Debug, Default)]
struct Counting {
    batches: Mutex<Vec<usize>>,
    calls: AtomicUsize,
}

impl<G: Game> Evaluator<G> for Counting {
    fn evaluate(&self, requests: &[Request<G>]) -> Result<Vec<Evaluation>> {
        self.batches.lock().unwrap().push(requests.len());
        let call = self.calls.fetch_add(1, Ordering::SeqCst);
        let mut answers = HashEvaluator.evaluate(requests)?;
        for (request, answer) in requests.iter().zip(&mut answers) {
            if request.wants_ownership {
                answer.ownership = vec![call as f32; 9];
            }
        }
        Ok(answers)
    }
}

/// Takes a while, and fails or panics when more than a given number of positions are requested in
/// all.
#[derive(Debug)]
struct Limited {
    left: AtomicUsize,
    panics: bool,
}

impl<G: Game> Evaluator<G> for Limited {
    fn evaluate(&self, requests: &[Request<G>]) -> Result<Vec<Evaluation>> {
        thread::sleep(Duration::from_micros(200));
        let take = |left: usize| left.checked_sub(requests.len());
        if self
            .left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, take)
            .is_err()
        {
            assert!(!self.panics, "for the test");
            bail!("worn out");
        }
        HashEvaluator.evaluate(requests)
    }
}

fn request(moves: &[u16]) -> Request<TicTacToe> {
    Request::inner(TicTacToe::from_moves(moves))
}

fn direct(requests: &[Request<TicTacToe>]) -> Vec<Evaluation> {
    HashEvaluator.evaluate(requests).unwrap()
}

#[test]
fn cached_answers_are_the_same() {
    let cache = EvalCache::new(Counting::default(), 1 << 20);
    let first = [request(&[0]), request(&[1])];
    let second = [request(&[2]), request(&[0]), request(&[3]), request(&[1])];
    assert_eq!(cache.evaluate(&first).unwrap(), direct(&first));
    assert_eq!(cache.evaluate(&second).unwrap(), direct(&second));
    assert_eq!(cache.evaluate(&second).unwrap(), direct(&second));
    assert_eq!(*cache.inner().batches.lock().unwrap(), [2, 2]);
    assert_eq!(cache.store().hits_and_misses(), (6, 4));
    assert_eq!(cache.store().len(), 4);
    cache.store().clear();
    assert!(cache.store().is_empty());
    assert_eq!(cache.store().bytes(), 0);
    assert_eq!(cache.evaluate(&first).unwrap(), direct(&first));
    assert_eq!(*cache.inner().batches.lock().unwrap(), [2, 2, 2]);
}

#[test]
fn roots_and_ownership_are_kept_apart() {
    let cache = EvalCache::new(Counting::default(), 1 << 20);
    let plain = request(&[4]);
    let root = Request {
        is_root: true,
        ..plain.clone()
    };
    let owned = Request {
        wants_ownership: true,
        ..plain.clone()
    };
    let ask = |request: &Request<TicTacToe>| {
        cache
            .evaluate(std::slice::from_ref(request))
            .unwrap()
            .remove(0)
    };
    assert!(ask(&plain).ownership.is_empty());
    assert!(ask(&root).ownership.is_empty());
    assert_eq!(ask(&owned).ownership, [2.0; 9]);
    assert_eq!(ask(&owned).ownership, [2.0; 9]);
    assert!(ask(&plain).ownership.is_empty());
    assert_eq!(ask(&owned).policy, ask(&plain).policy);
    assert_eq!(cache.inner().calls.load(Ordering::SeqCst), 3);
}

#[test]
fn cached_ownership_survives_request_without_it() {
    let cache = EvalCache::new(Counting::default(), 1 << 20);
    let plain = request(&[4]);
    let owned = Request {
        wants_ownership: true,
        ..plain.clone()
    };
    let answers = cache.evaluate(&[owned.clone(), plain]).unwrap();
    assert_eq!(answers[0].ownership, [0.0; 9]);
    assert!(answers[1].ownership.is_empty());
    assert_eq!(cache.evaluate(&[owned]).unwrap()[0], answers[0]);
    assert_eq!(cache.inner().calls.load(Ordering::SeqCst), 1);
}

#[test]
fn the_cache_stays_within_its_memory() {
    let bytes = 100_000;
    let cache = EvalCache::new(Counting::default(), bytes);
    let mut search = Search::new(SearchParams::default());
    search.set_root(TicTacToe::default());
    search
        .run(&cache, &Limits::visits(5000), &AtomicBool::new(false))
        .unwrap();
    assert!(cache.store().bytes() <= bytes, "{}", cache.store().bytes());
    assert!(cache.store().len() > 50, "{}", cache.store().len());
    let none = EvalCache::new(Counting::default(), 0);
    let requests = [request(&[4])];
    assert_eq!(none.evaluate(&requests).unwrap(), direct(&requests));
    assert!(none.store().is_empty());
}

#[test]
fn a_cached_search_is_the_same_search() {
    let cache = EvalCache::new(Counting::default(), 1 << 22);
    let reports: Vec<_> = (0..2)
        .map(|_| {
            let mut search = Search::new(SearchParams::default());
            search.set_root(TicTacToe::default());
            search
                .run(&cache, &Limits::visits(1000), &AtomicBool::new(false))
                .unwrap();
            search.report()
        })
        .collect();
    assert_eq!(reports[0], reports[1]);
    let (hits, misses) = cache.store().hits_and_misses();
    assert!(hits > misses, "{hits} hits, {misses} misses");
}

#[test]
fn registered_threads_share_batches() {
    const THREADS: usize = 4;
    let batcher = Batcher::new(Counting::default(), THREADS);
    let barrier = std::sync::Barrier::new(THREADS);
    thread::scope(|scope| {
        for id in 0..THREADS as u16 {
            let (batcher, barrier) = (&batcher, &barrier);
            scope.spawn(move || {
                let _present = batcher.register();
                barrier.wait();
                for round in 0..100 {
                    let requests = [request(&[id, 4 + (id + round) % 4])];
                    assert_eq!(batcher.evaluate(&requests).unwrap(), direct(&requests));
                }
            });
        }
    });
    let batches = batcher.inner().batches.lock().unwrap();
    assert_eq!(batches.iter().sum::<usize>(), 400);
    assert!(batches.iter().all(|&size| size <= THREADS));
    assert!(
        batches.iter().filter(|&&size| size == THREADS).count() >= 90,
        "{batches:?}"
    );
}

#[test]
fn unregistered_threads_are_not_waited_for() {
    let batcher = Batcher::new(Counting::default(), 100);
    let requests = [request(&[0]), request(&[1])];
    assert_eq!(batcher.evaluate(&requests).unwrap(), direct(&requests));
    assert!(
        Evaluator::<TicTacToe>::evaluate(&batcher, &[])
            .unwrap()
            .is_empty()
    );
    let barrier = std::sync::Barrier::new(2);
    thread::scope(|scope| {
        scope.spawn(|| {
            let present = batcher.register();
            barrier.wait();
            thread::sleep(Duration::from_millis(30));
            drop(present);
        });
        scope.spawn(|| {
            let _present = batcher.register();
            barrier.wait();
            assert_eq!(batcher.evaluate(&requests).unwrap(), direct(&requests));
        });
    });
    // While a thread is present and silent, a stranger still gets its answer.
    let _present = batcher.register();
    thread::scope(|scope| {
        scope.spawn(|| assert_eq!(batcher.evaluate(&requests).unwrap(), direct(&requests)));
    });
}

#[test]
fn large_requests_are_split() {
    let batcher = Batcher::new(Counting::default(), 3);
    let requests: Vec<_> = (0..8).map(|cell| request(&[cell])).collect();
    assert_eq!(batcher.evaluate(&requests).unwrap(), direct(&requests));
    assert_eq!(*batcher.inner().batches.lock().unwrap(), [3, 3, 2]);
}

#[test]
fn an_error_reaches_every_caller() {
    let batcher = Batcher::new(
        Limited {
            left: AtomicUsize::new(0),
            panics: false,
        },
        3,
    );
    let barrier = std::sync::Barrier::new(3);
    let failures = AtomicUsize::new(0);
    thread::scope(|scope| {
        for id in 0..3 {
            let (batcher, barrier, failures) = (&batcher, &barrier, &failures);
            scope.spawn(move || {
                let _present = batcher.register();
                barrier.wait();
                let error = batcher.evaluate(&[request(&[id])]).unwrap_err();
                assert!(error.to_string().contains("worn out"), "{error}");
                failures.fetch_add(1, Ordering::SeqCst);
            });
        }
    });
    assert_eq!(failures.load(Ordering::SeqCst), 3);
}

#[test]
fn a_panic_leaves_nobody_waiting() {
    let batcher = Batcher::new(
        Limited {
            left: AtomicUsize::new(0),
            panics: true,
        },
        4,
    );
    let barrier = std::sync::Barrier::new(4);
    let outcomes: Vec<Result<Result<Vec<Evaluation>>, _>> = thread::scope(|scope| {
        let handles: Vec<_> = (0..4)
            .map(|id| {
                let (batcher, barrier) = (&batcher, &barrier);
                scope.spawn(move || {
                    let _present = batcher.register();
                    barrier.wait();
                    batcher.evaluate(&[request(&[id])])
                })
            })
            .collect();
        handles.into_iter().map(|handle| handle.join()).collect()
    });
    assert_eq!(
        outcomes.iter().filter(|outcome| outcome.is_err()).count(),
        1
    );
    assert!(outcomes.iter().flatten().all(|outcome| outcome.is_err()));
}

#[test]
fn searches_run_over_all_decorators() {
    let evaluator = EvalCache::new(Batcher::new(Counting::default(), 16), 1 << 20);
    thread::scope(|scope| {
        for threads in [1, 2, 4] {
            let evaluator = &evaluator;
            scope.spawn(move || {
                let params = SearchParams {
                    threads,
                    batch_size: 2,
                    ..SearchParams::default()
                };
                let mut search = Search::new(params);
                let mut position = TicTacToe::default();
                for _ in 0..5 {
                    search.set_root(position.clone());
                    search
                        .run(evaluator, &Limits::visits(500), &AtomicBool::new(false))
                        .unwrap();
                    search.validate().unwrap();
                    let code: MoveCode = search.choose(0).unwrap();
                    position.play(code);
                    if position.outcome().is_some() {
                        break;
                    }
                }
            });
        }
    });
}

#[test]
fn a_failing_batch_ends_the_searches_it_serves() {
    let batcher = Batcher::new(
        Limited {
            left: AtomicUsize::new(300),
            panics: false,
        },
        8,
    );
    thread::scope(|scope| {
        for threads in [1, 3, 4] {
            let batcher = &batcher;
            scope.spawn(move || {
                let params = SearchParams {
                    threads,
                    ..SearchParams::default()
                };
                let mut search = Search::new(params);
                search.set_root(TicTacToe::default());
                let stop = AtomicBool::new(false);
                assert!(
                    search
                        .run(batcher, &Limits::visits(100_000), &stop)
                        .is_err()
                );
                search.validate().unwrap();
            });
        }
    });
}
