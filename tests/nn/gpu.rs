//! Networks on a GPU that a CPU plays: the kernels of `nn::gpu` and its executor, held against other
//! runners. Where there is no C++ compiler the tests are left out, and said to be.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock};

use crate::comparison::{difference, inputs};
use crate::compiler::compiled;
use crate::nets::synthetic;
use anyhow::Result;
use keima::nn::arch::Arch;
use keima::nn::cpu::Executor as CpuExecutor;
use keima::nn::cpu::simd::Isa;
use keima::nn::desc::Net;
use keima::nn::gpu::tiles::{Shape, Tile};
use keima::nn::gpu::{Batch, Device, Executor, Format, Lane, Launch, launch_count};
use keima::nn::plan::Plan;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The program of `gpu_on_cpu.cpp`.
fn program() -> Option<&'static Path> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let compile = || compiled("gpu_on_cpu", &["-O2", "-w"]);
    PROGRAM.get_or_init(compile).as_deref()
}

/// Kernels with their arguments.
type List = Vec<(String, Vec<u8>)>;

/// A GPU in another process. Clones share its memory, as streams do.
pub struct Emulated {
    program: Arc<Mutex<Program>>,
    /// By number.
    lists: Mutex<BTreeMap<usize, List>>,
}

impl Clone for Emulated {
    fn clone(&self) -> Emulated {
        Emulated {
            program: Arc::clone(&self.program),
            lists: Mutex::default(),
        }
    }
}

struct Program {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    /// How often each kernel was launched.
    launches: BTreeMap<String, usize>,
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Program {
    fn send(&mut self, command: u8, numbers: &[u64], bytes: &[u8]) {
        let mut message = vec![command];
        message.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        message.extend(bytes);
        self.input.write_all(&message).unwrap();
    }

    fn upload(&mut self, to: u64, bytes: &[u8]) {
        self.send(b'u', &[to, bytes.len() as u64], bytes);
    }

    fn launch(&mut self, launch: &Launch) {
        *self.launches.entry(launch.kernel.clone()).or_default() += 1;
        let name = launch.kernel.as_bytes();
        self.send(b'l', &[name.len() as u64], name);
        let arguments = launch.arguments.bytes();
        let numbers = [
            launch.blocks,
            launch.threads,
            launch.shared,
            arguments.len(),
        ];
        let bytes: Vec<u8> = numbers
            .iter()
            .flat_map(|&number| (number as u64).to_le_bytes())
            .chain(arguments.iter().copied())
            .collect();
        self.input.write_all(&bytes).unwrap();
    }

    fn download(&mut self, from: u64, to: &mut [u8]) {
        self.send(b'd', &[from, to.len() as u64], &[]);
        self.output.read_exact(to).unwrap();
    }
}

impl Emulated {
    pub fn start() -> Option<Emulated> {
        let mut command = Command::new(program()?);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let program = Program {
            child,
            input,
            output,
            launches: BTreeMap::new(),
        };
        Some(Emulated {
            program: Arc::new(Mutex::new(program)),
            lists: Mutex::default(),
        })
    }

    fn launches(&self) -> BTreeMap<String, usize> {
        self.program.lock().unwrap().launches.clone()
    }
}

pub struct Memory {
    program: Arc<Mutex<Program>>,
    address: u64,
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.program
            .lock()
            .unwrap()
            .send(b'f', &[self.address], &[]);
    }
}

pub struct HostMemory {
    inputs: Vec<u8>,
    outputs: Vec<u8>,
}

impl Lane for HostMemory {
    fn inputs(&mut self) -> &mut [u8] {
        &mut self.inputs
    }

    fn outputs(&self) -> &[u8] {
        &self.outputs
    }
}

impl Device for Emulated {
    type Memory = Memory;
    type Lane = HostMemory;

    fn name(&self) -> String {
        "emulated".to_owned()
    }

    fn shared_limit(&self) -> usize {
        227 << 10
    }

    fn has_groups(&self) -> bool {
        true
    }

    fn allocate(&self, bytes: usize) -> Result<Memory> {
        let mut program = self.program.lock().unwrap();
        program.send(b'a', &[bytes as u64], &[]);
        let mut address = [0; 8];
        program.output.read_exact(&mut address).unwrap();
        Ok(Memory {
            program: Arc::clone(&self.program),
            address: u64::from_le_bytes(address),
        })
    }

