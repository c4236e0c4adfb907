// Runs CUDA kernels on the host, a block after the other, and refuses what a card would punish.
//
// The threads of a block are fibers. Each runs until it meets a barrier or ends; when all wait at
// the barrier, all go on. The kernels are compiled with -fsanitize=thread, whose calls before each
// access of memory end here instead of in its library. Refused are
// - an address outside the buffers, the shared memory asked for, the arguments and the own stack;
// - an address that the size of the access does not divide; a write to the source;
// - an access of shared memory that another thread writes between the same two barriers, and a
//   byte of the target that two threads write;
// - a barrier that some threads of a block wait at while others have ended.
// Shared memory that a block has not written holds POISON, so that its use shows in the result.

#include "kernel.h"

#include <ucontext.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

const unsigned MOST_THREADS = 1024;
const unsigned MOST_SHARED_BYTES = 48 << 10;  // what a card gives unless it is asked for more
const int POISON = 0xa5;
const size_t STACK_BYTES = 64 << 10;

uint3 threadIdx, blockIdx, blockDim, gridDim;
uint4 shared[MOST_SHARED_BYTES / sizeof(uint4)];

namespace {

typedef std::uint8_t Byte;

struct Region {
    const Byte* begin = nullptr;
    size_t size = 0;

    bool holds(const Byte* at, size_t count) const {
        return at >= begin && count <= size && size_t(at - begin) <= size - count;
    }
};

struct Fiber {
    ucontext_t context;
    Byte* stack = nullptr;
    bool ended = false;
};

// Who touched a byte of shared memory, and in which stretch between two barriers.
struct Touched {
    std::uint64_t written_in = 0, read_in = 0;
    unsigned writer = 0, reader = 0;
};
const unsigned SEVERAL = ~0u;

Fiber fibers[MOST_THREADS];
ucontext_t scheduler;
unsigned current;       // the fiber that runs
std::uint64_t stretch;  // counts barriers and blocks of all launches
Touched touched[MOST_SHARED_BYTES];
std::vector<std::uint32_t> writers;  // per byte of the target: its thread of all threads + 1
Region source, target, in_shared, arguments;
bool target_may_repeat;
Body* body;
char error[256];

[[noreturn]] void refuse(const char* format, ...) {
    int n = std::snprintf(error, sizeof error, "thread %u of block %u ", threadIdx.x, blockIdx.x);
    va_list values;
    va_start(values, format);
    std::vsnprintf(error + n, sizeof error - n, format, values);
    va_end(values);
    setcontext(&scheduler);
    std::abort();  // there is no way back into the fiber
}

void touch_shared(size_t at, size_t size, bool writes) {
    for (size_t i = at; i < at + size; ++i) {
        Touched& byte = touched[i];
        if (byte.written_in == stretch && byte.writer != current)
            refuse("and thread %u meet in byte %zu of shared memory, with no barrier between",
                   byte.writer, i);
        if (!writes) {
            byte.reader = byte.read_in == stretch && byte.reader != current ? SEVERAL : current;
            byte.read_in = stretch;
            continue;
        }
        if (byte.read_in == stretch && byte.reader != current)
            refuse("writes byte %zu of shared memory, which another thread reads, with no barrier "
                   "between", i);
        byte.writer = current;
        byte.written_in = stretch;
    }
}

void touch_target(size_t at, size_t size, bool writes) {
    const std::uint32_t self = blockIdx.x * blockDim.x + threadIdx.x + 1;
    for (size_t i = at; i < at + size; ++i) {
        if (writers[i] && writers[i] != self && !target_may_repeat)
            refuse("%s byte %zu of the target, which thread %u of block %u has written",
                   writes ? "writes" : "reads", i, (writers[i] - 1) % blockDim.x,
                   (writers[i] - 1) / blockDim.x);
        if (writes) writers[i] = self;
    }
}

bool is_own(const Byte* at, size_t size) {
    const Region stack = {fibers[current].stack, STACK_BYTES};
    const Region fixed[] = {
        {reinterpret_cast<const Byte*>(&threadIdx), sizeof threadIdx},
        {reinterpret_cast<const Byte*>(&blockIdx), sizeof blockIdx},
        {reinterpret_cast<const Byte*>(&blockDim), sizeof blockDim},
        {reinterpret_cast<const Byte*>(&gridDim), sizeof gridDim},
        stack,
    };
    for (const Region& each : fixed)
        if (each.holds(at, size)) return true;
    return false;
}

void touch(const void* address, size_t size, bool writes, bool aligned) {
    const Byte* at = static_cast<const Byte*>(address);
    if (is_own(at, size) || (!writes && arguments.holds(at, size))) return;
    const char* what = writes ? "writes" : "reads";
    const bool of_source = source.holds(at, size), of_target = target.holds(at, size);
    const bool of_shared = in_shared.holds(at, size);
    if (!of_source && !of_target && !of_shared)
        refuse("%s %zu bytes that lie %lld after the source's begin, %lld after the target's and "
               "%lld after shared memory's",
               what, size, static_cast<long long>(at - source.begin),
               static_cast<long long>(at - target.begin),
               static_cast<long long>(at - in_shared.begin));
    if (aligned && reinterpret_cast<std::uintptr_t>(at) % size)
        refuse("%s %zu bytes at an address that %zu does not divide", what, size, size);
    if (of_shared) return touch_shared(at - in_shared.begin, size, writes);
    if (of_target) return touch_target(at - target.begin, size, writes);
    if (writes) refuse("writes to the source");
}

void run_fiber() {
    for (;;) {
        body(source.begin, const_cast<Byte*>(target.begin), arguments.begin);
        fibers[current].ended = true;
        swapcontext(&fibers[current].context, &scheduler);
    }
}

void make_fiber(Fiber& fiber) {
    if (!fiber.stack) fiber.stack = static_cast<Byte*>(std::malloc(STACK_BYTES));
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack;
    fiber.context.uc_stack.ss_size = STACK_BYTES;
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, run_fiber, 0);
}

