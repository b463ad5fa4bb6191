// Kernels for training: backward passes of what `kernels.cu` computes, and weights in the form that its
// convolutions read, made of the list of all parameters. Gradients of values have the form of the values.
// Sums over rows are made in slices, which `add_slices` adds in a fixed order.

// The derivative of an activation at x.
template <bool FAST> __device__ inline float slope(float x, int activation) {
    switch (activation) {
    case RELU:
        return x > 0.0f ? 1.0f : 0.0f;
    case SILU: {
        float s = quotient(1.0f, 1.0f + exponential<FAST>(-x));
        return s * (1.0f + x * (1.0f - s));
    }
    case MISH: {
        // t = tanh(ln(1 + e)) as in `mish`; its derivative is (1 - t^2) e / (1 + e).
        float e = exponential<FAST>(fminf(x, 20.0f));
        float n = e * (e + 2.0f), d = n + 2.0f;
        return quotient(n, d) + x * quotient(4.0f * (n + 1.0f), d * d) * quotient(e, 1.0f + e);
    }
    }
    return 1.0f;
}

#include "weight_gradient.cuh"

// ---- parameters --------------------------------------------------------------------------------

struct TileWeightsArguments {
    const float *from; // [tap][input][output]
    void *to;          // see `nn::gpu::weights`: tiled in f16, plain in f32
    int taps, inputs, outputs;
    int padded_inputs, padded_outputs; // of the result
    int columns, depth;                // of a tile
    int is_backward;                   // inputs and outputs change roles, and taps are mirrored
};

__device__ inline float read_weight(const TileWeightsArguments &a, int tap, int input, int output) {
    if (a.is_backward) {
        int swapped = input;
        input = output;
        output = swapped;
        tap = a.taps - 1 - tap;
    }
    if (input >= a.inputs || output >= a.outputs)
        return 0.0f;
    return a.from[((size_t)tap * a.inputs + input) * a.outputs + output];
}

__device__ inline void tile_weights_f16(const TileWeightsArguments &a) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= a.taps * a.padded_inputs * a.padded_outputs)
        return;
    int lane = index % 8, piece = index / 8 % (a.depth / 8), rest = index / a.depth;
    int column = rest % a.columns, stage = rest / a.columns, chunks = a.padded_inputs / a.depth;
    int tap = stage % a.taps, chunk = stage / a.taps % chunks, tile = stage / a.taps / chunks;
    int permuted = a.depth == 64 ? permutation<64>(column) : permutation<32>(column);
    int input = chunk * a.depth + (piece ^ permuted) * 8 + lane;
    round_to(((f16 *)a.to)[index], read_weight(a, tap, input, tile * a.columns + column));
}

__device__ inline void tile_weights_f32(const TileWeightsArguments &a) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= a.taps * a.padded_inputs * a.padded_outputs)
        return;
    int output = index % a.padded_outputs, input = index / a.padded_outputs % a.padded_inputs;
    int tap = index / a.padded_outputs / a.padded_inputs;
    ((float *)a.to)[index] = read_weight(a, tap, input, output);
}

struct CopyArguments {
    const float *from; // [first][second]
    float *to;         // element (i, j) at i * first_stride + j * second_stride
    int first, second, first_stride, second_stride;
};

__device__ inline void copy_floats(const CopyArguments &a) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < a.first * a.second)
        a.to[index / a.second * a.first_stride + index % a.second * a.second_stride] = a.from[index];
}

struct SlicesArguments {
    const float *from; // [slice][slice_stride], in which element (i, j) is at i * first_stride + j * second_stride
    float *to;         // [first][second], to which the sum over all slices is added
    int slices, slice_stride, first, second, first_stride, second_stride;
};

__device__ inline void add_slices(const SlicesArguments &a) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= a.first * a.second)
        return;
    const float *from = a.from + index / a.second * a.first_stride + index % a.second * a.second_stride;
    float sum = 0.0f;
#pragma unroll 8
    for (int slice = 0; slice < a.slices; slice++)
        sum += from[(size_t)slice * a.slice_stride];
    a.to[index] += sum;
}

