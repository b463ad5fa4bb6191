// Gradients of the weights of convolutions, in slices of rows.

struct WeightGradientArguments {
    const void *input;     // [row][input]
    const void *of_output; // [row][output]
    float *sums;           // [slice][tap][input][output]
    int rows, area, width, height;
    int inputs, outputs, kernel_height, kernel_width;
    int slices, reserved;
};

// A thread for each weight of a slice of rows.
template <typename T> __device__ void weight_gradient_plain(const WeightGradientArguments &a) {
    int taps = a.kernel_height * a.kernel_width, weights = taps * a.inputs * a.outputs;
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    int slice = index / weights, weight = index % weights;
    if (slice >= a.slices)
        return;
    int output = weight % a.outputs, input = weight / a.outputs % a.inputs;
    int tap = weight / a.outputs / a.inputs;
    int dy = tap / a.kernel_width - a.kernel_height / 2, dx = tap % a.kernel_width - a.kernel_width / 2;
    int of_slice = (a.rows + a.slices - 1) / a.slices, end = (slice + 1) * of_slice;
    float sum = 0.0f;
    for (int row = slice * of_slice; row < (end < a.rows ? end : a.rows); row++) {
        int point = row % a.area, y = point / a.width + dy, x = point % a.width + dx;
        if (y >= 0 && y < a.height && x >= 0 && x < a.width)
            sum += wide(((const T *)a.input)[((ptrdiff_t)row + dy * a.width + dx) * a.inputs + input]) *
                   wide(((const T *)a.of_output)[(size_t)row * a.outputs + output]);
    }
    a.sums[index] = sum;
}

// As in `train::gpu::launches`.
const int GRADIENT_STAGES = 3;
template <int TAPS> struct GradientTile {
    static const int WARPS = TAPS == 1 ? 8 : TAPS, ROWS = TAPS == 1 ? 128 : 64;
};

