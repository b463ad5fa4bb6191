// Steps of an optimizer on the device, as `train::optimizer` makes them on a CPU: of all tensors of a network at
// once. A piece is a part of a tensor, for one block.

// A tensor of parameters.
struct TensorNumbers {
    int start, count;   // its place among all parameters
    float factor;       // the network has this many times the parameter
    int role;           // 0: weight, 1: gain, 2: bias
    int is_head, by_muon;
    int rows, columns;  // as a matrix
    int matrix, square; // places of the matrix and its square in the lists of those, for Muon
    float of_rate;      // of Muon, the root of the longer side
    int reserved;
};

struct PieceNumbers {
    int tensor, first, count, reserved; // first: among all parameters
};

// What changes with steps.
struct StepNumbers {
    float decay[2]; // trunk and head: share of the way to 0, or to 1
    float adam[2];  // rate over the bias of the first mean
    float of_second, epsilon, beta_first, beta_second;
    float momentum, muon;
    float clip_norm, kept; // of the average
    float unscaled;        // of gradients
    int workers;           // the first so many have gradients
};

// What is found of the gradient.
struct GradientState {
    double norm;
    float factor; // that clips it
    int is_sound;
};

struct UpdateArguments {
    const PieceNumbers *pieces;
    const TensorNumbers *tensors;
    const StepNumbers *step;
    GradientState *state;
    // Addresses: of each worker's gradient of the network's tensors, then of each one's sums of losses.
    const unsigned long long *results;
    float *values, *average, *first, *second, *gradient;
    float *network;   // values times factors
    float *direction; // matrices one after another
    double *squares;  // of the gradient, of each piece
    int pieces_count, most_workers;
};

__device__ inline const float *gradient_of(const UpdateArguments &a, int worker) {
    return reinterpret_cast<const float *>(a.results[worker]);
}

// The gradient of parameters, from those of the network's tensors, and its square.
__device__ inline void gather_gradient(const UpdateArguments &a) {
    const PieceNumbers piece = a.pieces[blockIdx.x];
    float factor = a.tensors[piece.tensor].factor * a.step->unscaled;
    for (int i = piece.first + threadIdx.x; i < piece.first + piece.count; i += blockDim.x) {
        float sum = 0.0f;
        for (int worker = 0; worker < a.step->workers; worker++)
            sum += gradient_of(a, worker)[i] * factor;
        a.gradient[i] = sum;
    }
}

__device__ inline void square_gradient(const UpdateArguments &a) {
    SHARED(shared);
    const PieceNumbers piece = a.pieces[blockIdx.x];
    double sum = 0.0;
    for (int i = piece.first + threadIdx.x; i < piece.first + piece.count; i += blockDim.x)
        sum += (double)a.gradient[i] * a.gradient[i];
    sum = block_sum(sum, reinterpret_cast<double *>(shared));
    if (threadIdx.x == 0)
        a.squares[blockIdx.x] = sum;
}

// One block: the gradient's norm, and whether all is finite.
__device__ inline void judge_gradient(const UpdateArguments &a) {
    SHARED(shared);
    double *room = reinterpret_cast<double *>(shared), sum = 0.0, losses = 0.0;
    for (int i = threadIdx.x; i < a.pieces_count; i += blockDim.x)
        sum += a.squares[i];
    double norm = sqrt(block_sum(sum, room));
    for (int i = threadIdx.x; i < a.step->workers * LOSS_ROW; i += blockDim.x) {
        unsigned long long at = a.results[a.most_workers + i / LOSS_ROW];
        losses += reinterpret_cast<const double *>(at)[i % LOSS_ROW];
    }
    losses = block_sum(losses, room);
    if (threadIdx.x != 0)
        return;
    a.state->norm = norm;
    a.state->factor = norm > a.step->clip_norm ? (float)(a.step->clip_norm / norm) : 1.0f;
    a.state->is_sound = norm < INFINITY && fabs(losses) < INFINITY;
}

__device__ inline float decayed(float value, const TensorNumbers &tensor, const StepNumbers &step) {
    if (tensor.role == 2)
        return value;
    float towards = tensor.role == 1 ? 1.0f : 0.0f;
    return value - (value - towards) * step.decay[tensor.is_head];
}