struct ClearArguments {
    float *to;
    int count, reserved;
};

__device__ inline void clear(const ClearArguments &a) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < a.count)
        a.to[index] = 0.0f;
}

// ---- values of points --------------------------------------------------------------------------

struct NormBackArguments {
    const void *raw;       // [row][channel]
    const void *of_normed; // gradient of activation(raw * scale + bias)
    const float *affine;   // [2][channel]
    void *of_raw;          // written, or added to; may be `of_normed`
    float *sums;           // [block][2][channel]: for the gradients of scale and bias
    int rows, channels, activation, adds, blocks, reserved;
};

template <typename T> __device__ void norm_back(const NormBackArguments &a) {
    const bool FAST = sizeof(T) == 2;
    SHARED(shared);
    float *of_scale = reinterpret_cast<float *>(shared), *of_bias = of_scale + blockDim.x * 8;
    int packs = a.channels / 8, at_once = blockDim.x / packs;
    int pack = threadIdx.x % packs, share = threadIdx.x / packs, first = pack * 8;
    float scale[8], bias[8], scale_sum[8] = {}, bias_sum[8] = {};
    for (int lane = 0; lane < 8; lane++) {
        scale[lane] = a.affine[first + lane];
        bias[lane] = a.affine[a.channels + first + lane];
    }
    if (share < at_once) {
        for (int row = blockIdx.x * at_once + share; row < a.rows; row += a.blocks * at_once) {
            size_t place = (size_t)row * packs + pack;
            Pack<T> x = ((const Pack<T> *)a.raw)[place], dy = ((const Pack<T> *)a.of_normed)[place], sum;
            if (a.adds)
                sum = ((const Pack<T> *)a.of_raw)[place];
#pragma unroll
            for (int lane = 0; lane < 8; lane++) {
                float raw = wide(x.lane[lane]);
                float dz = wide(dy.lane[lane]) * slope<FAST>(raw * scale[lane] + bias[lane], a.activation);
                scale_sum[lane] += dz * raw;
                bias_sum[lane] += dz;
                float dx = dz * scale[lane];
                round_to(sum.lane[lane], a.adds ? dx + wide(sum.lane[lane]) : dx);
            }
            ((Pack<T> *)a.of_raw)[place] = sum;
        }
        for (int lane = 0; lane < 8; lane++) {
            of_scale[share * a.channels + first + lane] = scale_sum[lane];
            of_bias[share * a.channels + first + lane] = bias_sum[lane];
        }
    }
    __syncthreads();
    float *sums = a.sums + (size_t)blockIdx.x * 2 * a.channels;
    for (int index = threadIdx.x; index < 2 * a.channels; index += blockDim.x) {
        const float *from = index < a.channels ? of_scale + index : of_bias + index - a.channels;
        float sum = 0.0f;
        for (int i = 0; i < at_once; i++)
            sum += from[i * a.channels];
        sums[index] = sum;
    }
}

struct BoardSumsArguments {
    const void *from; // [row][stride]
    float *to;        // [board][channel]
    int boards, area, channels, stride;
};

// A block for each board and each 64 channels, as in `pool`.
template <typename T> __device__ void board_sums(const BoardSumsArguments &a) {
    SHARED(shared);
    float *sums = reinterpret_cast<float *>(shared);
    int groups = (a.stride + 63) / 64, board = blockIdx.x / groups, group = blockIdx.x % groups;
    int pack = threadIdx.x & 7, share = threadIdx.x >> 3, first = group * 64 + pack * 8;
    float sum[8] = {};
    if (first < a.stride) {
        const T *rows = (const T *)a.from + (size_t)board * a.area * a.stride + first;
        for (int point = share; point < a.area; point += 32) {
            Pack<T> values = *reinterpret_cast<const Pack<T> *>(rows + (size_t)point * a.stride);
            for (int lane = 0; lane < 8; lane++)
                sum[lane] += wide(values.lane[lane]);
        }
    }
    for (int lane = 0; lane < 8; lane++)
        sums[share * 64 + pack * 8 + lane] = sum[lane];
    __syncthreads();
    int channel = group * 64 + threadIdx.x;
    if (threadIdx.x >= 64 || channel >= a.channels)
        return;
    float total = 0.0f;
    for (int i = 0; i < 32; i++)
        total += sums[i * 64 + threadIdx.x];
    a.to[(size_t)board * a.channels + channel] = total;
}

