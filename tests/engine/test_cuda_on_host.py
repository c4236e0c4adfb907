"""That kernels run on the host as on a card, and that what a card would punish is refused."""

import numpy as np
import pytest

from tests.engine import cuda_on_host

CODE = """
struct Number { unsigned value; };
#define KERNEL_OF(name) \\
    __global__ void name(const unsigned char* from, unsigned char* to, const Number given)
#define BYTES extern __shared__ uint4 shared[]; \\
    unsigned char* bytes = reinterpret_cast<unsigned char*>(shared)
#define NEXT (threadIdx.x + given.value) % blockDim.x

// Threads hand their byte on to the one `given` places after them.
KERNEL_OF(rotate) {
    BYTES;
    const unsigned begin = blockIdx.x * blockDim.x;
    bytes[threadIdx.x] = from[begin + threadIdx.x];
    __syncthreads();
    to[begin + threadIdx.x] = bytes[NEXT];
}
KERNEL_OF(rotate_without_a_barrier) {
    BYTES;
    bytes[threadIdx.x] = from[threadIdx.x];
    to[threadIdx.x] = bytes[NEXT];
}
KERNEL_OF(what_nobody_wrote) { BYTES; to[threadIdx.x] = bytes[threadIdx.x]; }
KERNEL_OF(barrier_of_some) { if (threadIdx.x < given.value) __syncthreads(); }
KERNEL_OF(copy_of_words) {
    const unsigned* words = reinterpret_cast<const unsigned*>(from + given.value);
    reinterpret_cast<unsigned*>(to)[threadIdx.x] = words[threadIdx.x];
}
KERNEL_OF(all_to_one) { to[given.value] = threadIdx.x; }
"""
NAMES = tuple(
    line[10:].partition(")")[0] for line in CODE.splitlines() if line[:10] == "KERNEL_OF("
)
THREADS = 32


def launch(name: str, value: int, *, shared_bytes: int = THREADS) -> str:
    """The bytes that a block writes, or what is refused."""
    module = cuda_on_host.compiled(CODE, ("-std=c++14",), NAMES)
    memory = np.zeros(6 * THREADS, np.uint8)
    begin = -memory.ctypes.data % 16
    source, target = memory[begin : begin + THREADS], np.zeros(THREADS, np.uint8)
    source[:] = range(THREADS)
    given = np.array([value], np.uint32)
    try:
        module.launch(name, (1, THREADS), (source, target, given), shared_bytes=shared_bytes)
    except cuda_on_host.RefusedError as refused:
        return str(refused)
    return repr(target.tolist())


@pytest.mark.parametrize(
    ("name", "value", "shared_bytes", "refusal"),
    [
        ("rotate_without_a_barrier", 31, THREADS, "byte 0 of shared memory, which thread 0 of"),
        ("barrier_of_some", 5, 0, "5 threads of block 0 wait at a barrier, the others have ended"),
        ("copy_of_words", 2, 0, "thread 0 of block 0 reads 4 bytes at an address that 4 does not"),
        ("copy_of_words", 0, 0, "thread 8 of block 0 reads 4 bytes that lie 32 after the source's"),
        ("all_to_one", 3, 0, "thread 1 of block 0 touches byte 3 of the target, which thread 0 of"),
        ("all_to_one", 32, 0, "writes 1 bytes that lie"),
        ("rotate", 1, THREADS - 1, "writes 1 bytes that lie"),
        ("rotate", 1, 1 << 16, "more shared memory than a card gives"),
    ],
)
def test_what_a_card_would_punish_is_refused(
    name: str, value: int, shared_bytes: int, refusal: str
) -> None:
    assert refusal in launch(name, value, shared_bytes=shared_bytes)
    # The next launch is none the worse for it.
    assert launch("rotate", 0) == repr(list(range(THREADS)))
    # Shared memory is not empty before it is written.
    assert launch("what_nobody_wrote", 0) == repr([0xA5] * THREADS)
