//! NVIDIA's GPUs as devices of an executor.
//!
//! Each executor has one stream, on which its batches run in the order of submission. A list of kernels is
//! launched one by one when it is first used, and recorded as a CUDA graph the second time.

#![allow(unsafe_code)]

mod memory;

use std::collections::HashMap;
use std::ffi::c_void;
use std::fs;
use std::sync::{Arc, Mutex};

use anyhow::{Context, Result, anyhow};
use candle_core::cuda::cudarc::driver::sys::{
    CUdevice_attribute_enum, CUevent_flags, CUfunction_attribute_enum, CUgraphInstantiate_flags,
    CUresult, CUstreamCaptureMode,
};
use candle_core::cuda::cudarc::driver::{
    CudaContext, CudaFunction, CudaGraph, CudaModule, CudaStream, DriverError, result,
};
use candle_core::cuda::cudarc::nvrtc::Ptx;

use super::device::{Batch, Device, Lane, OutOfMemory};
use super::launches::Launch;
use crate::nn::candle::Place;
use crate::threads::locked;
use memory::Pinned;
pub use memory::{CudaMemory, PinnedLane};

/// Compiled from `kernels.cu` by the build script.
const KERNELS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/gpu_kernels.fatbin"));
/// Compute capability with instructions of groups of warps, a kernel that uses them, and the version of
/// what it was compiled from if the program was built for them.
const WITH_GROUPS: ((i32, i32), &str, i32) = ((9, 0), "group_64x32x32x1", 90);
/// For development: `warps` forbids them, and a file's name replaces the kernels by those in the file,
/// compiled as the build script does it.
const KERNELS_VARIABLE: &str = "KEIMA_GPU_KERNELS";
const ONLY_WARPS: &str = "warps";
/// Shared memory that a block has without being asked for.
const COMMON_SHARED: usize = 48 << 10;

/// A GPU with a stream of its own.
pub struct CudaGpu {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    shared_limit: usize,
    has_groups: bool,
    queue: Mutex<Queue>,
}

/// What is used by one thread at a time.
struct Queue {
    module: Arc<CudaModule>,
    functions: HashMap<String, CudaFunction>,
    lists: HashMap<usize, List>,
}

/// A list of kernels that has been used.
enum List {
    /// Once.
    Launched,
    /// Recorded. A graph is used by one thread at a time, as the queue is locked.
    Recorded(Graph),
    /// The driver does not record it.
    Unrecordable,
}

struct Graph(CudaGraph);

// SAFETY: a graph may be used on any thread, by one at a time: it is only reached through the lock of
// the queue.
unsafe impl Send for Graph {}

impl CudaGpu {
    /// The GPU that candle has opened.
    pub fn new(place: &Place) -> Result<CudaGpu> {
        let device = place.device.as_cuda_device()?;
        let context = Arc::clone(device.cuda_stream().context());
        let stream = context.new_stream().map_err(failed("no stream"))?;
        let chosen = std::env::var(KERNELS_VARIABLE).ok();
        let kernels = match chosen.as_deref() {
            None | Some(ONLY_WARPS) => KERNELS.to_vec(),
            Some(file) => fs::read(file).with_context(|| format!("{KERNELS_VARIABLE}={file}"))?,
        };
        let module = context.load_module(Ptx::from_binary(kernels));
        let module = module.map_err(failed("the kernels cannot be loaded"))?;
        let attribute =
            CUdevice_attribute_enum::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
        let limit = context.attribute(attribute);
        let limit = limit.map_err(failed("the device does not answer"))?;
        let capability = context.compute_capability();
        let capability = capability.map_err(failed("the device does not answer"))?;
        let has_groups = capability == WITH_GROUPS.0 && has_compiled_groups(&module)?;
        let queue = Queue {
            module,
            functions: HashMap::new(),
            lists: HashMap::new(),
        };
        Ok(CudaGpu {
            context,
            stream,
            shared_limit: usize::try_from(limit)?,
            has_groups: has_groups && chosen.as_deref() != Some(ONLY_WARPS),
            queue: Mutex::new(queue),
        })
    }

    fn bind(&self) -> Result<()> {
        self.context
            .bind_to_thread()
            .map_err(failed("the device does not answer"))
    }

    /// Waits for all that has been submitted. Unlike that of the stream, it does so even if the context has
    /// recorded an error.
    fn finish(&self) -> Result<(), DriverError> {
        // SAFETY: the stream lives as long as this value.
        unsafe { result::stream::synchronize(self.stream.cu_stream()) }
    }

