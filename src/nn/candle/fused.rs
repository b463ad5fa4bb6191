//! Fused GPU operations, by own kernels (`kernels.cu`).

#![allow(unsafe_code)]

use candle_core::backend::BackendStorage;
use candle_core::cuda::cudarc::driver::{
    CudaFunction, CudaView, DeviceRepr, LaunchConfig, PushKernelArg, ValidAsZeroBits,
};
use candle_core::cuda::{CudaDType, CudaDevice, WrapErr};
use candle_core::op::BackpropOp;
use candle_core::{
    CpuStorage, CudaStorage, CustomOp2, CustomOp3, DType, Layout, Result, Shape, Storage, Tensor,
    WithDType, bail,
};
use half::{bf16, f16};

use super::super::desc::Activation;
use super::super::gpu::arguments::activation_number;
use super::super::regions::VALUES;
use super::gradient::sum_of_rows;
use super::grid::Neighborhood;
use super::layers::product_back;

/// Compiled from `kernels.cu` by the build script.
const PTX: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.ptx"));
/// Name of the module in candle.
const MODULE: &str = "keima";
/// Threads per block.
const BLOCK: u32 = 256;
/// Bytes of a pack of channels, which a thread reads at once.
const PACK_BYTES: usize = 16;
/// Cells per thread for gradients of scale and bias.
const ROWS: usize = 32;

/// Calls a function that is generic over a [`Number`] for the format of a tensor.
macro_rules! by_format {
    ($format:expr, $function:ident($($argument:expr),+)) => {
        match $format {
            DType::F32 => $function::<f32>($($argument),+),
            DType::F16 => $function::<f16>($($argument),+),
            DType::BF16 => $function::<bf16>($($argument),+),
            other => bail!("no kernel for {other:?}"),
        }
    };
}

/// The product of each cell's patch with a matrix, see [`super::layers::Conv`].
pub fn product(cells: &Tensor, matrix: &Tensor, neighborhood: Neighborhood) -> Result<Tensor> {
    cells.contiguous()?.apply_op2(matrix, Product(neighborhood))
}

/// See [`super::layers::NormAct`]: `affine` is `[2][channel]`, `mask` `[cell][1]`.
pub fn norm_act(
    cells: &Tensor,
    affine: &Tensor,
    mask: &Tensor,
    activation: Activation,
) -> Result<Tensor> {
    cells
        .contiguous()?
        .apply_op3(affine, mask, NormAct(activation))
}

/// See [`Neighborhood::patches`]. Has no gradient.
pub fn patches(cells: &Tensor, neighborhood: Neighborhood) -> Result<Tensor> {
    let (count, channels) = cells.dims2()?;
    let cells = cells.contiguous()?;
    let (storage, layout) = cells.storage_and_layout();
    let patches = patches_of(on_gpu(&storage)?, layout, neighborhood)?;
    Ok(tensor(patches, (count, neighborhood.len() * channels)))
}

/// See [`super::region_pooling`]: `lists` are the cells of all regions and the start of each.
pub fn pool_regions(cells: &Tensor, lists: &[Tensor; 2]) -> Result<Tensor> {
    let [members, starts] = lists;
    cells
        .contiguous()?
        .apply_op3(members, starts, RegionPooling)
}

/// See [`pool_regions`].
struct RegionPooling;

impl CustomOp3 for RegionPooling {
    fn name(&self) -> &'static str {
        "pooling over regions"
    }

    fn cpu_fwd(
        &self,
        _: &CpuStorage,
        _: &Layout,
        _: &CpuStorage,
        _: &Layout,
        _: &CpuStorage,
        _: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        bail!("this is for GPUs")
    }

    fn cuda_fwd(
        &self,
        cells: &CudaStorage,
        of_cells: &Layout,
        members: &CudaStorage,
        of_members: &Layout,
        starts: &CudaStorage,
        of_starts: &Layout,
    ) -> Result<(CudaStorage, Shape)> {
        let (count, channels) = of_cells.shape().dims2()?;
        let lists = [(members, of_members), (starts, of_starts)];
        let pooled = by_format!(cells.dtype(), pooled((cells, of_cells), lists));
        Ok((pooled?, (count, VALUES * channels).into()))
    }

    fn bwd(
        &self,
        cells: &Tensor,
        members: &Tensor,
        starts: &Tensor,
        _: &Tensor,
        of_result: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
        let tensors = [cells, members, starts, &of_result.contiguous()?];
        let of_cells = by_format!(cells.dtype(), pooled_back(tensors))?;
        Ok((Some(of_cells), None, None))
    }
}

