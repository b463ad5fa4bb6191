// Gated layers: `silu(from * inner) * (from * gate)`. The weights are those of a 1x1 convolution with eight columns of
// `inner` and eight of `gate` in turn, so that whoever has the products of 16 columns finishes eight channels. Its
// activation is GATED; only `normed` is written, with half as many channels as the product.

template <typename T>
__device__ inline void finish_gated(const ConvArguments &a, int row, int first, const float *inner,
                                    const float *gate) {
    Pack<T> pack;
#pragma unroll
    for (int lane = 0; lane < 8; lane++)
        round_to(pack.lane[lane], silu<sizeof(T) == 2>(inner[lane]) * gate[lane]);
    *reinterpret_cast<Pack<T> *>((T *)a.normed + (size_t)row * (a.outputs / 2) + first) = pack;
}

// Finishes a tile of products in shared memory, whose rows have STRIDE floats.
template <int ROWS, int COLUMNS, int THREADS, int STRIDE>
__device__ inline void finish_gated_tile(const ConvArguments &a, const float *results, int first_row,
                                         int first_column) {
    const int PAIRS = COLUMNS / 16, AT_ONCE = THREADS / PAIRS;
    int thread = threadIdx.x, pair = thread % PAIRS;
    if (thread >= AT_ONCE * PAIRS)
        return;
    int end = a.rows - first_row < ROWS ? a.rows - first_row : ROWS;
#pragma unroll 2
    for (int row = thread / PAIRS; row < end; row += AT_ONCE) {
        const Pack<float> *from = reinterpret_cast<const Pack<float> *>(results + row * STRIDE + pair * 16);
        Pack<float> inner = from[0], gate = from[1];
        finish_gated<f16>(a, first_row + row, first_column / 2 + pair * 8, inner.lane, gate.lane);
    }
}

// In f32, without tensor cores: eight channels of a row for each thread. Weights are `[input][output]`.
__device__ inline void gated_plain(const ConvArguments &a) {
    int pairs = a.outputs / 16, thread = blockIdx.x * blockDim.x + threadIdx.x;
    int row = thread / pairs, pair = thread % pairs;
    if (row >= a.rows)
        return;
    const float *input = (const float *)a.input + (size_t)row * a.inputs;
    const float *weights = (const float *)a.weights + pair * 16;
    float inner[8] = {}, gate[8] = {};
    for (int c = 0; c < a.inputs; c++, weights += a.outputs) {
        const Pack<float> *w = reinterpret_cast<const Pack<float> *>(weights);
        Pack<float> of_inner = w[0], of_gate = w[1];
        for (int lane = 0; lane < 8; lane++) {
            inner[lane] += input[c] * of_inner.lane[lane];
            gate[lane] += input[c] * of_gate.lane[lane];
        }
    }
    finish_gated<f32>(a, row, pair * 8, inner, gate);
}
