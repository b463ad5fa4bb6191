//! Networks as plans: launches, work and memory.

use keima::go::BoardSize;
use keima::nn::arch::Arch;
use keima::nn::plan::memory::Slots;
use keima::nn::plan::{Extent, Plan};

fn plan(arch: &str) -> Plan {
    Plan::new(&Arch::named(arch).unwrap().init(1)).unwrap()
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

/// A value must not be overwritten before its last reader has run.
#[test]
fn slots_are_kept_until_the_last_reader() {
    for arch in ["b6c96", "b4c64nbt", "b3c32"] {
        let plan = plan(arch);
        let slots = Slots::new(&plan);
        // What each slot holds at the time.
        let mut held = vec![None; slots.channels.len()];
        for operation in &plan.operations {
            for id in operation.reads() {
                if let Some(slot) = slots.of(id) {
                    assert_eq!(held[slot], Some(id), "{arch}, {}", operation.name);
                }
            }
            let written: Vec<_> = operation.writes();
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
        assert!(slots.channels.len() <= 7, "{arch}: {:?}", slots.channels);
    }
}

#[test]
fn a_table_names_every_operation() {
    let plan = plan("b3c32");
    let table = plan.table(BoardSize::square(9), 8, 2);
    for operation in &plan.operations {
        assert!(table.contains(&operation.name), "{}", operation.name);
    }
    assert!(table.contains("8 boards of 9x9"), "{table}");
}

#[test]
fn what_has_no_plan_is_named() {
    for (arch, part) in [("b2c32tf", "transformer"), ("b3c32ch2", "chain pooling")] {
        let error = Plan::new(&Arch::named(arch).unwrap().init(1)).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
}
