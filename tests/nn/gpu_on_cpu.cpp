// A GPU for tests: runs the kernels of src/nn/gpu/kernels/kernels.cu on the CPU. Threads of a block are fibers, which
// give way to each other where threads wait for each other; the instructions of tensor cores follow PTX's
// description of them. Memory is surrounded and filled with NaN.
//
// Reads commands from stdin, each a letter and 64-bit numbers: a(llocate), f(ree), u(pload), d(ownload),
// l(aunch). See `Program` in gpu.rs.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>
#ifndef __x86_64__
#include <ucontext.h>
#endif

#define __device__
#define __global__

struct Place {
    unsigned x;
};
static Place blockIdx, threadIdx, blockDim;
static char *shared_memory;
#define SHARED(name) char *name = shared_memory

struct __half {
    uint16_t bits;
};

static float wide_of[1 << 16];

inline float __half2float(__half x) { return wide_of[x.bits]; }
inline __half __float2half(float x) {
    _Float16 rounded = (_Float16)x;
    __half half;
    memcpy(&half, &rounded, sizeof half);
    return half;
}

// ---- fibers ------------------------------------------------------------------------------------

const size_t STACK_BYTES = 1 << 16, MOST_THREADS = 512;

#ifdef __x86_64__
// Saves the registers that a call keeps, and goes on where another fiber did so.
extern "C" void switch_stacks(void **from, void *to);
asm(R"(
.text
.globl switch_stacks
switch_stacks:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
)");
struct Context {
    void *stack_pointer;
};
static void switch_to(Context &from, Context &to) {
    switch_stacks(&from.stack_pointer, to.stack_pointer);
}
static void make(Context &context, char *stack, void (*start)()) {
    void **top = (void **)(((uintptr_t)stack + STACK_BYTES) & ~(uintptr_t)15);
    *--top = nullptr;
    *--top = (void *)start;
    context.stack_pointer = top - 6;
}
#else
struct Context {
    ucontext_t context;
};
static void switch_to(Context &from, Context &to) { swapcontext(&from.context, &to.context); }
static void make(Context &context, char *stack, void (*start)()) {
    getcontext(&context.context);
    context.context.uc_stack.ss_sp = stack;
    context.context.uc_stack.ss_size = STACK_BYTES;
    context.context.uc_link = nullptr;
    makecontext(&context.context, start, 0);
}
#endif

static Context scheduler, fibers[MOST_THREADS];
static std::vector<char> stacks(STACK_BYTES *MOST_THREADS);
static bool is_done[MOST_THREADS];
static unsigned alive;
static const std::function<void()> *kernel_of_fibers;

static unsigned next_alive(unsigned fiber) {
    do
        fiber = fiber + 1 == blockDim.x ? 0 : fiber + 1;
    while (is_done[fiber]);
    return fiber;
}

static void give_way() {
    unsigned self = threadIdx.x, next = next_alive(self);
    if (next == self) {
        fprintf(stderr, "a thread waits for others that have ended\n");
        exit(3);
    }
    threadIdx.x = next;
    switch_to(fibers[self], fibers[next]);
    threadIdx.x = self;
}

static void fiber() {
    (*kernel_of_fibers)();
    unsigned self = threadIdx.x;
    is_done[self] = true;
    if (--alive == 0)
        switch_to(fibers[self], scheduler);
    threadIdx.x = next_alive(self);
    switch_to(fibers[self], fibers[threadIdx.x]);
}

static void run_block(const std::function<void()> &kernel) {
    kernel_of_fibers = &kernel;
    alive = blockDim.x;
    for (unsigned thread = 0; thread < blockDim.x; thread++) {
        is_done[thread] = false;
        make(fibers[thread], &stacks[STACK_BYTES * thread], fiber);
    }
    threadIdx.x = 0;
    switch_to(scheduler, fibers[0]);
}

struct Barrier {
    unsigned waiting = 0, generation = 0;
    void wait(unsigned threads) {
        unsigned own = generation;
        if (++waiting == threads) {
            waiting = 0;
            generation++;
        }
        while (generation == own)
            give_way();
    }
};
static Barrier of_block;
static void __syncthreads() { of_block.wait(blockDim.x); }

