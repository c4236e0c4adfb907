"""``stridescope.show``: what it reads of a tensor, and what a notebook gets."""

import base64
import html
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from app.engine import LayoutError
from app.engine.model.address import offset_map
from app.notebook import show as module
from app.notebook.show import Shown, show

SVG = "{http://www.w3.org/2000/svg}"
BASE = np.arange(48, dtype=np.float32)


class Torch:
    """The part of a PyTorch tensor that is read: strides in elements, a storage, addresses."""

    layout, dtype = "torch.strided", "torch.float16"

    def __init__(self, shape: Any, strides: Any, offset: int, **told: Any) -> None:
        self.shape, self._strides, self._offset = shape, strides, offset
        self.device, self._storage = told.get("device", "cpu"), told.get("storage", 99)
        self._address: int | None = told.get("address", 4096)

    def stride(self) -> tuple[int, ...]:
        return tuple(self._strides)

    def storage_offset(self) -> int:
        return self._offset

    def untyped_storage(self) -> Any:
        def data_ptr() -> int:
            if self._address is None:
                raise RuntimeError("no storage")
            return self._address

        return SimpleNamespace(data_ptr=data_ptr, _cdata=self._storage)


class Cupy:
    """An array that tells only its CUDA array interface."""

    dtype = np.dtype("float64")

    def __init__(self, shape: tuple[int, ...], strides: tuple[int, ...] | None, first: int) -> None:
        self.shape = shape
        memory = type("Memory", (), {"ptr": 8192})
        self.data = type("Pointer", (), {"mem": memory})
        told = {"shape": shape, "strides": strides, "typestr": "<f8", "data": (first, False)}
        self.__cuda_array_interface__ = told


def cells(shown: Shown, view: str) -> dict[str, int]:
    """The address of each coordinate that a grid draws."""
    drawn = ElementTree.fromstring(shown.svg())
    [grid] = [g for g in drawn.iter(f"{SVG}g") if g.get("data-view") == view]
    found = [(g.get("data-at"), g.get("data-address")) for g in grid.iter(f"{SVG}g")]
    return {at: int(address) for at, address in found if at is not None and address is not None}


