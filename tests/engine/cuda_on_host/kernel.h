// What a .cu text finds where nvcc would compile it. It is included before that text, which is
// compiled with -fsanitize=thread: each access of memory calls the checks in run.cpp.

#pragma once

struct uint3 {
    unsigned x, y, z;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};

extern uint3 threadIdx, blockIdx, blockDim;
extern uint4 shared[];  // the block's shared memory

void __syncthreads();

#define __global__
#define __shared__
#define __launch_bounds__(THREADS)

// A kernel of any arguments as a function of their address.
typedef void Body(const unsigned char* from, unsigned char* to, const void* arguments);
template <typename Arguments>
Arguments arguments_of(void (*)(const unsigned char*, unsigned char*, Arguments));
#define BODY(NAME)                                                                               \
    extern "C" void body_of_##NAME(const unsigned char* from, unsigned char* to, const void* at) { \
        NAME(from, to, *static_cast<const decltype(arguments_of(&NAME))*>(at));                    \
    }
