// Operations that candle would do in many passes over memory, each in one. Every thread does all its
// work alone, so that the same source also runs on a CPU, where tests hold it against candle's own
// operations: tests/nn/cuda_kernels.rs brings the few words of CUDA that are used here.
//
// Matrices are `[cell][channel]`, row by row. A pack is a run of channels that is read at once: 16
// bytes of them where the number of channels allows that, or else a single one.

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

typedef __half f16;
typedef __nv_bfloat16 bf16;
typedef float f32;

__device__ inline float wide(f32 x) { return x; }
__device__ inline float wide(f16 x) { return __half2float(x); }
__device__ inline float wide(bf16 x) { return __bfloat162float(x); }
__device__ inline void round_to(f32 &to, float x) { to = x; }
__device__ inline void round_to(f16 &to, float x) { to = __float2half(x); }
__device__ inline void round_to(bf16 &to, float x) { to = __float2bfloat16(x); }

template <typename T, int LANES> struct alignas(sizeof(T) * LANES) Pack {
    T lane[LANES];
};

// Rust's `desc::Activation`, numbered in `nn::gpu::arguments`.
enum Activation { IDENTITY = 0, RELU = 1, SILU = 2, MISH = 3 };

// tanh(ln(1 + e)) = n / (n + 2) with n = e (e + 2), which is 1 for large e.
__device__ inline float tanh_of_softplus(float e) {
    float n = e * (e + 2.0f);
    return n / (n + 2.0f);
}

__device__ inline float activated(float x, int activation) {
    switch (activation) {
    case RELU:
        // NaN stays NaN, so that an overflow, which f16 has from 65520 on, is noticed in the outputs.
        return x < 0.0f ? 0.0f : x;
    case SILU:
        return x / (1.0f + expf(-x));
    case MISH:
        return x * tanh_of_softplus(expf(x < 20.0f ? x : 20.0f));
    default:
        return x;
    }
}

// The derivative of `activated`.
__device__ inline float slope(float x, int activation) {
    switch (activation) {
    case RELU:
        return x > 0.0f ? 1.0f : 0.0f;
    case SILU: {
        float sigmoid = 1.0f / (1.0f + expf(-x));
        return sigmoid * (1.0f + x * (1.0f - sigmoid));
    }
    case MISH: {
        float e = expf(x < 20.0f ? x : 20.0f);
        float tanh = tanh_of_softplus(e);
        return tanh + x * (1.0f - tanh * tanh) * (e / (e + 1.0f));
    }
    default:
        return 1.0f;
    }
}

__device__ inline unsigned thread_number() { return blockIdx.x * blockDim.x + threadIdx.x; }

// `[cell][channel]` as `[cell][ky][kx][channel]`: what a kernel sees from each cell, 0 beyond the first
// and the last one. A thread copies a pack to all places.
template <typename T, int LANES>
__device__ void patches(const T *cells, T *out, unsigned count, unsigned channels, int height,
                        int width, int stride, int is_mirrored) {
    typedef Pack<T, LANES> P;
    unsigned packs = channels / LANES, thread = thread_number();
    if (thread >= count * packs)
        return;
    unsigned cell = thread / packs, pack = thread % packs;
    const P *from = reinterpret_cast<const P *>(cells);
    P *to = reinterpret_cast<P *>(out) + (size_t)cell * height * width * packs + pack;
    for (int y = -(height / 2); y <= height / 2; y++) {
        for (int x = -(width / 2); x <= width / 2; x++) {
            int step = y * stride + x;
            int seen = (int)cell + (is_mirrored ? -step : step);
            P value = {};
            if (seen >= 0 && seen < (int)count)
                value = from[(size_t)seen * packs + pack];
            *to = value;
            to += packs;
        }
    }
}

