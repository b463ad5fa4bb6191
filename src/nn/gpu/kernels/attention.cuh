// Self-attention over the points of a board: `softmax(query * key) * value` for each head, given the projections. Queries
// are scaled so that weights are powers of two of the products.

struct AttentionArguments {
    const void *projected; // [row][stride]: queries of all heads, then keys and values of all key heads
    // Cosine and sine of the angle that a column adds, and a row: [2][MOST_PLACES][turn_heads][key_stride / 2][2]; or null.
    const float *turns;
    void *to; // [row][to_stride]: [head][value_width], then zeros
    int area, width, stride, to_stride;
    int heads, kv_heads, turn_heads; // turn_heads is kv_heads, or 1 if they all turn alike
    int key_stride, value_stride;    // channels of a head in `projected`, multiples of 8
    int value_width;
    int first_key, first_value; // columns of `projected`
    int chunk;                  // keys in shared memory at a time: a multiple of 16, all of them or a multiple of 64
    int splits;                 // blocks that share the queries of a key head
    // In place of `projected` for whole blocks, see `attention_block.cuh`.
    const void *from;    // [row][inputs]
    const void *weights; // see `nn::gpu::attention_block`
    int inputs, reserved;
    float inverse_count; // of the squares of a row
    float epsilon;
};

// Rows and columns of the largest board.
const int MOST_PLACES = 25;

#ifdef __CUDACC__
__device__ inline float power_of_two(float x) {
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
}

// Two values in f16, the first in the low half.
__device__ inline unsigned pair_of(float low, float high) {
    unsigned pair;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}
#endif

// A cosine and a sine, by which a pair of channels is turned.
struct alignas(8) Turn {
    float cos, sin;
};

__device__ inline Turn turn_of(const AttentionArguments &a, int kv_head, int point, int pair) {
    int pairs = a.key_stride / 2, line = a.turn_heads * pairs;
    const Turn *turns = reinterpret_cast<const Turn *>(a.turns) + (a.turn_heads > 1 ? kv_head * pairs : 0) + pair;
    Turn column = turns[point % a.width * line], row = turns[(MOST_PLACES + point / a.width) * line];
    return {column.cos * row.cos - column.sin * row.sin, column.sin * row.cos + column.cos * row.sin};
}

__device__ inline void turn_pair(const Turn &turn, float &first, float &second) {
    float x = first, y = second;
    first = x * turn.cos - y * turn.sin;
    second = y * turn.cos + x * turn.sin;
}

// ---- on tensor cores ---------------------------------------------------------------------------

const int ATTENTION_WARPS = 8;

// How pieces of eight channels are permuted in a row of WIDTH channels in shared memory, so that eight neighboring rows have
// theirs in different banks.
template <int WIDTH> __device__ inline int piece_permutation(int row) {
    const int PIECES = WIDTH / 8, ROWS_OF_LINE = PIECES < 8 ? 8 / PIECES : 1;
    return row / ROWS_OF_LINE & (PIECES < 8 ? PIECES - 1 : 7);
}

template <int WIDTH> __device__ inline char *piece_in(char *rows, int row, int piece) {
    return rows + row * WIDTH * 2 + ((piece ^ piece_permutation<WIDTH>(row)) << 4);
}

// Copies keys, turned, and values of `count` points from `start` on; zeros for points beyond the board and channels beyond
// the head's.
template <int KEY, int VALUE>
__device__ inline void copy_keys(const AttentionArguments &a, const f16 *rows, int kv_head, int start, char *keys,
                                 char *values) {
    const int THREADS = ATTENTION_WARPS * 32, KEY_PIECES = KEY / 8, VALUE_PIECES = VALUE / 8;
    const f16 *from_values = rows + a.first_value + kv_head * a.value_stride;
    for (int place = threadIdx.x; place < a.chunk * VALUE_PIECES; place += THREADS) {
        int row = place / VALUE_PIECES, piece = place % VALUE_PIECES, point = start + row;
        bool is_there = point < a.area && piece * 8 < a.value_stride;
        const f16 *from = is_there ? from_values + (size_t)point * a.stride + piece * 8 : rows;
        copy_16(piece_in<VALUE>(values, row, piece), from, is_there);
    }
    close_copies();
    const f16 *from_keys = rows + a.first_key + kv_head * a.key_stride;
#pragma unroll 4
    for (int place = threadIdx.x; place < a.chunk * KEY_PIECES; place += THREADS) {
        int row = place / KEY_PIECES, piece = place % KEY_PIECES, point = start + row;
        bool is_there = point < a.area && piece * 8 < a.key_stride;
        Pack<f16> key = {};
        if (is_there)
            key = *reinterpret_cast<const Pack<f16> *>(from_keys + (size_t)point * a.stride + piece * 8);
        if (is_there && a.turns) {
#pragma unroll
            for (int pair = 0; pair < 4; pair++) {
                float first = wide(key.lane[2 * pair]), second = wide(key.lane[2 * pair + 1]);
                turn_pair(turn_of(a, kv_head, point, piece * 4 + pair), first, second);
                round_to(key.lane[2 * pair], first);
                round_to(key.lane[2 * pair + 1], second);
            }
        }
        *reinterpret_cast<Pack<f16> *>(piece_in<KEY>(keys, row, piece)) = key;
    }
    wait_for_copies<0>();
}