fn pooled<T: Number>(
    (cells, of_cells): (&CudaStorage, &Layout),
    [members, starts]: [(&CudaStorage, &Layout); 2],
) -> Result<CudaStorage> {
    let device = cells.device();
    let (count, channels) = of_cells.shape().dims2()?;
    let launch = Launch::of::<T>(channels, &[of_cells]);
    // Zero between the boards, where there are no regions.
    let mut to = device.alloc_zeros::<T>(count * VALUES * channels)?;
    let function = launch.function(device, "pool_regions")?;
    let cells = slice::<T>(cells, of_cells)?;
    let (members, starts) = (numbers(members.0)?, numbers(starts.0)?);
    let (regions, channels) = (starts.len() as u32 - 1, channels as u32);
    let stream = device.cuda_stream();
    let mut arguments = stream.launch_builder(&function);
    arguments
        .arg(&cells)
        .arg(&members)
        .arg(&starts)
        .arg(&mut to);
    arguments.arg(&regions).arg(&channels);
    // SAFETY: arguments as `pool_regions` in kernels.cu has them; the lists were made for these cells
    // by `Grid::with_regions`.
    unsafe { arguments.launch(launch.over(regions)) }.w()?;
    Ok(CudaStorage::wrap_cuda_slice(to, device.clone()))
}

fn pooled_back<T: Number>([cells, members, starts, of_result]: [&Tensor; 4]) -> Result<Tensor> {
    let (count, channels) = cells.dims2()?;
    let (cells, of_result) = (cells.storage_and_layout(), of_result.storage_and_layout());
    let (members, starts) = (members.storage_and_layout(), starts.storage_and_layout());
    if of_result.1.shape().dims() != [count, VALUES * channels] {
        bail!("a gradient of another shape")
    }
    let device = on_gpu(&cells.0)?.device();
    let launch = Launch::of::<T>(channels, &[cells.1, of_result.1]);
    let mut of_cells = device.alloc_zeros::<T>(count * channels)?;
    let function = launch.function(device, "pool_regions_back")?;
    {
        let cells = slice::<T>(on_gpu(&cells.0)?, cells.1)?;
        let of_result = slice::<T>(on_gpu(&of_result.0)?, of_result.1)?;
        let (members, starts) = (numbers(on_gpu(&members.0)?)?, numbers(on_gpu(&starts.0)?)?);
        let (regions, channels) = (starts.len() as u32 - 1, channels as u32);
        let stream = device.cuda_stream();
        let mut arguments = stream.launch_builder(&function);
        arguments.arg(&cells).arg(&members).arg(&starts);
        arguments.arg(&of_result).arg(&mut of_cells);
        arguments.arg(&regions).arg(&channels);
        // SAFETY: arguments as `pool_regions_back` in kernels.cu has them, with lists as in `pooled`.
        unsafe { arguments.launch(launch.over(regions)) }.w()?;
    }
    let of_cells = CudaStorage::wrap_cuda_slice(of_cells, device.clone());
    Ok(tensor(of_cells, (count, channels)))
}

/// The whole slice of a tensor of numbers.
fn numbers(storage: &CudaStorage) -> Result<CudaView<'_, u32>> {
    Ok(storage.as_cuda_slice::<u32>()?.slice(..))
}

/// See [`product`].
struct Product(Neighborhood);

impl CustomOp2 for Product {
    fn name(&self) -> &'static str {
        "product of patches"
    }

    fn cpu_fwd(
        &self,
        _: &CpuStorage,
        _: &Layout,
        _: &CpuStorage,
        _: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        bail!("this is for GPUs")
    }

    fn cuda_fwd(
        &self,
        cells: &CudaStorage,
        of_cells: &Layout,
        matrix: &CudaStorage,
        of_matrix: &Layout,
    ) -> Result<(CudaStorage, Shape)> {
        let (count, channels) = of_cells.shape().dims2()?;
        let (inputs, outputs) = of_matrix.shape().dims2()?;
        if inputs != channels * self.0.len() {
            bail!("a matrix for other patches")
        }
        let size = (1, count, outputs, inputs);
        let product = match self.0.len() {
            1 => cells.matmul(matrix, size, of_cells, of_matrix)?,
            _ => {
                let patches = patches_of(cells, of_cells, self.0)?;
                patches.matmul(
                    matrix,
                    size,
                    &Layout::contiguous((count, inputs)),
                    of_matrix,
                )?
            }
        };
        Ok((product, (count, outputs).into()))
    }

    fn bwd(
        &self,
        cells: &Tensor,
        matrix: &Tensor,
        _: &Tensor,
        of_product: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        let (of_cells, of_matrix) = product_back(self.0, cells, matrix, of_product)?;
        Ok((Some(of_cells), Some(of_matrix)))
    }
}

/// See [`norm_act`].
struct NormAct(Activation);

