//! Networks as plans: launches, work and memory.

use crate::leela_text::leela_zero;
use keima::go::BoardSize;
use keima::nn::arch::Arch;
use keima::nn::desc::Block;
use keima::nn::gpu::{self, Format};
use keima::nn::network::Network;
use keima::nn::plan::memory::{Slots, Uses};
use keima::nn::plan::{Extent, Operation, Outputs, Plan, Work};

/// Every kind of block.
const ARCHS: [&str; 7] = [
    "b6c96", "b4c64nbt", "b3c32", "b4c64a2", "b3c32ch3", "b2c32tf", "seed-9x9",
];

fn plan(arch: &str) -> Plan {
    Plan::new(&Arch::named(arch).unwrap().init(1))
}

/// A Leela Zero network of two blocks with two channels.
fn leela() -> Plan {
    let text = leela_zero(2, 2, "0.5");
    match Network::read_bytes(text.as_bytes()).unwrap() {
        Network::LeelaZero(net) => Plan::of_leela(&net),
        Network::KataGo(_) => panic!("not one of Leela Zero's"),
    }
}

#[test]
fn launches_stay_below_those_of_katago() {
    for (arch, most) in [("b6c96", 40), ("b18c384nbt", 150)] {
        let launches = plan(arch).operations.len();
        assert!(launches <= most, "{arch}: {launches}");
    }
}

/// b6c96 as KataGo has it: 0.72 GFLOP, which are two operations for each multiplication.
#[test]
fn work_is_that_of_the_architecture() {
    let total = plan("b6c96").total(361, 2);
    let millions = total.multiplications as f64 / 1e6;
    assert!((330.0..400.0).contains(&millions), "{millions}");
    assert!(
        (1 << 20..4 << 20).contains(&total.weights),
        "{}",
        total.weights
    );
}

/// A transformer's multiplications at each point: four matrices of 32x32 and three of 32 by the hidden width
/// for each pair of blocks, and the products of attention.
#[test]
fn work_counts_attention() {
    let plan = plan("b2c32tf");
    let of = |work: &str| -> usize {
        let operations = plan.operations.iter();
        let named = operations.filter(|operation| operation.name.ends_with(work));
        let cost = named.map(|operation| plan.cost(operation, 81, 2));
        cost.map(|cost| cost.multiplications).sum()
    };
    assert_eq!(of("attention"), 2 * 81 * (3 * 32 * 32 + 81 * 2 * 32));
    let hidden = plan
        .operations
        .iter()
        .find_map(|operation| match &operation.work {
            Work::Gated(gated) => Some(gated.inner.outputs),
            _ => None,
        });
    let hidden = hidden.unwrap();
    assert_eq!(of("gate"), 2 * 81 * 2 * 32 * hidden);
    assert_eq!(of("output"), 2 * 81 * (32 * 32 + 32 * hidden));
}

#[test]
fn values_are_written_before_they_are_read() {
    for plan in ARCHS.map(plan).into_iter().chain([leela()]) {
        let inputs = [plan.inputs.globals, plan.inputs.metadata];
        let mut written: Vec<_> = inputs.into_iter().flatten().collect();
        for operation in &plan.operations {
            for id in operation.work.reads() {
                assert!(written.contains(&id), "{}", operation.name);
            }
            for id in operation.work.writes() {
                assert!(!written.contains(&id), "{}", operation.name);
                written.push(id);
            }
        }
        assert_eq!(written.len(), plan.values.len());
        for id in plan.outputs.all() {
            assert!(written.contains(&id) && plan.readers(id).next().is_none());
        }
    }
}

/// Those between the convolutions of a block, with their factors in the product that is their bias; no others.
#[test]
fn norms_inside_blocks_are_merged() {
    for (arch, merged, products) in [("b6c96", 6, 2), ("b4c64nbt", 8, 1), ("seed-9x9", 0, 0)] {
        let mut plan = plan(arch);
        plan.fold_norms();
        let convs = plan.operations.iter().filter_map(|operation| {
            let Work::Conv(conv) = &operation.work else {
                return None;
            };
            conv.scale.is_some().then_some((&operation.name, conv))
        });
        let convs: Vec<_> = convs.collect();
        assert_eq!(convs.len(), merged, "{arch}");
        for (name, conv) in convs {
            assert!(name.ends_with("conv a") && !conv.has_norm(), "{name}");
        }
        let is_product = |operation: &&Operation| match &operation.work {
            Work::Dense(dense) => operation.name.ends_with("pool matrix") && dense.bias.is_some(),
            _ => false,
        };
        let count = plan.operations.iter().filter(is_product).count();
        assert_eq!(count, products, "{arch}");
    }
}

