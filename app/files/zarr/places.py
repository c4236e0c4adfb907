"""Where arrays are: a folder, or a prefix of an object store."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from ...engine.model.errors import LayoutError, refusal
from ...engine.model.layout import default_dims
from .layout import ArrayLayout

if TYPE_CHECKING:
    import zarr
    from zarr.abc.store import Store

SCHEMES = ("s3://", "gs://", "az://", "memory://")
_SHOWN_CHARACTERS: Final = 300
_RETRIES: Final = {"max_retries": 5, "retry_timeout": timedelta(seconds=30)}
# By scheme the variables that give keys, each group complete. Without one of them, obstore asks
# the cloud's metadata address (169.254.169.254) for keys of the machine.
_KEYS: Final = {
    "s3": (
        ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"),
        ("AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN"),
        ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",),
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"),
    ),
    "gs": (
        ("GOOGLE_APPLICATION_CREDENTIALS",),
        ("GOOGLE_SERVICE_ACCOUNT",),
        ("GOOGLE_SERVICE_ACCOUNT_PATH",),
        ("GOOGLE_SERVICE_ACCOUNT_KEY",),
    ),
    "az": (
        ("AZURE_STORAGE_ACCOUNT_KEY",),
        ("AZURE_STORAGE_SAS_KEY",),
        ("AZURE_STORAGE_TOKEN",),
        ("AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET", "AZURE_TENANT_ID"),
        ("AZURE_CLIENT_ID", "AZURE_FEDERATED_TOKEN_FILE", "AZURE_TENANT_ID"),
    ),
}


def is_place(text: str) -> bool:
    """Whether a text names an array of zarr: it ends in .zarr, or is a URL of an object store."""
    return text.rstrip("/").endswith(".zarr") or text.startswith(SCHEMES)


def store(place: str, *, read_only: bool = False) -> Store:
    """Open a folder or an object store. The environment gives keys, regions and endpoints.

    Without keys requests are not signed: the address that gives keys to a machine of a cloud is
    asked only if the environment's STRIDESCOPE_MACHINE_KEYS is 1. Errors: as of ``reading``.
    """
    from zarr.storage import LocalStore, ObjectStore

    if not place.startswith(SCHEMES):
        return LocalStore(place, read_only=read_only)
    import obstore

    given: dict[str, Any] = {}
    keys = _KEYS.get(place.partition(":")[0])
    if keys is not None:
        given = {"retry_config": _RETRIES}
        has_keys = any(all(map(os.environ.get, names)) for names in keys)
        if not has_keys and os.environ.get("STRIDESCOPE_MACHINE_KEYS") != "1":
            given["skip_signature"] = True
    with reading(place):
        return ObjectStore(obstore.store.from_url(place, **given), read_only=read_only)


@contextmanager
def reading(place: str) -> Iterator[None]:
    """Name the place in whatever zarr, a codec or a store raises for what is there.

    Errors: LayoutError naming the place; OSError of a folder; MemoryError.
    """
    import zarr

    try:
        yield
    except (LayoutError, MemoryError):
        raise
    except (FileNotFoundError, zarr.errors.NodeNotFoundError):
        raise refusal(place, "no array", "zarr.array") from None
    except Exception as error:  # there are as many kinds as codecs and stores
        if isinstance(error, OSError) and not place.startswith(SCHEMES):
            raise
        reason = (str(error) or type(error).__name__).splitlines()[0][:_SHOWN_CHARACTERS]
        raise refusal(place, f"what cannot be read ({reason})", "zarr.array") from error


def remove(place: str) -> None:
    if place.startswith(SCHEMES):
        asyncio.run(store(place).clear())
    else:
        shutil.rmtree(place)


def there(place: str) -> bool:
    """Whether an array or a group is at a place. Errors: as of ``reading``."""
    import zarr

    with reading(place):
        try:
            zarr.open(store(place, read_only=True), mode="r")
        except (FileNotFoundError, zarr.errors.NodeNotFoundError):
            return False
    return True


def opened(place: str) -> zarr.Array[Any]:
    """Open the array at a place. Errors: as of ``reading``."""
    import zarr

    with reading(place):
        try:
            node = zarr.open(store(place, read_only=True), mode="r", zarr_format=3)
        except (FileNotFoundError, zarr.errors.NodeNotFoundError):
            zarr.open(store(place, read_only=True), mode="r", zarr_format=2)
            raise refusal(place, "zarr v2", "zarr.array") from None
    if not isinstance(node, zarr.Array):
        raise refusal(place, "a group", "zarr.array")
    return node


def metadata_of(place: str) -> tuple[ArrayLayout, tuple[str, ...]]:
    """The array at a place with a dimension for each axis, and the names of the axes.

    Errors: as of ``reading``.
    """
    from zarr.codecs import BytesCodec, ShardingCodec, TransposeCodec
    from zarr.core.metadata import ArrayV3Metadata

    array = opened(place)
    with reading(place):
        if array.dtype.kind not in "biufc" or array.dtype.itemsize > 16:
            raise refusal(place, "elements of another type", "zarr.numbers")
        if any(n < 1 for n in (*array.chunks, *(array.shards or ()))):
            raise refusal(place, "chunks without elements", "zarr.chunks")
        metadata = array.metadata
        assert isinstance(metadata, ArrayV3Metadata)  # as opened
        codecs = list(metadata.codecs)
        if len(codecs) == 1 and isinstance(codecs[0], ShardingCodec):
            codecs = list(codecs[0].codecs)
        inside = tuple(range(array.ndim))
        for codec in codecs:
            if isinstance(codec, TransposeCodec):
                inside = tuple(inside[axis] for axis in codec.order)
        axes = tuple((d, None) for d in range(array.ndim))
        compressed = any(not isinstance(codec, BytesCodec | TransposeCodec) for codec in codecs)
        stored = (array.dtype.name, array.chunks, array.shards, inside, compressed)
        names = tuple(name or "" for name in metadata.dimension_names or ())
        return ArrayLayout(array.shape, default_dims(array.ndim), axes, *stored), names


@lru_cache(maxsize=8)
def reader(place: str, _layout: ArrayLayout) -> zarr.Array[Any]:
    """The array of this layout at a place, opened once in each process."""
    return opened(place)


def changing(place: str) -> zarr.Array[Any]:
    import zarr

    return zarr.open_array(store(place), mode="r+")


@lru_cache(maxsize=8)
def writer(place: str, layout: ArrayLayout) -> zarr.Array[Any]:
    """An array whose chunks are written before its metadata, so that it appears when complete."""
    import zarr
    from zarr.storage import MemoryStore, StorePath

    metadata = zarr.create_array(MemoryStore(), **layout.created()).metadata
    return zarr.Array(zarr.AsyncArray(metadata, StorePath(store(place))))
