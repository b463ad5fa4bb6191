//! How fast the search is by itself: visits per second without a net.

use std::sync::atomic::AtomicBool;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use keima::go::{BoardSize, Position, Rules};
use keima::search::{Game, HashEvaluator, Limits, MoveCode, Outcome, Search, SearchParams, Side};

/// Fills a board of 361 points move by move, as Go would without captures; passing is a move too.
#[derive(Clone)]
struct Filling {
    points: [u64; 6],
    moves: u32,
    key: u128,
}

impl Filling {
    fn new() -> Filling {
        Filling {
            points: [0; 6],
            moves: 0,
            key: 1,
        }
    }
}

impl Game for Filling {
    fn to_move(&self) -> Side {
        if self.moves.is_multiple_of(2) {
            Side::First
        } else {
            Side::Second
        }
    }

    fn legal_moves(&self, moves: &mut Vec<MoveCode>) {
        moves.clear();
        let is_empty = |p: &u16| self.points[usize::from(p / 64)] & (1 << (p % 64)) == 0;
        moves.extend((1..362).filter(is_empty).map(MoveCode));
        moves.push(MoveCode(0));
    }

    fn play(&mut self, code: MoveCode) {
        if code.0 > 0 {
            self.points[usize::from(code.0 / 64)] |= 1 << (code.0 % 64);
        }
        self.moves += 1;
        let step = u128::from(code.0) * 2 + u128::from(self.moves % 2) + 1;
        self.key = (self.key ^ step).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.moves >= 400).then(Outcome::default)
    }

    fn key(&self) -> u128 {
        self.key
    }
}

const VISITS: u64 = 5000;

fn visits<G: Game>(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, root: &G) {
    for threads in [1, 2] {
        let params = SearchParams {
            threads,
            ..SearchParams::default()
        };
        group.bench_function(format!("{name}, {threads} threads"), |b| {
            b.iter(|| {
                let mut search = Search::new(params);
                search.set_root(root.clone());
                search
                    .run(
                        &HashEvaluator,
                        &Limits::visits(VISITS),
                        &AtomicBool::new(false),
                    )
                    .expect("the hash evaluator does not fail");
                search.report().map(|report| report.visits)
            })
        });
    }
}

fn search(c: &mut Criterion) {
    let mut group = c.benchmark_group("search");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(VISITS));
    visits(&mut group, "filling", &Filling::new());
    for side in [9, 19] {
        let rules = Rules::TROMP_TAYLOR;
        let root = Position::new(BoardSize::square(side), rules, rules.usual_komi());
        visits(&mut group, &format!("go {side}x{side}"), &root);
    }
    group.finish();
}

criterion_group!(benches, search);
criterion_main!(benches);
