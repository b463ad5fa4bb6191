// Pooling over chains and empty regions, see `nn::regions`.

struct ChainsArguments {
    const void *from;             // [row][stride]
    const unsigned short *points; // [board][area]: points by region; REGION_START is added to the first of each
    void *to;                     // [row][to_stride]: mean, mean by size and maximum of all channels, then zeros
    int boards, area, channels, stride, to_stride, reserved;
};

// As in `nn::gpu::inputs`.
const int REGION_START = 1 << 15;

// As `nn::regions::size_factor`.
__device__ inline float size_factor(float points) { return (sqrtf(points) - 4.0f) * 0.25f; }

// A block for each board and each eight channels. Boards of a batch that have no position have any list.
template <typename T> __device__ void pool_chains(const ChainsArguments &a) {
    SHARED(shared);
    int packs = (a.channels + 7) / 8, board = (int)blockIdx.x / packs, first = (int)blockIdx.x % packs * 8;
    float *values = reinterpret_cast<float *>(shared), *pooled = values + a.area * 8; // [point][8], [start][3][8]
    unsigned short *points = reinterpret_cast<unsigned short *>(pooled + a.area * 24);
    unsigned short *starts = points + a.area; // of the region of each point
    const unsigned short *list = a.points + (size_t)board * a.area;
    for (int place = threadIdx.x; place < a.area; place += blockDim.x) {
        size_t row = (size_t)board * a.area + place;
        Pack<T> pack = *reinterpret_cast<const Pack<T> *>((const T *)a.from + row * a.stride + first);
        for (int lane = 0; lane < 8; lane++)
            values[place * 8 + lane] = wide(pack.lane[lane]);
        points[place] = list[place];
        starts[place] = 0;
    }
    __syncthreads();
    int lane = threadIdx.x & 7, shares = blockDim.x / 8;
    for (int start = threadIdx.x / 8; start < a.area; start += shares) {
        if (start > 0 && !(points[start] & REGION_START))
            continue;
        float sum = 0.0f, most = -INFINITY;
        int place = start;
        do {
            int point = points[place] & (REGION_START - 1);
            point = point < a.area ? point : a.area - 1;
            float value = values[point * 8 + lane];
            sum += value;
            most = fmaxf(most, value);
            if (lane == 0)
                starts[point] = start;
            place++;
        } while (place < a.area && !(points[place] & REGION_START));
        float count = place - start, mean = sum * (1.0f / count);
        float *to = pooled + start * 24 + lane;
        to[0] = mean;
        to[8] = mean * size_factor(count);
        to[16] = most;
    }
    __syncthreads();
    for (int place = threadIdx.x; place < a.area * 24; place += blockDim.x) {
        int point = place / 24, third = place % 24 / 8, channel = first + place % 8;
        size_t row = (size_t)board * a.area + point;
        if (channel < a.channels)
            round_to(((T *)a.to)[row * a.to_stride + third * a.channels + channel],
                     pooled[starts[point] * 24 + third * 8 + place % 8]);
    }
    // The zeros after the last channel.
    int used = 3 * a.channels, unused = a.to_stride - used;
    if (first == 0)
        for (int place = threadIdx.x; place < a.area * unused; place += blockDim.x) {
            size_t row = (size_t)board * a.area + place / unused;
            round_to(((T *)a.to)[row * a.to_stride + used + place % unused], 0.0f);
        }
}
