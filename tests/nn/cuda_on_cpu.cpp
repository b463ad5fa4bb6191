// Runs a kernel of keima's on the CPU, thread by thread: the few words of CUDA that kernels.cu uses,
// and a program that reads f32 values from stdin and prints f32 values to stdout.
//
// usage: PROGRAM KERNEL FORMAT packed|single COUNT CHANNELS [NUMBER...]

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define __device__
#define __global__

struct Place {
    unsigned x;
};
static Place blockIdx, threadIdx, blockDim;

struct __half {
    _Float16 value;
};
inline float __half2float(__half x) { return (float)x.value; }
inline __half __float2half(float x) { return {(_Float16)x}; }

struct __nv_bfloat16 {
    uint16_t bits;
};
inline float __bfloat162float(__nv_bfloat16 x) {
    uint32_t bits = (uint32_t)x.bits << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
inline __nv_bfloat16 __float2bfloat16(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return {(uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}

#include "../../src/nn/candle/kernels.cu"

static std::vector<float> stdin_values;
static size_t used = 0;

// The next values from stdin, rounded, aligned as a GPU's memory is.
template <typename T> T *take(size_t count) {
    T *values = (T *)aligned_alloc(256, (count * sizeof(T) + 255) / 256 * 256);
    for (size_t i = 0; i < count; i++)
        round_to(values[i], stdin_values.at(used++));
    return values;
}

// Room for results, filled so that what is not written is seen.
template <typename T> T *room(size_t count) {
    T *values = (T *)aligned_alloc(256, (count * sizeof(T) + 255) / 256 * 256);
    for (size_t i = 0; i < count; i++)
        round_to(values[i], NAN);
    return values;
}

template <typename T> void print(const T *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        float value = wide(values[i]);
        fwrite(&value, sizeof value, 1, stdout);
    }
}

// More threads than there is work for, as there are on a GPU.
template <typename F> void for_threads(unsigned wanted, F kernel) {
    blockDim.x = 32;
    for (blockIdx.x = 0; blockIdx.x <= wanted / blockDim.x; blockIdx.x++)
        for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++)
            kernel();
}

template <typename T, int LANES>
void run(const std::string &kernel, unsigned count, unsigned channels, const std::vector<int> &n) {
    size_t all = (size_t)count * channels;
    unsigned packs = channels / LANES;
    if (kernel == "patches") {
        T *cells = take<T>(all);
        size_t patched = all * n[0] * n[1];
        T *out = room<T>(patched);
        for_threads(count * packs, [&] {
            patches<T, LANES>(cells, out, count, channels, n[0], n[1], n[2], n[3]);
        });
        print(out, patched);
        return;
    }
    if (kernel == "pool_regions" || kernel == "pool_regions_back") {
        unsigned regions = n[0];
        T *cells = take<T>(all);
        std::vector<unsigned> starts(n.begin() + 1, n.begin() + 2 + regions);
        std::vector<unsigned> members(n.begin() + 2 + regions, n.end());
        if (kernel == "pool_regions") {
            T *out = room<T>(3 * all);
            for_threads(regions * packs, [&] {
                pool_regions<T, LANES>(cells, members.data(), starts.data(), out, regions, channels);
            });
            print(out, 3 * all);
            return;
        }
        T *of_out = take<T>(3 * all), *of_cells = room<T>(all);
        for_threads(regions * packs, [&] {
            pool_regions_back<T, LANES>(cells, members.data(), starts.data(), of_out, of_cells,
                                        regions, channels);
        });
        print(of_cells, all);
        return;
    }
    T *cells = take<T>(all), *affine = take<T>(2 * channels), *mask = take<T>(count);
    if (kernel == "norm_act") {
        T *out = room<T>(all);
        for_threads(count * packs, [&] {
            norm_act<T, LANES>(cells, affine, mask, out, count, channels, n[0]);
        });
        print(out, all);
        return;
    }
    T *of_out = take<T>(all), *of_cells = room<T>(all);
    unsigned runs = (count + n[1] - 1) / n[1];
    float *of_affine = room<float>((size_t)runs * 2 * channels);
    for_threads(runs * packs, [&] {
        norm_act_back<T, LANES>(cells, affine, mask, of_out, of_cells, of_affine, count, channels,
                                n[0], n[1]);
    });
    print(of_cells, all);
    print(of_affine, (size_t)runs * 2 * channels);
}

int main(int argc, char **argv) {
    float value;
    while (fread(&value, sizeof value, 1, stdin) == 1)
        stdin_values.push_back(value);
    std::string kernel = argv[1], format = argv[2], kind = argv[3];
    unsigned count = atoi(argv[4]), channels = atoi(argv[5]);
    std::vector<int> numbers;
    for (int i = 6; i < argc; i++)
        numbers.push_back(atoi(argv[i]));
    bool packed = kind == "packed";
    if (format == "f32")
        (packed ? run<f32, 4> : run<f32, 1>)(kernel, count, channels, numbers);
    else if (format == "f16")
        (packed ? run<f16, 8> : run<f16, 1>)(kernel, count, channels, numbers);
    else
        (packed ? run<bf16, 8> : run<bf16, 1>)(kernel, count, channels, numbers);
}
