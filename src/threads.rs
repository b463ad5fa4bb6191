//! Starting threads where limits of users, containers or memory may prevent it. Divisible work
//! continues with fewer threads, and a remark is printed once.

use std::io;
use std::num::NonZero;
use std::ops::Range;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Builder, JoinHandle, Scope, ScopedJoinHandle};
use std::time::Duration;

use crate::console::tell;

/// The contents of a lock, whatever happened to other threads.
pub fn locked<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for a signal, whatever happened to other threads.
pub fn signaled<'a, T>(signal: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    signal.wait(guard).unwrap_or_else(PoisonError::into_inner)
}

/// The same for so long at most.
pub fn signaled_within<'a, T>(
    signal: &Condvar,
    guard: MutexGuard<'a, T>,
    most: Duration,
) -> MutexGuard<'a, T> {
    let waited = signal.wait_timeout(guard, most);
    waited.unwrap_or_else(PoisonError::into_inner).0
}

/// The contents of a lock that is not needed any more, whatever happened to other threads.
pub fn unlocked<T>(lock: Mutex<T>) -> T {
    lock.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Number of cores available to the process.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Starts a thread. Unlike `std::thread::spawn` it does not panic if the system refuses.
pub fn start<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    Builder::new().spawn(work).map_err(explained)
}

/// Runs a function on `count` threads including this one, or on fewer if not all can be started;
/// then a remark names `what` they are for. Returns the results, this thread's first. Panics if one
/// of them does.
pub fn together<T: Send>(count: usize, what: &'static str, work: impl Fn() -> T + Sync) -> Vec<T> {
    thread::scope(|scope| {
        // Cannot fail, since this thread takes part.
        let others = start_up_to(scope, 1..count, what, &work).unwrap_or_default();
        let mut results = vec![work()];
        for thread in others {
            match thread.join() {
                Ok(result) => results.push(result),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    })
}

/// Starts `count` threads that run the same function, or as many as possible, with a remark about
/// `what` they are for; an error if there is none.
pub fn start_in<'scope>(
    scope: &'scope Scope<'scope, '_>,
    count: usize,
    what: &'static str,
    work: impl Fn() + Send + Clone + 'scope,
) -> io::Result<()> {
    start_up_to(scope, 0..count, what, work).map(drop)
}

/// Starts threads with these numbers until one fails, which is an error for number 0 and otherwise
/// a remark.
fn start_up_to<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    numbers: Range<usize>,
    what: &'static str,
    work: impl Fn() -> T + Send + Clone + 'scope,
) -> io::Result<Vec<ScopedJoinHandle<'scope, T>>> {
    let mut threads = Vec::new();
    for number in numbers.clone() {
        match Builder::new().spawn_scoped(scope, work.clone()) {
            Ok(thread) => threads.push(thread),
            Err(error) if number == 0 => return Err(explained(error)),
            Err(error) => {
                tell_shortage(number, numbers.end, what, &error);
                break;
            }
        }
    }
    Ok(threads)
}

/// Applies a function to each item, in parallel on as many threads as can be started. Results are
/// in the order of the items.
pub fn for_each<I: Send, T: Send>(
    items: Vec<I>,
    what: &'static str,
    work: impl Fn(I) -> T + Sync,
) -> Vec<T> {
    for_each_on(items.len(), items, what, work)
}

/// As [`for_each`], on at most `count` threads.
pub fn for_each_on<I: Send, T: Send>(
    count: usize,
    items: Vec<I>,
    what: &'static str,
    work: impl Fn(I) -> T + Sync,
) -> Vec<T> {
    let count = count.clamp(1, items.len().max(1));
    let queue = Mutex::new(items.into_iter().enumerate());
    let take = || locked(&queue).next();
    let work_off = || {
        let next = || take().map(|(index, item)| (index, work(item)));
        std::iter::from_fn(next).collect::<Vec<_>>()
    };
    let results = together(count, what, work_off);
    let mut results: Vec<(usize, T)> = results.into_iter().flatten().collect();
    results.sort_by_key(|&(index, _)| index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Starts the thread pool of `rayon`; must be called before its first use, since it panics if it
/// cannot start threads itself. Starts `count` threads; if fewer are possible, half of these.
pub fn start_pool(count: usize) {
    let mut waiting: Vec<(Sender<rayon::ThreadBuilder>, JoinHandle<()>)> = Vec::new();
    let mut shortage = None;
    while waiting.len() < count && shortage.is_none() {
        let (sender, role) = channel::<rayon::ThreadBuilder>();
        let wait = move || role.recv().map_or((), rayon::ThreadBuilder::run);
        match Builder::new().spawn(wait) {
            Ok(thread) => waiting.push((sender, thread)),
            Err(error) => shortage = Some(error),
        }
    }
    if let Some(error) = shortage {
        let keep = waiting.len().div_ceil(2);
        for (sender, thread) in waiting.drain(keep..) {
            drop(sender);
            // The thread has no work that could fail.
            thread.join().unwrap_or_default();
        }
        tell_shortage(keep, count, "pool", &error);
    }
    let threads = rayon::ThreadPoolBuilder::new().num_threads(waiting.len().max(1));
    let built = if waiting.is_empty() {
        threads.use_current_thread().build_global()
    } else {
        let hand_over = |role| {
            let sent = waiting.pop().map(|(sender, _)| sender.send(role).is_ok());
            let has_gone = || io::Error::other("a waiting thread has gone");
            sent.filter(|&sent| sent).map(drop).ok_or_else(has_gone)
        };
        threads.spawn_handler(hand_over).build_global()
    };
    // There may be a pool already if the library is used by another program.
    built.unwrap_or_default();
}

/// Prints a remark about missing threads, once in total.
fn tell_shortage(started: usize, count: usize, what: &'static str, reason: &io::Error) {
    static PRINTED: Mutex<Vec<&str>> = Mutex::new(Vec::new());
    let mut printed = locked(&PRINTED);
    if !printed.contains(&what) {
        printed.push(what);
        tell(format_args!(
            "started {started} of {count} {what} threads: {reason}"
        ));
    }
}

fn explained(reason: io::Error) -> io::Error {
    io::Error::new(reason.kind(), format!("cannot start a thread: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order() {
        let squares = for_each((0..50).collect(), "test", |number| number * number);
        assert_eq!(squares, (0..50).map(|n| n * n).collect::<Vec<i32>>());
        assert!(for_each(Vec::<i32>::new(), "test", |number| number).is_empty());
    }

    #[test]
    fn the_calling_thread_works_too() {
        let threads = together(3, "test", || thread::current().id());
        assert_eq!(threads.len(), 3);
        assert_eq!(threads[0], thread::current().id());
    }
}