struct PoolBackArguments {
    const void *from;       // [row][stride]: what was pooled
    const float *of_pooled; // [board][3][channel]
    void *of_from;          // [row][stride]
    int boards, area, channels, stride;
    int with_maximum, adds;
    float inverse_area, second, third, reserved;
};

// A block for each board and each 64 channels. The gradient of a maximum goes to the first point that has it.
template <typename T> __device__ void pool_back(const PoolBackArguments &a) {
    SHARED(shared);
    float *greatest = reinterpret_cast<float *>(shared), *of_mean = greatest + 32 * 64;
    float *of_maximum = of_mean + 64;
    int *places = reinterpret_cast<int *>(of_maximum + 64), *place = places + 32 * 64;
    int groups = (a.stride + 63) / 64, board = blockIdx.x / groups, group = blockIdx.x % groups;
    int pack = threadIdx.x & 7, share = threadIdx.x >> 3, first = group * 64 + pack * 8;
    const T *rows = (const T *)a.from + (size_t)board * a.area * a.stride + first;
    if (a.with_maximum && first < a.stride) {
        float most[8];
        int where[8];
        for (int lane = 0; lane < 8; lane++) {
            most[lane] = -1.0f; // as in `pool`
            where[lane] = a.area;
        }
        for (int point = share; point < a.area; point += 32) {
            Pack<T> values = *reinterpret_cast<const Pack<T> *>(rows + (size_t)point * a.stride);
            for (int lane = 0; lane < 8; lane++) {
                float value = wide(values.lane[lane]);
                if (value > most[lane]) {
                    most[lane] = value;
                    where[lane] = point;
                }
            }
        }
        for (int lane = 0; lane < 8; lane++) {
            greatest[share * 64 + pack * 8 + lane] = most[lane];
            places[share * 64 + pack * 8 + lane] = where[lane];
        }
    }
    __syncthreads();
    if (threadIdx.x < 64) {
        int channel = group * 64 + threadIdx.x, where = a.area;
        float mean = 0.0f, maximum = 0.0f;
        if (channel < a.channels) {
            const float *of_pooled = a.of_pooled + (size_t)board * 3 * a.channels + channel;
            mean = of_pooled[0] + of_pooled[a.channels] * a.second;
            float third = of_pooled[2 * a.channels], most = -1.0f;
            if (a.with_maximum) {
                for (int i = 0; i < 32; i++) {
                    float value = greatest[i * 64 + threadIdx.x];
                    int point = places[i * 64 + threadIdx.x];
                    if (value > most || (value == most && point < where)) {
                        most = value;
                        where = point;
                    }
                }
                maximum = third;
            } else {
                mean += third * a.third;
            }
        }
        of_mean[threadIdx.x] = mean * a.inverse_area;
        of_maximum[threadIdx.x] = maximum;
        place[threadIdx.x] = where;
    }
    __syncthreads();
    if (first >= a.stride)
        return;
    T *to = (T *)a.of_from + (size_t)board * a.area * a.stride + first;
    for (int point = share; point < a.area; point += 32) {
        Pack<T> *pack_of_row = reinterpret_cast<Pack<T> *>(to + (size_t)point * a.stride);
        Pack<T> values;
        if (a.adds)
            values = *pack_of_row;
        for (int lane = 0; lane < 8; lane++) {
            int own = pack * 8 + lane;
            float x = of_mean[own] + (place[own] == point ? of_maximum[own] : 0.0f);
            round_to(values.lane[lane], a.adds ? x + wide(values.lane[lane]) : x);
        }
        *pack_of_row = values;
    }
}

struct ChainsBackArguments {
    const void *from;             // [row][stride]: what was pooled
    const unsigned short *points; // as `ChainsArguments` has them, of all boards
    const void *of_pooled;        // [row][pooled_stride]
    void *of_from;                // [row][stride]
    int boards, area, channels, stride, pooled_stride, reserved;
};

