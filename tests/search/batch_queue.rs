//! The queue for batches: which requests are answered together, and who is woken. Threads are counted, not timed.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Barrier, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use keima::nn::batch_queue::BatchQueue;

use super::in_time::in_time;

/// Lets threads wait until a number has been reached.
#[derive(Default)]
struct Counter(Mutex<usize>, Condvar);

impl Counter {
    fn add(&self) {
        *self.0.lock().unwrap() += 1;
        self.1.notify_all();
    }

    fn reach(&self, number: usize) {
        let count = self.0.lock().unwrap();
        drop(self.1.wait_while(count, |count| *count < number).unwrap());
    }
}

/// Doubles numbers and keeps the sizes of batches.
fn doubled(sizes: &Mutex<Vec<usize>>, numbers: &[u32]) -> Vec<u32> {
    sizes.lock().unwrap().push(numbers.len());
    numbers.iter().map(|number| 2 * number).collect()
}

#[test]
fn a_departing_thread_has_the_batch_answered_once() {
    in_time(|| {
        let sizes = Mutex::default();
        for _ in 0..200 {
            let queue = BatchQueue::new(100);
            let ready = Barrier::new(5);
            thread::scope(|scope| {
                for id in 0..4 {
                    let (queue, ready, sizes) = (&queue, &ready, &sizes);
                    scope.spawn(move || {
                        let _present = queue.register();
                        ready.wait();
                        let answer = |numbers: &[u32]| Ok(doubled(sizes, numbers));
                        assert_eq!(queue.submit(vec![id, 10], &answer).unwrap(), [2 * id, 20]);
                    });
                }
                let present = queue.register();
                ready.wait();
                drop(present);
            });
        }
        // All that waited are together; whoever comes later makes batches of what is left.
        let sizes = sizes.into_inner().unwrap();
        assert_eq!(sizes.iter().sum::<usize>(), 200 * 8);
    });
}

#[test]
fn a_thread_that_registers_twice_counts_once() {
    in_time(|| {
        let queue = BatchQueue::new(100);
        let sizes = Mutex::default();
        let answer = |numbers: &[u32]| Ok(doubled(&sizes, numbers));
        let outer = queue.register();
        let inner = queue.register();
        assert_eq!(queue.submit(vec![1], &answer).unwrap(), [2]);
        drop(inner);
        assert_eq!(queue.submit(vec![2], &answer).unwrap(), [4]);
        drop(outer);
        assert_eq!(queue.submit(vec![3], &answer).unwrap(), [6]);
        assert_eq!(sizes.into_inner().unwrap(), [1, 1, 1]);
    });
}

/// While two batches are answered, one that is not full grows, though all registered threads wait.
#[test]
fn a_batch_grows_while_two_are_answered() {
    in_time(|| {
        for _ in 0..20 {
            let queue = BatchQueue::new(2);
            let (begun, ended) = (Counter::default(), Counter::default());
            let (seventh, registered) = (Counter::default(), Barrier::new(6));
            let sizes = Mutex::default();
            let answer = |numbers: &[u32]| {
                begun.add();
                ended.reach(1);
                Ok(doubled(&sizes, numbers))
            };
            thread::scope(|scope| {
                let (queue, answer, registered, seventh) = (&queue, &answer, &registered, &seventh);
                for id in 0..6 {
                    scope.spawn(move || {
                        let _present = queue.register();
                        registered.wait();
                        queue.submit(vec![id], answer).unwrap();
                    });
                }
                begun.reach(3);
                scope.spawn(move || {
                    let _present = queue.register();
                    seventh.add();
                    queue.submit(vec![6], answer).unwrap();
                });
                seventh.reach(1);
                // Time to begin a batch of one, which would be wrong.
                thread::sleep(Duration::from_millis(2));
                scope.spawn(move || {
                    let _present = queue.register();
                    queue.submit(vec![7], answer).unwrap();
                });
                begun.reach(4);
                ended.add();
            });
            assert_eq!(sizes.into_inner().unwrap(), [2; 4]);
        }
    });
}

