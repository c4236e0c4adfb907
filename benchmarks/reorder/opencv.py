"""OpenCV: merge, split or transpose, one image or one block at a time."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.reorder.placement import Array
from benchmarks.reorder.work import Run, Work, imported

_BLOCKS = {"NCHW4": 4, "NCHW32": 32}
_MERGED = 4  # merge and split have fast paths up to this many lanes
_TYPES = {4: "float32", 2: "int16", 1: "uint8"}  # OpenCV's types by bytes


class OpenCv:
    """Without CHWN4 and weights: there, each call of OpenCV would move only a few elements."""

    compiles = False

    def __init__(self, threads: int) -> None:
        self._cv = imported("cv2")
        self._cv.setNumThreads(threads)
        self.version = str(self._cv.__version__)

    def run_of(self, work: Work) -> Run | None:
        """The calls for every image and block, in OpenCV's fastest form."""
        kind = _TYPES[work.buffer.itemsize]
        source, target = work.buffer.view(kind), work.out.view(kind)
        names = work.case.source, work.case.target
        n, c, h, w = work.case.shape
        if names == ("NCHW4", "NCHW32"):
            return self._widened(
                source.reshape(n, -1, h * w, 4), target.reshape(n, -1, h * w, 32), c
            )
        plain = [name == "NCHW" for name in names]
        if not any(plain) or "CHWN4" in names:
            return None
        lanes = next((_BLOCKS[name] for name in names if name in _BLOCKS), c)
        planes, pixels = (source, target) if plain[0] else (target, source)
        images = planes.reshape(n, c, h, w)
        blocks = pixels.reshape(n, -1, h, w, lanes)
        return self._into_lanes(images, blocks) if plain[0] else self._from_lanes(blocks, images)

    def _into_lanes(self, images: Array, blocks: Array) -> Run:
        """(N, C, H, W) into (N, blocks, H, W, lanes), with zeros in the lanes beyond C."""
        lanes = blocks.shape[-1]
        if lanes <= _MERGED:
            zero = np.zeros(images.shape[2:], dtype=images.dtype)
            return _each(
                self._cv.merge,
                [
                    ([*planes, *[zero] * (lanes - len(planes))], pixels)
                    for planes, pixels in _parts(images, blocks)
                ],
            )
        return _each(
            self._cv.transpose,
            [
                (planes.reshape(len(planes), -1), pixels.reshape(-1, lanes)[:, : len(planes)])
                for planes, pixels in _parts(images, blocks)
            ],
            zeroed=_tail(blocks, images.shape[1]),
        )

    def _from_lanes(self, blocks: Array, images: Array) -> Run:
        """(N, blocks, H, W, lanes) into (N, C, H, W), without the lanes beyond C."""
        lanes = blocks.shape[-1]
        if lanes <= _MERGED:
            spare = np.empty(images.shape[2:], dtype=images.dtype)
            return _each(
                self._cv.split,
                [
                    (pixels, [*planes, *[spare] * (lanes - len(planes))])
                    for planes, pixels in _parts(images, blocks)
                ],
            )
        return _each(
            self._cv.transpose,
            [
                (pixels.reshape(-1, lanes)[:, : len(planes)], planes.reshape(len(planes), -1))
                for planes, pixels in _parts(images, blocks)
            ],
        )

    def _widened(self, fours: Array, wide: Array, channels: int) -> Run:
        """(N, C/4, HW, 4) into (N, C/32, HW, 32): matrices whose elements are four lanes."""
        n, count, pixels, _ = wide.shape
        sources = fours.reshape(n, count, 8, pixels, 4)
        targets = wide.reshape(n, count, pixels, 8, 4)
        calls = [(sources[i, k], targets[i, k]) for i in range(n) for k in range(count)]
        return _each(self._cv.transpose, calls, zeroed=_tail(wide, channels))


def _parts(images: Array, blocks: Array) -> Iterator[tuple[Array, Array]]:
    """The planes and the pixels of each block of each image."""
    lanes = blocks.shape[-1]
    for planes, own in zip(images, blocks, strict=True):
        for k, pixels in enumerate(own):
            yield planes[k * lanes : (k + 1) * lanes], pixels


def _tail(blocks: Array, channels: int) -> Array:
    """The lanes of the last block that are padding."""
    lanes = blocks.shape[-1]
    return blocks[:, -1, ..., channels - (blocks.shape[1] - 1) * lanes :]


def _each(
    function: Callable[..., object], calls: list[tuple[Any, Any]], zeroed: Array | None = None
) -> Run:
    def run() -> None:
        for arguments in calls:
            function(*arguments)
        if zeroed is not None and zeroed.size:
            zeroed[...] = 0

    return run
