//! Attention between all points of a board.

use super::super::cells::{Cells, Workspace};
use super::super::layers::{Conv, Layer};
use super::super::matrix::{Matrix, Turned};
use super::super::real::{Compute, Real};
use super::super::register::Register;
use super::super::rms::RmsNorm;
use super::rotation::Rotation;
use crate::nn::desc;

/// See [`desc::AttentionBlock`]. The angles of learned positions stay as they are.
#[derive(Debug)]
pub struct Attention<T: Real> {
    norm: RmsNorm<T>,
    query: Conv<T>,
    key: Conv<T>,
    value: Conv<T>,
    output: Conv<T>,
    rotation: Option<Rotation<T>>,
    heads: usize,
    kv_heads: usize,
    key_width: usize,
    value_width: usize,
}

/// What the way back of an [`Attention`] needs.
#[derive(Debug)]
pub struct AttentionTrace<T> {
    stack: Cells<T>,
    /// The stack normed.
    z: Cells<T>,
    query: Cells<T>,
    key: Cells<T>,
    value: Cells<T>,
    /// Of all heads side by side.
    seen: Cells<T>,
    /// How much each point looks at each, by board and head.
    shares: Vec<Matrix<T>>,
}

impl<T: Real> AttentionTrace<T> {
    pub(super) fn give_back(self, workspace: &mut Workspace<T>) {
        let AttentionTrace {
            query, key, value, ..
        } = self;
        workspace.give([self.stack, self.z, query, key, value, self.seen]);
        workspace.give_matrices(self.shares);
    }
}

/// The channels of one head of a board: the board, the first channel, how many, and the head whose
/// angles they turn by, if they do.
#[derive(Clone, Copy)]
struct Place {
    board: usize,
    first: usize,
    width: usize,
    turning: Option<usize>,
}

impl<T: Real> Attention<T> {
    pub(super) fn new(
        name: &str,
        block: &desc::AttentionBlock,
        register: &mut Register,
    ) -> Attention<T> {
        let name = |layer: &str| format!("{name}.{layer}");
        let rotation = block.rope.as_ref().map(|rope| {
            let frequencies = rope.frequencies(block.kv_heads, block.key_width);
            Rotation::new(&frequencies, block.key_width / 2)
        });
        Attention {
            norm: register.rms_norm(&name("norm"), &block.norm),
            query: register.matrix(&name("query"), &block.query),
            key: register.matrix(&name("key"), &block.key),
            value: register.matrix(&name("value"), &block.value),
            output: register.matrix(&name("output"), &block.output),
            rotation,
            heads: block.heads,
            kv_heads: block.kv_heads,
            key_width: block.key_width,
            value_width: block.value_width,
        }
    }

    /// Of queries, keys and values of a head.
    fn places(&self, board: usize, head: usize) -> [Place; 3] {
        let asked = head * self.kv_heads / self.heads;
        let turning = self.rotation.is_some().then_some(asked);
        let place = |head, width, turning| Place {
            board,
            first: head * width,
            width,
            turning,
        };
        [
            place(head, self.key_width, turning),
            place(asked, self.key_width, turning),
            place(asked, self.value_width, None),
        ]
    }

    /// A head's own channels of what all heads see.
    fn place_of_seen(&self, board: usize, head: usize) -> Place {
        Place {
            board,
            first: head * self.value_width,
            width: self.value_width,
            turning: None,
        }
    }

    /// The channels of a head, by point.
    fn gather(&self, cells: &Cells<T>, place: Place, workspace: &mut Workspace<T>) -> Matrix<T> {
        let size = workspace.grid.size;
        let mut matrix = workspace.take_matrix();
        matrix.resize(size.area(), place.width);
        let lines = workspace.grid.lines_of(place.board);
        let points = lines.flat_map(|first| cells.line(first, size.width()));
        for (point, (row, from)) in matrix.rows_mut().zip(points).enumerate() {
            row.copy_from_slice(&from[place.first..][..place.width]);
            if let (Some(rotation), Some(head)) = (&self.rotation, place.turning) {
                let at = (point % size.width(), point / size.width());
                rotation.turn(row, head, at, false);
            }
        }
        matrix
    }

    /// Adds what [`Attention::gather`] would read, turned back.
    fn scatter(
        &self,
        mut matrix: Matrix<T>,
        place: Place,
        cells: &mut Cells<T>,
        workspace: &mut Workspace<T>,
    ) {
        let width = workspace.grid.size.width();
        let lines = workspace.grid.lines_of(place.board);
        for (y, first) in lines.enumerate() {
            let rows = matrix.rows_mut().skip(y * width);
            for (x, (row, to)) in rows.zip(cells.line_mut(first, width)).enumerate() {
                if let (Some(rotation), Some(head)) = (&self.rotation, place.turning) {
                    rotation.turn(row, head, (x, y), true);
                }
                super::super::layers::add(&mut to[place.first..][..place.width], row);
            }
        }
        workspace.give_matrices([matrix]);
    }

    fn scale(&self) -> T {
        T::of(1.0 / (self.key_width as f64).sqrt())
    }

    /// How much each point looks at each.
    fn shares(
        &self,
        query: &mut Matrix<T>,
        key: &Matrix<T>,
        workspace: &mut Workspace<T>,
    ) -> Matrix<T> {
        let (kernels, scale) = (workspace.compute.kernels, self.scale());
        query
            .values
            .iter_mut()
            .for_each(|value| *value = *value * scale);
        let mut shares = workspace.take_matrix();
        T::multiply(kernels, query, key, Turned::Second, &mut shares);
        let columns = shares.columns;
        for row in shares.padded_rows_mut() {
            let factor = T::of(1.0) / T::exponentials(kernels, row, columns);
            row[..columns]
                .iter_mut()
                .for_each(|share| *share = *share * factor);
        }
        shares
    }

