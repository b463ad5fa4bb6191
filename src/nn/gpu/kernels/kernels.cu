// The kernels of `nn::gpu`. The same source runs on a CPU, where tests hold whole networks against other
// runners: tests/nn/gpu_on_cpu.cpp brings the words of CUDA and the instructions of tensor cores.
//
// Values of points are `[row][channel]`; a row is a point of a board: rows of all boards follow each
// other. Channels are padded to a multiple of 32, and the padding is 0. Values of boards are
// `[board][channel]`, in f32 without padding. Structs of arguments are those of `nn::gpu::arguments`.

#ifdef __CUDACC__
#include <cuda_fp16.h>
#define KERNEL(name, threads, Arguments, ...)                                                         \
    extern "C" __global__ void __launch_bounds__(threads) name(const Arguments arguments) {           \
        __VA_ARGS__(arguments);                                                                       \
    }
// The same for at least two blocks at a time.
#define TWICE_KERNEL(name, threads, Arguments, ...)                                                   \
    extern "C" __global__ void __launch_bounds__(threads, 2) name(const Arguments arguments) {        \
        __VA_ARGS__(arguments);                                                                       \
    }
#define SHARED(name) extern __shared__ __align__(1024) char name[]
// Instructions of warp groups, which only GPUs of compute capability 9.0 have.
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define HAS_GROUPS
#include "groups.cuh"
#endif
#endif

typedef __half f16;
typedef float f32;

__device__ inline float wide(f32 x) { return x; }
__device__ inline float wide(f16 x) { return __half2float(x); }
__device__ inline void round_to(f32 &to, float x) { to = x; }

// x within a bound; NaN stays NaN, while fmaxf and fminf would make the bound of it. It must get as far as the
// outputs and losses, where it is noticed.
__device__ inline float at_least(float x, float bound) {
#ifdef __CUDACC__
    float result;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(x), "f"(bound));
    return result;
#else
    return x < bound ? bound : x;
#endif
}

__device__ inline float at_most(float x, float bound) {
#ifdef __CUDACC__
    float result;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(x), "f"(bound));
    return result;
#else
    return x > bound ? bound : x;
#endif
}

// Sums beyond the range of f16 are cut to it on purpose: networks go on with them.
__device__ inline float in_range(float x) { return at_most(at_least(x, -65504.0f), 65504.0f); }
__device__ inline void round_to(f16 &to, float x) { to = __float2half(in_range(x)); }

// Eight channels, which a thread reads at once.
template <typename T> struct alignas(16) Pack {
    T lane[8];
};

// As `nn::gpu::arguments::activation_number` has them.
enum Activation { IDENTITY = 0, RELU = 1, SILU = 2, MISH = 3, GATED = 4 };

__device__ inline float quotient(float a, float b) {
#ifdef __CUDACC__
    return __fdividef(a, b);
#else
    return a / b;
#endif
}

// FAST is good enough for results in f16.
template <bool FAST> __device__ inline float exponential(float x) {
#ifdef __CUDACC__
    if (FAST)
        return __expf(x);
#endif
    return expf(x);
}

template <bool FAST> __device__ inline float silu(float x) {
    return quotient(x, 1.0f + exponential<FAST>(-x));
}

// tanh(ln(1 + e)) = n / (n + 2) with n = e (e + 2), which is 1 for large e.
template <bool FAST> __device__ inline float mish(float x) {
    float e = exponential<FAST>(fminf(x, 20.0f));
    float n = e * (e + 2.0f);
    return x * quotient(n, n + 2.0f);
}

template <bool FAST, int COUNT> __device__ inline void activate(float (&x)[COUNT], int activation) {
    switch (activation) {
    case RELU:
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            x[i] = at_least(x[i], 0.0f);
        break;
    case SILU:
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            x[i] = silu<FAST>(x[i]);
        break;
    case MISH:
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            x[i] = mish<FAST>(x[i]);
        break;
    }
}

// ---- tensor cores ------------------------------------------------------------------------------

#ifdef __CUDACC__
__device__ inline unsigned shared_address(const void *pointer) {
    return (unsigned)__cvta_generic_to_shared(pointer);
}

// Copies 16 bytes to shared memory in the background, or zeros.
__device__ inline void copy_16(void *to, const void *from, bool is_there) {
    int bytes = is_there ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from),
                 "r"(bytes));
}

__device__ inline void close_copies() { asm volatile("cp.async.commit_group;"); }

// Waits for all groups of copies but the last ones.
template <int LEFT> __device__ inline void wait_for_copies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}

// Four 8x8 matrices of f16, of which each thread names a row; see PTX's ldmatrix.
__device__ inline void load_matrices(unsigned (&to)[4], const char *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row))
                 : "memory");
}

// The same with each matrix transposed.
__device__ inline void load_transposed(unsigned (&to)[4], const char *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row))
                 : "memory");
}