// Two channels, which a thread reads at once.
struct alignas(4) Two {
    f16 lane[2];
};

// The queries of 16 points from `first` on, turned: the left sides of `multiply_add`.
template <int KEY>
__device__ inline void load_queries(const AttentionArguments &a, const f16 *rows, int head, int first,
                                    unsigned (&queries)[KEY / 16][4]) {
    int lane = threadIdx.x & 31, kv_head = head / (a.heads / a.kv_heads);
    const f16 *from = rows + head * a.key_stride;
#pragma unroll
    for (int k = 0; k < KEY / 16; k++) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int point = first + (lane >> 2) + (i & 1) * 8, channel = k * 16 + (i >> 1) * 8 + (lane & 3) * 2;
            bool is_there = point < a.area && channel < a.key_stride;
            float one = 0.0f, other = 0.0f;
            if (is_there) {
                Two two = *reinterpret_cast<const Two *>(from + (size_t)point * a.stride + channel);
                one = wide(two.lane[0]);
                other = wide(two.lane[1]);
                if (a.turns)
                    turn_pair(turn_of(a, kv_head, point, channel / 2), one, other);
            }
            queries[k][i] = pair_of(in_range(one), in_range(other));
        }
    }
}

// What 16 queries have found so far. A thread has two of them, eight rows apart.
template <int VALUE> struct Attended {
    float sums[VALUE / 8][4]; // weighted values, as in `multiply_add`
    float most[2];            // the greatest product
    float total[2];           // weights of the keys that this thread has seen
};