impl CustomOp3 for NormAct {
    fn name(&self) -> &'static str {
        "norm and activation"
    }

    fn cpu_fwd(
        &self,
        _: &CpuStorage,
        _: &Layout,
        _: &CpuStorage,
        _: &Layout,
        _: &CpuStorage,
        _: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        bail!("this is for GPUs")
    }

    fn cuda_fwd(
        &self,
        cells: &CudaStorage,
        of_cells: &Layout,
        affine: &CudaStorage,
        of_affine: &Layout,
        mask: &CudaStorage,
        of_mask: &Layout,
    ) -> Result<(CudaStorage, Shape)> {
        let arguments = [(cells, of_cells), (affine, of_affine), (mask, of_mask)];
        let result = by_format!(cells.dtype(), normed(arguments, self.0));
        Ok((result?, of_cells.shape().clone()))
    }

    fn bwd(
        &self,
        cells: &Tensor,
        affine: &Tensor,
        mask: &Tensor,
        _: &Tensor,
        of_result: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
        let of_result = of_result.contiguous()?;
        let tensors = [cells, affine, mask, &of_result];
        let (of_cells, of_runs) = by_format!(cells.dtype(), normed_back(tensors, self.0))?;
        let of_affine = sum_of_rows(&of_runs)?.reshape(affine.shape())?;
        Ok((
            Some(of_cells),
            Some(of_affine.to_dtype(affine.dtype())?),
            None,
        ))
    }
}

fn patches_of(
    cells: &CudaStorage,
    layout: &Layout,
    neighborhood: Neighborhood,
) -> Result<CudaStorage> {
    by_format!(cells.dtype(), copy_patches(cells, layout, neighborhood))
}

fn copy_patches<T: Number>(
    cells: &CudaStorage,
    layout: &Layout,
    neighborhood: Neighborhood,
) -> Result<CudaStorage> {
    let device = cells.device();
    let (count, channels) = layout.shape().dims2()?;
    let (from, launch) = (
        slice::<T>(cells, layout)?,
        Launch::of::<T>(channels, &[layout]),
    );
    // SAFETY: the kernel writes every value: each place of each cell.
    let mut to = unsafe { device.alloc::<T>(count * channels * neighborhood.len())? };
    let function = launch.function(device, "patches")?;
    let stream = device.cuda_stream();
    let mut arguments = stream.launch_builder(&function);
    let (height, width) = neighborhood.size();
    let (count, channels) = (count as u32, channels as u32);
    let (height, width, stride) = (height as i32, width as i32, neighborhood.stride() as i32);
    let is_mirrored = i32::from(neighborhood.is_mirrored());
    arguments.arg(&from).arg(&mut to).arg(&count).arg(&channels);
    arguments
        .arg(&height)
        .arg(&width)
        .arg(&stride)
        .arg(&is_mirrored);
    // SAFETY: arguments as `patches` in kernels.cu has them; it reads cells below `count` alone.
    unsafe { arguments.launch(launch.over(count)) }.w()?;
    Ok(CudaStorage::wrap_cuda_slice(to, device.clone()))
}

fn normed<T: Number>(
    [cells, affine, mask]: [(&CudaStorage, &Layout); 3],
    activation: Activation,
) -> Result<CudaStorage> {
    let device = cells.0.device();
    let (count, channels) = cells.1.shape().dims2()?;
    check(channels, affine.1, mask.1, count)?;
    let launch = Launch::of::<T>(channels, &[cells.1, affine.1]);
    // SAFETY: the kernel writes every value.
    let mut to = unsafe { device.alloc::<T>(count * channels)? };
    let function = launch.function(device, "norm_act")?;
    let [cells, affine, mask] =
        [cells, affine, mask].map(|(from, layout)| slice::<T>(from, layout));
    let (cells, affine, mask) = (cells?, affine?, mask?);
    let (count, channels) = (count as u32, channels as u32);
    let activation = activation_number(activation);
    let stream = device.cuda_stream();
    let mut arguments = stream.launch_builder(&function);
    arguments.arg(&cells).arg(&affine).arg(&mask).arg(&mut to);
    arguments.arg(&count).arg(&channels).arg(&activation);
    // SAFETY: arguments as `norm_act` in kernels.cu has them, of the sizes that were checked.
    unsafe { arguments.launch(launch.over(count)) }.w()?;
    Ok(CudaStorage::wrap_cuda_slice(to, device.clone()))
}

