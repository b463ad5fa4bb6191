// A whole feed-forward block on tensor cores: `from + output(silu(inner(x)) * gate(x))` with `x = from / sqrt(mean of squares +
// epsilon)`. What lies between stays in registers.

struct FeedForwardArguments {
    const void *from;    // [row][CHANNELS]
    const void *weights; // see `nn::gpu::feed_forward`
    const float *affine; // [2][CHANNELS]: scale and bias before the activation
    void *raw;           // the sum; or null
    void *normed;        // activation(raw * scale + bias); or null
    int rows, steps, activation;
    float inverse_count; // of the channels of a row
    float epsilon;
    int reserved;
};

const int FEED_FORWARD_WARPS = 8;
// Hidden channels of a step are 16; steps of a stage of the pipeline of copies, and stages. As in `nn::gpu::feed_forward`.
const int STEPS_OF_STAGE = 2, FEED_FORWARD_STAGES = 3;

// Adds the products of a step, given 16 rows and the factors of a thread's two rows.
template <int CHANNELS>
__device__ inline void feed_step(const unsigned (&left)[CHANNELS / 16][4], const float (&factors)[2],
                                 const char *weights, float (&sums)[CHANNELS / 8][4]) {
    const int ROW_BYTES = 32, CHUNK_BYTES = 32 * ROW_BYTES;
    int lane = threadIdx.x & 31, row = (lane >> 4) * 8 + (lane & 7);
    const char *own = weights + row * ROW_BYTES + (((lane >> 3 & 1) ^ piece_permutation<16>(row)) << 4);
    float products[4][4] = {};
#pragma unroll
    for (int k = 0; k < CHANNELS / 16; k++) {
#pragma unroll
        for (int j = 0; j < 2; j++) {
            unsigned right[4];
            load_matrices(right, own + k * CHUNK_BYTES + j * 16 * ROW_BYTES);
            multiply_add(products[2 * j], left[k], right[0], right[1]);
            multiply_add(products[2 * j + 1], left[k], right[2], right[3]);
        }
    }
    unsigned hidden[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        // Rows eight apart in turn; columns of `inner` and of `gate` in turn.
        const float *inner = products[i / 2 * 2] + i % 2 * 2, *gate = products[i / 2 * 2 + 1] + i % 2 * 2;
        float factor = factors[i % 2], both[2];
#pragma unroll
        for (int half = 0; half < 2; half++)
            both[half] = in_range(silu<true>(inner[half] * factor) * (gate[half] * factor));
        hidden[i] = pair_of(both[0], both[1]);
    }
    own += CHANNELS / 16 * CHUNK_BYTES;
#pragma unroll
    for (int n = 0; n < CHANNELS / 16; n++) {
        unsigned right[4];
        load_matrices(right, own + n * 16 * ROW_BYTES);
        multiply_add(sums[2 * n], hidden, right[0], right[1]);
        multiply_add(sums[2 * n + 1], hidden, right[2], right[3]);
    }
}

// Eight channels of a row.
__device__ inline void finish_eight(const FeedForwardArguments &a, size_t row, int channels, int channel, float (&x)[8]) {
    size_t place = row * channels + channel;
    Pack<f16> pack;
    if (a.raw) {
#pragma unroll
        for (int i = 0; i < 8; i++)
            round_to(pack.lane[i], x[i]);
        *reinterpret_cast<Pack<f16> *>((f16 *)a.raw + place) = pack;
    }
    if (a.normed) {
#pragma unroll
        for (int i = 0; i < 8; i++)
            x[i] = x[i] * a.affine[channel + i] + a.affine[channels + channel + i];
        activate<true>(x, a.activation);
#pragma unroll
        for (int i = 0; i < 8; i++)
            round_to(pack.lane[i], x[i]);
        *reinterpret_cast<Pack<f16> *>((f16 *)a.normed + place) = pack;
    }
}

// A block has 128 rows, a warp 16 of them; weights pass through shared memory.
template <int CHANNELS> __device__ void feed_forward(const FeedForwardArguments &a) {
    const int THREADS = FEED_FORWARD_WARPS * 32, STAGES = FEED_FORWARD_STAGES;
    const int STEP_BYTES = CHANNELS * 96, STAGE_BYTES = STEPS_OF_STAGE * STEP_BYTES;
    SHARED(shared);
    int stages = a.steps / STEPS_OF_STAGE, copied = 0;
    auto copy_next = [&]() {
        if (copied < stages) {
            const char *from = (const char *)a.weights + (size_t)copied * STAGE_BYTES;
            char *to = shared + copied % STAGES * STAGE_BYTES;
            for (int place = threadIdx.x * 16; place < STAGE_BYTES; place += THREADS * 16)
                copy_16(to + place, from + place, true);
            copied++;
        }
        close_copies();
    };
    for (int stage = 0; stage < STAGES - 1; stage++)
        copy_next();

    int lane = threadIdx.x & 31, first = (int)(blockIdx.x * FEED_FORWARD_WARPS + (threadIdx.x >> 5)) * 16 + (lane >> 2);
    unsigned left[CHANNELS / 16][4];
    float factors[2] = {};
#pragma unroll
    for (int block = 0; block < CHANNELS / 32; block++)
        load_block(a.from, a.rows, CHANNELS, first, block, left[2 * block], left[2 * block + 1], factors);
    divide_by_root(factors, a.inverse_count, a.epsilon);

    float sums[CHANNELS / 8][4] = {};
    for (int stage = 0; stage < stages; stage++) {
        wait_for_copies<STAGES - 2>();
        __syncthreads();
        copy_next();
        const char *weights = shared + stage % STAGES * STAGE_BYTES;
#pragma unroll(CHANNELS == 96 ? STEPS_OF_STAGE : 1) // without spills
        for (int step = 0; step < STEPS_OF_STAGE; step++)
            feed_step<CHANNELS>(left, factors, weights + step * STEP_BYTES, sums);
    }
    // Rows and columns of sums are those of the left sides.
#pragma unroll
    for (int block = 0; block < CHANNELS / 32; block++) {
#pragma unroll
        for (int half = 0; half < 2; half++) {
            int row = first + half * 8;
            if (row >= a.rows)
                continue;
            float x[8];
#pragma unroll
            for (int pair = 0; pair < 4; pair++) {
                Two two = two_of(left[2 * block + pair / 2][pair % 2 * 2 + half]);
#pragma unroll
                for (int i = 0; i < 2; i++)
                    x[2 * pair + i] = sums[4 * block + pair][2 * half + i] + wide(two.lane[i]);
            }
            finish_eight(a, row, CHANNELS, block * 32 + (lane & 3) * 8, x);
        }
    }
}