    fn address(&self, memory: &Memory) -> u64 {
        memory.address
    }

    fn upload(&self, to: u64, bytes: &[u8]) -> Result<()> {
        self.program.lock().unwrap().upload(to, bytes);
        Ok(())
    }

    fn lane(&self, inputs: usize, outputs: usize) -> Result<HostMemory> {
        Ok(HostMemory {
            inputs: vec![0; inputs],
            outputs: vec![0; outputs],
        })
    }

    fn submit(&self, lane: &mut HostMemory, batch: &Batch) -> Result<()> {
        // A graph would be recorded.
        let bytes = |launch: &Launch| (launch.kernel.clone(), launch.arguments.bytes().to_vec());
        let list: List = batch.launches.iter().map(bytes).collect();
        let mut lists = self.lists.lock().unwrap();
        let known = lists.entry(batch.list).or_insert_with(|| list.clone());
        assert!(*known == list, "list {} has changed", batch.list);
        drop(lists);
        let mut program = self.program.lock().unwrap();
        program.upload(batch.inputs.0, &lane.inputs[..batch.inputs.1]);
        for launch in batch.launches {
            program.launch(launch);
        }
        program.download(batch.outputs.0, &mut lane.outputs[..batch.outputs.1]);
        Ok(())
    }

    fn wait(&self, _: &mut HostMemory) -> Result<()> {
        Ok(())
    }

    fn forget(&self) {
        self.lists.lock().unwrap().clear();
    }

    /// Kernels that have not been used are the fastest, so that all are.
    fn measure(&self, launches: &[Launch], _: usize) -> Result<f64> {
        let used = self.launches();
        let of_kernel = |launch: &Launch| used.get(&launch.kernel).copied().unwrap_or(0);
        Ok(launches.iter().map(of_kernel).sum::<usize>() as f64)
    }
}

/// Nets of the package, with every kind of head, and transformers.
const NETS: [&str; 10] = [
    "s3.txt.gz",
    "s5.bin",
    "s8.bin.gz",
    "s10.bin.gz",
    "s11.bin.gz",
    "s12.bin.gz",
    "s15m.bin.gz",
    "s16.bin.gz",
    "s17.bin.gz",
    "s17b.txt.gz",
];

/// Holds a net on the emulated GPU against the CPU's kernels in f32.
pub fn compare(
    name: &str,
    net: &Net,
    format: Format,
    tolerance: f32,
    batches: &[((usize, usize), usize)],
) {
    let Some(device) = Emulated::start() else {
        return;
    };
    let plan = Plan::new(net);
    let executor = Executor::new(device, plan, format).unwrap();
    let oracle = CpuExecutor::new(Plan::new(net), Isa::chosen().unwrap(), false);
    for (index, &(size, boards)) in batches.iter().enumerate() {
        let inputs = inputs(net, size, boards, index % 2 == 0);
        let expected = oracle.forward(&inputs).unwrap();
        let launches = || executor.device().launches().values().sum::<usize>();
        let kernels = launch_count(executor.plan(), format, size.0 * size.1);
        let before = launches();
        let found = executor.forward(&inputs).unwrap();
        assert_eq!(launches() - before, kernels);
        let worst = difference(&found, &expected);
        println!("{name} {format:?} {size:?} {boards}: {worst:.1e}");
        assert!(
            worst <= tolerance,
            "{name}, {format:?}, {boards} of {size:?}: {worst}"
        );
    }
}

#[test]
fn synthetic_nets_in_f32_equal_the_cpu() {
    for file in NETS {
        let sizes = [
            ((19, 19), 1),
            ((9, 9), 8),
            ((13, 13), 3),
            ((7, 11), 3),
            ((2, 2), 1),
        ];
        compare(file, &synthetic(file), Format::F32, 1e-5, &sizes);
    }
}

#[test]
fn synthetic_nets_on_tensor_cores_are_near_the_cpu() {
    for file in NETS {
        // Weights of attention amplify what is rounded.
        let tolerance = if file.starts_with("s17") { 1e-2 } else { 3e-3 };
        let sizes = [((9, 9), 3), ((7, 11), 1)];
        compare(file, &synthetic(file), Format::F16, tolerance, &sizes);
    }
    compare(
        "s8",
        &synthetic("s8.bin.gz"),
        Format::F16,
        3e-3,
        &[((19, 19), 3), ((13, 13), 8)],
    );
}