// Every thread up to its next barrier or its end; how many have ended.
unsigned run_stretch() {
    unsigned ended = 0;
    ++stretch;
    for (current = 0; current < blockDim.x; ++current) {
        threadIdx = {current, 0, 0};
        if (!fibers[current].ended) swapcontext(&scheduler, &fibers[current].context);
        if (error[0]) return ended;
        ended += fibers[current].ended;
    }
    return ended;
}

void run_block(unsigned block) {
    blockIdx = {block, 0, 0};
    std::memset(shared, POISON, sizeof shared);
    for (unsigned i = 0; i < blockDim.x; ++i) fibers[i].ended = false;
    for (unsigned ended = 0; ended < blockDim.x && !error[0];) {
        ended = run_stretch();
        if (!error[0] && ended && ended < blockDim.x)
            std::snprintf(error, sizeof error,
                          "%u threads of block %u wait at a barrier, the others have ended",
                          blockDim.x - ended, block);
    }
}

}  // namespace

void __syncthreads() { swapcontext(&fibers[current].context, &scheduler); }

// Returns what is refused, or null. `may_repeat`: several threads may write a byte of the target.
extern "C" const char* run(
    const char* name, const void* from, size_t from_bytes, void* to, size_t to_bytes,
    const void* given, size_t given_bytes, unsigned blocks, unsigned threads,
    unsigned shared_bytes, int may_repeat
) {
    const Kernel* kernel = kernels;
    while (kernel->name && std::strcmp(kernel->name, name)) ++kernel;
    if (!kernel->name) return "no such kernel";
    if (kernel->argument_bytes != given_bytes) return "arguments of another size";
    if (threads > MOST_THREADS) return "more threads than a block has";
    if (shared_bytes > MOST_SHARED_BYTES) return "more shared memory than a card gives";
    body = kernel->body;
    source = {static_cast<const Byte*>(from), from_bytes};
    target = {static_cast<const Byte*>(to), to_bytes};
    arguments = {static_cast<const Byte*>(given), given_bytes};
    in_shared = {reinterpret_cast<const Byte*>(shared), shared_bytes};
    target_may_repeat = may_repeat;
    writers.assign(to_bytes, 0);
    gridDim = {blocks, 1, 1};
    blockDim = {threads, 1, 1};
    error[0] = 0;
    for (unsigned i = 0; i < threads; ++i) make_fiber(fibers[i]);
    for (unsigned block = 0; block < blocks && !error[0]; ++block) run_block(block);
    return error[0] ? error : nullptr;
}

// What the compiler calls before each access.
extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_read_range(void* at, size_t size) { touch(at, size, false, false); }
void __tsan_write_range(void* at, size_t size) { touch(at, size, true, false); }
#define ACCESSES(SIZE)                                                                  \
    void __tsan_read##SIZE(void* at) { touch(at, SIZE, false, true); }                  \
    void __tsan_write##SIZE(void* at) { touch(at, SIZE, true, true); }                  \
    void __tsan_unaligned_read##SIZE(void* at) { touch(at, SIZE, false, false); }       \
    void __tsan_unaligned_write##SIZE(void* at) { touch(at, SIZE, true, false); }
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
}