// ---- copies and tensor cores -------------------------------------------------------------------

// Copies arrive when they are waited for, and not before.
struct Copy {
    void *to;
    const void *from;
    bool is_there;
};
static std::vector<std::vector<Copy>> groups_of[MOST_THREADS];

static void copy_16(void *to, const void *from, bool is_there) {
    auto &groups = groups_of[threadIdx.x];
    if (groups.empty())
        groups.emplace_back();
    groups.back().push_back({to, from, is_there});
}
static void close_copies() {
    auto &groups = groups_of[threadIdx.x];
    if (groups.empty())
        groups.emplace_back();
    groups.emplace_back();
}
template <int LEFT> void wait_for_copies() {
    auto &groups = groups_of[threadIdx.x];
    // The last group is open.
    while (groups.size() > LEFT + 1) {
        for (const Copy &copy : groups.front())
            copy.is_there ? (void)memcpy(copy.to, copy.from, 16) : (void)memset(copy.to, 0, 16);
        groups.erase(groups.begin());
    }
}

// What the threads of a warp show each other. A thread may be one instruction ahead.
struct Warp {
    Barrier barrier;
    const char *rows[2][32];
    float a[2][16][16], b[2][8][16], shown[2][32];
    unsigned turn[32];
};
static Warp warps[MOST_THREADS / 32];

template <bool TRANSPOSED> void load_any(unsigned (&to)[4], const char *row) {
    Warp &warp = warps[threadIdx.x / 32];
    unsigned lane = threadIdx.x % 32, turn = warp.turn[lane]++ & 1;
    if ((uintptr_t)row % 16) {
        fprintf(stderr, "a row of a matrix is not aligned\n");
        exit(3);
    }
    warp.rows[turn][lane] = row;
    warp.barrier.wait(32);
    // Of matrix i the rows are those of threads 8i and on; a thread gets two values of row lane / 4, or of that column.
    for (unsigned matrix = 0; matrix < 4; matrix++) {
        const char **rows = &warp.rows[turn][matrix * 8];
        if (!TRANSPOSED) {
            memcpy(&to[matrix], rows[lane / 4] + lane % 4 * 4, 4);
            continue;
        }
        uint16_t pair[2];
        for (unsigned i = 0; i < 2; i++)
            memcpy(&pair[i], rows[lane % 4 * 2 + i] + lane / 4 * 2, 2);
        memcpy(&to[matrix], pair, 4);
    }
}
static void load_matrices(unsigned (&to)[4], const char *row) { load_any<false>(to, row); }
static void load_transposed(unsigned (&to)[4], const char *row) { load_any<true>(to, row); }

// The value of another thread of the warp.
static float exchange(float x, int bits) {
    Warp &warp = warps[threadIdx.x / 32];
    unsigned lane = threadIdx.x % 32, turn = warp.turn[lane]++ & 1;
    warp.shown[turn][lane] = x;
    warp.barrier.wait(32);
    return warp.shown[turn][lane ^ bits];
}

static float power_of_two(float x) { return exp2f(x); }
static unsigned pair_of(float low, float high) {
    return __float2half(low).bits | (unsigned)__float2half(high).bits << 16;
}

static float low(unsigned pair) { return wide_of[pair & 0xffff]; }
static float high(unsigned pair) { return wide_of[pair >> 16]; }