/// The gradient of the cells, and `[run][2 * channel]` those of scale and bias.
fn normed_back<T: Number>(
    [cells, affine, mask, of_result]: [&Tensor; 4],
    activation: Activation,
) -> Result<(Tensor, Tensor)> {
    let (count, channels) = cells.dims2()?;
    let (cells, affine) = (cells.storage_and_layout(), affine.storage_and_layout());
    let (mask, of_result) = (mask.storage_and_layout(), of_result.storage_and_layout());
    check(channels, affine.1, mask.1, count)?;
    if of_result.1.shape() != cells.1.shape() {
        bail!("a gradient of another shape")
    }
    let device = on_gpu(&cells.0)?.device();
    let launch = Launch::of::<T>(channels, &[cells.1, affine.1, of_result.1]);
    let runs = count.div_ceil(ROWS);
    // SAFETY: the kernel writes every value of both.
    let (mut of_cells, mut of_affine) = unsafe {
        (
            device.alloc::<T>(count * channels)?,
            device.alloc::<f32>(runs * 2 * channels)?,
        )
    };
    let function = launch.function(device, "norm_act_back")?;
    {
        let cells = slice::<T>(on_gpu(&cells.0)?, cells.1)?;
        let affine = slice::<T>(on_gpu(&affine.0)?, affine.1)?;
        let mask = slice::<T>(on_gpu(&mask.0)?, mask.1)?;
        let of_result = slice::<T>(on_gpu(&of_result.0)?, of_result.1)?;
        let (count, channels, rows) = (count as u32, channels as u32, ROWS as u32);
        let activation = activation_number(activation);
        let stream = device.cuda_stream();
        let mut arguments = stream.launch_builder(&function);
        arguments
            .arg(&cells)
            .arg(&affine)
            .arg(&mask)
            .arg(&of_result);
        arguments.arg(&mut of_cells).arg(&mut of_affine);
        arguments
            .arg(&count)
            .arg(&channels)
            .arg(&activation)
            .arg(&rows);
        // SAFETY: arguments as `norm_act_back` in kernels.cu has them, of the sizes that were checked.
        unsafe { arguments.launch(launch.over(runs as u32)) }.w()?;
    }
    let of_cells = CudaStorage::wrap_cuda_slice(of_cells, device.clone());
    let of_affine = CudaStorage::wrap_cuda_slice(of_affine, device.clone());
    Ok((
        tensor(of_cells, (count, channels)),
        tensor(of_affine, (runs, 2 * channels)),
    ))
}

/// Number formats of the kernels.
trait Number: CudaDType + DeviceRepr + ValidAsZeroBits + WithDType {
    const NAME: &str;
}

impl Number for f32 {
    const NAME: &str = "f32";
}

impl Number for f16 {
    const NAME: &str = "f16";
}

impl Number for bf16 {
    const NAME: &str = "bf16";
}

/// Launch configuration: variant of the kernel, and packs of channels per cell.
struct Launch {
    suffix: String,
    packs: usize,
}

impl Launch {
    /// Uses packs if the number of channels and the alignment of all inputs allow it.
    fn of<T: Number>(channels: usize, layouts: &[&Layout]) -> Launch {
        let lanes = PACK_BYTES / size_of::<T>();
        let starts = layouts.iter().map(|layout| layout.start_offset());
        let is_packed = starts.chain([channels]).all(|number| number % lanes == 0);
        let kind = if is_packed { "packed" } else { "single" };
        Launch {
            suffix: format!("{}_{kind}", T::NAME),
            packs: if is_packed {
                channels / lanes
            } else {
                channels
            },
        }
    }

    fn function(&self, device: &CudaDevice, name: &str) -> Result<CudaFunction> {
        let name = format!("{name}_{}", self.suffix);
        let function = device.get_or_load_custom_func(&name, MODULE, PTX)?;
        Ok(function.into_cuda_function())
    }

    /// One thread for each pack of this many cells or runs of cells.
    fn over(&self, count: u32) -> LaunchConfig {
        LaunchConfig {
            grid_dim: ((count * self.packs as u32).div_ceil(BLOCK), 1, 1),
            block_dim: (BLOCK, 1, 1),
            shared_mem_bytes: 0,
        }
    }
}

fn check(channels: usize, affine: &Layout, mask: &Layout, count: usize) -> Result<()> {
    let fits = affine.shape().dims() == [2, channels] && mask.shape().dims() == [count, 1];
    if !fits {
        bail!("a norm or a mask of another size")
    }
    Ok(())
}

fn on_gpu(storage: &Storage) -> Result<&CudaStorage> {
    match storage {
        Storage::Cuda(storage) => Ok(storage),
        _ => bail!("this is for GPUs"),
    }
}

/// The values of a contiguous tensor.
fn slice<'a, T: Number>(storage: &'a CudaStorage, layout: &Layout) -> Result<CudaView<'a, T>> {
    let Some((start, end)) = layout.contiguous_offsets() else {
        bail!("values are not one after another")
    };
    Ok(storage.as_cuda_slice::<T>()?.slice(start..end))
}

fn tensor(storage: CudaStorage, shape: impl Into<Shape>) -> Tensor {
    Tensor::from_storage(Storage::Cuda(storage), shape, BackpropOp::none(), false)
}