// Adds STEP keys from row `start` of the chunk on, or those that are `left`.
template <int KEY, int VALUE, int STEP>
__device__ inline void attend_keys(const unsigned (&queries)[KEY / 16][4], const char *keys, const char *values,
                                   int start, int left, Attended<VALUE> &found) {
    int lane = threadIdx.x & 31;
    float products[STEP / 8][4];
    int key_row = (lane >> 4) * 8 + (lane & 7), key_permutation = piece_permutation<KEY>(key_row) ^ (lane >> 3 & 1);
    const char *key_rows = keys + (start + key_row) * KEY * 2;
#pragma unroll
    for (int j = 0; j < STEP / 16; j++) {
#pragma unroll
        for (int i = 0; i < 4; i++)
            products[2 * j][i] = products[2 * j + 1][i] = 0.0f;
        if (j * 16 >= left)
            continue;
#pragma unroll
        for (int k = 0; k < KEY / 16; k++) {
            unsigned right[4];
            load_matrices(right, key_rows + j * 16 * KEY * 2 + ((2 * k ^ key_permutation) << 4));
            multiply_add(products[2 * j], queries[k], right[0], right[1]);
            multiply_add(products[2 * j + 1], queries[k], right[2], right[3]);
        }
    }
    if (left < STEP) {
#pragma unroll
        for (int j = 0; j < STEP / 8; j++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                if (j * 8 + (lane & 3) * 2 + (i & 1) >= left)
                    products[j][i] = -INFINITY;
    }
#pragma unroll
    for (int half = 0; half < 2; half++) {
        float most = found.most[half];
#pragma unroll
        for (int j = 0; j < STEP / 8; j++)
            most = fmaxf(most, fmaxf(products[j][2 * half], products[j][2 * half + 1]));
        most = fmaxf(most, exchange(most, 1));
        most = fmaxf(most, exchange(most, 2));
        float factor = power_of_two(found.most[half] - most), total = 0.0f;
        found.most[half] = most;
#pragma unroll
        for (int j = 0; j < STEP / 8; j++)
#pragma unroll
            for (int i = 2 * half; i < 2 * half + 2; i++) {
                products[j][i] = power_of_two(products[j][i] - most);
                total += products[j][i];
            }
        found.total[half] = found.total[half] * factor + total;
#pragma unroll
        for (int n = 0; n < VALUE / 8; n++) {
            found.sums[n][2 * half] *= factor;
            found.sums[n][2 * half + 1] *= factor;
        }
    }
    int value_row = lane & 15, value_permutation = piece_permutation<VALUE>(value_row) ^ lane >> 4;
    const char *value_rows = values + (start + value_row) * VALUE * 2;
#pragma unroll
    for (int j = 0; j < STEP / 16; j++) {
        if (j * 16 >= left)
            break;
        unsigned weights[4] = {pair_of(products[2 * j][0], products[2 * j][1]),
                               pair_of(products[2 * j][2], products[2 * j][3]),
                               pair_of(products[2 * j + 1][0], products[2 * j + 1][1]),
                               pair_of(products[2 * j + 1][2], products[2 * j + 1][3])};
#pragma unroll
        for (int n = 0; n < VALUE / 16; n++) {
            unsigned right[4];
            load_transposed(right, value_rows + j * 16 * VALUE * 2 + ((2 * n ^ value_permutation) << 4));
            multiply_add(found.sums[2 * n], weights, right[0], right[1]);
            multiply_add(found.sums[2 * n + 1], weights, right[2], right[3]);
        }
    }
}

// Writes the means of 16 queries from point `first` of a board on.
template <int VALUE>
__device__ inline void write_attended(const AttentionArguments &a, int board, int head, int first,
                                      const Attended<VALUE> &found) {
    int lane = threadIdx.x & 31;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        float total = found.total[half];
        total += exchange(total, 1);
        total += exchange(total, 2);
        float factor = 1.0f / total;
        int point = first + (lane >> 2) + half * 8;
        if (point >= a.area)
            continue;
        f16 *row = (f16 *)a.to + ((size_t)board * a.area + point) * a.to_stride;
        f16 *to = row + head * a.value_width;
#pragma unroll
        for (int n = 0; n < VALUE / 8; n++) {
            int channel = n * 8 + (lane & 3) * 2;
            float one = found.sums[n][2 * half] * factor, other = found.sums[n][2 * half + 1] * factor;
            if (a.value_width % 2 == 0 && channel < a.value_width)
                *reinterpret_cast<unsigned *>(to + channel) = pair_of(one, other);
            else {
                if (channel < a.value_width)
                    round_to(to[channel], one);
                if (channel + 1 < a.value_width)
                    round_to(to[channel + 1], other);
            }
        }
        if (head == a.heads - 1)
            for (int channel = a.heads * a.value_width + (lane & 3); channel < a.to_stride; channel += 4)
                round_to(row[channel], 0.0f);
    }
}

// A block has a key head of a board, with all query heads that use it, or a share of their queries; a warp has 16 queries at a
// time. Keys and values of all points are in shared memory, or where it is too small a chunk of them at a time.
template <int KEY, int VALUE> __device__ void attend(const AttentionArguments &a) {
    const int STEP = VALUE > 64 ? 32 : 64;
    SHARED(shared);
    char *keys = shared, *values = shared + a.chunk * KEY * 2;
    int warp = threadIdx.x >> 5, split = (int)blockIdx.x % a.splits, rest = (int)blockIdx.x / a.splits;
    int kv_head = rest % a.kv_heads, board = rest / a.kv_heads, group = a.heads / a.kv_heads;
    const f16 *rows = (const f16 *)a.projected + (size_t)board * a.area * a.stride;
    int of_head = (a.area + 15) / 16, tiles = group * of_head;
    for (int first = split * ATTENTION_WARPS; first < tiles; first += a.splits * ATTENTION_WARPS) {
        int tile = first + warp, head = kv_head * group + tile / of_head, query = tile % of_head * 16;
        bool is_used = tile < tiles;
        unsigned queries[KEY / 16][4];
        if (is_used)
            load_queries<KEY>(a, rows, head, query, queries);
        Attended<VALUE> found = {};
        found.most[0] = found.most[1] = -INFINITY;
        for (int start = 0; start < a.area; start += a.chunk) {
            if (a.chunk < a.area || first == split * ATTENTION_WARPS) {
                __syncthreads();
                copy_keys<KEY, VALUE>(a, rows, kv_head, start, keys, values);
                __syncthreads();
            }
            int count = a.area - start < a.chunk ? a.area - start : a.chunk;
            if (is_used)
                for (int done = 0; done < count; done += STEP)
                    attend_keys<KEY, VALUE, STEP>(queries, keys, values, done, count - done, found);
        }
        if (is_used)
            write_attended<VALUE>(a, board, head, query, found);
    }
}

