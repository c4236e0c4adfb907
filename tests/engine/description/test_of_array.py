"""The layout of existing arrays: the addresses that it says are those of the memory itself."""

from types import SimpleNamespace
from typing import Any

import array_api_strict as strict
import ml_dtypes
import numpy as np
import pytest

from app.engine import LayoutError, layout_of, offset_map
from tests.engine.fake_cupy import refuse

BASE = np.arange(2 * 3 * 4 * 8, dtype=np.int32).reshape(2, 3, 4, 8)


@pytest.mark.parametrize(
    "array",
    [
        BASE,
        BASE[1:, ::2, ::-1, 3:5],
        BASE.transpose(0, 2, 3, 1),
        BASE[:, :, ::-3],
        np.asfortranarray(BASE),
        np.broadcast_to(BASE[0], (5, 3, 4, 8)),
        np.lib.stride_tricks.sliding_window_view(BASE[0, 0, 0], 3),
        BASE[0, 0, 0, 5],
        BASE[:, :0],
        np.zeros((0, 3)),
        BASE.astype(ml_dtypes.int4)[:, 1:],
    ],
)
def test_addresses_are_those_of_numpys_memory(array: Any) -> None:
    array = np.asarray(array)
    layout = layout_of(array)
    assert layout.shape == array.shape
    owner = array
    while getattr(owner, "base", None) is not None:
        owner = owner.base  # also what as_strided puts between
    memory = np.ravel(owner, order="K")
    assert layout.offset == 0 or array.size
    if array.size:
        assert (memory[offset_map(layout)] == array).all()


def test_a_tensor_tells_strides_in_elements() -> None:
    tensor = SimpleNamespace(
        shape=(2, 3), stride=lambda: (1, 2), storage_offset=lambda: 4, strides="not asked"
    )
    found = layout_of(tensor, dims="ab")
    assert (found.strides, found.offset, found.dims) == ((1, 2), 4, "ab")


def of_cuda(strides: tuple[int, int] | None) -> Any:
    told = {"shape": (2, 4), "typestr": "<f8", "strides": strides, "data": (1 << 40, False)}
    return SimpleNamespace(shape=(2, 4), __cuda_array_interface__=told)


class Exported:
    """What tells nothing but DLPack, which is asked last."""

    shape = (4, 3)

    def __dlpack__(self, **options: Any) -> Any:
        return np.arange(12.0).reshape(3, 4).T.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return (1, 0)


@pytest.mark.parametrize(
    ("array", "strides"),
    [
        (of_cuda(None), (4, 1)),
        (of_cuda((32, 8)), (4, 1)),
        (memoryview(BASE[0, 0])[::2], (16, 1)),  # in bytes
        (
            strict.permute_dims(strict.zeros((2, 3, 4), dtype=strict.complex64), (2, 0, 1)),
            (1, 12, 4),
        ),
        (Exported(), (1, 4)),
    ],
)
def test_other_arrays_tell_their_strides(array: Any, strides: tuple[int, ...]) -> None:
    assert layout_of(array).strides == strides


def jax_array(order: tuple[int, ...], tiling: tuple[int, ...] = (), devices: int = 1) -> Any:
    """The part of an array of JAX that is read."""
    layout = SimpleNamespace(major_to_minor=order, tiling=tiling)
    told = SimpleNamespace(layout=layout, sharding=SimpleNamespace(num_devices=devices))
    return SimpleNamespace(shape=(2, 3, 4), dtype=np.dtype(ml_dtypes.bfloat16), format=told)


def test_jax_tells_the_order_of_dimensions() -> None:
    assert layout_of(jax_array((0, 1, 2))).strides == (12, 4, 1)
    assert layout_of(jax_array((1, 2, 0))).strides == (1, 8, 2)
    for other in (jax_array((0, 1, 2), (8, 128)), jax_array((0, 1, 2), (), 2)):
        with pytest.raises(LayoutError):
            layout_of(other)


def _sparse() -> Any:
    def stride() -> Any:
        raise RuntimeError("sparse tensors do not have strides")

    return SimpleNamespace(shape=(2, 3), stride=stride)


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        ([1, 2], "has a shape"),
        # As PyTorch's nested tensors.
        (type("Nested", (), {"shape": property(refuse(RuntimeError()))})(), "has a shape"),
        (_sparse(), "a strided tensor"),
        (SimpleNamespace(shape=(2,), layout="torch.sparse_coo", stride=lambda: (0,)), "sparse_coo"),
        (SimpleNamespace(shape=(2,)), "tells no strides"),
        (np.zeros(3, [("a", "<i4"), ("b", "<i2")])["a"], "multiples of 4 bytes"),
    ],
)
def test_what_tells_no_strides_is_refused(array: Any, expected: str) -> None:
    with pytest.raises(LayoutError, match=expected) as raised:
        layout_of(array)
    assert raised.value.field == "array"
