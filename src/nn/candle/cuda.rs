//! NVIDIA GPUs as candle devices.

#![allow(unsafe_code)]

use anyhow::{Result, anyhow};
use candle_core::Device;

/// A GPU, numbered from 0, with one stream of its own: work from all threads runs in the order of
/// submission. (Candle's default device has a stream per thread, without synchronisation between
/// uploads and computations of different threads.)
pub fn open(number: usize) -> Result<Device> {
    let opened = Device::new_cuda_with_stream(number).and_then(|device| configured(device, number));
    opened.map_err(|error| {
        // Candle may append a backtrace.
        let reason = error.to_string();
        let reason = reason.lines().next().unwrap_or_default();
        anyhow!("CUDA device {number} does not answer: {reason}")
    })
}

/// Disables candle's synchronisation of several streams, and keeps freed memory in the pool: by
/// default the driver releases it whenever the CPU waits for the GPU, and allocating it again takes
/// longer than computing.
#[cfg(feature = "cuda")]
fn configured(device: Device, number: usize) -> candle_core::Result<Device> {
    use candle_core::cuda::WrapErr;
    use candle_core::cuda::cudarc::driver::{result, sys};

    let cuda = device.as_cuda_device()?;
    // SAFETY: all tensors of this device are made, used and freed on its one stream.
    unsafe { cuda.disable_event_tracking() };
    let mut kept = u64::MAX;
    // SAFETY: the pool is that of a device which has just answered and lives as long as the
    // process; the attribute is a 64-bit number, which the call copies.
    unsafe {
        let pool = result::device::get(number as i32)
            .and_then(|device| result::device::get_default_mem_pool(device));
        let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        let value = (&raw mut kept).cast();
        pool.and_then(|pool| result::mem_pool::set_attribute(pool, attribute, value))
            .w()?;
    }
    Ok(device)
}

#[cfg(not(feature = "cuda"))]
fn configured(device: Device, _: usize) -> candle_core::Result<Device> {
    Ok(device)
}