    /// Submits a batch. After an error part of it may be on its way.
    fn begin(&self, lane: &mut PinnedLane, batch: &Batch) -> Result<()> {
        let mut queue = locked(&self.queue);
        let stream = self.stream.cu_stream();
        let (inputs, outputs) = (batch.inputs, batch.outputs);
        // SAFETY: the addresses are those of memory with room for the bytes; the lane lives until
        // the batch is done: who drops it waits, and so does `submit` after an error.
        unsafe { result::memcpy_htod_async(inputs.0, &lane.inputs()[..inputs.1], stream) }
            .map_err(failed("inputs cannot be uploaded"))?;
        self.run(&mut queue, batch.list, batch.launches)?;
        let to = &mut lane.outputs.bytes_mut()[..outputs.1];
        // SAFETY: as above.
        unsafe { result::memcpy_dtoh_async(to, outputs.0, stream) }
            .map_err(failed("outputs cannot be downloaded"))?;
        lane.done.record(&self.stream).map_err(failed("no event"))
    }

    fn run(&self, queue: &mut Queue, number: usize, launches: &[Launch]) -> Result<()> {
        match queue.lists.get(&number) {
            Some(List::Recorded(graph)) => {
                return graph.0.launch().map_err(failed("a graph does not start"));
            }
            Some(List::Launched) => {
                let list = match self.record(queue, launches, 1) {
                    Ok(graph) => List::Recorded(graph),
                    Err(_) => List::Unrecordable,
                };
                queue.lists.insert(number, list);
                return self.run(queue, number, launches);
            }
            Some(List::Unrecordable) => {}
            None => {
                queue.lists.insert(number, List::Launched);
            }
        }
        self.launch_all(queue, launches)
    }

    /// Some kernels, several times over, as a graph.
    fn record(&self, queue: &mut Queue, launches: &[Launch], times: usize) -> Result<Graph> {
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        let begun = self.stream.begin_capture(mode);
        begun.map_err(failed("nothing can be recorded"))?;
        let launched = (0..times).try_for_each(|_| self.launch_all(queue, launches));
        let graph = self.stream.end_capture(CUgraphInstantiate_flags(0));
        launched?;
        let graph = graph.map_err(failed("kernels cannot be recorded"))?;
        Ok(Graph(graph.context("nothing was recorded")?))
    }

    fn launch_all(&self, queue: &mut Queue, launches: &[Launch]) -> Result<()> {
        launches
            .iter()
            .try_for_each(|launch| self.launch(queue, launch))
    }

    fn launch(&self, queue: &mut Queue, launch: &Launch) -> Result<()> {
        let function = match queue.functions.get(&launch.kernel) {
            Some(function) => function.clone(),
            None => {
                let function = self.function(&queue.module, &launch.kernel)?;
                let known = function.clone();
                queue.functions.insert(launch.kernel.clone(), known);
                function
            }
        };
        let arguments = launch.arguments.bytes().as_ptr().cast_mut();
        let mut arguments = [arguments.cast::<c_void>()];
        let (blocks, threads) = (
            u32::try_from(launch.blocks)?,
            u32::try_from(launch.threads)?,
        );
        // SAFETY: the kernel has one argument, a struct that is copied here, of the type that
        // `launches` makes for it; its addresses are those of memory that is kept as long as the list.
        let launched = unsafe {
            result::launch_kernel(
                function.cu_function(),
                (blocks, 1, 1),
                (threads, 1, 1),
                u32::try_from(launch.shared)?,
                self.stream.cu_stream(),
                &mut arguments,
            )
        };
        launched.map_err(|error| anyhow!("{} does not start: {error:?}", launch.kernel))
    }

    /// A kernel, allowed as much shared memory as there is.
    fn function(&self, module: &Arc<CudaModule>, name: &str) -> Result<CudaFunction> {
        use CUfunction_attribute_enum as Attribute;
        let function = module.load_function(name);
        let function = function.map_err(|error| anyhow!("no kernel {name}: {error:?}"))?;
        let wants_shared = [
            "conv",
            "group",
            "gradient",
            "attention",
            "feed_forward",
            "chains",
        ];
        let wants_shared = wants_shared.iter().any(|kind| name.starts_with(kind));
        if self.shared_limit > COMMON_SHARED && wants_shared {
            let settings = [
                (
                    Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                    i32::try_from(self.shared_limit)?,
                ),
                (
                    Attribute::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                    100,
                ),
            ];
            for (attribute, value) in settings {
                let set = function.set_attribute(attribute, value);
                set.map_err(|error| anyhow!("{name} gets no shared memory: {error:?}"))?;
            }
        }
        Ok(function)
    }
}

