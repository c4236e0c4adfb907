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
template <typename Arguments>
Arguments arguments_of(void (*)(const unsigned char*, unsigned char*, Arguments));
template <typename Arguments, void (*NAME)(const unsigned char*, unsigned char*, Arguments)>
void call(const unsigned char* from, unsigned char* to, const void* given) {
    NAME(from, to, *static_cast<const Arguments*>(given));
}

#define KERNEL(NAME) \
    { #NAME, call<decltype(arguments_of(&NAME)), &NAME>, size_of(&NAME) }