// A step of AdamW; the matrices of Muon get their momentum, and the direction before it is made orthogonal.
__device__ inline void step_parameters(const UpdateArguments &a) {
    const PieceNumbers piece = a.pieces[blockIdx.x];
    const TensorNumbers tensor = a.tensors[piece.tensor];
    const StepNumbers &step = *a.step;
    if (!a.state->is_sound)
        return;
    for (int i = piece.first + threadIdx.x; i < piece.first + piece.count; i += blockDim.x) {
        float g = a.gradient[i] * a.state->factor, first = a.first[i];
        if (tensor.by_muon) {
            first += (g - first) * (1.0f - step.momentum);
            a.direction[tensor.matrix + i - tensor.start] = first * step.momentum + g * (1.0f - step.momentum);
        } else {
            float second = a.second[i] + (g * g - a.second[i]) * (1.0f - step.beta_second);
            first += (g - first) * (1.0f - step.beta_first);
            a.second[i] = second;
            float length = sqrtf(second * step.of_second) + step.epsilon;
            a.values[i] = decayed(a.values[i], tensor, step) - step.adam[tensor.is_head] * first / length;
        }
        a.first[i] = first;
    }
}

// After Muon: what is left of a step of its matrices.
__device__ inline void step_matrices(const UpdateArguments &a) {
    const PieceNumbers piece = a.pieces[blockIdx.x];
    const TensorNumbers tensor = a.tensors[piece.tensor];
    if (!tensor.by_muon || !a.state->is_sound)
        return;
    float factor = a.step->muon * tensor.of_rate;
    bool is_tall = tensor.rows > tensor.columns;
    for (int i = piece.first + threadIdx.x; i < piece.first + piece.count; i += blockDim.x) {
        int place = i - tensor.start, row = place / tensor.columns, column = place % tensor.columns;
        int from = is_tall ? column * tensor.rows + row : place;
        a.values[i] = decayed(a.values[i], tensor, *a.step) - factor * a.direction[tensor.matrix + from];
    }
}

__device__ inline void finish_step(const UpdateArguments &a) {
    const PieceNumbers piece = a.pieces[blockIdx.x];
    float factor = a.tensors[piece.tensor].factor;
    for (int i = piece.first + threadIdx.x; i < piece.first + piece.count; i += blockDim.x) {
        float value = a.values[i];
        if (a.state->is_sound)
            a.average[i] += (value - a.average[i]) * (1.0f - a.step->kept);
        a.network[i] = value * factor;
    }
}

struct SharingArguments {
    const int *starts;  // of each orbit in the list of members, and the end of the last
    const int *members; // numbers of parameters
    float *values;
    const GradientState *state; // of values that only change with a sound step, or 0
    int orbits, reserved;
};

// Sets all parameters to the mean of their orbit.
__device__ inline void share_weights(const SharingArguments &a) {
    int orbit = blockIdx.x * blockDim.x + threadIdx.x;
    if (orbit >= a.orbits || a.state && !a.state->is_sound)
        return;
    int start = a.starts[orbit], end = a.starts[orbit + 1];
    float sum = 0.0f;
    for (int i = start; i < end; i++)
        sum += a.values[a.members[i]];
    for (int i = start; i < end; i++)
        a.values[a.members[i]] = sum / (end - start);
}

// ---- Muon, see `train::muon` -------------------------------------------------------------------

// Numbers of tensors, or parts of 64 x 64 of the results of products.
struct MuonTile {
    int tensor, row, column, reserved;
};

struct MuonArguments {
    const TensorNumbers *tensors;
    const MuonTile *tiles;
    const float *from; // matrices `[row][column]`
    float *to;         // the same wide, `[shorter][longer]`, of norm 1
};

// A block for each matrix.
__device__ inline void begin_muon(const MuonArguments &a) {
    SHARED(shared);
    const TensorNumbers tensor = a.tensors[a.tiles[blockIdx.x].tensor];
    const float *from = a.from + tensor.matrix;
    double sum = 0.0;
    for (int i = threadIdx.x; i < tensor.count; i += blockDim.x)
        sum += (double)from[i] * from[i];
    double norm = sqrt(block_sum(sum, reinterpret_cast<double *>(shared)));
    double factor = norm < 2.3e-308 ? 0.0 : 1.0 / norm;
    bool is_tall = tensor.rows > tensor.columns;
    for (int i = threadIdx.x; i < tensor.count; i += blockDim.x) {
        int row = i / tensor.columns, column = i % tensor.columns;
        double scaled = from[i] * factor;
        // Next to nothing counts as zero.
        float value = fabs(scaled) > 1e-12 ? (float)scaled : 0.0f;
        a.to[tensor.matrix + (is_tall ? column * tensor.rows + row : i)] = value;
    }
}