static void multiply_add(float (&sums)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    Warp &warp = warps[threadIdx.x / 32];
    unsigned lane = threadIdx.x % 32, turn = warp.turn[lane]++ & 1;
    unsigned group = lane / 4, pair = lane % 4 * 2;
    auto &left = warp.a[turn];
    auto &right = warp.b[turn];
    // Rows group and group + 8, columns pair and pair + 8.
    left[group][pair] = low(a[0]), left[group][pair + 1] = high(a[0]);
    left[group + 8][pair] = low(a[1]), left[group + 8][pair + 1] = high(a[1]);
    left[group][pair + 8] = low(a[2]), left[group][pair + 9] = high(a[2]);
    left[group + 8][pair + 8] = low(a[3]), left[group + 8][pair + 9] = high(a[3]);
    // Column group, rows pair and pair + 8.
    right[group][pair] = low(b0), right[group][pair + 1] = high(b0);
    right[group][pair + 8] = low(b1), right[group][pair + 9] = high(b1);
    warp.barrier.wait(32);
    for (unsigned i = 0; i < 4; i++) {
        const float *row = left[group + i / 2 * 8], *column = right[pair + i % 2];
        float sum = 0.0f;
        for (unsigned k = 0; k < 16; k++)
            sum += row[k] * column[k];
        sums[i] += sum;
    }
}

static void open_products() {}
static void publish_copies() {}

// Products are done when they are waited for, and not before: what overwrites their operands too early is seen.
static std::vector<std::vector<std::function<void()>>> products_of[MOST_THREADS];

static void close_products() {
    auto &groups = products_of[threadIdx.x];
    if (groups.empty())
        groups.emplace_back();
    groups.emplace_back();
}
template <int LEFT> void wait_for_products() {
    auto &groups = products_of[threadIdx.x];
    // The last group is open.
    while (groups.size() > LEFT + 1) {
        auto first = std::move(groups.front());
        groups.erase(groups.begin());
        for (auto &product : first)
            product();
    }
}

// As PTX's wgmma.m64nNk16 with the left side in registers: each warp has 16 rows.
template <int COLUMNS, int DEPTH>
void add_product(float (&sums)[COLUMNS / 2], const unsigned (&a)[4], const char *columns, int piece) {
    Warp &warp = warps[threadIdx.x / 32];
    unsigned lane = threadIdx.x % 32, turn = warp.turn[lane]++ & 1;
    unsigned group = lane / 4, pair = lane % 4 * 2;
    auto &left = warp.a[turn];
    left[group][pair] = low(a[0]), left[group][pair + 1] = high(a[0]);
    left[group + 8][pair] = low(a[1]), left[group + 8][pair + 1] = high(a[1]);
    left[group][pair + 8] = low(a[2]), left[group][pair + 9] = high(a[2]);
    left[group + 8][pair + 8] = low(a[3]), left[group + 8][pair + 9] = high(a[3]);
    warp.barrier.wait(32);
    for (unsigned column = 0; column < COLUMNS; column++) {
        if (column % 8 / 2 != lane % 4)
            continue;
        // The permutation of 128 bytes, or that of 64 bytes, of PTX.
        unsigned permutation = DEPTH == 64 ? column & 7 : column >> 1 & 3;
        float right[16];
        for (unsigned half = 0; half < 2; half++) {
            const uint16_t *bits =
                (const uint16_t *)(columns + column * DEPTH * 2 + ((piece + half) ^ permutation) * 16);
            for (unsigned k = 0; k < 8; k++)
                right[half * 8 + k] = wide_of[bits[k]];
        }
        for (unsigned low_or_high = 0; low_or_high < 2; low_or_high++) {
            const float *row = left[group + low_or_high * 8];
            float sum = 0.0f;
            for (unsigned k = 0; k < 16; k++)
                sum += row[k] * right[k];
            sums[column / 8 * 4 + low_or_high * 2 + column % 2] += sum;
        }
    }
}

template <int COLUMNS, int DEPTH>
void multiply_group(float (&sums)[COLUMNS / 2], const unsigned (&a)[4], const char *columns, int piece) {
    if ((uintptr_t)columns % 1024) {
        fprintf(stderr, "columns are not aligned\n");
        exit(3);
    }
    auto &groups = products_of[threadIdx.x];
    if (groups.empty())
        groups.emplace_back();
    groups.back().push_back([=, &sums, &a] { add_product<COLUMNS, DEPTH>(sums, a, columns, piece); });
}

// ---- kernels -----------------------------------------------------------------------------------

