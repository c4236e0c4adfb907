"""Arrays of zarr v3 moved box by box equal what the engine reorders at once."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from obstore.store import LocalStore as ObjectsInFolder

from app.engine import LayoutError, parse_layout, reorder
from app.files import npy
from app.files.zarr import layout, places, running, transfer
from app.files.zarr.layout import ArrayLayout
from app.files.zarr.transfer import Workers

FORMATS = ["NCHW", "NHWC", "CHWN", "NCHW4", "NCHW32", "CHWN4", "nChw16c"]
BLOCKS = {"NCHW4": 4, "NCHW32": 32, "nChw16c": 16}
LARGE = 1 << 40
ONE = Workers(1, 1, LARGE)


def stored(folder: Path, values: np.ndarray[Any, Any], **options: Any) -> str:
    place = str(folder / "in.zarr")
    array = zarr.create_array(place, shape=values.shape, dtype=values.dtype, **options)
    array[...] = values
    return place


def moved(
    reading: ArrayLayout, source: str, target: str, writing: ArrayLayout, memory_bytes: int = LARGE
) -> Any:
    """Move an array; return the transfer and what stands at the target."""
    found = transfer.planned(source, reading, target, writing, Workers(2, 2, memory_bytes))
    running.run(found, map, resume=False, advance=lambda _: None)
    return found, zarr.open_array(target, mode="r")


@pytest.mark.parametrize("seed", range(16))
def test_any_formats_any_chunks(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(seed)  # noqa: S311 - test data
    shape = tuple(draw.choice((1, 2, 3, 5, 8)) for _ in range(4))
    shape = (shape[0], draw.choice((1, 3, 4, 8, 33, 70)), *shape[2:])
    source_text, target_text = draw.choice(FORMATS), draw.choice(FORMATS)
    first = parse_layout(source_text, shape)
    extents = first.physical_shape
    assert extents is not None
    dtype = draw.choice(sorted(npy.TYPES))
    logical = (np.arange(np.prod(shape)) % 251).astype(dtype)
    values = reorder(logical, parse_layout("NCHW", shape), first).reshape(extents)
    chunks = tuple(draw.randint(1, n) for n in extents)
    order = list(range(len(extents)))
    draw.shuffle(order)
    source = stored(
        tmp_path,
        values,
        chunks=chunks,
        filters=[zarr.codecs.TransposeCodec(order=order)],
        compressors=draw.choice((None, "auto")),
    )
    reading = layout.found(*places.metadata_of(source), source_text, None, shape)
    assert reading.shape == shape
    physical = draw.random() < 0.5
    writing = layout.made(reading, target_text, physical=physical)
    if draw.random() < 0.5 and not physical:
        shards = tuple(n * draw.randint(1, 2) for n in writing.chunks)
        writing = layout.made(reading, target_text, physical=False, shards=shards)
    monkeypatch.setattr(transfer, "PROCESS_BYTES", 0)
    monkeypatch.setattr(transfer, "TASK_BYTES", draw.choice((1, 1 << 12, 1 << 20)))
    _, array = moved(reading, source, str(tmp_path / "out.zarr"), writing)
    assert not (tmp_path / "out.zarr.part").exists()
    last = parse_layout(target_text, shape)
    if physical:
        wanted = reorder(logical, parse_layout("NCHW", shape), last).reshape(array.shape)
    else:
        wanted = logical.reshape(shape)
    assert array.dtype == dtype
    assert np.array_equal(array[...], wanted)


def test_a_chunk_is_a_block_of_the_layout(tmp_path: Path) -> None:
    values = np.arange(2 * 64 * 5 * 5, dtype="float32").reshape(2, 64, 5, 5)
    source = stored(tmp_path, values, chunks=(1, 64, 5, 5))
    reading = layout.found(*places.metadata_of(source), "NCHW", None)
    writing = layout.made(reading, "NCHW32", physical=False)
    assert (writing.chunks, writing.inside) == ((1, 32, 5, 5), (0, 2, 3, 1))
    target = tmp_path / "out.zarr"
    moved(reading, source, str(target), writing)
    blocked = reorder(
        values.reshape(-1), parse_layout("NCHW", values.shape), parse_layout("NCHW32", values.shape)
    ).reshape(2, 2, -1)
    for n in range(2):
        for c in range(2):
            chunk = (target / "c" / str(n) / str(c) / "0" / "0").read_bytes()
            assert chunk == blocked[n, c].tobytes(), "the bytes of the engine's layout"
    again = layout.found(*places.metadata_of(str(target)), "NCHW32", None)
    assert again.whole() == parse_layout("NCHW32", values.shape)


def test_little_memory_takes_two_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.arange(64 * 64, dtype="int32").reshape(64, 64)
    source = stored(tmp_path, values, chunks=(1, 64), compressors=None)
    monkeypatch.setattr(transfer, "PROCESS_BYTES", 0)
    reading = layout.found(*places.metadata_of(source), None, "HW")
    writing = layout.made(reading, "WH", physical=False, chunks=(64, 1))
    found, array = moved(
        reading, source, str(tmp_path / "out.zarr"), writing, memory_bytes=12 << 10
    )
    assert len(found.passes) == 2
    assert found.amplification <= 2
    assert found.peak_bytes <= 12 << 10
    assert np.array_equal(array[...], values)
    with pytest.raises(LayoutError, match=r"memory: .*expected"):
        transfer.planned(source, reading, "x.zarr", writing, Workers(1, 1, 1 << 9))


def test_an_interrupted_run_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.arange(6 * 8 * 4 * 4, dtype="int16").reshape(6, 8, 4, 4)
    source, target = stored(tmp_path, values, chunks=(1, 8, 4, 4)), str(tmp_path / "out.zarr")
    monkeypatch.setattr(transfer, "TASK_BYTES", 1)
    reading = layout.found(*places.metadata_of(source), "NCHW", None)
    writing = layout.made(reading, "NHWC", physical=False, chunks=(1, 8, 4, 4))
    found = transfer.planned(source, reading, target, writing, ONE)
    assert len(found.passes[0].boxes) == 6

    def three(work: Any, numbers: Any) -> Any:
        for done, number in enumerate(numbers):
            if done == 3:
                raise KeyboardInterrupt
            yield work(number)

    with pytest.raises(KeyboardInterrupt):
        running.run(found, three, resume=False, advance=lambda _: None)
    assert not places.there(target), "no array before all of it is there"
    with pytest.raises(LayoutError, match="--resume"):
        running.run(found, map, resume=False, advance=lambda _: None)
    other = transfer.planned(
        source, reading, target, layout.made(reading, "CHWN", physical=False), ONE
    )
    with pytest.raises(LayoutError, match="another run"):
        running.run(other, map, resume=True, advance=lambda _: None)
    told: list[int] = []
    running.run(found, map, resume=True, advance=told.append)
    assert told == [3 * 256, 256, 256, 256], "what was done is not done again"
    assert np.array_equal(zarr.open_array(target, mode="r")[...], values)


def test_an_object_store_is_a_place_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store of a URL is obstore's, here over a folder: the same calls as over S3."""
    values = np.arange(2 * 6 * 3 * 3, dtype="uint8").reshape(2, 6, 3, 3)

    def in_folder(url: str, **_options: object) -> ObjectsInFolder:
        return ObjectsInFolder(tmp_path / url.removeprefix("s3://"), mkdir=True)

    monkeypatch.setattr("obstore.store.from_url", in_folder)
    source, target = "s3://bucket/in.zarr", "s3://bucket/out.zarr"
    array = zarr.create_array(places.store(source), shape=values.shape, dtype="uint8")
    array[...] = values
    reading = layout.found(*places.metadata_of(source), "NCHW", None)
    found = transfer.planned(
        source, reading, target, layout.made(reading, "NCHW4", physical=True), ONE
    )
    running.run(found, map, resume=False, advance=lambda _: None)
    there = places.opened(target)
    assert there.shape == (2, 2, 3, 3, 4)
    assert places.metadata_of(target)[1] == ("N", "C", "H", "W", "c")
    assert not np.any(there[1, 1, :, :, 2:]), "padding is zero"


def test_a_layout_that_the_array_has_not(tmp_path: Path) -> None:
    source = stored(tmp_path, np.zeros((2, 3, 4, 5, 6)))
    for text, says in (("NCHW4", "blocks of 6"), ("(5, 1)", "another number of dimensions than 5")):
        with pytest.raises(LayoutError, match=says):
            layout.found(*places.metadata_of(source), text, None)
