//! Speed of the rules: random games, playing and undoing, legality, ladders, areas.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use keima::games::rollout::{Rollout, RolloutPolicy};
use keima::go::score::settled;
use keima::go::{Board, BoardSize, Color, Komi, Move, Position, Rules, ladders};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A 19x19 game of random moves on which all but the random games are measured.
fn random_game(rules: Rules, moves: usize) -> Position {
    let mut rng = ChaCha8Rng::seed_from_u64(19);
    let mut position = Position::new(BoardSize::square(19), rules, Komi::default());
    for _ in 0..moves {
        let legal: Vec<Move> = position.legal_moves().collect();
        position.play(legal[rng.random_range(0..legal.len().max(2) - 1)]);
    }
    position
}

fn random_games(c: &mut Criterion) {
    let mut group = c.benchmark_group("random games, area-scored");
    let policies = [
        RolloutPolicy::Uniform,
        RolloutPolicy::Light,
        RolloutPolicy::Learned,
    ];
    for (side, policy) in [9, 19]
        .into_iter()
        .flat_map(|side| policies.map(|it| (side, it)))
    {
        let board = Board::new(BoardSize::square(side));
        let mut rollout = Rollout::new(&board, Color::Black).with_policy(policy);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        // Moves of a game, so that the throughput is in moves.
        let games = 200;
        let moves: usize = (0..games)
            .map(|_| {
                rollout.reset(&board, Color::Black);
                rollout.finish(&mut rng)
            })
            .sum();
        group.throughput(Throughput::Elements((moves / games) as u64));
        group.bench_function(BenchmarkId::new(policy.to_string(), side), |b| {
            b.iter(|| {
                rollout.reset(&board, Color::Black);
                rollout.finish(&mut rng);
                rollout.black_area_lead()
            });
        });
    }
    group.finish();
}

fn play_and_undo(c: &mut Criterion) {
    let mut group = c.benchmark_group("19x19 moves played and taken back");
    let moves = 250;
    group.throughput(Throughput::Elements(moves as u64));
    for (name, rules) in [
        ("simple ko", Rules::CHINESE),
        ("superko", Rules::TROMP_TAYLOR),
    ] {
        let record: Vec<Move> = random_game(rules, moves)
            .moves()
            .map(|(_, mv)| mv)
            .collect();
        let mut position = Position::new(BoardSize::square(19), rules, Komi::default());
        group.bench_function(name, |b| {
            b.iter(|| {
                for &mv in &record {
                    position.play_unchecked(mv);
                }
                while position.undo().is_some() {}
            });
        });
    }
    group.finish();
}

fn questions(c: &mut Criterion) {
    let mut group = c.benchmark_group("19x19 after 200 random moves");
    for (name, rules) in [
        ("simple ko", Rules::CHINESE),
        ("superko", Rules::TROMP_TAYLOR),
    ] {
        let position = random_game(rules, 200);
        group.bench_function(format!("legal moves, {name}"), |b| {
            b.iter(|| black_box(&position).legal_moves().count());
        });
    }
    let position = random_game(Rules::TROMP_TAYLOR, 200);
    group.bench_function("clone", |b| b.iter(|| black_box(&position).clone()));
    group.bench_function("key", |b| b.iter(|| black_box(&position).key()));
    group.bench_function("ladders", |b| {
        b.iter(|| ladders(black_box(&position).board()))
    });
    group.bench_function("area and score", |b| {
        b.iter(|| settled(black_box(&position)))
    });
    let seki = random_game(Rules::STONE_SCORING, 200);
    group.bench_function("area and score with group tax", |b| {
        b.iter(|| settled(black_box(&seki)));
    });
    group.finish();
}

criterion_group!(benches, random_games, play_and_undo, questions);
criterion_main!(benches);