// As `nn::regions::Regions::pool_back`: a block for each board and each eight channels, with padding.
template <typename T> __device__ void chains_back(const ChainsBackArguments &a) {
    int packs = a.stride / 8, board = (int)blockIdx.x / packs, lane = threadIdx.x & 7;
    int channel = (int)blockIdx.x % packs * 8 + lane, shares = blockDim.x / 8;
    const unsigned short *points = a.points + (size_t)board * a.area;
    auto row_of = [&](int place) {
        return (size_t)board * a.area + (points[place] & (REGION_START - 1));
    };
    for (int start = threadIdx.x / 8; start < a.area; start += shares) {
        if (!(points[start] & REGION_START))
            continue;
        float of_mean = 0.0f, of_size = 0.0f, of_maximum = 0.0f, most = -INFINITY;
        int greatest = start, end = start;
        do {
            if (channel < a.channels) {
                const T *of_pooled = (const T *)a.of_pooled + row_of(end) * a.pooled_stride + channel;
                of_mean += wide(of_pooled[0]);
                of_size += wide(of_pooled[a.channels]);
                of_maximum += wide(of_pooled[2 * a.channels]);
                float value = wide(((const T *)a.from)[row_of(end) * a.stride + channel]);
                if (value > most) {
                    most = value;
                    greatest = end;
                }
            }
            end++;
        } while (end < a.area && !(points[end] & REGION_START));
        of_mean = (of_mean + of_size * size_factor(end - start)) / (float)(end - start);
        for (int place = start; place < end; place++)
            round_to(((T *)a.of_from)[row_of(place) * a.stride + channel],
                     place == greatest ? of_mean + of_maximum : of_mean);
    }
}

// ---- values of boards --------------------------------------------------------------------------

struct DenseBackArguments {
    const float *of_to;  // [board][output]
    const float *matrix; // [input][output]
    float *of_from;      // [board][input]
    int boards, inputs, outputs, adds;
};

__device__ inline void dense_layer_back(const DenseBackArguments &a) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= a.boards * a.inputs)
        return;
    const float *row = a.matrix + (size_t)(index % a.inputs) * a.outputs;
    const float *of_to = a.of_to + (size_t)(index / a.inputs) * a.outputs;
    float sum = 0.0f;
    for (int output = 0; output < a.outputs; output++)
        sum += row[output] * of_to[output];
    a.of_from[index] = a.adds ? a.of_from[index] + sum : sum;
}

struct DenseWeightsArguments {
    const float *from;  // [board][input]
    const float *of_to; // [board][output]
    float *sums;        // [slice][input + 1][output], the last row for the bias
    int boards, inputs, outputs, slices;
};

// A thread for each weight of a slice of boards.
__device__ inline void dense_layer_weights(const DenseWeightsArguments &a) {
    int weights = (a.inputs + 1) * a.outputs, index = blockIdx.x * blockDim.x + threadIdx.x;
    int slice = index / weights, input = index % weights / a.outputs, output = index % a.outputs;
    if (slice >= a.slices)
        return;
    float sum = 0.0f;
    for (int board = slice; board < a.boards; board += a.slices) {
        float x = input < a.inputs ? a.from[(size_t)board * a.inputs + input] : 1.0f;
        sum += x * a.of_to[(size_t)board * a.outputs + output];
    }
    a.sums[index] = sum;
}

struct ActivationArguments {
    const float *from;
    float *to; // activated, or a gradient that is multiplied by the slopes
    int count, activation, is_backward, reserved;
};

__device__ inline void activation_of_boards(const ActivationArguments &a) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= a.count)
        return;
    float x[1] = {a.from[index]};
    if (a.is_backward) {
        a.to[index] *= slope<false>(x[0], a.activation);
        return;
    }
    activate<false>(x, a.activation);
    a.to[index] = x[0];
}

// ---- outputs of points -------------------------------------------------------------------------

