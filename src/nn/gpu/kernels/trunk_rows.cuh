// Rows of the trunk as the left sides of products on tensor cores, for whole blocks of transformers: the norm only divides a
// row by its root mean square, so products are divided instead.

// Sixteen bytes of a row: four pairs of channels.
struct alignas(16) Words {
    unsigned word[4];
};

__device__ inline Two two_of(unsigned pair) {
    union {
        unsigned pair;
        Two two;
    } both;
    both.pair = pair;
    return both.two;
}

// Channels from 32 `block` on of a thread's rows `first` and `first` + 8, as the left sides of two products; zeros for rows beyond
// the end. Each thread reads eight neighboring channels of a row, so that inputs of products are permuted: see
// `nn::gpu::feed_forward::place_of_channel`. Adds squares.
__device__ inline void load_block(const void *from, int rows, int channels, int first, int block, unsigned (&one)[4],
                                  unsigned (&other)[4], float (&squares)[2]) {
#pragma unroll
    for (int half = 0; half < 2; half++) {
        int row = first + half * 8;
        Words words = {};
        if (row < rows)
            words = *reinterpret_cast<const Words *>((const f16 *)from + (size_t)row * channels + block * 32 +
                                                     (threadIdx.x & 3) * 8);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            Two two = two_of(words.word[i]);
            squares[half] += wide(two.lane[0]) * wide(two.lane[0]) + wide(two.lane[1]) * wide(two.lane[1]);
        }
        one[half] = words.word[0];
        one[2 + half] = words.word[1];
        other[half] = words.word[2];
        other[2 + half] = words.word[3];
    }
}

// One over the root mean square of a thread's two rows, given the squares that each of four threads has seen.
__device__ inline void divide_by_root(float (&squares)[2], float inverse_count, float epsilon) {
#pragma unroll
    for (int half = 0; half < 2; half++) {
        squares[half] += exchange(squares[half], 1);
        squares[half] += exchange(squares[half], 2);
        squares[half] = 1.0f / sqrtf(squares[half] * inverse_count + epsilon);
    }
}
