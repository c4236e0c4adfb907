"""That kernels run on the host as on a card, and that what a card would punish is refused."""

from __future__ import annotations

import numpy as np
import pytest

from tests.engine import cuda_on_host

CODE = """
struct Number { unsigned value; };
#define KERNEL_OF(name) \\
    __global__ void name(const unsigned char* from, unsigned char* to, const Number given)

// Threads hand their byte on to the one `given` places after them.
KERNEL_OF(rotate) {
    extern __shared__ uint4 shared[];
    unsigned char* bytes = reinterpret_cast<unsigned char*>(shared);
    const unsigned begin = blockIdx.x * blockDim.x;
    bytes[threadIdx.x] = from[begin + threadIdx.x];
    __syncthreads();
    to[begin + threadIdx.x] = bytes[(threadIdx.x + given.value) % blockDim.x];
}

KERNEL_OF(rotate_without_a_barrier) {
    extern __shared__ uint4 shared[];
    unsigned char* bytes = reinterpret_cast<unsigned char*>(shared);
    bytes[threadIdx.x] = from[threadIdx.x];
    to[threadIdx.x] = bytes[(threadIdx.x + given.value) % blockDim.x];
}

KERNEL_OF(overwrite_what_is_read) {
    extern __shared__ uint4 shared[];
    unsigned char* bytes = reinterpret_cast<unsigned char*>(shared);
    bytes[threadIdx.x] = 0;
    __syncthreads();
    to[threadIdx.x] = bytes[(threadIdx.x + given.value) % blockDim.x];
    bytes[threadIdx.x] = 1;
}

KERNEL_OF(what_nobody_wrote) {
    extern __shared__ uint4 shared[];
    to[threadIdx.x] = reinterpret_cast<unsigned char*>(shared)[threadIdx.x];
}

KERNEL_OF(barrier_of_some) {
    if (threadIdx.x < given.value) __syncthreads();
}

KERNEL_OF(copy_of_words) {
    const unsigned* words = reinterpret_cast<const unsigned*>(from + given.value);
    reinterpret_cast<unsigned*>(to)[threadIdx.x] = words[threadIdx.x];
}

KERNEL_OF(all_to_one) { to[given.value] = threadIdx.x; }

KERNEL_OF(write_to_the_source) { const_cast<unsigned char*>(from)[threadIdx.x] = given.value; }
"""
NAMES = (
    "rotate",
    "rotate_without_a_barrier",
    "overwrite_what_is_read",
    "what_nobody_wrote",
    "barrier_of_some",
    "copy_of_words",
    "all_to_one",
    "write_to_the_source",
)
THREADS = 32


def launch(name: str, value: int, *, shared_bytes: int = THREADS, may_repeat: bool = False) -> str:
    """The bytes that a block writes, or what is refused."""
    module = cuda_on_host.compiled(CODE, ("-std=c++14",), NAMES)
    room = np.zeros(6 * THREADS, np.uint8)
    begin = -room.ctypes.data % 16
    source, target = room[begin : begin + THREADS], np.zeros(THREADS, np.uint8)
    source[:] = range(THREADS)
    given = np.array([value], np.uint32)
    try:
        module.launch(
            name, (1, THREADS), source, target, given,
            shared_bytes=shared_bytes, may_repeat=may_repeat,
        )  # fmt: skip
    except cuda_on_host.RefusedError as refused:
        return str(refused)
    return repr(target.tolist())


def test_blocks_of_threads_meet_at_their_barriers() -> None:
    module = cuda_on_host.compiled(CODE, ("-std=c++14",), NAMES)
    for blocks, threads in ((1, 1), (3, 32), (5, 1024)):
        source = np.random.default_rng(1).integers(0, 256, blocks * threads, np.uint8)
        target = np.zeros_like(source)
        given = np.array([7], np.uint32)
        module.launch("rotate", (blocks, threads), source, target, given, shared_bytes=threads)
        expected = np.roll(source.reshape(blocks, threads), -7, axis=1)
        assert np.array_equal(target.reshape(blocks, threads), expected)


@pytest.mark.parametrize(
    ("name", "value", "refusal"),
    [
        ("rotate_without_a_barrier", 31, "of shared memory, with no barrier between"),
        ("overwrite_what_is_read", 1, "of shared memory, which another thread reads"),
        ("barrier_of_some", 5, "5 threads of block 0 wait at a barrier, the others have ended"),
        ("copy_of_words", 2, "thread 0 of block 0 reads 4 bytes at an address that 4 does not"),
        ("copy_of_words", 0, "thread 8 of block 0 reads 4 bytes that lie 32 after the source's"),
        ("all_to_one", 3, "thread 1 of block 0 writes byte 3 of the target, which thread 0 of"),
        ("all_to_one", 32, "writes 1 bytes that lie"),
        ("write_to_the_source", 3, "writes to the source"),
    ],
)
def test_what_a_card_would_punish_is_refused(name: str, value: int, refusal: str) -> None:
    assert refusal in launch(name, value)
    # The next launch is none the worse for it.
    assert launch("rotate", 0) == repr(list(range(THREADS)))


def test_shared_memory_is_as_large_as_was_asked_for() -> None:
    assert "writes 1 bytes that lie" in launch("rotate", 1, shared_bytes=THREADS - 1)
    assert "more shared memory than a card gives" in launch("rotate", 1, shared_bytes=1 << 16)


def test_several_threads_write_a_byte_where_they_may() -> None:
    assert launch("all_to_one", 3, may_repeat=True).startswith("[0, 0, 0, 31,")


def test_shared_memory_is_not_empty_before_it_is_written() -> None:
    assert launch("what_nobody_wrote", 0) == repr([0xA5] * THREADS)


def test_arguments_are_of_the_kernel_s_type() -> None:
    module = cuda_on_host.compiled(CODE, ("-std=c++14",), NAMES)
    memory = np.zeros(4, np.uint8)
    with pytest.raises(cuda_on_host.RefusedError, match="arguments of another size"):
        module.launch("rotate", (1, 4), memory, memory, np.zeros(2, np.uint32))


def test_a_text_that_does_not_compile_is_an_error_with_its_line() -> None:
    with pytest.raises(AssertionError, match=r"kernels\.cu:2:.*nothing_known"):
        cuda_on_host.compiled("\nnothing_known x;", ("-std=c++14",), ())