    pub(super) fn forward(
        &self,
        stack: Cells<T>,
        workspace: &mut Workspace<T>,
    ) -> (Cells<T>, AttentionTrace<T>) {
        let mut z = workspace.take(stack.channels());
        self.norm.forward(&stack, &mut z, workspace);
        let [query, key, value] = [&self.query, &self.key, &self.value].map(|matrix| {
            let mut product = workspace.take(matrix.outputs);
            matrix.forward(&z, &mut product, false, workspace);
            product
        });
        let mut seen = workspace.take(self.output.inputs);
        seen.clear();
        let mut all_shares = Vec::new();
        for board in 0..workspace.grid.boards {
            for head in 0..self.heads {
                let places = self.places(board, head);
                let mut q = self.gather(&query, places[0], workspace);
                let k = self.gather(&key, places[1], workspace);
                let v = self.gather(&value, places[2], workspace);
                let shares = self.shares(&mut q, &k, workspace);
                let mut mean = workspace.take_matrix();
                let kernels = workspace.compute.kernels;
                T::multiply(kernels, &shares, &v, Turned::Neither, &mut mean);
                self.scatter(mean, self.place_of_seen(board, head), &mut seen, workspace);
                workspace.give_matrices([q, k, v]);
                all_shares.push(shares);
            }
        }
        let mut sum = workspace.take(stack.channels());
        sum.copy_from(&stack);
        self.output.forward(&seen, &mut sum, true, workspace);
        let trace = AttentionTrace {
            stack,
            z,
            query,
            key,
            value,
            seen,
            shares: all_shares,
        };
        (sum, trace)
    }

    pub(super) fn backward(
        &self,
        trace: AttentionTrace<T>,
        stack: &mut Cells<T>,
        gradient: &mut [T],
        workspace: &mut Workspace<T>,
    ) {
        self.output
            .add_gradient(&trace.seen, stack, gradient, workspace);
        let mut of_seen = workspace.take(self.output.inputs);
        self.output.backward(stack, &mut of_seen, false, workspace);
        let matrices = [&self.query, &self.key, &self.value];
        let mut of_products = matrices.map(|matrix| {
            let mut cells = workspace.take(matrix.outputs);
            cells.clear();
            cells
        });
        for board in 0..workspace.grid.boards {
            for head in 0..self.heads {
                let shares = &trace.shares[board * self.heads + head];
                self.head_back(
                    &trace,
                    shares,
                    (board, head),
                    &of_seen,
                    &mut of_products,
                    workspace,
                );
            }
        }
        let mut of_z = workspace.take(trace.z.channels());
        for (index, (matrix, of_product)) in matrices.iter().zip(&of_products).enumerate() {
            matrix.add_gradient(&trace.z, of_product, gradient, workspace);
            matrix.backward(of_product, &mut of_z, index > 0, workspace);
        }
        self.norm
            .backward(&trace.stack, &mut of_z, gradient, workspace);
        stack.add(&of_z);
        workspace.give(of_products);
        workspace.give([of_seen, of_z]);
        trace.give_back(workspace);
    }

    /// From the gradient of what a head sees to those of queries, keys and values.
    fn head_back(
        &self,
        trace: &AttentionTrace<T>,
        shares: &Matrix<T>,
        (board, head): (usize, usize),
        of_seen: &Cells<T>,
        of_products: &mut [Cells<T>; 3],
        workspace: &mut Workspace<T>,
    ) {
        let (kernels, scale) = (workspace.compute.kernels, self.scale());
        let places = self.places(board, head);
        let q = self.gather(&trace.query, places[0], workspace);
        let k = self.gather(&trace.key, places[1], workspace);
        let v = self.gather(&trace.value, places[2], workspace);
        let of_mean = self.gather(of_seen, self.place_of_seen(board, head), workspace);
        let [mut of_q, mut of_k, mut of_v, mut of_shares] =
            std::array::from_fn(|_| workspace.take_matrix());
        T::multiply(kernels, shares, &of_mean, Turned::First, &mut of_v);
        T::multiply(kernels, &of_mean, &v, Turned::Second, &mut of_shares);
        // To the gradient of the products, of which the shares are made.
        for (of_row, row) in of_shares.rows_mut().zip(shares.rows()) {
            let pairs = of_row.iter().zip(row);
            let mean = pairs.fold(T::default(), |sum, (of_share, share)| {
                sum + *of_share * *share
            });
            for (of_share, share) in of_row.iter_mut().zip(row) {
                *of_share = (*of_share - mean) * *share * scale;
            }
        }
        T::multiply(kernels, &of_shares, &k, Turned::Neither, &mut of_q);
        T::multiply(kernels, &of_shares, &q, Turned::First, &mut of_k);
        workspace.give_matrices([q, k, v, of_mean, of_shares]);
        for ((matrix, place), cells) in [of_q, of_k, of_v].into_iter().zip(places).zip(of_products)
        {
            self.scatter(matrix, place, cells, workspace);
        }
    }
}

impl<T: Real> Layer<T> for Attention<T> {
    fn load(&mut self, compute: Compute, parameters: &[T]) {
        self.norm.load(compute, parameters);
        for matrix in [
            &mut self.query,
            &mut self.key,
            &mut self.value,
            &mut self.output,
        ] {
            matrix.load(compute, parameters);
        }
    }
}
