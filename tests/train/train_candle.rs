//! Gradients of blocks, written by hand, against those that candle finds for the same blocks made
//! of its own operations.

use std::collections::HashMap;

use crate::training::seeded;
use candle_core::{DType, Device, Result, Tensor, Var};
use keima::nn::arch::Arch;
use keima::nn::cpu::simd::{Isa, Kernels};
use keima::nn::desc::{Activation, Block};
use keima::train::custom::BlockOp;
use keima::train::register::{Parameter, Role};
use rand::RngExt;

/// Channels of the heads of attention.
const HEAD_WIDTH: usize = 32;

/// A block of candle's operations on `[board][channel][y][x]`, in f64.
struct Plain<'a> {
    weights: HashMap<&'a str, &'a Var>,
    factors: HashMap<&'a str, f64>,
    activation: Activation,
}

impl Plain<'_> {
    fn norm(&self, name: &str, x: &Tensor) -> Result<Tensor> {
        let factor = self.factors[&format!("{name}.scale")[..]];
        let spread =
            |kind: &str| self.weights[&format!("{name}.{kind}")[..]].reshape((1, (), 1, 1));
        let z = x.broadcast_mul(&(spread("scale")? * factor)?)?;
        let z = z.broadcast_add(&spread("bias")?)?;
        match self.activation {
            Activation::Identity => Ok(z),
            Activation::Relu => z.relu(),
            Activation::Silu => z.silu(),
            Activation::Mish => {
                let softplus = (z.exp()? + 1.0)?.log()?;
                z * softplus.tanh()?
            }
        }
    }

    fn conv(&self, name: &str, x: &Tensor) -> Result<Tensor> {
        let kernel = self.weights[&format!("{name}.weight")[..]];
        let reach = kernel.dims()[0] / 2;
        x.conv2d(&kernel.permute((3, 2, 0, 1))?.contiguous()?, reach, 1, 1, 1)
    }

    fn residual(&self, name: &str, x: &Tensor) -> Result<Tensor> {
        let u = self.norm(&format!("{name}.pre"), x)?;
        let mut a = self.conv(&format!("{name}.conv_a"), &u)?;
        let matrix = format!("{name}.pool_matmul.weight");
        if let Some(matrix) = self.weights.get(&matrix[..]) {
            let p = self.conv(&format!("{name}.pool_conv"), &u)?;
            let p = self.norm(&format!("{name}.pool_norm"), &p)?;
            let points = p.flatten_from(2)?;
            let mean = points.mean(2)?;
            let side = (points.dim(2)? as f64).sqrt() - 14.0;
            let by_side = (&mean * (side * 0.1))?;
            let pooled = Tensor::cat(&[mean, by_side, points.max(2)?], 1)?;
            let bias = pooled.matmul(matrix)?;
            a = a.broadcast_add(&bias.unsqueeze(2)?.unsqueeze(3)?)?;
        }
        let v = self.norm(&format!("{name}.mid"), &a)?;
        x + self.conv(&format!("{name}.conv_b"), &v)?
    }

    fn matrix(&self, name: &str, x: &Tensor) -> Result<Tensor> {
        x.broadcast_matmul(self.weights[&format!("{name}.weight")[..]])
    }

    fn rms_norm(&self, name: &str, x: &Tensor) -> Result<Tensor> {
        let mean = x.sqr()?.mean_keepdim(2)?;
        let z = x.broadcast_div(&(mean + 1e-6)?.sqrt()?)?;
        z.broadcast_mul(self.weights[&format!("{name}.weight")[..]])
    }

    /// Queries or keys `[board][head][point][channel]`, turned: the first half of the pairs of
    /// channels by the row, the others by the column.
    fn turned(&self, x: &Tensor, width: usize) -> Result<Tensor> {
        let (_, _, points, channels) = x.dims4()?;
        let pairs = channels / 2;
        let angle = |point: usize, pair: usize| {
            let by_row = pair < pairs / 2;
            let at = if by_row { point / width } else { point % width };
            let power = if by_row { pair } else { pair - pairs / 2 };
            at as f64 * 100f64.powf(-2.0 * power as f64 / pairs as f64)
        };
        let table = |function: fn(f64) -> f64| {
            let angles = (0..points).flat_map(|point| (0..pairs).map(move |pair| (point, pair)));
            let values: Vec<f64> = angles
                .map(|(point, pair)| function(angle(point, pair)))
                .collect();
            Tensor::from_vec(values, (points, pairs), &Device::Cpu)
        };
        let (cos, sin) = (table(f64::cos)?, table(f64::sin)?);
        let pair = x.reshape((x.dim(0)?, x.dim(1)?, points, pairs, 2))?;
        let (a, b) = (
            pair.narrow(4, 0, 1)?.squeeze(4)?,
            pair.narrow(4, 1, 1)?.squeeze(4)?,
        );
        let first = (a.broadcast_mul(&cos)? - b.broadcast_mul(&sin)?)?;
        let second = (b.broadcast_mul(&cos)? + a.broadcast_mul(&sin)?)?;
        Tensor::stack(&[first, second], 4)?.reshape(x.shape())
    }

    fn attention(&self, name: &str, x: &Tensor, width: usize) -> Result<Tensor> {
        let z = self.rms_norm(&format!("{name}.norm"), x)?;
        let (boards, points, _) = x.dims3()?;
        let of_heads = |layer: &str| {
            let product = self.matrix(&format!("{name}.{layer}"), &z)?;
            let split = product.reshape((boards, points, (), HEAD_WIDTH))?;
            split.transpose(1, 2)?.contiguous()
        };
        let query = self.turned(&of_heads("query")?, width)?;
        let key = self.turned(&of_heads("key")?, width)?;
        let products = query.matmul(&key.transpose(2, 3)?.contiguous()?)?;
        let powers = (products / (HEAD_WIDTH as f64).sqrt())?.exp()?;
        let shares = powers.broadcast_div(&powers.sum_keepdim(3)?)?;
        let seen = shares
            .matmul(&of_heads("value")?)?
            .transpose(1, 2)?
            .flatten_from(2)?;
        x + self.matrix(&format!("{name}.output"), &seen)?
    }

    fn feed_forward(&self, name: &str, x: &Tensor) -> Result<Tensor> {
        let z = self.rms_norm(&format!("{name}.norm"), x)?;
        let inner = self.matrix(&format!("{name}.inner"), &z)?.silu()?;
        let hidden = (inner * self.matrix(&format!("{name}.gate"), &z)?)?;
        x + self.matrix(&format!("{name}.output"), &hidden)?
    }

    /// Of `[board][channel][y][x]`, as all blocks.
    fn transformer(&self, name: &str, x: &Tensor) -> Result<Tensor> {
        let points = x.flatten_from(2)?.transpose(1, 2)?.contiguous()?;
        let sum = match self
            .weights
            .contains_key(&format!("{name}.query.weight")[..])
        {
            true => self.attention(name, &points, x.dim(3)?)?,
            false => self.feed_forward(name, &points)?,
        };
        sum.transpose(1, 2)?.reshape(x.shape())
    }

    fn block(&self, name: &str, x: &Tensor) -> Result<Tensor> {
        if self
            .weights
            .contains_key(&format!("{name}.norm.weight")[..])
        {
            return self.transformer(name, x);
        }
        if !self
            .weights
            .contains_key(&format!("{name}.conv_in.weight")[..])
        {
            return self.residual(name, x);
        }
        let u = self.norm(&format!("{name}.pre"), x)?;
        let mut inner = self.conv(&format!("{name}.conv_in"), &u)?;
        for index in 0..2 {
            inner = self.block(&format!("{name}.blocks.{index}"), &inner)?;
        }
        let v = self.norm(&format!("{name}.post"), &inner)?;
        x + self.conv(&format!("{name}.conv_out"), &v)?
    }
}

