"""How long a picture takes, beside matplotlib, which draws the same cells.

    python benchmarks/pictures/run.py

matplotlib is no dependency: without it its column is empty. One process, the rounds of all columns
interleaved; the median of each in milliseconds of the processor, which other load changes little.
"""

import argparse
import io
import statistics
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from time import process_time
from typing import Any

import numpy as np
import numpy.typing as npt

from app.engine.description.tensor import Tensor, parse_tensor
from app.picture.cells import Painting
from app.picture.colours import LIGHT, palette
from app.picture.composed import Picture, composed
from app.picture.png import png
from app.picture.scene import Grid, Raster
from app.picture.svg import svg

SCREENS = [
    ((1, 6, 4, 5), "NCHW4"),
    ((1, 8, 3, 4), "NCHW4"),
    ((2, 10, 5, 10), "NHWC"),
    ((2, 10, 10, 10), "NCHW"),
    ((1, 64, 56, 56), "NCHW16"),
    ((1, 3, 224, 224), "NHWC"),
    ((8, 64, 224, 224), "NCHW32"),
]


def parts_of(pixels: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
    """Red, green and blue of pixels."""
    return pixels.astype(">u4").view("u1").reshape(*pixels.shape, 4)[..., 1:]


def drawn_by_matplotlib(tensor: Tensor, form: str) -> bytes:
    """Both grids as two images, with a text in each cell where ours has one."""
    from matplotlib.figure import Figure  # noqa: PLC0415  # it need not be there

    scene = composed(Picture(tensor))
    grids = [part for part in scene.parts if isinstance(part, Grid)]
    painting = Painting(tensor.layout, tensor.buffer_elements)
    fills = palette(painting.scale, LIGHT).fills
    figure = Figure(figsize=(scene.width / 100, scene.height / 100), dpi=100)
    for axes, grid in zip(figure.subplots(len(grids), 1), grids, strict=True):
        if not grid.cells:
            [raster] = [part for part in grid.below if isinstance(part, Raster)]
            axes.imshow(parts_of(raster.pixels), interpolation="nearest")
            continue
        left, top = min(c.x for c in grid.cells), min(c.y for c in grid.cells)
        places = [((c.x - left) // grid.side, (c.y - top) // grid.side) for c in grid.cells]
        cells = painting.at_addresses(np.array([cell.address for cell in grid.cells]))
        columns, rows = max(x for x, _ in places) + 1, max(y for _, y in places) + 1
        pixels = np.full((rows, columns), 0xFFFFFF)
        for (x, y), entry in zip(places, cells.entries.tolist(), strict=True):
            pixels[y, x] = fills[entry]
        axes.imshow(parts_of(pixels), interpolation="nearest")
        for (x, y), cell in zip(places, grid.cells, strict=True):
            if cell.text:
                axes.text(x, y, cell.text, ha="center", va="center", size=grid.font * 0.7)
    out = io.BytesIO()
    figure.savefig(out, format=form)
    return out.getvalue()


def own(tensor: Tensor) -> str:
    """The picture as SVG."""
    return svg(composed(Picture(tensor)))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    peer = find_spec("matplotlib") is not None
    print("| tensor | SVG kB | SVG | PNG from it | matplotlib SVG | matplotlib PNG |")
    print("|---|--:|--:|--:|--:|--:|")
    for shape, layout in SCREENS:
        tensor = parse_tensor(shape, layout)
        file = own(tensor)
        calls: list[Callable[[], Any]] = [
            partial(own, tensor),
            partial(png, file),
        ]
        if peer:
            calls += [
                partial(drawn_by_matplotlib, tensor, "svg"),
                partial(drawn_by_matplotlib, tensor, "png"),
            ]
        times: list[list[float]] = [[] for _ in calls]
        for _ in range(rounds):
            for call, taken in zip(calls, times, strict=True):
                start = process_time()
                call()
                taken.append((process_time() - start) * 1e3)
        medians = [f"{statistics.median(taken):.1f}" for taken in times] + [""] * (4 - len(calls))
        said = " × ".join(map(str, shape))
        print(f"| {said} {layout} | {len(file) / 1e3:.0f} | {' | '.join(medians)} |")


if __name__ == "__main__":
    main()
