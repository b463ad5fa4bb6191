//! Networks whose values overflow give an error instead of wrong evaluations.

use std::path::Path;

use keima::go::BoardSize;
use keima::nn::arch::Arch;
use keima::nn::cpu::Executor;
use keima::nn::cpu::simd::Isa;
use keima::nn::desc::Net;
use keima::nn::features::InputBatch;
use keima::nn::input_shape::InputShape;
use keima::nn::katago;
use keima::nn::plan::Plan;

/// Of ReLU, Mish and SiLU, with pooling, nesting, plain blocks and attention.
fn nets() -> Vec<(String, Net)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/nets");
    let file = |name: &str| katago::read_file(&folder.join(name)).unwrap();
    let files = ["s8.bin.gz", "s12.bin.gz", "s15m.bin.gz", "s17.bin.gz"];
    let new = ["b3c32", "b2c32tf", "seed-9x9"];
    let new = new.map(|name| (name.to_owned(), Arch::named(name).unwrap().init(1)));
    let files = files.map(|name| (name.to_owned(), file(name)));
    files.into_iter().chain(new).collect()
}

fn inputs(net: &Net) -> InputBatch {
    let size = BoardSize::square(9);
    let shape = InputShape::of(net);
    InputBatch {
        size,
        spatial: vec![1.0; size.area() * shape.planes],
        global: vec![1.0; shape.globals],
        metadata: vec![1.0; shape.metadata],
    }
}

/// Weights so large that products overflow in both directions, in each layer of the trunk.
/// (Products in the heads may be small enough.)
#[test]
fn overflow_is_never_finite() {
    let mut missed = Vec::new();
    let ways = || Isa::available().flat_map(|isa| [(isa, false), (isa, true)]);
    for (file, net) in nets() {
        let inputs = inputs(&net);
        let tensors = net.tensors();
        let is_layer = |index: &usize| {
            let tensor = &tensors[*index];
            let is_product = tensor.shape.len() > 1 && !tensor.name.ends_with("rope");
            is_product && tensor.name.starts_with("trunk")
        };
        for index in (0..tensors.len()).filter(is_layer) {
            for weight in [f32::MAX, -f32::MAX] {
                let mut net = net.clone();
                net.tensors_mut()[index].weights.fill(weight);
                for (isa, is_integer) in ways() {
                    let executor = Executor::new(Plan::new(&net), isa, is_integer);
                    if executor.forward(&inputs).unwrap()[0].is_finite() {
                        let name = &tensors[index].name;
                        missed.push(format!("{file} {name} {weight} {isa} {is_integer}"));
                    }
                }
            }
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}