fn worst(found: &Tensor, expected: &Tensor) -> f64 {
    let flat = |tensor: &Tensor| {
        let tensor = tensor.to_dtype(DType::F64).unwrap();
        tensor.flatten_all().unwrap().to_vec1::<f64>().unwrap()
    };
    let (found, expected) = (flat(found), flat(expected));
    assert_eq!(found.len(), expected.len());
    let greatest = expected
        .iter()
        .fold(0.0, |max: f64, value| max.max(value.abs()));
    assert!(greatest > 1e-6, "the gradient should not be 0");
    let pairs = found.iter().zip(&expected);
    pairs.fold(0.0, |max: f64, (a, b)| max.max((a - b).abs())) / greatest
}

fn check(block: &Block, activation: Activation, channels: usize, sides: (usize, usize)) {
    let kernels = Kernels::new(Isa::chosen().unwrap());
    let op = BlockOp::new(block, channels, 1, kernels).unwrap();
    let parameters: Vec<Parameter> = op.parameters().to_vec();
    let mut random = seeded(3);
    let len = parameters.last().unwrap().place.end;
    let mut values: Vec<f32> = (0..len).map(|_| random.random_range(-0.2..0.2)).collect();
    for gain in parameters.iter().filter(|p| p.role == Role::Gain) {
        values[gain.place.clone()]
            .iter_mut()
            .for_each(|gain| *gain += 1.0);
    }
    let (width, height) = sides;
    let shape = (2, height, width, channels);
    let mut tensor = |range: f32| {
        let count = 2 * height * width * channels;
        let values: Vec<f32> = (0..count)
            .map(|_| random.random_range(-range..range))
            .collect();
        Tensor::from_vec(values, shape, &Device::Cpu).unwrap()
    };
    let (stack, direction) = (tensor(1.0), tensor(1.0));

    let own_stack = Var::from_tensor(&stack).unwrap();
    let own_values = Var::from_tensor(&Tensor::new(&values[..], &Device::Cpu).unwrap()).unwrap();
    let own = own_stack.apply_op2(&own_values, op).unwrap();
    let own_gradients = (&own * &direction)
        .unwrap()
        .sum_all()
        .unwrap()
        .backward()
        .unwrap();

    let exact = |tensor: &Tensor| tensor.to_dtype(DType::F64).unwrap();
    let plain_stack = Var::from_tensor(&exact(&stack)).unwrap();
    let vars: Vec<Var> = parameters
        .iter()
        .map(|p| {
            let values = Tensor::new(&values[p.place.clone()], &Device::Cpu).unwrap();
            Var::from_tensor(&exact(&values.reshape(p.shape.clone()).unwrap())).unwrap()
        })
        .collect();
    let named = parameters.iter().zip(&vars);
    let plain = Plain {
        weights: named.map(|(p, var)| (&p.name[..], var)).collect(),
        factors: parameters.iter().map(|p| (&p.name[..], p.factor)).collect(),
        activation,
    };
    let images = plain_stack
        .permute((0, 3, 1, 2))
        .unwrap()
        .contiguous()
        .unwrap();
    let expected = plain.block("block", &images).unwrap();
    let expected = expected.permute((0, 2, 3, 1)).unwrap();
    assert!(worst(&own, &expected) < 1e-5);
    let sum = (&expected * exact(&direction)).unwrap().sum_all().unwrap();
    let gradients = sum.backward().unwrap();

    let of_stack = own_gradients.get(&own_stack).unwrap();
    assert!(worst(of_stack, gradients.get(&plain_stack).unwrap()) < 1e-5);
    let of_values = own_gradients.get(&own_values).unwrap();
    for (parameter, var) in parameters.iter().zip(&vars) {
        let found = of_values
            .narrow(0, parameter.place.start, parameter.place.len())
            .unwrap();
        let error = worst(&found, gradients.get(var).unwrap());
        assert!(error < 1e-5, "{}: {error}", parameter.name);
    }
}