#[test]
fn leela_zero_has_a_policy_with_the_pass() {
    let plan = leela();
    let Outputs::LeelaZero { policy, value } = plan.outputs else {
        panic!("{:?}", plan.outputs);
    };
    assert_eq!(plan.value(policy).channels, 362);
    assert_eq!(plan.value(value).channels, 1);
    assert_eq!(plan.inputs.shape.only_size, Some(BoardSize::square(19)));
    let adds = |work: &Work| matches!(work, Work::Conv(conv) if conv.residual.is_some());
    let operations = plan.operations.iter();
    assert_eq!(operations.filter(|op| adds(&op.work)).count(), 2);
}

/// A value must not be overwritten before its last reader has run.
#[test]
fn slots_are_kept_until_the_last_reader() {
    for arch in ARCHS {
        let plan = plan(arch);
        let slots = Slots::new(&plan);
        // What each slot holds at the time.
        let mut held = vec![None; slots.kinds.len()];
        for operation in &plan.operations {
            for id in operation.work.reads() {
                if let Some(slot) = slots.of(id) {
                    assert_eq!(held[slot], Some(id), "{arch}, {}", operation.name);
                }
            }
            let written: Vec<_> = operation.work.writes();
            for &id in &written {
                if plan.value(id).extent == Extent::Points {
                    held[slots.of(id).unwrap()] = Some(id);
                }
            }
            let mut places: Vec<_> = written.iter().filter_map(|&id| slots.of(id)).collect();
            places.dedup();
            let of_points = written.iter().filter(|id| slots.of(**id).is_some()).count();
            assert_eq!(places.len(), of_points, "{arch}, {}", operation.name);
        }
        assert!(slots.kinds.len() <= 7, "{arch}: {:?}", slots.kinds);
    }
}

/// A value that is read before anything is written leaves its slot to what is written; one that is not read
/// at all does not keep its slot.
#[test]
fn slots_are_left_early_where_that_is_allowed() {
    let plan = plan("b3c32");
    let [a, b, c, d] = [0, 1, 2, 3].map(keima::nn::plan::ValueId);
    let step = |reads: &[_], writes: &[_], is_early: bool| Uses {
        reads: reads.to_vec(),
        writes: writes.to_vec(),
        read_first: reads.first().copied().filter(|_| is_early),
        in_place: None,
    };
    let count = |is_early| {
        let steps = [
            step(&[], &[a], false),
            step(&[a], &[b, c], is_early),
            step(&[b], &[d], is_early),
        ];
        let slots = Slots::of_steps(&steps, &vec![Some(0); plan.values.len()]);
        assert_eq!(slots.of(a) == slots.of(b), is_early);
        slots.kinds.len()
    };
    assert_eq!((count(true), count(false)), (2, 3));
}

#[test]
fn a_table_names_every_operation() {
    for plan in ARCHS.map(plan).into_iter().chain([leela()]) {
        let table = plan.table(BoardSize::square(9), 8, 2);
        for operation in &plan.operations {
            assert!(table.contains(&operation.name), "{}", operation.name);
        }
        assert!(table.contains("8 boards of 9x9"), "{table}");
        let rows = table.lines().take_while(|row| !row.is_empty());
        let mut lengths = rows.map(str::len);
        let first = lengths.next();
        assert!(lengths.all(|length| Some(length) == first), "{table}");
        let of_one = plan.table(BoardSize::square(9), 1, 2);
        assert!(of_one.contains("for 1 board of 9x9;"), "{of_one}");
    }
}

/// They are left to the candle library.
#[test]
fn what_gpus_have_no_kernel_for_is_named() {
    for arch in ARCHS {
        gpu::check(&plan(arch)).unwrap();
    }
    let mut of_wide_heads = Arch::named("b2c32tf").unwrap().init(1);
    for block in &mut of_wide_heads.trunk.blocks {
        if let Block::Attention(block) = block {
            block.value_width = 129;
        }
    }
    let mut wide = Arch::named("b3c32").unwrap().init(1);
    for block in &mut wide.trunk.blocks {
        if let Block::Ordinary(block) = block {
            let conv = &mut block.conv_a;
            (conv.kernel_height, conv.kernel_width) = (7, 7);
            conv.weights = vec![0.0; 49 * conv.inputs * conv.outputs];
        }
    }
    let refused = [
        (Plan::new(&of_wide_heads), "heads of 129 channels"),
        (leela(), "fully connected heads"),
        (Plan::new(&wide), "convolutions of 7x7"),
    ];
    for (plan, part) in refused {
        let error = gpu::check(&plan).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

/// Chain pooling is two kernels, and attention in f32; in f16 attention is one with its norm, and a feed-forward block
/// one for three operations.
#[test]
fn launches_on_gpus_are_counted() {
    for (arch, in_f16, in_f32) in [
        ("b6c96", 0, 0),
        ("b3c32ch3", 3, 3),
        ("b2c32tf", -2, 2),
        ("b2c96tf", -2 - 2 * 2, 2),
    ] {
        let plan = plan(arch);
        for (format, more) in [(Format::F16, in_f16), (Format::F32, in_f32)] {
            let launches = gpu::launch_count(&plan, format, 361) as isize;
            assert_eq!(launches, plan.operations.len() as isize + more, "{arch}");
        }
    }
}