// `to = product + plus * addend` with the sides of the shorter and the longer axis, for all matrices.
struct ProductArguments {
    const TensorNumbers *tensors;
    const MuonTile *tiles;
    const float *left, *right, *addend;
    float *to;
    float times, plus;
    int kind; // 0: x x^T, 1: s s, 2: s x
    int reserved;
};

const int MUON_TILE = 64, MUON_DEPTH = 16;

// A thread has 4 x 4 numbers of a part of 64 x 64.
__device__ inline void multiply_matrices(const ProductArguments &a) {
    SHARED(shared);
    float(*left)[MUON_TILE] = reinterpret_cast<float(*)[MUON_TILE]>(shared);
    float(*right)[MUON_TILE] = left + MUON_DEPTH;
    const MuonTile tile = a.tiles[blockIdx.x];
    const TensorNumbers tensor = a.tensors[tile.tensor];
    bool is_tall = tensor.rows > tensor.columns;
    int shorter = is_tall ? tensor.columns : tensor.rows, longer = is_tall ? tensor.rows : tensor.columns;
    int depth = a.kind == 0 ? longer : shorter, columns = a.kind == 2 ? longer : shorter;
    const float *from_left = a.left + (a.kind == 0 ? tensor.matrix : tensor.square);
    const float *from_right = a.right + (a.kind == 1 ? tensor.square : tensor.matrix);
    float sums[4][4] = {};
    int down = threadIdx.x / 16 * 4, across = threadIdx.x % 16 * 4;
    for (int start = 0; start < depth; start += MUON_DEPTH) {
        __syncthreads();
        for (int i = threadIdx.x; i < MUON_TILE * MUON_DEPTH; i += blockDim.x) {
            // Neighboring threads read neighboring numbers.
            int row = tile.row + i / MUON_DEPTH, k = start + i % MUON_DEPTH;
            left[i % MUON_DEPTH][i / MUON_DEPTH] =
                row < shorter && k < depth ? from_left[row * depth + k] : 0.0f;
            if (a.kind == 0) {
                int column = tile.column + i / MUON_DEPTH;
                right[i % MUON_DEPTH][i / MUON_DEPTH] =
                    column < columns && k < depth ? from_right[column * depth + k] : 0.0f;
            } else {
                int column = tile.column + i % MUON_TILE, deep = start + i / MUON_TILE;
                right[i / MUON_TILE][i % MUON_TILE] =
                    column < columns && deep < depth ? from_right[deep * columns + column] : 0.0f;
            }
        }
        __syncthreads();
        for (int k = 0; k < MUON_DEPTH; k++)
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    sums[i][j] += left[k][down + i] * right[k][across + j];
    }
    const float *addend = a.addend + (a.kind == 2 ? tensor.matrix : tensor.square);
    float *to = a.to + (a.kind == 2 ? tensor.matrix : tensor.square);
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int row = tile.row + down + i, column = tile.column + across + j;
            if (row >= shorter || column >= columns)
                continue;
            float sum = a.times * sums[i][j];
            if (a.plus != 0.0f)
                sum += a.plus * addend[row * columns + column];
            to[row * columns + column] = sum;
        }
}

KERNEL(update_gather, 256, UpdateArguments, gather_gradient)
KERNEL(update_square, 256, UpdateArguments, square_gradient)
KERNEL(update_judge, 256, UpdateArguments, judge_gradient)
KERNEL(update_step, 256, UpdateArguments, step_parameters)
KERNEL(update_matrices, 256, UpdateArguments, step_matrices)
KERNEL(update_finish, 256, UpdateArguments, finish_step)
KERNEL(share, 256, SharingArguments, share_weights)
KERNEL(muon_begin, 256, MuonArguments, begin_muon)
KERNEL(muon_product, 256, ProductArguments, multiply_matrices)
