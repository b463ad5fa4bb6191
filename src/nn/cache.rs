//! Decorator: remembers evaluations, within a bound of memory.
//!
//! An entry's key is all that an answer depends on: the position's key, whether it was the root, where
//! evaluators may answer otherwise, and the evaluator's fingerprint. So evaluators with different networks or
//! settings may share one [`EvalStore`]. An answer without ownership does not serve a request for it; the new
//! answer then only adds the ownership, so that a tree built on the old one stays consistent. Each shard
//! forgets its oldest entries first.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use anyhow::{Result, ensure};

use crate::search::evaluator::{Evaluation, Evaluator, Request, register_with};
use crate::search::game::Game;
use crate::threads::locked;

/// Shards, each with a lock of its own.
const SHARDS: usize = 64;

/// Rough cost of an entry's place in map and queue, in bytes.
const OVERHEAD_BYTES: usize = 160;

/// Remembers what another evaluator has answered.
#[derive(Debug)]
pub struct EvalCache<E> {
    inner: E,
    store: Arc<EvalStore>,
}

/// Evaluations of any number of evaluators.
#[derive(Debug)]
pub struct EvalStore {
    shards: Vec<Mutex<Shard>>,
    shard_bytes: usize,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// What an answer depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    position: u128,
    fingerprint: u64,
    is_root: bool,
}

#[derive(Debug, Default)]
struct Shard {
    entries: HashMap<Key, Entry>,
    /// Keys of all entries, the oldest first.
    ages: VecDeque<Key>,
    bytes: usize,
}

#[derive(Clone, Debug)]
struct Entry {
    evaluation: Arc<Evaluation>,
    /// Ownership was asked for, whether or not the evaluator knew it.
    was_asked_for_ownership: bool,
}

impl<E> EvalCache<E> {
    /// Remembers the answers of `inner` in at most `bytes` bytes, or a little more.
    pub fn new(inner: E, bytes: usize) -> EvalCache<E> {
        EvalCache::with_store(inner, Arc::new(EvalStore::new(bytes)))
    }

    /// Remembers the answers of `inner` in a store that others may share.
    pub fn with_store(inner: E, store: Arc<EvalStore>) -> EvalCache<E> {
        EvalCache { inner, store }
    }

    /// The evaluator asked for what is not remembered.
    pub fn inner(&self) -> &E {
        &self.inner
    }

    /// Where the answers are.
    pub fn store(&self) -> &EvalStore {
        &self.store
    }
}

impl EvalStore {
    /// Keeps evaluations in at most `bytes` bytes, or a little more.
    pub fn new(bytes: usize) -> EvalStore {
        EvalStore {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            shard_bytes: bytes / SHARDS,
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }

    /// Requests answered from memory, and the others.
    pub fn hits_and_misses(&self) -> (u64, u64) {
        (
            self.hits.load(Ordering::Relaxed),
            self.misses.load(Ordering::Relaxed),
        )
    }

    /// Number of evaluations remembered.
    pub fn len(&self) -> usize {
        self.shards
            .iter()
            .map(|shard| locked(shard).entries.len())
            .sum()
    }

    /// Whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.shards.iter().map(|shard| locked(shard).bytes).sum()
    }

    /// Forgets everything.
    pub fn clear(&self) {
        for shard in &self.shards {
            *locked(shard) = Shard::default();
        }
    }