// `activation(x * scale + bias)`, 0 where the mask is; `affine` is `[2][channel]`.
template <typename T, int LANES>
__device__ void norm_act(const T *cells, const T *affine, const T *mask, T *out, unsigned count,
                         unsigned channels, int activation) {
    typedef Pack<T, LANES> P;
    unsigned packs = channels / LANES, thread = thread_number();
    if (thread >= count * packs)
        return;
    unsigned cell = thread / packs, pack = thread % packs;
    P value = {};
    if (wide(mask[cell]) != 0.0f) {
        value = reinterpret_cast<const P *>(cells)[thread];
        P scale = reinterpret_cast<const P *>(affine)[pack];
        P bias = reinterpret_cast<const P *>(affine)[packs + pack];
        for (int lane = 0; lane < LANES; lane++) {
            float normed = wide(value.lane[lane]) * wide(scale.lane[lane]) + wide(bias.lane[lane]);
            round_to(value.lane[lane], activated(normed, activation));
        }
    }
    reinterpret_cast<P *>(out)[thread] = value;
}

// The way back through `norm_act`: the gradient of the cells, and those of scale and bias for each run
// of `rows` cells, `[run][2][channel]`, to be summed. A thread has a pack of a run.
template <typename T, int LANES>
__device__ void norm_act_back(const T *cells, const T *affine, const T *mask, const T *of_out,
                              T *of_cells, float *of_affine, unsigned count, unsigned channels,
                              int activation, unsigned rows) {
    typedef Pack<T, LANES> P;
    unsigned packs = channels / LANES, thread = thread_number();
    unsigned run = thread / packs, pack = thread % packs, first = run * rows;
    if (first >= count)
        return;
    unsigned end = first + rows < count ? first + rows : count;
    P scale = reinterpret_cast<const P *>(affine)[pack];
    P bias = reinterpret_cast<const P *>(affine)[packs + pack];
    float of_scale[LANES] = {}, of_bias[LANES] = {};
    for (unsigned cell = first; cell < end; cell++) {
        size_t place = (size_t)cell * packs + pack;
        P gradient = {};
        if (wide(mask[cell]) != 0.0f) {
            P value = reinterpret_cast<const P *>(cells)[place];
            gradient = reinterpret_cast<const P *>(of_out)[place];
            for (int lane = 0; lane < LANES; lane++) {
                float x = wide(value.lane[lane]), times = wide(scale.lane[lane]);
                float steep = slope(x * times + wide(bias.lane[lane]), activation);
                float of_normed = wide(gradient.lane[lane]) * steep;
                of_scale[lane] += of_normed * x;
                of_bias[lane] += of_normed;
                round_to(gradient.lane[lane], of_normed * times);
            }
        }
        reinterpret_cast<P *>(of_cells)[place] = gradient;
    }
    float *sums = of_affine + (size_t)run * 2 * channels + pack * LANES;
    for (int lane = 0; lane < LANES; lane++) {
        sums[lane] = of_scale[lane];
        sums[channels + lane] = of_bias[lane];
    }
}

// Mean, mean by size and maximum of each region of cells, given to each of its cells as
// `[cell][3][channel]`, see `nn::regions`. `starts` says where each region begins in the list `members`,
// and where the last one ends. A thread has a pack of a region.
__device__ inline float size_factor(unsigned cells) { return (sqrtf((float)cells) - 4.0f) * 0.25f; }

template <typename T, int LANES>
__device__ void pool_regions(const T *cells, const unsigned *members, const unsigned *starts, T *out,
                             unsigned regions, unsigned channels) {
    typedef Pack<T, LANES> P;
    unsigned packs = channels / LANES, thread = thread_number();
    if (thread >= regions * packs)
        return;
    unsigned region = thread / packs, pack = thread % packs;
    unsigned first = starts[region], end = starts[region + 1];
    float sum[LANES] = {}, greatest[LANES];
    for (int lane = 0; lane < LANES; lane++)
        greatest[lane] = -INFINITY;
    for (unsigned member = first; member < end; member++) {
        P value = reinterpret_cast<const P *>(cells)[(size_t)members[member] * packs + pack];
        for (int lane = 0; lane < LANES; lane++) {
            float x = wide(value.lane[lane]);
            sum[lane] += x;
            greatest[lane] = x > greatest[lane] ? x : greatest[lane];
        }
    }
    P mean, by_size, maximum;
    for (int lane = 0; lane < LANES; lane++) {
        float own = sum[lane] / (float)(end - first);
        round_to(mean.lane[lane], own);
        round_to(by_size.lane[lane], own * size_factor(end - first));
        round_to(maximum.lane[lane], greatest[lane]);
    }
    for (unsigned member = first; member < end; member++) {
        P *row = reinterpret_cast<P *>(out) + (size_t)members[member] * 3 * packs + pack;
        row[0] = mean;
        row[packs] = by_size;
        row[2 * packs] = maximum;
    }
}