#[test]
fn blocks_have_the_gradients_that_candle_finds() {
    for activation in [Activation::Relu, Activation::Mish, Activation::Silu] {
        for (name, channels) in [("b3c16", 16), ("b3c24", 24), ("b4c32nbt", 32)] {
            let mut arch = Arch::named(name).unwrap();
            arch.activation = activation;
            let net = arch.init(1);
            for block in &net.trunk.blocks[1..3] {
                check(block, activation, channels, (5, 3));
            }
        }
    }
}

#[test]
fn blocks_of_transformers_have_the_gradients_that_candle_finds() {
    for (name, channels) in [("b1c32tf", 32), ("b1c64tf", 64)] {
        for block in &Arch::named(name).unwrap().init(1).trunk.blocks {
            check(block, Activation::Relu, channels, (5, 3));
        }
    }
}

#[test]
fn stacks_of_another_shape_are_refused() {
    let net = Arch::named("b1c16").unwrap().init(1);
    let kernels = Kernels::new(Isa::Portable);
    let op = || BlockOp::new(&net.trunk.blocks[0], 16, 0, kernels).unwrap();
    let len = op().parameters().last().unwrap().place.end;
    let parameters = Tensor::zeros(len, DType::F32, &Device::Cpu).unwrap();
    for shape in [vec![1, 3, 3, 17], vec![1, 3, 99, 16], vec![3, 3, 16]] {
        let stack = Tensor::zeros(shape, DType::F32, &Device::Cpu).unwrap();
        assert!(stack.apply_op2(&parameters, op()).is_err());
    }
}
