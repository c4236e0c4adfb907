"""The contenders: the limit, NumPy's plain copy, the engine's backends, other libraries."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from app.engine import LayoutError, parse_layout, reorder
from benchmarks.reorder.onednn import OneDnn
from benchmarks.reorder.opencv import OpenCv
from benchmarks.reorder.placement import Placement
from benchmarks.reorder.work import (
    Contender,
    Run,
    Unavailable,
    Work,
    imported,
    pairs_of_views,
    strided_copies,
)


def contenders(threads: int, backends: list[str]) -> tuple[dict[str, Contender], dict[str, str]]:
    """The available contenders by name, and for each of the others why it is not available."""
    makers: dict[str, Callable[[], Contender]] = {
        "naive": Naive,
        **{backend: partial(Stridescope, backend, threads) for backend in backends},
        "torch": partial(Torch, threads),
        "onednn": OneDnn,
        "opencv": partial(OpenCv, threads),
        "jax": Jax,
    }
    had: dict[str, Contender] = {}
    missing: dict[str, str] = {}
    for name, maker in makers.items():
        try:
            had[name] = maker()
        except Unavailable as why:
            missing[name] = str(why)
    return had, missing


def limits(work: Work, threads: int) -> tuple[dict[str, Run], int]:
    """Copies of contiguous bytes, as many as the smaller buffer has, and the bytes each moves.

    With several threads there is also a copy in parts; the faster of the two is the limit.
    """
    source, target = work.buffer.view(np.uint8), work.out.view(np.uint8)
    size_bytes = min(len(source), len(target))
    runs: dict[str, Run] = {"limit": partial(np.copyto, target[:size_bytes], source[:size_bytes])}
    if threads > 1:
        pool = ThreadPoolExecutor(threads)
        step = -(-size_bytes // threads)
        cuts = [slice(k * step, min((k + 1) * step, size_bytes)) for k in range(threads)]
        parts = [(target[cut], source[cut]) for cut in cuts]
        runs["limit, split"] = lambda: list(pool.map(lambda part: np.copyto(*part), parts))
    return runs, 2 * size_bytes


class Naive:
    """`np.copyto` between strided views, after writing zeros to the padding."""

    version = np.__version__
    compiles = False

    def run_of(self, work: Work) -> Run:
        """One copy per box of whole blocks."""
        copied, zeroed = pairs_of_views(work)

        def run() -> None:
            for view in zeroed:
                view[...] = 0
            for target, source in copied:
                np.copyto(target, source)

        return run


class Stridescope:
    """The engine's call as a user writes it, with one backend."""

    version = "this working tree"
    compiles = True

    def __init__(self, backend: str, threads: int) -> None:
        self._backend = backend
        self._threads = threads
        tiny = parse_layout("HW", (2, 2))
        try:
            reorder(np.zeros(4, dtype=np.int8), tiny, tiny, backend=backend)
        except LayoutError as error:
            raise Unavailable(str(error)) from error

    def run_of(self, work: Work) -> Run:
        """The call; the layouts are read once, before it."""
        source = parse_layout(work.case.source, work.case.shape)
        target = parse_layout(work.case.target, work.case.shape)

        def run() -> None:
            reorder(
                work.buffer,
                source,
                target,
                out=work.out,
                threads=self._threads,
                backend=self._backend,
            )

        return run


class Torch:
    """`copy_` between strided views: what `.contiguous` does, without its allocation."""

    compiles = False

    def __init__(self, threads: int) -> None:
        self._torch = imported("torch")
        self._torch.set_num_threads(threads)
        self.version = str(self._torch.__version__)

    def run_of(self, work: Work) -> Run:
        """One copy per box of whole blocks, as in Naive."""
        source, target = map(self._torch.from_numpy, (work.buffer, work.out))
        return strided_copies(self._torch, source, target, work)


class Jax:
    """One jitted transposition on the CPU. JAX cannot write into a given array."""

    compiles = True

    def __init__(self) -> None:
        self._jax = imported("jax")
        self.version = str(self._jax.__version__)

    def run_of(self, work: Work) -> Run:
        """Call the compiled function and wait for its end."""
        pad = self._jax.numpy.pad
        source, target = work.source, work.target
        beyond = [
            (0, padded - size)
            for padded, size in zip(target.padded_shape, target.shape, strict=True)
        ]

        def transposed(flat: Any) -> Any:
            split = flat.reshape([axis.extent for axis in source.axes])
            logical = split.transpose(_by_dimension(source)).reshape(source.padded_shape)
            padded = pad(logical[tuple(map(slice, source.shape))], beyond)
            order = _by_dimension(target)
            split = padded.reshape([target.axes[k].extent for k in order])
            return split.transpose(np.argsort(order)).reshape(-1)

        jitted = self._jax.jit(transposed)
        source_array = self._jax.device_put(work.buffer)
        return lambda: jitted(source_array).block_until_ready()


def _by_dimension(placed: Placement) -> list[int]:
    """The axes of the buffer in the order of the logical dimensions, outer digits first."""
    axes = placed.axes
    return sorted(range(len(axes)), key=lambda k: (axes[k].dim, -axes[k].place))