/// Unregistered callers have two batches answered; that of a registered one waits until one of them is done.
#[test]
fn a_batch_waits_until_another_is_done() {
    in_time(|| {
        let queue = BatchQueue::new(2);
        let (begun, ended, third) = (Counter::default(), Counter::default(), Counter::default());
        let answer = |numbers: &[u32]| {
            begun.add();
            ended.reach(1);
            Ok(numbers.to_vec())
        };
        thread::scope(|scope| {
            let (queue, answer, third) = (&queue, &answer, &third);
            for id in 0..2 {
                scope.spawn(move || queue.submit(vec![id], answer).unwrap());
            }
            begun.reach(2);
            scope.spawn(move || {
                let _present = queue.register();
                third.add();
                queue.submit(vec![2], answer).unwrap();
            });
            third.reach(1);
            // Time to begin the third, which would be wrong.
            thread::sleep(Duration::from_millis(20));
            let before = *begun.0.lock().unwrap();
            ended.add();
            assert_eq!(before, 2);
        });
        assert_eq!(*begun.0.lock().unwrap(), 3);
    });
}

/// Full batches begin whatever else is answered.
#[test]
fn full_batches_do_not_wait() {
    in_time(|| {
        const CALLERS: u32 = 7;
        let queue = BatchQueue::new(2);
        let (begun, registered) = (Counter::default(), Barrier::new(CALLERS as usize));
        let may_end = AtomicBool::new(false);
        let ended = Counter::default();
        let sizes = Mutex::default();
        let answer = |numbers: &[u32]| {
            begun.add();
            if !may_end.load(Ordering::SeqCst) {
                ended.reach(1);
            }
            Ok(doubled(&sizes, numbers))
        };
        thread::scope(|scope| {
            for id in 0..CALLERS {
                let (queue, answer, registered) = (&queue, &answer, &registered);
                scope.spawn(move || {
                    let _present = queue.register();
                    registered.wait();
                    queue.submit(vec![id], answer).unwrap();
                });
            }
            // Full batches begin whatever else is answered; the seventh caller waits.
            begun.reach(3);
            assert_eq!(*begun.0.lock().unwrap(), 3);
            may_end.store(true, Ordering::SeqCst);
            ended.add();
        });
        assert_eq!(sizes.into_inner().unwrap().iter().sum::<usize>(), 7);
    });
}

#[test]
fn an_answer_may_ask_another_queue() {
    in_time(|| {
        let (first, second) = (BatchQueue::new(4), BatchQueue::new(4));
        let calls = AtomicUsize::new(0);
        let inner = |numbers: &[u32]| {
            calls.fetch_add(1, Ordering::SeqCst);
            Ok(numbers.to_vec())
        };
        let outer = |numbers: &[u32]| second.submit(numbers.to_vec(), &inner);
        let _present = (first.register(), second.register());
        assert_eq!(first.submit(vec![1, 2, 3], &outer).unwrap(), [1, 2, 3]);
        assert_eq!(calls.load(Ordering::SeqCst), 1);
    });
}

/// A caller whose requests do not fit has the forming batch answered and begins another.
#[test]
fn batches_are_not_cut_by_large_callers() {
    in_time(|| {
        let queue = BatchQueue::new(8);
        let sizes = Mutex::default();
        thread::scope(|scope| {
            for id in 0..8 {
                let (queue, sizes) = (&queue, &sizes);
                scope.spawn(move || {
                    let _present = queue.register();
                    for _ in 0..50 {
                        let answer = |numbers: &[u32]| Ok(doubled(sizes, numbers));
                        let found = queue.submit(vec![id; 3], &answer).unwrap();
                        assert_eq!(found, [2 * id; 3]);
                    }
                });
            }
        });
        let sizes = sizes.into_inner().unwrap();
        assert!(
            sizes.iter().all(|&size| size == 3 || size == 6),
            "{sizes:?}"
        );
    });
}