/// The layers of b18c384nbt, narrower: nested bottlenecks, some with global pooling, and Mish.
#[test]
fn nested_bottlenecks_are_near_the_cpu() {
    let mut net = Arch::named("b4c64nbt").unwrap().init(3);
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for tensor in net.tensors_mut() {
        let shaken = |value: &mut f32| *value *= rng.random_range(0.8..1.2);
        tensor.weights.iter_mut().for_each(shaken);
    }
    compare(
        "b4c64nbt",
        &net,
        Format::F32,
        1e-5,
        &[((9, 9), 3), ((19, 19), 1)],
    );
    compare(
        "b4c64nbt",
        &net,
        Format::F16,
        3e-3,
        &[((9, 9), 3), ((19, 19), 1)],
    );
}

/// Sums of a trunk that f16 cannot express are cut to its range, in which networks go on.
#[test]
fn sums_beyond_f16_stay_finite() {
    let Some(device) = Emulated::start() else {
        return;
    };
    let mut net = Arch::named("b2c32").unwrap().init(7);
    let conv = &mut net.trunk.initial_conv;
    conv.weights.iter_mut().for_each(|weight| *weight *= 1e5);
    let executor = Executor::new(device, Plan::new(&net), Format::F16).unwrap();
    for raw in executor.forward(&inputs(&net, (9, 9), 2, true)).unwrap() {
        assert!(raw.is_finite());
    }
}

/// Unlike those, what is not a number gets as far as the outputs.
#[test]
fn outputs_tell_of_what_is_not_a_number() {
    let Some(device) = Emulated::start() else {
        return;
    };
    let arch = |name: &str| Arch::named(name).unwrap().init(7);
    let nets = [
        ("s8", synthetic("s8.bin.gz")),
        ("b2c64tf", arch("b2c64tf")),
        ("b2c64ch2", arch("b2c64ch2")),
    ];
    let mut missed = Vec::new();
    for ((name, net), format) in nets
        .iter()
        .flat_map(|net| [(net, Format::F32), (net, Format::F16)])
    {
        let inputs = inputs(net, (5, 5), 1, true);
        for (index, tensor) in net.tensors().iter().enumerate() {
            let is_product = tensor.shape.len() > 1 && !tensor.name.ends_with("rope");
            if !is_product || !tensor.name.starts_with("trunk") {
                continue;
            }
            let mut net = net.clone();
            net.tensors_mut()[index].weights.fill(f32::NAN);
            let executor = Executor::new(device.clone(), Plan::new(&net), format).unwrap();
            if executor.forward(&inputs).unwrap()[0].is_finite() {
                missed.push(format!("{name} {format:?} {}", tensor.name));
            }
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn every_tile_is_right() {
    let Some(device) = Emulated::start() else {
        return;
    };
    let shape = Shape {
        rows: 1,
        width: 5,
        inputs: 64,
        outputs: 384,
        kernel_height: 3,
        kernel_width: 3,
    };
    let mut unused: BTreeSet<String> = Tile::candidates(&shape, device.shared_limit(), true)
        .iter()
        .map(Tile::kernel)
        .collect();
    assert!(unused.len() > 30, "{unused:?}");
    for (arch, height) in
        (3..9).flat_map(|height| ["b2c192", "b2c128", "b2c96"].map(|arch| (arch, height)))
    {
        let net = Arch::named(arch).unwrap().init(3);
        let plan = Plan::new(&net);
        let executor = Executor::new(device.clone(), plan, Format::F16).unwrap();
        let oracle = CpuExecutor::new(Plan::new(&net), Isa::chosen().unwrap(), false);
        let inputs = inputs(&net, (5, height), 3, true);
        let expected = oracle.forward(&inputs).unwrap();
        let worst = difference(&executor.forward(&inputs).unwrap(), &expected);
        assert!(worst <= 3e-3, "{arch}, {height} rows: {worst}");
        let used = device.launches();
        unused.retain(|kernel| !used.contains_key(kernel));
        if unused.is_empty() {
            return;
        }
    }
    panic!("these were not used: {unused:?}");
}
