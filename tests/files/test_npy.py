"""Headers of .npy: NumPy's own writer and reader are the oracle."""

import io
import math
import tracemalloc
from functools import partial
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import LayoutError
from app.engine.model.dtypes import ELEMENT_TYPES
from app.files import npy
from tests.cost import assert_costs_like
from tests.odd_characters import inserted

SHAPES = st.lists(st.integers(0, 10**6), max_size=6).map(tuple)


def written(said: dict[str, Any], version: int = 1) -> bytes:
    """NumPy's header for it; versions 2 and 3 differ in what a text beyond ASCII means."""
    file = io.BytesIO()
    if version == 1:
        np.lib.format.write_array_header_1_0(file, said)
        return file.getvalue()
    np.lib.format.write_array_header_2_0(file, said)
    header = file.getvalue()
    return header[:6] + bytes([version]) + header[7:]


def header_of(text: str, version: bytes = b"\x01\x00") -> bytes:
    """A header with this text, whatever it says."""
    encoded = text.encode("utf-8")
    width = 2 if version[0] == 1 else 4
    return npy.MAGIC + version + len(encoded).to_bytes(width, "little") + encoded


def entries(descr: str = "'<f4'", order: str = "False", shape: str = "(2, 3)") -> bytes:
    return header_of(f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n")


@given(
    SHAPES,
    st.sampled_from(sorted(npy.TYPES)),
    st.sampled_from("CF"),
    st.sampled_from("<>"),
    st.sampled_from([1, 2, 3]),
)
def test_what_numpy_writes_is_read(
    shape: tuple[int, ...], name: str, order: str, byte_order: Literal["<", ">"], version: int
) -> None:
    dtype = np.dtype(name).newbyteorder(byte_order)
    fortran_order = order == "F"
    said = {"descr": dtype.str, "fortran_order": fortran_order, "shape": shape}
    header = written(said, version)
    if math.prod(max(n, 1) for n in shape) >= 2**63:
        with pytest.raises(LayoutError):
            npy.parse_header(header)
        return
    assert npy.header_size(header[: npy.PREFIX_BYTES]) == len(header)
    stored = npy.parse_header(header)
    assert stored.dtype == ELEMENT_TYPES[name]
    assert stored.shape == shape
    assert stored.fortran_order == fortran_order
    assert stored.byte_order == (byte_order if dtype.itemsize > 1 else "<")
    assert stored.begin == len(header)
    assert stored.size_bytes == math.prod(shape) * dtype.itemsize


@given(SHAPES, st.sampled_from(sorted(npy.TYPES)), st.sampled_from("<>"))
def test_what_is_written_numpy_reads(shape: tuple[int, ...], name: str, byte_order: Any) -> None:
    header = npy.header(ELEMENT_TYPES[name], shape, byte_order=byte_order)
    dtype = np.dtype(name).newbyteorder(byte_order)
    file = io.BytesIO(header)
    assert np.lib.format.read_magic(file) == (1, 0)
    assert np.lib.format.read_array_header_1_0(file) == (shape, False, dtype)
    assert file.tell() == len(header)
    assert len(header) % 64 == 0


@pytest.mark.parametrize("name", sorted(set(ELEMENT_TYPES) - set(npy.TYPES)))
def test_types_that_the_format_does_not_name_are_refused(name: str) -> None:
    with pytest.raises(LayoutError) as refusal:
        npy.header(ELEMENT_TYPES[name], (2,))
    assert refusal.value.field == "dtype"


def test_another_spelling_of_the_same_dict() -> None:
    text = """{"shape":( 2 , 3 , ) ,'fortran_order' : False , "descr":'<f4'}   \n"""
    stored = npy.parse_header(header_of(text))
    assert (stored.dtype.name, stored.shape, stored.fortran_order) == ("float32", (2, 3), False)


def test_every_character_of_ascii_is_read_as_numpy_reads_it_or_refused() -> None:
    plain = {"descr": "<f4", "fortran_order": False, "shape": (2, 3)}
    text = str(plain)
    read = 0
    for character in map(chr, range(128)):
        for other in inserted(text, character):
            header = header_of(other)
            try:
                stored = npy.parse_header(header)
            except LayoutError:
                continue
            shape, fortran_order, dtype = np.lib.format.read_array_header_1_0(
                io.BytesIO(header[8:])
            )
            assert (stored.shape, stored.fortran_order) == (shape, fortran_order), repr(other)
            assert stored.dtype.name == dtype.name, repr(other)
            read += character in " \t\n\r\f"
    assert read > 5 * 10


HOSTILE = {
    "object": (entries("'|O'"), "header.descr", "pickled"),
    "structured": (entries("[('a', '<f4'), ('b', '<i4')]"), "header.descr", "structured"),
    "subarray": (entries("('<f4', (2,))"), "header.descr", "structured"),
    "datetime": (entries("'<M8[ns]'"), "header.descr", "datetimes"),
    "text": (entries("'<U7'"), "header.descr", "text"),
    "void": (entries("'|V2'"), "header.descr", "bytes without a type"),
    "long complex": (entries("'<c32'"), "header.descr", "another"),
    "native order": (entries("'=f4'"), "header.descr", ""),
    "a number for a type": (entries("4"), "header.descr", ""),
    "order as number": (entries(order="0"), "header.fortran_order", ""),
    "negative size": (entries(shape="(2, -3)"), "header.shape", ""),
    "boolean size": (entries(shape="(2, True)"), "header.shape", ""),
    "a number in brackets": (entries(shape="(6)"), "header.shape", ""),
    "a separator for a blank": (entries(shape="(\x1c2, 3)"), "header.shape", ""),
    "beyond int64": (entries(shape="(9223372036854775808,)"), "header.shape[0]", ""),
    "a thousand digits": (entries(shape=f"({'9' * 1000},)"), "header.shape", ""),
    "product beyond int64": (entries(shape="(4294967296, 4294967296)"), "header.shape", ""),
    "rank": (entries(shape=f"({'1, ' * 100})"), "header.shape", ""),
    "nested": (entries(shape="(" * 10_000 + ")" * 10_000), "header.shape", ""),
    "nested dicts": (header_of("{'descr': " * 5_000 + "}"), "header.descr", ""),
    "a call": (entries("__import__('os')"), "header.descr", ""),
    "missing entry": (header_of("{'descr': '<f4', 'shape': (2,)}"), "header", "2 entries"),
    "unknown entry": (header_of("{'descr': '<f4', 'a': 1, 'shape': (2,)}"), "header", ""),
    "entry twice": (header_of("{'descr': '<f4', 'descr': '<f8', 'shape': (2,)}"), "header", ""),
    "no comma": (header_of("{'descr': '<f4' 'fortran_order': False}"), "header", "after a value"),
    "after the dict": (entries()[:-1] + b";", "header", ""),
    "beyond ASCII": (header_of("{'déscr': '<f4'}", b"\x03\x00"), "header", "ASCII"),
    "a byte more": (entries() + b"\0", "header", "whole"),
    "a byte less": (entries()[:-1], "header", "whole"),
    "version": (b"\x93NUMPY\x04\x00" + entries()[8:], "header", "magic"),
    "magic and version": (npy.MAGIC + b"\x01\x00\x10", "header", "whole"),
    "nothing": (b"", "header", "magic"),
    "length lies": (npy.MAGIC + b"\x02\x00\xff\xff\xff\xff" + b"{" * 100, "header", "65536"),
}


@pytest.mark.parametrize(("header", "field", "said"), HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_headers_are_refused_and_cost_little(header: bytes, field: str, said: str) -> None:
    def refuse() -> None:
        with pytest.raises(LayoutError) as refusal:
            npy.parse_header(header)
        assert refusal.value.field == field
        assert said in str(refusal.value)

    tracemalloc.start()
    refuse()
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 8 << 20
    assert_costs_like(partial(npy.parse_header, entries()), refuse)


@given(st.binary(max_size=80), st.integers(0, 70))
def test_no_bytes_do_anything_but_parse_or_be_refused(noise: bytes, at: int) -> None:
    whole = npy.header(ELEMENT_TYPES["int16"], (3, 4))
    damaged = whole[:at] + noise + whole[at + len(noise) :]
    try:
        stored = npy.parse_header(damaged)
    except LayoutError:
        return
    file = io.BytesIO(damaged)
    np.lib.format.read_magic(file)
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    assert stored.shape == shape
    assert stored.dtype.numpy() == dtype.newbyteorder("=")
