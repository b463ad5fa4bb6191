//! Pooling over chains and empty regions, with its gradient.

use std::sync::Arc;

use anyhow::Result;
#[cfg(feature = "cuda")]
use candle_core::Device;
use candle_core::{DType, Tensor};

use super::gradient::with_backward_to_one;
use crate::nn::regions::{Regions, Rows, VALUES};

/// The cells of each region, on the device.
#[derive(Clone)]
pub struct RegionLists {
    regions: Arc<Regions>,
    /// On a GPU: cells of all regions one after another, and the start of each.
    #[cfg(feature = "cuda")]
    on_device: [Tensor; 2],
}

impl RegionLists {
    /// Uploads them to a device.
    #[cfg(feature = "cuda")]
    pub fn new(regions: Regions, device: &Device) -> Result<RegionLists> {
        let (cells, starts) = regions.lists();
        let list = |numbers: &[u32]| Tensor::from_slice(numbers, numbers.len(), device);
        Ok(RegionLists {
            on_device: [list(cells)?, list(starts)?],
            regions: Arc::new(regions),
        })
    }

    /// For the CPU, which needs no copy.
    #[cfg(not(feature = "cuda"))]
    pub fn new(regions: Regions, _: &candle_core::Device) -> Result<RegionLists> {
        Ok(RegionLists {
            regions: Arc::new(regions),
        })
    }

    /// `[cell][3 * channel]` of `[cell][channel]`, in the same format; 0 where there is no region.
    pub fn pool(&self, cells: &Tensor) -> Result<Tensor> {
        #[cfg(feature = "cuda")]
        if cells.device().is_cuda() {
            return Ok(super::fused::pool_regions(cells, &self.on_device)?);
        }
        let x = cells.detach();
        let (count, channels) = x.dims2()?;
        let values = as_floats(&x)?;
        let mut pooled = vec![0.0; count * VALUES * channels];
        let to = rows(&mut pooled[..], VALUES * channels);
        self.regions.pool(rows(&values[..], channels), channels, to);
        let pooled = Tensor::from_vec(pooled, (count, VALUES * channels), x.device())?;
        let regions = Arc::clone(&self.regions);
        let dtype = x.dtype();
        let back = move |of_pooled: &Tensor| {
            let of_pooled = as_floats(of_pooled)?;
            let mut of_cells = vec![0.0; count * channels];
            regions.pool_back(
                rows(&values[..], channels),
                channels,
                rows(&of_pooled[..], VALUES * channels),
                rows(&mut of_cells[..], channels),
            );
            Tensor::from_vec(of_cells, (count, channels), x.device())?.to_dtype(dtype)
        };
        Ok(with_backward_to_one(pooled.to_dtype(dtype)?, cells, back)?)
    }
}

fn rows<V>(values: V, stride: usize) -> Rows<V> {
    Rows { values, stride }
}

fn as_floats(values: &Tensor) -> candle_core::Result<Vec<f32>> {
    values.to_dtype(DType::F32)?.flatten_all()?.to_vec1()
}
