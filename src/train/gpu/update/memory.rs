//! What the kernels of a step are told, and where everything lies.

use bytemuck::{Pod, Zeroable};

use super::super::layout::End;
use crate::train::optimizer::OptimizerSettings;
use crate::train::register::{Parameter, Part, Role};
use crate::train::weight_sharing::WeightSharing;

/// Most parameters of a piece.
const PIECE: usize = 1 << 12;
/// Rows and columns of a part of a product, as in `optimizer.cuh`.
pub const MUON_TILE: usize = 64;
const FLOAT: usize = size_of::<f32>();

/// A tensor, as `TensorNumbers` in `optimizer.cuh`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Tensor {
    start: i32,
    count: i32,
    factor: f32,
    role: i32,
    is_head: i32,
    by_muon: i32,
    rows: i32,
    columns: i32,
    matrix: i32,
    square: i32,
    of_rate: f32,
    reserved: i32,
}

/// Part of a tensor.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Piece {
    tensor: i32,
    first: i32,
    count: i32,
    reserved: i32,
}

/// Part of the result of a product.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Tile {
    tensor: i32,
    row: i32,
    column: i32,
    reserved: i32,
}

/// What does not change.
#[derive(Debug)]
pub struct Numbers {
    pub tensors: Vec<Tensor>,
    pub pieces: Vec<Piece>,
    /// Addresses of the workers' gradients, then of their losses.
    pub results: Vec<u64>,
    /// Muon's tensors, and the parts of their squares and of products of their form.
    pub matrices: Vec<Tile>,
    pub square_tiles: Vec<Tile>,
    pub wide_tiles: Vec<Tile>,
    /// Orbits of shared weights, see `SharingArguments`.
    pub starts: Vec<i32>,
    pub members: Vec<i32>,
    /// Numbers of parameters in all, in matrices, and in their squares.
    counts: [usize; 3],
}

impl Numbers {
    pub fn new(
        parameters: &[Parameter],
        optimizer: &OptimizerSettings,
        sharing: Option<&WeightSharing>,
        workers: &[[u64; 2]],
    ) -> Numbers {
        let (starts, members) = sharing.map(WeightSharing::orbits).unwrap_or_default();
        let of_workers = |which: usize| workers.iter().map(move |worker| worker[which]);
        let mut numbers = Numbers {
            tensors: Vec::new(),
            pieces: Vec::new(),
            results: of_workers(0).chain(of_workers(1)).collect(),
            matrices: Vec::new(),
            square_tiles: Vec::new(),
            wide_tiles: Vec::new(),
            starts,
            members,
            counts: [0; 3],
        };
        for parameter in parameters {
            numbers.add(parameter, optimizer.is_by_muon(parameter));
        }
        numbers
    }

    fn add(&mut self, parameter: &Parameter, by_muon: bool) {
        let number = self.tensors.len() as i32;
        let (count, columns) = (parameter.place.len(), parameter.columns());
        let rows = count / columns;
        let [all, in_matrices, in_squares] = &mut self.counts;
        self.tensors.push(Tensor {
            start: parameter.place.start as i32,
            count: count as i32,
            factor: parameter.factor as f32,
            role: match parameter.role {
                Role::Weight => 0,
                Role::Gain => 1,
                Role::Bias => 2,
            },
            is_head: i32::from(parameter.part == Part::Head),
            by_muon: i32::from(by_muon),
            rows: rows as i32,
            columns: columns as i32,
            matrix: *in_matrices as i32,
            square: *in_squares as i32,
            of_rate: (rows.max(columns) as f32).sqrt(),
            reserved: 0,
        });
        for first in parameter.place.clone().step_by(PIECE) {
            self.pieces.push(Piece {
                tensor: number,
                first: first as i32,
                count: PIECE.min(parameter.place.end - first) as i32,
                reserved: 0,
            });
        }
        *all = parameter.place.end;
        if by_muon {
            let shorter = rows.min(columns);
            *in_matrices += count;
            *in_squares += shorter * shorter;
            self.matrices.extend(tiles(number, 1, 1));
            self.square_tiles.extend(tiles(number, shorter, shorter));
            self.wide_tiles
                .extend(tiles(number, shorter, rows.max(columns)));
        }
    }
}

fn tiles(tensor: i32, rows: usize, columns: usize) -> impl Iterator<Item = Tile> {
    (0..rows).step_by(MUON_TILE).flat_map(move |row| {
        let columns = (0..columns).step_by(MUON_TILE);
        columns.map(move |column| Tile {
            tensor,
            row: row as i32,
            column: column as i32,
            reserved: 0,
        })
    })
}

/// Offsets in bytes.
#[derive(Clone, Debug)]
pub struct Places {
    pub parameters: usize,
    pub tensors: usize,
    pub pieces: usize,
    pub results: usize,
    pub matrices: usize,
    pub square_tiles: usize,
    pub wide_tiles: usize,
    pub starts: usize,
    pub members: usize,
    pub step: usize,
    pub state: usize,
    /// In the order of [`crate::train::engine::Held`].
    pub held: [usize; 4],
    pub gradient: usize,
    pub network: usize,
    pub squares: usize,
    /// Matrices one after another, which Muon turns into each other.
    pub direction: usize,
    pub matrix: usize,
    pub squares_of_matrices: [usize; 2],
    pub bytes: usize,
}

impl Places {
    pub fn new(numbers: &Numbers) -> Places {
        let mut end = End::default();
        let [parameters, ..] = numbers.counts;
        let [list, matrices, squares] = numbers.counts.map(|count| count * FLOAT);
        let mut places = Places {
            parameters,
            tensors: end.place(size_of_val(&numbers.tensors[..])),
            pieces: end.place(size_of_val(&numbers.pieces[..])),
            results: end.place(size_of_val(&numbers.results[..])),
            matrices: end.place(size_of_val(&numbers.matrices[..])),
            square_tiles: end.place(size_of_val(&numbers.square_tiles[..])),
            wide_tiles: end.place(size_of_val(&numbers.wide_tiles[..])),
            starts: end.place(size_of_val(&numbers.starts[..])),
            members: end.place(size_of_val(&numbers.members[..])),
            step: end.place(size_of::<super::StepNumbers>()),
            state: end.place(size_of::<super::GradientState>()),
            held: std::array::from_fn(|_| end.place(list)),
            gradient: end.place(list),
            network: end.place(list),
            squares: end.place(numbers.pieces.len() * size_of::<f64>()),
            direction: end.place(matrices),
            matrix: end.place(matrices),
            squares_of_matrices: std::array::from_fn(|_| end.place(squares)),
            bytes: 0,
        };
        places.bytes = end.0;
        places
    }

    /// What is uploaded once, with its places.
    pub fn fixed<'a>(&self, numbers: &'a Numbers) -> [(usize, &'a [u8]); 8] {
        [
            (self.tensors, bytemuck::cast_slice(&numbers.tensors)),
            (self.pieces, bytemuck::cast_slice(&numbers.pieces)),
            (self.results, bytemuck::cast_slice(&numbers.results)),
            (self.matrices, bytemuck::cast_slice(&numbers.matrices)),
            (
                self.square_tiles,
                bytemuck::cast_slice(&numbers.square_tiles),
            ),
            (self.wide_tiles, bytemuck::cast_slice(&numbers.wide_tiles)),
            (self.starts, bytemuck::cast_slice(&numbers.starts)),
            (self.members, bytemuck::cast_slice(&numbers.members)),
        ]
    }
}