// 16x16 times 16x8, added in f32; see PTX's mma.m16n8k16.
__device__ inline void multiply_add(float (&sums)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Before products of a warp group read registers that have been written.
__device__ inline void open_products() {
#ifdef HAS_GROUPS
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}

// Adds 64x16 times 16xCOLUMNS. A warp has 16 rows, as in `multiply_add`. `columns` are those of a stage,
// [column][DEPTH] in permuted pieces, aligned to 1024 bytes; `piece` is the first of the two that are read.
template <int COLUMNS, int DEPTH>
__device__ inline void multiply_group(float (&sums)[COLUMNS / 2], const unsigned (&a)[4],
                                      const char *columns, int piece) {
#ifdef HAS_GROUPS
    // Address, distance of groups of eight columns, and kind of permutation (of 128 or 64 bytes).
    unsigned long long address = shared_address(columns) + piece * 16, groups = 8 * DEPTH * 2;
    unsigned long long kind = DEPTH == 64 ? 1 : 2;
    GroupProduct<COLUMNS>::add(sums, a, address >> 4 & 0x3fff | 1ull << 16 | groups >> 4 << 32 | kind << 62);
#endif
}

__device__ inline void close_products() {
#ifdef HAS_GROUPS
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}

// Waits for all products but the last groups of them.
template <int LEFT> __device__ inline void wait_for_products() {
#ifdef HAS_GROUPS
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
#endif
}

// Makes copies of this thread visible to products of warp groups.
__device__ inline void publish_copies() {
#ifdef HAS_GROUPS
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}
#endif

// ---- convolutions ------------------------------------------------------------------------------

struct ConvArguments {
    const void *input;       // [row][input]
    const void *weights;     // see `nn::gpu::weights`
    const void *residual;    // [row][output], or null
    const float *board_bias; // [board][output], or null
    const float *affine;     // [2][output]: scale and bias before the activation
    void *raw;               // sum of products, bias of the board and residual; or null
    void *normed;            // activation(raw * scale + bias); or null
    int rows, area, width, height;
    int inputs, outputs, bias_stride;
    int kernel_height, kernel_width;
    int activation;
};

template <typename T>
__device__ inline Pack<T> read_residual(const ConvArguments &a, int row, int first) {
    return *reinterpret_cast<const Pack<T> *>((const T *)a.residual + (size_t)row * a.outputs + first);
}

// The results of eight channels of a row, given the products and the residual, if there is one.
template <typename T>
__device__ inline void finish(const ConvArguments &a, int row, int first, float (&x)[8],
                              const Pack<T> &residual, const float (&scale)[8], const float (&bias)[8]) {
    size_t place = (size_t)row * a.outputs + first;
    if (a.board_bias) {
        const float *of_board = a.board_bias + (size_t)(row / a.area) * a.bias_stride;
        for (int lane = 0; lane < 8; lane++)
            if (first + lane < a.bias_stride)
                x[lane] += of_board[first + lane];
    }
    if (a.residual) {
        for (int lane = 0; lane < 8; lane++)
            x[lane] += wide(residual.lane[lane]);
    }
    Pack<T> pack;
    if (a.raw) {
        for (int lane = 0; lane < 8; lane++)
            round_to(pack.lane[lane], x[lane]);
        *reinterpret_cast<Pack<T> *>((T *)a.raw + place) = pack;
    }
    if (a.normed) {
        for (int lane = 0; lane < 8; lane++)
            x[lane] = x[lane] * scale[lane] + bias[lane];
        activate<sizeof(T) == 2>(x, a.activation);
        for (int lane = 0; lane < 8; lane++)
            round_to(pack.lane[lane], x[lane]);
        *reinterpret_cast<Pack<T> *>((T *)a.normed + place) = pack;
    }
}

__device__ inline void read_affine(const ConvArguments &a, int first, float (&scale)[8],
                                   float (&bias)[8]) {
    for (int lane = 0; lane < 8; lane++) {
        scale[lane] = a.affine[first + lane];
        bias[lane] = a.affine[a.outputs + first + lane];
    }
}

// Bit `tap` says whether that neighbor of a point is on the board.
template <typename Arguments> __device__ inline unsigned neighbors(const Arguments &a, int row) {
    if (row >= a.rows)
        return 0;
    int point = row % a.area, y = point / a.width, x = point % a.width;
    unsigned mask = 0, bit = 1;
    for (int dy = -(a.kernel_height / 2); dy <= a.kernel_height / 2; dy++)
        for (int dx = -(a.kernel_width / 2); dx <= a.kernel_width / 2; dx++, bit <<= 1)
            if (y + dy >= 0 && y + dy < a.height && x + dx >= 0 && x + dx < a.width)
                mask |= bit;
    return mask;
}

#include "gated.cuh"

// In f32, without tensor cores: four rows by eight channels for each thread. Weights are
// `[tap][input][output]`.
template <typename T> __device__ void conv_plain(const ConvArguments &a) {
    const int ROWS = 4;
    int packs = a.outputs / 8, thread = blockIdx.x * blockDim.x + threadIdx.x;
    int first = thread % packs * 8, row = thread / packs * ROWS;
    if (row >= a.rows)
        return;
    float sums[ROWS][8] = {};
    unsigned masks[ROWS];
    for (int r = 0; r < ROWS; r++)
        masks[r] = neighbors(a, row + r);
    const T *weights = (const T *)a.weights + first;
    int taps = a.kernel_height * a.kernel_width;
    for (int tap = 0; tap < taps; tap++) {
        int dy = tap / a.kernel_width - a.kernel_height / 2;
        int dx = tap % a.kernel_width - a.kernel_width / 2;
        const T *input = (const T *)a.input + ((ptrdiff_t)row + dy * a.width + dx) * a.inputs;
        for (int c = 0; c < a.inputs; c++) {
            Pack<T> w = *reinterpret_cast<const Pack<T> *>(weights);
            weights += a.outputs;
            for (int r = 0; r < ROWS; r++) {
                if (masks[r] >> tap & 1) {
                    float value = wide(input[(ptrdiff_t)r * a.inputs + c]);
                    for (int lane = 0; lane < 8; lane++)
                        sums[r][lane] += value * wide(w.lane[lane]);
                }
            }
        }
    }
    float scale[8], bias[8];
    read_affine(a, first, scale, bias);
    for (int r = 0; r < ROWS && row + r < a.rows; r++) {
        Pack<T> residual;
        if (a.residual)
            residual = read_residual<T>(a, row + r, first);
        finish<T>(a, row + r, first, sums[r], residual, scale, bias);
    }
}

// Steps of the pipeline of copies; as in `nn::gpu::tiles`.
const int STAGES = 4;
// Floats between rows of results in shared memory, beyond the tile's width.
const int RESULT_PADDING = 8;

// The place of 8 channels, a piece, in a tile of rows of DEPTH channels. Pieces are permuted so that eight
// neighboring rows have theirs in different banks.
template <int DEPTH> __device__ inline int permutation(int row) {
    return DEPTH == 64 ? row & 7 : row >> 1 & 3;
}

// Finishes a tile of results in shared memory.
template <int ROWS, int COLUMNS, int THREADS>
__device__ inline void finish_tile(const ConvArguments &a, const float *results, int first_row,
                                   int first_column) {
    if (a.activation == GATED)
        return finish_gated_tile<ROWS, COLUMNS, THREADS, COLUMNS + RESULT_PADDING>(a, results, first_row,
                                                                                   first_column);
    const int STRIDE = COLUMNS + RESULT_PADDING, PACKS = COLUMNS / 8, AT_ONCE = THREADS / PACKS;
    int thread = threadIdx.x;
    if (thread >= AT_ONCE * PACKS)
        return;
    int pack = thread % PACKS, first = first_column + pack * 8;
    float scale[8], bias[8];
    read_affine(a, first, scale, bias);
    // Residuals of several rows are on their way at the same time.
    const int BATCH = 4;
    int end = a.rows - first_row < ROWS ? a.rows - first_row : ROWS;
    for (int start = thread / PACKS; start < end; start += AT_ONCE * BATCH) {
        Pack<f16> residuals[BATCH];
#pragma unroll
        for (int i = 0; i < BATCH; i++)
            if (a.residual && start + i * AT_ONCE < end)
                residuals[i] = read_residual<f16>(a, first_row + start + i * AT_ONCE, first);
#pragma unroll
        for (int i = 0; i < BATCH; i++) {
            int row = start + i * AT_ONCE;
            if (row >= end)
                break;
            float x[8];
            const float *from = results + row * STRIDE + pack * 8;
#pragma unroll
            for (int lane = 0; lane < 8; lane++)
                x[lane] = from[lane];
            finish<f16>(a, first_row + row, first, x, residuals[i], scale, bias);
        }
    }
}

// In f16, on tensor cores: a block of WARPS x 2 warps computes WARPS * TALL * 16 rows by WIDE * 16
// channels, a warp TALL * 16 rows by WIDE * 8 channels. Products run over chunks of DEPTH inputs, and over all
// taps for each chunk. The inputs of a chunk are copied once: the rows of the tile and those before and after
// that its taps reach. A tap whose neighbor is off the board reads zeros instead.
template <int WARPS, int TALL, int WIDE, int DEPTH> __device__ void conv_tensor(const ConvArguments &a) {
    const int ROWS = WARPS * TALL * 16, COLUMNS = WIDE * 16, THREADS = WARPS * 64;
    const int PIECES = DEPTH / 8, ROW_BYTES = DEPTH * 2, STAGE_BYTES = COLUMNS * ROW_BYTES;
    SHARED(shared);
    int thread = threadIdx.x, lane = thread & 31, warp = thread >> 5;
    int column_tiles = a.outputs / COLUMNS;
    int column_tile = blockIdx.x % column_tiles;
    int first_row = (int)(blockIdx.x / column_tiles) * ROWS;
    int taps = a.kernel_height * a.kernel_width, chunks = a.inputs / DEPTH, steps = taps * chunks;
    int halo = a.kernel_height / 2 * a.width + a.kernel_width / 2;
    int input_rows = ROWS + 2 * halo, input_bytes = input_rows * ROW_BYTES;
    int input_buffers = taps >= STAGES - 1 ? 2 : STAGES;
    char *zeros = shared, *inputs = shared + 128, *weights = inputs + input_buffers * input_bytes;
    if (thread < 32)
        reinterpret_cast<unsigned *>(zeros)[thread] = 0;

    auto copy_step = [&](int step, int chunk, int tap) {
        const char *from = (const char *)a.weights +
                           ((size_t)(column_tile * chunks + chunk) * taps + tap) * STAGE_BYTES;
        char *to = weights + step % STAGES * STAGE_BYTES;
        for (int piece = thread; piece < STAGE_BYTES / 16; piece += THREADS)
            copy_16(to + piece * 16, from + piece * 16, true);
        if (tap > 0)
            return;
        char *tile = inputs + chunk % input_buffers * input_bytes;
        for (int place = thread; place < input_rows * PIECES; place += THREADS) {
            int row = place / PIECES, piece = place % PIECES, seen = first_row - halo + row;
            bool is_there = seen >= 0 && seen < a.rows;
            const f16 *from = (const f16 *)a.input + (size_t)(is_there ? seen : 0) * a.inputs +
                              chunk * DEPTH + piece * 8;
            copy_16(tile + row * ROW_BYTES + ((piece ^ permutation<DEPTH>(row)) << 4), from, is_there);
        }
    };

    int warp_row = (warp >> 1) * TALL * 16, warp_column = (warp & 1) * WIDE * 8;
    unsigned masks[TALL];
#pragma unroll
    for (int i = 0; i < TALL; i++)
        masks[i] = neighbors(a, first_row + warp_row + i * 16 + (lane & 15));
    float sums[TALL][WIDE][4] = {};

    // The step that is copied next.
    int next = 0, next_chunk = 0, next_tap = 0;
    auto copy_next = [&]() {
        if (next < steps) {
            copy_step(next, next_chunk, next_tap);
            next++;
            if (++next_tap == taps) {
                next_tap = 0;
                next_chunk++;
            }
        }
        close_copies();
    };
    for (int stage = 0; stage < STAGES - 1; stage++)
        copy_next();

    int chunk = 0, tap = 0, dy = -(a.kernel_height / 2), dx = -(a.kernel_width / 2);
    for (int step = 0; step < steps; step++) {
        wait_for_copies<STAGES - 2>();
        __syncthreads();
        copy_next();
        const char *tile = inputs + chunk % input_buffers * input_bytes;
        const char *rows[TALL];
        int permutations[TALL];
#pragma unroll
        for (int i = 0; i < TALL; i++) {
            int row = warp_row + i * 16 + (lane & 15) + halo + dy * a.width + dx;
            bool is_there = masks[i] >> tap & 1;
            rows[i] = is_there ? tile + row * ROW_BYTES : zeros + (row * ROW_BYTES & 127);
            permutations[i] = permutation<DEPTH>(row) ^ lane >> 4;
        }
        int column = warp_column + (lane >> 4) * 8 + (lane & 7);
        const char *columns = weights + step % STAGES * STAGE_BYTES + column * ROW_BYTES;
        int column_permutation = permutation<DEPTH>(column) ^ (lane >> 3 & 1);
#pragma unroll
        for (int piece = 0; piece < PIECES; piece += 2) {
            unsigned left[TALL][4];
#pragma unroll
            for (int i = 0; i < TALL; i++)
                load_matrices(left[i], rows[i] + ((piece ^ permutations[i]) << 4));
#pragma unroll
            for (int j = 0; j < WIDE; j += 2) {
                unsigned right[4];
                load_matrices(right, columns + j * 8 * ROW_BYTES + ((piece ^ column_permutation) << 4));
#pragma unroll
                for (int i = 0; i < TALL; i++) {
                    multiply_add(sums[i][j], left[i], right[0], right[1]);
                    multiply_add(sums[i][j + 1], left[i], right[2], right[3]);
                }
            }
        }
        dx++;
        if (dx > a.kernel_width / 2) {
            dx = -(a.kernel_width / 2);
            dy++;
        }
        if (++tap == taps) {
            tap = 0;
            dy = -(a.kernel_height / 2);
            chunk++;
        }
    }

    // Through shared memory, so that each thread finishes eight channels of a row.
    wait_for_copies<0>();
    __syncthreads();
    const int STRIDE = COLUMNS + RESULT_PADDING;
    float *results = reinterpret_cast<float *>(shared);
#pragma unroll
    for (int i = 0; i < TALL; i++) {
#pragma unroll
        for (int j = 0; j < WIDE; j++) {
            int row = warp_row + i * 16 + (lane >> 2), column = warp_column + j * 8 + (lane & 3) * 2;
            float *to = results + row * STRIDE + column;
            to[0] = sums[i][j][0];
            to[1] = sums[i][j][1];
            to[8 * STRIDE] = sums[i][j][2];
            to[8 * STRIDE + 1] = sums[i][j][3];
        }
    }
    __syncthreads();
    finish_tile<ROWS, COLUMNS, THREADS>(a, results, first_row, column_tile * COLUMNS);
}

// The same with warp groups: a block of GROUPS of them computes GROUPS * 64 rows by COLUMNS channels. Inputs of the next
// tap are loaded into registers while products of this one are added. A stage of the pipeline has the weights of TAPS
// taps; products may go on into the next stage: copies may then overwrite the weights of the stage before the last.
template <int GROUPS, int COLUMNS, int DEPTH, int TAPS> __device__ void conv_groups(const ConvArguments &a) {
    const int ROWS = GROUPS * 64, THREADS = GROUPS * 128;
    const int PIECES = DEPTH / 8, ROW_BYTES = DEPTH * 2, TAP_BYTES = COLUMNS * ROW_BYTES;
    // As in `nn::gpu::tiles`.
    const int STAGES = TAPS == 1 ? 5 : 4;
    SHARED(shared);
    int thread = threadIdx.x, lane = thread & 31, warp = thread >> 5;
    int column_tiles = a.outputs / COLUMNS;
    int column_tile = blockIdx.x % column_tiles;
    int first_row = (int)(blockIdx.x / column_tiles) * ROWS;
    int taps = a.kernel_height * a.kernel_width, chunks = a.inputs / DEPTH, steps = taps * chunks;
    int stages_of_chunk = (taps + TAPS - 1) / TAPS;
    int halo = a.kernel_height / 2 * a.width + a.kernel_width / 2;
    int input_rows = ROWS + 2 * halo, input_bytes = input_rows * ROW_BYTES;
    int input_buffers = chunks == 1 ? 1 : stages_of_chunk >= STAGES - 2 ? 2 : STAGES;
    char *weights = shared, *inputs = weights + STAGES * TAPS * TAP_BYTES;
    char *zeros = inputs + input_buffers * input_bytes;
    if (thread < 32)
        reinterpret_cast<unsigned *>(zeros)[thread] = 0;

    auto copy_stage = [&](int stage, int chunk, int tap) {
        int count = taps - tap < TAPS ? taps - tap : TAPS;
        const char *from = (const char *)a.weights +
                           ((size_t)(column_tile * chunks + chunk) * taps + tap) * TAP_BYTES;
        char *to = weights + stage % STAGES * TAPS * TAP_BYTES;
        for (int piece = thread; piece < count * TAP_BYTES / 16; piece += THREADS)
            copy_16(to + piece * 16, from + piece * 16, true);
        if (tap > 0)
            return;
        char *tile = inputs + chunk % input_buffers * input_bytes;
        for (int place = thread; place < input_rows * PIECES; place += THREADS) {
            int row = place / PIECES, piece = place % PIECES, seen = first_row - halo + row;
            bool is_there = seen >= 0 && seen < a.rows;
            const f16 *from = (const f16 *)a.input + (size_t)(is_there ? seen : 0) * a.inputs +
                              chunk * DEPTH + piece * 8;
            copy_16(tile + row * ROW_BYTES + ((piece ^ permutation<DEPTH>(row)) << 4), from, is_there);
        }
    };

    unsigned mask = neighbors(a, first_row + warp * 16 + (lane & 15));
    float sums[COLUMNS / 2] = {};

    // The stage that is copied next.
    int next = 0, next_chunk = 0, next_tap = 0;
    auto copy_next = [&]() {
        if (next_chunk < chunks) {
            copy_stage(next++, next_chunk, next_tap);
            next_tap += TAPS;
            if (next_tap >= taps) {
                next_tap = 0;
                next_chunk++;
            }
        }
        close_copies();
    };
    // The tap whose inputs are loaded next.
    int chunk = 0, tap = 0, dy = -(a.kernel_height / 2), dx = -(a.kernel_width / 2);
    auto load_next = [&](unsigned (&left)[PIECES / 2][4]) {
        const char *tile = inputs + chunk % input_buffers * input_bytes;
        int row = warp * 16 + (lane & 15) + halo + dy * a.width + dx;
        bool is_there = mask >> tap & 1;
        const char *from = is_there ? tile + row * ROW_BYTES : zeros + (row * ROW_BYTES & 127);
        int permuted = permutation<DEPTH>(row) ^ lane >> 4;
#pragma unroll
        for (int k = 0; k < PIECES / 2; k++)
            load_matrices(left[k], from + ((2 * k ^ permuted) << 4));
        if (++dx > a.kernel_width / 2) {
            dx = -(a.kernel_width / 2);
            dy++;
        }
        if (++tap == taps) {
            tap = 0;
            dy = -(a.kernel_height / 2);
            chunk++;
        }
    };
    // The tap whose products are added next, and its place in its stage.
    int step = 0, stage = 0, of_chunk = 0, of_stage = 0;
    auto take_tap = [&](unsigned (&left)[PIECES / 2][4], unsigned (&left_of_next)[PIECES / 2][4]) {
        bool is_first = of_stage == 0;
        if (is_first) {
            wait_for_copies<STAGES - 4>();
            publish_copies();
            __syncthreads();
        }
        if (step == 0)
            load_next(left);
        const char *columns = weights + (stage % STAGES * TAPS + of_stage) * TAP_BYTES;
        open_products();
#pragma unroll
        for (int k = 0; k < PIECES / 2; k++)
            multiply_group<COLUMNS, DEPTH>(sums, left[k], columns, 2 * k);
        close_products();
        if (is_first)
            copy_next();
        wait_for_products<1>();
        if (++step < steps)
            load_next(left_of_next);
        if (++of_chunk == taps)
            of_chunk = 0;
        if (++of_stage == TAPS || of_chunk == 0) {
            of_stage = 0;
            stage++;
        }
    };

    for (int copied = 0; copied < STAGES - 2; copied++)
        copy_next();
    unsigned even[PIECES / 2][4], odd[PIECES / 2][4];
    while (step < steps) {
        take_tap(even, odd);
        if (step < steps)
            take_tap(odd, even);
    }

    wait_for_products<0>();
    wait_for_copies<0>();
    __syncthreads();
    const int STRIDE = COLUMNS + RESULT_PADDING;
    float *results = reinterpret_cast<float *>(shared);
#pragma unroll
    for (int j = 0; j < COLUMNS / 8; j++) {
        float *to = results + (warp * 16 + (lane >> 2)) * STRIDE + j * 8 + (lane & 3) * 2;
        to[0] = sums[j * 4];
        to[1] = sums[j * 4 + 1];
        to[8 * STRIDE] = sums[j * 4 + 2];
        to[8 * STRIDE + 1] = sums[j * 4 + 3];
    }
    __syncthreads();
    finish_tile<ROWS, COLUMNS, THREADS>(a, results, first_row, column_tile * COLUMNS);
}

// ---- inputs ------------------------------------------------------------------------------------

struct PlanesArguments {
    const unsigned *is_packed; // whether `values` are bits
    const void *values;        // [row][plane] in f32, or a word for each row with a bit for each plane
    void *to;                  // [row][channel]
    int rows, planes, channels, reserved;
};

template <typename T> __device__ void planes(const PlanesArguments &a) {
    int packs = a.channels / 8, thread = blockIdx.x * blockDim.x + threadIdx.x;
    int row = thread / packs, first = thread % packs * 8;
    if (row >= a.rows)
        return;
    Pack<T> pack;
    if (*a.is_packed) {
        unsigned word = ((const unsigned *)a.values)[row];
        for (int lane = 0; lane < 8; lane++)
            round_to(pack.lane[lane], first + lane < 32 && (word >> (first + lane) & 1) ? 1.0f : 0.0f);
    } else {
        const float *values = (const float *)a.values + (size_t)row * a.planes;
        for (int lane = 0; lane < 8; lane++)
            round_to(pack.lane[lane], first + lane < a.planes ? values[first + lane] : 0.0f);
    }
    reinterpret_cast<Pack<T> *>(a.to)[thread] = pack;
}

// ---- values of boards --------------------------------------------------------------------------

struct PoolArguments {
    const void *from; // [row][stride]
    float *to;        // [board][3][channel]
    int boards, area, channels, stride;
    int with_maximum; // whether the third value is the maximum, or the mean times `third`
    float inverse_area, second, third;
};

// A block for each board and each 64 channels: 8 packs by 32 threads that share the rows.
template <typename T> __device__ void pool(const PoolArguments &a) {
    SHARED(shared);
    float *sums = reinterpret_cast<float *>(shared), *greatest = sums + 32 * 64;
    int groups = (a.stride + 63) / 64;
    int board = blockIdx.x / groups, group = blockIdx.x % groups;
    int pack = threadIdx.x & 7, share = threadIdx.x >> 3, first = group * 64 + pack * 8;
    float sum[8] = {}, most[8];
    for (int lane = 0; lane < 8; lane++)
        most[lane] = -1.0f; // as KataGo's networks have it
    if (first < a.stride) {
        const T *rows = (const T *)a.from + (size_t)board * a.area * a.stride + first;
        for (int point = share; point < a.area; point += 32) {
            Pack<T> values = *reinterpret_cast<const Pack<T> *>(rows + (size_t)point * a.stride);
            for (int lane = 0; lane < 8; lane++) {
                float value = wide(values.lane[lane]);
                sum[lane] += value;
                most[lane] = fmaxf(most[lane], value);
            }
        }
    }
    for (int lane = 0; lane < 8; lane++) {
        sums[share * 64 + pack * 8 + lane] = sum[lane];
        greatest[share * 64 + pack * 8 + lane] = most[lane];
    }
    __syncthreads();
    int channel = group * 64 + threadIdx.x;
    if (threadIdx.x >= 64 || channel >= a.channels)
        return;
    float total = 0.0f, maximum = -1.0f;
    for (int i = 0; i < 32; i++) {
        total += sums[i * 64 + threadIdx.x];
        maximum = fmaxf(maximum, greatest[i * 64 + threadIdx.x]);
    }
    float mean = total * a.inverse_area;
    float *to = a.to + (size_t)board * 3 * a.channels + channel;
    to[0] = mean;
    to[a.channels] = mean * a.second;
    to[2 * a.channels] = a.with_maximum ? maximum : mean * a.third;
}

struct DenseArguments {
    const float *from;   // [board][input]
    const float *matrix; // [input][output]
    const float *bias;   // [output], or null
    const float *plus;   // [board][output], added; or null
    float *to;           // [board][output]
    int boards, inputs, outputs, activation;
};

// A block for each board and each 32 outputs: 8 threads share the inputs of an output.
__device__ inline void dense_layer(const DenseArguments &a) {
    SHARED(shared);
    float *sums = reinterpret_cast<float *>(shared);
    int groups = (a.outputs + 31) / 32;
    int board = blockIdx.x / groups, lane = threadIdx.x & 31, share = threadIdx.x >> 5;
    int output = blockIdx.x % groups * 32 + lane;
    float sum = 0.0f;
    if (output < a.outputs) {
        const float *from = a.from + (size_t)board * a.inputs;
#pragma unroll 4
        for (int input = share; input < a.inputs; input += 8)
            sum += from[input] * a.matrix[(size_t)input * a.outputs + output];
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (share > 0 || output >= a.outputs)
        return;
    for (int i = 1; i < 8; i++)
        sum += sums[i * 32 + lane];
    size_t place = (size_t)board * a.outputs + output;
    if (a.bias)
        sum += a.bias[output];
    if (a.plus)
        sum += a.plus[place];
    float result[1] = {sum};
    activate<false>(result, a.activation);
    a.to[place] = result[0];
}

// ---- outputs of points -------------------------------------------------------------------------

struct PointsArguments {
    const void *from;     // [row][channel]
    const float *weights; // [output][channel]
    float *to;            // [board][output][point]
    int rows, area, channels, outputs;
};

// A thread for each row. At most four outputs.
template <typename T> __device__ void points(const PointsArguments &a) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= a.rows)
        return;
    float sums[4] = {};
    const Pack<T> *from = reinterpret_cast<const Pack<T> *>((const T *)a.from + (size_t)row * a.channels);
    for (int pack = 0; pack < a.channels / 8; pack++) {
        Pack<T> values = from[pack];
#pragma unroll
        for (int output = 0; output < 4; output++) {
            if (output < a.outputs) {
                const float *weights = a.weights + output * a.channels + pack * 8;
                for (int lane = 0; lane < 8; lane++)
                    sums[output] += wide(values.lane[lane]) * weights[lane];
            }
        }
    }
    int board = row / a.area, point = row % a.area;
#pragma unroll
    for (int output = 0; output < 4; output++)
        if (output < a.outputs)
            a.to[((size_t)board * a.outputs + output) * a.area + point] = sums[output];
}

