//! How full batches are when many positions are analyzed at once. Batches are counted, not timed.

use std::time::Duration;

use keima::nn::gpu::fake::{FakeGpu, FakeSettings};
use serde_json::json;

use super::service::{Service, moves, number, on_fake_gpu, query};

const POSITIONS: usize = 100;
const BATCH: usize = POSITIONS / 2;

#[test]
fn a_hundred_positions_fill_batches() {
    // Less only where the queries themselves take long to arrive, as on a busy machine.
    let mut shares = Vec::new();
    while shares.len() < 10 && shares.last().is_none_or(|&last| last < 0.8) {
        shares.push(share_of_batches());
    }
    let is_full = shares.iter().any(|&share| share >= 0.8);
    assert!(is_full, "{shares:?}");
}

/// How full the batches are in which a hundred positions are analyzed at once.
fn share_of_batches() -> f64 {
    // Takes longer than a query to arrive, so that all are analyzed at once.
    let device = FakeGpu::new(FakeSettings {
        latency: Duration::from_millis(5),
        ..FakeSettings::default()
    });
    let mut service = Service::new(on_fake_gpu(&device, BATCH, 200), POSITIONS);
    for index in 0..POSITIONS {
        let columns = ["A", "B", "C", "D", "E", "F", "G", "H", "J"];
        let column = |index: usize| columns[index % 9];
        let (first, second) = (index / 10, index % 10 / 2 + 1);
        let text = format!(
            "{}{second} {}{}",
            column(first),
            column(index),
            9 - index % 3
        );
        let changes = json!({"id": format!("{index}"), "moves": moves(&text)});
        service.send(&query(changes).to_string());
    }
    for answer in service.end() {
        assert!(number(&answer, "/rootInfo/visits") >= 200.0, "{answer}");
    }
    let boards = device.take_counts().boards;
    let total: usize = boards.iter().sum();
    total as f64 / (boards.len() * BATCH) as f64
}
