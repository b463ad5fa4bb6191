//! Equivariant nets: weights are shared such that symmetries of the input transform the output.

use crate::training::{batch, seeded};
use keima::data::batch::Batch;
use keima::go::{BoardSize, Color, Komi, Move, Position, Rules, Symmetry};
use keima::nn::arch::Arch;
use keima::nn::backend::{Backend, Precision as Format};
use keima::nn::cpu::simd::Isa;
use keima::nn::desc::Net;
use keima::nn::evaluator::{NetEvaluator, NetRequest, NetSettings};
use keima::train::engine::Site;
use keima::train::growth::add_blocks;
use keima::train::losses::{Head, LossWeights};
use keima::train::model::Model;
use keima::train::optimizer::{Method, OptimizerSettings};
use keima::train::real::Precision;
use keima::train::schedule::Schedule;
use keima::train::trainer::{Trainer, TrainerSettings};

/// Channels in fields of all kinds, and left over; pooling, of boards and of chains; bottlenecks.
const ARCHS: [&str; 5] = ["b1c64", "b3c40", "b2c48nbt", "b1c12", "b2c32ch2"];

fn settings(method: Method) -> TrainerSettings {
    TrainerSettings {
        optimizer: OptimizerSettings {
            method,
            ..OptimizerSettings::default()
        },
        schedule: Schedule {
            peak: 5e-3,
            warmup: 0,
            decay: None,
        },
        losses: LossWeights::default(),
        average_half_life: 64,
        average_share: 0.0,
        symmetric: true,
        site: Site::Cpu {
            threads: 1,
            precision: Precision::F32,
        },
    }
}

fn model(name: &str) -> Model {
    Model::init(&Arch::named(name).unwrap(), 7).unwrap()
}

fn symmetric(name: &str) -> Model {
    let mut model = model(name);
    model.make_symmetric().unwrap();
    model
}

fn batches() -> Vec<Batch> {
    let mut random = seeded(4);
    let sizes = [(5, 5), (7, 7), (4, 6)];
    let batch = |(width, height)| batch(BoardSize::new(width, height).unwrap(), 6, &mut random);
    sizes.map(batch).into()
}

fn position(width: usize, height: usize) -> Position {
    let size = BoardSize::new(width, height).unwrap();
    let mut position = Position::new(size, Rules::CHINESE, Komi::from_half(13));
    for mv in ["B2", "C4", "D2", "A1", "E4"] {
        position.play(mv.parse::<Move>().unwrap());
    }
    assert_eq!(position.to_move(), Color::White);
    position
}

/// Largest difference between outputs for transformed boards: of policy, ownership and value.
fn spread(net: &Net) -> f32 {
    let backend = Backend::Cpu {
        isa: Isa::chosen().unwrap(),
        precision: Format::F32,
    };
    let evaluator = NetEvaluator::new(net, &backend, NetSettings::default()).unwrap();
    let mut spread = 0f32;
    for position in [position(7, 7), position(5, 9)] {
        let ask = |symmetry| {
            let output = evaluator
                .output_for(&position, &NetRequest::raw(symmetry))
                .unwrap();
            let values = [output.win, output.lead, output.score_mean];
            [output.policy, output.ownership, values.into()].concat()
        };
        let first = ask(Symmetry::IDENTITY);
        for symmetry in Symmetry::all() {
            let pairs = first.iter().zip(ask(symmetry));
            spread = pairs.fold(spread, |most, (a, b)| most.max((a - b).abs()));
        }
    }
    spread
}

#[test]
fn symmetric_nets_are_equivariant() {
    for name in ARCHS {
        assert!(
            spread(&model(name).net()) > 1e-2,
            "{name} is symmetric by chance"
        );
        for method in [Method::AdamW, Method::Muon] {
            let mut trainer = Trainer::new(symmetric(name), settings(method)).unwrap();
            let before = trainer.evaluate(&batches()).unwrap();
            for _ in 0..40 {
                trainer.step(&batches()).unwrap();
            }
            let after = trainer.evaluate(&batches()).unwrap();
            let [before, after] = [before, after].map(|losses| losses.of(Head::Policy));
            assert!(after < before - 5e-3, "{name}: {before} to {after}");
            for values in [&trainer.model.values, &trainer.average] {
                let spread = spread(&trainer.model.net_with(values));
                assert!(spread < 1e-3, "{name}, {method:?}: {spread}");
            }
            trainer
                .model
                .weight_sharing_held(&trainer.model.values)
                .unwrap();
        }
    }
}

#[test]
fn added_blocks_are_initially_neutral() {
    let net = symmetric("b2c32").net();
    let backend = Backend::Cpu {
        isa: Isa::chosen().unwrap(),
        precision: Format::F32,
    };
    let output = |net: &Net| {
        let evaluator = NetEvaluator::new(net, &backend, NetSettings::default()).unwrap();
        let request = NetRequest::raw(Symmetry::IDENTITY);
        evaluator.output_for(&position(7, 7), &request).unwrap()
    };
    let before = output(&net);
    for name in ["b2c32ch2", "b3c32", "b6c32ch3"] {
        let grown = add_blocks(&net, &Arch::named(name).unwrap(), 3, true).unwrap();
        let model = Model::of(grown.clone()).unwrap();
        model.weight_sharing_held(&model.values).unwrap();
        assert!(grown.trunk.blocks.len() > net.trunk.blocks.len());
        let after = output(&grown);
        assert_eq!(before.policy, after.policy, "{name}");
        assert_eq!((before.win, before.lead), (after.win, after.lead), "{name}");
        let mut trainer = Trainer::new(model, settings(Method::Muon)).unwrap();
        let first = trainer.evaluate(&batches()).unwrap().of(Head::Policy);
        for _ in 0..10 {
            trainer.step(&batches()).unwrap();
        }
        let last = trainer.evaluate(&batches()).unwrap().of(Head::Policy);
        assert!(last < first, "{name}: {first} to {last}");
    }
    for name in ["b1c32", "b3c48"] {
        let error = add_blocks(&net, &Arch::named(name).unwrap(), 3, true).unwrap_err();
        assert!(format!("{error:#}").contains("without some"), "{error:#}");
    }
}

/// Eight times as many numbers as are free would do for fields of eight alone, three times as many
/// for kernels between single channels.
#[test]
fn weight_sharing_reduces_free_parameters() {
    let all = model("b4c64").values.len();
    let free = symmetric("b4c64").weight_sharing_held(&symmetric("b4c64").values);
    let free = free.unwrap().free();
    assert!(free * 8 > all && free * 3 < all, "{free} of {all}");
}

#[test]
fn nets_with_directions_are_refused() {
    let error = Trainer::new(model("b2c32"), settings(Method::AdamW)).unwrap_err();
    assert!(error.to_string().contains("is not symmetric"), "{error}");
    for name in ["b2c32a1", "b2c32tf"] {
        let error = model(name).make_symmetric().unwrap_err().to_string();
        assert!(error.contains("knows directions"), "{error}");
    }
}