ARRAYS: dict[str, tuple[Any, tuple[int, ...], int]] = {
    "whole": (BASE.reshape(4, 12), (12, 1), 0),
    "transposed": (BASE.reshape(4, 12).T, (1, 12), 0),
    "part": (BASE.reshape(4, 12)[1::2, 3:7], (24, 1), 15),
    "flipped": (BASE.reshape(4, 12)[::-1, ::-2], (-12, -2), 47),
    "broadcast": (np.broadcast_to(BASE[5:9], (3, 4)), (0, 1), 5),
    "windows": (np.lib.stride_tricks.sliding_window_view(BASE, 4)[:9], (1, 1), 0),
    "channels last": (BASE.reshape(2, 3, 4, 2).transpose(0, 3, 1, 2), (24, 1, 8, 2), 0),
    "scalar": (BASE[7:8].reshape(()), (), 7),
    "bytes": (BASE.view(np.uint8)[8:16], (1,), 8),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_is_drawn_where_it_lies(name: str) -> None:
    array, strides, offset = ARRAYS[name]
    before = array.copy()
    shown = show(array)
    layout = shown.picture.tensor.layout
    assert (layout.shape, layout.strides, layout.offset) == (array.shape, strides, offset)
    assert shown.picture.tensor.dtype.name == array.dtype.name
    every = [",".join(map(str, at)) for at in np.ndindex(*array.shape)]
    assert cells(shown, "logical") == dict(zip(every, offset_map(layout).ravel(), strict=True))
    np.testing.assert_array_equal(array, before)


def test_other_libraries_are_read_without_them() -> None:
    shown = show(Torch((2, 3, 4, 5), (60, 1, 15, 3), 7))
    tensor = shown.picture.tensor
    assert (tensor.layout.strides, tensor.layout.offset) == ((60, 1, 15, 3), 7)
    assert tensor.dtype.name == "float16"
    quantized = Torch((2, 3), (3, 1), 0)
    quantized.dtype = "torch.quint8"
    assert show(quantized).picture.tensor.dtype.name == "uint8"
    cuda = show(Cupy((3, 4), (64, 8), 8192 + 24)).picture.tensor
    assert (cuda.layout.strides, cuda.layout.offset) == ((8, 1), 3)
    assert show(memoryview(b"abcdef")).picture.tensor.layout.strides == (1,)


def test_tensors_of_one_memory_say_who_owns_what() -> None:
    matrix = BASE.reshape(6, 8)
    drawn = ElementTree.fromstring(show(matrix[1:4, 2:6], matrix[3:5], BASE[:3]).svg())
    [grid] = [g for g in drawn.iter(f"{SVG}g") if g.get("data-view") == "memory"]
    owned = {int(g.get("data-address", "")): g for g in grid.iter(f"{SVG}g") if g.get("data-kind")}
    parts = [np.zeros(48, np.bool_) for _ in range(3)]
    parts[0].reshape(6, 8)[1:4, 2:6] = True
    parts[1].reshape(6, 8)[3:5] = True
    parts[2][:3] = True
    for address, cell in owned.items():
        names = "".join(n for n, part in zip("xyz", parts, strict=True) if part[address])
        assert "".join(cell.itertext()) == names
        kind = {0: "gap", 1: "element"}.get(len(names), "shared")
        assert cell.get("data-kind") == kind
    two = show(Torch((2, 3), (3, 1), 4), Torch((3,), (1,), 6), slice="0, ::2")
    assert "xy" in two.svg()


@pytest.mark.parametrize("address", [0, None], ids=["meta", "fake"])
def test_a_tensor_without_memory_keeps_its_offset_and_its_storage(address: int | None) -> None:
    told = {"device": "meta", "address": address}
    x, y, z = (
        Torch(shape, (3, 1), offset, storage=storage, **told)
        for shape, offset, storage in (((4, 3), 0, 5), ((2, 2), 4, 5), ((2, 2), 4, 6))
    )
    shown = show(x, y)
    assert [one.layout.offset for one in (shown.picture.tensor, *shown.picture.beside)] == [0, 4]
    with pytest.raises(LayoutError):
        show(x, z)


TYPED = {">f4": "float32", ">i4": "int32", "M8[D]": "int64", "m8[s]": "int64", "?": "bool"}


@pytest.mark.parametrize(("typed", "stored"), TYPED.items())
def test_a_type_of_numpy_is_named_by_what_is_stored(typed: str, stored: str) -> None:
    values: Any = np.zeros((2, 3), typed)
    assert show(values).picture.tensor.dtype.name == stored
    if typed in {">f4", "?"}:
        assert show(memoryview(values)).picture.tensor.dtype.name == stored


class Exported:
    """An array that hands itself over and tells nothing else."""

    shape = (2, 3)

    def __dlpack__(self, **options: Any) -> Any:
        return np.zeros((2, 3), np.int16).__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return (1, 0)


def test_a_type_is_read_from_each_interface_alone() -> None:
    told = {"shape": (2, 3), "typestr": "<i2", "strides": None, "data": (8192, False)}
    names = ("__cuda_array_interface__", "__array_interface__")
    for array in (Exported(), *(SimpleNamespace(shape=(2, 3), **{name: told}) for name in names)):
        assert show(array).picture.tensor.dtype.name == "int16"


@pytest.mark.parametrize("typed", ["O", "U3", "f4,i1", np.longdouble])
def test_what_is_no_number_of_a_known_type_is_refused(typed: Any) -> None:
    with pytest.raises(LayoutError) as refused:
        show(np.zeros(3, typed))
    assert refused.value.field == "array"
    assert "elements of type" in str(refused.value)


def test_the_text_of_several_tensors_has_them_all() -> None:
    matrix = BASE.reshape(6, 8)
    lines = str(show(matrix[1:3, 2:6], matrix)).splitlines()
    assert lines[0] == "x: (8, 1)+10 · 2 × 4 · float32"
    assert "y: (8, 1) · 6 × 8 · float32" in lines
    # Both memories have rows of the same length, so that addresses can be compared.
    assert lines.count("memory, 8 in a row") == 2
    part = show(matrix[:1, :2], matrix).svg()
    rows = set(re.findall(r'<g transform="translate\(\S+ (\S+)\)">', part))
    assert len(rows) < 20  # one of two columns for the first, small tensor would have 24


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ([BASE[1:]] * 8, "more"),
        ([BASE.copy()], "more[0]"),
        ([BASE[3:], BASE.view(np.uint8)], "more[1]"),
        ([object()], "array"),
    ],
)
def test_other_memory_and_wrong_options_are_refused(more: list[Any], field: str) -> None:
    with pytest.raises(LayoutError) as refused:
        show(BASE, *more)
    assert refused.value.field == field
    for name in ("view", "colour", "text", "theme", "slice"):
        with pytest.raises(LayoutError) as refused:
            show(BASE, **{name: "?"})
        assert refused.value.field == name


