// Runs CUDA kernels on the host, a block after the other, and refuses what a card would punish.
//
// The threads of a block are fibers. Each runs until it meets a barrier or ends; when all wait at
// the barrier, all go on. The kernels are compiled with -fsanitize=thread, whose calls before each
// access of memory end here instead of in its library. Refused are
// - an address outside the buffers, the shared memory asked for, the arguments and the own stack;
// - an address that the size of the access does not divide;
// - an access of shared memory that another thread has written since the last barrier, and a byte
//   of the target that two threads write;
// - a barrier that some threads of a block wait at while others have ended.
// Shared memory that a block has not written holds POISON, so that its use shows in the result.

#include "kernel.h"

#include <ucontext.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

const unsigned MOST_THREADS = 1024;
const unsigned MOST_SHARED_BYTES = 48 << 10;  // what a card gives unless it is asked for more
const int POISON = 0xa5;
const size_t STACK_BYTES = 64 << 10;

uint3 threadIdx, blockIdx, blockDim;
uint4 shared[MOST_SHARED_BYTES / sizeof(uint4)];

namespace {

typedef std::uint8_t Byte;

struct Region {
    const void* begin;
    size_t size;

    size_t offset(const void* at) const {
        return static_cast<const Byte*>(at) - static_cast<const Byte*>(begin);
    }
    bool holds(const void* at, size_t count) const {
        return at >= begin && count <= size && offset(at) <= size - count;
    }
};

struct Fiber {
    ucontext_t context;
    std::unique_ptr<Byte[]> stack{new Byte[STACK_BYTES]};
    bool ended;
};

std::vector<Fiber> fibers(MOST_THREADS);
ucontext_t scheduler;
unsigned current;       // the fiber that runs
// Per byte of the target, and per byte of shared memory since the last barrier: the thread that has
// written it, of all threads, + 1.
std::vector<unsigned> target_writers, shared_writers(MOST_SHARED_BYTES);
Region source, target, in_shared, arguments;
Body* body;
char error[256];

[[noreturn]] void refuse(const char* format, ...) {
    int n = std::snprintf(error, sizeof error, "thread %u of block %u ", threadIdx.x, blockIdx.x);
    va_list values;
    va_start(values, format);
    std::vsnprintf(error + n, sizeof error - n, format, values);
    va_end(values);
    setcontext(&scheduler);
    __builtin_unreachable();  // there is no way back into the fiber
}

void touch(std::vector<unsigned>& writers, const char* where, size_t at, bool writes) {
    const unsigned self = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (writers[at] && writers[at] != self)
        refuse("touches byte %zu of %s, which thread %u of block %u has written", at, where,
               (writers[at] - 1) % blockDim.x, (writers[at] - 1) / blockDim.x);
    if (writes) writers[at] = self;
}

bool is_own(const void* at, size_t size) {
    for (const uint3* each : {&threadIdx, &blockIdx, &blockDim})
        if (Region{each, sizeof *each}.holds(at, size)) return true;
    return Region{fibers[current].stack.get(), STACK_BYTES}.holds(at, size);
}

void touch(const void* at, size_t size, bool writes, bool aligned) {
    if (is_own(at, size) || (!writes && arguments.holds(at, size))) return;
    const char* what = writes ? "writes" : "reads";
    for (const Region* each : {&source, &target, &in_shared}) {
        if (!each->holds(at, size)) continue;
        if (aligned && reinterpret_cast<std::uintptr_t>(at) % size)
            refuse("%s %zu bytes at an address that %zu does not divide", what, size, size);
        const size_t begin = each->offset(at);
        for (size_t i = begin; i < begin + size && each == &target; ++i)
            touch(target_writers, "the target", i, writes);
        for (size_t i = begin; i < begin + size && each == &in_shared; ++i)
            touch(shared_writers, "shared memory", i, writes);
        return;
    }
    refuse("%s %zu bytes that lie %td after the source's begin, %td after the target's and %td "
           "after shared memory's", what, size, source.offset(at), target.offset(at),
           in_shared.offset(at));
}

void run_fiber() {
    body(static_cast<const Byte*>(source.begin),
         const_cast<Byte*>(static_cast<const Byte*>(target.begin)), arguments.begin);
    fibers[current].ended = true;
    setcontext(&scheduler);
}

// Every thread up to its next barrier or its end; how many have ended.
unsigned run_stretch() {
    unsigned ended = 0;
    shared_writers.assign(MOST_SHARED_BYTES, 0);
    for (current = 0; current < blockDim.x && !error[0]; ++current) {
        threadIdx = {current, 0, 0};
        if (!fibers[current].ended) swapcontext(&scheduler, &fibers[current].context);
        ended += fibers[current].ended;
    }
    return ended;
}

void run_block(unsigned block) {
    blockIdx = {block, 0, 0};
    std::memset(shared, POISON, sizeof shared);
    for (unsigned i = 0; i < blockDim.x; ++i) {
        Fiber& fiber = fibers[i];
        fiber.ended = false;
        getcontext(&fiber.context);
        fiber.context.uc_stack.ss_sp = fiber.stack.get();
        fiber.context.uc_stack.ss_size = STACK_BYTES;
        makecontext(&fiber.context, run_fiber, 0);
    }
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

// Returns what is refused, or null.
extern "C" const char* run(
    Body* kernel, const void* from, size_t from_bytes, const void* to, size_t to_bytes,
    const void* given, size_t given_bytes, unsigned blocks, unsigned threads, unsigned shared_bytes
) {
    if (threads > MOST_THREADS) return "more threads than a block has";
    if (shared_bytes > MOST_SHARED_BYTES) return "more shared memory than a card gives";
    body = kernel;
    source = {from, from_bytes};
    target = {to, to_bytes};
    arguments = {given, given_bytes};
    in_shared = {shared, shared_bytes};
    target_writers.assign(to_bytes, 0);
    blockDim = {threads, 1, 1};
    error[0] = 0;
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
