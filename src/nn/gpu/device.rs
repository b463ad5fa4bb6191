//! What a device does for an executor.

use std::error::Error;
use std::fmt;

use anyhow::Result;

use super::launches::Launch;

/// The error of [`Device::allocate`] and [`Device::lane`] where a smaller batch may fit.
#[derive(Clone, Copy, Debug)]
pub struct OutOfMemory {
    /// Asked for.
    pub bytes: usize,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mebibytes = self.bytes >> 20;
        write!(f, "{mebibytes} MiB are not free")
    }
}

impl Error for OutOfMemory {}

/// A GPU, or what stands for one.
pub trait Device: Send + Sync {
    /// Memory on the device, freed when dropped.
    type Memory: Send;
    /// Memory of the host through which batches pass.
    type Lane: Lane;

    /// For display.
    fn name(&self) -> String;

    /// Most bytes of shared memory of a block.
    fn shared_limit(&self) -> usize;

    /// Whether kernels may use instructions of groups of warps, see [`tiles`](super::tiles).
    fn has_groups(&self) -> bool;

    /// New memory, filled with zeros.
    fn allocate(&self, bytes: usize) -> Result<Self::Memory>;

    /// Where memory begins, aligned to 256 bytes.
    fn address(&self, memory: &Self::Memory) -> u64;

    /// Copies to the device before it returns.
    fn upload(&self, to: u64, bytes: &[u8]) -> Result<()>;

    /// New memory of the host for batches with so many bytes of inputs and outputs.
    fn lane(&self, inputs: usize, outputs: usize) -> Result<Self::Lane>;

    /// Submits a batch: copies its inputs from the lane, runs the kernels, and copies the outputs to the
    /// lane. Batches run in the order of submission. May return before they are done.
    fn submit(&self, lane: &mut Self::Lane, batch: &Batch) -> Result<()>;

    /// Waits until the batch that was last submitted with this lane is done.
    fn wait(&self, lane: &mut Self::Lane) -> Result<()>;

    /// Forgets recorded lists of kernels, as their addresses are no longer valid.
    fn forget(&self);

    /// The seconds that some kernels take one after another, measured so many times.
    fn measure(&self, launches: &[Launch], times: usize) -> Result<f64>;
}

/// Memory of the host through which batches pass.
pub trait Lane: Send {
    /// To be filled before a batch is submitted.
    fn inputs(&mut self) -> &mut [u8];

    /// Filled when the device has waited for the batch.
    fn outputs(&self) -> &[u8];
}

/// A batch, for [`Device::submit`].
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// Names the list of kernels: the same number means the same list, until [`Device::forget`].
    pub list: usize,
    /// Boards with a position; the list may compute more.
    pub boards: usize,
    /// Address on the device, and number of bytes.
    pub inputs: (u64, usize),
    /// The kernels.
    pub launches: &'a [Launch],
    /// Address on the device, and number of bytes.
    pub outputs: (u64, usize),
}
