"""Where arrays are: a folder, or a prefix of an object store."""

from __future__ import annotations

import asyncio
import shutil
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ...engine.model.errors import Described, LayoutError, Phrase
from .layout import ArrayLayout, ArrayMetadata

if TYPE_CHECKING:
    import zarr
    from zarr.abc.store import Store

SCHEMES = ("s3://", "gs://", "az://", "memory://")


def is_place(text: str) -> bool:
    """Whether a text names an array of zarr: it ends in .zarr, or is a URL of an object store."""
    return text.rstrip("/").endswith(".zarr") or text.startswith(SCHEMES)


def store(place: str, *, read_only: bool = False) -> Store:
    """Open a folder or an object store. The environment gives keys, regions and endpoints.

    Errors: LayoutError naming the place.
    """
    from zarr.storage import LocalStore, ObjectStore  # noqa: PLC0415 - an extra

    if not place.startswith(SCHEMES):
        return LocalStore(place, read_only=read_only)
    import obstore  # noqa: PLC0415 - an extra

    try:
        return ObjectStore(obstore.store.from_url(place), read_only=read_only)
    except obstore.exceptions.BaseError as error:
        expected = Phrase("store", "{reason}", reason=str(error))
        raise LayoutError(place, Described("a store that does not open"), expected) from None


def remove(place: str) -> None:
    """Delete all that is at a place."""
    if place.startswith(SCHEMES):
        asyncio.run(store(place).clear())
    else:
        shutil.rmtree(place)


def there(place: str) -> bool:
    """Whether an array or a group is at a place."""
    import zarr  # noqa: PLC0415 - an extra

    try:
        zarr.open(store(place, read_only=True), mode="r")
    except (FileNotFoundError, zarr.errors.NodeNotFoundError):
        return False
    return True


def opened(place: str) -> zarr.Array[Any]:
    """Open the array at a place. Errors: LayoutError naming the place."""
    import zarr  # noqa: PLC0415 - an extra

    try:
        node = zarr.open(store(place, read_only=True), mode="r", zarr_format=3)
    except (FileNotFoundError, zarr.errors.NodeNotFoundError):
        expected = Phrase("zarr.array", "an array of zarr v3")
        raise LayoutError(place, Described("no array"), expected) from None
    if not isinstance(node, zarr.Array):
        raise LayoutError(place, Described("a group"), Phrase("zarr.array", "an array of zarr v3"))
    return node


def metadata_of(place: str) -> ArrayMetadata:
    """What zarr says about the array at a place. Errors: LayoutError naming the place."""
    from zarr.codecs import BytesCodec, ShardingCodec, TransposeCodec  # noqa: PLC0415 - an extra
    from zarr.core.metadata import ArrayV3Metadata  # noqa: PLC0415 - an extra

    array = opened(place)
    if array.dtype.kind not in "biufc" or array.dtype.itemsize > 16:
        expected = Phrase("zarr.numbers", "numbers of 1, 2, 4, 8 or 16 bytes")
        raise LayoutError(place, Described("elements of another type"), expected)
    metadata = array.metadata
    assert isinstance(metadata, ArrayV3Metadata)  # as opened
    codecs = list(metadata.codecs)
    if len(codecs) == 1 and isinstance(codecs[0], ShardingCodec):
        codecs = list(codecs[0].codecs)
    inside = tuple(range(array.ndim))
    for codec in codecs:
        if isinstance(codec, TransposeCodec):
            inside = tuple(inside[axis] for axis in codec.order)
    return ArrayMetadata(
        array.shape,
        array.dtype.name,
        array.chunks,
        array.shards,
        inside,
        tuple(name or "" for name in metadata.dimension_names or ()),
        any(not isinstance(codec, BytesCodec | TransposeCodec) for codec in codecs),
    )


@lru_cache(maxsize=8)
def reader(place: str, _layout: ArrayLayout) -> zarr.Array[Any]:
    """The array of this layout at a place, opened once in each process."""
    return opened(place)


def changing(place: str) -> zarr.Array[Any]:
    """The array at a place, to be written."""
    import zarr  # noqa: PLC0415 - an extra

    return zarr.open_array(store(place), mode="r+")


@lru_cache(maxsize=8)
def writer(place: str, layout: ArrayLayout) -> zarr.Array[Any]:
    """An array whose chunks are written before its metadata, so that it appears when complete."""
    import zarr  # noqa: PLC0415 - an extra
    from zarr.storage import MemoryStore, StorePath  # noqa: PLC0415 - an extra

    metadata = zarr.create_array(MemoryStore(), **layout.created()).metadata
    return zarr.Array(zarr.AsyncArray(metadata, StorePath(store(place))))
