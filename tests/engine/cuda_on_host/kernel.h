// What a .cu text finds where nvcc would compile it. It is included before that text, which is
// compiled with -fsanitize=thread: each access of memory calls the checks in run.cpp.

#pragma once

struct uint3 {
    unsigned x, y, z;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};

extern uint3 threadIdx, blockIdx, blockDim, gridDim;
extern uint4 shared[];  // the block's shared memory

void __syncthreads();

inline unsigned __umulhi(unsigned a, unsigned b) {
    return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
inline unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }

#define __global__
#define __device__
#define __shared__
#define __forceinline__ inline __attribute__((always_inline))

// How the kernels are called and found.
typedef void Body(const unsigned char* from, unsigned char* to, const void* arguments);
struct Kernel {
    const char* name;
    Body* body;
    unsigned long argument_bytes;
};
extern const Kernel kernels[];  // ends with a null name

template <typename Arguments>
constexpr unsigned long size_of(void (*)(const unsigned char*, unsigned char*, Arguments)) {
    return sizeof(Arguments);
}
template <typename Arguments, void (*KERNEL)(const unsigned char*, unsigned char*, Arguments)>
void call(const unsigned char* from, unsigned char* to, const void* arguments) {
    KERNEL(from, to, *static_cast<const Arguments*>(arguments));
}
template <typename Arguments>
Arguments arguments_of(void (*)(const unsigned char*, unsigned char*, Arguments));

#define KERNEL(...)                                                                   \
    {                                                                                 \
        #__VA_ARGS__, call<decltype(arguments_of(&__VA_ARGS__)), &__VA_ARGS__>,        \
            size_of(&__VA_ARGS__)                                                     \
    }