typedef std::function<void(const void *)> Kernel;
static std::map<std::string, Kernel> kernels;
struct Registration {
    Registration(const char *name, Kernel kernel) { kernels[name] = kernel; }
};
#define KERNEL(name, threads, Arguments, ...)                                                         \
    static Registration registration_##name(#name, [](const void *bytes) {                           \
        Arguments arguments;                                                                          \
        memcpy(&arguments, bytes, sizeof arguments);                                                  \
        __VA_ARGS__(arguments);                                                                       \
    });

#define TWICE_KERNEL KERNEL

#include "../../src/nn/gpu/kernels/kernels.cu"

// ---- memory and commands -----------------------------------------------------------------------

const size_t MARGIN = 1 << 14;

static std::map<uint64_t, uint64_t> blocks;

static uint64_t allocate(uint64_t bytes) {
    size_t all = (bytes + 2 * MARGIN + 255) / 256 * 256;
    char *memory = (char *)aligned_alloc(256, all);
    memset(memory, 0xff, all);
    uint64_t address = (uint64_t)(memory + MARGIN);
    blocks[address] = bytes;
    return address;
}

static void check_margins() {
    for (auto [address, bytes] : blocks) {
        const unsigned char *start = (const unsigned char *)address;
        for (size_t i = 1; i <= MARGIN; i++) {
            if (start[-(ptrdiff_t)i] != 0xff || start[bytes + i - 1] != 0xff) {
                fprintf(stderr, "a kernel wrote outside of memory\n");
                exit(3);
            }
        }
    }
}

static void read_bytes(void *to, size_t bytes) {
    if (fread(to, 1, bytes, stdin) != bytes)
        exit(2);
}
static uint64_t number() {
    uint64_t value;
    read_bytes(&value, sizeof value);
    return value;
}

static void launch() {
    std::string name(number(), ' ');
    read_bytes(&name[0], name.size());
    uint64_t count = number(), threads = number(), shared = number();
    std::vector<char> arguments(number());
    read_bytes(arguments.data(), arguments.size());
    auto found = kernels.find(name);
    if (found == kernels.end()) {
        fprintf(stderr, "there is no kernel %s\n", name.c_str());
        exit(3);
    }
    char *own_shared = (char *)aligned_alloc(1024, (shared + 2 * 1024) / 1024 * 1024);
    blockDim.x = threads;
    shared_memory = own_shared;
    std::function<void()> kernel = [&] { found->second(arguments.data()); };
    for (uint64_t block = 0; block < count; block++) {
        memset(own_shared, 0xff, (shared + 2 * 1024) / 1024 * 1024);
        blockIdx.x = block;
        of_block = Barrier();
        for (Warp &warp : warps) {
            warp.barrier = Barrier();
            memset(warp.turn, 0, sizeof warp.turn);
        }
        for (unsigned thread = 0; thread < MOST_THREADS; thread++) {
            groups_of[thread].clear();
            products_of[thread].clear();
        }
        run_block(kernel);
    }
    for (size_t i = shared; i < (shared + 2 * 1024) / 1024 * 1024; i++) {
        if ((unsigned char)own_shared[i] != 0xff) {
            fprintf(stderr, "%s wrote outside of shared memory\n", name.c_str());
            exit(3);
        }
    }
    free(own_shared);
}

int main() {
    for (unsigned bits = 0; bits < 1 << 16; bits++) {
        uint16_t half = bits;
        _Float16 value;
        memcpy(&value, &half, sizeof value);
        wide_of[bits] = (float)value;
    }
    for (int command; (command = getchar()) != EOF;) {
        if (command == 'a') {
            uint64_t address = allocate(number());
            fwrite(&address, sizeof address, 1, stdout);
        } else if (command == 'f') {
            uint64_t address = number();
            blocks.erase(address);
            free((char *)address - MARGIN);
        } else if (command == 'u') {
            char *to = (char *)number();
            read_bytes(to, number());
        } else if (command == 'd') {
            check_margins();
            char *from = (char *)number();
            fwrite(from, 1, number(), stdout);
        } else if (command == 'l') {
            launch();
        } else {
            return 2;
        }
        fflush(stdout);
    }
}