// In f16, on tensor cores: a block computes IN inputs by OUT outputs from chunks of rows, one in so many slices.
// Each of nine warps has one of nine taps; with TAPS = 1 there is one, and each of eight warps has a part of the rows.
template <int IN, int OUT, int TAPS> __device__ void weight_gradient(const WeightGradientArguments &a) {
    const int WARPS = GradientTile<TAPS>::WARPS, ROWS = GradientTile<TAPS>::ROWS, THREADS = WARPS * 32;
    const int IN_BYTES = IN * 2, OUT_BYTES = OUT * 2, STAGES = GRADIENT_STAGES;
    SHARED(shared);
    int thread = threadIdx.x, lane = thread & 31, warp = thread >> 5;
    int taps = a.kernel_height * a.kernel_width, tap_groups = (taps + TAPS - 1) / TAPS;
    int out_tiles = a.outputs / OUT, in_tiles = a.inputs / IN, tiles = in_tiles * out_tiles * tap_groups;
    int tile = blockIdx.x % tiles, slice = blockIdx.x / tiles;
    int first_output = tile % out_tiles * OUT, first_input = tile / out_tiles % in_tiles * IN;
    int tap = tile / out_tiles / in_tiles * TAPS + (TAPS == 1 ? 0 : warp);
    bool is_tap = tap < taps;
    int halo = a.kernel_height / 2 * a.width + a.kernel_width / 2, input_rows = ROWS + 2 * halo;
    int input_bytes = input_rows * IN_BYTES;
    char *zeros = shared, *inputs = shared + 128, *outputs = inputs + STAGES * input_bytes;
    unsigned *masks = reinterpret_cast<unsigned *>(outputs + STAGES * ROWS * OUT_BYTES);
    if (thread < 32)
        reinterpret_cast<unsigned *>(zeros)[thread] = 0;
    int chunks = (a.rows + ROWS - 1) / ROWS, next = slice;

    auto copy_next = [&](int stage) {
        if (next < chunks) {
            int first_row = next * ROWS;
            char *to = inputs + stage * input_bytes;
            for (int place = thread; place < input_rows * (IN / 8); place += THREADS) {
                int row = place / (IN / 8), piece = place % (IN / 8), seen = first_row - halo + row;
                bool is_there = seen >= 0 && seen < a.rows;
                const f16 *from =
                    (const f16 *)a.input + (size_t)(is_there ? seen : 0) * a.inputs + first_input + piece * 8;
                copy_16(to + row * IN_BYTES + ((piece ^ permutation<IN>(row)) << 4), from, is_there);
            }
            to = outputs + stage * ROWS * OUT_BYTES;
            for (int place = thread; place < ROWS * (OUT / 8); place += THREADS) {
                int row = place / (OUT / 8), piece = place % (OUT / 8), seen = first_row + row;
                bool is_there = seen < a.rows;
                const f16 *from = (const f16 *)a.of_output + (size_t)(is_there ? seen : 0) * a.outputs +
                                  first_output + piece * 8;
                copy_16(to + row * OUT_BYTES + ((piece ^ permutation<OUT>(row)) << 4), from, is_there);
            }
            for (int row = thread; row < ROWS; row += THREADS)
                masks[stage * ROWS + row] = neighbors(a, first_row + row);
            next += a.slices;
        }
        close_copies();
    };

    float sums[IN / 16][OUT / 8][4] = {};
    int shift = halo + (tap / a.kernel_width - a.kernel_height / 2) * a.width + tap % a.kernel_width -
                a.kernel_width / 2;
    for (int stage = 0; stage < STAGES - 1; stage++)
        copy_next(stage);
    int stage = 0;
    for (int chunk = slice; chunk < chunks; chunk += a.slices) {
        wait_for_copies<STAGES - 2>();
        __syncthreads();
        copy_next((stage + STAGES - 1) % STAGES);
        const char *left_tile = inputs + stage * input_bytes, *right_tile = outputs + stage * ROWS * OUT_BYTES;
        const int STEPS = TAPS == 1 ? 1 : ROWS / 16;
        int steps = is_tap ? STEPS : 0;
#pragma unroll 1
        for (int step = 0; step < steps; step++) {
            int first = (TAPS == 1 ? warp : step) * 16;
            // Rows of the four matrices of 8x8: rows 0 to 7 and 8 to 15, each of 8 and of 8 further channels.
            int left_row = first + (lane >> 4) * 8 + (lane & 7), left_half = lane >> 3 & 1;
            int right_row = first + (lane >> 3 & 1) * 8 + (lane & 7), right_half = lane >> 4;
            bool is_there = masks[stage * ROWS + left_row] >> tap & 1;
            int seen = left_row + shift;
            const char *left = is_there ? left_tile + seen * IN_BYTES : zeros + (seen * IN_BYTES & 127);
            const char *right = right_tile + right_row * OUT_BYTES;
            unsigned columns[OUT / 16][4];
#pragma unroll
            for (int j = 0; j < OUT / 16; j++)
                load_transposed(columns[j], right + (((2 * j + right_half) ^ permutation<OUT>(right_row)) << 4));
#pragma unroll
            for (int i = 0; i < IN / 16; i++) {
                unsigned rows[4];
                load_transposed(rows, left + (((2 * i + left_half) ^ permutation<IN>(seen)) << 4));
#pragma unroll
                for (int j = 0; j < OUT / 16; j++) {
                    multiply_add(sums[i][2 * j], rows, columns[j][0], columns[j][1]);
                    multiply_add(sums[i][2 * j + 1], rows, columns[j][2], columns[j][3]);
                }
            }
        }
        stage = (stage + 1) % STAGES;
    }
    wait_for_copies<0>();

    // Writes the sums of a warp, or adds those of all warps one after another in shared memory.
    float *to = a.sums + ((size_t)slice * taps + tap) * a.inputs * a.outputs;
    float *all = reinterpret_cast<float *>(shared);
    for (int turn = 0; turn < (TAPS == 1 ? WARPS : 1); turn++) {
        __syncthreads();
        if (!is_tap || (TAPS == 1 && warp != turn))
            continue;
#pragma unroll
        for (int i = 0; i < IN / 16; i++) {
#pragma unroll
            for (int j = 0; j < OUT / 8; j++) {
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    int input = i * 16 + (lane >> 2) + (k >> 1) * 8, output = j * 8 + (lane & 3) * 2 + (k & 1);
                    if (TAPS == 1) {
                        float *sum = all + input * OUT + output;
                        *sum = turn == 0 ? sums[i][j][k] : *sum + sums[i][j][k];
                    } else {
                        to[(size_t)(first_input + input) * a.outputs + first_output + output] = sums[i][j][k];
                    }
                }
            }
        }
    }
    if (TAPS != 1)
        return;
    __syncthreads();
    for (int index = thread; index < IN * OUT; index += THREADS)
        to[(size_t)(first_input + index / OUT) * a.outputs + first_output + index % OUT] = all[index];
}