// ---- in f32 ------------------------------------------------------------------------------------

// A block has eight queries of a head of a board.
__device__ inline void attend_plain(const AttentionArguments &a) {
    const int QUERIES = 8;
    SHARED(shared);
    float *queries = reinterpret_cast<float *>(shared), *products = queries + QUERIES * a.key_stride;
    int groups = (a.area + QUERIES - 1) / QUERIES, first = (int)blockIdx.x % groups * QUERIES;
    int head = (int)blockIdx.x / groups % a.heads, board = (int)blockIdx.x / groups / a.heads;
    int kv_head = head / (a.heads / a.kv_heads), pairs = a.key_stride / 2;
    const float *rows = (const float *)a.projected + (size_t)board * a.area * a.stride;
    for (int place = threadIdx.x; place < QUERIES * pairs; place += blockDim.x) {
        int point = first + place / pairs, pair = place % pairs;
        float *to = queries + place * 2;
        to[0] = to[1] = 0.0f;
        if (point < a.area) {
            const float *from = rows + (size_t)point * a.stride + head * a.key_stride + pair * 2;
            to[0] = from[0];
            to[1] = from[1];
            if (a.turns)
                turn_pair(turn_of(a, kv_head, point, pair), to[0], to[1]);
        }
    }
    __syncthreads();
    for (int point = threadIdx.x; point < a.area; point += blockDim.x) {
        const float *key = rows + (size_t)point * a.stride + a.first_key + kv_head * a.key_stride;
        float sums[QUERIES] = {};
        for (int pair = 0; pair < pairs; pair++) {
            float one = key[pair * 2], other = key[pair * 2 + 1];
            if (a.turns)
                turn_pair(turn_of(a, kv_head, point, pair), one, other);
#pragma unroll
            for (int query = 0; query < QUERIES; query++)
                sums[query] += queries[query * a.key_stride + pair * 2] * one +
                               queries[query * a.key_stride + pair * 2 + 1] * other;
        }
#pragma unroll
        for (int query = 0; query < QUERIES; query++)
            products[query * a.area + point] = sums[query];
    }
    __syncthreads();
    // Each warp takes some of the queries.
    int warp = threadIdx.x >> 5, warps = blockDim.x >> 5, lane = threadIdx.x & 31;
    for (int query = warp; query < QUERIES; query += warps) {
        float *of_query = products + query * a.area, most = -INFINITY, total = 0.0f;
        for (int point = lane; point < a.area; point += 32)
            most = fmaxf(most, of_query[point]);
        for (int bits = 1; bits < 32; bits *= 2)
            most = fmaxf(most, exchange(most, bits));
        for (int point = lane; point < a.area; point += 32)
            total += of_query[point] = exp2f(of_query[point] - most);
        for (int bits = 1; bits < 32; bits *= 2)
            total += exchange(total, bits);
        for (int point = lane; point < a.area; point += 32)
            of_query[point] /= total;
    }
    __syncthreads();
    int used = a.heads * a.value_width, width = a.value_width;
    if (head == a.heads - 1)
        width += a.to_stride - used; // with the zeros after the last head
    for (int place = threadIdx.x; place < QUERIES * width; place += blockDim.x) {
        int query = place / width, channel = place % width;
        if (first + query >= a.area)
            continue;
        const float *value = rows + a.first_value + kv_head * a.value_stride + channel;
        float sum = 0.0f;
        if (channel < a.value_width)
            for (int point = 0; point < a.area; point++)
                sum += products[query * a.area + point] * value[(size_t)point * a.stride];
        size_t row = (size_t)board * a.area + first + query;
        ((float *)a.to)[row * a.to_stride + head * a.value_width + channel] = sum;
    }
}
