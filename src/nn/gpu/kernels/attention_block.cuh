// The norm, the projections and the attention of a block of a transformer on tensor cores. A block of threads has a key head of a
// board: it computes the keys and values of all points once, and queries where they are used.

// Adds the products of 16 rows with COLUMNS columns, whose weights are `[column][16]`, the pieces of eight permuted.
template <int COLUMNS>
__device__ inline void project(const unsigned (&left)[4], const char *weights, float (&sums)[COLUMNS / 8][4]) {
    const int ROW_BYTES = 32;
    int lane = threadIdx.x & 31, row = (lane >> 4) * 8 + (lane & 7);
    const char *own = weights + row * ROW_BYTES + (((lane >> 3 & 1) ^ piece_permutation<16>(row)) << 4);
#pragma unroll
    for (int j = 0; j < COLUMNS / 16; j++) {
        unsigned right[4];
        load_matrices(right, own + j * 16 * ROW_BYTES);
        multiply_add(sums[2 * j], left, right[0], right[1]);
        multiply_add(sums[2 * j + 1], left, right[2], right[3]);
    }
}

// Two channels of a key or query of a point, divided by the root mean square and turned.
__device__ inline unsigned turned_pair(const AttentionArguments &a, int kv_head, int point, int channel, float one,
                                       float other, float factor) {
    one *= factor;
    other *= factor;
    if (a.turns && point < a.area && channel < a.key_stride)
        turn_pair(turn_of(a, kv_head, point, channel / 2), one, other);
    return pair_of(in_range(one), in_range(other));
}

// Keys and values of 16 points of a board from `first` on.
template <int KEY, int VALUE>
__device__ inline void project_keys(const AttentionArguments &a, const f16 *rows, const char *weights, int columns,
                                    int kv_head, int first, char *keys, char *values) {
    int lane = threadIdx.x & 31, own = first + (lane >> 2);
    float of_keys[KEY / 8][4] = {}, of_values[VALUE / 8][4] = {}, factors[2] = {};
#pragma unroll 2
    for (int block = 0; block < a.inputs / 32; block++) {
        unsigned one[4], other[4];
        load_block(rows, a.area, a.inputs, own, block, one, other, factors);
        const char *of_one = weights + 2 * block * columns * 32, *of_other = of_one + columns * 32;
        project<KEY>(one, of_one, of_keys);
        project<VALUE>(one, of_one + KEY * 32, of_values);
        project<KEY>(other, of_other, of_keys);
        project<VALUE>(other, of_other + KEY * 32, of_values);
    }
    divide_by_root(factors, a.inverse_count, a.epsilon);
#pragma unroll
    for (int half = 0; half < 2; half++) {
        int point = own + half * 8, within = (lane & 3) * 4;
        float factor = factors[half];
#pragma unroll
        for (int n = 0; n < KEY / 8; n++)
            *reinterpret_cast<unsigned *>(piece_in<KEY>(keys, point, n) + within) =
                turned_pair(a, kv_head, point, n * 8 + (lane & 3) * 2, of_keys[n][2 * half],
                            of_keys[n][2 * half + 1], factor);
#pragma unroll
        for (int n = 0; n < VALUE / 8; n++)
            *reinterpret_cast<unsigned *>(piece_in<VALUE>(values, point, n) + within) =
                pair_of(in_range(of_values[n][2 * half] * factor), in_range(of_values[n][2 * half + 1] * factor));
    }
}

// The queries of 16 points of a board from `first` on: the left sides of `multiply_add`.
template <int KEY>
__device__ inline void project_queries(const AttentionArguments &a, const f16 *rows, const char *weights, int columns,
                                       int kv_head, int first, unsigned (&queries)[KEY / 16][4]) {
    int lane = threadIdx.x & 31, own = first + (lane >> 2);
    float sums[KEY / 8][4] = {}, factors[2] = {};
#pragma unroll 2
    for (int block = 0; block < a.inputs / 32; block++) {
        unsigned one[4], other[4];
        load_block(rows, a.area, a.inputs, own, block, one, other, factors);
        project<KEY>(one, weights + 2 * block * columns * 32, sums);
        project<KEY>(other, weights + (2 * block + 1) * columns * 32, sums);
    }
    divide_by_root(factors, a.inverse_count, a.epsilon);
#pragma unroll
    for (int n = 0; n < KEY / 8; n++)
#pragma unroll
        for (int half = 0; half < 2; half++)
            queries[n / 2][n % 2 * 2 + half] =
                turned_pair(a, kv_head, own + half * 8, n * 8 + (lane & 3) * 2, sums[n][2 * half],
                            sums[n][2 * half + 1], factors[half]);
}

template <int KEY, int VALUE> __device__ void attend_block(const AttentionArguments &a) {
    const int STEP = 64, WARPS = ATTENTION_WARPS, THREADS = WARPS * 32;
    SHARED(shared);
    char *keys = shared, *values = keys + a.chunk * KEY * 2, *weights = values + a.chunk * VALUE * 2;
    int warp = threadIdx.x >> 5, split = (int)blockIdx.x % a.splits, rest = (int)blockIdx.x / a.splits;
    int kv_head = rest % a.kv_heads, board = rest / a.kv_heads, group = a.heads / a.kv_heads;
    int columns = KEY + VALUE + group * KEY, weight_bytes = a.inputs * columns * 2;
    const char *from = (const char *)a.weights + (size_t)kv_head * weight_bytes;
    for (int place = threadIdx.x * 16; place < weight_bytes; place += THREADS * 16)
        copy_16(weights + place, from + place, true);
    close_copies();
    wait_for_copies<0>();
    __syncthreads();
    const f16 *rows = (const f16 *)a.from + (size_t)board * a.area * a.inputs;
    int of_head = (a.area + 15) / 16, tiles = group * of_head;
    for (int tile = warp; tile < of_head; tile += WARPS)
        project_keys<KEY, VALUE>(a, rows, weights, columns, kv_head, tile * 16, keys, values);
    __syncthreads();
    for (int tile = split * WARPS + warp; tile < tiles; tile += a.splits * WARPS) {
        int of_group = tile / of_head, query = tile % of_head * 16;
        unsigned queries[KEY / 16][4];
        project_queries<KEY>(a, rows, weights + (KEY + VALUE + of_group * KEY) * 32, columns, kv_head, query, queries);
        Attended<VALUE> found = {};
        found.most[0] = found.most[1] = -INFINITY;
        for (int done = 0; done < a.area; done += STEP)
            attend_keys<KEY, VALUE, STEP>(queries, keys, values, done, a.area - done, found);
        write_attended<VALUE>(a, board, kv_head * group + of_group, query, found);
    }
}