struct PointsBackArguments {
    const float *of_to;   // [board][output][point]
    const float *weights; // [output][channel]
    const void *from;     // [row][channel]
    void *of_from;        // [row][channel]
    float *sums;          // [block][output][channel]: for the gradient of the weights
    int rows, area, channels, outputs, adds, blocks;
};

// At most four outputs.
template <typename T> __device__ void points_back(const PointsBackArguments &a) {
    SHARED(shared);
    float *all = reinterpret_cast<float *>(shared);
    int packs = a.channels / 8, at_once = blockDim.x / packs;
    int pack = threadIdx.x % packs, share = threadIdx.x / packs, first = pack * 8;
    float sums[4][8] = {};
    for (int row = blockIdx.x * at_once + share; share < at_once && row < a.rows; row += a.blocks * at_once) {
        int board = row / a.area, point = row % a.area;
        size_t place = (size_t)row * packs + pack;
        Pack<T> x = ((const Pack<T> *)a.from)[place], dx;
        float of_x[8] = {};
        if (a.adds) {
            dx = ((const Pack<T> *)a.of_from)[place];
            for (int lane = 0; lane < 8; lane++)
                of_x[lane] = wide(dx.lane[lane]);
        }
#pragma unroll
        for (int output = 0; output < 4; output++) {
            if (output < a.outputs) {
                float dy = a.of_to[((size_t)board * a.outputs + output) * a.area + point];
                const float *weights = a.weights + output * a.channels + first;
                for (int lane = 0; lane < 8; lane++) {
                    of_x[lane] += dy * weights[lane];
                    sums[output][lane] += dy * wide(x.lane[lane]);
                }
            }
        }
        for (int lane = 0; lane < 8; lane++)
            round_to(dx.lane[lane], of_x[lane]);
        ((Pack<T> *)a.of_from)[place] = dx;
    }
#pragma unroll
    for (int output = 0; output < 4; output++) {
        if (output >= a.outputs)
            break;
        __syncthreads();
        if (share < at_once)
            for (int lane = 0; lane < 8; lane++)
                all[share * a.channels + first + lane] = sums[output][lane];
        __syncthreads();
        for (int channel = threadIdx.x; channel < a.channels; channel += blockDim.x) {
            float sum = 0.0f;
            for (int i = 0; i < at_once; i++)
                sum += all[i * a.channels + channel];
            a.sums[((size_t)blockIdx.x * a.outputs + output) * a.channels + channel] = sum;
        }
    }
}

// ---- the list of kernels -----------------------------------------------------------------------

#define BOTH(name, threads, Arguments)                                                                \
    KERNEL(name##_f32, threads, Arguments, name<f32>)                                                 \
    KERNEL(name##_f16, threads, Arguments, name<f16>)
BOTH(norm_back, 256, NormBackArguments)
BOTH(board_sums, 256, BoardSumsArguments)
BOTH(pool_back, 256, PoolBackArguments)
BOTH(chains_back, 256, ChainsBackArguments)
BOTH(points_back, 256, PointsBackArguments)
KERNEL(weights_f32, 256, TileWeightsArguments, tile_weights_f32)
KERNEL(weights_f16, 256, TileWeightsArguments, tile_weights_f16)
KERNEL(copy, 256, CopyArguments, copy_floats)
KERNEL(slices, 256, SlicesArguments, add_slices)
KERNEL(zero, 256, ClearArguments, clear)
KERNEL(gradient_plain_f32, 256, WeightGradientArguments, weight_gradient_plain<f32>)
#define GRADIENT(in, out)                                                                             \
    KERNEL(gradient_##in##x##out##x1, 256, WeightGradientArguments, weight_gradient<in, out, 1>)      \
    KERNEL(gradient_##in##x##out##x9, 288, WeightGradientArguments, weight_gradient<in, out, 9>)
GRADIENT(32, 32)
GRADIENT(32, 64)
GRADIENT(64, 32)
GRADIENT(64, 64)
KERNEL(dense_back, 256, DenseBackArguments, dense_layer_back)
KERNEL(dense_weights, 256, DenseWeightsArguments, dense_layer_weights)
KERNEL(activation, 256, ActivationArguments, activation_of_boards)