@pytest.mark.parametrize("ending", ["svg", "png", "tex", "txt"])
def test_save_writes_by_the_ending(tmp_path: Path, ending: str) -> None:
    shown = show(BASE.reshape(6, 8))
    shown.save(tmp_path / f"out.{ending}")
    made: dict[str, Any] = {"svg": shown.svg(), "png": shown.png(), "tex": shown.tikz()}
    found = made.get(ending, str(shown))
    data = found if isinstance(found, bytes) else found.encode()
    assert (tmp_path / f"out.{ending}").read_bytes() == data
    with pytest.raises(LayoutError):
        shown.save(tmp_path / "out.gif")


def test_a_notebook_gets_text_a_picture_and_live_grids(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRIDESCOPE_URL", "https://example.org/")
    link = "https://example.org/?v=1&shape=6,8&layout=(8,-1)%2B7&dtype=float32&colour=linear"
    assert show(BASE.reshape(6, 8)[:, ::-1], colour="linear").url == link
    monkeypatch.delenv("STRIDESCOPE_URL")
    shown = show(BASE.reshape(6, 8), text="address")
    monkeypatch.setattr(module, "bundled_script", lambda name: f"/* {name} */")
    bundle = shown._repr_mimebundle_()
    assert bundle["text/plain"].splitlines()[0] == "(8, 1) · 6 × 8 · float32"
    [image] = re.findall(r'<img src="data:image/svg\+xml;base64,([^"]+)"', bundle["text/html"])
    assert base64.b64decode(image).decode() == shown.svg()
    [document] = re.findall(r'srcdoc="([^"]*)"', bundle["text/html"])
    inside = html.unescape(document)
    assert 'text="address"' in inside
    assert "/* memory-grid */" in inside
    [told] = re.findall(r'application/json">(.*?)</script>', inside)
    drawn = json.loads(told)
    assert drawn["memory"]["strides"] == [8, 1]
    assert (drawn["tensor"], drawn["other"], drawn["slice"]) == (None, None, None)
    assert "http" not in bundle["text/html"].replace("http://www.w3.org/2000/svg", "")


def test_without_a_bundle_a_notebook_gets_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "bundled_script", lambda _: None)
    made = show(BASE)._repr_mimebundle_()["text/html"]
    assert "make bundles" in made
    assert "<iframe" not in made
    monkeypatch.setattr(module, "bundled_script", lambda _: "/* */")
    assert "<iframe" not in show(BASE, BASE[3:5])._repr_mimebundle_()["text/html"]
    sliced = html.unescape(show(BASE, slice="::2")._repr_mimebundle_()["text/html"])
    assert '"slice":[{"start":0,"step":2,' in sliced.replace(" ", "")