// The way back through `pool_regions`. The gradient of a maximum goes to the first cell that has it.
template <typename T, int LANES>
__device__ void pool_regions_back(const T *cells, const unsigned *members, const unsigned *starts,
                                  const T *of_out, T *of_cells, unsigned regions,
                                  unsigned channels) {
    typedef Pack<T, LANES> P;
    unsigned packs = channels / LANES, thread = thread_number();
    if (thread >= regions * packs)
        return;
    unsigned region = thread / packs, pack = thread % packs;
    unsigned first = starts[region], end = starts[region + 1];
    float of_mean[LANES] = {}, of_size[LANES] = {}, of_maximum[LANES] = {}, greatest[LANES];
    unsigned place[LANES];
    for (int lane = 0; lane < LANES; lane++)
        greatest[lane] = -INFINITY, place[lane] = first;
    for (unsigned member = first; member < end; member++) {
        size_t cell = members[member];
        P value = reinterpret_cast<const P *>(cells)[cell * packs + pack];
        const P *row = reinterpret_cast<const P *>(of_out) + cell * 3 * packs + pack;
        P mean = row[0], by_size = row[packs], maximum = row[2 * packs];
        for (int lane = 0; lane < LANES; lane++) {
            float x = wide(value.lane[lane]);
            if (x > greatest[lane])
                greatest[lane] = x, place[lane] = member;
            of_mean[lane] += wide(mean.lane[lane]);
            of_size[lane] += wide(by_size.lane[lane]);
            of_maximum[lane] += wide(maximum.lane[lane]);
        }
    }
    float share = 1.0f / (float)(end - first), factor = size_factor(end - first);
    for (unsigned member = first; member < end; member++) {
        P gradient;
        for (int lane = 0; lane < LANES; lane++) {
            float own = (of_mean[lane] + of_size[lane] * factor) * share;
            round_to(gradient.lane[lane],
                     member == place[lane] ? own + of_maximum[lane] : own);
        }
        reinterpret_cast<P *>(of_cells)[(size_t)members[member] * packs + pack] = gradient;
    }
}

#define KERNELS(T, LANES, NAME)                                                                    \
    extern "C" __global__ void patches_##NAME(const T *cells, T *out, unsigned count,              \
                                              unsigned channels, int height, int width,           \
                                              int stride, int is_mirrored) {                       \
        patches<T, LANES>(cells, out, count, channels, height, width, stride, is_mirrored);        \
    }                                                                                              \
    extern "C" __global__ void norm_act_##NAME(const T *cells, const T *affine, const T *mask,     \
                                               T *out, unsigned count, unsigned channels,          \
                                               int activation) {                                   \
        norm_act<T, LANES>(cells, affine, mask, out, count, channels, activation);                 \
    }                                                                                              \
    extern "C" __global__ void norm_act_back_##NAME(                                               \
        const T *cells, const T *affine, const T *mask, const T *of_out, T *of_cells,              \
        float *of_affine, unsigned count, unsigned channels, int activation, unsigned rows) {      \
        norm_act_back<T, LANES>(cells, affine, mask, of_out, of_cells, of_affine, count, channels, \
                                activation, rows);                                                 \
    }                                                                                              \
    extern "C" __global__ void pool_regions_##NAME(                                                \
        const T *cells, const unsigned *members, const unsigned *starts, T *out,                   \
        unsigned regions, unsigned channels) {                                                     \
        pool_regions<T, LANES>(cells, members, starts, out, regions, channels);                    \
    }                                                                                              \
    extern "C" __global__ void pool_regions_back_##NAME(                                           \
        const T *cells, const unsigned *members, const unsigned *starts, const T *of_out,          \
        T *of_cells, unsigned regions, unsigned channels) {                                        \
        pool_regions_back<T, LANES>(cells, members, starts, of_out, of_cells, regions, channels);  \
    }

KERNELS(f32, 4, f32_packed)
KERNELS(f16, 8, f16_packed)
KERNELS(bf16, 8, bf16_packed)
KERNELS(f32, 1, f32_single)
KERNELS(f16, 1, f16_single)
KERNELS(bf16, 1, bf16_single)