// ---- transformers, chains ----------------------------------------------------------------------

#include "norms.cuh"

#include "attention.cuh"

#include "trunk_rows.cuh"

#include "attention_block.cuh"

#include "feed_forward.cuh"

#include "chains.cuh"

// ---- the list of kernels -----------------------------------------------------------------------

// As `nn::gpu::tiles` has them: rows, channels and inputs of a tile, and the template's numbers.
#define TILE(rows, columns, warps, tall, wide)                                                        \
    KERNEL(conv_##rows##x##columns##x32, warps * 64, ConvArguments, conv_tensor<warps, tall, wide, 32>) \
    KERNEL(conv_##rows##x##columns##x64, warps * 64, ConvArguments, conv_tensor<warps, tall, wide, 64>)
TILE(32, 32, 2, 1, 2)
TILE(64, 32, 2, 2, 2)
TILE(64, 64, 2, 2, 4)
TILE(64, 96, 2, 2, 6)
TILE(128, 64, 2, 4, 4)
TILE(128, 96, 2, 4, 6)
TILE(128, 128, 2, 4, 8)
// Tiles of warp groups, with one tap or three in a stage.
#define GROUP_TILE(rows, columns, groups)                                                             \
    KERNEL(group_##rows##x##columns##x32x1, groups * 128, ConvArguments, conv_groups<groups, columns, 32, 1>) \
    KERNEL(group_##rows##x##columns##x64x1, groups * 128, ConvArguments, conv_groups<groups, columns, 64, 1>)
#define TWICE_GROUP_TILE(rows, columns, groups)                                                       \
    TWICE_KERNEL(group_##rows##x##columns##x32x1, groups * 128, ConvArguments, conv_groups<groups, columns, 32, 1>) \
    TWICE_KERNEL(group_##rows##x##columns##x64x1, groups * 128, ConvArguments, conv_groups<groups, columns, 64, 1>)
#define WIDE_GROUP_TILE(rows, columns, groups)                                                        \
    KERNEL(group_##rows##x##columns##x32x3, groups * 128, ConvArguments, conv_groups<groups, columns, 32, 3>)
GROUP_TILE(64, 32, 1)
GROUP_TILE(64, 64, 1)
GROUP_TILE(128, 64, 2)
TWICE_GROUP_TILE(128, 96, 2)
TWICE_GROUP_TILE(128, 128, 2)
GROUP_TILE(128, 192, 2)
GROUP_TILE(192, 96, 3)
GROUP_TILE(192, 128, 3)
GROUP_TILE(192, 192, 3)
GROUP_TILE(256, 96, 4)
WIDE_GROUP_TILE(128, 32, 2)
WIDE_GROUP_TILE(128, 64, 2)
WIDE_GROUP_TILE(128, 96, 2)
WIDE_GROUP_TILE(192, 96, 3)
WIDE_GROUP_TILE(256, 32, 4)
WIDE_GROUP_TILE(256, 64, 4)
WIDE_GROUP_TILE(256, 96, 4)
KERNEL(conv_plain_f32, 128, ConvArguments, conv_plain<f32>)
KERNEL(planes_f32, 256, PlanesArguments, planes<f32>)
KERNEL(planes_f16, 256, PlanesArguments, planes<f16>)
KERNEL(pool_f32, 256, PoolArguments, pool<f32>)
KERNEL(pool_f16, 256, PoolArguments, pool<f16>)
KERNEL(dense, 256, DenseArguments, dense_layer)
KERNEL(points_f32, 128, PointsArguments, points<f32>)
KERNEL(points_f16, 128, PointsArguments, points<f16>)
KERNEL(gated_f32, 128, ConvArguments, gated_plain)
KERNEL(rms_norm_f32, 256, NormArguments, rms_norm<f32>)
KERNEL(rms_norm_f16, 256, NormArguments, rms_norm<f16>)
KERNEL(rms_norm_boards_f32, 256, NormArguments, rms_norm_boards<f32>)
KERNEL(rms_norm_boards_f16, 256, NormArguments, rms_norm_boards<f16>)
// By the most channels of keys and of values, as in `nn::gpu::attention`.
TWICE_KERNEL(attention_16x16, 256, AttentionArguments, attend<16, 16>)
TWICE_KERNEL(attention_32x16, 256, AttentionArguments, attend<32, 16>)
TWICE_KERNEL(attention_32x32, 256, AttentionArguments, attend<32, 32>)
KERNEL(attention_64x64, 256, AttentionArguments, attend<64, 64>)
KERNEL(attention_128x128, 256, AttentionArguments, attend<128, 128>)
TWICE_KERNEL(attention_block_16x16, 256, AttentionArguments, attend_block<16, 16>)
TWICE_KERNEL(attention_block_32x16, 256, AttentionArguments, attend_block<32, 16>)
TWICE_KERNEL(attention_block_32x32, 256, AttentionArguments, attend_block<32, 32>)
KERNEL(attention_block_64x64, 256, AttentionArguments, attend_block<64, 64>)
KERNEL(attention_f32, 128, AttentionArguments, attend_plain)
// By channels of the trunk, as in `nn::gpu::feed_forward`.
TWICE_KERNEL(feed_forward_64, 256, FeedForwardArguments, feed_forward<64>)
TWICE_KERNEL(feed_forward_96, 256, FeedForwardArguments, feed_forward<96>)
KERNEL(feed_forward_128, 256, FeedForwardArguments, feed_forward<128>)
KERNEL(feed_forward_192, 256, FeedForwardArguments, feed_forward<192>)
KERNEL(chains_f32, 256, ChainsArguments, pool_chains<f32>)
KERNEL(chains_f16, 256, ChainsArguments, pool_chains<f16>)

#include "training.cuh"
#include "losses.cuh"
#include "optimizer.cuh"
