//! Memory of a GPU, and memory of the host that it reads and writes.

use std::sync::Arc;

use anyhow::Result;
use candle_core::cuda::cudarc::driver::{CudaContext, CudaEvent, DriverError, result};

use super::refused;
use crate::nn::gpu::Lane;

/// Makes a context that of this thread, to free what belongs to it. Its own `bind_to_thread` does nothing but
/// return the error that the context has recorded, if there is one.
fn bind(context: &CudaContext) -> Result<(), DriverError> {
    // SAFETY: the context exists as long as the value.
    unsafe { result::ctx::set_current(context.cu_ctx()) }
}

/// Memory on a GPU.
pub struct CudaMemory {
    pub(super) address: u64,
    pub(super) context: Arc<CudaContext>,
}

impl Drop for CudaMemory {
    fn drop(&mut self) {
        // SAFETY: the address was allocated by `allocate` and is not used any more; the driver waits
        // for kernels that still run.
        let freed = bind(&self.context).and_then(|()| unsafe { result::free_sync(self.address) });
        self.context.record_err(freed);
    }
}

/// Memory of the host that the GPU reads and writes by itself.
pub struct PinnedLane {
    pub(super) inputs: Pinned,
    pub(super) outputs: Pinned,
    /// Comes when the last batch is done.
    pub(super) done: CudaEvent,
}

impl Drop for PinnedLane {
    fn drop(&mut self) {
        // SAFETY: the event exists as long as the lane.
        let waited = bind(self.done.context())
            .and_then(|()| unsafe { result::event::synchronize(self.done.cu_event()) });
        // Whatever the error, nothing is left that would write to the lane.
        let _ = waited;
    }
}

impl Lane for PinnedLane {
    fn inputs(&mut self) -> &mut [u8] {
        self.inputs.bytes_mut()
    }

    fn outputs(&self) -> &[u8] {
        self.outputs.bytes()
    }
}

/// Page-locked memory.
pub(super) struct Pinned {
    pointer: *mut u8,
    len: usize,
    context: Arc<CudaContext>,
}

// SAFETY: the memory belongs to this value alone.
unsafe impl Send for Pinned {}

impl Pinned {
    /// Filled with zeros.
    pub(super) fn new(context: &Arc<CudaContext>, len: usize) -> Result<Pinned> {
        let len = len.max(1);
        // SAFETY: the memory is filled below.
        let pointer = unsafe { result::malloc_host(len, 0) };
        let pointer = pointer.map_err(|error| refused(error, "no page-locked memory", len))?;
        let pinned = Pinned {
            pointer: pointer.cast(),
            len,
            context: Arc::clone(context),
        };
        // SAFETY: the memory has this length.
        unsafe { pinned.pointer.write_bytes(0, len) };
        Ok(pinned)
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: the memory was filled, has this length, and belongs to this value.
        unsafe { std::slice::from_raw_parts(self.pointer, self.len) }
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.pointer, self.len) }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // SAFETY: the memory was allocated by `new` and is not used any more.
        let freed =
            bind(&self.context).and_then(|()| unsafe { result::free_host(self.pointer.cast()) });
        self.context.record_err(freed);
    }
}
