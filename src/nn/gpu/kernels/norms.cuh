// RMS norms: `activation(from / sqrt(mean of squares + epsilon) * scale + bias)`.

struct NormArguments {
    const void *from;    // [row][stride]
    const float *affine; // [2][stride]: scale and bias before the activation; or null
    void *to;            // [row][stride]
    int rows, area, stride, activation;
    float inverse_count; // of the squares of a mean
    float epsilon;
};

#ifdef __CUDACC__
// The value of the thread of the warp whose number differs in these bits.
__device__ inline float exchange(float x, int bits) { return __shfl_xor_sync(~0u, x, bits); }
#endif

template <typename T> __device__ inline float squares_of(const Pack<T> &values) {
    float sum = 0.0f;
#pragma unroll
    for (int lane = 0; lane < 8; lane++)
        sum += wide(values.lane[lane]) * wide(values.lane[lane]);
    return sum;
}

template <typename T>
__device__ inline void norm_pack(const NormArguments &a, const Pack<T> *from, Pack<T> *to, int pack,
                                 float factor) {
    Pack<T> values = from[pack];
    float x[8];
#pragma unroll
    for (int lane = 0; lane < 8; lane++)
        x[lane] = wide(values.lane[lane]) * factor;
    if (a.affine) {
        const Pack<float> *affine = reinterpret_cast<const Pack<float> *>(a.affine);
        Pack<float> scale = affine[pack], bias = affine[a.stride / 8 + pack];
#pragma unroll
        for (int lane = 0; lane < 8; lane++)
            x[lane] = x[lane] * scale.lane[lane] + bias.lane[lane];
    }
    activate<sizeof(T) == 2>(x, a.activation);
#pragma unroll
    for (int lane = 0; lane < 8; lane++)
        round_to(values.lane[lane], x[lane]);
    to[pack] = values;
}

// With a mean for each row: 16 threads share a row.
template <typename T> __device__ void rms_norm(const NormArguments &a) {
    const int SHARES = 16;
    int share = threadIdx.x % SHARES, packs = a.stride / 8;
    int row = (int)(blockIdx.x * (blockDim.x / SHARES) + threadIdx.x / SHARES);
    bool is_there = row < a.rows;
    size_t place = (size_t)(is_there ? row : 0) * packs;
    const Pack<T> *from = (const Pack<T> *)a.from + place;
    float squares = 0.0f;
    for (int pack = share; pack < packs; pack += SHARES)
        squares += squares_of(from[pack]);
    for (int bits = 1; bits < SHARES; bits *= 2)
        squares += exchange(squares, bits);
    if (!is_there)
        return;
    float factor = 1.0f / sqrtf(squares * a.inverse_count + a.epsilon);
    for (int pack = share; pack < packs; pack += SHARES)
        norm_pack(a, from, (Pack<T> *)a.to + place, pack, factor);
}

// With one mean for all rows of a board: a block for each board.
template <typename T> __device__ void rms_norm_boards(const NormArguments &a) {
    SHARED(shared);
    float *sums = reinterpret_cast<float *>(shared);
    int packs = a.stride / 8, all = a.area * packs;
    const Pack<T> *from = (const Pack<T> *)a.from + (size_t)blockIdx.x * all;
    Pack<T> *to = (Pack<T> *)a.to + (size_t)blockIdx.x * all;
    float squares = 0.0f;
    for (int place = threadIdx.x; place < all; place += blockDim.x)
        squares += squares_of(from[place]);
    sums[threadIdx.x] = squares;
    for (int left = blockDim.x / 2; left > 0; left /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < left)
            sums[threadIdx.x] += sums[threadIdx.x + left];
    }
    __syncthreads();
    float factor = 1.0f / sqrtf(sums[0] * a.inverse_count + a.epsilon);
    for (int place = threadIdx.x; place < all; place += blockDim.x) {
        int start = place / packs * packs;
        norm_pack(a, from + start, to + start, place % packs, factor);
    }
}