    fn shard(&self, key: Key) -> MutexGuard<'_, Shard> {
        let mixed = (key.position ^ (key.position >> 64)) as u64;
        let index = (mixed ^ (mixed >> 32)) as usize % SHARDS;
        locked(&self.shards[index])
    }

    fn recall(&self, key: Key, wants_ownership: bool) -> Option<Evaluation> {
        let entry = self.shard(key).entries.get(&key)?.clone();
        if wants_ownership && !entry.was_asked_for_ownership {
            return None;
        }
        let known = &entry.evaluation;
        Some(Evaluation {
            policy: known.policy.clone(),
            guide: Vec::new(),
            ownership: if wants_ownership {
                known.ownership.clone()
            } else {
                Vec::new()
            },
            games: Vec::new(),
            ..**known
        })
    }

    /// Stores an answer and returns what to answer with.
    fn remember(&self, key: Key, wants_ownership: bool, answer: Evaluation) -> Evaluation {
        let mut shard = self.shard(key);
        let known = shard.entries.get(&key);
        let answer = match known {
            Some(old) => {
                let policy = old.evaluation.policy.clone();
                Evaluation {
                    policy,
                    guide: Vec::new(),
                    ownership: answer.ownership,
                    games: answer.games,
                    ..*old.evaluation
                }
            }
            None => answer,
        };
        // Who asks for less at the same time does not take the ownership away.
        if !known.is_some_and(|old| old.was_asked_for_ownership) {
            let entry = Entry {
                evaluation: Arc::new(answer.clone()),
                was_asked_for_ownership: wants_ownership,
            };
            shard.insert(key, entry, self.shard_bytes);
        }
        answer
    }
}

impl<G: Game, E: Evaluator<G>> Evaluator<G> for EvalCache<E> {
    fn evaluate(&self, requests: &[Request<G>]) -> Result<Vec<Evaluation>> {
        let fingerprints = [false, true].map(|is_root| self.inner.fingerprint(is_root));
        let store = &self.store;
        let key = |request: &Request<G>| Key {
            position: self.inner.position_key(&request.position),
            fingerprint: fingerprints[usize::from(request.is_root)],
            is_root: request.is_root,
        };
        let keys: Vec<Key> = requests.iter().map(key).collect();
        let recall = |(request, &key): (&Request<G>, _)| store.recall(key, request.wants_ownership);
        let known: Vec<Option<Evaluation>> = requests.iter().zip(&keys).map(recall).collect();
        let is_missing = |index: &usize| known[*index].is_none();
        let places: Vec<usize> = (0..requests.len()).filter(is_missing).collect();
        // Nothing is copied if nothing is known, as in most requests of one position.
        let missing: Cow<[Request<G>]> = match places.len() == requests.len() {
            true => Cow::Borrowed(requests),
            false => places
                .iter()
                .map(|&place| requests[place].clone())
                .collect(),
        };
        store
            .hits
            .fetch_add((requests.len() - missing.len()) as u64, Ordering::Relaxed);
        store
            .misses
            .fetch_add(missing.len() as u64, Ordering::Relaxed);
        if missing.is_empty() {
            return Ok(known.into_iter().flatten().collect());
        }
        let answers = self.inner.evaluate(&missing)?;
        ensure!(
            answers.len() == missing.len(),
            "the evaluator left requests unanswered"
        );
        let mut fresh = places.iter().zip(answers).map(|(&place, answer)| {
            store.remember(keys[place], requests[place].wants_ownership, answer)
        });
        Ok(known
            .into_iter()
            .filter_map(|answer| answer.or_else(|| fresh.next()))
            .collect())
    }

    fn fingerprint(&self, is_root: bool) -> u64 {
        self.inner.fingerprint(is_root)
    }

    register_with!(self, self.inner);
}

impl Shard {
    fn insert(&mut self, key: Key, entry: Entry, limit: usize) {
        let added = entry.bytes();
        match self.entries.insert(key, entry) {
            Some(old) => self.bytes -= old.bytes(),
            None => self.ages.push_back(key),
        }
        self.bytes += added;
        while self.bytes > limit {
            let Some(oldest) = self.ages.pop_front() else {
                break;
            };
            if let Some(old) = self.entries.remove(&oldest) {
                self.bytes -= old.bytes();
            }
        }
    }
}

impl Entry {
    fn bytes(&self) -> usize {
        let figures = self.evaluation.policy.len() + self.evaluation.ownership.len();
        OVERHEAD_BYTES + size_of::<Evaluation>() + figures * size_of::<f32>()
    }
}