fn has_compiled_groups(module: &Arc<CudaModule>) -> Result<bool> {
    let (_, kernel, version) = WITH_GROUPS;
    let function = module.load_function(kernel);
    let found = function.and_then(|function| function.ptx_version());
    Ok(found.map_err(failed("a kernel is missing"))? >= version)
}

impl Device for CudaGpu {
    type Memory = CudaMemory;
    type Lane = PinnedLane;

    fn name(&self) -> String {
        self.context.name().unwrap_or_else(|_| "CUDA".to_owned())
    }

    fn shared_limit(&self) -> usize {
        self.shared_limit
    }

    fn has_groups(&self) -> bool {
        self.has_groups
    }

    fn allocate(&self, bytes: usize) -> Result<CudaMemory> {
        self.bind()?;
        let bytes = bytes.max(1);
        // SAFETY: the memory is filled below.
        let address = unsafe { result::malloc_sync(bytes) };
        let address = address.map_err(|error| refused(error, "no memory on the device", bytes))?;
        let memory = CudaMemory {
            address,
            context: Arc::clone(&self.context),
        };
        // SAFETY: the memory has this size.
        unsafe { result::memset_d8_async(address, 0, bytes, self.stream.cu_stream()) }
            .map_err(failed("memory cannot be filled"))?;
        Ok(memory)
    }

    fn address(&self, memory: &CudaMemory) -> u64 {
        memory.address
    }

    fn upload(&self, to: u64, bytes: &[u8]) -> Result<()> {
        self.bind()?;
        let _queue = locked(&self.queue);
        // SAFETY: callers upload to memory of this device that has room for the bytes, which outlive the
        // copy, as its end is waited for.
        unsafe { result::memcpy_htod_async(to, bytes, self.stream.cu_stream()) }
            .map_err(failed("weights cannot be uploaded"))?;
        self.finish().map_err(failed("weights cannot be uploaded"))
    }

    fn lane(&self, inputs: usize, outputs: usize) -> Result<PinnedLane> {
        self.bind()?;
        let done = self.context.new_event(None).map_err(failed("no event"))?;
        Ok(PinnedLane {
            inputs: Pinned::new(&self.context, inputs)?,
            outputs: Pinned::new(&self.context, outputs)?,
            done,
        })
    }

    fn submit(&self, lane: &mut PinnedLane, batch: &Batch) -> Result<()> {
        self.bind()?;
        let begun = self.begin(lane, batch);
        if begun.is_err() {
            // The lane's event comes before what has begun, and the lane may be dropped next. Whatever
            // this error, nothing is left that would read or write the lane.
            let _ = self.finish();
        }
        begun
    }

    fn wait(&self, lane: &mut PinnedLane) -> Result<()> {
        lane.done.synchronize().map_err(failed("the device failed"))
    }

    fn forget(&self) {
        locked(&self.queue).lists.clear();
    }

    fn measure(&self, launches: &[Launch], times: usize) -> Result<f64> {
        self.bind()?;
        let mut queue = locked(&self.queue);
        self.launch_all(&mut queue, launches)?;
        let graph = self.record(&mut queue, launches, times)?;
        let event = || {
            let timed = CUevent_flags::CU_EVENT_DEFAULT;
            let event = self.context.new_event(Some(timed));
            event.map_err(failed("no event"))
        };
        let (start, end) = (event()?, event()?);
        start.record(&self.stream).map_err(failed("no event"))?;
        graph.0.launch().map_err(failed("a graph does not start"))?;
        end.record(&self.stream).map_err(failed("no event"))?;
        let milliseconds = start
            .elapsed_ms(&end)
            .map_err(failed("a kernel failed while it was measured"))?;
        Ok(f64::from(milliseconds) * 1e-3 / times as f64)
    }
}

/// The error where so many bytes are refused.
fn refused(error: DriverError, what: &'static str, bytes: usize) -> anyhow::Error {
    match error {
        DriverError(CUresult::CUDA_ERROR_OUT_OF_MEMORY) => {
            anyhow::Error::from(OutOfMemory { bytes }).context(what)
        }
        error => failed(what)(error),
    }
}

fn failed(what: &'static str) -> impl Fn(DriverError) -> anyhow::Error {
    move |error| anyhow!("{what}: {error:?}")
}
